//! The links of the chain: each a decorator that knows the next one as a [`crate::Solver`] only.

mod byte_domains;
mod cache;
mod conjuncts;
mod fallback;
mod guess;
mod slice;
mod trivial;
mod validate;

pub use byte_domains::ByteDomains;
pub use cache::Cache;
pub use conjuncts::Conjuncts;
pub use fallback::Fallback;
pub use guess::Guess;
pub use slice::Slice;
pub use trivial::Trivial;
pub use validate::Validate;
