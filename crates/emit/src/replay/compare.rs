//! The machine's claims beside the native result. A difference is a defect of attest.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use coverage::{GoalId, GoalStatus, Reason, Suite};
use ir::TestId;
use ir::test::{Outcome, TestCase};

use super::{DefectRun, Replayed, ReplayedTest, TestStatus};

/// Where the machine and the compiled program disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A test reaches a goal in the machine, and natively not.
    NotReached {
        /// The test.
        test: TestId,
        /// The goal.
        goal: GoalId,
    },
    /// A test reaches a goal natively that it does not reach in the machine.
    NotClaimed {
        /// The test.
        test: TestId,
        /// The goal.
        goal: GoalId,
    },
    /// A test that should pass does not.
    NotPassed {
        /// The test.
        test: TestId,
        /// Which compiler's program it is: `clang` or `gcc`.
        compiler: &'static str,
        /// How it ends instead.
        status: TestStatus,
    },
    /// A test that passes has a defect of its own, which only a sanitizer shows.
    NotClean {
        /// The test.
        test: TestId,
        /// What the sanitizer says.
        report: String,
    },
    /// The second compiler does not compile the tests.
    NotCompiled {
        /// What it says.
        message: String,
    },
}

impl Difference {
    /// The test that shows it, if it is about one.
    pub fn test(&self) -> Option<TestId> {
        match self {
            Difference::NotReached { test, .. }
            | Difference::NotClaimed { test, .. }
            | Difference::NotPassed { test, .. }
            | Difference::NotClean { test, .. } => Some(*test),
            Difference::NotCompiled { .. } => None,
        }
    }
}

/// All differences, in order of the tests.
pub fn compare(suite: &Suite, replayed: &Replayed) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (&id, native) in &replayed.tests {
        let Some(test) = suite.tests.get(id) else {
            continue;
        };
        if must_pass(test) && native.status != TestStatus::Passed {
            differences.push(Difference::NotPassed {
                test: id,
                compiler: "clang",
                status: native.status.clone(),
            });
        }
        compare_goals(suite, id, replayed, &mut differences);
        if let Some(status) = replayed.second.get(&id)
            && must_pass(test)
            && *status != TestStatus::Passed
        {
            differences.push(Difference::NotPassed {
                test: id,
                compiler: "gcc",
                status: status.clone(),
            });
        }
        if let Some(report) = replayed.sanitized.get(&id)
            && must_pass(test)
            && native.status == TestStatus::Passed
        {
            differences.push(Difference::NotClean {
                test: id,
                report: report.clone(),
            });
        }
    }
    differences.extend(
        replayed
            .second_refuses
            .iter()
            .map(|message| Difference::NotCompiled {
                message: message.clone(),
            }),
    );
    differences
}

/// Whether the test says how it ends: after a defect, or where the machine could not go on,
/// anything may happen; and what depends on the stack or on padding may go another way.
pub(super) fn must_pass(test: &TestCase) -> bool {
    !test.unsure && matches!(test.outcome, Outcome::Return | Outcome::Exit(_))
}

fn compare_goals(
    suite: &Suite,
    id: TestId,
    replayed: &Replayed,
    differences: &mut Vec<Difference>,
) {
    let (Some(native), Some(claims), Some(test)) = (
        replayed.tests.get(&id),
        suite.claims.get(id),
        suite.tests.get(id),
    ) else {
        return;
    };
    // Where its objects lie natively, or what the stack holds, may lead elsewhere.
    if test.unsure || test.outcome == Outcome::AddressDependent {
        return;
    }
    let reached = &native.reached;
    for &goal in claims {
        let index = goal.index();
        if !reached.goals.contains(index) && !reached.unmapped.contains(index) {
            differences.push(Difference::NotReached { test: id, goal });
        }
    }
    // Counts behind a call that does not return are those of a call that does, so only a test that
    // returns shows what the machine should have claimed.
    if test.outcome == Outcome::Return && native.status == TestStatus::Passed {
        for index in reached.goals.ones() {
            let goal = GoalId::from_usize(index);
            let claims_it = |&other: &TestId| self::claims(suite, other, goal);
            if !claims.contains(&goal) && !native.beside.iter().any(claims_it) {
                differences.push(Difference::NotClaimed { test: id, goal });
            }
        }
    }
}

/// The test that reaches a goal natively: one that claims it, or else one that returns as it
/// should. What any other test reaches behind its claims, clang may only have derived.
pub fn reached_by(suite: &Suite, replayed: &Replayed, goal: GoalId) -> Option<TestId> {
    let reaching: Vec<(TestId, &ReplayedTest)> = replayed
        .tests
        .iter()
        .filter(|(id, _)| reaches(suite, replayed, **id, goal))
        .map(|(&id, native)| (id, native))
        .collect();
    let returns = |(id, native): &&(TestId, &ReplayedTest)| {
        let outcome = suite.tests.get(*id).map(|test| &test.outcome);
        outcome == Some(&Outcome::Return) && native.status == TestStatus::Passed
    };
    let claiming = reaching.iter().find(|(id, _)| claims(suite, *id, goal));
    let found = claiming.or_else(|| reaching.iter().find(returns));
    found.map(|(id, _)| *id)
}

