//! Terms: hash-consed, canonical bit-vector and Boolean expressions, and their evaluation.
//!
//! A [`Term`] is a small number into a [`Terms`] arena; equal terms have equal numbers. The
//! constructors simplify, so that a constraint and its negation, or two spellings of one
//! constraint, are built from the same terms. Widths run from 1 to 128 bits.
//!
//! What this crate deliberately does not know: programs, inputs (a [`Var`] is a number), and how
//! constraints are solved. Arrays and floating terms have their place here, but do not exist yet.

mod build;
mod c_text;
mod display;
mod eval;
pub mod facts;
mod model;
mod node;
mod result_cache;
mod semantics;
mod terms;
mod var_sets;

pub use build::Substitution;
pub use c_text::CName;
pub use eval::{Evaluation, Evaluator};
pub use model::Model;
pub use node::*;
pub use semantics::{
    MAX_WIDTH, eval_binary, eval_compare, from_signed, inverse_of_odd, mask, signed_max,
    signed_min, to_signed,
};
pub use terms::Terms;
pub use var_sets::{SeenParts, Variables, VariablesIter};
