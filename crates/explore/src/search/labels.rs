//! Labels: conditions on which nothing depends, and that the search makes true on paths that it knows.

use fixedbitset::FixedBitSet;
use ir::test::Outcome;
use ir::{Block, Body, CodeEdge, ControlFlow, FunctionId, Terminator};
use vm::Execution;

use super::{End, Search};
use crate::code::Code;
use crate::flip::{self, Flipped};
use crate::options::Observer;
use crate::sources::LabelFlip;

impl Search<'_> {
    /// Takes the conditions of labels from an execution.
    pub(super) fn note_labels(&mut self, execution: &Execution) {
        if execution.probes.is_empty() || execution.abstracted > 0 {
            return;
        }
        let mut labels = std::mem::take(&mut self.sources.labels);
        labels.executed(execution, |edge| self.is_label_open(edge));
        self.sources.labels = labels;
    }

    fn is_label_open(&self, edge: CodeEdge) -> bool {
        let goals = self.open_goals.code().goals.on_edge(edge).iter();
        let mut open = goals
            .filter(|&&goal| !self.found.collector.covers(goal) && self.proofs.of(goal).is_none());
        open.next().is_some()
    }

    /// A condition of a label that was never tried.
    pub(super) fn next_fresh_label(&mut self) -> Option<LabelFlip> {
        self.label(|labels, is_open| labels.next_fresh(is_open))
    }

    /// A condition of any label, in every other turn.
    pub(super) fn next_label_in_turn(&mut self) -> Option<LabelFlip> {
        self.label(|labels, is_open| labels.next_in_turn(is_open))
    }

    /// A condition of any label.
    pub(super) fn next_label(&mut self) -> Option<LabelFlip> {
        self.label(|labels, is_open| labels.next(is_open))
    }

    fn label(
        &mut self,
        next: impl Fn(&mut crate::sources::Labels, &dyn Fn(CodeEdge) -> bool) -> Option<LabelFlip>,
    ) -> Option<LabelFlip> {
        let mut labels = std::mem::take(&mut self.sources.labels);
        let found = next(&mut labels, &|edge| self.is_label_open(edge));
        self.sources.labels = labels;
        found
    }

    /// Tries to reach a label on a path that is known. The end of the search, if it is over.
    pub(super) fn try_label(
        &mut self,
        label: &LabelFlip,
        observer: &mut dyn Observer,
    ) -> Option<End> {
        self.found.progress.solver_queries += 1;
        let path = (label.path(), &label.source);
        let (terms, solver) = (&mut self.engine.terms, &mut self.engine.solver);
        match flip::solve_on_path(path, label.condition, terms, solver) {
            Flipped::Input(input) => {
                let execution = self.execute(&input, None);
                self.absorb(&execution, None);
                // An assumption behind the label may not hold.
                if self.is_label_open(label.edge) {
                    let is_rejected = execution.outcome == Outcome::Rejected;
                    match is_rejected && self.keeps_all_paths && !label.is_whole() {
                        true => self.sources.labels.is_rejected_behind(label.edge),
                        false => self.sources.labels.leave_undecided(label.edge),
                    }
                }
            }
            Flipped::Infeasible(_) => {}
            Flipped::Unknown(_) => self.sources.labels.leave_undecided(label.edge),
        }
        self.sources.labels.settle(label.edge);
        self.prove_in_turn();
        let is_over = observer.progress(&self.found.progress).is_break();
        is_over.then_some(End::Stopped)
    }

    /// Whether a flip that leads to no goal may lead to an input that no assumption behind an open label
    /// rejects.
    pub(super) fn is_needed_behind_labels(&self) -> bool {
        self.keeps_all_paths && !self.goals_decided()
    }

    /// The goals of labels of which it is open on some path whether an input reaches them.
    pub fn open_labels(&self) -> FixedBitSet {
        let goals = self.open_goals.code().goals;
        let mut open = FixedBitSet::with_capacity(goals.len());
        let edges = self.sources.labels.undecided();
        let left_open = edges.flat_map(|edge| goals.on_edge(edge));
        open.extend(left_open.map(|goal| goal.index()));
        open
    }
}

/// Whether assumptions may reject inputs behind the conditions of labels.
pub(crate) fn assumes_behind_labels(code: &Code<'_>) -> bool {
    let functions = code.program.functions.iter_enumerated();
    let mut bodies = functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)));
    bodies.any(|(id, body)| {
        let labels = body.coverage_labels.iter().map(|label| label.block);
        // Behind a function that another one calls comes all that the entry may do.
        match id == code.entry || body.coverage_labels.is_empty() {
            true => may_assume_from(code, body, labels),
            false => may_assume(code, code.entry),
        }
    })
}

/// Whether control comes from some blocks of a function to an assumption, before that returns.
fn may_assume_from(code: &Code<'_>, body: &Body, from: impl Iterator<Item = Block>) -> bool {
    let blocks = ControlFlow::new(body).reachable(from);
    let mut ends = blocks
        .ones()
        .map(|block| &body.blocks[Block::from_usize(block)].terminator);
    ends.any(|end| match end {
        Terminator::Call { callee, .. } => callee
            .direct()
            .is_none_or(|callee| may_assume(code, callee)),
        _ => false,
    })
}

/// Whether a function is an assumption, or one that it may call has one.
fn may_assume(code: &Code<'_>, function: FunctionId) -> bool {
    let is_assumption = |function: FunctionId| {
        let function = &code.program.functions[function];
        function.body.is_none() && ir::library::is_assumption(&function.name)
    };
    let assumes = |function: FunctionId| {
        let body = code.program.functions[function].body.as_ref();
        let mut blocks = body.into_iter().flat_map(|body| &body.blocks);
        blocks.any(|block| match &block.terminator {
            Terminator::Call { callee, .. } => callee.direct().is_some_and(is_assumption),
            _ => false,
        })
    };
    is_assumption(function) || code.reach.functions_from(function).into_iter().any(assumes)
}
