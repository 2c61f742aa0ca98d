//! Facts about the values of terms: bounds without and with sign, and known bits.
//!
//! They are a domain of values as those of abstract interpretation are: [`result`] derives the fact
//! about a term from those about its operands, [`operands`] the other way round.

mod backward;
mod fact;
mod forward;

pub use backward::operands;
pub use fact::Fact;
pub use forward::result;
