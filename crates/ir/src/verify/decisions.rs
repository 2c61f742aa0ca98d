//! Decisions, their conditions and the tags of branches.

use super::Invariant;
use super::body::BodyChecker;
use crate::{BranchTag, ConditionId, DecisionId, DecisionKind, Formula, Terminator};

/// Checks that a formula refers to conditions that exist.
pub(super) fn check_ids(checker: &mut BodyChecker<'_>, decision: DecisionId, formula: &Formula) {
    for condition in formula.conditions() {
        let exists = condition.index() < checker.body.conditions.len();
        checker.demand(exists, Invariant::Ids, || {
            format!("the formula of {decision} has {condition}, which does not exist")
        });
    }
}

/// Checks decisions against their conditions, and that conditions have branches.
pub(super) fn check(checker: &mut BodyChecker<'_>) {
    let body = checker.body;
    for (id, decision) in body.decisions.iter_enumerated() {
        let found = decision.formula.conditions();
        if decision.kind == DecisionKind::Switch {
            checker.demand(found.is_empty(), Invariant::Decisions, || {
                format!("the switch {id} has conditions")
            });
        } else {
            checker.demand(decision.sides.is_empty(), Invariant::Decisions, || {
                format!("{id} has the sides of a switch")
            });
        }
        for condition in &found {
            let once = found.iter().filter(|other| *other == condition).count() == 1;
            let its_own = body.conditions[*condition].decision == id;
            checker.demand(once && its_own, Invariant::Decisions, || {
                format!("{condition} is not a condition of {id} alone, in one place")
            });
        }
    }
    let tagged = tagged(checker);
    let replaced = body
        .blocks
        .iter()
        .any(|block| matches!(block.terminator, Terminator::Unsupported { .. }));
    for (id, condition) in body.conditions.iter_enumerated() {
        let formula = &body.decisions[condition.decision].formula;
        checker.demand(
            formula.conditions().contains(&id),
            Invariant::Decisions,
            || format!("{id} is not in the formula of {}", condition.decision),
        );
        checker.demand(tagged.contains(&id) || replaced, Invariant::Tags, || {
            format!("no branch evaluates {id}")
        });
    }
}

fn tagged(checker: &BodyChecker<'_>) -> Vec<ConditionId> {
    let terminators = checker.body.blocks.iter().map(|block| &block.terminator);
    terminators
        .filter_map(|terminator| match terminator {
            Terminator::Branch { tag, .. } => tag.map(|tag| tag.condition),
            _ => None,
        })
        .collect()
}

impl BodyChecker<'_> {
    /// Checks the outcomes that a tag gives.
    pub fn outcomes(&mut self, tag: &BranchTag) {
        let decision = self.body.conditions[tag.condition].decision;
        let formula = &self.body.decisions[decision].formula;
        let sides = [(true, tag.then_outcome), (false, tag.otherwise_outcome)];
        for (value, says) in sides {
            let Some(outcome) = outcome(formula, tag.condition, value) else {
                continue;
            };
            self.demand(outcome == says, Invariant::Tags, || {
                let condition = tag.condition;
                format!("{condition} = {value} makes {decision} {outcome:?}, the tag says {says:?}")
            });
        }
    }
}

/// The outcome of a formula when one of its conditions has just been evaluated, from left to right,
/// with a value: `Some(None)` if others follow, `None` if the formula does not have the condition.
fn outcome(formula: &Formula, condition: ConditionId, value: bool) -> Option<Option<bool>> {
    match formula {
        Formula::Condition(found) => (*found == condition).then_some(Some(value)),
        Formula::Constant(_) => None,
        Formula::Not(inner) => {
            outcome(inner, condition, value).map(|known| known.map(|known| !known))
        }
        Formula::And(left, right) => connective(left, right, false, condition, value),
        Formula::Or(left, right) => connective(left, right, true, condition, value),
    }
}

/// [`outcome`] of a connective, whose left side settles it by being `settling`.
fn connective(
    left: &Formula,
    right: &Formula,
    settling: bool,
    condition: ConditionId,
    value: bool,
) -> Option<Option<bool>> {
    match outcome(left, condition, value) {
        Some(Some(known)) if known == settling => Some(Some(settling)),
        Some(Some(_)) => Some(right.settled()),
        Some(None) => Some(None),
        None => outcome(right, condition, value),
    }
}
