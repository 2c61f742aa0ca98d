//! Guards: the conditions of an abstract path on the results of its calls, which a path through
//! such a call has to meet.

use analysis::Values;
use expr::{Model, Term, Terms, Var};
use ir::input::Root;
use ir::{CellId, ObjectId};
use rustc_hash::FxHashMap;
use vm::ConstraintKind;

use super::Joined;
use super::decided_by_path::is_decided;
use super::returns;
use super::surroundings::Surroundings;
use crate::path_tree::NodeId;

/// A condition on a result and on more inputs than this does not help to find a path.
const FEW: usize = 4;

/// A condition on the result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub term: Term,
    /// The result, if the term has no other variable.
    pub alone: Option<Var>,
    /// How many edges of the unit come before it.
    pub edges: u32,
    /// The node whose branch it is.
    pub node: NodeId,
    /// Whether what does not meet it may be left out: each execution that follows the path this far
    /// has to meet it, since only the path itself decides before it.
    refutes: bool,
}

/// The conditions on the results of calls; see the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards(FxHashMap<ObjectId, Vec<Guard>>);

impl Guards {
    /// Those on an execution's path through the unit. The conditions of a call that is not of the
    /// unit, and cannot be replaced, do not count, and those after them refute nothing.
    pub fn of_unit(joined: Joined<'_>, surroundings: &Surroundings<'_>) -> Guards {
        let execution = joined.execution;
        let along = execution.path.iter().zip(&execution.unit.places);
        let mut refutes = true;
        let counts = along.map(|(constraint, place)| {
            let is_call = matches!(constraint.kind, ConstraintKind::Call(_));
            refutes &= is_call || is_decided(constraint, place, &surroundings.view);
            place.inside.then_some(refutes)
        });
        Guards::of(joined, counts, surroundings)
    }

    /// Those on an execution's whole path: through the unit and the calls that were expanded. All
    /// refute, since the abstract path still has the candidates that such a path leaves out.
    pub fn of_whole(joined: Joined<'_>, surroundings: &Surroundings<'_>) -> Guards {
        let places = joined.execution.unit.places.iter();
        let calls = returns::calls(joined.execution);
        let counts = places
            .zip(calls)
            .map(|(place, calls)| (place.inside || !calls.is_empty()).then_some(true));
        Guards::of(joined, counts, surroundings)
    }

    /// Those of an execution's constraints that count, with whether they refute.
    fn of(
        joined: Joined<'_>,
        counts: impl Iterator<Item = Option<bool>>,
        surroundings: &Surroundings<'_>,
    ) -> Guards {
        let Surroundings { space, terms, .. } = surroundings;
        let mut guards = Guards::default();
        let execution = joined.execution;
        let along = execution.path.iter().zip(&execution.unit.places);
        for (((constraint, place), step), counts) in along.zip(joined.path).zip(counts) {
            let Some(refutes) = counts else { continue };
            let variables = terms.variables(constraint.term);
            if variables.iter().nth(FEW).is_some() {
                continue;
            }
            for var in variables {
                let cell = space.cell_data(CellId::from_raw(var.0));
                if let Root::Returned(call) = space.object_data(cell.object).root {
                    guards.0.entry(call).or_default().push(Guard {
                        term: constraint.term,
                        alone: variables.only().filter(|_| cell.offset_bits == 0),
                        edges: place.edges,
                        node: step.node,
                        refutes,
                    });
                }
            }
        }
        guards
    }

    /// The conditions on a call's result.
    pub fn on(&self, call: ObjectId) -> Vec<Term> {
        let guards = self.0.get(&call).into_iter().flatten();
        guards.map(|guard| guard.term).collect()
    }

    /// The conditions on a call's result alone, in the order of the path.
    pub fn of_result(&self, call: ObjectId) -> impl Iterator<Item = &Guard> {
        let guards = self.0.get(&call).into_iter().flatten();
        guards.filter(|guard| guard.alone.is_some())
    }

    /// The conditions on a call's result alone that come before so many edges.
    pub fn alone(&self, call: ObjectId, edges: usize) -> impl Iterator<Item = Term> + '_ {
        let guards = self.0.get(&call).into_iter().flatten();
        let alone =
            guards.filter(move |guard| guard.alone.is_some() && (guard.edges as usize) < edges);
        alone.map(|guard| guard.term)
    }

    /// The number of edges of the path that no execution follows if a call returns one of these
    /// values: none meets the refuting conditions on its result alone that come before so many
    /// `edges`. `None` if some value does.
    pub fn refuted(
        &self,
        call: ObjectId,
        values: &Values,
        edges: usize,
        terms: &Terms,
    ) -> Option<usize> {
        let guards = self.0.get(&call)?.iter().filter(|guard| guard.refutes);
        fails_after(guards, values, edges, terms)
    }

    /// Whether one of these values meets the conditions on a call's result alone that come before
    /// so many `edges`.
    pub fn may_meet(&self, call: ObjectId, values: &Values, edges: usize, terms: &Terms) -> bool {
        let guards = self.0.get(&call).into_iter().flatten();
        fails_after(guards, values, edges, terms).is_none()
    }
}

/// The number of edges after which no value meets the guards that come before so many `edges`;
/// `None` if some value meets all of them.
fn fails_after<'g>(
    guards: impl Iterator<Item = &'g Guard> + Clone,
    values: &Values,
    edges: usize,
    terms: &Terms,
) -> Option<usize> {
    let Values::Of(values) = values else {
        return None;
    };
    let alone = guards.filter(|guard| guard.alone.is_some());
    let alone = alone.filter(|guard| (guard.edges as usize) < edges);
    let fails = |value: u128| {
        alone.clone().find_map(|guard| {
            let model: Model = [(guard.alone?, value)].into_iter().collect();
            let fails = !terms.holds(guard.term, &model);
            fails.then_some(guard.edges as usize + 1)
        })
    };
    if values.is_empty() {
        let mut alone = alone.clone();
        return alone.next().map(|guard| guard.edges as usize + 1);
    }
    let all: Option<Vec<usize>> = values.iter().map(|&value| fails(value)).collect();
    all?.into_iter().max()
}
