//! The meaning of IR's operators, conversions, checks and edges, written once for every domain of
//! values.
//!
//! A [`Domain`] says what its values are and how bit vectors of them are combined: [`Concrete`]
//! numbers, terms ([`expr::Terms`]), or [`Both`] side by side. The functions here say what a C
//! operator makes of operands, under which condition C leaves it undefined, and under which
//! condition control takes an edge. [`Code`] puts them together for whole right sides and ends of
//! blocks, for whatever reasons about code without executing it; the machine calls them one by one,
//! since it tells numbers, terms and addresses apart at each operand.
//!
//! What this crate deliberately does not know: memory, addresses, and where values come from.

mod both;
mod checks;
mod code;
mod concrete;
mod domain;
mod edges;
mod operators;
pub mod quick;
mod terms;

pub use both::{Both, Pair, PairOfTruths};
pub use checks::{Check, amount_is_safe, checks, negation_check, operands_are_safe, shift_check};
pub use code::{Code, Evaluated, Source};
pub use concrete::Concrete;
pub use domain::{Domain, Overflow};
pub use edges::{branches, in_range, switch};
pub use operators::{Integer, binary, compare, convert, is_true, unary};
