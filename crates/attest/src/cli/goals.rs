//! Arguments of `attest goals`.

use clap::Args;

use super::{ScopeName, UnitArguments};

/// Arguments of `attest goals`.
#[derive(Args, Clone, Debug)]
pub struct GoalsArguments {
    /// The unit.
    #[command(flatten)]
    pub unit: UnitArguments,

    /// The function whose goals are listed
    #[arg(short, long, value_name = "FUNCTION")]
    pub function: String,

    /// Whose goals count; `program` if FUNCTION is main, else `function`
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<ScopeName>,
}
