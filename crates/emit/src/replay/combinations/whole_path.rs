//! Whether compiled tests take the paths that the machine takes.
//!
//! The outcomes of all conditions and the sides of all switches, in order, say which path an execution
//! takes. The compiled test hashes those that tell their values; the machine's trace gives the same hash
//! of the same decisions.

use std::collections::{BTreeMap, BTreeSet};

use ir::{CodeIndex, OrderedTrace, SourceEvent, TestId, TraceReader};

use super::compiled::Compiled;
use super::rewritten::{DEFAULT_SIDE, counts_for_paths};
use super::{Seen, Target};
use crate::replay::{Replay, compare};

/// The outcomes of an execution: a hash of them, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes {
    pub hash: u64,
    pub count: u64,
}

impl Outcomes {
    const NONE: Outcomes = Outcomes {
        hash: 0xcbf2_9ce4_8422_2325,
        count: 0,
    };

    /// With another one: see `attest_passed` of the runtime.
    fn and(self, outcome: u64) -> Outcomes {
        Outcomes {
            hash: (self.hash ^ outcome).wrapping_mul(0x0100_0000_01b3),
            count: self.count + 1,
        }
    }
}

/// All decisions of the user's functions, if the paths of tests are to be compared. Functions that run by
/// themselves, as constructors do, are in no trace.
pub(super) fn wanted(replay: &Replay<'_>) -> BTreeSet<Target> {
    let has_trace = replay.suite.tests.iter().any(|test| test.trace.is_some())
        && replay.program.run_by_themselves().is_empty();
    let functions = replay.program.functions.iter_enumerated();
    let functions = functions.filter(|(id, _)| replay.program.origin(*id) == ir::Origin::User);
    let bodies = functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)));
    let decisions = bodies.flat_map(|(id, body)| {
        let decisions = body.decisions.iter_enumerated();
        let counting = decisions.filter(|(_, decision)| counts_for_paths(decision));
        counting.map(move |(decision, _)| Target::Decision(id, decision))
    });
    decisions.filter(|_| has_trace).collect()
}

/// Says which tests take their paths, of those whose paths are known. `told` has the numbers of
/// decisions of which some run told: clang may leave out what it is not to evaluate, as in
/// `__builtin_assume`.
pub(super) fn compare_paths(
    replay: &Replay<'_>,
    (compiled, told): (&Compiled, &BTreeSet<usize>),
    runs: &BTreeMap<TestId, Seen>,
) -> BTreeMap<TestId, bool> {
    let index = CodeIndex::new(replay.program);
    let reader = TraceReader::new(replay.program, &index);
    let targets = compiled.targets.iter().enumerate();
    let targets = targets.map(|(number, &target)| (target, told.contains(&number)));
    let targets: BTreeMap<Target, bool> = targets.collect();
    let compared = runs.iter().filter_map(|(&id, seen)| {
        let test = &replay.suite.tests[id];
        let trace = test.trace.as_ref().filter(|_| compare::must_pass(test))?;
        // A test that ends otherwise than by `_exit` tells nothing.
        let native = seen.outcomes?;
        Some((id, native == outcomes(replay, &reader, &targets, trace)?))
    });
    compared.collect()
}

/// The outcomes of the machine's execution; `None` where a decision of the user's does not tell its values
/// natively.
fn outcomes(
    replay: &Replay<'_>,
    reader: &TraceReader<'_>,
    targets: &BTreeMap<Target, bool>,
    trace: &OrderedTrace,
) -> Option<Outcomes> {
    let mut outcomes = Outcomes::NONE;
    for event in reader.read(trace) {
        let (function, decision, outcome) = match event {
            SourceEvent::Condition(function, condition, value) => {
                let body = replay.program.functions[function].body.as_ref()?;
                let decision = body.conditions.get(condition)?.decision;
                (function, decision, u64::from(value))
            }
            SourceEvent::Switch(function, decision, side) => {
                let body = replay.program.functions[function].body.as_ref()?;
                let sides = &body.decisions[decision].sides;
                let is_default = sides
                    .get(side as usize)
                    .is_none_or(|it| it.values.is_none());
                let side = if is_default {
                    DEFAULT_SIDE
                } else {
                    u64::from(side)
                };
                (function, decision, 2 + side)
            }
            _ => continue,
        };
        if replay.program.origin(function) != ir::Origin::User {
            continue;
        }
        let body = replay.program.functions[function].body.as_ref()?;
        if !counts_for_paths(&body.decisions[decision]) {
            continue;
        }
        let is_told = *targets.get(&Target::Decision(function, decision))?;
        if is_told || matches!(event, SourceEvent::Switch(..)) {
            outcomes = outcomes.and(outcome);
        }
    }
    Some(outcomes)
}
