//! What memory consists of, which parts of it code names, and where pointers lead.

pub mod allocations;
pub mod classes;
pub mod compared;
pub mod elements;
pub mod escapes;
pub mod indexed;
pub mod initial;
pub mod location;
pub mod locations;
pub mod places;
pub mod scalars;
pub mod slots;
pub mod targets;
