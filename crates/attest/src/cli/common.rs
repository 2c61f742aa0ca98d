//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use coverage::{Criterion, Scope};

/// The C files, and how to compile them.
#[derive(Args, Clone, Debug)]
pub struct UnitArguments {
    /// C files; several are linked into one program
    #[arg(value_name = "FILE.c", required = true)]
    pub files: Vec<PathBuf>,

    /// Flags that the compiler needs for the files: -I, -D, -std=, -m32, …
    #[arg(value_name = "CFLAGS", last = true)]
    pub flags: Vec<String>,
}

/// A criterion, by its name on the command line.
#[derive(Args, Clone, Copy, Debug)]
pub struct CriterionName {
    /// What to cover: decisions, conditions, statements, all-paths or unit-paths
    #[arg(
        long = "criterion",
        value_name = "CRITERION",
        default_value = "decisions"
    )]
    pub criterion: Criterion,
}

/// A scope, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeName {
    /// The function's goals
    Function,
    /// The goals of all functions in the function's file
    File,
    /// The goals of all functions in the files given
    Program,
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Scope {
        match name {
            ScopeName::Function => Scope::Function,
            ScopeName::File => Scope::File,
            ScopeName::Program => Scope::Program,
        }
    }
}
