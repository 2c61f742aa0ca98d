//! Conditions of labels that the search tries to make true.
//!
//! Nothing depends on such a condition, so that executions which differ in it have the same path. For
//! each way to a label, the constraints before it, the solver is asked for an input on which the
//! condition holds. Where the answer is no for all ways, and all were taken, nothing reaches the label.

use std::collections::VecDeque;
use std::sync::Arc;

use expr::Term;
use ir::CodeEdge;
use ir::input::InputVector;
use ir::test::Outcome;
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{Context, Execution, Probe, Site};

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
    known: FxHashSet<(CodeEdge, Term, u32)>,
    ways: Ways,
    /// The labels that inputs reached which were rejected behind them: whole paths are tried too.
    rejected: FxHashSet<CodeEdge>,
    /// The labels of which it stays open on some path whether an input reaches them.
    undecided: FxHashSet<CodeEdge>,
    /// For each label the whole paths of executions that count, if inputs that reach it may be rejected
    /// behind it.
    whole: FxHashMap<CodeEdge, Vec<LabelFlip>>,
    /// The labels for which not all of these are kept.
    too_many: FxHashSet<CodeEdge>,
    /// How many conditions of each label were taken and not settled. Only what was settled shows that
    /// nothing reaches a label.
    unsettled: FxHashMap<CodeEdge, u64>,
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
        let ways = self.ways.of(execution);
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
            *self.unsettled.entry(edge).or_default() += 1;
            match self.tried.insert(edge) {
                true => self.fresh.push_back(flip),
                false => self.waiting.push_back(flip),
            }
        }
    }

    /// Takes a whole path, which matters once inputs that reach the label are rejected behind it.
    fn note_whole(&mut self, flip: LabelFlip) {
        match self.rejected.contains(&flip.edge) {
            true => self.wait(flip),
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
        for flip in self.whole.remove(&edge).unwrap_or_default() {
            self.wait(flip);
        }
        if self.too_many.contains(&edge) {
            self.undecided.insert(edge);
        }
    }

    fn wait(&mut self, flip: LabelFlip) {
        *self.unsettled.entry(flip.edge).or_default() += 1;
        self.waiting.push_back(flip);
    }

    /// Records that a condition that was handed out was tried.
    pub fn settle(&mut self, edge: CodeEdge) {
        let unsettled = self.unsettled.entry(edge).or_default();
        *unsettled = unsettled.saturating_sub(1);
    }

    /// Records that it stays open on some path whether an input reaches a label.
    pub fn leave_undecided(&mut self, edge: CodeEdge) {
        self.undecided.insert(edge);
    }

    /// The labels of which that stays open on some path.
    pub fn undecided(&self) -> impl Iterator<Item = CodeEdge> + '_ {
        let unsettled = self.unsettled.iter().filter(|(_, count)| **count > 0);
        let unsettled = unsettled.map(|(edge, _)| *edge);
        self.undecided.iter().copied().chain(unsettled)
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

/// Numbers for beginnings of paths.
#[derive(Debug, Default)]
struct Ways {
    /// The way that a constraint leads to from another way.
    next: FxHashMap<(u32, Step), u32>,
}

/// A constraint, as far as it tells paths apart.
type Step = (Site, Context, u32, Term);

impl Ways {
    /// The way before each constraint of an execution, and that behind the last one.
    fn of(&mut self, execution: &Execution) -> Vec<u32> {
        let mut ways = vec![0];
        let mut way = 0;
        for constraint in &execution.path {
            let step = (
                constraint.site,
                constraint.context,
                constraint.taken,
                constraint.term,
            );
            let new = self.next.len() as u32 + 1;
            way = *self.next.entry((way, step)).or_insert(new);
            ways.push(way);
        }
        ways
    }
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
