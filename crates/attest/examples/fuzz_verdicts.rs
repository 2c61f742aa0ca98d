//! Holds verdicts on random units against native runs until one is wrong.
//!
//! `cargo run --example fuzz_verdicts -- ATTEST [FIRST [WITHOUT]...]`: `ATTEST` is the binary,
//! `FIRST` the number of the first unit. Without one the clock gives it. `WITHOUT` are shapes of
//! statements to leave out. A unit with a wrong verdict is left in a folder of its own.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "../tests/support/verdicts/mod.rs"]
mod verdicts;

use std::path::Path;
use std::process::ExitCode;

/// Native runs of each function.
const RUNS: u32 = 40_000;

/// How many units are looked at between two lines on standard output.
const UNITS: u64 = 10;

fn main() -> ExitCode {
    let (attest, first) = match arguments::read("fuzz_verdicts") {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let without: Vec<String> = std::env::args().skip(3).collect();
    match fuzz(&attest, first, &without) {
        Ok(never) => match never {},
        Err(error) => arguments::end("fuzz_verdicts", &error),
    }
}

fn fuzz(attest: &Path, first: u64, without: &[String]) -> Result<std::convert::Infallible, String> {
    let (mut goals, mut unreachable, mut reached) = (0, 0, 0);
    for number in first.. {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        match verdicts::check(attest, number, RUNS, without, scratch.path()) {
            Ok(counts) => {
                goals += counts.goals;
                unreachable += counts.unreachable;
                reached += counts.reached;
            }
            Err(error) => {
                let kept = scratch.keep();
                return Err(format!("{error}\nsee {}", kept.display()));
            }
        }
        if (number - first + 1).is_multiple_of(UNITS) {
            println!(
                "fuzz_verdicts: units {first} to {number}: {goals} goals, {unreachable} unreachable, {reached} reached natively, none of them both"
            );
        }
    }
    Err("there are no numbers left".to_owned())
}
