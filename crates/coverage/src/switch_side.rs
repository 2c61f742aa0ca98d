//! Sides of switches in words.

use std::fmt::Display;

use ir::SwitchSide;

use crate::TestGoal;

impl TestGoal {
    /// The side as people read it.
    pub fn told_side(&self) -> &str {
        self.side_by_names.as_deref().unwrap_or(&self.side)
    }
}

/// A side of a switch in words: `case 7`, `case 1 ... 3`, `default`.
pub(crate) fn side_text(side: &SwitchSide) -> String {
    side.values
        .map_or_else(|| "default".to_owned(), |(low, high)| case(low, high))
}

/// The same by the names of enumerators, if it has some: `case RED`, `case RED ... BLUE`.
pub(crate) fn side_by_names(side: &SwitchSide) -> Option<String> {
    let (low, high) = side.names.as_ref()?;
    Some(case(low, high))
}

/// A side of a switch as people read it.
pub fn told_side(side: &SwitchSide) -> String {
    side_by_names(side).unwrap_or_else(|| side_text(side))
}

fn case<V: Display + PartialEq>(low: V, high: V) -> String {
    match low == high {
        true => format!("case {low}"),
        false => format!("case {low} ... {high}"),
    }
}
