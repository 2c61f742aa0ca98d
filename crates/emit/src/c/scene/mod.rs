//! The scene of one test: the variables that hold its inputs, and how C names their parts.

mod place;
mod pointees;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use ir::input::{AccessPath, InputValue, Root};
use ir::test::TestCase;
use ir::{CellId, FunctionId, ObjectId, Type, TypeId};

use super::exports::Exports;
use super::initializer::{Builder, Built};
use super::names::Names;
use super::objects;
use super::spelling;
use super::storage::{Shape, Storage, is_static};
use crate::Subject;
use crate::graph::{CellValue, Graph};
use crate::test_program::Declaration;
use ir::path;

/// The variables of one test, in the making.
pub struct Scene<'a> {
    /// The tested program.
    pub subject: &'a Subject<'a>,
    /// The exports of other units.
    pub exports: &'a Exports,
    /// The objects and their values.
    pub graph: Graph,
    /// Names that are taken.
    pub names: Names<'a>,
    /// Where objects are stored.
    pub storages: BTreeMap<ObjectId, Storage>,
    /// Declarations, in order.
    pub declarations: Vec<Declaration>,
    /// Values that their object's declaration could not hold: object, offset in bits, value.
    pub(super) late: Vec<(ObjectId, i64, CellValue)>,
    open: BTreeSet<ObjectId>,
    /// Objects that the tested code frees, and that malloc has to make.
    freed: BTreeSet<ObjectId>,
    /// See [`TestCase::moved`].
    moved: BTreeMap<ObjectId, Vec<i64>>,
    /// The least alignment of objects that pointers point to, in bytes.
    alignment: u64,
}

impl<'a> Scene<'a> {
    /// The scene of a test, with its globals alone.
    pub fn new(
        subject: &'a Subject<'a>,
        exports: &'a Exports,
        names: &'a Names<'a>,
        test: &TestCase,
    ) -> Self {
        let mut scene = Scene {
            subject,
            exports,
            graph: Graph::new(subject.space, test),
            names: names.inside(),
            storages: BTreeMap::new(),
            declarations: Vec::new(),
            late: Vec::new(),
            open: BTreeSet::new(),
            freed: test.freed.clone(),
            moved: test.moved.clone(),
            alignment: subject.program.assumed_alignment(),
        };
        scene.place_globals();
        scene
    }

    /// Globals have their storage already.
    fn place_globals(&mut self) {
        for (id, object) in self.subject.space.objects() {
            if let Root::Global(global) = object.root {
                let (name, shape) = objects::global_access(self.subject, self.exports, global);
                self.storages.insert(
                    id,
                    Storage {
                        stem: self.subject.program.globals[global].name.clone(),
                        name,
                        shape,
                        ty: object.ty,
                        before: 0,
                        volatile: self.subject.program.globals[global].volatile,
                    },
                );
            }
        }
    }

    /// Declares a variable for an object that is passed by value, such as a parameter.
    pub fn declare_value(&mut self, wanted: &str, id: Option<ObjectId>, ty: TypeId) -> String {
        let name = self.names.fresh(wanted);
        let types = self.subject.types;
        let text = match id {
            Some(id) => {
                self.storages.insert(
                    id,
                    Storage {
                        name: name.clone(),
                        stem: name.clone(),
                        shape: Shape::Single,
                        ty,
                        before: 0,
                        volatile: false,
                    },
                );
                self.initializer(id, ty)
            }
            None => None,
        };
        if matches!(types.kind(ty), Type::Unsupported(_)) {
            // Nothing but an initial value of all zeros is known of it.
            self.declarations.push(Declaration::Variable {
                is_static: true,
                declared: spelling::declare(types, ty, &name).unwrap_or_default(),
                aligned: None,
                value: None,
            });
            return name;
        }
        let declared = path::declare(types, ty, &name).unwrap_or_else(|| format!("void *{name}"));
        let text = text.unwrap_or_else(|| self.default_value(ty));
        self.declarations.push(Declaration::Variable {
            is_static: is_static(types.size(ty)),
            declared,
            aligned: None,
            value: Some(text),
        });
        name
    }

    fn default_value(&self, ty: TypeId) -> String {
        let no_cells = BTreeMap::new();
        let builder = Builder {
            types: self.subject.types,
            cells: &no_cells,
            render: &|_| None,
        };
        builder.default_text(ty)
    }

