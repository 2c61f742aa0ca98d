//! Proofs that no execution reaches a place of the program: invariants of its loops that exclude
//! it.
//!
//! ```text
//! graph       the control-flow graph from the entry function on, calls entered, and its cuts
//!   └► objects    what memory consists of, and where pointers lead
//!        └► formulas   the code between cuts as formulas over what it consists of
//!             └► portfolio   the provers, in steps that the caller limits; they give evidence
//!                  ├► exclusion     what segments exclude by themselves
//!                  ├► values        bounds, bits and remainders of each location by itself
//!                  ├► steering      executions of the formulas: it proposes inputs
//!                  ├► relations     linear equations, of phases of loops and with products too
//!                  ├► implications  between predicates, as many as are inductive
//!                  ├► invariants    candidates that hold in samples, and are inductive
//!                  ├► reachability  frames of clauses over predicates, and refinement of these
//!                  ├► k_induction   several segments in a row
//!                  └► monitor       which branches of executions can still lead to goals
//! ```
//!
//! The formulas over-approximate: what they do not know may be anything. The start is any call of
//! the entry function in any state, so that no bound on inputs is needed. A path ends where C leaves
//! its behaviour undefined.
//!
//! What this crate deliberately does not know: goals and criteria (it proves that edges and blocks
//! are not reached), executions of the machine, files, the clock.

mod attempt;
mod dead_ends;
mod evidence;
mod exclusion;
mod formulas;
mod graph;
mod implications;
mod invariants;
mod k_induction;
mod monitor;
mod objects;
mod portfolio;
mod prover;
mod reachability;
mod relations;
mod steering;
mod values;

pub use evidence::proof::{Invariant, Proof};
pub use formulas::model::{Allocations, CallBacks};
pub use formulas::script::Script;
pub use formulas::segment::CodePlace;
pub use monitor::trace::WATCHED_EVENTS;
pub use monitor::{Position, Watched, Watching};
pub use portfolio::{Findings, Options, Portfolio, Task};
pub use prover::ProverName;
