//! Recent results of operators: most of the time, an execution applies the same operators to the
//! same terms as the one before it.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::{BvOp, CmpOp, Term, Terms};

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Binary(BvOp, Term, Term),
    Compare(CmpOp, Term, Term),
    And(Term, Term),
}

/// Recent results. Each operation has one slot, in which a new result replaces the old one.
#[derive(Clone)]
pub(crate) struct ResultCache {
    slots: Box<[Option<(Operation, Term)>]>,
}

const SLOTS: usize = 1 << 14;

impl Default for ResultCache {
    fn default() -> Self {
        ResultCache {
            slots: vec![None; SLOTS].into_boxed_slice(),
        }
    }
}

impl ResultCache {
    /// The result of the operation, if it is remembered.
    pub fn get(&self, operation: Operation) -> Option<Term> {
        let (known, result) = self.slots[slot(operation)]?;
        (known == operation).then_some(result)
    }

    /// Remembers the result of the operation.
    pub fn set(&mut self, operation: Operation, result: Term) {
        self.slots[slot(operation)] = Some((operation, result));
    }
}

fn slot(operation: Operation) -> usize {
    // The high bits are the well-mixed ones.
    (FxBuildHasher.hash_one(operation) >> (u64::BITS - SLOTS.ilog2())) as usize
}

impl Terms {
    /// The remembered result of the operation, or a new one. Inside other simplifications, which
    /// may give up early, results are not remembered.
    pub(crate) fn remembered(
        &mut self,
        operation: Operation,
        build: impl FnOnce(&mut Terms) -> Term,
    ) -> Term {
        if let Some(result) = self.results.get(operation) {
            return result;
        }
        let result = build(self);
        if self.nesting == 0 {
            self.results.set(operation, result);
        }
        result
    }
}
