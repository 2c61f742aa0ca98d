//! Debian packages, each covered as a user covers it: `attest cover` on some of its files, by a
//! process of its own, with all results in `target/projects/NAME`.

mod builds;
mod counts;
mod packages;
mod run;
mod sanitizers;

pub use builds::{BUILDS, Passed, pass};
pub use counts::{Counts, Place, counts, place};
pub use packages::{PACKAGES, Package};
pub use run::{Covered, Told, compile, cover, cover_into, results};
pub use sanitizers::report;
