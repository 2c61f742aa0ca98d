//! The machine's claims beside the native result. A difference is a defect of attest.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use coverage::{GoalId, GoalStatus, Reason, Suite};
use fixedbitset::FixedBitSet;
use ir::TestId;
use ir::test::{Outcome, TestCase};

use super::{DefectRun, Profile, Replayed, TestStatus};

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
    /// A test takes another path natively than in the machine.
    OtherPath {
        /// The test.
        test: TestId,
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
        /// The sanitizer's message.
        report: String,
    },
    /// The second compiler does not compile the tests.
    NotCompiled {
        /// Its message.
        message: String,
    },
}

impl Difference {
    /// The test that shows it, if it is about one.
    pub fn test(&self) -> Option<TestId> {
        match self {
            Difference::NotReached { test, .. }
            | Difference::NotClaimed { test, .. }
            | Difference::OtherPath { test }
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
    let others = replayed.paths.iter();
    let others = others.filter(|(test, is_same)| !**is_same && goes_as_claimed(suite, **test));
    differences.extend(others.map(|(&test, _)| Difference::OtherPath { test }));
    for profile in &replayed.profiles {
        compare_profile(suite, replayed, profile, &mut differences);
    }
    differences.sort_by_key(|difference| difference.test());
    let refused = replayed.second_refuses.iter();
    differences.extend(refused.map(|message| Difference::NotCompiled {
        message: message.clone(),
    }));
    differences
}

/// The tests that the second compiler fails and clang passes.
pub fn fail_only_second(suite: &Suite, replayed: &Replayed) -> BTreeSet<TestId> {
    let fails = |(id, status): &(&TestId, &TestStatus)| {
        let first = replayed.tests.get(id).map(|native| &native.status);
        let must_pass = suite.tests.get(**id).is_some_and(must_pass);
        must_pass && **status != TestStatus::Passed && first == Some(&TestStatus::Passed)
    };
    let failing = replayed.second.iter().filter(fails);
    failing.map(|(&id, _)| id).collect()
}

/// Whether the test must end as the machine says. It need not after a defect, where the machine
/// could not go on, or if it depends on the stack or on padding.
pub(super) fn must_pass(test: &TestCase) -> bool {
    !test.unsure && matches!(test.outcome, Outcome::Return | Outcome::Exit(_))
}

/// Holds what tests claim against their profile.
fn compare_profile(
    suite: &Suite,
    replayed: &Replayed,
    profile: &Profile,
    differences: &mut Vec<Difference>,
) {
    let reached = &profile.reached;
    let mut claimed = FixedBitSet::with_capacity(suite.goals.len());
    for &test in &profile.tests {
        let claims = suite.claims.get(test).into_iter().flatten();
        let ran = replayed.tests.contains_key(&test) && goes_as_claimed(suite, test);
        for &goal in claims {
            let index = goal.index();
            claimed.insert(index);
            if ran && !reached.goals.contains(index) && !reached.unmapped.contains(index) {
                differences.push(Difference::NotReached { test, goal });
            }
        }
    }
    // Counts after a call that does not return are those of a call that does, so only tests that
    // return show what the machine should have claimed.
    let shows = |&test: &TestId| goes_as_claimed(suite, test) && returns(suite, replayed, test);
    if let Some(&test) = profile.tests.first()
        && profile.tests.iter().all(shows)
    {
        let asked = |index: &usize| {
            if reached.unsure.contains(*index) {
                return false;
            }
            let goal = suite.goals.get(GoalId::from_usize(*index));
            goal.is_none_or(|goal| !replayed.unasked.contains(&goal.goal.function))
        };
        let unclaimed = reached.goals.difference(&claimed).filter(asked);
        differences.extend(unclaimed.map(|index| Difference::NotClaimed {
            test,
            goal: GoalId::from_usize(index),
        }));
    }
}

/// Whether a test reaches natively what it claims: where its objects lie, or what the stack holds,
/// may lead it elsewhere.
fn goes_as_claimed(suite: &Suite, test: TestId) -> bool {
    let test = suite.tests.get(test);
    test.is_some_and(|test| !test.unsure && test.outcome != Outcome::AddressDependent)
}

/// The test that reaches a goal natively: one that claims it, or else one that returns as it
/// should. Clang may have derived the counts of any other test after its claims from other
/// counts.
pub fn reached_by(suite: &Suite, replayed: &Replayed, goal: GoalId) -> Option<TestId> {
    let index = goal.index();
    let counts = |profile: &&Profile| {
        profile.reached.goals.contains(index) || profile.reached.uncounted.contains(index)
    };
    let profiles = replayed.profiles.iter().filter(counts);
    let tests = profiles.flat_map(|profile| profile.tests.iter().copied());
    let reaching: BTreeSet<TestId> = tests
        .filter(|&test| reaches(suite, replayed, test, goal))
        .collect();
    let mut tests = reaching.iter().copied();
    let claiming = tests.clone().find(|&test| claims(suite, test, goal));
    claiming.or_else(|| tests.find(|&test| returns(suite, replayed, test)))
}

/// Whether a test returns as it should.
fn returns(suite: &Suite, replayed: &Replayed, test: TestId) -> bool {
    let outcome = suite.tests.get(test).map(|test| &test.outcome);
    let native = replayed.tests.get(&test).map(|native| &native.status);
    outcome == Some(&Outcome::Return) && native == Some(&TestStatus::Passed)
}

fn claims(suite: &Suite, test: TestId, goal: GoalId) -> bool {
    let claims = suite.claims.get(test);
    claims.is_some_and(|claims| claims.contains(&goal))
}

/// Whether a test that claims a goal reaches it natively. Where clang does not count, it does if it
/// ends as it should, in a defect too. A test that fails, with either compiler or under sanitizers,
/// shows nothing.
fn reaches(suite: &Suite, replayed: &Replayed, test: TestId, goal: GoalId) -> bool {
    let Some(native) = replayed.tests.get(&test) else {
        return false;
    };
    if fails(suite, replayed, test) {
        return false;
    }
    let Some(reached) = replayed.reached(test) else {
        return false;
    };
    let as_expected = native.status == TestStatus::Passed
        || is_cut_short(suite, test) && native.status == TestStatus::Exited(0)
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

/// Whether a test's execution was cut short, and goes on natively to accesses beyond its objects,
/// which were made as large as the execution came. An access to where there is no memory ends it
/// plainly too.
fn leaves_objects(suite: &Suite, replayed: &Replayed, test: TestId) -> bool {
    let report = replayed.sanitized.get(&test);
    let is_behind =
        |report: &String| report.contains("AddressSanitizer") && !report.contains("SEGV");
    is_cut_short(suite, test) && report.is_some_and(is_behind)
}

/// Whether a test's execution ended at a limit, or at what attest cannot execute.
fn is_cut_short(suite: &Suite, test: TestId) -> bool {
    let outcome = suite.tests.get(test).map(|test| &test.outcome);
    matches!(outcome, Some(Outcome::Unsupported | Outcome::LimitReached))
}

/// The tests that are to be taken back: those that go on to accesses outside their objects.
pub fn withdrawn(suite: &Suite, replayed: &Replayed) -> BTreeSet<TestId> {
    let reported = replayed.sanitized.keys().copied();
    let leaves = |id: &TestId| leaves_objects(suite, replayed, *id);
    reported.filter(leaves).collect()
}

/// Writes the native result into the suite: a goal counts as covered only if a test that claims it
/// reaches it natively; one that no test confirms is undecided, for lack of time or because none
/// does.
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
        if suite.derivations.contains_key(&id) {
            continue;
        }
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
    for (&test, &is_same) in &replayed.paths {
        if let Some(test) = suite.tests.get_mut(test) {
            test.path_confirmed = Some(is_same);
        }
    }
    suite.follow_derivations();
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
