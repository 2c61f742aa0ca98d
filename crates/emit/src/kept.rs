//! A suite read back from `suite.json`, laid against the goals of the program as it is now.
//!
//! What a replay needs of it: which tests there are and how they end, and what they claim. The
//! inputs stay in the C files.

use coverage::{
    Criterion, Evidence, GoalId, GoalStatus, Goals, Reason, Scope, Statistics, Suite, SuiteGoal,
};
use index_vec::IndexVec;
use ir::test::{Defect, Outcome, TestCase};
use ir::{DefectKind, FunctionId, Program, TestId};
use serde::Deserialize;

use crate::cells::Cells;
use crate::json::{SuiteFiles, kind_name};
use crate::record::BuildRecord;

/// What `suite.json` holds, as far as a replay needs it.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptSuite {
    /// The tested function.
    pub function: String,
    /// The unit that it stands in.
    pub file: String,
    /// The calls that it makes, where it is a driver.
    pub sequence: Option<String>,
    /// The name of the criterion.
    pub criterion: String,
    /// The name of the scope.
    pub scope: String,
    /// Whether every goal was decided.
    pub complete: bool,
    /// The goals.
    pub goals: Vec<KeptGoal>,
    /// The tests.
    pub tests: Vec<KeptTest>,
    /// The defects.
    pub defects: Vec<KeptDefect>,
    /// The files beside `suite.json`.
    pub files: SuiteFiles,
    /// How the program is compiled; suites of the first versions do not say.
    pub build: Option<BuildRecord>,
}

/// A goal.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptGoal {
    /// The function that it lies in.
    pub function: String,
    /// What it is: a decision, a condition, a side of a switch, a statement.
    pub kind: String,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// What is to happen there.
    pub side: String,
    /// What became of it.
    pub status: String,
}

/// A test.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptTest {
    /// Its number, which is its position.
    pub id: usize,
    /// The name of its outcome.
    pub outcome: String,
    /// Its exit status, if it exits with one that is known.
    pub exit_status: Option<i32>,
    /// Whether it depends on what no test can set for sure.
    #[serde(default)]
    pub unsure: bool,
    /// Its inputs by logical address; suites of the first versions do not say.
    #[serde(default)]
    pub cells: Cells,
    /// The goals that it claims.
    #[serde(default)]
    pub covers: Vec<usize>,
}

/// A defect.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptDefect {
    /// The name of its kind.
    pub kind: String,
    /// Its file, if it has a place.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// The test that shows it.
    pub test: usize,
    /// The calls, innermost first.
    #[serde(default)]
    pub stack: Vec<KeptFrame>,
    /// The kinds of guesses that it rests on.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// Whether the compiled test showed it when it was found.
    #[serde(default)]
    pub confirmed: Option<bool>,
}

/// A call.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptFrame {
    /// The function.
    pub function: String,
}

/// A kept suite beside the goals of the program as it is now.
#[derive(Clone, Debug)]
pub struct Matched {
    /// The goals as they are now with the tests of the kept suite, which claim what they claimed
    /// as far as that is still a goal.
    pub suite: Suite,
    /// For each goal, its position among the kept ones; `None` if it is new.
    pub kept: IndexVec<GoalId, Option<usize>>,
    /// The positions of kept goals that are none any more.
    pub gone: Vec<usize>,
}

impl KeptSuite {
    /// Reads `suite.json`.
    ///
    /// # Errors
    /// It is not what attest writes.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Whether numbers mean what they should: tests stand in order, and what refers to one finds it.
    pub fn is_sound(&self) -> bool {
        let in_order = self
            .tests
            .iter()
            .enumerate()
            .all(|(at, test)| test.id == at);
        let claims = self.tests.iter().flat_map(|test| &test.covers);
        let claimed = claims.copied().all(|goal| goal < self.goals.len());
        let shown = self
            .defects
            .iter()
            .all(|found| found.test < self.tests.len());
        in_order && claimed && shown
    }

    /// The criterion, if there is one of that name.
    pub fn criterion(&self) -> Option<Criterion> {
        self.criterion.parse().ok()
    }

