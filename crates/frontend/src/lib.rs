//! C to `ir`, through clang's AST.
//!
//! [`load()`] reads C files with their compiler flags, lowers them, adds the models of the library
//! functions they use, links everything to one program and verifies it. The exporter, a process
//! of its own per file, is the only part that knows clang; the lowering knows only its document.
//!
//! What it deliberately does not know: how a program is run, and what a search covers.

pub mod ast;
mod clang;
mod diagnostic;
pub mod export;
mod link;
mod load;
mod lower;
mod models;
mod table;

pub use clang::{PROFILES_ARGUMENT, exporter_main_if_requested};
pub use diagnostic::{Diagnostic, Severity, SourcePlace};
pub use link::{LinkError, Linked, link};
pub use load::{Error, Loaded, Options, load, load_unit};
pub use lower::{LowerError, Lowered, OperandOrder, Startup, When, lower_unit};
