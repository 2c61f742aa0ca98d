//! Proofs that no execution reaches a place of the program: invariants of its loops that exclude
//! it.
//!
//! ```text
//! unfolding   the control-flow graph from the entry function on, calls entered
//!   └► cuts       the start, and a point on each cycle
//!        └► segments   the code between cuts as formulas, one for each cut    (model, builder, writes)
//!             └► portfolio   the provers, in steps that the caller limits
//!                  ├► segments      exclusion
//!                  ├► steering      executions of the formulas: it proposes inputs
//!                  ├► relations     linear equations: affine, linear
//!                  ├► invariants    samples, candidates, houdini
//!                  ├► reachability  frames of clauses over atoms
//!                  └► k_induction   several segments in a row
//! ```
//!
//! The formulas over-approximate: what they do not know may be anything. The start is any call of
//! the entry function in any state, so that no bound on inputs is needed. A path ends where C leaves
//! its behaviour undefined.
//!
//! What this crate deliberately does not know: goals and criteria (it proves that edges and blocks
//! are not reached), executions of the machine, files, the clock.

mod affine;
mod allocations;
mod arena;
mod arrays;
mod atoms;
mod attempt;
mod builder;
mod candidates;
mod certificate;
mod classes;
mod constants;
mod counterexample;
mod cuts;
mod dead_ends;
mod elements;
mod escapes;
mod evidence;
mod exclusion;
mod execution;
mod formulas;
mod frames;
mod guesses;
mod heap;
mod houdini;
mod indexed;
mod initial;
mod invariants;
mod jumps;
mod k_evidence;
mod k_induction;
mod kept;
mod known_state;
mod linear;
mod locations;
mod memory;
mod model;
mod moves;
mod names;
mod neighbours;
mod node_facts;
mod nodes;
mod places;
mod portfolio;
mod print;
mod proof;
mod prover;
mod ranges;
mod reachability;
mod records;
mod refinement;
mod relations;
mod samples;
mod scalars;
mod schedule;
mod script;
mod segment;
mod shape;
mod slots;
mod state;
mod steering;
mod targets;
mod unfolding;
mod unrolling;
mod walks;
mod way;
mod writes;

pub use model::{Allocations, CallBacks};
pub use portfolio::{Findings, Options, Portfolio, Task};
pub use proof::{Invariant, Proof};
pub use prover::ProverName;
pub use script::Script;
pub use segment::CodePlace;
