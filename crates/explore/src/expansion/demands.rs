//! What an abstract path demands of the results of its calls.

use analysis::Values;
use expr::{Model, Term, Terms, Var};
use ir::input::{InputSpace, Root};
use ir::{CellId, ObjectId};
use rustc_hash::FxHashMap;

use super::drive::Joined;
use super::within;
use crate::path_tree::NodeId;

/// What is demanded of a result along with many other inputs is no help in finding a path.
const FEW: usize = 4;

/// A condition on a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    pub term: Term,
    /// The result, if the term is about nothing else.
    pub alone: Option<Var>,
    /// How many edges of the unit come before it.
    pub edges: u32,
    /// The node that it is a way out of.
    pub node: NodeId,
}

/// The conditions on the results of calls; see the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demands(FxHashMap<ObjectId, Vec<Demand>>);

impl Demands {
    /// Those on an execution's path through the unit. How a call goes on that is not of the unit, and
    /// cannot be replaced, is nothing that is demanded.
    pub fn of_unit(joined: Joined<'_>, space: &InputSpace, terms: &Terms) -> Demands {
        let places = joined.execution.unit.places.iter();
        Demands::of(joined, places.map(|place| place.inside), space, terms)
    }

    /// Those on an execution's whole path: through the unit and the calls that were expanded.
    pub fn of_whole(joined: Joined<'_>, space: &InputSpace, terms: &Terms) -> Demands {
        let places = joined.execution.unit.places.iter();
        let calls = within::calls(joined.execution);
        let counts = places
            .zip(calls)
            .map(|(place, calls)| place.inside || !calls.is_empty());
        Demands::of(joined, counts, space, terms)
    }

    /// Those of an execution's constraints that count.
    fn of(
        joined: Joined<'_>,
        counts: impl Iterator<Item = bool>,
        space: &InputSpace,
        terms: &Terms,
    ) -> Demands {
        let mut demands = Demands::default();
        let execution = joined.execution;
        let along = execution.path.iter().zip(&execution.unit.places);
        let counting = along.zip(joined.path).zip(counts);
        let counting = counting.filter(|(_, counts)| *counts);
        for (((constraint, place), step), _) in counting {
            let variables = terms.variables(constraint.term);
            if variables.iter().nth(FEW).is_some() {
                continue;
            }
            for var in variables {
                let cell = space.cell_data(CellId::from_raw(var.0));
                if let Root::Returned(call) = space.object_data(cell.object).root {
                    demands.0.entry(call).or_default().push(Demand {
                        term: constraint.term,
                        alone: variables.only().filter(|_| cell.offset_bits == 0),
                        edges: place.edges,
                        node: step.node,
                    });
                }
            }
        }
        demands
    }

    /// The conditions on a call's result.
    pub fn on(&self, call: ObjectId) -> Vec<Term> {
        let demands = self.0.get(&call).into_iter().flatten();
        demands.map(|demand| demand.term).collect()
    }

    /// What is demanded of a call's result alone, in the order of the path.
    pub fn of_result(&self, call: ObjectId) -> impl Iterator<Item = &Demand> {
        let demands = self.0.get(&call).into_iter().flatten();
        demands.filter(|demand| demand.alone.is_some())
    }

    /// The conditions on a call's result alone that so many edges demand.
    pub fn alone(&self, call: ObjectId, edges: usize) -> impl Iterator<Item = Term> + '_ {
        let demands = self.0.get(&call).into_iter().flatten();
        let alone =
            demands.filter(move |demand| demand.alone.is_some() && (demand.edges as usize) < edges);
        alone.map(|demand| demand.term)
    }

    /// How many edges of the path it takes until what they demand of a call's result alone is met by none
    /// of these values; `None` if some value meets all that so many edges demand.
    pub fn refuted(
        &self,
        call: ObjectId,
        values: &Values,
        edges: usize,
        terms: &Terms,
    ) -> Option<usize> {
        let (Values::Of(values), Some(demands)) = (values, self.0.get(&call)) else {
            return None;
        };
        let alone = demands.iter().filter(|demand| demand.alone.is_some());
        let alone = alone.filter(|demand| (demand.edges as usize) < edges);
        let fails = |value: u128| {
            alone.clone().find_map(|demand| {
                let model: Model = [(demand.alone?, value)].into_iter().collect();
                let fails = !terms.holds(demand.term, &model);
                fails.then_some(demand.edges as usize + 1)
            })
        };
        if values.is_empty() {
            let mut alone = alone.clone();
            return alone.next().map(|demand| demand.edges as usize + 1);
        }
        let all: Option<Vec<usize>> = values.iter().map(|&value| fails(value)).collect();
        all?.into_iter().max()
    }
}
