//! How long tests take, beside the longest path that the code could have.

use std::collections::{BTreeMap, BTreeSet};

use ir::TestId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is counted where a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// Instructions that the processor retires outside the system.
    Instructions,
    /// Reference cycles of the processor.
    Cycles,
    /// Nanoseconds of a clock.
    Nanoseconds,
}

/// The times of a suite's tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// What is counted.
    pub unit: TimeUnit,
    /// The optimisation that the tests were compiled with, as a flag.
    pub optimisation: String,
    /// How many times each test was run; the least count is taken.
    pub runs: u32,
    /// For each test that was timed its count.
    pub counts: BTreeMap<TestId, u64>,
    /// For each test whose path is known how many instructions it has: statements of attest's form of
    /// the program, and the ends of blocks.
    pub lengths: BTreeMap<TestId, u64>,
    /// The longest path, or why there is none.
    pub longest: Result<LongestTold, String>,
}

/// The longest path in a structural sense: whatever conditions are, and with as many rounds of each loop as
/// some test has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LongestTold {
    /// How many instructions it has, counted as those of tests.
    pub length: u64,
    /// What it passes: conditions and switches by their lines, `(…)*n` for rounds of a loop, `{…}` for a
    /// call.
    pub path: String,
    /// The loops, with how many times their conditions are evaluated at most.
    pub loops: Vec<LoopBound>,
}

/// A bound of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopBound {
    /// The line of the loop.
    pub line: u32,
    /// How often the loop's head is executed at most.
    pub times: u64,
}

impl Timing {
    /// The test that takes longest, and its count.
    pub fn longest_test(&self) -> Option<(TestId, u64)> {
        let counts = self.counts.iter().map(|(&test, &count)| (test, count));
        counts.max_by_key(|&(test, count)| (count, std::cmp::Reverse(test)))
    }

    /// Takes tests away; those after them get new numbers.
    pub(crate) fn withdraw(&mut self, tests: &BTreeSet<TestId>) {
        let renumbered = |map: &BTreeMap<TestId, u64>| {
            let kept = map.iter().filter(|(test, _)| !tests.contains(test));
            let kept = kept.map(|(&test, &count)| {
                let before = tests.range(..test).count();
                (TestId::from_usize(test.index() - before), count)
            });
            kept.collect()
        };
        self.counts = renumbered(&self.counts);
        self.lengths = renumbered(&self.lengths);
    }
}
