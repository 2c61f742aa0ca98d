//! Arguments of `attest bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::cover::duration;

/// Arguments of `attest bench`.
#[derive(Args, Clone, Debug)]
pub struct BenchArguments {
    /// Which table
    #[arg(value_name = "TABLE", default_value = "speed")]
    pub table: TableName,

    /// Only the rows whose program has this in its name
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// How the table is reported on standard output
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    pub format: TableFormat,

    /// Another tool, which must be installed, to run on the same programs
    #[arg(long, value_name = "TOOL")]
    pub against: Option<PeerName>,

    /// How long each search may take, in place of the table's own limit: 60s, 2m, 1h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub time: Option<Duration>,

    /// Also draw coverage over time, one panel for each program
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// The tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableName {
    /// Speed of the machine and the search on small programs
    Speed,
    /// Time for all paths, beside another tool's
    Search,
    /// All strategies on all programs, and on those with every condition negated
    Strategies,
    /// The programs of the LATEST paper, with lazy expansion and without
    Latest,
    /// Lazy expansion left to attest, beside the ordinary search, on the programs of other tables
    Beside,
    /// Effect of each acceleration of lazy expansion: each left out in turn
    Ablation,
    /// What proofs cost where the search needs none
    Burden,
    /// A sample of the certain defects that `projects` found, each with its sanitizer's report
    CertainDefects,
    /// The programs of the CRABS paper, scaled up, by strategy, with and without proofs
    Crabs,
    /// Criteria over paths and partial paths, with their strategies and depth-first
    Criteria,
    /// Time and memory by the length of paths
    Growth,
    /// Time and memory by the number of inputs
    Inputs,
    /// Petri nets in the manner of the WCET benchmark nsichneu
    Nsichneu,
    /// Debian packages as a user covers them: goals, tests in four builds, defects, time by phase
    Projects,
    /// What replay costs of a whole file: in groups or alone, with one build or all four
    Replay,
    /// Proofs on programs whose goals are known by construction, with each prover left out in turn
    Provers,
    /// What is decided by the share of time for proofs
    Shares,
    /// Data structures, as the CUTE paper tests them
    Structures,
    /// Units of real code, by strategy
    Units,
}

/// How a table is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A table for people
    Markdown,
    /// The same figures for programs
    Json,
}

/// Other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PeerName {
    /// KLEE, with the clang that it was built for
    Klee,
}
