//! How long tests take.

use coverage::{LongestTold, TimeUnit, Timing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The times of tests, and the longest path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimingRecord {
    /// What is counted.
    pub unit: TimeUnit,
    /// The optimisation that the tests were compiled with, as a flag.
    pub optimisation: String,
    /// How many times each test was run; the least count is taken.
    pub runs: u32,
    /// The tests that were timed.
    pub tests: Vec<TestTime>,
    /// The test that takes longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_test: Option<usize>,
    /// The longest path in a structural sense: whatever conditions are, and with as many rounds of each
    /// loop as some test has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_path: Option<LongestTold>,
    /// Why there is no longest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_longest_path: Option<String>,
}

/// The time of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestTime {
    /// The test.
    pub test: usize,
    /// Its count.
    pub count: u64,
    /// How many instructions its path has in attest's form of the program; absent where the path is not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

impl From<&Timing> for TimingRecord {
    fn from(timing: &Timing) -> TimingRecord {
        let tests = timing.counts.iter().map(|(test, &count)| TestTime {
            test: test.index(),
            count,
            length: timing.lengths.get(test).copied(),
        });
        TimingRecord {
            unit: timing.unit,
            optimisation: timing.optimisation.clone(),
            runs: timing.runs,
            tests: tests.collect(),
            longest_test: timing.longest_test().map(|(test, _)| test.index()),
            longest_path: timing.longest.as_ref().ok().cloned(),
            no_longest_path: timing.longest.as_ref().err().cloned(),
        }
    }
}
