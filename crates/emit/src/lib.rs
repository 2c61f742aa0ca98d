//! Suites to disk: C tests that need nothing but a C compiler, their Makefile, `suite.json`; and
//! the native replay that judges them.
//!
//! [`Output`] writes a [`coverage::Suite`]; [`replay::replay`] compiles and runs what was written,
//! [`replay::compare`] holds it against the machine's claims, and [`replay::confirm`] puts the
//! native result into the suite. [`SuiteRecord`] is what `suite.json` holds: it is written, and
//! read back to be replayed later.
//!
//! This crate deliberately does not know: how tests were found, terms, solvers, the machine.

mod about;
pub mod c;
mod given;
mod graph;
pub mod inputs;
pub mod kept;
mod makefile;
mod output;
mod parts;
pub mod record;
mod relative;
pub mod replay;
mod subject;
pub mod test_program;
mod titles;
mod together;

pub use output::{Output, WriteError, Written};
pub use parts::parts;
pub use record::{BuildRecord, SuiteFiles, SuiteRecord, is_of_system};
pub use relative::relative;
pub use subject::{Subject, Tested};
pub use together::Together;
