//! Compares searches with and without lazy expansion on random functions until one differs.
//!
//! `cargo run --example fuzz_lazy -- ATTEST [FIRST]`: `ATTEST` is the binary, `FIRST` the number of the
//! first function. Without one the clock gives it. The functions that differ are left in a folder of
//! their own.

#[path = "../tests/support/functions.rs"]
mod functions;
#[path = "../tests/support/lazily.rs"]
mod lazily;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many functions are looked at together.
const FUNCTIONS: u64 = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(attest) = arguments.first() else {
        eprintln!("fuzz_lazy: which binary? usage: fuzz_lazy ATTEST [FIRST]");
        return ExitCode::from(2);
    };
    let first = match arguments.get(1).map(|number| number.parse()) {
        Some(Ok(number)) => number,
        Some(Err(error)) => {
            eprintln!("fuzz_lazy: the number of the first function is none: {error}");
            return ExitCode::from(2);
        }
        None => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs()),
    };
    match fuzz(Path::new(attest), first) {
        Ok(never) => match never {},
        Err(error) => {
            eprintln!("fuzz_lazy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(attest: &Path, first: u64) -> Result<std::convert::Infallible, String> {
    for number in (first..).step_by(FUNCTIONS as usize) {
        for criterion in ["unit-paths", "decisions"] {
            let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
            let numbers = number..number + FUNCTIONS;
            if let Err(difference) = lazily::compare(attest, numbers, criterion, scratch.path()) {
                let kept = scratch.keep();
                return Err(format!("{difference}\nsee {}", kept.display()));
            }
        }
        println!(
            "fuzz_lazy: functions {first} to {}: all agree",
            number + FUNCTIONS - 1
        );
    }
    Err("there are no numbers left".to_owned())
}
