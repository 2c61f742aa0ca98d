//! The text form: printing and parsing are inverse, and errors say where and what.

mod random;

use ir::text::{ParseError, parse, print};
use ir::{Block, DecisionId, RecordId, Terminator};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_is_the_identity(choices in proptest::collection::vec(any::<u8>(), 0..900)) {
        let program = random::program(&choices);
        let text = print(&program);
        match parse(&text) {
            Ok(parsed) => prop_assert_eq!(parsed, program, "{}", text),
            Err(error) => prop_assert!(false, "{}\n{}", error, text),
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(
        choices in proptest::collection::vec(any::<u8>(), 0..300),
        cut in any::<prop::sample::Index>(),
        piece in "[a-z_0-9 *&@(){}:,.\"=-]{0,6}",
    ) {
        let text = print(&random::program(&choices));
        let mut at = cut.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = (at + 3).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        // Whatever comes out is read back as it is.
        if let Ok(program) = parse(&format!("{}{piece}{}", &text[..at], &text[end..])) {
            prop_assert_eq!(parse(&print(&program)), Ok(program));
        }
    }
}

/// A program by hand, with as little as possible.
const SHORT: &str = r#"
rec0 struct "struct cell" { value: i32, flag: u8, next: *rec0 }
global list: *rec0 = zero
literal global ".str": [3 x char] = "ab\0"
fn puts(s: *const char) -> int
static fn find(list: *rec0, wanted: int, deep: bool) -> *rec0 {
  _3 cell: *rec0
  _4: *rec0; _5: int; _6: int
  d0 while = c0 && !(c1 || true)
  d1 switch
  bb0: _3 = _0; goto bb1
  bb1:
    _6 = ne _3, null
    branch _6 ? bb2 : bb4 tag c0 -/false
  bb2:
    _5 = load _3->value       // one access
    _6 = eq _5, _1
    branch _6 ? bb5 : bb3 tag c1 false/false
  bb3:
    _4 = load _3->next
    _3 = _4
    goto bb1
  bb4:
    _5 = call @puts(&g1) -> bb6
  bb5: return _3
  bb6: switch _5 d1 { -1 => bb5, 1..5 => bb5, else => bb7 }
  bb7: return null
}
"#;

#[test]
fn a_program_by_hand() {
    let program = parse(SHORT).unwrap();
    assert_eq!(ir::verify(&program), Ok(()));
    let find = program.function("find").unwrap();
    let body = program.functions[find].body.as_ref().unwrap();
    assert_eq!(body.conditions.len(), 2);
    assert_eq!(body.decisions[DecisionId::from_raw(1)].sides.len(), 3);
    assert_eq!(
        body.decisions[DecisionId::from_raw(1)].sides[0].values,
        Some((-1, -1))
    );
    assert_eq!(program.types.records[RecordId::from_raw(0)].size, 16);
    assert_eq!(
        body.blocks[Block::from_raw(0)].terminator,
        Terminator::Goto(Block::from_raw(1))
    );
}

#[test]
fn a_program_by_hand_as_it_is_printed() {
    insta::assert_snapshot!(print(&parse(SHORT).unwrap()));
}

#[test]
fn every_part_of_the_grammar_as_it_is_printed() {
    let program = parse(EVERYTHING).unwrap_or_else(|error| panic!("{error}"));
    let text = print(&program);
    insta::assert_snapshot!(text);
    assert_eq!(parse(&text), Ok(program));
}

/// Something of everything that can be written.
const EVERYTHING: &str = r#"
target "i386-pc-linux-gnu" 32 wrapv
file0 "a.c"
file1 "dir/b \"quoted\".h"
unit0 user "a.c"
unit1 model "string.c"
enum0 "enum color": uint { RED = 0, GREEN = 7 }
enum1: schar { MINUS = -1 }
rec0 struct "struct cell" size 12 align 4 { value: int @0, low: uint @32 bits 3, ?: int @35 bits 5, next: *rec0 @64 }
rec1 union number { ?: rec0, l: llong }
rec2 struct "struct hidden" incomplete
types void, char:u8, longdouble size 16 align 16, unsupported "float _Complex" size 8 align 4
global counter: int = -1
static const global table: [4 x uchar] in unit0 span file0:3:1-3:9 = x"01 02 03 ff"
literal global ".str": [3 x char] = "ab\0"
local(@f) global calls: *int = zero with 0: &@counter+4
compound global ".compound": [2 x *fn(int) -> int] = zero with 0: &@apply, 4: &fn3
global elsewhere: [_ x long] in unit1
global twice: i64 = 5
fn twice(a: u64)
noreturn fn exit(status: enum1)
fn apply(a: int) -> int span file1:7:1-7:5
fn old as fn(...) -> int (a, ?, c nonnull)
static fn f(a: int, ?: *rec0 nonnull, p: *const *void, ...) -> rec0 in unit0 span file0:9:1-file1:9:5 in "a b"@file0:1:2 in MAX@file1:1:2 {
  _0 a: int param taken
  _3 x: rec0 taken
  _4: int var
  _5 t: *rec0 temp
  _6: *fn(int) -> int
  _7 u: rec1
  _8: double
  _9: [2 x int]
  _10: enum0
  at0 file0:1:1-1:1
  at1 file0:9:4-9:7 in MAX@file0:2:3
  d0 if file0:9:1-9:5 = c0 && !(c1 || true)
  d1 switch
  d2 switch file0:9:1-9:6 { 1 file0:9:1-9:9, -2..3, else }
  d3 binary_conditional = !c2 || (c3 || false) && c4
  c0 of d0 file0:9:1-9:5
  s0 in bb1 file0:9:1-9:5
  s1 in bb0
  bb0:
    live _3; _3 = zero at1
    _4 = load @counter
    @counter = 5
    _1->value = _4
    _1->low = 3
    _5 = load _1->next
    _5 = load *_1: *rec0
    _5 = null
    _5 = 0x10
    _5 = int_to_pointer 5:ulong
    _4 = pointer_to_int _5
    _4 = add 1, _4
    _4 = neg -7
    _4 = ge _5, null
    _4 = shl 1, 3:uchar
    _4 = load _9[1]
    _4 = load *(&@counter+4:*int)
    _7.l = 5
    _7.0.value = 6
    _8 = float(0x3ff0000000000000)
    _5 = addr _3
    _5 = ptr_add _5, _4 x 12
    _5 = ptr_sub _5, 2 x 12
    _4 = ptr_diff _5, _1 x 12
    _10 = 7
    _6 = &@apply
    dead _3
    goto bb1
  bb1: _4 = call *_6(5) -> bb2 at1
  bb2: call @exit(-1) -> never
  bb3: call fn0(1) -> bb4
  bb4: branch _4 ? bb5 : bb6 tag c0 -/false
  bb5: switch _10 d1 { 1 => bb1, 2..7 => bb1, else => bb2 }
  bb6: switch _4 d2 { 1 => bb1, -2..3 => bb1, else => bb2 }
  bb7: unsupported "inline assembly" -> bb1, bb2
  bb8: unsupported "alloca" -> never
  bb9: unreachable
  bb10: return _3
}
"#;

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("", None),
        ("fn", Some((1, 3, "a name", "the end of the text"))),
        ("fn f( -> int", Some((1, 7, "a name", "`->`"))),
        (
            "fn f() {",
            Some((1, 8, "a `}` that belongs to this `{`", "`{`")),
        ),
        ("fn f() {\n  bb1: return }", Some((2, 3, "`bb0`", "`bb1`"))),
        (
            "fn f() { bb0: _0 = }",
            Some((
                1,
                15,
                "a place whose type is known, or `:` and its type after it",
                "`_0`",
            )),
        ),
        (
            "fn f(a: int) { bb0: _0 = mull _0, 1 }",
            Some((
                1,
                26,
                "an operand or an operation such as `add`, `load`, `call`",
                "`mull`",
            )),
        ),
        (
            "fn f(a: int) { bb0: goto 7 }",
            Some((1, 26, "an id such as `bb0`", "`7`")),
        ),
        (
            "fn f() { bb0: call @g() -> never }",
            Some((1, 21, "the name of a function or global", "`g`")),
        ),
        (
            "fn f()\nfn f() { bb0: call @f() -> never }",
            Some((2, 21, "`fn0` or `g0`, as the name is not unique", "`f`")),
        ),
        (
            "global a: rec0",
            Some((1, 11, "a record that is declared", "`rec0`")),
        ),
        (
            "global a: float = 0",
            Some((1, 19, "`zero`, \"text\" or x\"00\" for this type", "`0`")),
        ),
        (
            "global a: int = $",
            Some((1, 17, "a word, number, string or symbol", "`$`")),
        ),
        (
            "target \"t\" 99999999999999999999",
            Some((1, 12, "a smaller number", "`99999999999999999999`")),
        ),
        (
            "fn f() { d0 if = c1 bb0: return }",
            Some((1, 21, "a declaration of `c0`, as there is a `c1`", "`bb0`")),
        ),
        (
            "rec0 struct",
            Some((1, 12, "a name", "the end of the text")),
        ),
        (
            "global s: *char = \"a",
            Some((1, 19, "a closing quote on the same line", "none")),
        ),
    ];
    for (text, expected) in cases {
        let expected =
            expected.map(
                |(line, column, expected, found): (u32, u32, &str, &str)| ParseError {
                    line,
                    column,
                    expected: expected.to_owned(),
                    found: found.to_owned(),
                },
            );
        assert_eq!(parse(text).err(), expected, "{text}");
    }
}

#[test]
fn what_nests_too_deeply_is_an_error() {
    let deep = format!("global a: {}int", "*".repeat(100_000));
    assert_eq!(
        parse(&deep).err().map(|error| error.expected),
        Some("less deep nesting".to_owned())
    );
    let formula = format!("fn f() {{ d0 if = {}c0 bb0: return }}", "!".repeat(100_000));
    assert!(parse(&formula).is_err());
}

#[test]
fn functions_of_the_c_library_are_told_from_those_of_other_libraries() {
    let text = "file0 \"a.c\"\n\
                file1 \"/usr/include/stdio.h\"\n\
                fn puts(text: *const char) -> int span file1:1:1-1:5\n\
                fn keep_text(text: *const char) -> int span file1:2:1-2:5\n\
                fn getpid() -> int span file0:3:1-3:5\n\
                fn __errno_location() -> *int span file1:4:1-4:5\n";
    let program = ir::text::parse(text).unwrap();
    let is_library = |name| program.is_library(program.function(name).unwrap());
    assert!(is_library("puts") && is_library("__errno_location"));
    assert!(!is_library("keep_text"), "of another library");
    assert!(!is_library("getpid"), "declared by the unit itself");
}
