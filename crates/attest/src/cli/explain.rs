//! Arguments of `attest explain`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `attest explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArguments {
    /// The folder that `attest cover` wrote
    #[arg(value_name = "DIR", default_value = "attest-out")]
    pub directory: PathBuf,

    /// The goal: its number in suite.json, or the line (or LINE:COLUMN) where its goals are
    #[arg(value_name = "GOAL")]
    pub goal: Option<String>,
}