    /// The scope, if there is one of that name.
    pub fn scope(&self) -> Option<Scope> {
        let all = [Scope::Function, Scope::File, Scope::Program];
        all.into_iter().find(|scope| scope.name() == self.scope)
    }

    /// The tested function in a program.
    pub fn entry(&self, program: &Program, build: &BuildRecord) -> Option<FunctionId> {
        let fits = |id: &FunctionId| {
            let function = &program.functions[*id];
            let same_file = program.units[function.unit].path == build.tested;
            function.name == self.function && function.body.is_some() && same_file
        };
        program.functions.indices().find(fits)
    }

    /// The kind of the defect that a test shows.
    pub fn defect_kind(&self, test: &KeptTest) -> Option<DefectKind> {
        let found = self.defects.iter().find(|found| found.test == test.id)?;
        DefectKind::by_name(&found.kind)
    }

    /// Lays the suite against the goals that the program has now.
    pub fn matched(
        &self,
        program: &Program,
        entry: FunctionId,
        goals: &Goals,
        scope: Scope,
    ) -> Matched {
        let kept = self.positions(program, goals);
        let mut now: Vec<Option<GoalId>> = vec![None; self.goals.len()];
        for (id, kept) in kept.iter_enumerated() {
            if let Some(kept) = kept {
                now[*kept] = Some(id);
            }
        }
        let gone = (0..now.len()).filter(|&kept| now[kept].is_none()).collect();
        let claims = |test: &KeptTest| -> Vec<GoalId> {
            let claims = test.covers.iter().filter_map(|&goal| *now.get(goal)?);
            claims.collect()
        };
        let status = |id: GoalId| {
            let kept = kept[id].and_then(|kept| self.goals.get(kept));
            match kept.map(|kept| kept.status.as_str()) {
                Some("unreachable") => GoalStatus::Unreachable(Evidence::NoPath),
                Some("unreachable-within") => GoalStatus::UnreachableWithin(Vec::new()),
                Some(_) => GoalStatus::Undecided(Reason::Stopped),
                None => GoalStatus::Open,
            }
        };
        let suite = Suite {
            function: entry,
            criterion: goals.criterion(),
            scope,
            exhausted: false,
            no_input: None,
            goals: goals
                .iter()
                .map(|(id, goal)| SuiteGoal {
                    goal: goal.clone(),
                    status: status(id),
                    confirmed: None,
                    beyond_defect: None,
                })
                .collect(),
            claims: self.tests.iter().map(claims).collect(),
            tests: self.tests.iter().map(|test| self.test(test)).collect(),
            defects: Vec::new(),
            losses: Vec::new(),
            bounds: Vec::new(),
            accepted_bounds: Vec::new(),
            statistics: Statistics::default(),
        };
        Matched { suite, kept, gone }
    }

    fn test(&self, test: &KeptTest) -> TestCase {
        let outcome = match (test.outcome.as_str(), self.defect_kind(test)) {
            ("return", _) => Outcome::Return,
            ("exit", _) => Outcome::Exit(test.exit_status),
            ("defect", Some(kind)) => Outcome::Defect(Defect {
                kind,
                message: String::new(),
                stack: Vec::new(),
                assumption: None,
                rests_on: None,
            }),
            ("rejected", _) => Outcome::Rejected,
            ("unsupported", _) => Outcome::Unsupported,
            ("address-dependent", _) => Outcome::AddressDependent,
            _ => Outcome::LimitReached,
        };
        TestCase {
            id: TestId::from_usize(test.id),
            inputs: Default::default(),
            outcome,
            observations: Vec::new(),
            calls: Default::default(),
            freed: Default::default(),
            allocates_shared: false,
            outgrown: None,
            moved: Default::default(),
            beyond: None,
            unsure: test.unsure,
        }
    }

