//! The machine's result of 200 random programs equals gcc's and clang's. `make fuzz` goes on.

#[path = "support/csmith.rs"]
mod csmith;

use std::path::Path;
use std::process::ExitCode;

use csmith::Verdict;
use libtest_mimic::{Arguments, Failed, Trial};

const PROGRAMS: u64 = 200;
/// Programs to a test, so that tests share the cores evenly.
const SHARE: u64 = 10;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let shares = (0..PROGRAMS).step_by(SHARE as usize);
    let trials = shares.map(|first| {
        let last = first + SHARE - 1;
        Trial::test(format!("seeds_{first:03}_to_{last:03}"), move || {
            check(first, last)
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn check(first: u64, last: u64) -> Result<(), Failed> {
    let attest = Path::new(env!("CARGO_BIN_EXE_attest"));
    let scratch = tempfile::tempdir()?;
    let mut agree = 0;
    for seed in first..=last {
        if csmith::compare(attest, seed, scratch.path())? == Verdict::Agree {
            agree += 1;
        }
    }
    if agree * 2 < SHARE {
        return Err(
            format!("only {agree} of {SHARE} programs were short enough to compare").into(),
        );
    }
    Ok(())
}
