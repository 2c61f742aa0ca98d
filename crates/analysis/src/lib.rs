//! Facts about code, without executing it: control flow and calls, data flow, values that functions
//! return, what is stored where, and who can see it.
//!
//! Each analysis over-approximates what executions do, so that what it excludes never happens;
//! those that only guess say so.
//!
//! What this crate deliberately does not know: executions, terms, solvers, goals, files.

mod call_graph;
pub mod callbacks;
mod callees;
mod costs;
mod counts;
pub mod data_flow;
mod def_use;
mod demand_graph;
mod determined;
mod effects;
mod empty_else;
mod escapes;
mod fixed_loops;
mod globals;
mod identical_rounds;
mod integers;
mod lengths;
mod literals;
mod liveness;
mod longest_path;
mod operands;
mod possible_returns;
mod reach;
mod rejecting;
mod renewed;
mod set_up;
mod shared_object;
mod stored;
mod value_flow;
mod writes;

pub use call_graph::{CallGraph, Summaries};
pub use costs::costly;
pub use counts::counts;
pub use def_use::{DefUse, Definition, Usage, def_use};
pub use demand_graph::{Demand, DemandGraph, Distances, ReturnDistances};
pub use determined::determined;
pub use effects::{CallEffects, may_end_at_calls};
pub use empty_else::empty_else;
pub use escapes::Escaped;
pub use fixed_loops::fixed_loops;
pub use globals::{GlobalRoles, GlobalUses, World, roles as global_roles};
pub use identical_rounds::identical_rounds;
pub use integers::integers;
pub use lengths::lengths;
pub use literals::literals;
pub use liveness::Liveness;
pub use longest_path::{
    Executed, LongestPath, PathPart, Rounds, Unbounded, executed, longest_path,
};
pub use possible_returns::{PossibleReturns, Values};
pub use reach::{Departure, Reach, Reachable};
pub use rejecting::rejecting;
pub use set_up::{SetUp, SetUpKind, set_up};
pub use shared_object::bound as shared_object_bound;
pub use stored::{Stored, StoredValues, Variable, field_at};
pub use writes::outside_write;
