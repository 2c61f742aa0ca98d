//! The stage of one test: the variables that hold its inputs, and how C names their parts.

use std::collections::{BTreeMap, BTreeSet};

use ir::input::{InputValue, Root, Way};
use ir::test::TestCase;
use ir::{CellId, FunctionId, ObjectId, Type, TypeId, Types};

use super::exports::Exports;
use super::initializer::{Builder, Built, zeros};
use super::names::Names;
use super::objects;
use super::scene_values::is_character;
use super::spelling;
use super::wrap::wrap;
use crate::Subject;
use crate::graph::{CellValue, Graph, Object};
use ir::path;

/// Objects larger than this are `static`, so that no test overflows its stack.
pub(super) const LARGEST_ON_STACK: u64 = 1 << 16;

/// How an input object is stored in the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The variable or global.
    pub name: String,
    /// What names of objects behind its pointers begin with.
    pub stem: String,
    /// Its shape.
    pub shape: Shape,
    /// Type of the object, or of one element.
    pub ty: TypeId,
    /// Bytes in front of where the pointer to it points.
    pub before: u64,
    /// Whether it is declared `volatile`.
    pub volatile: bool,
}

impl Storage {
    /// How large it is.
    fn bytes(&self, types: &Types) -> u64 {
        match self.shape {
            Shape::Single => types.size(self.ty),
            Shape::Array(length) => length.saturating_mul(types.size(self.ty)),
            Shape::Raw(bytes) => bytes,
        }
    }
}

/// What stands in front of the declaration of so large a variable.
fn storage_class(bytes: u64) -> &'static str {
    match bytes > LARGEST_ON_STACK {
        true => "static ",
        false => "",
    }
}

/// The shape of a [`Storage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One object of the type.
    Single,
    /// So many elements of the type.
    Array(u64),
    /// So many bytes, where the type has no name or does not divide the extent.
    Raw(u64),
}

/// The variables of one test, in the making.
pub struct Scene<'a> {
    /// What is tested.
    pub subject: &'a Subject<'a>,
    /// What other units export.
    pub exports: &'a Exports,
    /// The objects and their values.
    pub graph: Graph,
    /// Names that are taken.
    pub names: Names<'a>,
    /// Where objects are stored.
    pub storages: BTreeMap<ObjectId, Storage>,
    /// Declarations, in order.
    pub declarations: Vec<String>,
    /// Values that their object's declaration could not hold: object, offset in bits, value.
    pub(super) late: Vec<(ObjectId, i64, CellValue)>,
    open: BTreeSet<ObjectId>,
    /// Objects that the tested code frees, and that malloc has to make.
    freed: BTreeSet<ObjectId>,
    /// See [`TestCase::moved`].
    moved: BTreeMap<ObjectId, Vec<i64>>,
    /// What objects behind pointers are aligned to at least, in bytes.
    alignment: u64,
}

