//! Goals in functions whose calls are replaced: no abstract path comes to them.
//!
//! From an execution that ended well, ways inside its calls are tried that come to such a goal and on which
//! the call may still return the same: what follows then goes on as it did.

use std::rc::Rc;

use analysis::Values;
use expr::Terms;
use ir::ObjectId;
use ir::input::InputVector;
use rustc_hash::{FxHashMap, FxHashSet};

use super::aim::Ground;
use super::drive::Joined;
use super::ending;
use crate::path_tree::{Flip, WayState};
use crate::strategy::{Place, View};

/// The flips; see the module.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// With the inputs of the executions.
    flips: Vec<(Flip, Rc<InputVector>)>,
    tried: FxHashSet<Flip>,
}

impl Inside {
    /// Adds those on the path of an execution, if it ended well and nothing was replaced.
    pub fn add(&mut self, joined: Joined<'_>, ground: &mut Ground, terms: &Terms, view: &View<'_>) {
        let execution = joined.execution;
        if execution.abstracted > 0 || ending(&execution.outcome).is_none() {
            return;
        }
        let results = execution.made.iter().filter_map(|made| {
            let (_, result) = made.returned?;
            Some((made.call, terms.as_constant(result?)?))
        });
        let results: FxHashMap<ObjectId, u128> = results.collect();
        let input = Rc::new(execution.inputs.clone());
        for step in joined.path {
            let (Some(node), Some(station)) =
                (view.tree.get(step.node), ground.stations.of(step.node))
            else {
                continue;
            };
            let Some(call) = station.calls.first().filter(|_| station.region.is_real()) else {
                continue;
            };
            for (way, state) in (0..).zip(node.ways.iter().map(|way| way.state)) {
                let flip = Flip {
                    node: step.node,
                    way,
                };
                let place = Place::of(flip, view.tree);
                if !may_be_taken(state) || !view.targets.comes_to_goal(place) {
                    continue;
                }
                let values = ground.results.of(*call, place, view.targets);
                let returns_the_same = match (values, results.get(&call.call)) {
                    (Values::Of(values), Some(result)) => values.contains(result),
                    _ => true,
                };
                if returns_the_same && self.tried.insert(flip) {
                    self.flips.push((flip, Rc::clone(&input)));
                }
            }
        }
    }

    /// The next of them, with the input to change for it; those of the last execution come first.
    pub fn next(&mut self, view: &View<'_>) -> Option<(Flip, Rc<InputVector>)> {
        let mut last = std::iter::from_fn(|| self.flips.pop());
        last.find(|(flip, _)| {
            view.tree.get(flip.node).is_some()
                && view.targets.comes_to_goal(Place::of(*flip, view.tree))
        })
    }
}

/// Whether an input may take a way. Those that took it before may have gone on with calls replaced.
fn may_be_taken(state: WayState) -> bool {
    matches!(
        state,
        WayState::Pending | WayState::Taken(_) | WayState::Explored
    )
}
