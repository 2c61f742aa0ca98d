//! Arguments of `attest witness`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;

/// Arguments of `attest witness`.
#[derive(Args, Clone, Debug)]
pub struct WitnessArguments {
    /// The folder that `attest cover` wrote for `main`
    #[arg(value_name = "DIR", default_value = "attest-out")]
    pub directory: PathBuf,

    /// The folder that the witness is written to [default: DIR/witness]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// The time that the witness has, as in 2026-01-31T12:00:00Z [default: SOURCE_DATE_EPOCH, or now]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_rfc3339)]
    pub creation_time: Option<SystemTime>,
}
