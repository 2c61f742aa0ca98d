//! Proofs of loops, by formulas and by rounds.

mod support;

use ir::certificate::PlaceProof;
use support::{bare, check_at, checked, edge, formula, local, point, program};

/// `for (i = 0; i < n; i++) s += 2; if (s & 1) …`
const SUM: &str = r#"
fn f(n: uint) -> int {
  _1 s: uint
  _2 i: uint
  _3: int
  _4: uint
  bb0: _1 = 0; _2 = 0; goto bb1
  bb1: _3 = lt _2, _0; branch _3 ? bb2 : bb3
  bb2: _1 = add _1, 2; _2 = add _2, 1; goto bb1
  bb3: _4 = and _1, 1; branch _4 ? bb4 : bb5
  bb4: return 1
  bb5: return 0
}"#;

fn proof_of_sum(term: &str) -> PlaceProof {
    let (_, entry) = program(SUM);
    let is_even = formula(term, &[("s", 32, local(1))]);
    PlaceProof {
        points: vec![point(1, vec![is_even])],
        ..bare(edge(entry, 3, 0))
    }
}

fn reason(text: &str, proof: &PlaceProof) -> String {
    let (program, entry) = program(text);
    match checked(&program, entry, proof) {
        Ok(_) => "accepted".to_owned(),
        Err(refusal) => refusal.why,
    }
}

#[test]
fn an_inductive_formula_that_excludes_the_goal_is_accepted() {
    let found = reason(SUM, &proof_of_sum("(= ((_ extract 0 0) s) (_ bv0 1))"));
    assert_eq!(found, "accepted");
}

#[test]
fn each_obligation_is_asked_for() {
    for (term, why) in [
        (
            "(= ((_ extract 0 0) s) (_ bv1 1))",
            "initiation of formula 1 fails",
        ),
        ("(= s (_ bv0 32))", "consecution of formula 1 fails"),
        ("true", "exclusion fails"),
        ("(= s t)", "a formula cannot be read: `t` is no variable"),
    ] {
        assert_eq!(reason(SUM, &proof_of_sum(term)), why, "{term}");
    }
}

/// What a proof says that something follows from is asked first; the rest is, too.
#[test]
fn premises_are_hints_only() {
    let even = "(= ((_ extract 0 0) s) (_ bv0 1))";
    let zero = "(= s (_ bv0 32))";
    for premises in [vec![vec![0]], vec![vec![]], vec![vec![7]], vec![]] {
        for (term, result) in [(even, "accepted"), (zero, "consecution of formula 1 fails")] {
            let mut proof = proof_of_sum(term);
            proof.excluded_by = premises.clone();
            proof.points[0].formulas[0].follows_from = premises.clone();
            assert_eq!(reason(SUM, &proof), result, "{term} from {premises:?}");
        }
    }
}

#[test]
fn a_loop_without_a_point_gets_one_of_which_nothing_is_known() {
    let (_, entry) = program(SUM);
    assert_eq!(reason(SUM, &bare(edge(entry, 3, 0))), "exclusion fails");
}

#[test]
fn points_must_be_in_the_code() {
    let mut proof = proof_of_sum("true");
    proof.points[0].block = 99;
    assert_eq!(reason(SUM, &proof), "no calls lead to its point in f");
    let mut proof = proof_of_sum("true");
    proof.points[0].stack = vec![0];
    assert_eq!(reason(SUM, &proof), "no calls lead to its point in f");
    let mut proof = proof_of_sum("true");
    proof.points.push(proof.points[0].clone());
    assert_eq!(reason(SUM, &proof), "two of its points are the same");
}

/// `for (i = 0; i < 3; i++) s += x; if (s == 3 * x + 1) …`: three rounds are carried out.
#[test]
fn a_loop_of_few_rounds_needs_no_point() {
    let text = r#"
fn f(x: uint) -> int {
  _1 s: uint
  _2 i: uint
  _3: int
  _4: uint
  _5: int
  bb0: _1 = 0; _2 = 0; goto bb1
  bb1: _3 = lt _2, 3; branch _3 ? bb2 : bb3
  bb2: _1 = add _1, _0; _2 = add _2, 1; goto bb1
  bb3: _4 = mul _0, 3; _5 = ne _1, _4; branch _5 ? bb4 : bb5
  bb4: return 1
  bb5: _5 = eq _1, 9; branch _5 ? bb4 : bb6
  bb6: return 0
}"#;
    support::is_accepted(text, 3);
    support::is_refused(text, 5);
}

/// Two flags that take turns: whether the first is set twice in a row is excluded by two rounds.
const TURNS: &str = r#"
fn f(n: uint) -> int {
  _1 a: int
  _2 b: int
  _3 c: int
  _4 i: uint
  _5: int
  bb0: _1 = 1; _2 = 0; _3 = 0; _4 = 0; goto bb1
  bb1: _5 = lt _4, _0; branch _5 ? bb2 : bb5
  bb2: _5 = eq _1, 5; branch _5 ? bb4 : bb3
  bb3: _1 = _2; _2 = _3; _3 = 0; _4 = add _4, 1; goto bb1
  bb4: return 1
  bb5: return 0
}"#;

#[test]
fn rounds_without_the_goal_may_exclude_it() {
    let (_, entry) = program(TURNS);
    let of_rounds = |rounds| PlaceProof {
        rounds,
        points: vec![point(1, Vec::new())],
        ..bare(edge(entry, 2, 0))
    };
    assert_eq!(reason(TURNS, &of_rounds(0)), "exclusion fails");
    assert_eq!(reason(TURNS, &of_rounds(1)), "step fails");
    assert_eq!(reason(TURNS, &of_rounds(4)), "accepted");
    assert_eq!(reason(TURNS, &of_rounds(65)), "needs fewer rounds");
}

#[test]
fn the_first_rounds_must_not_reach_the_goal() {
    let text = TURNS.replace("_1 = 1; _2 = 0; _3 = 0", "_1 = 1; _2 = 0; _3 = 5");
    let (_, entry) = program(&text);
    let proof = PlaceProof {
        rounds: 4,
        points: vec![point(1, Vec::new())],
        ..bare(edge(entry, 2, 0))
    };
    assert_eq!(reason(&text, &proof), "base fails");
}

/// Only checks that the proof names may be taken to be met.
#[test]
fn a_check_that_is_not_named_is_not_assumed() {
    let text = r#"
file0 "x.c"
fn f(x: int) -> int {
  _1: int
  _2: int
  at0 file0:1:1-1:2
  at1 file0:2:7-2:8
  bb0: _1 = add _0, 1 at1; _2 = le _1, _0 at0; branch _2 ? bb1 : bb2 at0
  bb1: return 1 at0
  bb2: return 0 at0
}"#;
    let (_, entry) = program(text);
    let mut proof = bare(edge(entry, 0, 0));
    assert_eq!(reason(text, &proof), "exclusion fails");
    proof.checks = vec![check_at("signed-overflow", 2, 8)];
    assert_eq!(reason(text, &proof), "exclusion fails");
    proof.checks = vec![check_at("signed-overflow", 2, 7)];
    assert_eq!(reason(text, &proof), "accepted");
    proof.checks = vec![check_at("nonsense", 2, 7)];
    assert_eq!(reason(text, &proof), "a check is of no known kind");
}
