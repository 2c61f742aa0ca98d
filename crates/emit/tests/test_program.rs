//! A test as data, and a second back end that shows that the data is enough.

mod common;

use common::{Saying, Unit, test};
use emit::test_program::{
    Call, CallResult, ChangeStart, Check, Declaration, Effect, Expected, ExpectedArgument,
    Statement, TestProgram, Way,
};
use ir::input::{InputValue, Root};
use ir::test::{Observation, Observed, ObservedPlace, TestCase};

const UNIT: &str = "
    global counter: int = zero
    fn read_sensor(channel: int) -> int
    fn scale(out: *int, text: *const char, factor: int) -> int { bb0: return 0 }";

/// `scale(out, text, 3)` with an array behind `out` that the code frees, after one call of
/// `read_sensor`.
fn example() -> (Unit, TestCase) {
    let mut unit = Unit::new(UNIT, "scale");
    let mut parameter = |index, ty: &str| {
        let object = unit.parameter(index, ty);
        unit.cell(object, 0, ty)
    };
    let out = parameter(0, "int *");
    let text = parameter(1, "const char *");
    let factor = parameter(2, "int");
    let numbers = unit.object(Root::Pointee(out), "int");
    let second = unit.cell(numbers, 32, "int");
    let letters = unit.object(Root::Pointee(text), "char");
    let letter = unit.cell(letters, 0, "char");
    let counter = unit.global("counter", "int");
    let count = unit.cell(counter, 0, "int");
    let function = unit.function("read_sensor");
    let result = unit.object(Root::Result { function, nth: 0 }, "int");
    let sensor = unit.cell(result, 0, "int");
    let mut made = test(0)
        .with(out, InputValue::Fresh)
        .bits(second, 5)
        .extent(numbers, 0, 8)
        .with(text, InputValue::Fresh)
        .bits(letter, u128::from(b'x'))
        .extent(letters, 0, 2)
        .bits(factor, 3)
        .bits(count, 7)
        .bits(sensor, 0xffff_ffff)
        .returns(&unit, "int", Observed::Bits(15))
        .leaves(&unit, counter, 0, "int", Observed::Bits(8))
        .leaves(&unit, letters, 0, "char", Observed::Bits(u128::from(b'x')));
    made.calls.insert(function, 1);
    made.given.get_or_insert_default().push(Observation {
        place: ObservedPlace::Argument {
            function,
            nth: 0,
            index: 0,
            offset_bits: 0,
        },
        ty: unit.ty("int"),
        width: 32,
        value: Observed::Bits(4),
    });
    made.freed.insert(numbers);
    (unit, made)
}

