//! `suite.json`: the stable machine-readable contract. Its schema is `schema/suite.schema.json`.

use std::collections::BTreeMap;

use coverage::{Evidence, FoundDefect, GoalId, GoalKind, GoalStatus, Reason, Suite};
use ir::test::{Bound, Frame, Loss, Outcome, TestCase};
use ir::{Position, Program, Span};
use serde::{Deserialize, Serialize};

use crate::cells::{Addresses, Cells};
use crate::inputs::{self, Value};
use crate::{BuildRecord, Subject};

/// Names of the files beside `suite.json`, as paths from its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteFiles {
    /// The C tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<String>,
    /// The C tests that show defects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defects: Option<String>,
    /// The files that compile the program's other units for the tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// The Makefile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makefile: Option<String>,
}

#[derive(Serialize)]
struct JsonSuite {
    function: String,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<String>,
    criterion: String,
    scope: String,
    complete: bool,
    exhausted: bool,
    goals: Vec<JsonGoal>,
    tests: Vec<JsonTest>,
    defects: Vec<JsonDefect>,
    losses: Vec<JsonNote>,
    bounds: Vec<JsonNote>,
    files: SuiteFiles,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<BuildRecord>,
    statistics: JsonStatistics,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct End {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonGoal {
    id: usize,
    function: String,
    kind: &'static str,
    #[serde(flatten)]
    place: Place,
    end: End,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_macro: Option<Place>,
    side: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<usize>,
    confirmed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond_defect: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<JsonEvidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Vec<JsonNote>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    losses: Option<Vec<usize>>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum JsonEvidence {
    Folded,
    NoPath,
    Rejected,
    ExhaustedSearch {
        paths: u64,
        defects: Vec<usize>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        prunings: Vec<&'static str>,
    },
}

#[derive(Serialize)]
struct JsonTest {
    id: usize,
    inputs: BTreeMap<String, Value>,
    cells: Cells,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_status: Option<i32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unsure: bool,
    covers: Vec<usize>,
}

#[derive(Serialize)]
struct JsonDefect {
    kind: &'static str,
    #[serde(flatten)]
    place: Option<Place>,
    test: usize,
    confirmed: Option<bool>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumption: Option<String>,
    assumptions: Vec<&'static str>,
    stack: Vec<JsonFrame>,
}

#[derive(Serialize)]
struct JsonFrame {
    function: String,
    #[serde(flatten)]
    place: Place,
}

/// A loss or a bound.
#[derive(Serialize)]
struct JsonNote {
    kind: &'static str,
    #[serde(flatten)]
    place: Option<Place>,
    detail: String,
}

#[derive(Serialize)]
struct JsonStatistics {
    iterations: u64,
    paths: u64,
    solver_queries: u64,
    dropped_ways: u64,
    steps: u64,
    seconds: f64,
    peak_memory_bytes: u64,
    solver_links: Vec<JsonLink>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lazy: Option<JsonLazy>,
}

#[derive(Serialize)]
struct JsonLazy {
    abstract_paths: u64,
    concretised: u64,
    spurious: u64,
    learned: u64,
    iterations_outside: u64,
    iterations_inside: u64,
    summaries_used: u64,
}

#[derive(Serialize)]
struct JsonLink {
    name: &'static str,
    queries: u64,
    constraints: u64,
    answered: u64,
    seconds: f64,
}

/// The text of `suite.json`.
///
/// # Errors
/// A value that JSON has no form for; statistics that are no numbers are written as 0, so none.
pub fn suite_json(
    subject: &Subject<'_>,
    suite: &Suite,
    files: &SuiteFiles,
    build: Option<&BuildRecord>,
) -> Result<String, serde_json::Error> {
    let program = subject.program;
    let function = subject.function();
    let document = JsonSuite {
        function: function.name.clone(),
        file: program.units[function.unit].path.clone(),
        sequence: subject.sequence.map(|sequence| sequence.notation.clone()),
        criterion: suite.criterion.to_string(),
        scope: suite.scope.name().to_owned(),
        complete: suite.complete(),
        exhausted: suite.exhausted,
        goals: suite
            .goals
            .indices()
            .map(|id| goal(program, suite, id))
            .collect(),
        tests: suite
            .tests
            .iter()
            .map(|case| test(subject, suite, case))
            .collect(),
        defects: suite
            .defects
            .iter()
            .map(|found| defect(program, found))
            .collect(),
        losses: suite
            .losses
            .iter()
            .map(|lost| loss(program, lost))
            .collect(),
        bounds: suite.bounds.iter().map(|hit| bound(program, hit)).collect(),
        files: files.clone(),
        build: build.cloned(),
        statistics: statistics(suite),
    };
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    Ok(text)
}

fn place(program: &Program, position: Position) -> Place {
    Place {
        file: program
            .files
            .get(position.file)
            .map_or_else(String::new, |file| file.path.clone()),
        line: position.line,
        column: position.column,
    }
}

fn goal(program: &Program, suite: &Suite, id: GoalId) -> JsonGoal {
    let entry = &suite.goals[id];
    let span = &entry.goal.span;
    let mut json = JsonGoal {
        id: id.index(),
        function: program.functions[entry.goal.function].name.clone(),
        kind: kind_name(entry.goal.kind),
        place: place(program, span.place()),
        end: End {
            line: span.end.line,
            column: span.end.column,
        },
        in_macro: (!span.expansions.is_empty()).then(|| place(program, span.begin)),
        side: entry.goal.side.clone(),
        status: entry.status.name(),
        test: None,
        confirmed: entry.confirmed,
        beyond_defect: entry.beyond_defect.map(|test| test.index()),
        evidence: None,
        bounds: None,
        reason: None,
        losses: None,
    };
    match &entry.status {
        GoalStatus::Covered(test) => json.test = Some(test.index()),
        GoalStatus::Unreachable(evidence) => json.evidence = Some(json_evidence(evidence)),
        GoalStatus::UnreachableWithin(bounds) => {
            json.bounds = Some(bounds.iter().map(|hit| bound(program, hit)).collect());
        }
        GoalStatus::Undecided(reason) => {
            json.reason = Some(reason.name());
            if let Reason::Losses(losses) = reason {
                json.losses = Some(losses.clone());
            }
        }
        GoalStatus::Open => json.reason = Some(Reason::Stopped.name()),
    }
    json
}

pub(crate) fn kind_name(kind: GoalKind) -> &'static str {
    match kind {
        GoalKind::Decision(..) => "decision",
        GoalKind::Switch(..) => "switch",
        GoalKind::Condition(..) => "condition",
        GoalKind::Statement(_) => "statement",
    }
}

fn json_evidence(evidence: &Evidence) -> JsonEvidence {
    match evidence {
        Evidence::Folded => JsonEvidence::Folded,
        Evidence::NoPath => JsonEvidence::NoPath,
        Evidence::Rejected => JsonEvidence::Rejected,
        Evidence::ExhaustedSearch {
            paths,
            defects,
            prunings,
        } => JsonEvidence::ExhaustedSearch {
            paths: *paths,
            defects: defects.clone(),
            prunings: prunings.clone(),
        },
    }
}

/// The name of an outcome in `suite.json`.
pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Return => "return",
        Outcome::Exit(_) => "exit",
        Outcome::Defect(_) => "defect",
        Outcome::Rejected => "rejected",
        Outcome::Unsupported => "unsupported",
        Outcome::LimitReached => "limit-reached",
        Outcome::AddressDependent => "address-dependent",
    }
}

