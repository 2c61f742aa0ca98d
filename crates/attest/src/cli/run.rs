//! Arguments of `attest run`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `attest run`.
#[derive(Args, Clone, Debug)]
pub struct RunArguments {
    /// C files with a `main`; several are linked into one program
    #[arg(value_name = "FILE.c", required = true)]
    pub files: Vec<PathBuf>,

    /// A flag that the compiler needs for the files, such as --cflag=-Iinclude; may be repeated
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true)]
    pub flags: Vec<String>,

    /// Tell on standard error, as JSON, how many steps the execution took and how long
    #[arg(long)]
    pub statistics: bool,

    /// Steps that the execution may take
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub step_limit: u64,

    /// The program's arguments
    #[arg(value_name = "ARGS", last = true)]
    pub arguments: Vec<String>,
}
