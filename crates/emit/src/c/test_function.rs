//! One test as data.

use ir::input::{InputValue, Root};
use ir::test::{ObservedPlace, Outcome, TestCase};
use ir::{Function, FunctionId, Type, TypeId};

use super::arguments;
use super::changes;
use super::checks;
use super::drawing;
use super::exports::Exports;
use super::names::{Names, callee};
use super::scene::Scene;
use super::sequence;
use super::sized;
use super::spelling;
use super::storage::is_static;
use super::stubs;
use super::unwritten;
use crate::Subject;
use crate::test_program::{Call, CallResult, Declaration, DeclaredInput, Statement, TestProgram};
use ir::path;

/// The test as data. `notes` say what it is for, a line each.
pub fn test_program(
    subject: &Subject<'_>,
    exports: &Exports,
    names: &Names<'_>,
    test: &TestCase,
    name: &str,
    notes: &[String],
) -> TestProgram {
    let mut scene = Scene::new(subject, exports, names, test);
    let arguments = declare_parameters(&mut scene);
    let mut preparations = declare_results(&mut scene, test);
    preparations.extend(changes::declare(&mut scene));
    preparations.extend(declare_inputs(&mut scene));
    preparations.extend(fail_allocations(&scene));
    preparations.extend(unwritten::fills(&mut scene));
    let mut assignments = map_pages(&scene);
    let (calls, mut checks) = match subject.sequence {
        Some(sequence) => {
            let calls = sequence::calls(&mut scene, sequence, test);
            assignments.extend(scene.assignments());
            (calls, Vec::new())
        }
        None => {
            assignments.extend(scene.assignments());
            call_and_checks(&mut scene, arguments, test)
        }
    };
    preparations.extend(arguments::declare(&mut scene, test));
    checks.extend(arguments::counts(subject, test));
    let mut notes = notes.to_vec();
    notes.extend(drawing::drawings(&scene));
    TestProgram {
        name: name.to_owned(),
        notes,
        declarations: scene.declarations,
        assignments,
        preparations,
        calls,
        checks,
        runs_exit_handlers: subject.program.uses_at_exit(),
    }
}

/// The call of the tested function, and the checks of what it returns and writes.
fn call_and_checks(
    scene: &mut Scene<'_>,
    arguments: Vec<String>,
    test: &TestCase,
) -> (Vec<Statement>, Vec<Statement>) {
    let subject = scene.subject;
    let ty = subject.function_type(subject.entry).map(|ty| ty.result);
    let is_void = |ty: &TypeId| *subject.types.kind(*ty) == Type::Void;
    let value = ty.filter(|ty| !is_void(ty));
    let mut observed = test.observations.iter();
    let is_observed = observed.any(|observation| is_of_result(&observation.place));
    let result = value.filter(|_| is_observed);
    let result = result.map(|ty| (scene.names.fresh("result"), ty));
    let checks = match test.outcome {
        Outcome::Return => {
            let result = result.as_ref().map(|(name, ty)| (name.as_str(), *ty));
            checks::checks(scene, &test.observations, result)
        }
        _ => Vec::new(),
    };
    let is_used = |name: &str| {
        let mut checks = checks.iter();
        checks.any(|check| matches!(check, Statement::Check(check) if check.mentions(name)))
    };
    let result = match result.filter(|(name, _)| is_used(name)) {
        Some((name, ty)) => {
            let types = subject.types;
            let declared = path::nameable(types, ty).then(|| types.declare(ty, &name));
            CallResult::Declared { name, declared }
        }
        // Compilers leave out calls of a pure function whose value nothing looks at.
        None if subject.function().pure && value.is_some() => CallResult::Used,
        None => CallResult::Ignored,
    };
    let call = Statement::Call(Call {
        callee: callee(&subject.function().name),
        arguments,
        result,
    });
    let painted = unwritten::paint(scene, test).into_iter();
    (painted.chain([call]).collect(), checks)
}

fn declare_parameters(scene: &mut Scene<'_>) -> Vec<String> {
    let subject = scene.subject;
    let Some(ty) = subject.function_type(subject.entry) else {
        return Vec::new();
    };
    let function = subject.function();
    let mut arguments = Vec::new();
    let mut positions = Vec::new();
    for (index, &parameter) in ty.parameters.iter().enumerate() {
        let wanted = function.argument_name(index);
        let root = Root::Parameter(index as u32);
        let id = scene.graph.find(&root).map(|(id, _)| id);
        let value = scene.declare_value(&wanted, id, parameter);
        positions.push(scene.declarations.len() - 1);
        arguments.push(passed(function, index, value));
    }
    sized::name_sizes(scene, &positions);
    arguments
}

