//! Merging the types of two programs: equal structure is one type, and records and enums of one
//! name and structure are one.

use index_vec::IndexVec;
use ir::{EnumId, Field, FunctionType, Record, RecordId, Type, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// The numbers of types in the whole.
pub(super) struct Merged {
    /// Of each new type.
    pub types: IndexVec<TypeId, TypeId>,
    /// Of each new record.
    pub records: IndexVec<RecordId, RecordId>,
    /// Of each new enum.
    pub enums: IndexVec<EnumId, EnumId>,
}

/// Adds the types of `new` to `old`.
pub(super) fn merge(old: &mut Types, new: &Types) -> Merged {
    let enums = merge_enums(old, new);
    let (records, added) = match_records(old, new, &enums);
    let mut merger = Merger {
        old,
        new,
        records: &records,
        enums: &enums,
        map: FxHashMap::default(),
    };
    let ids: Vec<TypeId> = new.iter().map(|(id, _)| id).collect();
    let map: IndexVec<TypeId, TypeId> = ids.into_iter().map(|id| merger.ty(id)).collect();
    for id in added {
        let record = &new.records[id];
        let fields = record.fields.iter().map(|field| Field {
            ty: map[field.ty],
            ..field.clone()
        });
        let record = Record {
            fields: fields.collect(),
            ..record.clone()
        };
        old.complete_record(records[id], record);
    }
    Merged {
        types: map,
        records,
        enums,
    }
}

fn merge_enums(old: &mut Types, new: &Types) -> IndexVec<EnumId, EnumId> {
    let mut by_name: FxHashMap<Option<String>, Vec<EnumId>> = FxHashMap::default();
    for (id, def) in old.enums.iter_enumerated() {
        by_name.entry(def.name.clone()).or_default().push(id);
    }
    new.enums
        .iter()
        .map(|def| {
            let known = by_name.get(&def.name).into_iter().flatten();
            let same = known.copied().find(|&id| old.enums[id] == *def);
            same.unwrap_or_else(|| old.enums.push(def.clone()))
        })
        .collect()
}

/// Finds for each new record the old one that it is, or adds it without its members. Gives also the
/// new records whose members are still to be filled in.
fn match_records(
    old: &mut Types,
    new: &Types,
    enums: &IndexVec<EnumId, EnumId>,
) -> (IndexVec<RecordId, RecordId>, Vec<RecordId>) {
    let mut by_name: FxHashMap<Option<String>, Vec<RecordId>> = FxHashMap::default();
    for (id, record) in old.records.iter_enumerated() {
        by_name.entry(record.name.clone()).or_default().push(id);
    }
    let mut matched: FxHashMap<RecordId, RecordId> = FxHashMap::default();
    for (id, record) in new.records.iter_enumerated() {
        let candidates = by_name.get(&record.name).into_iter().flatten();
        for &candidate in candidates {
            if matched.contains_key(&id) {
                break;
            }
            let mut comparison = Comparison {
                old,
                new,
                enums,
                matched: &matched,
                assumed: FxHashSet::default(),
            };
            if comparison.records(id, candidate) {
                // What was assumed on the way hangs together, so all of it holds.
                let assumed = comparison.assumed;
                matched.extend(assumed);
            }
        }
    }
    let mut added = Vec::new();
    let mut completed = FxHashSet::default();
    let mut map = IndexVec::new();
    for (id, record) in new.records.iter_enumerated() {
        let known = matched.get(&id).copied().filter(|&known| {
            let completes = record.complete && !old.records[known].complete;
            // Two records of one name in different blocks cannot both complete a third.
            if completes && completed.insert(known) {
                added.push(id);
                return true;
            }
            !completes
        });
        let to = match known {
            Some(known) => known,
            None => {
                added.push(id);
                old.records.push(Record {
                    fields: Vec::new(),
                    ..record.clone()
                })
            }
        };
        map.push(to);
    }
    (map, added)
}

/// A comparison of a new record with an old one; records point to each other, so pairs under
/// comparison are assumed to be equal.
struct Comparison<'a> {
    old: &'a Types,
    new: &'a Types,
    enums: &'a IndexVec<EnumId, EnumId>,
    matched: &'a FxHashMap<RecordId, RecordId>,
    assumed: FxHashSet<(RecordId, RecordId)>,
}

