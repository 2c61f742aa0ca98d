//! The writes of functions without a body, call by call: tables that their stubs follow.
//!
//! The bytes that a call writes to an object stand in a variable of the test, an image of the
//! object; the table says which of its bits are written, and how the stub gets to the object.

use std::collections::{BTreeMap, BTreeSet};

use ir::input::{AccessPath, AccessStart, InputValue, Root};
use ir::library::returned_argument;
use ir::path;
use ir::{ERRNO_OF_MODELS, FloatName, FunctionId, GlobalId, ObjectId, Origin, Type, TypeId, Types};

use super::objects;
use super::scene::Scene;
use crate::graph::CellValue;
use crate::test_program::{Change, ChangeStart, Declaration, Effect, Statement};
use crate::{Subject, Tested};

/// The functions that write something in one of the tests.
pub fn functions(tested: &Tested<'_>) -> BTreeSet<FunctionId> {
    let subject = &tested.subject;
    let mut found = BTreeSet::new();
    for test in tested.tests {
        for (&cell, value) in &test.inputs.values {
            if let InputValue::Alias { object, .. } = *value {
                add_kept(subject, object, &mut found);
            }
            let object = subject.space.cell_data(cell).object;
            match subject.space.object_data(object).root {
                Root::After { function, .. } => {
                    found.insert(function);
                    add_kept(subject, object, &mut found);
                }
                Root::Result { function, .. } if *value == InputValue::Kept => {
                    found.insert(function);
                }
                _ => {}
            }
            if let InputValue::Alias { object, .. } = *value
                && is_after(subject, object)
                && let Some(function) = subject.space.function_behind(cell)
            {
                found.insert(function);
            }
        }
    }
    found
}

/// Adds the functions in whose calls the address of an object has to be kept.
fn add_kept(subject: &Subject<'_>, object: ObjectId, found: &mut BTreeSet<FunctionId>) {
    if let Root::After { function, path, .. } = &subject.space.object_data(object).root {
        found.insert(*function);
        if let AccessStart::Kept(before) = path.start {
            add_kept(subject, before, found);
        }
    }
}

fn is_after(subject: &Subject<'_>, object: ObjectId) -> bool {
    matches!(subject.space.object_data(object).root, Root::After { .. })
}

/// The tables, by function and call.
#[derive(Default)]
struct Tables {
    /// A kept pointer comes before its uses.
    changes: BTreeMap<FunctionId, BTreeMap<u32, Vec<Change>>>,
    /// The variables that take addresses.
    places: BTreeMap<ObjectId, String>,
}

impl Tables {
    fn add(&mut self, function: FunctionId, change: Change) {
        let calls = self.changes.entry(function).or_default();
        calls.entry(change.call).or_default().push(change);
    }
}

/// Declares what functions without a body write. Returns the statements that hand it to their
/// stubs.
pub fn declare(scene: &mut Scene<'_>) -> Vec<Statement> {
    let mut tables = Tables::default();
    let objects: Vec<ObjectId> = scene.graph.objects.keys().copied().collect();
    for &id in &objects {
        if let Root::After { path, .. } = &scene.subject.space.object_data(id).root
            && let AccessStart::Object(start) = path.start
        {
            scene.declare_pointee(start);
        }
    }
    for &id in &objects {
        let cells: Vec<CellValue> = scene.graph.objects[&id].cells.values().copied().collect();
        for cell in cells {
            if let InputValue::Alias { object, .. } = cell.value
                && is_after(scene.subject, object)
            {
                keep(scene, object, &mut tables);
            }
        }
        if let Root::After { path, .. } = &scene.subject.space.object_data(id).root
            && let AccessStart::Kept(before) = path.start
        {
            keep(scene, before, &mut tables);
        }
    }
    for id in objects {
        write_object(scene, id, &mut tables);
        write_addresses(scene, id, &mut tables);
    }
    let mut steps = Vec::new();
    for (id, calls) in tables.changes {
        let function = scene.subject.program.functions[id].name.clone();
        let table = scene.names.fresh(&format!("{function}_changes"));
        scene.declarations.push(Declaration::Changes {
            table: table.clone(),
            changes: calls.into_values().flatten().collect(),
        });
        steps.push(Statement::GiveChanges { function, table });
    }
    steps
}

/// Has a call keep the address of an object that it was given.
fn keep(scene: &mut Scene<'_>, object: ObjectId, tables: &mut Tables) {
    if tables.places.contains_key(&object) {
        return;
    }
    let Root::After {
        function,
        nth,
        path,
    } = scene.subject.space.object_data(object).root.clone()
    else {
        return;
    };
    if let AccessStart::Kept(before) = path.start {
        keep(scene, before, tables);
    }
    let called = &scene.subject.program.functions[function].name;
    let name = scene.names.fresh(&format!("{called}_{nth}_place"));
    scene.declarations.push(Declaration::Variable {
        is_static: false,
        declared: format!("void *{name}"),
        aligned: None,
        value: Some("NULL".to_owned()),
    });
    tables.places.insert(object, name.clone());
    let path = scene.path_here(object, &path);
    if let Some(start) = start(scene, &path, tables) {
        let change = Change {
            call: nth,
            start,
            path: path.offsets,
            effect: Effect::Keep(name),
        };
        tables.add(function, change);
    }
}

