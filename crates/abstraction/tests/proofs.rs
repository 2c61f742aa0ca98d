//! Proofs on small programs: which edges are proved not to be taken, and by which invariants.

use abstraction::{CallBacks, CodePlace, Findings, Options, Portfolio, Proof, ProverName, Task};
use analysis::Reach;
use ir::{CodeEdge, CodeIndex, DefectKind, FunctionId, Program};

/// The proofs for all edges of a program in text form, from its function `f` on, by the numbers of
/// the edges.
fn proofs(text: &str) -> Vec<(usize, Proof)> {
    proofs_without(text, &[])
}

/// The same with some provers left out.
fn proofs_without(text: &str, without: &[ProverName]) -> Vec<(usize, Proof)> {
    let mut found: Vec<(usize, Proof)> = findings(text, without)
        .proofs
        .into_iter()
        .map(|(place, proof)| match place {
            CodePlace::Edge(edge) => (edge.index(), proof),
            CodePlace::Block(_) => panic!("no block was asked for"),
        })
        .collect();
    found.sort_by_key(|(edge, _)| *edge);
    found
}

/// All that provers find out about the edges of a program, if no execution reaches any of them.
fn findings(text: &str, without: &[ProverName]) -> Findings {
    let program: Program = ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    ir::verify::verify(&program).expect("the program is well-formed");
    let index = CodeIndex::new(&program);
    let reach = Reach::new(&program, &index);
    let owner = |edge: usize| {
        let block = index
            .begins()
            .nth(edge)
            .expect("each edge begins somewhere");
        reach.function(block)
    };
    let edges = 0..index.edges();
    let places: Vec<(CodePlace, FunctionId)> = edges
        .map(|edge| (CodePlace::Edge(CodeEdge::from_usize(edge)), owner(edge)))
        .collect();
    let task = Task {
        program: &program,
        index: &index,
        reach: &reach,
        entry: program.function("f").expect("there is an `f`"),
    };
    let options = Options {
        without: without.to_vec(),
        ..Options::default()
    };
    let mut portfolio = Portfolio::new(task, options, places);
    let mut all = Findings::default();
    while !portfolio.is_over() {
        let found = portfolio.step(u64::MAX, &|_| false);
        all.proofs.extend(found.proofs);
        all.scripts.extend(found.scripts);
    }
    all
}

fn proved(text: &str) -> Vec<usize> {
    proofs(text).into_iter().map(|(edge, _)| edge).collect()
}

fn texts(proof: &Proof) -> Vec<&str> {
    proof
        .invariants
        .iter()
        .map(|invariant| invariant.text.as_str())
        .collect()
}

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

