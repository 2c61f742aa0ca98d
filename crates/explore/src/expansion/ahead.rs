//! The most constrained call of an abstract path is executed first, with those before it still replaced:
//! where it cannot do what is demanded of it, what these do need not be found out.
//!
//! That is for calls that see nothing of those before them. What holds on the path that was found through
//! one is then asked of all inputs for the calls before it.

use expr::{Term, Terms};
use ir::ObjectId;
use ir::input::{CallMode, Expands, InputVector};
use vm::Execution;

use super::Expansion;
use super::focus::Focus;
use super::regions::first_replaced;
use super::target::Target;
use crate::path_tree::Flip;

/// Calls that were executed ahead of others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// The calls.
    pub calls: Vec<ObjectId>,
    /// What holds on the paths through them.
    pub conditions: Vec<Term>,
}

impl Ahead {
    /// Those that an execution made behind one that was replaced, and that saw nothing of it.
    pub fn of(execution: &Execution, terms: &Terms) -> Ahead {
        let mut ahead = Ahead::default();
        let Some(first) = first_replaced(execution) else {
            return ahead;
        };
        for made in execution.made.iter().filter(|made| made.at > first) {
            let (CallMode::Entered, Some(_), Some((end, _))) =
                (made.mode, made.sees, made.returned)
            else {
                continue;
            };
            let inside = execution.path.get(made.at + 1..end).unwrap_or_default();
            let conditions = inside.iter().map(|constraint| constraint.term);
            ahead.calls.push(made.call);
            ahead
                .conditions
                .extend(conditions.filter(|&term| terms.as_bool(term).is_none()));
        }
        ahead
    }
}

impl Expansion {
    /// The call on a target that is to be executed before the first one, with the position of its constraint:
    /// more is demanded of it, and no known path meets that.
    pub(super) fn most_constrained(
        &self,
        target: &Target,
        execution: &Execution,
        terms: &Terms,
    ) -> Option<(ObjectId, usize)> {
        let demands = &target.path.focus.demands;
        let constrained = |call: ObjectId| demands.alone(call, target.length).count();
        let mut replaced = execution.made.iter().filter(|made| {
            let place = execution.unit.places.get(made.at);
            let is_before = place.is_some_and(|place| (place.edges as usize) < target.length);
            made.mode == CallMode::Abstract && is_before
        });
        let first = constrained(replaced.next()?.call);
        let later = replaced.filter(|made| {
            let of_result = demands.on(made.call);
            made.sees.is_some() && !self.summaries.may_meet(made.function, &of_result, terms)
        });
        let calls = later.map(|made| (constrained(made.call), made));
        let most = calls.rev().max_by_key(|&(demands, _)| demands);
        let most = most.filter(|&(demands, _)| demands > first);
        most.map(|(_, made)| (made.call, made.at))
    }

    /// Whether a flip is of a call that was to be executed first, on a path of the target.
    pub(super) fn is_ahead(&self, flip: Flip, target: &Target) -> bool {
        let station = self.ground.stations.of(flip.node);
        let call = station.and_then(|station| station.calls.first());
        call.is_some_and(|call| target.ahead == Some(call.call))
    }

    /// What is asked of inputs for a flip beside what leads to it, if that can be had.
    pub fn preferred(&self, flip: Flip) -> Vec<Term> {
        let target = self.target.as_ref().filter(|_| self.is_real(flip));
        let ahead = target.map(|target| &target.focus().ahead);
        ahead.map_or_else(Vec::new, |ahead| ahead.conditions.clone())
    }
}

impl Focus {
    /// Has the calls executed again that were executed ahead of others.
    pub fn expand_ahead(&self, input: &mut InputVector) {
        let ahead = self.ahead.calls.iter().copied();
        match &mut input.expands {
            Expands::All => {}
            Expands::Calls(calls) => calls.extend(ahead),
            Expands::Nothing if self.ahead.calls.is_empty() => {}
            Expands::Nothing => input.expands = Expands::Calls(ahead.collect()),
        }
    }
}
