//! A test as a function of plain C: the first back end of [`crate::test_program`].

use std::fmt::Write as _;

use super::wrap::wrap;
use super::{literal, runs};
use crate::test_program::{
    Call, CallResult, Change, ChangeStart, Check, Declaration, Effect, Expected, ExpectedArgument,
    Statement, TestProgram, Way,
};

/// The C function of a test.
pub fn function(test: &TestProgram) -> String {
    let mut text = comment(&test.notes);
    let _ = writeln!(text, "static void {}(void)\n{{", test.name);
    let declarations: Vec<String> = test.declarations.iter().map(declaration).collect();
    paragraph(&mut text, &declarations);
    for statements in [
        &test.assignments,
        &test.preparations,
        &test.calls,
        &test.checks,
    ] {
        let lines: Vec<String> = statements.iter().flat_map(statement).collect();
        paragraph(&mut text, &lines);
    }
    if test.runs_exit_handlers {
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

fn declaration(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Variable {
            is_static,
            declared,
            aligned,
            value,
        } => {
            let class = storage_class(*is_static);
            let aligned = aligned.map_or_else(String::new, |bytes| {
                format!(" __attribute__((__aligned__({bytes})))")
            });
            let value = value.as_ref();
            let value = value.map_or_else(String::new, |value| format!(" = {value}"));
            wrap(&format!("{class}{declared}{aligned}{value};"))
        }
        Declaration::OnHeap {
            name,
            element,
            count,
            value,
        } => wrap(&on_heap(name, element, *count, value)),
        Declaration::Zeroed { declared, size } => format!("{declared} = attest@zeroed({size});"),
        Declaration::Stream { declared, is_full } => {
            format!("{declared} = attest@stream({});", u8::from(*is_full))
        }
        Declaration::Folder { declared } => format!("{declared} = attest@folder();"),
        Declaration::Results {
            is_static,
            declared,
            values,
        } => format!(
            "{}{declared} = {{{}}};",
            storage_class(*is_static),
            runs::repeated(values).join(", ")
        ),
        Declaration::Arguments { table, expected } => {
            let lines: Vec<String> = expected.iter().map(argument).collect();
            format!(
                "struct attest@argument {table}[] = {{\n    {}}};",
                lines.join(",\n    ")
            )
        }
        Declaration::Changes { table, changes } => {
            let lines: Vec<String> = changes.iter().map(change).collect();
            format!(
                "struct attest@change {table}[] = {{\n    {}}};",
                lines.join(",\n    ")
            )
        }
    }
}

fn storage_class(is_static: bool) -> &'static str {
    match is_static {
        true => "static ",
        false => "",
    }
}

/// A pointer to a copy of the value that is made on the heap.
fn on_heap(name: &str, element: &str, count: Option<u64>, value: &str) -> String {
    let value = match value.starts_with('{') {
        true => value.to_owned(),
        false => format!("{{{value}}}"),
    };
    let (object, size) = match count {
        None => (format!("&({element}){value}"), String::new()),
        Some(count) => (
            format!("({element}[{count}]){value}"),
            format!(" * {count}"),
        ),
    };
    format!("{element} *{name} = attest@on_heap({object}, sizeof({element}){size});")
}

/// A line of a table of what calls are given.
fn argument(expected: &ExpectedArgument) -> String {
    let ExpectedArgument {
        call,
        name,
        argument,
        width,
        ..
    } = expected;
    let name = literal::bytes(name.as_bytes());
    let value = match &expected.value {
        Expected::Number(number) => format!("IS({number})"),
        Expected::Pointer(address) if address == "NULL" => "IS_NULL()".to_owned(),
        Expected::Pointer(address) => format!("IS_POINTER({address})"),
        Expected::NotNull => "IS_NOT_NULL()".to_owned(),
        Expected::Text(text) => format!("IS_TEXT({})", literal::bytes(text)),
        Expected::Bytes { offset, bytes } => {
            format!("IS_BYTES({offset}, {})", literal::bytes(bytes))
        }
    };
    let pointers = match expected.way {
        Way::Direct => String::new(),
        Way::One(first) => format!(", BEHIND({first})"),
        Way::Two(first, second) => format!(", BEHIND_TWO({first}, {second})"),
    };
    let first = match expected.first {
        0 => String::new(),
        first => format!(", .first = {first}"),
    };
    format!("{{{call}, {name}, {argument}, {width}, {value}{pointers}{first}}}")
}

