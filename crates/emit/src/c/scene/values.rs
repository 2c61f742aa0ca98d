//! How tests write the values of a scene, and set what initialisers cannot.

use ir::input::{InputValue, Root};
use ir::{ObjectId, Type, TypeId, Types, path};

use super::Scene;
use crate::c::{literal, runs};
use crate::graph::CellValue;
use crate::test_program::Statement;

impl Scene<'_> {
    /// The assignments that set what declarations could not hold, and the globals.
    pub fn assignments(&mut self) -> Vec<Statement> {
        let globals: Vec<ObjectId> = self
            .graph
            .objects
            .iter()
            .filter(|(_, object)| self.is_settable_global(&object.root))
            .map(|(&id, _)| id)
            .collect();
        for id in globals {
            let Some(object) = self.graph.objects.get(&id).cloned() else {
                continue;
            };
            for cell in object.cells.values() {
                self.declare_target(cell);
            }
            self.late.extend(
                object
                    .cells
                    .iter()
                    .map(|(&offset, &cell)| (id, offset, cell)),
            );
        }
        let mut set = Vec::new();
        for (id, offset, cell) in std::mem::take(&mut self.late) {
            let place = self.place(id, offset, cell.ty, cell.width);
            if place.is_none() {
                set.extend(self.set_bits(id, offset, &cell));
            }
            if let (Some(place), Some(value)) = (place, self.value(&cell)) {
                let byte = match cell.value {
                    InputValue::Bits(bits) => {
                        runs::character(self.subject.types, cell.ty, cell.width, bits)
                    }
                    _ => None,
                };
                set.push(runs::Item {
                    statement: Statement::Assign {
                        place: place.clone(),
                        value,
                    },
                    place,
                    byte,
                    is_zero: cell.value == InputValue::Bits(0),
                });
            }
        }
        runs::joined(&runs::zeros_at_once(set), |address, bytes| {
            Statement::AssignBytes { address, bytes }
        })
    }

    /// Sets a bit-field that C has no name for, or no name to write by.
    fn set_bits(&self, id: ObjectId, offset: i64, cell: &CellValue) -> Option<runs::Item> {
        let InputValue::Bits(bits) = cell.value else {
            return None;
        };
        let (address, first) = self.bits(id, offset)?;
        Some(runs::Item {
            statement: Statement::SetBits {
                address: address.clone(),
                first,
                width: cell.width,
                bits,
            },
            place: address,
            byte: None,
            is_zero: false,
        })
    }

    /// Whether an object is one that a function without a body was given.
    fn is_given(&self, object: ObjectId) -> bool {
        let root = &self.subject.space.object_data(object).root;
        matches!(root, Root::After { .. })
    }

    /// Whether a test can set the global: it has a C name that is visible in the tested unit.
    fn is_settable_global(&self, root: &Root) -> bool {
        let Root::Global(id) = root else { return false };
        self.subject.is_visible_global(*id)
    }

    /// The C text of a value.
    pub fn value(&self, cell: &CellValue) -> Option<String> {
        let text = self.untagged(cell)?;
        let tag = match cell.value {
            InputValue::Bits(_) | InputValue::Within(_) => 0,
            _ => self.graph.tag(cell.cell),
        };
        if tag == 0 {
            return Some(text);
        }
        let sum = format!("((__UINTPTR_TYPE__){text} + {tag})");
        Some(self.converted(cell.ty, &sum))
    }

    /// A value as one of a pointer or an integer type.
    fn converted(&self, ty: TypeId, text: &str) -> String {
        let types = self.subject.types;
        match path::nameable(types, ty) {
            true => format!("({}){text}", types.declare(ty, "")),
            false => format!("(void *){text}"),
        }
    }

    /// The C text of a value without what is added to it.
    fn untagged(&self, cell: &CellValue) -> Option<String> {
        let program = self.subject.program;
        match cell.value {
            InputValue::Bits(bits) => Some(literal::integer(
                self.subject.types,
                cell.ty,
                cell.width,
                bits,
            )),
            InputValue::Null => Some("NULL".to_owned()),
            InputValue::Fresh => {
                let target = *self.graph.pointees.get(&cell.cell)?;
                self.address(target, 0, cell.ty)
            }
            InputValue::Member { offset, .. } => {
                let target = *self.graph.pointees.get(&cell.cell)?;
                self.address(target, i64::try_from(offset).ok()?, cell.ty)
            }
            // Only the calls know these.
            InputValue::Alias { object, .. } if self.is_given(object) => None,
            InputValue::Kept => None,
            InputValue::Alias { object, offset } => self.address(object, offset, cell.ty),
            InputValue::Within(object) => {
                let size = self
                    .subject
                    .types
                    .size(self.subject.space.object_data(object).ty);
                let bytes = self
                    .graph
                    .distance(cell.cell)
                    .checked_mul(i64::try_from(size).ok()?);
                self.address(object, bytes?, cell.ty)
            }
            InputValue::Function(function) => {
                let name = &program.functions[function].name;
                let is_function =
                    |pointee| matches!(program.types.kind(pointee), Type::Function(_));
                let address = self.exports.function(function);
                match program.types.pointee(cell.ty) {
                    None => {
                        let number = format!("(__UINTPTR_TYPE__){}", address.unwrap_or(name));
                        return Some(self.converted(cell.ty, &number));
                    }
                    Some(pointee) if !is_function(pointee) => {
                        return Some(format!("(void *){}", address.unwrap_or(name)));
                    }
                    Some(_) => {}
                }
                let text = match self.exports.function(function) {
                    None => program.functions[function].name.clone(),
                    Some(address) => match path::nameable(self.subject.types, cell.ty) {
                        true => format!("({}){address}", self.subject.types.declare(cell.ty, "")),
                        false => format!("(void *){address}"),
                    },
                };
                Some(text)
            }
        }
    }
}

/// A pointer to a character is more often to a string than to one character.
pub(super) fn is_character(types: &Types, ty: TypeId) -> bool {
    matches!(types.kind(ty), Type::Int(int) if int.name.is_character())
}