    /// The initialiser of an object whose storage is known; what it points to is declared first,
    /// what it cannot hold becomes assignments.
    pub fn initializer(&mut self, id: ObjectId, ty: TypeId) -> Option<String> {
        let built = self.build(id, |builder| builder.build(ty, 0));
        built.text
    }

    fn build(&mut self, id: ObjectId, make: impl FnOnce(&Builder<'_>) -> Built) -> Built {
        let Some(object) = self.graph.objects.get(&id).cloned() else {
            return Built::default();
        };
        self.open.insert(id);
        for cell in object.cells.values() {
            self.declare_target(cell);
        }
        self.open.remove(&id);
        let is_static_object = self
            .storages
            .get(&id)
            .is_some_and(|storage| is_static(storage.bytes(self.subject.types)));
        // The initialiser of a static object holds constants only.
        let is_constant = |cell: &&CellValue| {
            matches!(cell.value, InputValue::Bits(_) | InputValue::Null)
                && self.graph.tag(cell.cell) == 0
        };
        let early: BTreeMap<CellId, String> = object
            .cells
            .values()
            .filter(|cell| self.is_ready(cell, id))
            .filter(|cell| !is_static_object || is_constant(cell))
            .filter_map(|cell| Some((cell.cell, self.value(cell)?)))
            .collect();
        let built = make(&Builder {
            types: self.subject.types,
            cells: &object.cells,
            render: &|cell| early.get(&cell.cell).cloned(),
        });
        for (offset, cell) in &object.cells {
            if !built.used.contains(offset) {
                self.late.push((id, *offset, *cell));
            }
        }
        built
    }

    /// Declares the objects that a value refers to, unless they are being declared.
    pub(super) fn declare_target(&mut self, cell: &CellValue) {
        match cell.value {
            InputValue::Fresh | InputValue::Member { .. } => {
                if let Some(&target) = self.graph.pointees.get(&cell.cell) {
                    self.declare_pointee(target);
                }
            }
            InputValue::Alias { object, .. } | InputValue::Within(object) => {
                self.declare_pointee(object);
            }
            _ => {}
        }
    }

    /// Whether the objects that a value refers to are declared, itself included.
    fn is_ready(&self, cell: &CellValue, id: ObjectId) -> bool {
        let target = match cell.value {
            InputValue::Alias { object, .. } | InputValue::Within(object) => Some(object),
            InputValue::Fresh | InputValue::Member { .. } => {
                self.graph.pointees.get(&cell.cell).copied()
            }
            _ => None,
        };
        target.is_none_or(|object| {
            // An object on the heap has no address before it is allocated.
            match object == id {
                true => !self.freed.contains(&id),
                false => self.storages.contains_key(&object) && !self.open.contains(&object),
            }
        })
    }

    /// The value that the `nth` call of a function without a body returns.
    pub fn result_value(
        &mut self,
        id: Option<ObjectId>,
        ty: TypeId,
        function: FunctionId,
        nth: u32,
    ) -> String {
        let Some(id) = id else {
            return self.default_value(ty);
        };
        let name = &self.subject.program.functions[function].name;
        self.storages.insert(
            id,
            Storage {
                name: format!("{name}_results[{nth}]"),
                stem: format!("{name}_{nth}"),
                shape: Shape::Single,
                ty,
                before: 0,
                volatile: false,
            },
        );
        self.initializer(id, ty)
            .unwrap_or_else(|| self.default_value(ty))
    }

    /// Whether a test can look at the object after the call: it is not passed by value or part of
    /// the unit's own variables.
    pub fn is_observable(&self, id: ObjectId) -> bool {
        let object = self.subject.space.object_data(id);
        match object.root {
            Root::Pointee(_) => true,
            Root::Global(global) => self.subject.is_visible_global(global),
            _ => false,
        }
    }

    /// The access path of a call to an object, with its offsets in the test.
    pub(super) fn path_here(&self, id: ObjectId, path: &AccessPath) -> AccessPath {
        let moved = self.moved.get(&id);
        AccessPath {
            start: path.start.clone(),
            offsets: moved.unwrap_or(&path.offsets).clone(),
        }
    }
}
