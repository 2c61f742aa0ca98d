//! The greatest inductive set of candidates (Flanagan, Leino 2001, "Houdini, an annotation
//! assistant for ESC/Java").
//!
//! ```text
//! repeat until nothing is dropped:
//!     for each segment from a cut a, and each cut b that it leads to:
//!         while some model has invariants[a], the segment's formula, and not all of
//!               invariants[b] behind it:
//!             drop from invariants[b] what is false in the model, or in one next to it
//! ```
//!
//! What is left holds whenever control is at its cut: at first, since the start has no candidate;
//! and on, since each segment keeps all of it. Where the solver gives up, the candidate is dropped.

use std::collections::VecDeque;
use std::sync::Arc;

use expr::{Evaluator, Model as Values, Term};
use rustc_hash::FxHashMap;
use solver::Answer;

use crate::cuts::CutId;
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::neighbours::{Neighbours, TRIED};
use crate::nodes::size;
use crate::samples::EVALUATION;
use crate::segment::Exit;

/// The search for the greatest inductive set, which can be interrupted between queries.
pub struct Houdini {
    /// What is known already: it is inductive.
    known: Invariants,
    candidates: Invariants,
    post: FxHashMap<(CutId, usize, Term), Option<Term>>,
    /// The cuts whose candidates behind them are to be checked.
    open: VecDeque<CutId>,
    /// The next exit of the first of them.
    exit: usize,
    /// What is known of the candidates behind that exit.
    behind: Option<Behind>,
}

/// The candidates behind an exit, each with its term over the locations at the segment's start.
struct Behind {
    /// Those that no model broke so far.
    left: Vec<(Term, Term)>,
    /// Those that hold, where the solver gave up on all together.
    kept: Vec<Term>,
    /// Whether it did.
    is_one_by_one: bool,
    /// Makes further models from those that the solver finds.
    neighbours: Neighbours,
    /// The effort that the evaluation of one of them takes.
    evaluation: u64,
}

impl Houdini {
    /// Begins with some candidates, and with what is known already.
    pub fn new(known: Invariants, candidates: Invariants) -> Houdini {
        Houdini {
            known,
            open: candidates.indices().collect(),
            candidates,
            post: FxHashMap::default(),
            exit: 0,
            behind: None,
        }
    }

    /// Drops candidates until the work is interrupted. Returns what is known then, once what is left
    /// of the candidates is inductive.
    pub fn step(&mut self, formulas: &mut Formulas<'_>) -> Option<Invariants> {
        let segments = Arc::clone(&formulas.segments);
        while let Some(&from) = self.open.front() {
            let Some(exit) = segments[from].exits.get(self.exit) else {
                self.open.pop_front();
                self.exit = 0;
                continue;
            };
            let kept = self.kept(formulas, (from, self.exit), exit)?;
            self.exit += 1;
            if kept.len() < self.candidates[exit.to].len() {
                self.candidates[exit.to] = kept;
                if !self.open.iter().skip(1).any(|&cut| cut == exit.to) {
                    self.open.push_back(exit.to);
                }
            }
        }
        let mut all = std::mem::take(&mut self.known);
        for (known, new) in all.iter_mut().zip(std::mem::take(&mut self.candidates)) {
            known.extend(new);
        }
        Some(all)
    }

    /// The candidates of a cut that hold behind an exit to it, given those of the segment's start;
    /// `None` if the work is interrupted.
    fn kept(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, at): (CutId, usize),
        exit: &Exit,
    ) -> Option<Vec<Term>> {
        let segments = Arc::clone(&formulas.segments);
        // One constraint: each one of its own is a level of decisions for the solver.
        let taken = formulas.taken(&segments[from], exit);
        let mut held = formulas.all_instances(from, &self.known[from]);
        held.extend(formulas.all_instances(from, &self.candidates[from]));
        let before = formulas.all(taken.iter().chain(&held));
        let mut behind = match self.behind.take() {
            Some(behind) => behind,
            None => self.behind(formulas, (from, at), exit, before),
        };
        loop {
            if formulas.is_spent() {
                self.behind = Some(behind);
                return None;
            }
            let is_done = match behind.is_one_by_one {
                true => behind.try_one(formulas, from, before),
                false => behind.try_all(formulas, from, before),
            };
            if is_done {
                return Some(behind.kept);
            }
        }
    }

    /// All candidates behind an exit that are not too large there.
    fn behind(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, at): (CutId, usize),
        exit: &Exit,
        before: Term,
    ) -> Behind {
        let mut substitution = formulas.substitution(exit);
        let mut left = Vec::new();
        for &candidate in &self.candidates[exit.to] {
            let terms = &mut formulas.arena.terms;
            let later = self.post.entry((from, at, candidate));
            let later = *later.or_insert_with(|| substitution.apply(terms, candidate, LARGEST));
            left.extend(later.map(|later| (candidate, later)));
        }
        let terms = &formulas.arena.terms;
        let mut all: Vec<Term> = left.iter().map(|&(_, later)| later).collect();
        all.push(before);
        Behind {
            left,
            kept: Vec::new(),
            is_one_by_one: false,
            neighbours: Neighbours::new(terms, &all),
            evaluation: size(terms, all) * EVALUATION,
        }
    }
}

impl Behind {
    /// Asks for a model that breaks one of the candidates. Returns whether there is none.
    fn try_all(&mut self, formulas: &mut Formulas<'_>, from: CutId, before: Term) -> bool {
        let all = formulas.all(self.left.iter().map(|(_, later)| later));
        let broken = formulas.arena.terms.bool_not(all);
        match formulas.check(from, &[before, broken]) {
            Answer::Unsat(_) => {
                self.kept
                    .extend(self.left.iter().map(|&(candidate, _)| candidate));
                return true;
            }
            Answer::Sat(values) => {
                let count = self.left.len();
                self.drop_broken(formulas, &values);
                if self.left.len() == count {
                    // A model that breaks nothing answers another question.
                    self.left.clear();
                }
                self.drop_broken_next_to(formulas, &values, before);
            }
            Answer::Unknown(_) => self.is_one_by_one = true,
        }
        false
    }

    /// Drops the candidates that a model breaks.
    fn drop_broken(&mut self, formulas: &Formulas<'_>, values: &Values) {
        let mut evaluator = Evaluator::default();
        let mut evaluation = evaluator.under(&formulas.arena.terms, values);
        self.left.retain(|&(_, later)| evaluation.holds(later));
    }

    /// Drops the candidates that models next to one break.
    fn drop_broken_next_to(&mut self, formulas: &mut Formulas<'_>, values: &Values, before: Term) {
        let mut current = values.clone();
        for _ in 0..TRIED {
            let next = self.neighbours.next(&current);
            if formulas.arena.terms.holds(before, &next) {
                self.drop_broken(formulas, &next);
                current = next;
            }
        }
        formulas.count(TRIED as u64 * self.evaluation);
    }

    /// Asks for a model that breaks the last candidate. Returns whether none is left.
    fn try_one(&mut self, formulas: &mut Formulas<'_>, from: CutId, before: Term) -> bool {
        let Some((candidate, later)) = self.left.pop() else {
            return true;
        };
        if formulas.implied(from, before, later) {
            self.kept.push(candidate);
        }
        false
    }
}
