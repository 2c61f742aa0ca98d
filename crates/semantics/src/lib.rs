//! The meaning of IR's operators, conversions, checks and edges, written once for every domain of
//! values.
//!
//! A [`Domain`] says what its values are and how bit vectors of them are combined: [`Concrete`]
//! numbers, terms ([`expr::Terms`]), or [`Both`] side by side. The functions here say what a C
//! operator makes of operands, under which condition C leaves it undefined, and under which
//! condition control takes an edge. The machine calls them, and so can whatever reasons about code
//! without executing it.
//!
//! What this crate deliberately does not know: memory, addresses, and where values come from.

mod both;
mod checks;
mod concrete;
mod domain;
mod edges;
mod operators;
pub mod quick;
mod terms;

pub use both::{Both, Pair, PairOfTruths};
pub use checks::{Check, amount_is_safe, checks, negation_check, operands_are_safe, shift_check};
pub use concrete::Concrete;
pub use domain::{Domain, Overflow};
pub use edges::{branches, in_range, switch};
pub use operators::{Integer, binary, compare, convert, is_true, unary};