/// An argument of a function as it is passed: a pointer to variable-length arrays has another type in
/// C.
pub(super) fn passed(function: &Function, index: usize, value: String) -> String {
    let parameter = function.parameters.get(index);
    match parameter.is_some_and(|parameter| parameter.rows) {
        true => format!("(void *){value}"),
        false => value,
    }
}

/// The results of functions without a body, call by call.
fn declare_results(scene: &mut Scene<'_>, test: &TestCase) -> Vec<Statement> {
    let mut steps = Vec::new();
    for (function, count) in result_counts(scene, test) {
        if !stubs::has_queue(scene.subject, function) {
            continue;
        }
        let Some(ty) = scene.subject.function_type(function) else {
            continue;
        };
        let values: Vec<String> = (0..count)
            .map(|nth| {
                let root = Root::Result { function, nth };
                let id = scene.graph.find(&root).map(|(id, _)| id);
                scene.result_value(id, ty.result, function, nth)
            })
            .collect();
        let types = scene.subject.types;
        let name = &scene.subject.program.functions[function].name;
        let array = scene.names.fresh(&format!("{name}_results"));
        let declared = spelling::declare_result(types, name, ty, &format!("{array}[]"));
        let is_number = matches!(types.kind(ty.result), Type::Int(_) | Type::Enum(_));
        let bytes = types.size(ty.result) * u64::from(count);
        scene.declarations.push(Declaration::Results {
            is_static: is_number && is_static(bytes),
            declared: declared.unwrap_or_default(),
            values,
        });
        let function = name.clone();
        steps.push(Statement::GiveResults { function, array });
    }
    steps
}

fn result_counts(scene: &Scene<'_>, test: &TestCase) -> Vec<(FunctionId, u32)> {
    let mut counts = test.calls.clone();
    for object in scene.graph.objects.values() {
        if let Root::Result { function, nth } = object.root {
            let count = counts.entry(function).or_default();
            *count = (*count).max(nth + 1);
        }
    }
    counts.into_iter().filter(|&(_, count)| count > 0).collect()
}

/// Inputs that the code declares itself, in the order of their numbers.
fn declare_inputs(scene: &mut Scene<'_>) -> Option<Statement> {
    let sequence = scene.subject.sequence;
    let of_sequence =
        |name: &str| sequence.is_some_and(|sequence| sequence::is_own(sequence, name));
    let mut declared: Vec<_> = scene
        .graph
        .objects
        .iter()
        .filter_map(|(&id, object)| match &object.root {
            Root::Declared { name, nth } if !of_sequence(name) => Some((name.clone(), *nth, id)),
            _ => None,
        })
        .collect();
    declared.sort();
    let mut inputs = Vec::new();
    for (name, nth, id) in declared {
        if let Some(variable) = scene.declare_declared(id, &name) {
            inputs.push(DeclaredInput {
                name,
                nth,
                variable,
            });
        }
    }
    if inputs.is_empty() {
        return None;
    }
    let table = scene.names.fresh("inputs");
    Some(Statement::GiveInputs { table, inputs })
}

fn fail_allocations(scene: &Scene<'_>) -> Vec<Statement> {
    let mut failing: Vec<u32> = scene
        .graph
        .objects
        .values()
        .filter_map(|object| match object.root {
            Root::AllocationFails { nth } => object
                .cells
                .values()
                .any(|cell| cell.value == InputValue::Bits(1))
                .then_some(nth),
            _ => None,
        })
        .collect();
    failing.sort_unstable();
    failing
        .into_iter()
        .map(|nth| Statement::FailAllocation { nth })
        .collect()
}

/// Maps memory at the addresses that the program has as constants, and sets it.
fn map_pages(scene: &Scene<'_>) -> Vec<Statement> {
    let mut statements = Vec::new();
    for object in scene.graph.objects.values() {
        let Root::Mapped(page) = object.root else {
            continue;
        };
        statements.push(Statement::Map {
            address: page,
            bytes: object.extent.after,
        });
        for (offset, cell) in &object.cells {
            if let InputValue::Bits(value @ 1..) = cell.value {
                statements.push(Statement::SetMapped {
                    address: page.saturating_add_signed(offset / 8),
                    value,
                });
            }
        }
    }
    statements
}

/// Whether a place is in the result, or in an object that the result points to.
fn is_of_result(place: &ObservedPlace) -> bool {
    match place {
        ObservedPlace::Result { .. } => true,
        ObservedPlace::Behind { pointer, .. } => is_of_result(pointer),
        _ => false,
    }
}
