//! The command line: what the user can ask for. Each command has a file of its own.

pub mod bench;
pub mod check;
pub mod common;
pub mod cover;
pub mod defects;
pub mod explain;
pub mod goals;
pub mod replay;
mod response;
pub mod run;
mod solver;
pub mod witness;

pub use self::solver::SolverArguments;
pub use common::{CriterionName, ScopeName, UnitArguments};

use clap::{Parser, Subcommand};

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "attest",
    version,
    about = "For every test goal in a C function: a test, or a proof that nothing reaches it.",
    after_help = "Exit status: 0 every goal decided and no certain defect; 1 a certain defect was found; 2 unusable \
                  input or arguments; 3 goals left undecided; 4 attest itself failed."
)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl CommandLine {
    /// Reads the command line, and the response files among the flags of the compiler.
    pub fn read() -> CommandLine {
        let mut read = CommandLine::parse();
        let flags = match &mut read.command {
            Command::Cover(arguments) => Some(&mut arguments.unit.flags),
            Command::Goals(arguments) => Some(&mut arguments.unit.flags),
            Command::Run(arguments) => Some(&mut arguments.flags),
            Command::Witness(_)
            | Command::Check(_)
            | Command::Explain(_)
            | Command::Replay(_)
            | Command::Bench(_) => None,
        };
        if let Some(flags) = flags {
            *flags = response::expanded(flags);
        }
        read
    }
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find tests for every goal of a function, and run them natively
    Cover(Box<cover::CoverArguments>),
    /// Tell why a goal is covered, unreachable or undecided
    Explain(explain::ExplainArguments),
    /// Check the proofs of unreachable goals by other means than those that found them
    Check(check::CheckArguments),
    /// Export invariants of proofs about a whole program as a correctness witness
    Witness(witness::WitnessArguments),
    /// List the goals of each criterion
    Goals(goals::GoalsArguments),
    /// Run emitted tests natively once more
    Replay(replay::ReplayArguments),
    /// Run a program concretely in attest's machine
    Run(run::RunArguments),
    /// Measure searches, and print a table beside what others needed
    Bench(bench::BenchArguments),
}
