//! Records that other units of the program define and the tested unit does not. The tests define
//! them anew, if a struct of the same members has the same layout.
//!
//! A record that the unit mentions keeps its tag. Other records get a tag that nothing else uses,
//! because headers that the unit includes may define another type of the same name.

use std::collections::BTreeSet;

use ir::{Field, RecordId, RecordKind, Type, TypeId, Types, is_library_record};

use super::names::identifier;
use crate::Subject;

/// The types of a program as C text that is compiled with the tested unit can name them.
#[derive(Clone, Debug)]
pub struct KnownTypes {
    /// The types.
    pub types: Types,
    /// The records that the tests define, each after those that are its members.
    foreign: Vec<RecordId>,
}

impl KnownTypes {
    /// The types that the tests of a subject can name.
    pub fn new(subject: &Subject<'_>) -> Self {
        let mut types = subject.program.types.clone();
        let unit = &subject.program.units[subject.unit()];
        for &id in &unit.unknown_enums {
            if let Some(def) = types.enums.get_mut(id) {
                def.name = None;
                def.enumerators.clear();
            }
        }
        let unknown: BTreeSet<RecordId> = unit.unknown_records.iter().copied().collect();
        let mut known = KnownTypes {
            types,
            foreign: Vec::new(),
        };
        known.name(&unknown, &unit.absent_records);
        let mut left = BTreeSet::new();
        for &id in &unknown {
            known.define(id, &unknown, &mut left);
        }
        known
    }

    /// Gives the records tags that the tested unit does not use for other types.
    fn name(&mut self, unknown: &BTreeSet<RecordId>, absent: &[RecordId]) {
        let mut taken = BTreeSet::new();
        for &id in unknown {
            let record = &mut self.types.records[id];
            let own = record.name.as_deref().unwrap_or("record");
            if own.contains(' ') && (!absent.contains(&id) || is_library_record(own)) {
                continue;
            }
            let word = match record.kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            let mut name = format!("attest@{}", identifier(tag(own)));
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            record.name = Some(format!("{word} {name}"));
        }
    }

    /// Adds the definition of a record after those that it needs. A record stays incomplete if a
    /// struct of its members has another layout; pointers to it need no more than its tag.
    fn define(
        &mut self,
        id: RecordId,
        unknown: &BTreeSet<RecordId>,
        looked_at: &mut BTreeSet<RecordId>,
    ) {
        if !unknown.contains(&id) || !looked_at.insert(id) {
            return;
        }
        for held in self.held(id) {
            self.define(held, unknown, looked_at);
        }
        let record = &self.types.records[id];
        // The library's own records stay incomplete: tests only have pointers to them.
        let name = record.name.as_deref().unwrap_or_default();
        let is_open = record.complete && !is_library_record(name);
        let is_defined = is_open && is_plain(&self.types, id);
        self.types.records[id].complete = is_defined;
        if is_defined {
            self.foreign.push(id);
        }
    }

    /// The records that are members of a record, or elements of its members.
    fn held(&self, id: RecordId) -> Vec<RecordId> {
        let fields = self.types.records[id].fields.iter();
        let inner = fields.map(|field| self.types.element_of(field.ty));
        let records = inner.filter_map(|ty| match self.types.kind(ty) {
            Type::Record(record) => Some(*record),
            _ => None,
        });
        records.collect()
    }

    /// The definitions and declarations that a text needs.
    pub fn declarations(&self, text: &str) -> String {
        let mut needed = BTreeSet::new();
        let mut waiting = vec![text.to_owned()];
        while let Some(text) = waiting.pop() {
            for (id, record) in self.types.records.iter_enumerated() {
                let name = record.name.as_deref().unwrap_or_default();
                let is_tagged = name.contains(' ');
                if is_tagged && !needed.contains(&id) && mentions(&text, name) {
                    needed.insert(id);
                    if self.foreign.contains(&id) {
                        waiting.push(definition(&self.types, id));
                    }
                }
            }
        }
        let is_open =
            |id: &&RecordId| self.foreign.contains(id) || !self.types.records[**id].complete;
        let tags = needed.iter().filter(is_open).filter_map(|&id| {
            let name = self.types.records[id].name.as_ref()?;
            Some(format!("{name};\n"))
        });
        let defined = self.foreign.iter().filter(|id| needed.contains(id));
        let definitions = defined.map(|&id| definition(&self.types, id));
        let all: String = tags.chain(definitions).collect();
        match all.is_empty() {
            true => all,
            false => format!("\n/* Types of other units. */\n{all}"),
        }
    }
}

/// Whether the spelling of a type contains a tag of the tests' own. The tested unit may declare
/// functions of such types with others.
pub fn is_foreign(types: &Types, ty: TypeId) -> bool {
    types.declare(ty, "").contains('@')
}

/// The word after `struct` or `union`.
fn tag(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

/// Whether a text has a name in it that is no part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$');
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

/// The definition of a record whose members have names.
fn definition(types: &Types, id: RecordId) -> String {
    let record = &types.records[id];
    let name = record.name.as_deref().unwrap_or_default();
    format!("{name} {{\n{}}};\n", members(types, &record.fields, 1))
}

fn members(types: &Types, fields: &[Field], depth: usize) -> String {
    let indent = "    ".repeat(depth);
    let lines = fields.iter().map(|field| {
        let name = field.name.as_deref().unwrap_or_default();
        let qualifiers = ir::qualifier_words(field.constant, field.volatile);
        match (types.record(field.ty), field.bit_width, name) {
            (Some(record), _, "") => {
                let word = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                let inside = members(types, &record.fields, depth + 1);
                format!("{indent}{word} {{\n{inside}{indent}}};\n")
            }
            (_, Some(width), _) => {
                let declared = types.declare_qualified(field.ty, qualifiers, name);
                format!("{indent}{declared} : {width};\n")
            }
            _ => {
                let declared = types.declare_qualified(field.ty, qualifiers, name);
                format!("{indent}{declared};\n")
            }
        }
    });
    lines.collect()
}

/// Whether all members of a record have types that C can name, and the compiler would lay them out
/// the same way again.
fn is_plain(types: &Types, id: RecordId) -> bool {
    let record = &types.records[id];
    let is_union = record.kind == RecordKind::Union;
    let (mut end, mut size, mut align) = (0_u64, 0_u64, 1_u64);
    for field in &record.fields {
        let is_anonymous = field.name.is_none();
        let inner = types.element_of(field.ty);
        let is_named = match types.record(inner) {
            Some(inner) => inner.complete && (!is_anonymous || field.bit_width.is_none()),
            None => !is_anonymous && ir::path::nameable(types, inner),
        };
        let (bits, needed) = (types.size(field.ty) * 8, types.align(field.ty) * 8);
        if !is_named || needed == 0 {
            return false;
        }
        let at = match (field.bit_width, is_union) {
            (_, true) => 0,
            (Some(width), _) => match end % bits + u64::from(width) > bits {
                true => end.next_multiple_of(needed),
                false => end,
            },
            (None, _) => end.next_multiple_of(needed),
        };
        if field.offset_bits != at {
            return false;
        }
        end = at + field.bit_width.map_or(bits, u64::from);
        size = size.max(end);
        align = align.max(needed);
    }
    let size = size.next_multiple_of(align.max(8)) / 8;
    !record.fields.is_empty() && record.size == size && record.align * 8 == align.max(8)
}
