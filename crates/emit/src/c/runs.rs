//! Runs of characters in an array, set and checked as one string rather than one by one.

use ir::{Type, TypeId, Types};

use crate::test_program::Statement;

/// A run shorter than this stays as it is.
const SHORTEST: usize = 3;

/// A statement about a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The statement, if it stands alone.
    pub statement: Statement,
    /// The lvalue.
    pub place: String,
    /// The value, if it is a character.
    pub byte: Option<u8>,
    /// Whether all its bits are zero.
    pub is_zero: bool,
}

/// The byte of a character-typed value.
pub fn character(types: &Types, ty: TypeId, width: u32, bits: u128) -> Option<u8> {
    let is_character = matches!(types.kind(ty), Type::Int(int) if int.name.is_character());
    (is_character && width == 8).then_some(bits as u8)
}

/// The statements, with those about consecutive characters of one array joined; `join` makes the
/// statement from the address of the first and the bytes.
pub fn joined(items: &[Item], join: impl Fn(String, Vec<u8>) -> Statement) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut rest = items;
    while let Some(first) = rest.first() {
        let bytes = run(rest);
        let taken = if bytes.len() < SHORTEST {
            statements.push(first.statement.clone());
            1
        } else {
            let length = bytes.len();
            statements.push(join(address(&first.place), bytes));
            length
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    statements
}

/// The items, with long runs of zero elements of one array set at once.
pub fn zeros_at_once(items: Vec<Item>) -> Vec<Item> {
    let mut kept = Vec::new();
    let mut rest = items.as_slice();
    while let Some(first) = rest.first() {
        let length = zeros(rest);
        let (run, others) = rest.split_at(length.max(1));
        rest = others;
        if length < LONGEST_ALIKE {
            kept.extend_from_slice(run);
            continue;
        }
        kept.push(Item {
            statement: Statement::Clear {
                place: first.place.clone(),
                count: length,
            },
            // It is joined with nothing.
            place: String::new(),
            byte: None,
            is_zero: false,
        });
    }
    kept
}

/// How many items at the beginning are zero, are no characters, and stand one after the other in
/// one array.
fn zeros(items: &[Item]) -> usize {
    let start = items.first().and_then(|item| element(&item.place));
    let Some((array, index)) = start else {
        return 0;
    };
    let follows = |(nth, item): &(usize, &Item)| {
        let is_zero = item.is_zero && item.byte.is_none();
        is_zero && element(&item.place) == Some((array, index + *nth as u64))
    };
    items.iter().enumerate().take_while(follows).count()
}

/// So many equal elements of an array are written once, and so many calls in turn with the same
/// result share one line.
pub const LONGEST_ALIKE: usize = 16;

/// The elements of an array's initialiser, with long runs of equal ones told as ranges.
pub fn repeated(values: &[String]) -> Vec<String> {
    let mut items = Vec::new();
    let mut at = 0;
    for run in values.chunk_by(|left, right| left == right) {
        match run {
            [value, ..] if run.len() >= LONGEST_ALIKE => {
                items.push(format!("[{at} ... {}] = {value}", at + run.len() - 1));
            }
            _ => items.extend_from_slice(run),
        }
        at += run.len();
    }
    items
}

/// The characters at the beginning that stand one after the other in one array.
fn run(items: &[Item]) -> Vec<u8> {
    let start = items.first().and_then(|item| element(&item.place));
    let Some((array, index)) = start else {
        return Vec::new();
    };
    let follows = |(nth, item): (usize, &Item)| {
        (element(&item.place) == Some((array, index + nth as u64))).then_some(item.byte)?
    };
    items.iter().enumerate().map_while(follows).collect()
}

/// An array and an index, of a place that ends in one.
fn element(place: &str) -> Option<(&str, u64)> {
    let (array, index) = place.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

fn address(place: &str) -> String {
    match element(place) {
        Some((array, 0)) => array.to_owned(),
        _ => format!("&{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_ranges() {
        let values: Vec<String> = [7, 7]
            .into_iter()
            .chain([0; 20])
            .chain([1])
            .map(|value| value.to_string())
            .collect();
        assert_eq!(repeated(&values), ["7", "7", "[2 ... 21] = 0", "1"]);
    }

    #[test]
    fn only_neighbours_of_one_array_are_joined() {
        let assign = |place: &str| Statement::Assign {
            place: place.to_owned(),
            value: "0".to_owned(),
        };
        let item = |place: &str, byte: Option<u8>| Item {
            statement: assign(place),
            place: place.to_owned(),
            byte,
            is_zero: false,
        };
        let items = [
            item("a[1]", Some(b'x')),
            item("a[2]", Some(b'y')),
            item("a[3]", Some(b'z')),
            item("a[5]", Some(b'!')),
            item("b.t[0]", Some(b'u')),
            item("b.t[1]", Some(b'v')),
            item("b.t[2]", None),
            item("c", Some(b'w')),
        ];
        let statements = joined(&items, |address, bytes| Statement::AssignBytes {
            address,
            bytes,
        });
        let together = Statement::AssignBytes {
            address: "&a[1]".to_owned(),
            bytes: b"xyz".to_vec(),
        };
        let alone = ["a[5]", "b.t[0]", "b.t[1]", "b.t[2]", "c"].map(assign);
        let expected: Vec<Statement> = [together].into_iter().chain(alone).collect();
        assert_eq!(statements, expected);
    }
}
