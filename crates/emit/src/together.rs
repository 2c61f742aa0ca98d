//! The tests of several functions of a unit as one suite, for one replay: the unit is compiled once for
//! all of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use coverage::{GoalId, Suite};
use fixedbitset::FixedBitSet;
use ir::TestId;
use ir::test::{Outcome, TestCase};

use crate::WriteError;
use crate::c::defects::defect_kind;
use crate::c::file::TestFile;
use crate::c::units;
use crate::output::{Output, write_file};
use crate::replay::{Profile, Reached, Replayed};

/// Suites joined to one.
#[derive(Clone, Debug)]
pub struct Together {
    /// Their goals, tests and claims, with new numbers; the rest is that of the first.
    pub suite: Suite,
    /// The numbers that the goals and tests of each have in it.
    parts: Vec<Part>,
}

/// The files of a replay.
#[derive(Clone, Debug, Default)]
pub struct WrittenTogether {
    /// Those of tests, with these: first those that pass, then those of defects.
    pub tests: Vec<(PathBuf, Vec<TestId>)>,
    /// Those of the other units.
    pub other_units: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
struct Part {
    goals: Range<usize>,
    tests: Range<usize>,
}

impl Together {
    /// Joins suites of functions of the same unit; `None` without any.
    pub fn new(suites: &[&Suite]) -> Option<Self> {
        let (first, others) = suites.split_first()?;
        let mut suite = (*first).clone();
        let mut parts = vec![Part {
            goals: 0..suite.goals.len(),
            tests: 0..suite.tests.len(),
        }];
        for other in others {
            let (goals, tests) = (suite.goals.len(), suite.tests.len());
            suite.goals.extend(other.goals.iter().cloned());
            for test in &other.tests {
                let id = suite.tests.next_idx();
                suite.tests.push(TestCase { id, ..test.clone() });
            }
            for claims in &other.claims {
                let moved = claims.iter().map(|goal| moved(*goal, goals));
                suite.claims.push(moved.collect());
            }
            parts.push(Part {
                goals: goals..suite.goals.len(),
                tests: tests..suite.tests.len(),
            });
        }
        Some(Together { suite, parts })
    }

    /// Writes the C files of all tests into a folder, with those of the other units. The outputs are
    /// those of the suites.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(
        &self,
        outputs: &[Output<'_>],
        folder: &Path,
    ) -> Result<WrittenTogether, WriteError> {
        let mut written = WrittenTogether::default();
        let Some(first) = outputs.first() else {
            return Ok(written);
        };
        let (spelled, pragmas) = (first.spelled_like_own(), first.pragmas());
        let (unit, forced) = (first.unit_from(folder), first.forced_from(folder));
        let all = self.suite.tests.as_raw_slice();
        let file = |nth: usize, tests: Vec<_>| TestFile {
            subject: outputs[nth].subject,
            unit: unit.clone(),
            forced: forced.clone(),
            tests,
            suite: all[self.parts[nth].tests.clone()].iter().collect(),
            unshown: Default::default(),
            spelled: spelled.clone(),
            pragmas,
            titles: Default::default(),
            notes: Default::default(),
        };
        let (mut passing, mut showing) = (Vec::new(), Vec::new());
        for (nth, part) in self.parts.iter().enumerate().take(outputs.len()) {
            let run = all[part.tests.clone()].iter();
            let run = run.filter(|test| test.outcome != Outcome::Rejected);
            let (shows, passes) = run.partition(|test| defect_kind(test).is_some());
            passing.push(file(nth, passes));
            showing.push(file(nth, shows));
        }
        let everything: Vec<&TestFile<'_>> = passing.iter().collect();
        for (unit, name) in units::file_names(&first.subject) {
            let path = Path::new(&first.subject.program.units[unit].path);
            let path = first.seen_from(folder, path);
            let text = TestFile::other_unit_of_all(&everything, unit, &path);
            write_file(&folder.join(&name), &text)?;
            written.other_units.push(folder.join(name));
        }
        let (passing, showing) = (with_tests(&passing), with_tests(&showing));
        let texts = [
            ("tests.c", TestFile::text_of_all(&passing), passing),
            (
                "defects.c",
                TestFile::defects_text_of_all(&showing),
                showing,
            ),
        ];
        for (name, text, files) in texts {
            let tests = files.iter().flat_map(|file| &file.tests);
            let tests: Vec<TestId> = tests.map(|test| test.id).collect();
            if !tests.is_empty() {
                write_file(&folder.join(name), &text)?;
                written.tests.push((folder.join(name), tests));
            }
        }
        Ok(written)
    }

    /// The result of a replay for each of the suites. A profile that counts tests of several says
    /// nothing about one of them, and such tests count as not run.
    pub fn split(&self, replayed: &Replayed) -> Vec<Replayed> {
        let parts = self.parts.iter();
        parts.map(|part| part.of(replayed)).collect()
    }
}

impl Part {
    fn of(&self, replayed: &Replayed) -> Replayed {
        let mut result = Replayed {
            second: self.tests_of(&replayed.second),
            second_refuses: replayed.second_refuses.clone(),
            second_reads: replayed.second_reads.clone(),
            is_silent: replayed.is_silent,
            paths: self.tests_of(&replayed.paths),
            defects: self.tests_of(&replayed.defects),
            sanitized: self.tests_of(&replayed.sanitized),
            unasked: replayed.unasked.clone(),
            ..Replayed::default()
        };
        let mut profiles = BTreeMap::new();
        for (old, profile) in replayed.profiles.iter_enumerated() {
            let tests = profile.tests.iter().map(|&test| self.test(test));
            if let Some(tests) = tests.collect() {
                let reached = self.goals_of(&profile.reached);
                profiles.insert(old, result.profiles.push(Profile { tests, reached }));
            }
        }
        for (id, mut test) in self.tests_of(&replayed.tests) {
            if let Some(&profile) = profiles.get(&test.profile) {
                test.profile = profile;
                result.tests.insert(id, test);
            }
        }
        result
    }

    /// The number of a test in its own suite.
    fn test(&self, test: TestId) -> Option<TestId> {
        let is_own = self.tests.contains(&test.index());
        is_own.then(|| TestId::from_usize(test.index() - self.tests.start))
    }

    fn tests_of<T: Clone>(&self, all: &BTreeMap<TestId, T>) -> BTreeMap<TestId, T> {
        let own = all
            .iter()
            .filter_map(|(&id, it)| Some((self.test(id)?, it.clone())));
        own.collect()
    }

    fn goals_of(&self, reached: &Reached) -> Reached {
        let own = |all: &FixedBitSet| {
            let mut own = FixedBitSet::with_capacity(self.goals.len());
            for goal in self.goals.clone() {
                own.set(goal - self.goals.start, all.contains(goal));
            }
            own
        };
        Reached {
            goals: own(&reached.goals),
            unmapped: own(&reached.unmapped),
            uncounted: own(&reached.uncounted),
            unsure: own(&reached.unsure),
        }
    }
}

fn with_tests<'f, 'a>(files: &'f [TestFile<'a>]) -> Vec<&'f TestFile<'a>> {
    let files = files.iter();
    files.filter(|file| !file.tests.is_empty()).collect()
}

fn moved(goal: GoalId, by: usize) -> GoalId {
    GoalId::from_usize(goal.index() + by)
}
