//! The report at the end of a run.

mod human;
mod mcdc;
mod table;

pub use human::{Phases, Report};
#[cfg(test)]
pub use table::tables;

#[cfg(test)]
mod tests;