/// Where the access path to an object that a call writes begins.
fn start(scene: &Scene<'_>, path: &AccessPath, tables: &Tables) -> Option<ChangeStart> {
    Some(match &path.start {
        AccessStart::Argument(index) => ChangeStart::Argument(*index),
        AccessStart::Rest(types) => ChangeStart::Rest(kinds(&scene.subject.program.types, types)),
        AccessStart::Global(global) => ChangeStart::Object(global_address(scene, *global)),
        AccessStart::Object(object) => ChangeStart::Object(scene.origin(*object)?),
        AccessStart::Kept(object) => ChangeStart::Kept(tables.places.get(object)?.clone()),
    })
}

fn global_address(scene: &Scene<'_>, id: GlobalId) -> String {
    let program = scene.subject.program;
    let global = &program.globals[id];
    if program.units[global.unit].origin == Origin::Model && global.name == ERRNO_OF_MODELS {
        return "attest@errno()".to_owned();
    }
    let (name, _) = objects::global_access(scene.subject, scene.exports, id);
    match name.starts_with("((unsigned char *)") {
        true => name,
        false => format!("&{name}"),
    }
}

/// The kinds of the arguments that `...` stands for.
fn kinds(types: &Types, arguments: &[TypeId]) -> String {
    let kind = |&ty: &TypeId| match types.kind(ty) {
        Type::Pointer { .. } => 'p',
        Type::Float(FloatName::Double) => 'd',
        Type::Float(_) => 'D',
        _ if types.size(ty) > 4 => 'l',
        _ => 'i',
    };
    arguments.iter().map(kind).collect()
}

/// An image of an object after a call wrote to it, and the parts that the call wrote.
fn write_object(scene: &mut Scene<'_>, id: ObjectId, tables: &mut Tables) {
    let Root::After {
        function,
        nth,
        path,
    } = scene.subject.space.object_data(id).root.clone()
    else {
        return;
    };
    let called = scene.subject.program.functions[function].name.clone();
    let wanted = match &path.start {
        AccessStart::Argument(index) => {
            scene.subject.program.functions[function].argument_name(*index as usize)
        }
        AccessStart::Global(global) => scene.subject.program.globals[*global].name.clone(),
        AccessStart::Object(object) => {
            let storage = scene.storages.get(object);
            storage.map_or("object".to_owned(), |storage| storage.stem.clone())
        }
        AccessStart::Rest(types) => format!("{}", types.len()),
        AccessStart::Kept(_) => "object".to_owned(),
    };
    let runs = runs(scene, id);
    if runs.is_empty() {
        return;
    }
    let Some(image) = scene.declare_image(id, &format!("{called}_{nth}_{wanted}")) else {
        return;
    };
    let path = scene.path_here(id, &path);
    let Some(start) = start(scene, &path, tables) else {
        return;
    };
    for (first, bits) in runs {
        let image = image.clone();
        let change = Change {
            call: nth,
            start: start.clone(),
            path: path.offsets.clone(),
            effect: Effect::Write { first, bits, image },
        };
        tables.add(function, change);
    }
}

/// The bits of an object that a call writes as its image says: the first, and how many.
fn runs(scene: &Scene<'_>, id: ObjectId) -> Vec<(i64, i64)> {
    let types = &scene.subject.program.types;
    let object = &scene.graph.objects[&id];
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for (&first, cell) in &object.cells {
        let is_in_image = match cell.value {
            InputValue::Kept => false,
            InputValue::Alias { object, .. } => !is_after(scene.subject, object),
            _ => true,
        };
        if !is_in_image {
            continue;
        }
        let bits = match path::is_bit_field(types, object.ty, first, (cell.ty, cell.width)) {
            true => i64::from(cell.width),
            false => types.size(cell.ty) as i64 * 8,
        };
        match runs.last_mut() {
            Some((start, before)) if *start + *before == first => *before += bits,
            _ => runs.push((first, bits)),
        }
    }
    runs
}

/// The writes of a call to objects of its own, and the pointers to these that it returns.
fn write_addresses(scene: &Scene<'_>, id: ObjectId, tables: &mut Tables) {
    let subject = scene.subject;
    for (&first, cell) in &scene.graph.objects[&id].cells {
        let root = &subject.space.object_data(id).root;
        let effect = match cell.value {
            InputValue::Kept => match root {
                Root::Result { function, .. } => {
                    let name = &subject.program.functions[*function].name;
                    let argument = returned_argument(name);
                    Effect::ReturnArgument { first, argument }
                }
                _ => continue,
            },
            InputValue::Alias { object, offset } if is_after(subject, object) => {
                let Some(place) = tables.places.get(&object).cloned() else {
                    continue;
                };
                Effect::WriteKept {
                    first,
                    place,
                    offset,
                }
            }
            _ => continue,
        };
        let Some((function, call)) = call_behind(subject, id) else {
            continue;
        };
        let (start, path) = match root {
            Root::Result { .. } => (Some(ChangeStart::Result), vec![0]),
            Root::After { path, .. } => {
                let path = scene.path_here(id, path);
                (start(scene, &path, tables), path.offsets)
            }
            _ => {
                let here = AccessPath {
                    start: AccessStart::Object(id),
                    offsets: vec![0],
                };
                (start(scene, &here, tables), here.offsets)
            }
        };
        if let Some(start) = start {
            let change = Change {
                call,
                start,
                path,
                effect,
            };
            tables.add(function, change);
        }
    }
}

/// The call that gave the pointer to an object.
fn call_behind(subject: &Subject<'_>, id: ObjectId) -> Option<(FunctionId, u32)> {
    match &subject.space.object_data(id).root {
        Root::Result { function, nth } | Root::After { function, nth, .. } => {
            Some((*function, *nth))
        }
        Root::Pointee(pointer) => call_behind(subject, subject.space.cell_data(*pointer).object),
        _ => None,
    }
}
