//! Goals whose status follows from that of others.

use index_vec::IndexVec;
use ir::TestId;
use ir::test::Bound;

use crate::{Evidence, GoalId, GoalStatus, Reason, SuiteGoal, TestGoal};

/// A goal whose status follows from that of others.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedGoal {
    /// The goal.
    pub goal: TestGoal,
    /// How its status follows.
    pub derivation: Derivation,
}

/// How the status of a goal follows from that of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// It is covered if both goals of a pair are, the first of which is that where the condition is
    /// true; and unreachable if in each pair one is.
    Pairs(Vec<(GoalId, GoalId)>),
    /// It is undecided: there are too many combinations to tell them apart.
    TooManyCombinations,
}

impl Derivation {
    /// A pair whose goals are both covered, with as few tests as can be.
    pub fn covered_pair(&self, goals: &IndexVec<GoalId, SuiteGoal>) -> Option<(GoalId, GoalId)> {
        let Derivation::Pairs(pairs) = self else {
            return None;
        };
        let test = |goal: GoalId| match goals.get(goal)?.status {
            GoalStatus::Covered(test) => Some(test),
            _ => None,
        };
        let covered = pairs.iter().filter_map(|&(yes, no)| {
            let tests = (test(yes)?, test(no)?);
            Some((tests.0 != tests.1, tests.0.max(tests.1), (yes, no)))
        });
        covered.min().map(|(_, _, pair)| pair)
    }

    /// The status that follows, and whether native runs confirm it.
    pub fn follow(&self, goals: &IndexVec<GoalId, SuiteGoal>) -> (GoalStatus, Option<bool>) {
        let Derivation::Pairs(pairs) = self else {
            return (GoalStatus::Undecided(Reason::TooManyCombinations), None);
        };
        let of = |goal: GoalId| goals.get(goal);
        if let Some((yes, no)) = self.covered_pair(goals) {
            let both = [of(yes), of(no)];
            let confirmed = both.map(|goal| goal.and_then(|goal| goal.confirmed));
            let confirmed = confirmed[0].zip(confirmed[1]).map(|(yes, no)| yes && no);
            let tests = both.into_iter().flatten();
            let tests = tests.filter_map(|goal| match goal.status {
                GoalStatus::Covered(test) => Some(test),
                _ => None,
            });
            let last: TestId = tests.max().unwrap_or_else(|| TestId::from_usize(0));
            return (GoalStatus::Covered(last), confirmed);
        }
        let mut bounds: Vec<Bound> = Vec::new();
        for &(yes, no) in pairs {
            let both = [of(yes), of(no)].map(|goal| goal.map(|goal| &goal.status));
            let is_unreachable =
                |status: &Option<&GoalStatus>| matches!(status, Some(GoalStatus::Unreachable(_)));
            if both.iter().any(is_unreachable) {
                continue;
            }
            let within = both.into_iter().find_map(|status| match status {
                Some(GoalStatus::UnreachableWithin(bounds)) => Some(bounds),
                _ => None,
            });
            let Some(within) = within else {
                return (undecided(&both), None);
            };
            let new = within.iter().filter(|bound| !bounds.contains(bound));
            let new: Vec<Bound> = new.cloned().collect();
            bounds.extend(new);
        }
        let status = match bounds.is_empty() {
            true => GoalStatus::Unreachable(Evidence::Pairs),
            false => GoalStatus::UnreachableWithin(bounds),
        };
        (status, None)
    }
}

/// The status of a goal with a pair of which nothing is proved: the reason of a goal of the pair.
fn undecided(pair: &[Option<&GoalStatus>; 2]) -> GoalStatus {
    let reasons = pair.iter().flatten().filter_map(|status| match status {
        GoalStatus::Undecided(reason) if *reason != Reason::NotNeeded => Some(reason.clone()),
        _ => None,
    });
    let first = reasons.into_iter().next();
    GoalStatus::Undecided(first.unwrap_or(Reason::OpenPairs))
}