fn program(unit: &Unit, test: TestCase) -> TestProgram {
    let mut programs = unit.file("unit.c", &[test]).programs();
    programs.pop().expect("one test")
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn variable(declared: &str, value: &str) -> Declaration {
    Declaration::Variable {
        is_static: false,
        declared: text(declared),
        aligned: None,
        value: Some(text(value)),
    }
}

fn equal(actual: &str, expected: &str) -> Statement {
    Statement::Check(Check::Equal {
        actual: text(actual),
        expected: text(expected),
    })
}

#[test]
fn a_test_is_data() {
    let (unit, test) = example();
    let expected = TestProgram {
        name: text("test_scale_0"),
        notes: Vec::new(),
        declarations: vec![
            Declaration::OnHeap {
                name: text("out_data"),
                element: text("int"),
                count: Some(2),
                value: text("{0, 5}"),
            },
            variable("int *out", "out_data"),
            variable("char text_data[2]", "\"x\""),
            variable("const char *text", "text_data"),
            variable("int factor", "3"),
            Declaration::Results {
                is_static: false,
                declared: text("int read_sensor_results[]"),
                values: vec![text("-1")],
            },
            Declaration::Arguments {
                table: text("read_sensor_arguments"),
                expected: vec![ExpectedArgument {
                    call: 1,
                    name: text("channel"),
                    argument: 0,
                    way: Way::Direct,
                    first: 0,
                    width: 32,
                    value: Expected::Number(text("4")),
                }],
            },
        ],
        assignments: vec![Statement::Assign {
            place: text("counter"),
            value: text("7"),
        }],
        preparations: vec![
            Statement::GiveResults {
                function: text("read_sensor"),
                array: text("read_sensor_results"),
            },
            Statement::GiveArguments {
                function: text("read_sensor"),
                table: text("read_sensor_arguments"),
            },
        ],
        calls: vec![Statement::Call(Call {
            callee: text("scale"),
            arguments: ["out", "text", "factor"].map(text).to_vec(),
            result: CallResult::Declared {
                name: text("result"),
                declared: Some(text("int result")),
            },
        })],
        checks: vec![
            equal("result", "15"),
            equal("counter", "8"),
            equal("text_data[0]", "'x'"),
            Statement::Check(Check::Calls {
                function: text("read_sensor"),
                count: 1,
            }),
        ],
        runs_exit_handlers: false,
    };
    assert_eq!(program(&unit, test), expected);
}

#[test]
fn a_second_back_end_needs_nothing_else() {
    let (unit, test) = example();
    expect_test::expect![[r#"
        test test_scale_0
          out_data = allocated 2 int: {0, 5}
          int *out = out_data
          char text_data[2] = "x"
          const char *text = text_data
          int factor = 3
          int read_sensor_results[] = -1
          read_sensor_arguments: in call 1, channel (32 bits from 0 of argument 0) is 4
          counter := 7
          read_sensor returns read_sensor_results
          read_sensor is given read_sensor_arguments
          result := scale(out, text, factor)
          result is 15
          counter is 8
          text_data[0] is 'x'
          read_sensor is called 1 times
    "#]]
    .assert_eq(&pseudo_code(&program(&unit, test)));
}

/// The test in pseudo-code.
fn pseudo_code(test: &TestProgram) -> String {
    let notes = test.notes.iter().map(|note| format!("note: {note}"));
    let declarations = test.declarations.iter().flat_map(declared);
    let statements = test.assignments.iter().chain(&test.preparations);
    let statements = statements.chain(&test.calls).chain(&test.checks);
    let lines = notes.chain(declarations).chain(statements.map(done));
    let lines: String = lines.map(|line| format!("  {line}\n")).collect();
    format!("test {}\n{lines}", test.name)
}

fn declared(declaration: &Declaration) -> Vec<String> {
    let line = match declaration {
        Declaration::Variable {
            declared, value, ..
        } => format!("{declared} = {}", value.as_deref().unwrap_or("zero")),
        Declaration::OnHeap {
            name,
            element,
            count,
            value,
        } => format!(
            "{name} = allocated {} {element}: {value}",
            count.unwrap_or(1)
        ),
        Declaration::Zeroed { declared, size } => format!("{declared} = allocated {size} zeros"),
        Declaration::Stream { declared, .. } => format!("{declared} = a stream"),
        Declaration::Folder { declared } => format!("{declared} = a folder"),
        Declaration::Results {
            declared, values, ..
        } => format!("{declared} = {}", values.join(", ")),
        Declaration::Arguments { table, expected } => {
            let rows = expected.iter().map(|row| {
                let place = match row.way {
                    Way::Direct => format!("argument {}", row.argument),
                    way => format!("{way:?} from argument {}", row.argument),
                };
                let value = match &row.value {
                    Expected::Number(value) | Expected::Pointer(value) => value.clone(),
                    Expected::NotNull => text("not NULL"),
                    Expected::Text(bytes) => format!("text {bytes:?}"),
                    Expected::Bytes { offset, bytes } => format!("{bytes:?} from {offset}"),
                };
                let (call, name, width, first) = (row.call, &row.name, row.width, row.first);
                format!(
                    "{table}: in call {call}, {name} ({width} bits from {first} of {place}) is {value}"
                )
            });
            return rows.collect();
        }
        Declaration::Changes { table, changes } => {
            let changes = changes.iter().map(|change| {
                let start = match &change.start {
                    ChangeStart::Argument(index) => format!("argument {index}"),
                    ChangeStart::Rest(kinds) => format!("the last of {kinds}"),
                    ChangeStart::Object(address) => address.clone(),
                    ChangeStart::Kept(variable) => format!("*{variable}"),
                    ChangeStart::Result => text("the result"),
                };
                let effect = match &change.effect {
                    Effect::Keep(variable) => format!("keeps its address in {variable}"),
                    Effect::Write { first, bits, image } => {
                        format!("has bits {first} + {bits} of {image}")
                    }
                    Effect::WriteKept { place, offset, .. } => format!("is {place} + {offset}"),
                    Effect::ReturnArgument { argument, .. } => format!("is argument {argument}"),
                };
                let (call, path) = (change.call, &change.path);
                format!("{table}: in call {call}, {start} along {path:?} {effect}")
            });
            return changes.collect();
        }
    };
    vec![line]
}

fn done(statement: &Statement) -> String {
    match statement {
        Statement::Map { address, bytes } => format!("map {bytes} bytes at {address:#x}"),
        Statement::SetMapped { address, value } => format!("byte {address:#x} := {value}"),
        Statement::Assign { place, value } => format!("{place} := {value}"),
        Statement::AssignBytes { address, bytes } => format!("*{address} := {bytes:?}"),
        Statement::Clear { place, count } => format!("{count} from {place} := 0"),
        Statement::EndIfNull { pointer } => format!("ends if {pointer} is NULL"),
        Statement::SetBits {
            address,
            first,
            width,
            bits,
        } => format!("bits {first} + {width} of *{address} := {bits}"),
        Statement::GiveResults { function, array } => format!("{function} returns {array}"),
        Statement::GiveArguments { function, table } => format!("{function} is given {table}"),
        Statement::GiveChanges { function, table } => format!("{function} writes {table}"),
        Statement::GiveInputs { inputs, .. } => {
            let inputs = inputs
                .iter()
                .map(|it| format!("{}#{} is {}", it.name, it.nth, it.variable));
            inputs.collect::<Vec<_>>().join("; ")
        }
        Statement::FailAllocation { nth } => format!("allocation {nth} fails"),
        Statement::FillAllocations { fills, .. } => {
            let fills = fills.iter().map(|it| {
                format!(
                    "allocation {} holds {:?} at {}",
                    it.nth, it.bytes, it.offset
                )
            });
            fills.collect::<Vec<_>>().join("; ")
        }
        Statement::PaintStack { pattern } => format!("the stack holds {pattern:?}"),
        Statement::Call(call) => {
            let made = format!("{}({})", call.callee, call.arguments.join(", "));
            match &call.result {
                CallResult::Ignored | CallResult::Used => made,
                CallResult::Assigned(place) => format!("{place} := {made}"),
                CallResult::Declared { name, .. } => format!("{name} := {made}"),
            }
        }
        Statement::Check(check) => match check {
            Check::Equal { actual, expected } => format!("{actual} is {expected}"),
            Check::Null { actual } => format!("{actual} is NULL"),
            Check::NotNull { actual } => format!("{actual} is not NULL"),
            Check::Pointer { actual, expected } => format!("{actual} points to {expected}"),
            Check::Bytes { address, expected } => format!("*{address} is {expected:?}"),
            Check::Calls { function, count } => format!("{function} is called {count} times"),
        },
    }
}
