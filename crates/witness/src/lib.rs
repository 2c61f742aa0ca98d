//! Correctness witnesses: the invariants of proofs as C expressions at places of the source, in the
//! format that verifiers of C programs exchange (version 2.0 of SV-COMP's).
//!
//! ```text
//! proofs ─► formulas at points ─► conditions at heads of loops ─► read again ─► witness in YAML
//!                │                       │
//!       all stacks of calls        source text: keywords, statements
//! ```
//!
//! A condition is kept only if clang reads its text, at its place, as the very term that the proof has
//! there, and if C defines it for all values (`round_trip.rs`).
//!
//! What this crate deliberately does not know: how proofs are found, suites, files, the clock. Texts,
//! times and the reading of C come in as values.

mod cells;
mod conditions;
mod contexts;
mod harness;
mod reach;
mod round_trip;
mod source;
mod yaml;

pub use conditions::{Condition, Gathered, gather};
pub use harness::{Harness, Side, harness};
pub use reach::{Excluded, open_calls};
pub use round_trip::{DECLARATIONS, kept, marked};
pub use source::{Source, Spot, SpotKind};
pub use yaml::{Invariant, Metadata, Task, digest, witness};
