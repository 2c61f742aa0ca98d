//! Initialisers: an object's values between braces, as short as they stay clear.

use std::collections::{BTreeMap, BTreeSet};

use ir::input::InputValue;
use ir::{Field, IntName, RecordId, Type, TypeId, Types};

use super::literal;
use super::runs::LONGEST_ALIKE;
use crate::graph::CellValue;
use ir::path::{self, is_union, same_scalar};

/// Writes initialisers from cells.
pub struct Builder<'a> {
    /// The types.
    pub types: &'a Types,
    /// The values by offset in bits.
    pub cells: &'a BTreeMap<i64, CellValue>,
    /// The C text of a value; `None` where it cannot stand in the initialiser.
    pub render: &'a dyn Fn(&CellValue) -> Option<String>,
}

/// An initialiser, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The text; `None` if all of it has the default value.
    pub text: Option<String>,
    /// The offsets of the cells that it holds.
    pub used: BTreeSet<i64>,
}

/// Gaps longer than this in an array are skipped by a designator.
const LONGEST_GAP: u64 = 8;

impl Builder<'_> {
    /// The initialiser of a part of type `ty` at `base` bits.
    pub fn build(&self, ty: TypeId, base: i64) -> Built {
        match self.types.kind(ty) {
            Type::Array {
                element,
                length: Some(length),
            } => self.array(*element, *length, base),
            Type::Record(record) if is_union(self.types, ty) => self.union(*record, base),
            Type::Record(record) => self.record(*record, base),
            _ => self.scalar(ty, base, None),
        }
    }

    fn scalar(&self, ty: TypeId, base: i64, bit_width: Option<u32>) -> Built {
        let fits = |cell: &&CellValue| {
            same_scalar(self.types, cell.ty, ty)
                && bit_width.is_none_or(|width| width == cell.width)
        };
        let cell = self.cells.get(&base).filter(fits);
        let text = cell.and_then(|cell| Some(self.converted(cell, ty, (self.render)(cell)?)));
        let used = text.iter().map(|_| base).collect();
        Built { text, used }
    }

    /// The text of a pointer, for a member of a union that is a pointer of another type.
    fn converted(&self, cell: &CellValue, ty: TypeId, text: String) -> String {
        let is_other = cell.ty != ty && self.types.pointee(ty).is_some();
        match is_other && cell.value != InputValue::Null {
            true if path::nameable(self.types, ty) => {
                format!("({}){text}", self.types.declare(ty, ""))
            }
            true => format!("(void *){text}"),
            false => text,
        }
    }

    /// The initialiser of `length` elements at `base` bits.
    pub fn array(&self, element: TypeId, length: u64, base: i64) -> Built {
        if let Some(string) = self.string(element, length, base) {
            return string;
        }
        let stride = (self.types.size(element) * 8) as i64;
        if stride == 0 {
            return Built::default();
        }
        let end = base.saturating_add(stride.saturating_mul(length as i64));
        let indices: BTreeSet<u64> = self
            .cells
            .range(base..end)
            .map(|(offset, _)| ((offset - base) / stride) as u64)
            .collect();
        let mut items = Vec::new();
        let mut used = BTreeSet::new();
        let mut next = 0;
        for index in indices {
            let built = self.build(element, base + index as i64 * stride);
            let Some(text) = built.text else { continue };
            if index - next <= LONGEST_GAP {
                items.extend((next..index).map(|at| (at, self.default_text(element))));
            }
            items.push((index, text));
            next = index + 1;
            used.extend(built.used);
        }
        braced(elements(&items), used)
    }

    fn string(&self, element: TypeId, length: u64, base: i64) -> Option<Built> {
        let plain = match self.types.kind(element) {
            Type::Int(int) if int.name.is_character() => int.name == IntName::Char,
            _ => return None,
        };
        let end = base.checked_add(i64::try_from(length).ok()?.checked_mul(8)?)?;
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        let mut used = BTreeSet::new();
        for (&offset, cell) in self.cells.range(base..end) {
            let InputValue::Bits(bits) = cell.value else {
                return None;
            };
            let index = usize::try_from((offset - base) / 8).ok()?;
            if cell.width != 8 || !same_scalar(self.types, cell.ty, element) {
                return None;
            }
            *bytes.get_mut(index)? = bits as u8;
            used.insert(offset);
        }
        let text = literal::string(literal::terminated(&bytes)?)?;
        // Zeros in unsigned characters are numbers more often than an empty string.
        let text = if plain || text.len() > 2 {
            text
        } else {
            "{0}".to_owned()
        };
        Some(Built {
            text: Some(text),
            used,
        })
    }

    fn record(&self, record: RecordId, base: i64) -> Built {
        let mut items = Vec::new();
        let mut used = BTreeSet::new();
        for field in &self.types.records[record].fields {
            let built = self.field(field, base);
            if let Some(text) = built.text {
                items.push(designated(field, &text));
                used.extend(built.used);
            }
        }
        braced(items, used)
    }

    /// The member that holds most of the cells.
    fn union(&self, record: RecordId, base: i64) -> Built {
        let mut best = Built::default();
        for field in &self.types.records[record].fields {
            let built = self.field(field, base);
            if built.used.len() > best.used.len()
                && let Some(text) = built.text
            {
                best = Built {
                    text: Some(format!("{{{}}}", designated(field, &text))),
                    used: built.used,
                };
            }
        }
        best
    }

    fn field(&self, field: &Field, base: i64) -> Built {
        let offset = base + field.offset_bits as i64;
        match (&field.name, field.bit_width) {
            (None, Some(_)) => Built::default(),
            (Some(_), Some(width)) => self.scalar(field.ty, offset, Some(width)),
            (_, None) => self.build(field.ty, offset),
        }
    }

    /// The text for a default value before another value.
    pub fn default_text(&self, ty: TypeId) -> String {
        match self.types.kind(ty) {
            Type::Array { .. } | Type::Record(_) => zeros(self.types, ty).to_owned(),
            Type::Pointer { .. } => "NULL".to_owned(),
            Type::Int(int) if int.name == IntName::Char => "'\\0'".to_owned(),
            _ => "0".to_owned(),
        }
    }
}

