//! The record of a suite.

use std::collections::BTreeSet;

use coverage::{
    Derivation, FoundDefect, GoalId, GoalKind, GoalStatus, InfeasiblePath, Nearest, Obstacle,
    Reason, Statistics, Suite,
};
use ir::logical::Addresses;
use ir::test::{Bound, Frame, Loss, Outcome, TestCase};
use ir::{Assumption, AssumptionKind, Position, Program, Span};

use super::timing::TimingRecord;
use super::{
    AssumptionRecord, BuildRecord, CallRecord, DefectRecord, EndRecord, GoalKindRecord, GoalRecord,
    InfeasiblePathRecord, NearestRecord, Note, OutcomeRecord, PlaceRecord, StatusRecord,
    SuiteFiles, SuiteRecord, TestRecord,
};
use crate::Subject;
use crate::given::given;
use crate::inputs;

impl SuiteRecord {
    /// The record of a suite.
    pub fn new(
        subject: &Subject<'_>,
        suite: &Suite,
        files: &SuiteFiles,
        build: Option<&BuildRecord>,
    ) -> Self {
        let program = subject.program;
        let function = subject.function();
        let goals = suite.goals.indices().map(|id| goal(program, suite, id));
        let tests = suite.tests.iter().map(|case| test(subject, suite, case));
        let defects = suite.defects.iter().map(|found| defect(program, found));
        let losses = suite.losses.iter().map(|lost| loss(program, lost));
        SuiteRecord {
            function: function.name.clone(),
            file: program.units[function.unit].path.clone(),
            sequence: subject.sequence.map(|sequence| sequence.notation.clone()),
            criterion: suite.criteria.to_string(),
            scope: suite.scope,
            complete: suite.complete(),
            exhausted: suite.exhausted,
            goals: goals.collect(),
            tests: tests.collect(),
            defects: defects.collect(),
            losses: losses.collect(),
            bounds: bounds(program, &suite.bounds),
            files: files.clone(),
            build: build.cloned(),
            statistics: statistics(&suite.statistics),
            infeasible_paths: suite.infeasible.iter().map(infeasible_path).collect(),
            timing: suite.timing.as_ref().map(TimingRecord::from),
            suggestions: suite.suggestions.clone(),
        }
    }
}

fn infeasible_path(infeasible: &InfeasiblePath) -> InfeasiblePathRecord {
    let goals = infeasible.goals.iter().map(|goal| goal.index());
    InfeasiblePathRecord {
        path: infeasible.path.clone(),
        goals: goals.collect(),
    }
}

fn place(program: &Program, position: Position) -> PlaceRecord {
    let file = program.files.get(position.file);
    PlaceRecord {
        file: file.map_or_else(String::new, |file| file.path.clone()),
        line: position.line,
        column: position.column,
    }
}

fn goal(program: &Program, suite: &Suite, id: GoalId) -> GoalRecord {
    let entry = &suite.goals[id];
    let span = &entry.goal.span;
    let is_undecided = matches!(entry.status, GoalStatus::Undecided(_));
    let approach = suite.approaches.get(&id).filter(|_| is_undecided);
    let nearest = approach.and_then(|approach| approach.nearest.as_ref());
    GoalRecord {
        id: id.index(),
        function: program.functions[entry.goal.function].name.clone(),
        kind: entry.goal.kind.into(),
        place: place(program, span.place()),
        end: Some(end(span)),
        in_macro: in_macro(program, span),
        side: entry.goal.side.clone(),
        side_by_names: entry.goal.side_by_names.clone(),
        status: status(program, &entry.status),
        confirmed: entry.confirmed,
        beyond_defect: entry.beyond_defect.map(|test| test.index()),
        auxiliary: !suite.criteria.ask_for(entry.goal.kind),
        pairs: pairs(suite, id),
        nearest: nearest.map(|nearest| nearest_test(program, nearest)),
        losses_before: approach.map_or_else(Vec::new, |approach| approach.losses.clone()),
    }
}

fn nearest_test(program: &Program, nearest: &Nearest) -> NearestRecord {
    let (needs, needs_call) = match &nearest.obstacle {
        Obstacle::Branch(side) => (Some(side.clone()), None),
        Obstacle::Call(function) => (None, Some(program.functions[*function].name.clone())),
        Obstacle::End => (None, None),
    };
    NearestRecord {
        test: nearest.test.index(),
        function: program.functions[nearest.function].name.clone(),
        place: place(program, nearest.span.place()),
        end: end(&nearest.span),
        in_macro: in_macro(program, &nearest.span),
        needs,
        needs_call,
        distance: nearest.distance,
        is_decided_there: nearest.is_decided_there,
        tries: nearest.tries,
    }
}

/// One past the last character of a span.
fn end(span: &Span) -> EndRecord {
    EndRecord {
        line: span.end.line,
        column: span.end.column,
    }
}

/// Where a span in a macro is spelled.
fn in_macro(program: &Program, span: &Span) -> Option<PlaceRecord> {
    (!span.expansions.is_empty()).then(|| place(program, span.begin))
}