impl Comparison<'_> {
    fn records(&mut self, new: RecordId, old: RecordId) -> bool {
        if let Some(&known) = self.matched.get(&new) {
            return known == old;
        }
        if self.assumed.contains(&(new, old)) {
            return true;
        }
        let (n, o) = (&self.new.records[new], &self.old.records[old]);
        if n.kind != o.kind || n.name != o.name {
            return false;
        }
        let open = !n.complete || !o.complete;
        if open && n.name.is_none() {
            return false;
        }
        if !open && (n.size != o.size || n.align != o.align || n.fields.len() != o.fields.len()) {
            return false;
        }
        self.assumed.insert((new, old));
        open || n
            .fields
            .iter()
            .zip(&o.fields)
            .all(|(n, o)| self.fields(n, o))
    }

    fn fields(&mut self, new: &Field, old: &Field) -> bool {
        new.name == old.name
            && new.constant == old.constant
            && new.volatile == old.volatile
            && new.offset_bits == old.offset_bits
            && new.bit_width == old.bit_width
            && self.types(new.ty, old.ty)
    }

    fn types(&mut self, new: TypeId, old: TypeId) -> bool {
        match (self.new.kind(new), self.old.kind(old)) {
            (Type::Record(new), Type::Record(old)) => self.records(*new, *old),
            (Type::Enum(new), Type::Enum(old)) => self.enums[*new] == *old,
            (
                Type::Pointer {
                    pointee,
                    constant,
                    volatile,
                },
                Type::Pointer {
                    pointee: old_pointee,
                    constant: old_constant,
                    volatile: old_volatile,
                },
            ) => {
                constant == old_constant
                    && volatile == old_volatile
                    && self.types(*pointee, *old_pointee)
            }
            (
                Type::Array { element, length },
                Type::Array {
                    element: old_element,
                    length: old_length,
                },
            ) => length == old_length && self.types(*element, *old_element),
            (Type::Function(new), Type::Function(old)) => {
                new.variadic == old.variadic
                    && new.attributes.convention == old.attributes.convention
                    && new.parameters.len() == old.parameters.len()
                    && self.types(new.result, old.result)
                    && new
                        .parameters
                        .iter()
                        .zip(&old.parameters)
                        .all(|(new, old)| self.types(*new, *old))
            }
            (new, old) => new == old,
        }
    }
}

/// The translation of types once records and enums have their numbers.
struct Merger<'a> {
    old: &'a mut Types,
    new: &'a Types,
    records: &'a IndexVec<RecordId, RecordId>,
    enums: &'a IndexVec<EnumId, EnumId>,
    map: FxHashMap<TypeId, TypeId>,
}

impl Merger<'_> {
    fn ty(&mut self, id: TypeId) -> TypeId {
        if let Some(&known) = self.map.get(&id) {
            return known;
        }
        let info = self.new.info(id);
        let kind = match &info.kind {
            Type::Enum(def) => Type::Enum(self.enums[*def]),
            Type::Record(record) => Type::Record(self.records[*record]),
            Type::Pointer {
                pointee,
                constant,
                volatile,
            } => Type::Pointer {
                pointee: self.ty(*pointee),
                constant: *constant,
                volatile: *volatile,
            },
            Type::Array { element, length } => Type::Array {
                element: self.ty(*element),
                length: *length,
            },
            Type::Function(function) => Type::Function(FunctionType {
                result: self.ty(function.result),
                parameters: function.parameters.iter().map(|&id| self.ty(id)).collect(),
                variadic: function.variadic,
                attributes: function.attributes.clone(),
            }),
            scalar => scalar.clone(),
        };
        let merged = self.old.intern(kind, info.size, info.align);
        self.map.insert(id, merged);
        merged
    }
}
