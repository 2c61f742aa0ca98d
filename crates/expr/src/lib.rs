//! Terms: hash-consed, canonical bit-vector and Boolean expressions, and their evaluation.
//!
//! A [`Term`] is a small number into a [`Terms`] arena; equal terms have equal numbers. The
//! constructors simplify, so that a constraint and its negation, or two spellings of one
//! constraint, meet. Widths run from 1 to 128 bits.
//!
//! What this crate deliberately does not know: programs, inputs (a [`Var`] is a number), and how
//! constraints are solved. Arrays and floating terms have their place here, but do not exist yet.

mod node;

pub use node::*;