fn test(subject: &Subject<'_>, suite: &Suite, test: &TestCase) -> JsonTest {
    let covers = suite.claims.get(test.id);
    let addresses = Addresses {
        program: subject.program,
        space: subject.space,
    };
    JsonTest {
        id: test.id.index(),
        inputs: inputs::inputs(subject, test),
        cells: addresses.cells(&test.inputs),
        outcome: outcome_name(&test.outcome),
        exit_status: match test.outcome {
            Outcome::Exit(status) => status,
            _ => None,
        },
        unsure: test.unsure,
        covers: covers
            .into_iter()
            .flatten()
            .map(|goal| goal.index())
            .collect(),
    }
}

fn frame_place(program: &Program, span: &Span) -> Place {
    place(program, span.place())
}

fn innermost(program: &Program, stack: &[Frame]) -> Option<Place> {
    stack.first().map(|frame| frame_place(program, &frame.span))
}

fn defect(program: &Program, found: &FoundDefect) -> JsonDefect {
    let defect = &found.defect;
    JsonDefect {
        kind: defect.kind.name(),
        place: innermost(program, &defect.stack),
        test: found.test.index(),
        confirmed: found.confirmed,
        message: defect.message.clone(),
        assumption: defect.assumption.clone(),
        assumptions: match (defect.rests_on, &defect.assumption) {
            (Some(_), _) => vec!["unknown-result"],
            (None, Some(_)) => vec!["caller"],
            (None, None) => Vec::new(),
        },
        stack: defect
            .stack
            .iter()
            .map(|frame| JsonFrame {
                function: program.functions[frame.function].name.clone(),
                place: frame_place(program, &frame.span),
            })
            .collect(),
    }
}

fn loss(program: &Program, loss: &Loss) -> JsonNote {
    JsonNote {
        kind: loss.kind.name(),
        place: innermost(program, &loss.stack),
        detail: loss.detail.clone(),
    }
}

fn bound(program: &Program, bound: &Bound) -> JsonNote {
    JsonNote {
        kind: bound.kind.name(),
        place: innermost(program, &bound.stack),
        detail: bound.detail.clone(),
    }
}

fn statistics(suite: &Suite) -> JsonStatistics {
    let statistics = &suite.statistics;
    let seconds = statistics.seconds;
    JsonStatistics {
        iterations: statistics.iterations,
        paths: statistics.paths,
        solver_queries: statistics.solver_queries,
        dropped_ways: statistics.dropped_ways,
        steps: statistics.steps,
        seconds: if seconds.is_finite() { seconds } else { 0.0 },
        peak_memory_bytes: statistics.peak_memory_bytes,
        solver_links: statistics
            .solver_links
            .iter()
            .map(|link| JsonLink {
                name: link.name,
                queries: link.queries,
                constraints: link.constraints,
                answered: link.answered,
                seconds: link.seconds,
            })
            .collect(),
        lazy: statistics.lazy.map(|lazy| JsonLazy {
            abstract_paths: lazy.abstract_paths,
            concretised: lazy.concretised,
            spurious: lazy.spurious,
            learned: lazy.learned,
            iterations_outside: lazy.iterations_outside,
            iterations_inside: lazy.iterations_inside,
            summaries_used: lazy.summaries_used,
        }),
    }
}
