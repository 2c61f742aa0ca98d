//! Declares objects that pointers point to, and others that have variables of their own.

use ir::input::{InputValue, Root};
use ir::{CellId, ObjectId, TypeId, Types};

use super::Scene;
use super::values::is_character;
use crate::c::initializer::{Built, zeros};
use crate::c::storage::{Shape, Storage, is_static};
use crate::graph::Object;
use crate::test_program::Declaration;
use ir::path;

/// A word for objects of a record type, from its name: `entry` from `struct entry`, `entry_t` or
/// `Entry`.
fn name_of_type(types: &Types, ty: TypeId) -> Option<String> {
    let name = types.record(ty)?.name.as_deref()?;
    let tag = name.rsplit(' ').next()?;
    let tag = tag.trim_start_matches('_');
    let stem = tag.strip_suffix("_t").or_else(|| tag.strip_suffix("_s"));
    let mut word = String::new();
    let mut was_small = false;
    for c in stem.unwrap_or(tag).chars() {
        if c.is_ascii_uppercase() && was_small {
            word.push('_');
        }
        was_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        word.push(c.to_ascii_lowercase());
    }
    (word.len() > 1).then_some(word)
}

impl Scene<'_> {
    /// Declares the object that a pointer points to, after those that the object points to.
    pub(in crate::c) fn declare_pointee(&mut self, id: ObjectId) {
        if self.storages.contains_key(&id) || self.open.contains(&id) {
            return;
        }
        let Some(object) = self.graph.objects.get(&id).cloned() else {
            return;
        };
        let Root::Pointee(cell) = object.root else {
            return;
        };
        // The object that holds the pointer gives this one its name, and may declare it.
        self.declare_pointee(self.subject.space.cell_data(cell).object);
        if self.storages.contains_key(&id) {
            return;
        }
        if self.subject.program.types.is_library_object(object.ty) {
            self.declare_library_object(id, &object, cell);
            return;
        }
        let shape = self.shape(id, &object);
        let (name, stem) = self.name_pointee(cell, shape);
        self.declare_object(id, &object, shape, name, stem);
    }

    /// Has the C library make an object of its own, such as a stream.
    fn declare_library_object(&mut self, id: ObjectId, object: &Object, cell: CellId) {
        let types = self.subject.types;
        let (name, stem) = self.name_pointee(cell, Shape::Single);
        self.storages.insert(
            id,
            Storage {
                name: format!("(*{name})"),
                stem,
                shape: Shape::Single,
                ty: object.ty,
                before: 0,
                volatile: false,
            },
        );
        let record = types.record(object.ty);
        let is_folder = record.and_then(|record| record.name.as_deref());
        let is_folder = is_folder.is_some_and(|name| name.ends_with("dirstream"));
        let mut values = object.cells.values().map(|cell| cell.value);
        let is_full = values.any(|value| value == InputValue::Bits(1));
        let declared = types.declare(object.ty, &format!("*{name}"));
        self.declarations.push(match is_folder {
            true => Declaration::Folder { declared },
            false => Declaration::Stream { declared, is_full },
        });
    }

    /// Declares a variable for an input that the code declares itself, as far as its cells go.
    pub fn declare_declared(&mut self, id: ObjectId, wanted: &str) -> Option<String> {
        let object = self.graph.objects.get(&id).cloned()?;
        let shape = self.shape(id, &object);
        let name = self.names.fresh(wanted);
        self.declare_object(id, &object, shape, name.clone(), name.clone());
        Some(name)
    }

    /// Declares what a call of a function without a body writes to an object, as an image of the
    /// object; the address in it that cells are counted from.
    pub fn declare_image(&mut self, id: ObjectId, wanted: &str) -> Option<String> {
        let object = self.graph.objects.get(&id).cloned()?;
        let shape = self.shape(id, &object);
        let name = self.names.fresh(wanted);
        self.declare_object(id, &object, shape, name.clone(), name);
        self.origin(id)
    }

    fn declare_object(
        &mut self,
        id: ObjectId,
        object: &Object,
        shape: Shape,
        name: String,
        stem: String,
    ) {
        let on_heap = self.freed.contains(&id);
        let storage = Storage {
            name: match shape {
                Shape::Single if on_heap => format!("(*{name})"),
                _ => name.clone(),
            },
            stem,
            shape,
            ty: object.ty,
            before: object.extent.before,
            volatile: false,
        };
        self.storages.insert(id, storage.clone());
        let before = (storage.before * 8) as i64;
        let built = self.build(id, |builder| match storage.shape {
            Shape::Single => builder.build(storage.ty, 0),
            Shape::Array(length) => builder.array(storage.ty, length, -before),
            Shape::Raw(_) => Built::default(),
        });
        let text = built.text.unwrap_or_else(|| match storage.shape {
            Shape::Single => self.default_value(storage.ty),
            Shape::Array(_) => zeros(self.subject.types, storage.ty).to_owned(),
            Shape::Raw(_) => "{0}".to_owned(),
        });
        let declaration = if on_heap {
            self.heap_declaration(id, name, shape, text)
        } else {
            self.variable(id, &storage, text)
        };
        self.declarations.push(declaration);
    }

    /// Declares a pointer to an object that malloc makes, since the tested code frees it.
    fn heap_declaration(
        &self,
        id: ObjectId,
        name: String,
        shape: Shape,
        value: String,
    ) -> Declaration {
        let (element, count) = match shape {
            Shape::Raw(bytes) => (None, Some(bytes)),
            Shape::Single => (self.type_name(id, 0), None),
            Shape::Array(length) => (self.type_name(id, 0), Some(length)),
        };
        let element = element.unwrap_or_else(|| "unsigned char".to_owned());
        // After `__typeof__`, any type can be followed by a declarator.
        let element = match element.contains(['(', '[']) {
            true => format!("__typeof__({element})"),
            false => element,
        };
        Declaration::OnHeap {
            name,
            element,
            count,
            value,
        }
    }

    /// How an object that a pointer points to is stored, from its extent; without one, as far as
    /// its cells go.
    fn shape(&self, id: ObjectId, object: &Object) -> Shape {
        let types = self.subject.types;
        let size = types.size(object.ty);
        let extent = object.extent;
        let mut bytes = extent.before + extent.after;
        if bytes == 0 {
            let end = object.cells.iter().next_back();
            let used = end.map_or(0, |(offset, cell)| offset + i64::from(cell.width));
            bytes = u64::try_from(used).unwrap_or(0).div_ceil(8).max(size);
            bytes = bytes.next_multiple_of(size.max(1));
        }
        let whole = size > 0 && bytes.is_multiple_of(size) && extent.before.is_multiple_of(size);
        // The bytes after the first object of such a type are its own array.
        let is_one = bytes == size && extent.before == 0;
        let whole = whole && (is_one || types.flexible_member(object.ty).is_none());
        if !whole || self.type_name(id, 0).is_none() {
            Shape::Raw(bytes.max(1))
        } else if bytes == size && extent.before == 0 && !is_character(types, object.ty) {
            Shape::Single
        } else {
            Shape::Array(bytes / size)
        }
    }

    fn name_pointee(&mut self, cell: CellId, shape: Shape) -> (String, String) {
        let data = self.subject.space.cell_data(cell);
        let parent = self.storages.get(&data.object).cloned();
        let stem = parent.as_ref().map(|parent| parent.stem.clone());
        let stem = stem.or_else(|| self.parameter_name(data.object));
        let stem = stem.unwrap_or_else(|| "object".to_owned());
        let path = self
            .place(data.object, data.offset_bits, data.ty, data.width)
            .zip(parent.as_ref())
            .and_then(|(place, parent)| place.strip_prefix(&parent.name).map(str::to_owned))
            .unwrap_or_default();
        let stem = format!("{stem}{path}");
        let wanted = match (path.is_empty(), shape) {
            (false, _) => stem.clone(),
            (true, Shape::Single) => self.name_single(cell, &stem),
            (true, _) => format!("{stem}_data"),
        };
        (self.names.fresh(&wanted), stem)
    }

    /// The name of the only object behind a pointer: that of its type if no other object has it.
    fn name_single(&self, cell: CellId, stem: &str) -> String {
        let types = self.subject.types;
        let pointee = self.graph.pointees.get(&cell);
        let object = pointee.and_then(|id| self.graph.objects.get(id));
        let name = object.and_then(|object| name_of_type(types, object.ty));
        // The pointers are declared after what they point to.
        let function = self.subject.function();
        let mut parameters = (0..function.parameters.len()).map(|at| function.argument_name(at));
        match name {
            Some(name) if self.names.is_free(&name) && !parameters.any(|it| it == name) => name,
            Some(name) if !stem.contains(&name) && !name.contains(stem) => {
                format!("{stem}_{name}")
            }
            _ => format!("{stem}_object"),
        }
    }

    /// The name of the parameter that an object is.
    fn parameter_name(&self, id: ObjectId) -> Option<String> {
        let Root::Parameter(index) = self.subject.space.object_data(id).root else {
            return None;
        };
        let name = self.subject.function().parameter_name(index as usize);
        name.map(str::to_owned)
    }

    /// Declares an object of its own.
    fn variable(&self, id: ObjectId, storage: &Storage, value: String) -> Declaration {
        let types = self.subject.types;
        let declarator = match storage.shape {
            Shape::Single => storage.name.clone(),
            Shape::Array(length) | Shape::Raw(length) => format!("{}[{length}]", storage.name),
        };
        // The offset that is added to the pointer counts from such an address, and so does the
        // place of the object.
        let is_tagged = match self.subject.space.object_data(id).root {
            Root::Pointee(pointer) => {
                self.graph.is_tagged(pointer) || self.graph.is_placed(pointer)
            }
            _ => false,
        };
        let (own, wanted) = match storage.shape {
            Shape::Raw(_) => (1, 16),
            _ if is_tagged => (types.align(storage.ty), 16),
            _ => (types.align(storage.ty), 1),
        };
        let wanted = self.alignment.max(wanted);
        let declared = match storage.shape {
            Shape::Raw(_) => format!("unsigned char {declarator}"),
            _ if path::nameable(types, storage.ty) => types.declare(storage.ty, &declarator),
            _ => format!(
                "{} {declarator}",
                self.type_name(id, 0).unwrap_or_else(|| "char".to_owned())
            ),
        };
        Declaration::Variable {
            is_static: is_static(storage.bytes(types)),
            declared,
            aligned: (own < wanted).then_some(wanted),
            value: Some(value),
        }
    }

    /// An expression for the type of an object; where the type has no name, through what points to
    /// it.
    fn type_name(&self, id: ObjectId, depth: u32) -> Option<String> {
        let types = self.subject.types;
        let object = self.subject.space.object_data(id);
        if path::nameable(types, object.ty) {
            return Some(types.declare(object.ty, ""));
        }
        if types
            .record(object.ty)
            .is_some_and(|record| !record.complete)
        {
            return None;
        }
        match object.root {
            Root::Global(_) => match self.storages.get(&id)? {
                Storage {
                    shape: Shape::Raw(_),
                    ..
                } => None,
                storage => Some(format!("__typeof__({})", storage.name)),
            },
            // A chain of nameless types that long does not come from a person.
            Root::Pointee(cell) if depth < 8 => {
                let data = self.subject.space.cell_data(cell);
                let parent = self.subject.space.object_data(data.object);
                let offset = u64::try_from(data.offset_bits).ok()?;
                let stride = types.size(parent.ty).checked_mul(8).filter(|&s| s > 0)?;
                // A pointer to it may be declared as a pointer to something else, such as `void`.
                let part = path::find(types, parent.ty, offset % stride, &|part| {
                    types.pointee(part.ty) == Some(object.ty)
                })?;
                let parent = self.type_name(data.object, depth + 1)?;
                Some(format!("__typeof__(*(*({parent} *)0){})", part.path))
            }
            _ => None,
        }
    }
}
