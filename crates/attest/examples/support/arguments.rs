//! What the fuzzers are told on the command line.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// `ATTEST [FIRST]`: the binary, and the number to begin with, which the clock gives if it is
/// missing. Otherwise says on standard error what is wrong.
pub fn read(name: &str) -> Result<(PathBuf, u64), ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let complain = |what: String| {
        eprintln!("{name}: {what}");
        ExitCode::from(2)
    };
    let attest = arguments.next();
    let attest =
        attest.ok_or_else(|| complain(format!("which binary? usage: {name} ATTEST [FIRST]")))?;
    let first = match arguments.next().map(|first| first.parse()) {
        Some(first) => {
            first.map_err(|error| complain(format!("the first number is none: {error}")))?
        }
        None => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs()),
    };
    Ok((attest.into(), first))
}

/// The end of a fuzzer, which something made stop.
pub fn end(name: &str, why: &str) -> ExitCode {
    eprintln!("{name}: {why}");
    ExitCode::FAILURE
}
