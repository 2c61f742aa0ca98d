//! Searches of functions whose three parameters are from 0 to 3, so that native runs can try all inputs.

use serde_json::Value;

use crate::attest::{Folder, Run};
use crate::suite;

/// Covers `f` of `x.c` under a criterion, without a replay. Gives the run, the suite, and for each test
/// the number of its input: two bits for each of `a`, `b` and `c`.
///
/// # Panics
///
/// A goal is left undecided, or a defect was found.
pub fn search(folder: &Folder, criterion: &str) -> (Run, Value, Vec<usize>) {
    let words = [
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        criterion,
        "--no-replay",
        "-o",
        "out",
    ];
    let run = folder.attest(&words).ends_with(0);
    let suite = suite::read(folder);
    let tests = suite["tests"].as_array().expect("tests").iter();
    let inputs = tests.map(|test| {
        let value = |name: &str| test["inputs"][name].as_u64().unwrap_or_default() as usize;
        value("a") | value("b") << 2 | value("c") << 4
    });
    let inputs = inputs.collect();
    (run, suite, inputs)
}
