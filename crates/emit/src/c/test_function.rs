//! One test as a C function.

use std::fmt::Write as _;

use ir::input::{InputValue, Root};
use ir::test::{ObservedPlace, Outcome, TestCase};
use ir::{FunctionId, Type, TypeId};

use super::changes;
use super::checks;
use super::drawing;
use super::exports::Exports;
use super::names::{Names, callee};
use super::runs;
use super::scene::{LARGEST_ON_STACK, Scene};
use super::sequence;
use super::spelling;
use super::stubs;
use super::unwritten;
use super::wrap::wrap;
use crate::Subject;
use ir::path;

/// The C function of a test. `notes` say what it is for, a line each.
pub fn test_function(
    subject: &Subject<'_>,
    exports: &Exports,
    names: &Names<'_>,
    test: &TestCase,
    name: &str,
    notes: &[String],
) -> String {
    let mut scene = Scene::new(subject, exports, names, test);
    let arguments = declare_parameters(&mut scene);
    let mut steps = declare_results(&mut scene, test);
    steps.extend(changes::declare(&mut scene));
    steps.extend(declare_inputs(&mut scene));
    steps.extend(fail_allocations(&scene));
    steps.extend(unwritten::fills(&mut scene));
    let mut mapped = map_pages(&scene);
    if let Some(sequence) = subject.sequence {
        let calls = sequence::calls(&mut scene, sequence, test);
        mapped.extend(scene.assignments());
        let assignments = mapped;
        return function(&scene, name, notes, &[&assignments, &steps, &calls]);
    }
    mapped.extend(scene.assignments());
    let assignments = mapped;
    let (call, result) = call(&mut scene, &arguments, test);
    let checks = match test.outcome {
        Outcome::Return => {
            let result = result
                .as_ref()
                .zip(subject.function_type(subject.entry))
                .map(|(name, ty)| (name.as_str(), ty.result));
            checks::checks(&scene, &test.observations, result)
        }
        _ => Vec::new(),
    };

    let is_used = |name: &String| checks.iter().any(|check| mentions(check, name));
    let call = match result.filter(is_used) {
        Some(_) => call.declared,
        None => call.plain,
    };
    let calls: Vec<String> = unwritten::paint(&scene, test)
        .into_iter()
        .chain([call])
        .collect();
    function(
        &scene,
        name,
        notes,
        &[&assignments, &steps, &calls, &checks],
    )
}

/// The text of a test: its declarations, then paragraphs of statements.
fn function(scene: &Scene<'_>, name: &str, notes: &[String], paragraphs: &[&[String]]) -> String {
    let mut lines = notes.to_vec();
    lines.extend(drawing::drawings(scene));
    let mut text = comment(&lines);
    let _ = writeln!(text, "static void {name}(void)\n{{");
    paragraph(&mut text, &scene.declarations);
    for lines in paragraphs {
        paragraph(&mut text, lines);
    }
    if scene.subject.program.uses_at_exit() {
        paragraph(&mut text, &["attest@finish();".to_owned()]);
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n}\n");
    text
}

fn comment(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let safe = notes.join("\n   ").replace("*/", "* /");
    format!("/* {safe} */\n")
}

fn paragraph(text: &mut String, lines: &[String]) {
    for line in lines {
        for part in wrap(line).lines() {
            let _ = writeln!(text, "    {part}");
        }
    }
    if !lines.is_empty() {
        text.push('\n');
    }
}

fn declare_parameters(scene: &mut Scene<'_>) -> Vec<String> {
    let subject = scene.subject;
    let Some(ty) = subject.function_type(subject.entry) else {
        return Vec::new();
    };
    let names = &subject.function().parameter_names;
    let mut arguments = Vec::new();
    for (index, &parameter) in ty.parameters.iter().enumerate() {
        let wanted = match names.get(index) {
            Some(Some(name)) => name.clone(),
            _ => format!("argument_{index}"),
        };
        let root = Root::Parameter(index as u32);
        let id = scene.graph.find(&root).map(|(id, _)| id);
        arguments.push(scene.declare_value(&wanted, id, parameter));
    }
    arguments
}

