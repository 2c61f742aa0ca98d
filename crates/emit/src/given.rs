//! What tests give to functions without a body, row by row, for stubs that check it and for people.
//!
//! A row is about a scalar among the arguments or behind their pointers, or about the bytes that
//! one pointer leads to.

use std::collections::BTreeMap;

use ir::sharing::is_character;
use ir::test::{Observation, Observed, ObservedPlace, TestCase};
use ir::{FunctionId, Type, TypeId, Types, path};

use crate::Subject;
use crate::c::literal;
use crate::graph::Graph;
use crate::inputs::{Value, pointer};
use crate::test_program::{Expected, ExpectedArgument, Way};

/// How an address is written that a call is given, if it has a name.
pub type NameOfAddress<'a> = &'a dyn Fn(&Observation) -> Option<String>;

/// What a test gives to functions without a body, by call and name: `send#1: text`.
pub fn given(subject: &Subject<'_>, test: &TestCase) -> BTreeMap<String, Value> {
    let graph = Graph::new(subject.space, test);
    let address = |given: &Observation| match given.value {
        Observed::Inside(object, offset) => pointer(subject, &graph, (object, offset), given.ty),
        Observed::Function(function) => Some(subject.program.functions[function].name.clone()),
        Observed::Global(global, offset) => {
            let name = &subject.program.globals[global].name;
            Some(match offset {
                0 => format!("&{name}"),
                _ => format!("(char *)&{name} + {offset}"),
            })
        }
        _ => None,
    };
    let mut told = BTreeMap::new();
    for &function in test.calls.keys() {
        let called = &subject.program.functions[function].name;
        for row in expected(subject, test, function, &address) {
            let (place, value) = match row.value {
                Expected::Number(number) => (row.name, number),
                Expected::Pointer(address) => (row.name, address),
                Expected::NotNull => (row.name, "not NULL".to_owned()),
                Expected::Text(text) => (row.name, literal::bytes(&text)),
                Expected::Bytes { offset, bytes } => {
                    let place = format!("*{}", row.name);
                    let place = match offset {
                        0 => place,
                        _ => format!("{place} from byte {offset} on"),
                    };
                    (place, literal::bytes(&bytes))
                }
            };
            let number = value.parse().map(Value::Number);
            let value = number.unwrap_or(Value::Text(value));
            told.insert(format!("{called}#{}: {place}", row.call), value);
        }
    }
    told
}

/// The rows of a function.
pub fn expected(
    subject: &Subject<'_>,
    test: &TestCase,
    id: FunctionId,
    address: NameOfAddress<'_>,
) -> Vec<ExpectedArgument> {
    let of_function = test
        .given
        .iter()
        .flatten()
        .filter(|given| place_of(&given.place).is_some_and(|at| at.function == id));
    let all: Vec<&Observation> = of_function.collect();
    let mut rows = Vec::new();
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let run = characters(subject.types, rest);
        if run.is_empty() {
            rows.extend(row(subject, first, &all, address));
        } else {
            rows.extend(text_row(subject, first, &run));
        }
        rest = rest.get(run.len().max(1)..).unwrap_or_default();
    }
    rows
}

/// So many bytes in a record are checked at once.
const SHORTEST_ARRAY: usize = 3;

/// How a stub gets to a scalar.
struct Place {
    function: FunctionId,
    nth: u32,
    index: u32,
    /// The offsets in bits: of the scalar, or of the pointers on the way to it.
    offsets: Vec<u64>,
}

fn place_of(place: &ObservedPlace) -> Option<Place> {
    match place {
        &ObservedPlace::Argument {
            function,
            nth,
            index,
            offset_bits,
        } => Some(Place {
            function,
            nth,
            index,
            offsets: vec![offset_bits],
        }),
        ObservedPlace::Behind {
            pointer,
            offset_bits,
            ..
        } => {
            let mut at = place_of(pointer)?;
            at.offsets.push(*offset_bits);
            Some(at)
        }
        _ => None,
    }
}

/// The characters at the beginning that stand one after the other behind one pointer.
fn characters(types: &Types, observations: &[&Observation]) -> Vec<u8> {
    let Some(ObservedPlace::Behind {
        pointer: of,
        offset_bits: start,
        ty,
    }) = observations.first().map(|it| &it.place)
    else {
        return Vec::new();
    };
    let character = |(nth, observation): (usize, &&Observation)| {
        let ObservedPlace::Behind {
            pointer,
            offset_bits,
            ..
        } = &observation.place
        else {
            return None;
        };
        let follows = pointer == of && *offset_bits == start + 8 * nth as u64;
        match observation.value {
            Observed::Bits(bits) if follows && observation.width == 8 => u8::try_from(bits).ok(),
            _ => None,
        }
    };
    let run = observations.iter().enumerate().map_while(character);
    let run: Vec<u8> = run.collect();
    match leads_to_bytes(types, *ty) || run.len() >= SHORTEST_ARRAY {
        true => run,
        false => Vec::new(),
    }
}

/// Whether the type of a pointer says no more than that there are bytes.
fn leads_to_bytes(types: &Types, pointer: TypeId) -> bool {
    let is_byte = |ty| is_character(types, ty) || *types.kind(ty) == Type::Void;
    types.pointee(pointer).is_some_and(is_byte)
}

