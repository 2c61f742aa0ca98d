//! Many tests in several files, for a replay that has to end in time: first those that together
//! reach all that the tests reach.

use std::path::{Path, PathBuf};

use coverage::{GoalId, Suite, minimise};
use ir::TestId;

use crate::WriteError;
use crate::c::file::TestFile;
use crate::output::{Output, write_file};

/// So many tests are one part.
const TOGETHER: usize = 512;
/// So many of more tests are the first part.
const FIRST: usize = 128;
/// Each part is larger than the one before it by this factor, since each is compiled with the whole
/// unit.
const GROWTH: usize = 4;
/// The most tests of a part.
const MOST: usize = 4096;

/// Divides very many tests into parts, in the order in which they are needed; each part is in
/// increasing order.
pub fn parts(suite: &Suite, tests: &[TestId]) -> Vec<Vec<TestId>> {
    if tests.len() <= TOGETHER {
        return vec![tests.to_vec()];
    }
    let order = by_need(suite, tests);
    let mut rest = order.as_slice();
    let mut size = FIRST;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (part, behind) = rest.split_at(size.min(rest.len()));
        let mut part = part.to_vec();
        part.sort_unstable();
        parts.push(part);
        rest = behind;
        size = (size * GROWTH).min(MOST);
    }
    parts
}

/// The tests that together reach all goals that any reaches, those that reach most first; then the
/// others.
fn by_need(suite: &Suite, tests: &[TestId]) -> Vec<TestId> {
    let claims = |&test: &TestId| suite.claims.get(test).cloned().unwrap_or_default();
    let claims: Vec<Vec<GoalId>> = tests.iter().map(claims).collect();
    let mut needed = minimise(&claims);
    let mut is_needed = vec![false; tests.len()];
    needed.iter().for_each(|&test| is_needed[test] = true);
    needed.sort_by_key(|&test| std::cmp::Reverse(claims[test].len()));
    let others = (0..tests.len()).filter(|&test| !is_needed[test]);
    let order = needed.into_iter().chain(others);
    order.map(|test| tests[test]).collect()
}

impl Output<'_> {
    /// Writes tests that pass into files of a folder of their own, a file for each part.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_parts(
        &self,
        folder: &Path,
        parts: &[Vec<TestId>],
    ) -> Result<Vec<(PathBuf, Vec<TestId>)>, WriteError> {
        let subject = self.subject;
        let (spelled, pragmas) = (self.spelled_like_own(), self.pragmas());
        let mut files = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let tests = part.iter().filter_map(|&test| self.suite.tests.get(test));
            let tests: Vec<_> = tests.collect();
            // Other units share what all tests need.
            let suite = match subject.other_units().next() {
                Some(_) => self.suite.tests.iter().collect(),
                None => tests.clone(),
            };
            let file = TestFile {
                subject,
                unit: self.unit_from(folder),
                forced: self.forced_from(folder),
                tests,
                suite,
                unshown: Default::default(),
                spelled: spelled.clone(),
                pragmas,
                titles: Default::default(),
                notes: Default::default(),
            };
            let path = folder.join(format!("part{number}.c"));
            write_file(&path, &file.text())?;
            files.push((path, part.clone()));
        }
        Ok(files)
    }
}
