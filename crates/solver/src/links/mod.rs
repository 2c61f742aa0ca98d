//! The links of the chain: each a decorator that knows the next one as a [`crate::Solver`] only.

mod bounds;
mod cache;
mod conjuncts;
mod fallback;
mod intervals;
mod invert;
mod order;
mod slice;
mod substitute;
mod trivial;
mod validate;

pub use bounds::Bounds;
pub use cache::Cache;
pub use conjuncts::Conjuncts;
pub use fallback::Fallback;
pub use intervals::Intervals;
pub use invert::Invert;
pub use order::Order;
pub use slice::Slice;
pub use substitute::Substitute;
pub use trivial::Trivial;
pub use validate::Validate;
