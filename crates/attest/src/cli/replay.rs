//! Arguments of `attest replay`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `attest replay`.
#[derive(Args, Clone, Debug)]
pub struct ReplayArguments {
    /// The folder that `attest cover` wrote, of one function or of several
    #[arg(value_name = "DIR", default_value = "attest-out")]
    pub directory: PathBuf,

    /// Of the functions of the folder, only this one; may be given several times
    #[arg(short, long = "function", value_name = "FUNCTION")]
    pub functions: Vec<String>,

    /// Only the test with this number
    #[arg(long, value_name = "N")]
    pub test: Option<u32>,

    /// Run the test in gdb (or lldb), stopped at its defect, else where the function is called
    #[arg(long, requires = "test")]
    pub gdb: bool,
}
