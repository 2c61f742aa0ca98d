//! Arguments of `attest cover` about defects.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::cover::duration;

/// Which defects are told, and which fail the run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Defects")]
pub struct DefectArguments {
    /// Which defects are told: those that rest on no assumption about inputs, all, or none
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub defects: ToldDefects,

    /// Which defects make the exit status 1
    #[arg(long, value_name = "WHICH", default_value = "certain")]
    pub fail_on: FailOn,

    /// How long to look for further defects once every goal is decided: 10s, or 0; by default about as
    /// long as that took, at least 0.2 s where there is something left to try, and at most a tenth of
    /// --time
    #[arg(long, value_name = "DURATION", value_parser = check_time)]
    pub check_time: Option<Duration>,

    /// Known defects, which are neither told nor fail the run: a file that --write-baseline wrote
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write the defects that are found, those of the baseline included, to a file for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Take it that callers pass no NULL for a parameter of the function; a verdict within this
    /// bound counts as decided
    #[arg(long)]
    pub assume_nonnull: bool,

    /// The same for the parameters with these names, with commas between them
    #[arg(long, value_name = "PARAMETERS", value_delimiter = ',')]
    pub nonnull: Vec<String>,

    /// Take it that inputs share no memory; a verdict within this bound counts as decided
    #[arg(long)]
    pub assume_disjoint: bool,
}

/// A duration, which may be 0.
fn check_time(text: &str) -> Result<Duration, String> {
    match text {
        "0" | "0s" => Ok(Duration::ZERO),
        _ => duration(text),
    }
}

/// The defects that are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToldDefects {
    /// Those that rest on no assumption
    Certain,
    /// These, and the others grouped by what they rest on
    All,
    /// None; they don't fail the run either
    None,
}

/// The defects that fail the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Those that rest on no assumption
    Certain,
    /// Those too that rest on assumptions
    Assumed,
}
