//! The greatest inductive set of candidates (Flanagan, Leino 2001, "Houdini, an annotation
//! assistant for ESC/Java").
//!
//! ```text
//! repeat until nothing is dropped:
//!     for each segment from a cut a, and each cut b that it leads to:
//!         for some of invariants[b] at a time:
//!             while a model has invariants[a], the segment's formula, and not all of them behind it:
//!                 drop from invariants[b] what is false in the model, or in one next to it
//! ```
//!
//! What is left holds whenever control is at its cut: at first, since the start has no candidate;
//! and on, since each segment keeps all of it. Where the solver gives up, the candidate is dropped.

use std::collections::VecDeque;
use std::sync::Arc;

use expr::{Model as Values, Term};
use rustc_hash::FxHashMap;
use solver::Answer;

use crate::formulas::nodes::size;
use crate::formulas::segment::Exit;
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;
use crate::invariants::neighbours::{Neighbours, TRIED};
use crate::invariants::samples::EVALUATION;

/// How many candidates the solver is asked about at once at most. More take fewer queries, and
/// harder ones: there are fewer after a query that takes more effort than `HARD` and than `TIMES` the
/// easiest one, since each query takes what the segment's formula takes; and more again after one that
/// takes less than a fifth of that.
const AT_ONCE: usize = 1_000;
const HARD: u64 = 150_000;
const TIMES: u64 = 6;

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
    /// How many of them are asked about at once.
    at_once: usize,
    /// The effort of the easiest query so far about the candidates behind an exit.
    easiest: FxHashMap<(CutId, usize), u64>,
}

/// The candidates behind an exit, each with its term over the locations at the segment's start.
struct Behind {
    /// Those that no model broke so far.
    left: Vec<(Term, Term)>,
    /// Those that hold.
    kept: Vec<Term>,
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
            at_once: AT_ONCE,
            easiest: FxHashMap::default(),
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
        let new = std::mem::take(&mut self.candidates);
        for (cut, new) in new.into_iter_enumerated() {
            let known = &mut all[cut];
            let before = known.len();
            known.extend(new);
            leave_out_implied(formulas, cut, known, before);
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
            if behind.left.is_empty() {
                return Some(behind.kept);
            }
            let easiest = self.easiest.entry((from, at)).or_insert(u64::MAX);
            self.at_once = behind.try_some(formulas, (from, before), self.at_once, easiest);
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
            neighbours: Neighbours::new(terms, &all),
            evaluation: size(terms, all) * EVALUATION,
        }
    }
}

/// Leaves out invariants from one on that follow from the others. Later ones are more special.
fn leave_out_implied(
    formulas: &mut Formulas<'_>,
    cut: CutId,
    invariants: &mut Vec<Term>,
    first: usize,
) {
    let mut before = vec![formulas.all(&invariants[..first])];
    for at in first..invariants.len() {
        let all = [before[at - first], invariants[at]];
        before.push(formulas.all(&all));
    }
    let mut behind = formulas.arena.terms.bool(true);
    for at in (first..invariants.len()).rev() {
        let others = formulas.all(&[before[at - first], behind]);
        let candidate = invariants[at];
        if formulas.implied(cut, others, candidate) {
            invariants.remove(at);
        } else {
            behind = formulas.all(&[behind, candidate]);
        }
    }
}

impl Behind {
    /// Asks for a model that breaks one of the last candidates, of at most so many. Returns how many to
    /// ask about next.
    fn try_some(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, before): (CutId, Term),
        at_once: usize,
        easiest: &mut u64,
    ) -> usize {
        let start = formulas.spent();
        let asked = self.left.len().min(at_once);
        let first = self.left.len() - asked;
        let all = formulas.all(self.left[first..].iter().map(|(_, later)| later));
        let broken = formulas.arena.terms.bool_not(all);
        let answer = formulas.check(from, &[before, broken]);
        let spent = formulas.spent() - start;
        match answer {
            Answer::Unsat(_) => {
                let kept = self.left.drain(first..);
                self.kept.extend(kept.map(|(candidate, _)| candidate));
            }
            Answer::Sat(values) => {
                let count = self.left.len();
                self.drop_broken(formulas, &values);
                if self.left.len() == count {
                    // A model that breaks nothing answers another question.
                    self.left.truncate(first);
                }
                self.drop_broken_next_to(formulas, &values, before);
            }
            Answer::Unknown(_) if asked > 1 => return asked / 4 + 1,
            Answer::Unknown(_) => self.left.truncate(first),
        }
        *easiest = spent.min(*easiest);
        let hard = HARD.max(easiest.saturating_mul(TIMES));
        match spent {
            _ if spent > hard => (asked / 2).max(4),
            _ if spent > hard / 5 => at_once,
            _ => (at_once * 2).min(AT_ONCE),
        }
    }

    /// Drops the candidates that a model breaks.
    fn drop_broken(&mut self, formulas: &mut Formulas<'_>, values: &Values) {
        let mut evaluation = formulas.under(values);
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
}
