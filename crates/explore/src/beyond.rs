//! Tests that reach a goal only beyond a defect to which compilers give a meaning.
//!
//! They never change the status of a goal: C says nothing about such executions. So they have a
//! search of their own, after the other one, whose executions go on beyond the defect.

use analysis::Reach;
use coverage::{GoalId, GoalStatus, SuiteGoal};
use ir::test::{Outcome, TestCase};
use ir::{CodeIndex, DefectKind, Program, TestId};

use crate::code::Code;
use crate::options::{Lazy, Observer, Options, Outside};
use crate::proof_share::ProofShare;
use crate::verdict::reaches;
use crate::{Exploration, Start, goals_of, search_from};

/// The most executions of this search.
const MOST_ITERATIONS: u64 = 20_000;

/// Adds tests for goals that are behind a defect which executions can go on beyond.
pub(crate) fn look_beyond(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    observer: &mut dyn Observer,
    found: &mut Exploration,
) {
    let wanted = wanted(program, options, found);
    if wanted.is_empty() {
        return;
    }
    let mut config = options.machine.clone();
    config.beyond_defects = true;
    let beyond = Options {
        machine: config,
        lazy: Lazy::Off,
        alias_probes: 0,
        stop_on_defect: false,
        iteration_limit: options.iteration_limit.min(MOST_ITERATIONS),
        // Proofs end where C leaves behaviour undefined.
        proofs: ProofShare::None,
        ..options.clone()
    };
    let start = Start {
        space: std::mem::take(&mut found.space),
        covered: others(found, &wanted),
    };
    let mut more = search_from(program, &beyond, outside, observer, start);
    found.space = std::mem::take(&mut more.space);
    take_over(found, more, &wanted);
}

/// The goals that no test covers and that an execution could reach beyond such a defect.
fn wanted(program: &Program, options: &Options, found: &Exploration) -> Vec<GoalId> {
    let suite = &found.suite;
    let is_open = |goal: &SuiteGoal| !matches!(goal.status, GoalStatus::Covered(_));
    let mut defects = suite.defects.iter();
    if !defects.any(|found| has_meaning(found.defect.kind)) || !suite.goals.iter().any(is_open) {
        return Vec::new();
    }
    let index = CodeIndex::new(program);
    let reach = Reach::new(program, &index);
    let goals = goals_of(program, &index, options);
    let code = Code {
        program,
        entry: options.entry,
        index: &index,
        goals: &goals,
        reach: &reach,
    };
    let ranges: Vec<_> = suite
        .defects
        .iter()
        .filter(|found| has_meaning(found.defect.kind))
        .map(|found| reach.from_stack(&found.defect.stack))
        .collect();
    let goals = suite.goals.iter_enumerated();
    let own = goals.filter(|(id, _)| !suite.derivations.contains_key(id));
    let open = own.filter(|(_, goal)| is_open(goal));
    let behind = open.filter(|(id, goal)| {
        let mut ranges = ranges.iter();
        ranges.any(|range| reaches(&code, range, *id, &goal.goal))
    });
    behind.map(|(id, _)| id).collect()
}

/// Whether compilers give a meaning to some executions that meet a defect of this kind.
fn has_meaning(kind: DefectKind) -> bool {
    matches!(
        kind,
        DefectKind::UninitialisedRead | DefectKind::BadFunctionPointer
    )
}

/// All goals but these.
fn others(found: &Exploration, wanted: &[GoalId]) -> Vec<GoalId> {
    let derivations = &found.suite.derivations;
    let goals = found.suite.goals.indices();
    let own = goals.filter(|goal| !derivations.contains_key(goal));
    own.filter(|goal| !wanted.contains(goal)).collect()
}

/// Takes over the tests that reach a goal beyond a defect. They claim nothing.
fn take_over(found: &mut Exploration, more: Exploration, wanted: &[GoalId]) {
    let suite = &mut found.suite;
    let mut taken: Vec<(TestId, TestId)> = Vec::new();
    for &goal in wanted {
        let mut tests = more.suite.tests.iter_enumerated();
        let leads_there = |(id, test): &(TestId, &TestCase)| {
            test.beyond.is_some() && more.suite.claims[*id].contains(&goal)
        };
        let Some((from, test)) = tests.find(leads_there) else {
            continue;
        };
        let known = taken.iter().find(|(of, _)| *of == from);
        let id = known.map(|(_, id)| *id).unwrap_or_else(|| {
            let id = suite.tests.next_idx();
            suite.tests.push(at_any_end(test, id));
            suite.claims.push(Vec::new());
            taken.push((from, id));
            id
        });
        suite.goals[goal].beyond_defect = Some(id);
    }
    suite.statistics.iterations += more.suite.statistics.iterations;
    suite.statistics.solver_queries += more.suite.statistics.solver_queries;
    suite.statistics.steps += more.suite.statistics.steps;
}

/// The test, which may end in any way.
fn at_any_end(test: &TestCase, id: TestId) -> TestCase {
    let outcome = match test.outcome {
        Outcome::Defect(_) => Outcome::LimitReached,
        _ => test.outcome.clone(),
    };
    TestCase {
        trace: None,
        path_confirmed: None,
        assumptions: Vec::new(),
        id,
        outcome,
        ..test.clone()
    }
}