fn claims(suite: &Suite, test: TestId, goal: GoalId) -> bool {
    let claims = suite.claims.get(test);
    claims.is_some_and(|claims| claims.contains(&goal))
}

/// Whether a test that claims a goal reaches it natively. Where clang does not count, it does if it ends
/// as it should, in a defect too. A test that fails, with either compiler or under sanitizers, shows nothing.
fn reaches(suite: &Suite, replayed: &Replayed, test: TestId, goal: GoalId) -> bool {
    let Some(native) = replayed.tests.get(&test) else {
        return false;
    };
    if fails(suite, replayed, test) {
        return false;
    }
    let reached = &native.reached;
    let as_expected = native.status == TestStatus::Passed
        || replayed.defects.get(&test) == Some(&DefectRun::Shown);
    reached.goals.contains(goal.index())
        || (as_expected && reached.uncounted.contains(goal.index()))
}

/// Whether a test fails that should pass, or has a defect of its own.
fn fails(suite: &Suite, replayed: &Replayed, test: TestId) -> bool {
    let passes = |status: &TestStatus| *status == TestStatus::Passed;
    let native = replayed.tests.get(&test);
    let should_pass = suite.tests.get(test).is_some_and(must_pass);
    let all_pass = native.is_some_and(|native| passes(&native.status))
        && replayed.second.get(&test).is_none_or(passes);
    let is_clean = !replayed.sanitized.contains_key(&test);
    (should_pass && !(all_pass && is_clean)) || leaves_objects(suite, replayed, test)
}

/// Whether a test's execution was cut short, and goes on natively to accesses behind its objects, which
/// were made as large as the execution came. An access to where there is no memory ends it plainly too.
fn leaves_objects(suite: &Suite, replayed: &Replayed, test: TestId) -> bool {
    let outcome = suite.tests.get(test).map(|test| &test.outcome);
    let is_cut_short = matches!(outcome, Some(Outcome::Unsupported | Outcome::LimitReached));
    let report = replayed.sanitized.get(&test);
    let is_behind =
        |report: &String| report.contains("AddressSanitizer") && !report.contains("SEGV");
    is_cut_short && report.is_some_and(is_behind)
}

/// The tests that are to be taken back: those that go on to accesses outside their objects.
pub fn withdrawn(suite: &Suite, replayed: &Replayed) -> BTreeSet<TestId> {
    let reported = replayed.sanitized.keys().copied();
    let leaves = |id: &TestId| leaves_objects(suite, replayed, *id);
    reported.filter(leaves).collect()
}

/// Writes the native result into the suite: a goal counts as covered only if a test that claims it
/// reaches it natively; one that no test confirms is undecided, for lack of time or because none does.
pub fn confirm(suite: &mut Suite, replayed: &Replayed) {
    let confirming = confirming(suite, replayed);
    let beyond = suite.goals.iter_enumerated().map(|(id, goal)| {
        let test = goal.beyond_defect;
        test.filter(|&test| reaches(suite, replayed, test, id))
    });
    let beyond: Vec<Option<TestId>> = beyond.collect();
    for ((id, goal), beyond) in suite.goals.iter_mut_enumerated().zip(beyond) {
        goal.beyond_defect = beyond;
        let GoalStatus::Covered(claimed) = goal.status else {
            continue;
        };
        let tests = confirming.get(&id).map_or(&[][..], Vec::as_slice);
        let test = match tests.contains(&claimed) {
            true => Some(&claimed),
            false => tests.first(),
        };
        match test {
            Some(&test) => {
                goal.status = GoalStatus::Covered(test);
                goal.confirmed = Some(true);
            }
            None => {
                let ran = replayed.tests.contains_key(&claimed);
                goal.status = GoalStatus::Undecided(match ran {
                    true => Reason::NotConfirmed,
                    false => Reason::NotReplayed,
                });
                goal.confirmed = ran.then_some(false);
            }
        }
    }
    for found in &mut suite.defects {
        found.confirmed = match replayed.defects.get(&found.test) {
            Some(DefectRun::Shown) => Some(true),
            Some(DefectRun::NotShown(_)) => Some(false),
            Some(DefectRun::NotNative) | None => None,
        };
    }
}

/// For each goal the tests that claim and reach it.
fn confirming(suite: &Suite, replayed: &Replayed) -> HashMap<GoalId, Vec<TestId>> {
    let mut confirming: HashMap<GoalId, Vec<TestId>> = HashMap::new();
    for &test in replayed.tests.keys() {
        let claims = suite.claims.get(test).into_iter().flatten();
        for &goal in claims.filter(|&&goal| reaches(suite, replayed, test, goal)) {
            confirming.entry(goal).or_default().push(test);
        }
    }
    confirming
}

impl fmt::Display for TestStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestStatus::Passed => write!(f, "passes"),
            TestStatus::Failed(output) => write!(f, "fails:\n{output}"),
            TestStatus::Rejected => write!(f, "is rejected by an assumption"),
            TestStatus::Exited(status) => write!(f, "exits with status {status}"),
            TestStatus::Signalled(signal) => write!(f, "is killed by signal {signal}"),
            TestStatus::TimedOut => write!(f, "runs out of time"),
        }
    }
}
