//! Verdicts on random units are held against native runs.

#[path = "support/verdicts/mod.rs"]
mod verdicts;

use std::path::Path;

/// Native runs of each function.
const RUNS: u32 = 20_000;

#[test]
fn no_side_that_a_native_run_takes_is_unreachable() {
    let mut reached = 0;
    for number in 0..24 {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let attest = Path::new(env!("CARGO_BIN_EXE_attest"));
        match verdicts::check(attest, number, RUNS, &[], scratch.path()) {
            Ok(counts) => reached += counts.reached,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(reached > 1000, "only {reached} sides were reached natively");
}
