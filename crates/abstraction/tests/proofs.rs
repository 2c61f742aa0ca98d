//! Proofs on small programs: which edges are proved not to be taken, and by which invariants.

use abstraction::{CallBacks, CodePlace, Limits, Proof, Task, prove};
use analysis::Reach;
use ir::{CodeEdge, CodeIndex, DefectKind, FunctionId, Program};

/// The proofs for all edges of a program in text form, from its function `f` on, by the numbers of
/// the edges.
fn proofs(text: &str) -> Vec<(usize, Proof)> {
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
        limits: &Limits::default(),
        stop: None,
    };
    let mut found: Vec<(usize, Proof)> = prove(task, &places)
        .into_iter()
        .map(|(place, proof)| match place {
            CodePlace::Edge(edge) => (edge.index(), proof),
            CodePlace::Block(_) => panic!("no block was asked for"),
        })
        .collect();
    found.sort_by_key(|(edge, _)| *edge);
    found
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
    assert_eq!(texts(proof), ["(s & 1u) != 1u"]);
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
