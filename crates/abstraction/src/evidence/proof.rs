//! Proofs, as callers get them.

use ir::certificate::PlaceProof;
use ir::{DefectKind, FunctionId, Span};

use crate::formulas::model::{Allocations, CallBacks};

/// What holds whenever control is at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invariant {
    /// The function.
    pub function: FunctionId,
    /// The place.
    pub span: Option<Span>,
    /// The condition, as a C expression.
    pub text: String,
}

/// A proof that no execution free of undefined behaviour reaches a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The invariants that exclude it.
    pub invariants: Vec<Invariant>,
    /// The defects that would lead there: executions end with them.
    pub defects: Vec<(DefectKind, FunctionId, Option<Span>)>,
    /// For proofs by k-induction, how many segments from loop head to loop head in a row do not reach
    /// the place before the last one does not either; 0 for others.
    pub rounds: usize,
    /// Whether it holds if functions without a body call functions of the program.
    pub call_backs: CallBacks,
    /// Whether it holds if allocations fail.
    pub allocations: Allocations,
    /// The proof as others can check it; `None` if it is too large to write down.
    pub certificate: Option<PlaceProof>,
}
