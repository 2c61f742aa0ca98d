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
/// Further seeds that a test may take in place of its own.
const FURTHER: u64 = 50;

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

/// Compares programs until as many as seeds agree: in place of each whose run is too long, another
/// seed's is taken.
fn check(first: u64, last: u64) -> Result<(), Failed> {
    let attest = Path::new(env!("CARGO_BIN_EXE_attest"));
    let scratch = tempfile::tempdir()?;
    let further = PROGRAMS + first * FURTHER / SHARE;
    let mut agree = 0;
    for seed in (first..=last).chain(further..further + FURTHER) {
        if csmith::compare(attest, seed, scratch.path())? == Verdict::Agree {
            agree += 1;
        }
        if agree == SHARE {
            return Ok(());
        }
    }
    Err(format!("only {agree} of {SHARE} programs were short enough to compare").into())
}
