//! Checks proofs that places of a program are unreachable: from the certificate and the code, it makes
//! what has to be shown, and asks an external solver.
//!
//! ```text
//! certificate ─► points, formulas ─┐
//! program ─► unfolding ─► passages ┴─► obligations ─► SMT-LIB 2 ─► solver
//!               │            ▲
//!        targets, escapes    └ the one semantics, over terms as they come
//! ```
//!
//! Of a search that took all paths, it executes an input for each by the machine (`vm`), makes the tree
//! of these paths anew, and shows that no input leaves it (`search/`).
//!
//! It shares nothing with the provers but the program (`ir`), its semantics (`semantics`) and the data
//! type of terms (`expr`). Its model of memory is its own, and simple: what it does not know is a
//! variable of which nothing is known, so that it refuses a proof rather than accept it.
//!
//! What this crate deliberately does not know: how proofs are found, goals and criteria, files, the
//! clock. It starts the processes of solvers.

mod addresses;
mod callers;
mod calls;
mod cells;
mod check;
mod contents;
mod copies;
mod escapes;
mod execute;
mod extents;
mod formulas;
mod globals;
mod heap;
mod members;
mod objects;
mod obligations;
mod order;
mod passage;
mod pointers;
mod points;
mod positions;
mod process;
mod products;
mod refusal;
mod script;
mod search;
mod sites;
mod state;
mod targets;
mod text;
mod unfolding;
mod world;

pub use check::{Claim, all_obligations, check};
pub use formulas::Formulas;
pub use obligations::{Group, Kind, Obligation};
pub use process::{Answer, Process, Solver};
pub use refusal::Refusal;
pub use script::script;
pub use search::{GoalClaim, SearchRun, Shown, check_search, paths_beside};
pub use text::read as read_formula;
