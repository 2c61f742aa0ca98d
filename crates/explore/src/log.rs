//! Losses, bounds and defects as executions report them, each once.

use fixedbitset::FixedBitSet;
use ir::test::{Bound, BoundKind, Defect, Frame, Loss, LossKind};
use ir::{Block, DefectKind, FunctionId};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::Execution;

/// The calls of a stack, without the places in the source.
type Stack = Vec<(FunctionId, Block)>;

fn stack(frames: &[Frame]) -> Stack {
    frames
        .iter()
        .map(|frame| (frame.function, frame.block))
        .collect()
}

/// The goals that rejected executions reached.
#[derive(Debug, Default)]
pub struct Rejected {
    /// All of them. A loss or bound after such a goal may be the reason for the rejection.
    pub reached: FixedBitSet,
    /// Those reached before a call that may not return.
    pub before_calls: FixedBitSet,
}

/// What a search lost, and which bounds it hit.
#[derive(Debug, Default)]
pub struct Log {
    /// Each loss once: the same kind at the same stack counts as the same.
    pub losses: Vec<Loss>,
    /// Each bound once.
    pub bounds: Vec<Bound>,
    /// The places where native calls fixed values, each once: a loss if not all values were tried.
    pub fixed: Vec<Loss>,
    /// The goals that rejected executions reached.
    pub rejected: Rejected,
    seen_losses: FxHashSet<(LossKind, Stack)>,
    seen_bounds: FxHashSet<(BoundKind, Stack)>,
    seen_fixed: FxHashSet<Stack>,
    /// The places of defects, and whether one there rested on nothing that the machine told.
    seen_defects: FxHashMap<(DefectKind, FunctionId, ir::Span), bool>,
}

impl Log {
    /// Records what an execution lost, and which bounds it hit.
    pub fn execution(&mut self, execution: &Execution) {
        execution
            .imprecision
            .losses
            .iter()
            .for_each(|loss| self.loss(loss));
        execution
            .imprecision
            .bounds
            .iter()
            .for_each(|bound| self.bound(bound));
        let fixed = execution.imprecision.fixed.iter();
        fixed.for_each(|fixed| self.note_fixed(fixed));
    }

    /// Records the places where an execution with replaced calls wrote memory that may be shared
    /// with other objects: the executions that it stands for write there too.
    pub fn shared_memory(&mut self, execution: &Execution) {
        let bounds = execution.imprecision.bounds.iter();
        let shared = bounds.filter(|bound| bound.kind == BoundKind::SharedMemory);
        shared.for_each(|bound| self.bound(bound));
    }

    /// Records a loss.
    pub fn loss(&mut self, loss: &Loss) {
        if self.seen_losses.insert((loss.kind, stack(&loss.stack))) {
            self.losses.push(loss.clone());
        }
    }

    /// Whether there is a loss of a kind.
    pub fn has(&self, kind: LossKind) -> bool {
        self.losses.iter().any(|loss| loss.kind == kind)
    }

    /// Records a bound.
    pub fn bound(&mut self, bound: &Bound) {
        if self.seen_bounds.insert((bound.kind, stack(&bound.stack))) {
            self.bounds.push(bound.clone());
        }
    }

    /// Records where values were fixed.
    pub fn note_fixed(&mut self, fixed: &Loss) {
        if self.seen_fixed.insert(stack(&fixed.stack)) {
            self.fixed.push(fixed.clone());
        }
    }

    /// Whether a defect of this kind at this place is new, or the first there that rests on nothing
    /// that the machine told.
    pub fn is_new_defect(&mut self, defect: &Defect) -> bool {
        let Some(frame) = defect.stack.first() else {
            return true;
        };
        let place = (defect.kind, frame.function, frame.span.clone());
        let known = self.seen_defects.insert(place.clone(), defect.is_certain());
        if known == Some(true) {
            self.seen_defects.insert(place, true);
        }
        match known {
            None => true,
            Some(is_certain) => !is_certain && defect.is_certain(),
        }
    }
}
