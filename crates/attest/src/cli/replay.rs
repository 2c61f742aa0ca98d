//! Arguments of `attest replay`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `attest replay`.
#[derive(Args, Clone, Debug)]
pub struct ReplayArguments {
    /// The folder that `attest cover` wrote
    #[arg(value_name = "DIR", default_value = "attest-out")]
    pub directory: PathBuf,

    /// Only the test with this number
    #[arg(long, value_name = "N")]
    pub test: Option<u32>,

    /// Run the test in gdb (or lldb), stopped at its defect, else where the function is called
    #[arg(long, requires = "test")]
    pub gdb: bool,
}