impl<'a> Scene<'a> {
    /// The empty stage of a test.
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
            let declared = spelling::declare(types, ty, &name).unwrap_or_default();
            self.declarations.push(format!("static {declared};"));
            return name;
        }
        let declared = path::declare(types, ty, &name).unwrap_or_else(|| format!("void *{name}"));
        let text = text.unwrap_or_else(|| self.default_value(ty));
        let prefix = storage_class(types.size(ty));
        self.declarations
            .push(wrap(&format!("{prefix}{declared} = {text};")));
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
        let is_static = self
            .storages
            .get(&id)
            .is_some_and(|storage| !storage_class(storage.bytes(self.subject.types)).is_empty());
        // The initialiser of a static object holds constants only.
        let is_constant = |cell: &&CellValue| {
            matches!(cell.value, InputValue::Bits(_) | InputValue::Null)
                && self.graph.tag(cell.cell) == 0
        };
        let early: BTreeMap<CellId, String> = object
            .cells
            .values()
            .filter(|cell| self.is_ready(cell, id))
            .filter(|cell| !is_static || is_constant(cell))
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
            // What is on the heap has no address before it is made.
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

    /// The way of a call to an object, with its offsets in the test.
    pub(super) fn way_here(&self, id: ObjectId, way: &Way) -> Way {
        let moved = self.moved.get(&id);
        Way {
            start: way.start.clone(),
            offsets: moved.unwrap_or(&way.offsets).clone(),
        }
    }

    /// Declares the object behind a pointer, after those that it points to.
    pub(super) fn declare_pointee(&mut self, id: ObjectId) {
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
        let is_full = u8::from(values.any(|value| value == InputValue::Bits(1)));
        let made = match is_folder {
            true => "attest@folder()".to_owned(),
            false => format!("attest@stream({is_full})"),
        };
        let declared = types.declare(object.ty, &format!("*{name}"));
        self.declarations.push(format!("{declared} = {made};"));
    }

    /// Declares a variable for an input that the code declares itself, as far as its cells go.
    pub fn declare_declared(&mut self, id: ObjectId, wanted: &str) -> Option<String> {
        let object = self.graph.objects.get(&id).cloned()?;
        let shape = self.shape(id, &object);
        let name = self.names.fresh(wanted);
        self.declare_object(id, &object, shape, name.clone(), name.clone());
        Some(name)
    }

    /// Declares what a call of a function without a body writes to an object, as an image of the object;
    /// the address in it that cells are counted from.
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
            self.heap_declaration(id, &name, shape, &text)
        } else {
            format!("{} = {text};", self.declarator(id, &storage))
        };
        self.declarations.push(wrap(&declaration));
    }

    /// Declares a pointer to an object that malloc makes, since the tested code frees it.
    fn heap_declaration(&self, id: ObjectId, name: &str, shape: Shape, text: &str) -> String {
        let element = match shape {
            Shape::Raw(_) => None,
            Shape::Single | Shape::Array(_) => self.type_name(id, 0),
        };
        let element = element.unwrap_or_else(|| "unsigned char".to_owned());
        // Behind `__typeof__`, any type can be followed by a declarator.
        let element = match element.contains(['(', '[']) {
            true => format!("__typeof__({element})"),
            false => element,
        };
        let is_list = text.starts_with('{');
        let (object, size) = match shape {
            Shape::Single if is_list => (format!("&({element}){text}"), String::new()),
            Shape::Single => (format!("&({element}){{{text}}}"), String::new()),
            Shape::Array(length) | Shape::Raw(length) if is_list => (
                format!("({element}[{length}]){text}"),
                format!(" * {length}"),
            ),
            Shape::Array(length) | Shape::Raw(length) => (
                format!("({element}[{length}]){{{text}}}"),
                format!(" * {length}"),
            ),
        };
        format!("{element} *{name} = attest@on_heap({object}, sizeof({element}){size});")
    }

    /// How an object behind a pointer is stored, from its extent; without one, as far as its cells
    /// go.
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
        // What lies behind the first object of such a type is its own array.
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
            (true, Shape::Single) => format!("{stem}_object"),
            (true, _) => format!("{stem}_data"),
        };
        (self.names.fresh(&wanted), stem)
    }

    /// The name of the parameter that an object is.
    fn parameter_name(&self, id: ObjectId) -> Option<String> {
        let Root::Parameter(index) = self.subject.space.object_data(id).root else {
            return None;
        };
        let names = &self.subject.function().parameter_names;
        names.get(index as usize).cloned().flatten()
    }

    fn declarator(&self, id: ObjectId, storage: &Storage) -> String {
        let types = self.subject.types;
        let declarator = match storage.shape {
            Shape::Single => storage.name.clone(),
            Shape::Array(length) | Shape::Raw(length) => format!("{}[{length}]", storage.name),
        };
        let prefix = storage_class(storage.bytes(types));
        // What is added to the pointer counts from such an address, and so does where the object lies.
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
        let aligned = match own < wanted {
            true => format!(" __attribute__((__aligned__({wanted})))"),
            false => String::new(),
        };
        let declared = match storage.shape {
            Shape::Raw(_) => format!("unsigned char {declarator}"),
            _ if path::nameable(types, storage.ty) => types.declare(storage.ty, &declarator),
            _ => format!(
                "{} {declarator}",
                self.type_name(id, 0).unwrap_or_else(|| "char".to_owned())
            ),
        };
        format!("{prefix}{declared}{aligned}")
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
                // What points to it may be declared as a pointer to something else, such as `void`.
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