/// What functions without a body return, call by call.
fn declare_results(scene: &mut Scene<'_>, test: &TestCase) -> Vec<String> {
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
        let function_name = &scene.subject.program.functions[function].name;
        let array = scene.names.fresh(&format!("{function_name}_results"));
        let types = scene.subject.types;
        let own = &scene.subject.program.functions[function].name;
        let declared = spelling::declare_result(types, own, ty, &format!("{array}[]"));
        let declared = declared.unwrap_or_default();
        let is_number = matches!(types.kind(ty.result), Type::Int(_) | Type::Enum(_));
        let is_large = types.size(ty.result) * u64::from(count) > LARGEST_ON_STACK;
        let prefix = match is_number && is_large {
            true => "static ",
            false => "",
        };
        let values = runs::repeated(&values).join(", ");
        scene
            .declarations
            .push(format!("{prefix}{declared} = {{{values}}};"));
        steps.push(format!("ATTEST@RESULTS({function_name}, {array});"));
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
fn declare_inputs(scene: &mut Scene<'_>) -> Vec<String> {
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
    let mut entries = Vec::new();
    for (name, nth, id) in declared {
        let Some(variable) = scene.declare_declared(id, &name) else {
            continue;
        };
        let escaped = super::literal::bytes(name.as_bytes());
        entries.push(format!(
            "{{{escaped}, {nth}, &{variable}, sizeof {variable}, 0}}"
        ));
    }
    if entries.is_empty() {
        return Vec::new();
    }
    let array = scene.names.fresh("inputs");
    vec![
        format!(
            "struct attest@input {array}[] = {{{}}};",
            entries.join(", ")
        ),
        format!("ATTEST@INPUTS({array});"),
    ]
}

fn fail_allocations(scene: &Scene<'_>) -> Vec<String> {
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
        .map(|nth| format!("attest@allocation_fails[{nth}] = 1;"))
        .collect()
}

/// Maps memory at the addresses that the program has as constants, and sets it.
fn map_pages(scene: &Scene<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for object in scene.graph.objects.values() {
        let Root::Mapped(page) = object.root else {
            continue;
        };
        let bytes = object.extent.after;
        lines.push(format!("attest@map({page:#x}ul, {bytes});"));
        for (offset, cell) in &object.cells {
            if let InputValue::Bits(bits @ 1..) = cell.value {
                let at = page.saturating_add_signed(offset / 8);
                lines.push(format!("*(volatile unsigned char *){at:#x}ul = {bits:#x};"));
            }
        }
    }
    lines
}

/// The call of the tested function.
struct Call {
    /// As the initialiser of a variable, if assertions may look at the result.
    declared: String,
    /// As a statement.
    plain: String,
}

/// Whether a statement has a name in it.
fn mentions(statement: &str, name: &str) -> bool {
    let mut words = statement.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| word == name)
}

/// The call, and the variable for its result if assertions may look at it.
fn call(scene: &mut Scene<'_>, arguments: &[String], test: &TestCase) -> (Call, Option<String>) {
    let subject = scene.subject;
    let types = subject.types;
    let callee = callee(&subject.function().name);
    let call = format!("{callee}({})", arguments.join(", "));
    let result = subject.function_type(subject.entry).map(|ty| ty.result);
    let observed = test
        .observations
        .iter()
        .any(|observation| is_of_result(&observation.place));
    match result {
        Some(ty) if observed && *types.kind(ty) != Type::Void => {
            let name = scene.names.fresh("result");
            let declared = if path::nameable(types, ty) {
                types.declare(ty, &name)
            } else {
                format!("__typeof__({call}) {name}")
            };
            let declared = format!("{declared} = {call};");
            let plain = called_for_effect(subject, ty, &call);
            (Call { declared, plain }, Some(name))
        }
        Some(ty) => {
            let plain = called_for_effect(subject, ty, &call);
            let declared = plain.clone();
            (Call { declared, plain }, None)
        }
        None => {
            let plain = format!("{call};");
            let declared = plain.clone();
            (Call { declared, plain }, None)
        }
    }
}

/// A call whose value the test does not look at. Compilers leave such calls of a pure function out.
fn called_for_effect(subject: &Subject<'_>, result: TypeId, call: &str) -> String {
    let is_left_out = subject.function().pure && *subject.types.kind(result) != Type::Void;
    match is_left_out {
        true => format!("ATTEST@KEEP({call});"),
        false => format!("{call};"),
    }
}

/// Whether a place is in the result or behind it.
fn is_of_result(place: &ObservedPlace) -> bool {
    match place {
        ObservedPlace::Result { .. } => true,
        ObservedPlace::Behind { pointer, .. } => is_of_result(pointer),
        _ => false,
    }
}
