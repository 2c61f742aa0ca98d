//! Functions that set up objects, told by their code.

use analysis::{SetUpKind, set_up};
use ir::{Program, RecordId, Type, TypeId, text};

/// Records of which functions set up the second: `b` is a record in it, `d` an array.
const RECORDS: &str = "
rec0 struct \"struct inner\" { b: int, c: int }
rec1 struct \"struct s\" { a: int, b: rec0, d: [2 x int] }
fn malloc(size: ulong) -> *void
fn free(p: *void)
fn memset(p: *void, value: int, size: ulong) -> *void
";

/// The functions that set up the second record, each with its kind and the scalars that it sets.
fn found(functions: &str) -> Vec<(String, SetUpKind, usize)> {
    let source = format!("{RECORDS}{functions}");
    let program: Program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let record = Type::Record(RecordId::from_raw(1));
    let mut types = program.types.iter();
    let ty: TypeId = types.find(|(_, info)| info.kind == record).expect("it").0;
    let all = set_up(&program, ty).into_iter();
    let told = all.map(|found| {
        let name = program.functions[found.function].name.clone();
        (name, found.kind, found.scalars)
    });
    told.collect()
}

/// The names alone.
fn names(functions: &str) -> Vec<String> {
    found(functions)
        .into_iter()
        .map(|(name, ..)| name)
        .collect()
}

const INIT: &str = "fn init(s: *rec1, n: int) {
  bb0: _0->a = _1 _0->b.b = 0 _0->b.c = 0 _0->d[1] = 0 return
}
";

#[test]
fn an_initialiser_writes_fields() {
    let expected = ("init".to_owned(), SetUpKind::Initialiser, 4);
    assert_eq!(found(INIT), [expected]);
    // A quarter of the scalars is too little.
    let setter = "fn set(s: *rec1, n: int) { bb0: _0->a = _1 return }";
    assert_eq!(names(setter), [""; 0]);
}

#[test]
fn what_is_read_before_is_not_set() {
    let count = "fn count(s: *rec1) {
      _1: int _2: int
      bb0: _1 = load _0->a _2 = add _1, 1 _0->a = _2 _0->b.b = 0 _0->b.c = 0 return
    }";
    assert_eq!(found(count)[0].2, 2);
    // It is written on one path to the place where it is read.
    let perhaps = "fn perhaps(s: *rec1, n: int) {
      _2: int
      bb0: branch _1 ? bb1 : bb2
      bb1: _0->a = 1 goto bb2
      bb2: _2 = load _0->a _0->b.b = _2 _0->b.c = 0 _0->d[0] = 0 return
    }";
    assert_eq!(found(perhaps)[0].2, 3);
    let first = perhaps.replace("branch _1 ? bb1 : bb2", "goto bb1");
    assert_eq!(found(&first)[0].2, 4);
}

#[test]
fn called_functions_and_copied_pointers_are_followed() {
    let inner = "fn inner(i: *rec0) { bb0: _0->b = 1 _0->c = 2 return }
    fn outer(s: *rec1) {
      _1: *rec1 _2: *rec0
      bb0: _1 = _0 _1->a = 1 _2 = addr _1->b call @inner(_2) -> bb1
      bb1: return
    }";
    let expected = ("outer".to_owned(), SetUpKind::Initialiser, 3);
    assert_eq!(found(inner), [expected]);
    let zeros = "fn zeros(s: *rec1) {
      _1: *void
      bb0: _1 = pointer_to_pointer _0 call @memset(_1, 0, 20) -> bb1
      bb1: return
    }";
    assert_eq!(found(zeros)[0].2, 4);
}

#[test]
fn constructors_come_behind_the_initialiser_that_they_call() {
    let make = "fn make() -> *rec1 {
      _0: *void _1: *rec1
      bb0: _0 = call @malloc(20) -> bb1
      bb1: _1 = pointer_to_pointer _0 branch _1 ? bb2 : bb3
      bb2: call @init(_1, 1) -> bb4
      bb3: return null
      bb4: return _1
    }
    fn make_other() -> *rec1 {
      _0: *rec1
      bb0: _0 = call @make() -> bb1
      bb1: return _0
    }
    fn first(s: *rec1) -> *rec1 { bb0: return _0 }
    fn nothing() -> *rec1 { bb0: return null }
    ";
    let all = found(&format!("{make}{INIT}"));
    let expected = [
        ("init", SetUpKind::Initialiser),
        ("make", SetUpKind::Constructor),
        ("make_other", SetUpKind::Constructor),
    ];
    let told: Vec<(&str, SetUpKind)> = all.iter().map(|(name, kind, _)| (&**name, *kind)).collect();
    assert_eq!(told, expected);
}

#[test]
fn the_simplest_of_the_most_thorough_comes_first() {
    let others = "fn init_more(s: *rec1) {
      bb0: _0->a = 0 _0->b.b = 0 _0->b.c = 0 _0->d[0] = 0 return
    }
    fn init_less(s: *rec1) { bb0: _0->a = 0 _0->b.b = 0 _0->b.c = 0 return }
    fn reset_more(s: *rec1) {
      bb0: _0->a = 0 _0->b.b = 0 _0->b.c = 0 _0->d[0] = 0 return
    }
    ";
    let order = ["init_more", "reset_more", "init", "init_less"];
    assert_eq!(names(&format!("{others}{INIT}")), order);
}

#[test]
fn others_set_up_nothing() {
    let others = "fn two(s: *rec1, from: *rec1) {
      bb0: _0->a = 0 _0->b.b = 0 _0->b.c = 0 return
    }
    fn unknown(s: *rec1)
    fn end(s: *rec1) {
      _1: int _2: *void
      bb0: _1 = load _0->a _2 = int_to_pointer _1 call @free(_2) -> bb1
      bb1: _0->a = 0 _0->b.b = 0 _0->b.c = 0 return
    }";
    assert_eq!(names(others), [""; 0]);
}