fn change(change: &Change) -> String {
    let call = change.call;
    let start = match &change.start {
        ChangeStart::Argument(index) => format!(".start = {index}"),
        ChangeStart::Rest(kinds) => format!(".start = ATTEST@REST, .rest = \"{kinds}\""),
        ChangeStart::Object(address) => {
            format!(".start = ATTEST@OBJECT, .object = (const void *){address}")
        }
        ChangeStart::Kept(place) => format!(".start = ATTEST@PLACE, .object = &{place}"),
        ChangeStart::Result => ".start = ATTEST@RESULT".to_owned(),
    };
    let path = match change.path.as_slice() {
        [0] => String::new(),
        offsets => {
            let texts: Vec<String> = offsets.iter().map(i64::to_string).collect();
            let (texts, steps) = (texts.join(", "), offsets.len());
            format!(", .path = (const long[]){{{texts}}}, .steps = {steps}")
        }
    };
    let effect = match &change.effect {
        Effect::Keep(variable) => format!(".keep = &{variable}"),
        Effect::Write { first, bits, image } => {
            format!(".first = {first}, .bits = {bits}, .value = {image}")
        }
        Effect::WriteKept {
            first,
            place,
            offset,
        } => format!(".first = {first}, .target = &{place}, .offset = {offset}"),
        Effect::ReturnArgument { first, argument } => {
            format!(".first = {first}, .argument = {}", argument + 1)
        }
    };
    format!("{{.call = {call}, {start}{path}, {effect}}}")
}

/// The lines of a statement.
fn statement(statement: &Statement) -> Vec<String> {
    let line = match statement {
        Statement::Map { address, bytes } => format!("attest@map({address:#x}ul, {bytes});"),
        Statement::SetMapped { address, value } => {
            format!("*(volatile unsigned char *){address:#x}ul = {value:#x};")
        }
        Statement::Assign { place, value } => format!("{place} = {value};"),
        Statement::AssignBytes { address, bytes } => {
            format!("SET_BYTES({address}, {});", literal::bytes(bytes))
        }
        Statement::Clear { place, count } => {
            format!("attest@memset((void *)&{place}, 0, {count} * sizeof {place});")
        }
        Statement::EndIfNull { pointer } => format!("if ({pointer} == NULL) return;"),
        Statement::SetBits {
            address,
            first,
            width,
            bits,
        } => format!("attest@set_bits({address}, {first}, {width}, {bits:#x}ull);"),
        Statement::GiveResults { function, array } => {
            format!("ATTEST@RESULTS({function}, {array});")
        }
        Statement::GiveArguments { function, table } => {
            format!("ATTEST@ARGUMENTS({function}, {table});")
        }
        Statement::GiveChanges { function, table } => {
            format!("ATTEST@CHANGES({function}, {table});")
        }
        Statement::GiveInputs { table, inputs } => {
            let entries = inputs.iter().map(|input| {
                let (nth, variable) = (input.nth, &input.variable);
                let name = literal::bytes(input.name.as_bytes());
                format!("{{{name}, {nth}, &{variable}, sizeof {variable}, 0}}")
            });
            let entries: Vec<String> = entries.collect();
            let entries = entries.join(", ");
            return vec![
                format!("struct attest@input {table}[] = {{{entries}}};"),
                format!("ATTEST@INPUTS({table});"),
            ];
        }
        Statement::FailAllocation { nth } => format!("attest@allocation_fails[{nth}] = 1;"),
        Statement::FillAllocations { table, fills } => {
            let entries = fills.iter().map(|fill| {
                let (nth, offset, length) = (fill.nth, fill.offset, fill.bytes.len());
                let bytes = literal::bytes(&fill.bytes);
                format!("{{{nth}, {offset}, {length}, {bytes}}}")
            });
            let entries: Vec<String> = entries.collect();
            let entries = entries.join(", ");
            return vec![
                format!("static const struct attest@fill {table}[] = {{{entries}}};"),
                format!("ATTEST@FILLS({table});"),
            ];
        }
        Statement::PaintStack { pattern } => format!("ATTEST@PAINT({});", literal::bytes(pattern)),
        Statement::Call(made) => call(made),
        Statement::Check(made) => check(made),
    };
    vec![line]
}

fn call(call: &Call) -> String {
    let text = format!("{}({})", call.callee, call.arguments.join(", "));
    match &call.result {
        CallResult::Ignored => format!("{text};"),
        CallResult::Used => format!("ATTEST@KEEP({text});"),
        CallResult::Assigned(place) => format!("{place} = {text};"),
        CallResult::Declared {
            declared: Some(declared),
            ..
        } => format!("{declared} = {text};"),
        CallResult::Declared {
            name,
            declared: None,
        } => format!("__typeof__({text}) {name} = {text};"),
    }
}

fn check(check: &Check) -> String {
    match check {
        Check::Equal { actual, expected } => format!("CHECK({actual}, {expected});"),
        Check::Null { actual } => format!("CHECK_NULL({actual});"),
        Check::NotNull { actual } => format!("CHECK_NOT_NULL({actual});"),
        Check::Pointer { actual, expected } => format!("CHECK_POINTER({actual}, {expected});"),
        Check::Bytes { address, expected } => {
            format!("CHECK_BYTES({address}, {});", literal::bytes(expected))
        }
        Check::Calls { function, count } => format!("CHECK_CALLS({function}, {count});"),
    }
}
