//! Each invariant has programs that keep it and programs that break it.

use ir::verify::Invariant::{self, *};
use ir::{Program, text, verify};

fn parse(text: &str) -> Program {
    text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The invariants that a program breaks, each once.
fn broken(text: &str) -> Vec<Invariant> {
    let mut found: Vec<Invariant> = match verify(&parse(text)) {
        Ok(()) => Vec::new(),
        Err(violations) => violations
            .iter()
            .map(|violation| violation.invariant)
            .collect(),
    };
    found.dedup();
    found
}

/// A function with `int`s, pointers, a record, an array and a temporary around some code.
fn with_body(code: &str) -> String {
    format!(
        "rec0 struct \"struct s\" size 8 align 4 {{ a: int @0, low: int @32 bits 3 }}
         global counter: int = 0
         fn callee(a: int, p: *int) -> int
         fn printf(format: *const char, ...) -> int
         fn f(i: int, u: uint, l: long, p: *int, s: *rec0, b: bool, v: *void) -> int {{
           _7 r: rec0 taken
           _8 array: [4 x int] taken
           _9: int
           _10 x: int
           _11 q: *int
           _12 d: double
           _13 w: long
           _14 z: bool
           bb0:
             {code}
         }}"
    )
}

#[test]
fn good_code_keeps_all_invariants() {
    let good = [
        "_9 = add _0, 1 return _9",
        "_9 = lt _1, 5:uint return _9",
        "_9 = eq _3, null return _9",
        "_13 = shl _2, 3 return 0",
        "_10 = load _8[_0] return _10",
        "_10 = load _4->low return _10",
        "_7 = load *_4 return 0",
        "_11 = addr _8 return 0",
        "_11 = addr _8[2] return 0",
        "_11 = addr @counter return 0",
        "_11 = &@counter return 0",
        "_11 = ptr_add _3, _2 x 4 return 0",
        "_13 = ptr_diff _3, _11 x 4 return 0",
        "_14 = int_to_bool _0 return 0",
        "_12 = load *_6: double return 0",
        "_8 = zero return 0",
        "_9 = call @callee(_0, _3) -> bb1 bb1: return _9",
        "call @printf(null, _0, _8) -> bb1 bb1: return",
        "switch _0 d0 { 1 => bb1, -5..-2 => bb1, else => bb1 } bb1: unreachable",
        "unsupported \"inline assembly\" -> never",
    ];
    for code in good {
        // Declares the decision for the switch, which other code may leave unused.
        let text = with_body(code).replace("_14 z: bool", "_14 z: bool\nd0 switch");
        let result = verify(&parse(&text));
        assert_eq!(result, Ok(()), "{code}");
    }
}

#[test]
fn bad_code_breaks_the_invariant() {
    let bad = [
        (Ids, "_9 = add _99, 1 return 0"),
        (Ids, "goto bb7"),
        (Ids, "live _99 return 0"),
        (Ids, "_10 = 1 at9 return 0"),
        (Ids, "call fn9() -> bb0"),
        (Ids, "g9: int = 1 return 0"),
        (Ids, "_11 = &g9 return 0"),
        (Ids, "branch _0 ? bb0 : bb0 tag c3 true/false"),
        (Ids, "switch _0 d3 { else => bb0 }"),
        (Constants, "_14 = 2 return 0"),
        (Constants, "_10 = 4294967296 return 0"),
        (Constants, "_9 = &@counter:int return 0"),
        (Constants, "_9 = float(0):int return 0"),
        (Operators, "_9 = add _0, _1 return 0"),
        (Operators, "_9 = add _0, _2 return 0"),
        (Operators, "_11 = add _3, _3 return 0"),
        (Operators, "_9 = lt _0, _1 return 0"),
        (Operators, "_9 = eq _0, _3 return 0"),
        (Operators, "_12 = add _12, _12 return 0"),
        (Operators, "_9 = shl _0, _3 return 0"),
        (Operators, "_11 = ptr_add _0, _0 x 4 return 0"),
        (Operators, "_11 = ptr_add _3, _3 x 4 return 0"),
        (Operators, "_11 = not _3 return 0"),
        (Operators, "_9 = int_to_int _3 return 0"),
        (Operators, "_14 = int_to_int _0 return 0"),
        (Operators, "_14 = pointer_to_bool _0 return 0"),
        (Operators, "_11 = pointer_to_pointer _0 return 0"),
        (Operators, "_11 = int_to_pointer _3 return 0"),
        (Operators, "_10 = pointer_to_int _0 return 0"),
        (Operators, "branch _12 ? bb0 : bb0"),
        (Assignments, "_10 = _1 return 0"),
        (Assignments, "_10 = _3 return 0"),
        (Assignments, "_1 = lt _0, 1 return 0"),
        (Assignments, "_11 = addr _7 return 0"),
        (Assignments, "_10 = addr _8 return 0"),
        (Assignments, "_10 = add _1, _1 return 0"),
        (Assignments, "*_3 = _2 return 0"),
        (Assignments, "_7 = zero as int return 0"),
        (Scalars, "_9 = eq _7, _7 return 0"),
        (Scalars, "_9 = add _8, 1 return 0"),
        (Scalars, "branch _7 ? bb0 : bb0"),
        (Places, "_10 = load *_0: int return 0"),
        (Places, "_10 = load _0.0: int return 0"),
        (Places, "_10 = load _7.5: int return 0"),
        (Places, "_10 = load _3[0]: int return 0"),
        (Places, "_10 = load _4->low.0: int return 0"),
        (Places, "_13 = load _7.a: long return 0"),
        (Places, "_13 = load *_6[0]: long return 0"),
        (Operators, "_10 = load _8[_3] return 0"),
        (Addresses, "_11 = addr _10 return 0"),
        (Addresses, "_11 = addr _4->low return 0"),
        (Calls, "call @callee(_0) -> bb0"),
        (Calls, "call @callee(_0, _3, _3) -> bb0"),
        (Calls, "call @printf() -> bb0"),
        (Calls, "call @callee(_1, _3) -> bb0"),
        (Calls, "_13 = call @callee(_0, _3) -> bb0"),
        (Calls, "call *_3() -> bb0"),
        (Returns, "return _1"),
        (Returns, "return _7"),
        (Temporaries, "return _9"),
        (
            Temporaries,
            "branch _0 ? bb1 : bb2 bb1: _9 = 1 goto bb2 bb2: return _9",
        ),
        (Temporaries, "call @callee(_9, _3) -> bb0"),
    ];
    for (invariant, code) in bad {
        assert_eq!(broken(&with_body(code)), [invariant], "{code}");
    }
}

#[test]
fn switches() {
    let with_arms = |arms: &str, decision: &str| {
        format!("fn f(a: int) {{ {decision} bb0: switch _0 d0 {{ {arms} else => bb0 }} }}")
    };
    let good = [
        "",
        "1 => bb0,",
        "-3..-1 => bb0, 0 => bb0,",
        "2147483647 => bb0,",
    ];
    for arms in good {
        assert_eq!(broken(&with_arms(arms, "d0 switch")), [], "{arms}");
    }
    let bad = [
        "1 => bb0, 1 => bb0,",
        "1..3 => bb0, 3 => bb0,",
        "1..-1 => bb0,",
        "4294967296 => bb0,",
    ];
    for arms in bad {
        assert_eq!(broken(&with_arms(arms, "d0 switch")), [Switches], "{arms}");
    }
    assert_eq!(
        broken(&with_arms("1 => bb0,", "d0 switch { else }")),
        [Switches]
    );
    assert_eq!(
        broken(&with_arms("1 => bb0,", "d0 switch { else, 1 }")),
        [Switches]
    );
    assert_eq!(
        broken(&with_arms("", "d0 if = true { else }")),
        [Switches, Decisions]
    );
}

#[test]
fn decisions_and_tags() {
    let with_tags = |tables: &str, first: &str, second: &str| {
        format!(
            "fn f(a: int, b: int) {{
               {tables}
               bb0: branch _0 ? bb1 : bb3 {first}
               bb1: branch _1 ? bb2 : bb3 {second}
               bb2: return
               bb3: return
             }}"
        )
    };
    let keeps = |tables: &str, first: &str, second: &str| {
        assert_eq!(broken(&with_tags(tables, first, second)), [], "{tables}");
    };
    keeps("d0 if = c0 && c1", "tag c0 -/false", "tag c1 true/false");
    keeps("d0 if = !(c0 && c1)", "tag c0 -/true", "tag c1 false/true");
    keeps("d0 if = !c0 || !c1", "tag c0 -/true", "tag c1 false/true");
    keeps("d0 if = c0 || true", "tag c0 true/true", "");
    keeps(
        "d0 if = c0 && (c1 || false)",
        "tag c0 -/false",
        "tag c1 true/false",
    );
    keeps(
        "d0 if = (c0 || c1) && true",
        "tag c0 true/-",
        "tag c1 true/false",
    );
    let breaks = |invariant: Invariant, tables: &str, first: &str, second: &str| {
        assert_eq!(
            broken(&with_tags(tables, first, second)),
            [invariant],
            "{tables}"
        );
    };
    breaks(
        Tags,
        "d0 if = c0 && c1",
        "tag c0 true/false",
        "tag c1 true/false",
    );
    breaks(
        Tags,
        "d0 if = c0 && c1",
        "tag c0 -/false",
        "tag c1 false/true",
    );
    breaks(
        Tags,
        "d0 if = c0 || c1",
        "tag c0 -/false",
        "tag c1 true/false",
    );
    breaks(Tags, "d0 if = c0 && c1", "tag c0 -/false", "");
    breaks(Decisions, "d0 if = c0 && c0", "tag c0 -/false", "");
    breaks(Decisions, "d0 if = c0 d1 if = c0", "tag c0 true/false", "");
    breaks(Decisions, "d0 if = true c0 of d0", "tag c0 true/false", "");
    breaks(
        Decisions,
        "d0 switch = c0 c0 of d0",
        "tag c0 true/false",
        "",
    );
}

