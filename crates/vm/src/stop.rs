//! How an execution goes on, or why it stops.

use ir::test::{Defect, Outcome};

/// Why an execution ends before its entry function returns.
#[derive(Debug)]
pub(crate) enum Stop {
    Defect(Box<Defect>),
    Exit(Option<i32>),
    Rejected,
    Unsupported,
    Limit,
}

/// How control goes on after a part of an execution: with a value, or not at all.
pub(crate) type Flow<T> = Result<T, Stop>;

impl Stop {
    /// How the execution ended.
    pub fn outcome(self) -> Outcome {
        match self {
            Stop::Defect(defect) => Outcome::Defect(*defect),
            Stop::Exit(status) => Outcome::Exit(status),
            Stop::Rejected => Outcome::Rejected,
            Stop::Unsupported => Outcome::Unsupported,
            Stop::Limit => Outcome::LimitReached,
        }
    }
}
