//! Suites to disk: C tests with their Makefile, `suite.json`, and the native replay that judges
//! them.
pub mod c;
pub mod graph;
pub mod path;
pub mod replay;
mod subject;

pub use subject::Subject;
