//! The search for further defects once every goal is decided.
//!
//! No flip leads to a goal any more then. A search of its own takes all paths that it can within a
//! budget, with plausible inputs first, and keeps nothing but defects at places where none was
//! found. It decides no goal.

use std::collections::BTreeSet;

use coverage::{FoundDefect, GoalId};

use crate::assumed::place;
use crate::options::{DefectSearch, Lazy, Observer, Options, Outside};
use crate::proof_share::ProofShare;
use crate::{Exploration, Start, search_from};
use ir::Program;

/// The least budget: about a tenth of a second of small executions.
const LEAST_ITERATIONS: u64 = 1_000;
const LEAST_STEPS: u64 = 5_000_000;

/// Looks for further defects, unless every path was taken.
pub(crate) fn look_for_defects(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    observer: &mut dyn Observer,
    found: &mut Exploration,
) {
    let suite = &found.suite;
    let is_off = options.defect_search == DefectSearch::None || options.stop_on_defect;
    if is_off || suite.exhausted || !suite.complete() || suite.no_input.is_some() {
        return;
    }
    let statistics = &suite.statistics;
    let (iterations, steps) = match options.defect_search {
        DefectSearch::Patient => (u64::MAX, u64::MAX),
        _ => (
            statistics.iterations.max(LEAST_ITERATIONS),
            statistics.steps.max(LEAST_STEPS),
        ),
    };
    let further = Options {
        only_defects: true,
        iteration_limit: options.iteration_limit.min(iterations),
        all_steps: steps,
        lazy: Lazy::Off,
        proofs: ProofShare::None,
        fuzzing: ProofShare::None,
        longer_executions: false,
        ..options.clone()
    };
    observer.looks_for_defects();
    let start = Start {
        space: std::mem::take(&mut found.space),
        covered: all_goals(found),
    };
    let mut more = search_from(program, &further, outside, observer, start);
    found.space = std::mem::take(&mut more.space);
    take_over(found, more);
}

/// The goals that are no derived ones.
fn all_goals(found: &Exploration) -> Vec<GoalId> {
    let derivations = &found.suite.derivations;
    let goals = found.suite.goals.indices();
    goals
        .filter(|goal| !derivations.contains_key(goal))
        .collect()
}

/// Takes over the defects at places where none is known, or only ones on assumptions.
fn take_over(found: &mut Exploration, more: Exploration) {
    let suite = &mut found.suite;
    suite.statistics.defect_iterations = more.suite.statistics.iterations;
    let known = suite.defects.iter().filter(|it| it.defect.is_certain());
    let known: BTreeSet<_> = known.map(|it| place(&it.defect)).collect();
    let is_new = |it: &FoundDefect| !known.contains(&place(&it.defect));
    let new: Vec<FoundDefect> = more.suite.defects.into_iter().filter(is_new).collect();
    for mut defect in new {
        let mut test = more.suite.tests[defect.test].clone();
        test.id = suite.tests.next_idx();
        defect.test = test.id;
        suite.tests.push(test);
        suite.claims.push(Vec::new());
        suite.defects.push(defect);
    }
}
