//! The facts about a program that the form of its code and types gives, before any execution.

mod addresses;
pub(crate) mod closely;
mod containers;
pub(crate) mod locale;
pub(crate) mod node;
mod ordered;
pub(crate) mod uses;

use std::collections::BTreeSet;

use ir::{GlobalId, IntName, Program, Type, TypeId, Types};
use rustc_hash::FxHashMap;

use self::closely::Closely;
use self::containers::Containers;
use self::locale::Locale;
use self::uses::Uses;
use crate::ids::AllocationId;

/// The facts about a program's code and types by their form.
pub(crate) struct Facts {
    /// The type of bytes.
    pub character: TypeId,
    /// The facts about the locale.
    pub locale: Locale,
    /// How closely the code looks at results.
    pub closely: Closely,
    /// The objects that pointers to records may point into.
    pub containers: Containers,
    /// Integer types by size in bytes, signed and not, and `_Bool`.
    pub numbers: FxHashMap<(u64, bool, bool), TypeId>,
    /// The uses of pointers, and of numbers that stand for them.
    pub uses: Uses,
    /// The addresses that the program has as constants.
    pub addresses: BTreeSet<u64>,
}

impl Facts {
    /// Looks at a program whose globals are placed.
    pub fn new(program: &Program, place: impl Fn(GlobalId) -> AllocationId) -> Facts {
        Facts {
            character: character_type(program),
            locale: Locale::new(program, place),
            closely: closely::closely(program),
            containers: containers::containers(program),
            numbers: numbers(&program.types),
            uses: uses::uses(program),
            addresses: addresses::addresses(program),
        }
    }
}

/// Integer types by what tells their values apart.
fn numbers(types: &Types) -> FxHashMap<(u64, bool, bool), TypeId> {
    let mut found = FxHashMap::default();
    for (id, info) in types.iter() {
        if let Type::Int(int) = info.kind
            && u64::from(int.width) == types.size(id) * 8
        {
            let is_boolean = int.name == ir::IntName::Bool;
            let key = (types.size(id), int.signed, is_boolean);
            found.entry(key).or_insert(id);
        }
    }
    found
}

/// The type of bytes: that of characters, of which each program with objects has one.
fn character_type(program: &Program) -> TypeId {
    let names = [IntName::Char, IntName::UnsignedChar, IntName::SignedChar];
    let of_name = |name: IntName| {
        let mut types = program.types.iter();
        let found =
            types.find(|(_, info)| matches!(&info.kind, Type::Int(int) if int.name == name));
        found.map(|(id, _)| id)
    };
    let found = names.into_iter().find_map(of_name);
    found.unwrap_or_else(|| TypeId::from_raw(0))
}
