//! A suite read back from `suite.json`, compared with the goals of the program as it is now.
//!
//! A replay needs to know which tests there are, how they end and what they claim. The inputs stay
//! in the C files.

use std::collections::BTreeMap;

use coverage::{
    Derivation, Evidence, GoalId, GoalStatus, Goals, Reason, Scope, Statistics, Suite, SuiteGoal,
};
use index_vec::IndexVec;
use ir::test::{Defect, Outcome, TestCase};
use ir::{DefectKind, FunctionId, Program, TestId};

use crate::record::{
    BuildRecord, GoalKindRecord, OutcomeRecord, StatusRecord, SuiteRecord, TestRecord,
};

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

impl Matched {
    /// The pairs from which the status of a goal follows, by their positions among the kept goals;
    /// `None` if it does not, or if one is new.
    pub fn pairs(&self, goal: GoalId) -> Option<Vec<(usize, usize)>> {
        let Derivation::Pairs(pairs) = self.suite.derivations.get(&goal)? else {
            return None;
        };
        let kept = |goal: GoalId| *self.kept.get(goal)?;
        let pairs = pairs.iter();
        pairs
            .map(|&(yes, no)| Some((kept(yes)?, kept(no)?)))
            .collect()
    }
}

impl SuiteRecord {
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
    pub fn defect_kind(&self, test: &TestRecord) -> Option<DefectKind> {
        let found = self.defects.iter().find(|found| found.test == test.id)?;
        DefectKind::by_name(&found.kind)
    }

    /// Compares the suite with the goals that the program has now.
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
        let claims = |test: &TestRecord| -> Vec<GoalId> {
            let claims = test.covers.iter().filter_map(|&goal| *now.get(goal)?);
            claims.collect()
        };
        let status = |id: GoalId| {
            let kept = kept[id].and_then(|kept| self.goals.get(kept));
            match kept.map(|kept| &kept.status) {
                Some(StatusRecord::Unreachable { .. }) => GoalStatus::Unreachable(Evidence::NoPath),
                Some(StatusRecord::UnreachableWithin { .. }) => {
                    GoalStatus::UnreachableWithin(Vec::new())
                }
                Some(_) => GoalStatus::Undecided(Reason::Stopped),
                None => GoalStatus::Open,
            }
        };
        let mut suite = Suite {
            function: entry,
            criteria: goals.criteria().clone(),
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
            derivations: BTreeMap::new(),
            approaches: BTreeMap::new(),
            claims: self.tests.iter().map(claims).collect(),
            tests: self.tests.iter().map(|test| self.test(test)).collect(),
            defects: Vec::new(),
            losses: Vec::new(),
            bounds: Vec::new(),
            accepted_bounds: Vec::new(),
            infeasible: Vec::new(),
            timing: None,
            odd_states: BTreeMap::new(),
            suggestions: Vec::new(),
            statistics: Statistics::default(),
        };
        suite.add_derived(goals.derived());
        Matched { suite, kept, gone }
    }

    fn test(&self, test: &TestRecord) -> TestCase {
        let outcome = match (&test.outcome, self.defect_kind(test)) {
            (OutcomeRecord::Return, _) => Outcome::Return,
            (OutcomeRecord::Exit { exit_status }, _) => Outcome::Exit(*exit_status),
            (OutcomeRecord::Defect, Some(kind)) => Outcome::Defect(Defect {
                kind,
                message: String::new(),
                stack: Vec::new(),
                assumptions: Vec::new(),
            }),
            (OutcomeRecord::Rejected, _) => Outcome::Rejected,
            (OutcomeRecord::Unsupported, _) => Outcome::Unsupported,
            (OutcomeRecord::AddressDependent, _) => Outcome::AddressDependent,
            (OutcomeRecord::Defect, None) | (OutcomeRecord::LimitReached, _) => {
                Outcome::LimitReached
            }
        };
        TestCase {
            trace: None,
            path_confirmed: None,
            assumptions: Vec::new(),
            id: TestId::from_usize(test.id),
            inputs: Default::default(),
            outcome,
            observations: Vec::new(),
            given: None,
            calls: Default::default(),
            freed: Default::default(),
            allocates_shared: false,
            outgrown: None,
            moved: Default::default(),
            beyond: None,
            unsure: test.unsure,
            path: test.path.clone(),
        }
    }

    /// For each goal of now, its position among the kept ones.
    fn positions(&self, program: &Program, goals: &Goals) -> IndexVec<GoalId, Option<usize>> {
        let mut positions: IndexVec<GoalId, Option<usize>> = goals.all().map(|_| None).collect();
        for (function, data) in program.functions.iter_enumerated() {
            let now: Vec<(GoalId, Sketch<'_>)> = goals
                .all()
                .filter(|(_, goal)| goal.function == function)
                .map(|(id, goal)| (id, sketch(goal)))
                .collect();
            let kept: Vec<(usize, Sketch<'_>)> = self
                .goals
                .iter()
                .enumerate()
                .filter(|(_, goal)| goal.function == data.name)
                .map(|(at, goal)| (at, (goal.kind, &*goal.side, goal.place.column)))
                .collect();
            for (now, kept) in pairs(&now, &kept) {
                positions[now] = Some(kept);
            }
        }
        positions
    }
}

/// The key of a goal whose line has moved: its kind, its side and its column.
type Sketch<'a> = (GoalKindRecord, &'a str, u32);

fn sketch(goal: &coverage::TestGoal) -> Sketch<'_> {
    (goal.kind.into(), &goal.side, goal.span.place().column)
}

/// The goals of a function that are the same as ever: all, if only columns have changed; else those
/// before and after the piece that was edited.
fn pairs(now: &[(GoalId, Sketch<'_>)], kept: &[(usize, Sketch<'_>)]) -> Vec<(GoalId, usize)> {
    let pair = |(now, kept): (&(GoalId, Sketch<'_>), &(usize, Sketch<'_>))| (now.0, kept.0);
    let shape = |(kind, side, _): Sketch<'_>| (kind, side.to_owned());
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

    use super::{GoalKindRecord, Sketch, pairs};

    fn matched(now: &[(&str, u32)], kept: &[(&str, u32)]) -> Vec<(usize, usize)> {
        let now: Vec<(GoalId, Sketch<'_>)> = now
            .iter()
            .enumerate()
            .map(|(at, &(side, column))| {
                (
                    GoalId::from_usize(at),
                    (GoalKindRecord::Decision, side, column),
                )
            })
            .collect();
        let kept: Vec<(usize, Sketch<'_>)> = kept
            .iter()
            .enumerate()
            .map(|(at, &(side, column))| (at, (GoalKindRecord::Decision, side, column)))
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
