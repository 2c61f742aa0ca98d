//! The arguments of functions without a body, call by call: tables that their stubs check.
//!
//! A stub gets to what an argument points to by offsets, as it does to what it changes; a row of
//! the table names the scalar as the tested code's author would.

use std::collections::BTreeSet;

use ir::input::Root;
use ir::library::may_end_program;
use ir::test::{Observation, Observed, Outcome, TestCase};
use ir::{FunctionId, GlobalId, ObjectId, TypeId};

use super::objects;
use super::renaming::is_renamed;
use super::scene::Scene;
use super::spelling;
use super::storage::Storage;
use crate::given::expected;
use crate::test_program::{Check, Declaration, Statement};
use crate::{Subject, Tested};

/// The functions whose stubs check their arguments in one of the tests.
pub fn functions(tested: &Tested<'_>) -> BTreeSet<FunctionId> {
    let Tested { subject, tests } = tested;
    let tests = tests.iter().filter(|test| is_checked(test));
    let called = tests.flat_map(|test| test.calls.keys().copied());
    called.filter(|&id| has_stub(subject, id)).collect()
}

/// Whether the calls of a test are known, and a wrong one fails it.
fn is_checked(test: &TestCase) -> bool {
    let ends_well = matches!(test.outcome, Outcome::Return | Outcome::Exit(_));
    ends_well && !test.unsure && test.given.is_some()
}

/// Whether a test has a definition in place of a function, and compilers leave no call of it out.
fn has_stub(subject: &Subject<'_>, id: FunctionId) -> bool {
    let function = &subject.program.functions[id];
    let may_end = function.noreturn || may_end_program(&function.name);
    function.body.is_none() && !function.pure && !(may_end && is_renamed(subject, function))
}

/// Declares what the calls of functions without a body are given. Returns the statements that hand
/// it to their stubs.
pub fn declare(scene: &mut Scene<'_>, test: &TestCase) -> Vec<Statement> {
    let mut steps = Vec::new();
    if !is_checked(test) {
        return steps;
    }
    for id in test.calls.keys().copied() {
        if !has_stub(scene.subject, id) || !has_parameters(scene.subject, id) {
            continue;
        }
        let expected = expected(scene.subject, test, id, &|given| address(scene, given));
        if expected.is_empty() {
            continue;
        }
        let function = scene.subject.program.functions[id].name.clone();
        let table = scene.names.fresh(&format!("{function}_arguments"));
        scene.declarations.push(Declaration::Arguments {
            table: table.clone(),
            expected,
        });
        steps.push(Statement::GiveArguments { function, table });
    }
    steps
}

/// The checks of how often the functions were called whose stubs check their arguments.
pub fn counts(subject: &Subject<'_>, test: &TestCase) -> Vec<Statement> {
    // What runs at exit may call them too.
    if !is_checked(test) || test.outcome != Outcome::Return || subject.program.uses_at_exit() {
        return Vec::new();
    }
    let called = test.calls.iter().filter(|(id, _)| has_stub(subject, **id));
    let checks = called.map(|(&id, &count)| {
        let function = subject.program.functions[id].name.clone();
        Statement::Check(Check::Calls { function, count })
    });
    checks.collect()
}

/// Whether the stub of a function declares its parameters.
fn has_parameters(subject: &Subject<'_>, id: FunctionId) -> bool {
    let ty = subject.function_type(id);
    ty.is_some_and(|ty| {
        let mut parameters = ty.parameters.iter();
        parameters.all(|&ty| spelling::declare(subject.types, ty, "").is_some())
    })
}

/// How a test names an address that a call is given.
fn address(scene: &Scene<'_>, given: &Observation) -> Option<String> {
    match given.value {
        Observed::Inside(object, offset) => address_of_input(scene, object, offset, given.ty),
        Observed::Global(global, offset) => address_in_global(scene, global, offset, given.ty),
        Observed::Function(function) => {
            let own = &scene.subject.program.functions[function].name;
            let exported = scene.exports.function(function);
            Some(exported.unwrap_or(own).to_owned())
        }
        _ => None,
    }
}

fn address_of_input(
    scene: &Scene<'_>,
    object: ObjectId,
    offset: i64,
    ty: TypeId,
) -> Option<String> {
    match scene.subject.space.object_data(object).root {
        Root::Pointee(_) => scene.address(object, offset, ty),
        _ => None,
    }
}

fn address_in_global(scene: &Scene<'_>, id: GlobalId, offset: i64, ty: TypeId) -> Option<String> {
    let subject = scene.subject;
    let global = &subject.program.globals[id];
    let is_here = global.unit == subject.unit() || scene.exports.object(id).is_some();
    if !is_here || !subject.is_visible_global(id) {
        return None;
    }
    let (name, shape) = objects::global_access(subject, scene.exports, id);
    let storage = Storage {
        stem: name.clone(),
        name,
        shape,
        ty: global.ty,
        before: 0,
        volatile: global.volatile,
    };
    scene.address_in(&storage, offset, ty)
}
