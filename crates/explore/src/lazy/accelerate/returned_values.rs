//! A candidate is left out if its call can no longer return what its guards ask: because of the
//! values that the code after the flip returns (`analysis::PossibleReturns`), or because a call
//! before it returned a constant that does not meet its guards.
//!
//! The evidence: each value that the call may return violates a guard, a condition of the unit on
//! that result alone. It claims nothing about the edges before that guard.

use analysis::Values;
use ir::ObjectId;

use super::{Pruning, Refutation};
use crate::acceleration::Acceleration;
use crate::lazy::facts::Facts;
use crate::lazy::partial_path::{Candidate, PartialPath};
use crate::lazy::surroundings::Surroundings;

/// See the module.
#[derive(Debug)]
pub(super) struct ReturnedValues;

impl Pruning for ReturnedValues {
    fn refutes_candidate(
        &self,
        path: &PartialPath,
        candidate: &Candidate<'_>,
        edges: usize,
        facts: &Facts,
        surroundings: &Surroundings<'_>,
    ) -> Option<Refutation> {
        let refuted = |call: ObjectId, values: &Values| {
            path.guards.refuted(call, values, edges, surroundings.terms)
        };
        let now = path.replaced_around(candidate.info).and_then(|call| {
            let open_goals = surroundings.view.open_goals;
            let left = facts.returns.of(*call, candidate.place, open_goals);
            refuted(call.call, &left)
        });
        let before = candidate.info.returned.iter().find_map(|&(call, value)| {
            let value = Values::Of([value].into());
            let counts = !path.is_entered(call);
            counts.then(|| refuted(call, &value)).flatten()
        });
        let edges = [now, before].into_iter().flatten().min()?;
        Some(Refutation::new(Acceleration::ReturnedValues, edges))
    }
}
