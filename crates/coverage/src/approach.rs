//! How far a search came towards a goal that it leaves undecided.

use ir::{FunctionId, Span, TestId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a search came towards a goal that it leaves undecided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approach {
    /// The test that came nearest; `None` if no test comes to code that leads to the goal.
    pub nearest: Option<Nearest>,
    /// Positions in the suite's losses: those from which control can reach the goal, where they are not
    /// the reason why it is undecided.
    pub losses: Vec<usize>,
}

/// The test that came nearest to a goal, and the place where it goes another way.
///
/// Of all blocks that some test visited, or in which it ended in a defect, the place is the block
/// from which the fewest edges out of branches and switches lead to the goal, over the control-flow
/// graph of the whole program: into functions that are called, and past calls. Of several such
/// blocks it is that with the fewest blocks on the way. The test is one that comes there, if possible
/// one that takes the edge and ends right behind it, or one in which an input decides there how
/// control goes on; the first such one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The test.
    pub test: TestId,
    /// The function of the place.
    pub function: FunctionId,
    /// The condition, what is switched on, or the call, with which the block ends.
    pub span: Span,
    /// The reason why the test does not go on towards the goal.
    pub obstacle: Obstacle,
    /// How many edges out of branches and switches lead from the place to the goal at least, that of the
    /// place included.
    pub distance: u32,
    /// Whether an input decides in the test how control goes on at the place; `None` if not all
    /// its choices were recorded.
    pub is_decided_there: Option<bool>,
    /// What the search tried to have control go on towards the goal at the place.
    pub tries: Tries,
}

/// The reason why a test does not go on from a place towards a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A branch or switch goes another way. This is the outcome that leads to the goal, in the words
    /// of [`crate::TestGoal::told_side`].
    Branch(String),
    /// A call does not enter this function.
    Call(FunctionId),
    /// The execution ends at the place, in the call there, or right behind it.
    End,
}

/// How often the search tried to take a branch at a place, on whatever paths lead there, and the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tries {
    /// An execution took the branch, though no test does: it was rejected, for example.
    pub taken: u64,
    /// No input takes it behind the choices before it on the path.
    pub infeasible: u64,
    /// The solver gave no answer.
    pub unknown: u64,
    /// The search ended while the solver worked on it.
    pub interrupted: u64,
    /// An input was found, and its execution went elsewhere.
    pub diverged: u64,
    /// It was left out without a try, because of a limit of paths or of the path tree.
    pub left_out: u64,
    /// The search ended before it was tried.
    pub pending: u64,
}

impl Tries {
    /// How often the branch was tried.
    pub fn tried(&self) -> u64 {
        self.taken + self.infeasible + self.unknown + self.interrupted + self.diverged
    }

    /// The results of both.
    #[must_use]
    pub fn and(self, other: Tries) -> Tries {
        Tries {
            taken: self.taken + other.taken,
            infeasible: self.infeasible + other.infeasible,
            unknown: self.unknown + other.unknown,
            interrupted: self.interrupted + other.interrupted,
            diverged: self.diverged + other.diverged,
            left_out: self.left_out + other.left_out,
            pending: self.pending + other.pending,
        }
    }
}
