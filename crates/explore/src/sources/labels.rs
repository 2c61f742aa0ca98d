//! Conditions of labels that the search tries to make true.
//!
//! Nothing depends on such a condition, so that executions which differ in it have the same path. For
//! each way to a label, the constraints before it, the solver is asked for an input on which the
//! condition holds. Where the answer is no for all ways, and all were taken, nothing reaches the label.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use expr::Term;
use ir::CodeEdge;
use ir::input::InputVector;
use ir::test::Outcome;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use vm::{Execution, Probe};

/// A condition of a label, with a path on which an input decides it.
#[derive(Clone, Debug)]
pub(crate) struct LabelFlip {
    /// The edge that is taken where the condition holds.
    pub edge: CodeEdge,
    /// The condition.
    pub condition: Term,
    /// The input that took the path.
    pub source: Arc<InputVector>,
    /// The terms of the whole path.
    path: Arc<[Term]>,
    /// So many of them are to hold.
    length: usize,
}

impl LabelFlip {
    /// The terms that are to hold beside the condition.
    pub fn path(&self) -> &[Term] {
        &self.path[..self.length.min(self.path.len())]
    }

    /// Whether these are those of a whole path.
    pub fn is_whole(&self) -> bool {
        self.length >= self.path.len()
    }
}

/// The conditions that were not tried yet.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Those of labels that were never tried.
    fresh: VecDeque<LabelFlip>,
    waiting: VecDeque<LabelFlip>,
    tried: FxHashSet<CodeEdge>,
    /// The ways to labels, with the conditions there.
    known: FxHashSet<(CodeEdge, Term, u64)>,
    /// The labels that inputs reached which were rejected behind them: whole paths are tried too.
    rejected: FxHashSet<CodeEdge>,
    /// The labels of which it stays open on some path whether an input reaches them.
    undecided: FxHashSet<CodeEdge>,
    /// For each label the whole paths of executions that count, if inputs that reach it may be rejected
    /// behind it.
    whole: FxHashMap<CodeEdge, Vec<LabelFlip>>,
    /// The labels for which not all of these are kept.
    too_many: FxHashSet<CodeEdge>,
    /// Whether the last thing that was tried was one of these.
    had_turn: bool,
}

impl Labels {
    /// Takes the conditions of an execution whose labels are open.
    pub fn executed(&mut self, execution: &Execution, is_open: impl Fn(CodeEdge) -> bool) {
        let mut open: Vec<&Probe> = execution.probes.iter().collect();
        open.retain(|probe| is_open(probe.edge));
        if open.is_empty() {
            return;
        }
        let source = Arc::new(execution.inputs.clone());
        let path: Arc<[Term]> = execution.path.iter().map(|it| it.term).collect();
        let ways = ways(execution);
        for &&Probe {
            edge,
            condition,
            at,
        } in &open
        {
            let flip = LabelFlip {
                edge,
                condition,
                source: Arc::clone(&source),
                path: Arc::clone(&path),
                length: at,
            };
            if execution.outcome != Outcome::Rejected {
                let length = path.len();
                self.note_whole(LabelFlip {
                    length,
                    ..flip.clone()
                });
            }
            let way = ways.get(at).copied().unwrap_or_default();
            if !self.known.insert((edge, condition, way)) {
                continue;
            }
            match self.tried.insert(edge) {
                true => self.fresh.push_back(flip),
                false => self.waiting.push_back(flip),
            }
        }
    }

    /// Takes a whole path, which matters once inputs that reach the label are rejected behind it.
    fn note_whole(&mut self, flip: LabelFlip) {
        match self.rejected.contains(&flip.edge) {
            true => self.waiting.push_back(flip),
            false => {
                let known = self.whole.entry(flip.edge).or_default();
                match known.len() < MOST_WHOLE {
                    true => known.push(flip),
                    false => {
                        self.too_many.insert(flip.edge);
                    }
                }
            }
        }
    }

    /// Records that an input reached a label and was rejected: whole paths are tried too.
    pub fn is_rejected_behind(&mut self, edge: CodeEdge) {
        self.rejected.insert(edge);
        let whole = self.whole.remove(&edge);
        self.waiting.extend(whole.unwrap_or_default());
        if self.too_many.contains(&edge) {
            self.undecided.insert(edge);
        }
    }

    /// Records that it stays open on some path whether an input reaches a label.
    pub fn leave_undecided(&mut self, edge: CodeEdge) {
        self.undecided.insert(edge);
    }

    /// The labels of which that stays open on some path.
    pub fn undecided(&self) -> impl Iterator<Item = CodeEdge> + '_ {
        self.undecided.iter().copied()
    }

    /// A condition of a label that was never tried.
    pub fn next_fresh(&mut self, is_open: impl Fn(CodeEdge) -> bool) -> Option<LabelFlip> {
        next_open(&mut self.fresh, is_open)
    }

    /// Any condition, in every other turn.
    pub fn next_in_turn(&mut self, is_open: impl Fn(CodeEdge) -> bool) -> Option<LabelFlip> {
        self.had_turn = !self.had_turn;
        match self.had_turn {
            true => self.next(is_open),
            false => None,
        }
    }

    /// Any condition.
    pub fn next(&mut self, is_open: impl Fn(CodeEdge) -> bool) -> Option<LabelFlip> {
        next_open(&mut self.waiting, is_open)
    }
}

/// The most whole paths that are kept for a label.
const MOST_WHOLE: usize = 1024;

/// A number for each beginning of a path: that of its branches.
fn ways(execution: &Execution) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    let mut ways = vec![hasher.finish()];
    for constraint in &execution.path {
        (constraint.site, constraint.context, constraint.taken).hash(&mut hasher);
        constraint.term.hash(&mut hasher);
        ways.push(hasher.finish());
    }
    ways
}

fn next_open(
    flips: &mut VecDeque<LabelFlip>,
    is_open: impl Fn(CodeEdge) -> bool,
) -> Option<LabelFlip> {
    loop {
        let next = flips.pop_front()?;
        if is_open(next.edge) {
            return Some(next);
        }
    }
}
