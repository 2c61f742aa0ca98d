//! Programs in text form, claims about their edges, and checks of these by z3.

#![allow(dead_code)] // each test file uses its part

use std::path::PathBuf;
use std::time::Duration;

use checker::{Claim, Process, Refusal};
use ir::certificate::{Check, CodePlace, Formula, Object, PlaceProof, Point, Quantity, Variable};
use ir::{FunctionId, Program};

/// A program in text form; its entry function is `f`, or else `main`.
pub fn program(text: &str) -> (Program, FunctionId) {
    let program = ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    ir::verify::verify(&program).expect("the program is well-formed");
    let entry = program.function("f").or_else(|| program.function("main"));
    (program, entry.expect("there is an entry function"))
}

/// The solver.
pub fn z3() -> Process {
    Process::new(PathBuf::from("z3"), Duration::from_secs(60))
}

/// An edge out of a block of a function.
pub fn edge(function: FunctionId, block: u32, successor: u32) -> CodePlace {
    CodePlace {
        function: function.raw(),
        block,
        successor: Some(successor),
    }
}

/// A proof without points.
pub fn bare(place: CodePlace) -> PlaceProof {
    PlaceProof {
        place,
        rounds: 0,
        call_backs: true,
        allocations_succeed: false,
        nodes: false,
        heap: Vec::new(),
        points: Vec::new(),
        excluded_by: Vec::new(),
        checks: Vec::new(),
    }
}

/// A point of the entry function.
pub fn point(block: u32, formulas: Vec<Formula>) -> Point {
    Point {
        stack: Vec::new(),
        function: "f".to_owned(),
        block,
        formulas,
    }
}

/// A formula over variables.
pub fn formula(term: &str, variables: &[(&str, u32, Quantity)]) -> Formula {
    let variables = variables.iter().map(|(name, width, is)| Variable {
        name: (*name).to_owned(),
        width: *width,
        is: is.clone(),
    });
    Formula {
        variables: variables.collect(),
        term: term.to_owned(),
        follows_from: Vec::new(),
    }
}

/// A local of the entry function.
pub fn local(local: u32) -> Quantity {
    Quantity::Bits {
        object: Object::Local { frame: 0, local },
        offset: 0,
    }
}

/// A check without a place in the source.
pub fn check_at(defect: &str, line: u32, column: u32) -> Check {
    Check {
        defect: defect.to_owned(),
        function: 0,
        line,
        column,
    }
}

/// Checks that a proof shows its place unreachable, whatever functions without a body do.
pub fn checked(program: &Program, entry: FunctionId, proof: &PlaceProof) -> Result<usize, Refusal> {
    let claim = Claim {
        entry,
        places: vec![proof.place],
        is_quiet: false,
        never_fails: false,
    };
    checker::check(program, &claim, std::slice::from_ref(proof), &mut z3())
}

/// Checks the claim that the first edge out of a block of the entry function is never taken, which has
/// no points.
pub fn without_points(text: &str, block: u32) -> Result<usize, Refusal> {
    let (program, entry) = program(text);
    checked(&program, entry, &bare(edge(entry, block, 0)))
}

/// Requires that the first edge out of a block cannot be shown to be unreachable: it is reachable.
#[track_caller]
pub fn is_refused(text: &str, block: u32) {
    let found = without_points(text, block);
    let refusal = found.expect_err("an edge that executions take is said to be unreachable");
    assert!(
        refusal.why.contains("fails") || refusal.why.contains("needs"),
        "{refusal:?}"
    );
}

/// Requires that it can.
#[track_caller]
pub fn is_accepted(text: &str, block: u32) {
    let found = without_points(text, block);
    assert!(found.is_ok(), "{found:?}");
}