    /// For each goal of now, its position among the kept ones.
    fn positions(&self, program: &Program, goals: &Goals) -> IndexVec<GoalId, Option<usize>> {
        let mut positions: IndexVec<GoalId, Option<usize>> = goals.iter().map(|_| None).collect();
        for (function, data) in program.functions.iter_enumerated() {
            let now: Vec<(GoalId, Sketch<'_>)> = goals
                .iter()
                .filter(|(_, goal)| goal.function == function)
                .map(|(id, goal)| (id, sketch(goal)))
                .collect();
            let kept: Vec<(usize, Sketch<'_>)> = self
                .goals
                .iter()
                .enumerate()
                .filter(|(_, goal)| goal.function == data.name)
                .map(|(at, goal)| (at, (&*goal.kind, &*goal.side, goal.column)))
                .collect();
            for (now, kept) in pairs(&now, &kept) {
                positions[now] = Some(kept);
            }
        }
        positions
    }
}

/// What a goal is known by when its line has moved: its kind, its side and its column.
type Sketch<'a> = (&'a str, &'a str, u32);

fn sketch(goal: &coverage::TestGoal) -> Sketch<'_> {
    (kind_name(goal.kind), &goal.side, goal.span.place().column)
}

/// The goals of a function that are the same as ever: all, if only columns have changed; else those
/// before and behind the piece that was edited.
fn pairs(now: &[(GoalId, Sketch<'_>)], kept: &[(usize, Sketch<'_>)]) -> Vec<(GoalId, usize)> {
    let pair = |(now, kept): (&(GoalId, Sketch<'_>), &(usize, Sketch<'_>))| (now.0, kept.0);
    let shape = |(kind, side, _): Sketch<'_>| (kind.to_owned(), side.to_owned());
    let of_now = now.iter().map(|(_, sketch)| shape(*sketch));
    let of_kept = kept.iter().map(|(_, sketch)| shape(*sketch));
    if of_now.eq(of_kept) {
        return now.iter().zip(kept).map(pair).collect();
    }
    let same = |((_, now), (_, kept)): &(&(GoalId, Sketch<'_>), &(usize, Sketch<'_>))| now == kept;
    let before: Vec<_> = now.iter().zip(kept).take_while(same).map(pair).collect();
    let (now, kept) = (&now[before.len()..], &kept[before.len()..]);
    let behind = now.iter().rev().zip(kept.iter().rev());
    let behind = behind.take_while(same).map(pair);
    before.iter().copied().chain(behind).collect()
}

#[cfg(test)]
mod tests {
    use coverage::GoalId;

    use super::{Sketch, pairs};

    fn matched(now: &[(&str, u32)], kept: &[(&str, u32)]) -> Vec<(usize, usize)> {
        let now: Vec<(GoalId, Sketch<'_>)> = now
            .iter()
            .enumerate()
            .map(|(at, &(side, column))| (GoalId::from_usize(at), ("decision", side, column)))
            .collect();
        let kept: Vec<(usize, Sketch<'_>)> = kept
            .iter()
            .enumerate()
            .map(|(at, &(side, column))| (at, ("decision", side, column)))
            .collect();
        let mut pairs: Vec<(usize, usize)> = pairs(&now, &kept)
            .into_iter()
            .map(|(now, kept)| (now.index(), kept))
            .collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn goals_around_an_edit_are_recognised() {
        let old = [("true", 9), ("false", 9), ("true", 5), ("false", 5)];
        assert_eq!(matched(&old, &old), [(0, 0), (1, 1), (2, 2), (3, 3)]);
        let indented = [("true", 13), ("false", 13), ("true", 9), ("false", 9)];
        assert_eq!(matched(&indented, &old), [(0, 0), (1, 1), (2, 2), (3, 3)]);
        let inserted = [
            ("true", 9),
            ("false", 9),
            ("true", 13),
            ("false", 13),
            ("true", 5),
            ("false", 5),
        ];
        assert_eq!(matched(&inserted, &old), [(0, 0), (1, 1), (4, 2), (5, 3)]);
        assert_eq!(matched(&old, &inserted), [(0, 0), (1, 1), (2, 4), (3, 5)]);
        assert_eq!(matched(&[], &old), []);
    }
}