#[test]
fn an_unsupported_construct_may_stand_for_a_condition() {
    let text = "fn f() { d0 if = c0 bb0: unsupported \"float\" -> bb0 }";
    assert_eq!(broken(text), []);
}

#[test]
fn signatures() {
    assert_eq!(broken("fn f(a: int) { bb0: return }"), []);
    assert_eq!(broken("fn f as int ()"), [Signatures]);
    assert_eq!(broken("fn f() { }"), [Signatures]);
    assert_eq!(
        broken("fn f as fn(int) (a, b) { _0: int param bb0: return }"),
        [Signatures]
    );
    assert_eq!(
        broken("fn f(a: int) { _0 a: uint param bb0: return }"),
        [Signatures]
    );
    assert_eq!(
        broken("fn f(a: int) { _0 a: int var bb0: return }"),
        [Signatures]
    );
    assert_eq!(broken("fn f() { _0: int param bb0: return }"), [Signatures]);
    assert_eq!(broken("fn f() { _0: void bb0: return }"), [Signatures]);
    assert_eq!(broken("global g: fn(int) = zero"), [Signatures]);
}

#[test]
fn ids_outside_code() {
    assert_eq!(broken("global g: int in unit7 = 0"), [Ids]);
    assert_eq!(broken("fn f() in unit7"), [Ids]);
    assert_eq!(broken("fn f() span file3:1:1-1:1"), [Ids]);
    assert_eq!(broken("fn f() { at0 file3:1:1-1:1 bb0: return }"), [Ids]);
    assert_eq!(broken("fn f() { s0 in bb8 bb0: return }"), [Ids]);
    assert_eq!(broken("fn f() { c0 of d8 bb0: return }"), [Ids]);
    assert_eq!(broken("local(fn9) global g: int = 0"), [Ids]);
    assert_eq!(
        broken("global g: *int = x\"0000000000000000\" with 0: &g7"),
        [Ids]
    );
}