/// The row of characters behind a pointer.
fn text_row(subject: &Subject<'_>, first: &Observation, bytes: &[u8]) -> Option<ExpectedArgument> {
    let ObservedPlace::Behind {
        pointer,
        ty,
        offset_bits,
    } = &first.place
    else {
        return None;
    };
    let types = subject.types;
    let at = place_of(pointer)?;
    let is_whole =
        *offset_bits == 0 && bytes.iter().position(|&byte| byte == 0) == Some(bytes.len() - 1);
    let is_text = is_whole && types.pointee(*ty).is_some_and(|ty| is_character(types, ty));
    let value = match is_text {
        true => Expected::Text(bytes[..bytes.len() - 1].to_vec()),
        false => Expected::Bytes {
            offset: offset_bits / 8,
            bytes: bytes.to_vec(),
        },
    };
    made(subject, pointer, at, (types.size(*ty) * 8) as u32, value)
}

/// The row of a scalar.
fn row(
    subject: &Subject<'_>,
    given: &Observation,
    all: &[&Observation],
    address: NameOfAddress<'_>,
) -> Option<ExpectedArgument> {
    let types = subject.types;
    let is_pointer = matches!(types.kind(given.ty), Type::Pointer { .. });
    let value = match given.value {
        Observed::Bits(bits) if matches!(types.kind(given.ty), Type::Float(_)) => {
            Expected::Number(bits_of_float(given.width, bits)?)
        }
        Observed::Bits(bits) if given.width <= 64 => {
            Expected::Number(literal::integer(types, given.ty, given.width, bits))
        }
        Observed::Bits(_) => return None,
        Observed::Null => Expected::Pointer("NULL".to_owned()),
        _ if given.width != subject.program.target.pointer_width => return None,
        Observed::Function(_) => Expected::Pointer(address(given)?),
        _ => match address(given) {
            Some(address) => Expected::Pointer(address),
            None => not_null(given, all, is_pointer)?,
        },
    };
    made(
        subject,
        &given.place,
        place_of(&given.place)?,
        given.width,
        value,
    )
}

/// The bits of a floating number that is a number.
fn bits_of_float(width: u32, bits: u128) -> Option<String> {
    let is_number = match width {
        32 => !f32::from_bits(bits as u32).is_nan(),
        64 => !f64::from_bits(bits as u64).is_nan(),
        _ => false,
    };
    is_number.then(|| format!("{bits:#x}ull"))
}

/// That a pointer is not NULL, unless what it leads to says so.
fn not_null(given: &Observation, all: &[&Observation], is_pointer: bool) -> Option<Expected> {
    let mut others = all.iter();
    let is_followed = others.any(|other| match &other.place {
        ObservedPlace::Behind { pointer, .. } => **pointer == given.place,
        _ => false,
    });
    (is_pointer && !is_followed).then_some(Expected::NotNull)
}

fn made(
    subject: &Subject<'_>,
    place: &ObservedPlace,
    at: Place,
    width: u32,
    value: Expected,
) -> Option<ExpectedArgument> {
    let (&last, before) = at.offsets.split_last()?;
    Some(ExpectedArgument {
        call: at.nth + 1,
        name: name(subject, place, width)?,
        argument: at.index,
        way: match *before {
            [] => Way::Direct,
            [first] => Way::One(first / 8),
            [first, second] => Way::Two(first / 8, second / 8),
            // The machine follows no more.
            _ => return None,
        },
        first: last,
        width,
        value,
    })
}

/// How C names what is expected, by the parameters of the function.
fn name(subject: &Subject<'_>, place: &ObservedPlace, width: u32) -> Option<String> {
    let types = subject.types;
    match place {
        &ObservedPlace::Argument {
            function,
            index,
            offset_bits,
            ..
        } => {
            let name = subject.program.functions[function].argument_name(index as usize);
            let ty = *subject
                .function_type(function)?
                .parameters
                .get(index as usize)?;
            let path = part(subject, ty, offset_bits, width);
            Some(format!("{name}{path}"))
        }
        ObservedPlace::Behind {
            pointer,
            ty,
            offset_bits,
        } => {
            let text = name(subject, pointer, (types.size(*ty) * 8) as u32)?;
            let element = types.pointee(*ty)?;
            let size = (types.size(element) * 8).max(1);
            let (index, offset) = (offset_bits / size, offset_bits % size);
            let path = part(subject, element, offset, width);
            Some(match (index, path.strip_prefix('.')) {
                (0, Some(member)) => format!("{text}->{member}"),
                (0, None) if path.is_empty() => format!("*{text}"),
                _ => format!("{text}[{index}]{path}"),
            })
        }
        _ => None,
    }
}

/// The path to a scalar of a width in a type, as far as C has names for it.
fn part(subject: &Subject<'_>, ty: TypeId, offset: u64, width: u32) -> String {
    let types = subject.types;
    if types.is_scalar(ty) {
        return String::new();
    }
    let is_it = |part: path::Part| {
        let bits = part.bit_width.map_or(types.size(part.ty) * 8, u64::from);
        let is_bool = width == 1 && part.bit_width.is_none() && bits == 8;
        types.is_scalar(part.ty) && (bits == u64::from(width) || is_bool)
    };
    let found = path::find(types, ty, offset, &is_it);
    found.map_or_else(|| format!(".bit_{offset}"), |access| access.path)
}