#[test]
fn an_invariant_of_a_loop_excludes_what_is_behind_it() {
    let found = proofs(SUM);
    let [(2, proof)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(texts(proof), ["s == (i << 1)"]);
    assert_eq!(proof.defects, []);
    assert_eq!(proof.call_backs, CallBacks::Possible);
}

#[test]
fn code_without_loops_needs_no_invariant() {
    let text = r#"
fn f(a: int) -> int {
  _1: int
  _2: int
  bb0: _1 = gt _0, 10; branch _1 ? bb1 : bb3
  bb1: _2 = lt _0, 5; branch _2 ? bb2 : bb3
  bb2: return 1
  bb3: return 0
}"#;
    let found = proofs(text);
    let [(2, proof)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(texts(proof), [""; 0]);
}

#[test]
fn a_proof_names_the_defects_that_lead_there() {
    let text = r#"
fn f(a: int) -> int {
  _1: int
  _2: int
  bb0: _1 = add _0, 1; _2 = lt _1, _0; branch _2 ? bb1 : bb2
  bb1: return 1
  bb2: return 0
}"#;
    let found = proofs(text);
    let [(0, proof)] = found.as_slice() else {
        panic!("{found:?}");
    };
    let kinds: Vec<DefectKind> = proof.defects.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(kinds, [DefectKind::SignedOverflow]);
}

#[test]
fn calls_are_entered() {
    let text = r#"
static fn g(x: uint) -> int {
  _1: int
  bb0: _1 = gt _0, 255; branch _1 ? bb1 : bb2
  bb1: return 1
  bb2: return 0
}
fn f(a: uint) -> int {
  _1: uint
  _2: int
  bb0: _1 = and _0, 255; _2 = call @g(_1) -> bb1
  bb1: branch _2 ? bb2 : bb3
  bb2: return 1
  bb3: return 0
}"#;
    assert_eq!(proved(text), [0, 2]);
}

/// Whether k-induction alone proves that an edge is not taken.
fn k_induction_proves(text: &str, edge: usize) -> bool {
    by_k_induction(text).iter().any(|&(it, _)| it == edge)
}

/// Which edges k-induction alone proves not to be taken, and how many segments it looks at.
fn by_k_induction(text: &str) -> Vec<(usize, usize)> {
    let others = [
        ProverName::Values,
        ProverName::Invariants,
        ProverName::Implications,
        ProverName::Phases,
        ProverName::Reachability,
    ];
    let found = proofs_without(text, &others).into_iter();
    found.map(|(edge, proof)| (edge, proof.rounds)).collect()
}

/// `for (x = 0, i = 0; i != n; i++) { x += 6; if (x == 9) …; if (x > 300) x = 12; if (x > 400) … }`: `x` is
/// a multiple of 6, of at most 300 at the head of the loop.
#[test]
fn values_alone_find_bounds_and_remainders() {
    let text = r#"
fn f(n: uint) -> int {
  _1 x: uint
  _2 i: uint
  _3: int
  bb0: _1 = 0; _2 = 0; goto bb1
  bb1: _3 = ne _2, _0; branch _3 ? bb2 : bb8
  bb2: _1 = add _1, 6; _2 = add _2, 1; _3 = eq _1, 9; branch _3 ? bb3 : bb4
  bb3: return 1
  bb4: _3 = gt _1, 300; branch _3 ? bb5 : bb6
  bb5: _1 = 12; goto bb6
  bb6: _3 = gt _1, 400; branch _3 ? bb7 : bb1
  bb7: return 2
  bb8: return 0
}"#;
    let only = |name: &ProverName| *name != ProverName::Values;
    let others: Vec<ProverName> = ProverName::ALL.into_iter().filter(only).collect();
    let found = proofs_without(text, &others);
    let edges: Vec<usize> = found.iter().map(|&(edge, _)| edge).collect();
    assert_eq!(edges, [2, 6]);
    assert_eq!(texts(&found[0].1), ["(x % 6u) == 0u", "x < 301u"]);
    // What the loop's body does excludes the other one.
    assert_eq!(texts(&found[1].1), [""; 0]);
}

/// The values that three variables exchange exclude each other, and no other value comes in.
#[test]
fn implications_alone_find_the_values_of_states() {
    let only = |name: &ProverName| *name != ProverName::Implications;
    let others: Vec<ProverName> = ProverName::ALL.into_iter().filter(only).collect();
    let edges = |goal| {
        let found = proofs_without(&rotation(goal), &others).into_iter();
        found.map(|(edge, _)| edge).collect::<Vec<_>>()
    };
    assert_eq!(edges(7), [2]);
    assert_eq!(edges(2), Vec::<usize>::new());
}

/// `for (x = 0, y = 1, z = 2; n-- != 0; x, y, z = y, z, x) if (x == GOAL) …`: `x` has the values 0, 1
/// and 2 in turn.
fn rotation(goal: u32) -> String {
    format!(
        r#"
fn f(n: uint) -> int {{
  _1 x: uint
  _2 y: uint
  _3 z: uint
  _4: uint
  _5: int
  bb0: _1 = 0; _2 = 1; _3 = 2; goto bb1
  bb1: _0 = sub _0, 1; branch _0 ? bb2 : bb4
  bb2: _5 = eq _1, {goal}; branch _5 ? bb3 : bb5
  bb3: return 1
  bb4: return 0
  bb5: _4 = _1; _1 = _2; _2 = _3; _3 = _4; goto bb1
}}"#
    )
}

#[test]
fn k_induction_looks_at_several_rounds() {
    assert_eq!(by_k_induction(&rotation(7)), [(2, 4)]);
}

#[test]
fn k_induction_proves_nothing_that_is_reached() {
    for goal in 0..3 {
        assert!(!k_induction_proves(&rotation(goal), 2), "{goal}");
    }
}

#[test]
fn k_induction_begins_at_the_start() {
    // `while (x != 12) { if (x == GOAL) …; x += 2; }` from 0 on: once `x` is not 10, it is not in the
    // next round either, but for the first one that is.
    for goal in [0, 2, 10] {
        let text = format!(
            r#"
fn f() -> int {{
  _0 x: uint
  _1: int
  bb0: _0 = 0; goto bb1
  bb1: _1 = ne _0, 12; branch _1 ? bb2 : bb4
  bb2: _1 = eq _0, {goal}; branch _1 ? bb3 : bb5
  bb3: return 1
  bb4: return 0
  bb5: _0 = add _0, 2; goto bb1
}}"#
        );
        assert!(!k_induction_proves(&text, 2), "{goal}");
    }
}

#[test]
fn a_defect_behind_a_goal_does_not_exclude_it() {
    // `while (n-- != 0) { if (a == 3) b = 0; c = 1 / b; }` with `b` from 1 on: the edge is taken
    // before the division fails.
    let text = r#"
fn f(n: uint, a: uint) -> int {
  _2 b: int
  _3: int
  bb0: _2 = 1; goto bb1
  bb1: _0 = sub _0, 1; branch _0 ? bb2 : bb5
  bb2: _3 = eq _1, 3; branch _3 ? bb3 : bb4
  bb3: _2 = 0; goto bb4
  bb4: _3 = div 1, _2; goto bb1
  bb5: return 0
}"#;
    assert_eq!(by_k_induction(text), []);
    assert_eq!(proofs(text), []);
}

#[test]
fn what_a_check_before_a_goal_excludes_is_proved_with_that_defect() {
    // `while (n-- != 0) { c = 1 / b; if (b == 0) …; b = n; }`
    let text = r#"
fn f(n: uint) -> int {
  _1 b: uint
  _2: uint
  _3: int
  bb0: _1 = 1; goto bb1
  bb1: _0 = sub _0, 1; branch _0 ? bb2 : bb5
  bb2: _2 = div 1, _1; _3 = eq _1, 0; branch _3 ? bb3 : bb4
  bb3: return 1
  bb4: _1 = _0; goto bb1
  bb5: return 0
}"#;
    let found = proofs_without(text, &[ProverName::Invariants, ProverName::Reachability]);
    let [(2, proof)] = found.as_slice() else {
        panic!("{found:?}");
    };
    let kinds: Vec<DefectKind> = proof.defects.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(kinds, [DefectKind::DivisionByZero]);
}

/// `for (i = 0; i < n; i++) a[i] = 7; for (i = 0; i < n; i++) if (a[i] != 7) …`
const FILL: &str = r#"
static global a: [1000 x int]
fn f(n: uint) -> int {
  _1 i: uint
  _2: int
  _3: int
  bb0: _1 = 0; _2 = gt _0, 1000; branch _2 ? bb8 : bb1
  bb1: _2 = lt _1, _0; branch _2 ? bb2 : bb3
  bb2: @a[_1] = 7; _1 = add _1, 1; goto bb1
  bb3: _1 = 0; goto bb4
  bb4: _2 = lt _1, _0; branch _2 ? bb5 : bb8
  bb5: _3 = load @a[_1]; _2 = ne _3, 7; branch _2 ? bb6 : bb7
  bb6: return 1
  bb7: _1 = add _1, 1; goto bb4
  bb8: return 0
}"#;

#[test]
fn what_a_loop_sets_holds_of_all_elements() {
    assert_eq!(proved(FILL), [6]);
}

#[test]
fn an_element_that_a_loop_leaves_out_may_be_anything() {
    for other in [
        FILL.replace("bb0: _1 = 0;", "bb0: _1 = 1;"),
        FILL.replace("bb3: _1 = 0;", "bb3: _1 = 0; @a[3] = 8;"),
        FILL.replace("@a[_1] = 7; _1 = add _1, 1;", "@a[_1] = 7; _1 = add _1, 2;"),
    ] {
        assert_ne!(other, FILL);
        assert_eq!(proved(&other), [0; 0], "{other}");
    }
}

#[test]
fn several_segments_in_a_row_change_elements() {
    // `a[n] = 1; while (m-- != 0) { if (a[n] == 5) …; a[n] = 5; }`
    let text = r#"
static global a: [1000 x int]
fn f(n: uint, m: uint) -> int {
  _2: int
  _3: int
  bb0: @a[_0] = 1; goto bb1
  bb1: _1 = sub _1, 1; branch _1 ? bb2 : bb5
  bb2: _2 = load @a[_0]; _3 = eq _2, 5; branch _3 ? bb3 : bb4
  bb3: return 1
  bb4: @a[_0] = 5; goto bb1
  bb5: return 0
}"#;
    assert_eq!(by_k_induction(text), []);
    assert_eq!(proofs(text), []);
}

/// Calls `reading` in each of so many rounds; one value in each of them leads to the goals behind.
fn right_in_each_round(rounds: u32) -> String {
    format!(
        r#"
fn reading() -> int
fn f(size: int) -> int {{
  _1 round: int
  _2 was_wrong: int
  _3: int
  _4: int
  bb0: _1 = 0; _2 = 0; goto bb1
  bb1: _3 = lt _1, {rounds}; branch _3 ? bb2 : bb6
  bb2: _4 = call @reading() -> bb3
  bb3: _3 = eq _4, 77; branch _3 ? bb5 : bb4
  bb4: _2 = 1; goto bb5
  bb5: _1 = add _1, 1; goto bb1
  bb6: _3 = eq _2, 0; branch _3 ? bb7 : bb9
  bb7: _3 = eq _0, 12345; branch _3 ? bb8 : bb9
  bb8: return 1
  bb9: return 0
}}"#
    )
}

#[test]
fn executions_are_steered_past_dead_ends() {
    for rounds in [30, 1000] {
        let found = findings(&right_in_each_round(rounds), &[]);
        let is_right = |script: &&abstraction::Script| {
            let mut results = script.results.iter();
            script.results.len() == rounds as usize && results.all(|&(_, value)| value == 77)
        };
        let scripts = found.scripts.iter().map(|(_, script)| script);
        let right = scripts.filter(is_right);
        let mut parameters = right.flat_map(|script| script.parameters.iter());
        assert!(
            parameters.any(|&parameter| parameter == (0, 12345)),
            "{rounds} rounds"
        );
        let without = [ProverName::Steering, ProverName::Reachability];
        let without = findings(&right_in_each_round(rounds), &without);
        assert_eq!(without.scripts, []);
    }
}

#[test]
fn a_counterexample_that_nothing_excludes_gives_inputs() {
    for rounds in [4, 30] {
        let found = findings(&right_in_each_round(rounds), &[ProverName::Steering]);
        let scripts = found.scripts.iter().map(|(_, script)| script);
        let mut right = scripts.filter(|script| {
            let mut results = script.results.iter();
            script.results.len() == rounds as usize
                && results.all(|&(_, value)| value == 77)
                && script.parameters.contains(&(0, 12345))
        });
        assert!(right.next().is_some(), "{:?}", found.scripts);
    }
}

/// A counter that goes round by threes where an input is right, which random ones never are.
fn by_threes() -> &'static str {
    r#"
fn reading() -> int
fn f() -> int {
  _0 counter: int
  _1: int
  _2: int
  _3: int
  bb0: _0 = 0; goto bb1
  bb1: _1 = call @reading() -> bb2
  bb2: _2 = mul _1, _1; _3 = eq _2, 1522756; branch _3 ? bb3 : bb6
  bb3: _0 = add _0, 3; _3 = eq _0, 12; branch _3 ? bb4 : bb5
  bb4: _0 = 0; goto bb5
  bb5: _3 = eq _0, 10; branch _3 ? bb7 : bb6
  bb6: _3 = eq _1, 5; branch _3 ? bb8 : bb1
  bb7: return 1
  bb8: return 0
}"#
}

#[test]
fn predicates_come_from_ways_to_a_goal_that_are_none() {
    let others = [
        ProverName::Steering,
        ProverName::Relations,
        ProverName::Invariants,
        ProverName::KInduction,
    ];
    let program = by_threes();
    let proved = proofs_without(program, &others).into_iter();
    let proved: Vec<usize> = proved.map(|(edge, _)| edge).collect();
    assert_eq!(proved, [4]);
    let unrefined = [&others[..], &[ProverName::Refinement]].concat();
    assert_eq!(proofs_without(program, &unrefined).len(), 0);
}

/// A number that rises in the first half of a loop, and falls in the second.
const TWO_PHASES: &str = r#"
fn f() -> int {
  _0 level: int
  _1: int
  _2: int
  bb0: _0 = 0; _1 = 0; goto bb1
  bb1: _2 = lt _1, 20000; branch _2 ? bb2 : bb6
  bb2: _2 = lt _1, 10000; branch _2 ? bb3 : bb4
  bb3: _0 = add _0, 3; goto bb5
  bb4: _0 = sub _0, 3; goto bb5
  bb5: _1 = add _1, 1; goto bb1
  bb6: _2 = eq _0, 6; branch _2 ? bb7 : bb8
  bb7: return 1
  bb8: return 0
}"#;

#[test]
fn phases_of_a_loop_have_equations_of_their_own() {
    let others = [
        ProverName::Steering,
        ProverName::Reachability,
        ProverName::KInduction,
    ];
    let proved = |without: &[ProverName]| -> Vec<usize> {
        let proved = proofs_without(TWO_PHASES, without).into_iter();
        proved.map(|(edge, _)| edge).collect()
    };
    assert_eq!(proved(&others), [4]);
    let without = [&others[..], &[ProverName::Phases]].concat();
    assert_eq!(proved(&without), [] as [usize; 0]);
}