#[test]
fn initial_values() {
    let good = [
        "global g: [4 x char] = \"abc\"",
        "global g: [2 x *int] = zero with 0: &@g, 8: &@g+8",
        "rec0 struct { n: int, d: [_ x char] } global g: rec0 = \"\\0\\0\\0\\0abcd\"",
    ];
    for text in good {
        assert_eq!(broken(text), [], "{text}");
    }
    let bad = [
        "global g: [2 x char] = \"abc\"",
        "global g: *int = zero with 1: &@g",
        "global g: [2 x *int] = zero with 8: &@g, 0: &@g",
        "global g: [2 x *int] = zero with 0: &@g, 4: &@g",
    ];
    for text in bad {
        assert_eq!(broken(text), [InitialValues], "{text}");
    }
}

#[test]
fn types_agree_as_in_c() {
    let assigns = |from: &str, to: &str| {
        broken(&format!(
            "enum0 \"enum e\": uint {{ A = 0 }}
             rec0 struct \"struct s\" {{ a: int }}
             rec1 struct \"struct s\" {{ a: int }}
             rec2 struct \"struct t\" {{ a: int }}
             fn f(from: {from}) {{ _1 to: {to} bb0: _1 = _0 return }}"
        ))
    };
    let agreeing = [
        ("*const char", "*char"),
        ("enum0", "uint"),
        ("*rec0", "*rec1"),
        ("*[_ x int]", "*[4 x int]"),
        ("*fn(...) -> int", "*fn(int) -> int"),
        ("**const char", "*const *char"),
    ];
    for (from, to) in agreeing {
        assert_eq!(assigns(from, to), [], "{from} to {to}");
        assert_eq!(assigns(to, from), [], "{to} to {from}");
    }
    let apart = [
        ("*char", "*uchar"),
        ("enum0", "int"),
        ("*rec0", "*rec2"),
        ("*[3 x int]", "*[4 x int]"),
        ("*fn(long) -> int", "*fn(int) -> int"),
        ("*void", "*char"),
        ("long", "llong"),
    ];
    for (from, to) in apart {
        assert_eq!(assigns(from, to), [Assignments], "{from} to {to}");
    }
}
