//! Criteria and goals: what a suite has to cover, and what a trace covers.
//!
//! A [`Criterion`] gives the [`TestGoal`]s of a function; [`Goals`] says which of them a
//! [`ir::Trace`] reached. [`GoalStatus`] is what became of a goal, and [`Suite`] the result of a
//! whole search as plain data. A [`PathTrie`] holds paths, for criteria that count them.
//!
//! What this crate deliberately does not know: how executions are made, terms, solvers, files.

mod abstract_paths;
mod approach;
mod boundary;
mod criterion;
mod decided;
mod derived;
mod evaluation;
mod goals;
mod label_code;
mod labels;
mod minimise;
mod mutation;
mod path_trie;
mod rejected;
mod status;
mod suite;
mod switch_side;
mod timing;
mod uses;

pub use abstract_paths::{
    AbstractEdge, AbstractPaths, AbstractStep, Abstraction, WalkedEdge, WalkedPath, condition_label,
};
pub use approach::{Approach, Nearest, Obstacle, Tries};
pub use criterion::{Criteria, Criterion, Paths, Scope, UnknownCriterion};
pub use derived::{Derivation, DerivedGoal};
pub use evaluation::{Combination, Independence};
pub use goals::{GoalId, GoalKind, Goals, TestGoal};
pub use labels::label_used_twice;
pub use minimise::minimise;
pub use path_trie::{PathNode, PathTrie};
pub use rejected::rejected_goals;
pub use status::{Evidence, GoalStatus, Invariant, PassedCheck, Reason};
pub use suite::{
    FoundDefect, InfeasiblePath, LazyStatistics, LinkStatistics, PathStatistics, ProofStatistics,
    Statistics, Suggestion, Suite, SuiteGoal,
};
pub use switch_side::told_side;
pub use timing::{LongestTold, LoopBound, TimeUnit, Timing};

/// Changes a program, which does the same as before, so that the goals of criteria are edges and blocks
/// of it. Programs that are compared, or checked, have to be prepared for the same criteria.
pub fn prepare(program: &mut ir::Program, criteria: &Criteria) {
    labels::add_labels(program, criteria);
    boundary::add_boundaries(program, criteria);
    mutation::add_mutants(program, criteria);
    uses::add_uses(program, criteria);
    evaluation::unfold(program, criteria);
    debug_assert!(ir::verify(program).is_ok(), "the program is broken");
}
