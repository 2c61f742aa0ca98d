//! Arguments of `attest check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::cover::{Format, duration};

/// Arguments of `attest check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArguments {
    /// The folder that `attest cover` wrote
    #[arg(value_name = "DIR", default_value = "attest-out")]
    pub directory: PathBuf,

    /// The SMT solver that is asked: a name or a path; it reads SMT-LIB 2 (QF_BV)
    #[arg(long, value_name = "PROGRAM", default_value = "z3")]
    pub solver: PathBuf,

    /// How long the solver may think about one question
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration)]
    pub limit: Duration,

    /// Instead, claim of each covered goal that nothing reaches it, by all formulas in the folder, to
    /// see that the checker refuses it
    #[arg(long, hide = true)]
    pub covered: bool,

    /// How the result is reported
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}
