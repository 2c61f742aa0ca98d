//! The rest of the search: the goals that are open, and the flips that may lead to them.

use coverage::{GoalId, Paths};

use super::Search;
use crate::branch_site::BranchSite;
use crate::lazy::Outlook;
use crate::path_tree::Flip;
use crate::strategy::View;

/// The most executions for better tests once every goal is covered: tests that end well in place of
/// those that end in a defect or at a limit.
const MOST_ITERATIONS_FOR_BETTER: u64 = 256;
const MOST_STEPS_FOR_BETTER: u64 = 20_000_000;

impl Search<'_> {
    /// Whether a flip, which must be pending, may lead to an open goal, or to the good end of a
    /// path that reached one.
    pub fn is_needed(&self, flip: Flip) -> bool {
        let place = BranchSite::of(flip, &self.tree);
        let view = View::of(&self.tree, &self.open_goals);
        let is_open = |goal| !self.found.collector.covers(goal);
        let is_rejection = self.tree.node(flip.node).is_rejection(flip.branch as usize);
        if is_rejection || self.open_goals.is_rejecting(place) {
            return false;
        }
        if self.options.only_defects {
            return true;
        }
        let outlook = match self.options.audit {
            true => Outlook::Open,
            false => self.lazy.outlook(flip, &view),
        };
        let leads_on = match (outlook, self.open_goals.code().goals.paths()) {
            (Outlook::Infeasible, _) => return false,
            (Outlook::Known, Some(Paths::Unit)) => {
                self.has_open_outside() && self.open_goals.leads_to_goal(place)
            }
            (_, Some(Paths::Abstract(_))) => {
                let mut abstract_paths = self.abstract_search.iter();
                abstract_paths.any(|search| search.is_needed(flip))
                    || self.open_goals.leads_to_goal(place)
            }
            _ => self.open_goals.distance(place).is_some(),
        };
        leads_on || self.is_needed_behind_labels() || self.sources.provisional.any(flip, is_open)
    }

    /// Whether a flip leads to paths that have more rounds of a loop than the criterion asks for.
    pub(super) fn is_beyond_rounds(&self, flip: Flip) -> bool {
        let mut search = self.abstract_search.iter();
        search.any(|search| search.leads_beyond(flip))
    }

    /// Whether a goal is open that executions reach in other places than on paths through the unit.
    pub(super) fn has_open_outside(&self) -> bool {
        self.outside
            .iter()
            .any(|&goal| !self.found.collector.covers(goal))
    }

    /// Whether enough was spent on better tests of goals that are covered.
    fn is_out_of_patience(&self) -> bool {
        self.found
            .all_covered_at
            .is_some_and(|(iterations, steps)| {
                self.found.progress.iterations - iterations >= MOST_ITERATIONS_FOR_BETTER
                    || self.found.steps - steps >= MOST_STEPS_FOR_BETTER
            })
    }

    /// Whether the search is done: every goal is covered by an execution that ended well, or by
    /// any, and no better ones were found for a while.
    pub fn goals_decided(&self) -> bool {
        if self.options.only_defects {
            return false;
        }
        let goals = self.open_goals.code().goals;
        let all_covered = goals.paths().is_none() && self.is_all_covered();
        // A function without goals is to end well once. A precondition may accept few inputs.
        let has_test = goals.len() > self.open_goals.pathless().count_ones(..)
            || self.found.collector.ended_well()
            || (self.options.precondition.is_none() && self.is_out_of_patience());
        all_covered && has_test && (self.is_all_settled() || self.is_out_of_patience())
    }

    /// Whether every goal is covered that the code alone does not exclude.
    pub fn is_all_covered(&self) -> bool {
        let goals = self.open_goals.code().goals;
        let pathless = self.open_goals.pathless();
        let proved = self.open_goals.proved();
        let rejected = self.rejected();
        // The count comes first, since this runs after each execution.
        let most = self.found.collector.covered()
            + pathless.count_ones(..)
            + proved.count_ones(..)
            + self.open_goals.needs().excluded()
            + rejected.len();
        most >= goals.len()
            && goals.iter().all(|(id, _)| {
                self.found.collector.covers(id)
                    || pathless.contains(id.index())
                    || proved.contains(id.index())
                    || self.open_goals.needs().excludes(id)
                    || rejected.contains(&id)
            })
    }

    /// Whether each goal that an execution can cover was covered by one that ended well.
    fn is_all_settled(&self) -> bool {
        let mut goals = self.open_goals.code().goals.iter();
        goals.all(|(id, _)| {
            self.found.collector.settles(id)
                || self.open_goals.pathless().contains(id.index())
                || self.open_goals.proved().contains(id.index())
                || self.open_goals.needs().excludes(id)
                || self.rejected().contains(&id)
        })
    }

    /// The goals that lead only to assumptions that never hold, once some input is accepted.
    fn rejected(&self) -> &[GoalId] {
        match self.found.collector.ended_well() {
            true => self.open_goals.rejected(),
            false => &[],
        }
    }
}
