//! Arguments of `attest explain`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `attest explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArguments {
    /// The folder that `attest cover` wrote, of one function or of several
    #[arg(value_name = "DIR", default_value = "attest-out")]
    pub directory: PathBuf,

    /// Of the functions of the folder, only this one; may be given several times
    #[arg(short, long = "function", value_name = "FUNCTION")]
    pub functions: Vec<String>,

    /// The goal: its number in suite.json, or the line (or LINE:COLUMN) where its goals are; in a
    /// folder of several functions, the line
    #[arg(value_name = "GOAL")]
    pub goal: Option<String>,
}
