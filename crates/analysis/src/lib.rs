//! Facts about code, without executing it: control flow and calls, data flow, values that functions return.
//!
//! Each analysis over-approximates what executions do, so that what it excludes never happens.
//!
//! What this crate deliberately does not know: executions, terms, solvers, goals, files.

pub mod control_flow;
pub mod data_flow;
mod determined;
mod reach;
mod rejecting;
mod results;
mod returned;

pub use control_flow::ControlFlow;
pub use determined::determined;
pub use reach::{Reach, Reachable};
pub use rejecting::rejecting;
pub use results::{Demand, Distances, Results, Returns};
pub use returned::{Returned, Values};
