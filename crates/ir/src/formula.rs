//! Decisions as Boolean combinations of their conditions.

use crate::ConditionId;

/// A Boolean combination of conditions, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the connectives by their names
pub enum Formula {
    Condition(ConditionId),
    /// A condition that the compiler folds; it is no goal and has no branch.
    Constant(bool),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The outcome that the constants alone determine, whatever the conditions are.
    pub fn folded(&self) -> Option<bool> {
        match self {
            Formula::Condition(_) => None,
            Formula::Constant(value) => Some(*value),
            Formula::Not(inner) => inner.folded().map(|value| !value),
            Formula::And(left, right) => match (left.folded(), right.folded()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Formula::Or(left, right) => match (left.folded(), right.folded()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    /// Whether one of its conditions is folded.
    pub fn has_constant(&self) -> bool {
        match self {
            Formula::Condition(_) => false,
            Formula::Constant(_) => true,
            Formula::Not(inner) => inner.has_constant(),
            Formula::And(left, right) | Formula::Or(left, right) => {
                left.has_constant() || right.has_constant()
            }
        }
    }

    /// Its conditions, from left to right.
    pub fn conditions(&self) -> Vec<ConditionId> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Condition(condition) => found.push(*condition),
                Formula::Constant(_) => {}
                Formula::Not(inner) => open.push(inner),
                Formula::And(left, right) | Formula::Or(left, right) => {
                    open.push(right);
                    open.push(left);
                }
            }
        }
        found
    }

    /// The value, if it is the same whatever its conditions are, and none is evaluated to find it.
    pub fn settled(&self) -> Option<bool> {
        match self {
            Formula::Condition(_) => None,
            Formula::Constant(value) => Some(*value),
            Formula::Not(inner) => inner.settled().map(|value| !value),
            Formula::And(left, right) => match left.settled()? {
                true => right.settled(),
                false => Some(false),
            },
            Formula::Or(left, right) => match left.settled()? {
                true => Some(true),
                false => right.settled(),
            },
        }
    }

    /// The condition that an evaluation begins with; `None` if constants settle it before.
    pub fn first_condition(&self) -> Option<ConditionId> {
        match self {
            Formula::Condition(condition) => Some(*condition),
            Formula::Constant(_) => None,
            Formula::Not(inner) => inner.first_condition(),
            Formula::And(left, right) => match left.settled() {
                None => left.first_condition(),
                Some(true) => right.first_condition(),
                Some(false) => None,
            },
            Formula::Or(left, right) => match left.settled() {
                None => left.first_condition(),
                Some(false) => right.first_condition(),
                Some(true) => None,
            },
        }
    }
}
