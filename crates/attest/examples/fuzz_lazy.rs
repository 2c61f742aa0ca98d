//! Compares searches with and without lazy expansion on random functions until one differs.
//!
//! `cargo run --example fuzz_lazy -- ATTEST [FIRST]`: `ATTEST` is the binary, `FIRST` the number of
//! the first function. Without one the clock gives it. The functions that differ are left in a
//! folder of their own.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "../tests/support/functions.rs"]
mod functions;
#[path = "../tests/support/lazily.rs"]
mod lazily;

use std::path::Path;
use std::process::ExitCode;

/// How many functions are looked at together.
const FUNCTIONS: u64 = 100;

fn main() -> ExitCode {
    let (attest, first) = match arguments::read("fuzz_lazy") {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    match fuzz(&attest, first) {
        Ok(never) => match never {},
        Err(error) => arguments::end("fuzz_lazy", &error),
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
