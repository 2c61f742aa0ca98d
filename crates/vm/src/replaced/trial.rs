//! Calls that are tried: the state before them, to undo them where an input decides in them.

use expr::Term;
use ir::ObjectId;

use crate::execution::ConstraintKind;
use crate::run::Run;
use crate::state::Trial;

impl Run<'_, '_> {
    /// Notes the state before a call that is to be tried.
    pub(super) fn begin_trial(&mut self, call: ObjectId) -> Trial {
        Trial {
            call,
            decided: None,
            before: self.state.snapshot(),
        }
    }

    /// Restores the state before a call.
    pub(super) fn undo(&mut self, trial: Trial) {
        self.state.come_back(trial.before);
    }

    /// Records that the path has a constraint of this kind: in a call that is tried, one that
    /// separates paths ends the trial after the current block.
    pub fn note_decision(&mut self, kind: ConstraintKind, term: Term) {
        let Some(trial) = &mut self.trial else { return };
        match kind {
            ConstraintKind::Branch
            | ConstraintKind::PointerChoice(_)
            | ConstraintKind::Concretisation
            | ConstraintKind::Call(_) => {
                trial.decided.get_or_insert(term);
                self.state.steps.end();
            }
            ConstraintKind::Check(_) | ConstraintKind::Assumption => {}
        }
    }

    /// Records that all calls but this many have returned: a call that was tried stays.
    pub fn end_trial(&mut self, calls: usize) {
        self.trial
            .take_if(|trial| trial.before.frames.len() >= calls && trial.decided.is_none());
    }
}