/// The initialiser of an array, a record or an array of these that is all zeros.
pub(super) fn zeros(types: &Types, ty: TypeId) -> &'static str {
    match begins_with_scalar(types, ty) {
        true => "{0}",
        false => "{}",
    }
}

/// Whether what comes first in an object is no array or record without anything in it.
fn begins_with_scalar(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, length } => {
            *length != Some(0) && begins_with_scalar(types, *element)
        }
        Type::Record(record) => {
            let is_initialised = |field: &&Field| field.name.is_some() || field.bit_width.is_none();
            let mut fields = types.records[*record].fields.iter();
            let first = fields.find(is_initialised);
            first.is_some_and(|first| begins_with_scalar(types, first.ty))
        }
        _ => true,
    }
}

/// The elements of an array, with their indices: gaps are skipped by designators, and long runs of
/// equal elements are written as ranges.
fn elements(items: &[(u64, String)]) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = 0;
    let follows =
        |left: &(u64, String), right: &(u64, String)| left.0 + 1 == right.0 && left.1 == right.1;
    for run in items.chunk_by(follows) {
        let [(first, text), .., (last, _)] = run else {
            for (index, text) in run {
                found.push(match *index == next {
                    true => text.clone(),
                    false => format!("[{index}] = {text}"),
                });
                next = index + 1;
            }
            continue;
        };
        if run.len() >= LONGEST_ALIKE {
            found.push(format!("[{first} ... {last}] = {text}"));
        } else {
            let start = match *first == next {
                true => text.clone(),
                false => format!("[{first}] = {text}"),
            };
            found.push(start);
            found.extend(run.iter().skip(1).map(|(_, text)| text.clone()));
        }
        next = last + 1;
    }
    found
}

/// An anonymous member has no designator; its own members' designators stand in its place, in
/// braces that C needs for a positional initialiser, so it is opened here.
fn designated(field: &Field, text: &str) -> String {
    match &field.name {
        Some(name) => format!(".{name} = {text}"),
        None => text
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'))
            .unwrap_or(text)
            .to_owned(),
    }
}

fn braced(items: Vec<String>, used: BTreeSet<i64>) -> Built {
    let text = (!items.is_empty()).then(|| format!("{{{}}}", items.join(", ")));
    Built { text, used }
}
