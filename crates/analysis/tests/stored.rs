//! The values that code stores in fields and globals.

use std::collections::BTreeSet;

use analysis::{Stored, StoredValues, Variable, field_at};
use ir::{Program, RecordId, TypeId};

/// `set` stores constants in `state`, one of them by way of a local, a computed value in `length`, and
/// lends the address of `lent`. `kept` is a global that holds 4 at first.
const PROGRAM: &str = "
rec0 struct \"struct s\" size 16 align 4 { state: int @0, length: int @32, lent: int @64, never: int @96 }
fn set(_0 s: *rec0, _1 n: int) -> void {
  _2: int
  _3: int
  _4: *int
  bb0:
    _2 = 7
    _0->state = 3
    _0->state = _2
    _3 = add _1, 1
    _0->length = _3
    _4 = addr _0->lent
    return
}
";

fn constants(values: &[u128]) -> Stored {
    Stored::Constants(values.iter().copied().collect::<BTreeSet<u128>>())
}

#[test]
fn constants_and_computed_values_are_told_apart() {
    let program: Program = ir::text::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let stored = StoredValues::new(&program);
    let of = |field| stored.of(Variable::Field(RecordId::from_raw(0), field));
    assert_eq!(of(0), constants(&[3, 7]));
    assert_eq!(of(1), Stored::Anything);
    assert_eq!(of(2), Stored::Anything);
    assert_eq!(of(3), constants(&[]));
}

#[test]
fn the_field_at_an_offset_is_found() {
    let program: Program = ir::text::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let types = &program.types;
    let mut all = types.iter();
    let is_record = |ty: TypeId| matches!(types.kind(ty), ir::Type::Record(_));
    let (record, _) = all.find(|(ty, _)| is_record(*ty)).expect("a record");
    let field = |at| field_at(types, record, at);
    let expected = |index| Some(Variable::Field(RecordId::from_raw(0), index));
    assert_eq!(field(0), expected(0));
    assert_eq!(field(64), expected(2));
    assert_eq!(field(128), None);
}
