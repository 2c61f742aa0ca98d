//! Where control goes: the code from the entry function on, with calls entered, and cut.

pub mod cuts;
pub mod schedule;
pub mod unfolding;