/// The pairs of combinations from which the status of a goal follows.
fn pairs(suite: &Suite, id: GoalId) -> Vec<(usize, usize)> {
    let Some(derivation) = suite.derivations.get(&id) else {
        return Vec::new();
    };
    let all = match (derivation.covered_pair(&suite.goals), derivation) {
        (Some(covered), _) => vec![covered],
        (None, Derivation::Pairs(pairs)) => pairs.clone(),
        (None, Derivation::TooManyCombinations) => Vec::new(),
    };
    all.into_iter()
        .map(|(yes, no)| (yes.index(), no.index()))
        .collect()
}

fn status(program: &Program, status: &GoalStatus) -> StatusRecord {
    match status {
        GoalStatus::Covered(test) => StatusRecord::Covered { test: test.index() },
        GoalStatus::Unreachable(evidence) => StatusRecord::Unreachable {
            evidence: evidence.clone(),
        },
        GoalStatus::UnreachableWithin(within) => StatusRecord::UnreachableWithin {
            bounds: bounds(program, within),
        },
        GoalStatus::Undecided(reason) => StatusRecord::Undecided(reason.clone()),
        GoalStatus::Open => StatusRecord::Undecided(Reason::Stopped),
    }
}

impl From<GoalKind> for GoalKindRecord {
    fn from(kind: GoalKind) -> Self {
        match kind {
            GoalKind::Decision(..) => GoalKindRecord::Decision,
            GoalKind::Switch(..) => GoalKindRecord::Switch,
            GoalKind::Condition(..) => GoalKindRecord::Condition,
            GoalKind::Statement(_) => GoalKindRecord::Statement,
            GoalKind::Call(_) => GoalKindRecord::Call,
            GoalKind::Combination(..) | GoalKind::AllCombinations(_) => GoalKindRecord::Combination,
            GoalKind::Independence(..) => GoalKindRecord::Independence,
            GoalKind::Boundary(..) => GoalKindRecord::Boundary,
            GoalKind::Label(_) => GoalKindRecord::Label,
            GoalKind::Mutant(_) => GoalKindRecord::Mutant,
            GoalKind::Use(_) => GoalKindRecord::Use,
        }
    }
}

impl From<&Outcome> for OutcomeRecord {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Return => OutcomeRecord::Return,
            Outcome::Exit(status) => OutcomeRecord::Exit {
                exit_status: *status,
            },
            Outcome::Defect(_) => OutcomeRecord::Defect,
            Outcome::Rejected => OutcomeRecord::Rejected,
            Outcome::Unsupported => OutcomeRecord::Unsupported,
            Outcome::LimitReached => OutcomeRecord::LimitReached,
            Outcome::AddressDependent => OutcomeRecord::AddressDependent,
        }
    }
}

fn test(subject: &Subject<'_>, suite: &Suite, test: &TestCase) -> TestRecord {
    let covers = suite.claims.get(test.id).into_iter().flatten();
    let addresses = Addresses {
        program: subject.program,
        space: subject.space,
    };
    TestRecord {
        id: test.id.index(),
        inputs: inputs::inputs(subject, test),
        cells: addresses.cells(&test.inputs),
        given: given(subject, test),
        outcome: (&test.outcome).into(),
        unsure: test.unsure,
        path: test.path.clone(),
        path_confirmed: test.path_confirmed,
        rests_on: test.assumptions.iter().map(assumption).collect(),
        covers: covers.map(|goal| goal.index()).collect(),
    }
}

fn innermost(program: &Program, stack: &[Frame]) -> Option<PlaceRecord> {
    let frame = stack.first()?;
    Some(place(program, frame.span.place()))
}

fn defect(program: &Program, found: &FoundDefect) -> DefectRecord {
    let defect = &found.defect;
    let calls = defect.stack.iter().map(|frame| CallRecord {
        function: program.functions[frame.function].name.clone(),
        place: place(program, frame.span.place()),
    });
    let kinds: BTreeSet<AssumptionKind> = defect.assumptions.iter().map(|it| it.kind).collect();
    DefectRecord {
        kind: defect.kind.name().to_owned(),
        place: innermost(program, &defect.stack),
        test: found.test.index(),
        confirmed: found.confirmed,
        message: defect.message.clone(),
        assumptions: kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        rests_on: defect.assumptions.iter().map(assumption).collect(),
        stack: calls.collect(),
    }
}

fn assumption(assumption: &Assumption) -> AssumptionRecord {
    AssumptionRecord {
        kind: assumption.kind.name().to_owned(),
        subject: assumption.subject.clone(),
        text: assumption.text.clone(),
    }
}

fn loss(program: &Program, loss: &Loss) -> Note {
    Note {
        kind: loss.kind.name().to_owned(),
        place: innermost(program, &loss.stack),
        detail: loss.detail.clone(),
    }
}

fn bounds(program: &Program, bounds: &[Bound]) -> Vec<Note> {
    let note = |bound: &Bound| Note {
        kind: bound.kind.name().to_owned(),
        place: innermost(program, &bound.stack),
        detail: bound.detail.clone(),
    };
    bounds.iter().map(note).collect()
}

/// The statistics. JSON has no form for what is no finite number.
fn statistics(statistics: &Statistics) -> Statistics {
    let seconds = statistics.seconds;
    Statistics {
        seconds: if seconds.is_finite() { seconds } else { 0.0 },
        ..statistics.clone()
    }
}
