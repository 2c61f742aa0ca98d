//! Paths beside one that was made real: on the way to the one, a call returned some value, and a way inside
//! it makes it return another, with which the unit goes where no execution has been.
//!
//! Such a path needs no abstract execution: one with all calls executed takes it, if what follows lets it.

use std::rc::Rc;

use analysis::Values;
use expr::{Model, Terms};
use ir::input::InputVector;
use rustc_hash::FxHashSet;

use super::Expansion;
use super::demands::Demand;
use super::drive::Joined;
use super::target::Target;
use super::units::{UnitNode, Units};
use crate::path_tree::{Demands, Flip, PathTree};
use crate::strategy::{Place, View};

/// A way to a path beside one that was made real.
#[derive(Debug)]
struct Way {
    flip: Flip,
    /// The input of the execution that it is a way out of.
    input: Rc<InputVector>,
    /// Where the unit goes then.
    place: UnitNode,
}

/// The ways; see the module.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    ways: Vec<Way>,
    /// Where executions were to go by one.
    tried: FxHashSet<UnitNode>,
}

impl Expansion {
    /// Adds the ways beside an execution that took a target's path, nothing on it being replaced.
    pub(super) fn look_beside(
        &mut self,
        joined: Joined<'_>,
        target: &Target,
        terms: &Terms,
        view: &View<'_>,
    ) {
        let input = Rc::new(joined.execution.inputs.clone());
        for step in joined.path {
            let Some(station) = self.ground.stations.of(step.node) else {
                continue;
            };
            let Some(&call) = station.calls.first() else {
                continue;
            };
            let demands: Vec<&Demand> = target.path.focus.demands.of_result(call.call).collect();
            let Some(node) = view.tree.get(step.node).filter(|_| !demands.is_empty()) else {
                continue;
            };
            for way in 0..node.ways.len() as u32 {
                let flip = Flip { way, ..*step };
                if !view.tree.is_pending(flip) {
                    continue;
                }
                let place = Place::of(flip, view.tree);
                let values = self.ground.results.of(call, place, view.targets);
                let leads = leads_to(values, &demands, target, (&mut self.units, terms), view);
                self.beside.ways.extend(leads.map(|place| Way {
                    flip,
                    input: Rc::clone(&input),
                    place,
                }));
            }
        }
    }

    /// The next way to a path that no execution took, with the input to change for it.
    pub(super) fn next_beside(&mut self, tree: &PathTree) -> Option<(Flip, Rc<InputVector>)> {
        while let Some(way) = self.beside.ways.pop() {
            let is_open = !self.units.was_reached(way.place) && !self.units.is_finished(way.place);
            if is_open && tree.is_pending(way.flip) && self.beside.tried.insert(way.place) {
                return Some((way.flip, way.input));
            }
        }
        None
    }
}

/// Where the unit leaves the target if a call returns one of these values, if that is one place where no
/// execution was.
fn leads_to(
    values: &Values,
    demands: &[&Demand],
    target: &Target,
    (units, terms): (&mut Units, &Terms),
    view: &View<'_>,
) -> Option<UnitNode> {
    let Values::Of(values) = values else {
        return None;
    };
    let mut places = values.iter().map(|&value| {
        let place = leaves_at(value, demands, target, (&mut *units, terms), view)?;
        (!units.was_reached(place) && !units.is_finished(place)).then_some(place)
    });
    let first = places.next()??;
    places.all(|place| place == Some(first)).then_some(first)
}

/// Where the unit goes when a result first does not meet what the target demands of it.
fn leaves_at(
    value: u128,
    demands: &[&Demand],
    target: &Target,
    (units, terms): (&mut Units, &Terms),
    view: &View<'_>,
) -> Option<UnitNode> {
    let holds = |demand: &Demand, term| {
        let model: Model = [(demand.alone?, value)].into_iter().collect();
        Some(terms.holds(term, &model))
    };
    let first = demands
        .iter()
        .find(|demand| holds(demand, demand.term) == Some(false))?;
    let node = view.tree.get(first.node)?;
    let takes = |demands: &Demands| match demands {
        Demands::Terms(own) => own.iter().all(|&term| holds(first, term) == Some(true)),
        _ => false,
    };
    let way = node.ways.iter().position(|way| takes(&way.demands))?;
    let flip = Flip {
        node: first.node,
        way: way as u32,
    };
    let edge = view.targets.edge(Place::of(flip, view.tree))?;
    let place = target.places().get(first.edges as usize)?;
    Some(units.step(*place, edge))
}
