//! Calls that are tried: what was there before them, to undo them where an input decides in them.

use expr::Term;
use ir::{CellId, ObjectId};
use rustc_hash::FxHashMap;

use super::Calls;
use crate::code::Pc;
use crate::context::ActiveContexts;
use crate::lazy::Open;
use crate::lengths::Guess;
use crate::memory::{AllocationId, Checkpoint};
use crate::nontermination::Watch;
use crate::run::{Counters, FrameState, Record, Run};
use crate::steps::Steps;
use crate::unit::UnitMark;
use crate::unknown::UnknownCalls;
use crate::value::Value;
use crate::{ConstraintKind, Site};

/// A call that is tried, and the state of the execution before it.
pub(crate) struct Trial {
    /// The call.
    pub call: ObjectId,
    /// What an input decided in it.
    decided: Option<Term>,
    memory: Checkpoint,
    stack: Vec<Value>,
    frames: Vec<FrameState>,
    contexts: ActiveContexts,
    calls: Calls,
    unit: UnitMark,
    pc: Pc,
    base: usize,
    steps: Steps,
    counters: Counters,
    guesses: FxHashMap<AllocationId, Guess>,
    resolved: FxHashMap<CellId, Value>,
    open: FxHashMap<CellId, Open>,
    made_at: FxHashMap<AllocationId, Vec<Site>>,
    objects: usize,
    mapped: usize,
    library: usize,
    unknown: UnknownCalls,
    output: usize,
    /// All but the path, of which the length is enough.
    record: Record,
    path: usize,
}

impl Trial {
    /// What an input decided first in the call, if any did.
    pub fn decided(&self) -> Option<Term> {
        self.decided
    }
}

impl Run<'_, '_> {
    /// The state before a call that is to be tried.
    pub(super) fn begin_trial(&mut self, call: ObjectId) -> Trial {
        let path = std::mem::take(&mut self.record.path);
        let record = self.record.clone();
        self.record.path = path;
        Trial {
            call,
            decided: None,
            memory: self.memory.checkpoint(),
            stack: self.stack.clone(),
            frames: self.frames.clone(),
            contexts: self.contexts.clone(),
            calls: self.calls.clone(),
            unit: self.unit.mark(),
            pc: self.pc,
            base: self.base,
            steps: self.steps,
            counters: self.counters.clone(),
            guesses: self.guesses.clone(),
            resolved: self.resolved.clone(),
            open: self.open.clone(),
            made_at: self.made_at.clone(),
            objects: self.objects.len(),
            mapped: self.mapped.len(),
            library: self.library.len(),
            unknown: self.unknown.clone(),
            output: self.output.len(),
            record,
            path: self.record.path.len(),
        }
    }

    /// Comes back to the state before a call.
    pub(super) fn undo(&mut self, trial: Trial) {
        self.memory.come_back(trial.memory, &self.code.image);
        self.stack = trial.stack;
        self.frames = trial.frames;
        self.contexts = trial.contexts;
        self.calls = trial.calls;
        self.unit.come_back(trial.unit);
        self.pc = trial.pc;
        self.base = trial.base;
        self.steps = trial.steps;
        self.counters = trial.counters;
        self.guesses = trial.guesses;
        self.resolved = trial.resolved;
        self.open = trial.open;
        self.made_at = trial.made_at;
        self.objects.truncate(trial.objects);
        self.mapped.truncate(trial.mapped);
        self.library.truncate(trial.library);
        self.unknown = trial.unknown;
        self.output.truncate(trial.output);
        let mut path = std::mem::replace(&mut self.record, trial.record).path;
        path.truncate(trial.path);
        self.record.path = path;
        self.watch = Watch::default();
    }

    /// Records that the path has a constraint of this kind: in a call that is tried, one that
    /// parts paths ends the trial with the block.
    pub fn note_decision(&mut self, kind: ConstraintKind, term: Term) {
        let Some(trial) = &mut self.trial else { return };
        match kind {
            ConstraintKind::Branch
            | ConstraintKind::PointerChoice(_)
            | ConstraintKind::Concretisation
            | ConstraintKind::Call(_) => {
                trial.decided.get_or_insert(term);
                self.steps.end();
            }
            ConstraintKind::Check(_) | ConstraintKind::Assumption => {}
        }
    }

    /// Records that all calls but this many have returned: a call that was tried stays.
    pub fn end_trial(&mut self, calls: usize) {
        self.trial
            .take_if(|trial| trial.frames.len() >= calls && trial.decided.is_none());
    }
}
