//! The greatest inductive set of candidates (Flanagan, Leino 2001, "Houdini, an annotation
//! assistant for ESC/Java").
//!
//! ```text
//! repeat until nothing is dropped:
//!     for each segment from a cut a, and each cut b that it leads to:
//!         while some model has invariants[a], the segment's formula, and not all of
//!               invariants[b] behind it:
//!             drop from invariants[b] what is false in the model
//! ```
//!
//! What is left holds whenever control is at its cut: at first, since the start has no candidate;
//! and on, since each segment keeps all of it. Where the solver gives up, the candidate is dropped.

use std::collections::VecDeque;

use expr::{Evaluator, Model as Values, Substitution, Term};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use solver::{Answer, Query, Sat, Solver};

use crate::arena::Arena;
use crate::cuts::CutId;
use crate::locations::LocationId;
use crate::samples::variable;
use crate::segment::{Exit, Segment};

/// How many operators a candidate may have behind a segment.
const LARGEST: usize = 20_000;

/// What holds at each cut.
pub type Invariants = IndexVec<CutId, Vec<Term>>;

/// The formulas of a program, and a solver to ask about them.
pub struct Formulas<'a> {
    /// The terms.
    pub arena: &'a mut Arena,
    /// The solver.
    pub solver: &'a mut Sat,
    /// The segments, by the cut from which they start.
    pub segments: &'a IndexVec<CutId, Segment>,
    /// The locations at the start of a segment.
    pub at_start: &'a IndexVec<LocationId, Term>,
    /// How many queries may still be asked.
    pub queries: u64,
}

impl Formulas<'_> {
    /// Whether constraints can hold together. Where no query is left, the answer is unknown.
    pub fn check(&mut self, constraints: &[Term]) -> Answer {
        let Some(left) = self.queries.checked_sub(1) else {
            return Answer::Unknown(solver::Reason::Budget);
        };
        self.queries = left;
        let nothing = Values::default();
        let query = Query::new(constraints, &nothing);
        self.solver.check(&mut self.arena.terms, &query)
    }

    /// What says that a segment takes an exit: that control gets there, and its checks hold.
    pub fn taken(&self, segment: &Segment, exit: &Exit) -> Vec<Term> {
        let checks = segment.passed(&exit.state.checks).map(|(_, holds)| holds);
        [exit.state.reach].into_iter().chain(checks).collect()
    }

    /// What puts the locations behind an exit in place of those at the start of the segment.
    pub fn substitution(&self, exit: &Exit) -> Substitution {
        let mut substitution = Substitution::default();
        for (&location, &value) in &exit.state.changed {
            if let Some(var) = variable(&self.arena.terms, self.at_start[location]) {
                substitution.insert(var, value);
            }
        }
        substitution
    }
}

/// Drops from candidates what is not inductive.
pub fn inductive(formulas: &mut Formulas<'_>, mut candidates: Invariants) -> Invariants {
    let mut post = PostTerms::default();
    let mut open: VecDeque<CutId> = formulas.segments.indices().collect();
    while let Some(from) = open.pop_front() {
        let segments = formulas.segments;
        for (at, exit) in segments[from].exits.iter().enumerate() {
            let kept = post.kept(formulas, &candidates, (from, at), exit);
            if kept.len() < candidates[exit.to].len() {
                candidates[exit.to] = kept;
                if !open.contains(&exit.to) {
                    open.push_back(exit.to);
                }
            }
        }
    }
    candidates
}

/// Candidates behind exits, as terms over the locations at the start of the segment.
#[derive(Default)]
struct PostTerms {
    known: FxHashMap<(CutId, usize, Term), Option<Term>>,
}

impl PostTerms {
    /// The candidates of a cut that hold behind an exit to it, given those of the segment's start.
    fn kept(
        &mut self,
        formulas: &mut Formulas<'_>,
        candidates: &Invariants,
        (from, at): (CutId, usize),
        exit: &Exit,
    ) -> Vec<Term> {
        let segment = &formulas.segments[from];
        let mut before = candidates[from].clone();
        before.extend(formulas.taken(segment, exit));
        let mut substitution = formulas.substitution(exit);
        let mut left: Vec<(Term, Term)> = Vec::new();
        for &candidate in &candidates[exit.to] {
            let terms = &mut formulas.arena.terms;
            let later = self.known.entry((from, at, candidate));
            let later = *later.or_insert_with(|| substitution.apply(terms, candidate, LARGEST));
            left.extend(later.map(|later| (candidate, later)));
        }
        loop {
            let terms = &mut formulas.arena.terms;
            let all = terms.bool(true);
            let all = left
                .iter()
                .fold(all, |all, &(_, later)| terms.bool_and(all, later));
            let broken = terms.bool_not(all);
            match formulas.check(&[&before[..], &[broken]].concat()) {
                Answer::Unsat(_) => break,
                Answer::Sat(values) => {
                    let count = left.len();
                    let mut evaluator = Evaluator::default();
                    let mut evaluation = evaluator.under(&formulas.arena.terms, &values);
                    left.retain(|&(_, later)| evaluation.holds(later));
                    if left.len() == count {
                        // A model that breaks nothing answers another question.
                        left.clear();
                    }
                }
                Answer::Unknown(_) => {
                    left.retain(|&(_, later)| formulas.implied(&before, later));
                    break;
                }
            }
        }
        left.into_iter().map(|(candidate, _)| candidate).collect()
    }
}

impl Formulas<'_> {
    /// Whether constraints imply a term, for all that the solver says.
    fn implied(&mut self, constraints: &[Term], term: Term) -> bool {
        let broken = self.arena.terms.bool_not(term);
        let asked = [constraints, &[broken]].concat();
        matches!(self.check(&asked), Answer::Unsat(_))
    }
}
