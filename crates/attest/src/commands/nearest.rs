//! How far a search came towards an undecided goal, in words.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use coverage::Tries;
use emit::SuiteRecord;
use emit::record::{GoalRecord, NearestRecord, OutcomeRecord, PlaceRecord, TestRecord};

use crate::sources::{SourceRange, Sources};

/// Characters of source that are shown.
const EXCERPT: usize = 60;

/// The sources of the places up to which tests come, by goal; none from files that have changed since the
/// suite was made, or that cannot be read.
pub fn excerpts(
    suite: &SuiteRecord,
    folder: &Path,
    sources: &mut Sources,
) -> BTreeMap<usize, String> {
    let goals = suite.goals.iter();
    let nearest = goals.filter_map(|goal| Some((goal.id, goal.nearest.as_ref()?)));
    let nearest: Vec<(usize, &NearestRecord)> = nearest.collect();
    let Some(build) = suite.build.as_ref().filter(|_| !nearest.is_empty()) else {
        return BTreeMap::new();
    };
    let directory = folder.join(&build.directory);
    let changed = build.changed(&directory);
    let mut excerpt = |begin: &PlaceRecord, end: (u32, u32)| {
        let is_same = !changed.contains(&begin.file.as_str());
        let path = directory.join(&begin.file).display().to_string();
        let begin = (begin.line, begin.column);
        let text = sources.excerpt(&SourceRange { path, begin, end }, EXCERPT)?;
        (is_same && !text.is_empty()).then_some(text)
    };
    let texts = nearest.into_iter().filter_map(|(goal, nearest)| {
        let end = (nearest.end.line, nearest.end.column);
        let text = match &nearest.in_macro {
            Some(spelled) => excerpt(spelled, end)?,
            None => excerpt(&nearest.place, end)?,
        };
        Some((goal, text))
    });
    texts.collect()
}

/// The nearest test of a goal, the branch that it does not take, and what was tried; with the source of
/// the place, if that is known.
pub fn told(goal: &GoalRecord, tests: &[TestRecord], source: Option<&String>) -> String {
    let Some(nearest) = &goal.nearest else {
        return "  no test is known to come near it\n".to_owned();
    };
    let mut text = String::new();
    let PlaceRecord { file, line, column } = &nearest.place;
    let _ = write!(
        text,
        "  nearest: test {} comes to {file}:{line}:{column}",
        nearest.test
    );
    if nearest.function != goal.function {
        let _ = write!(text, " in {}", nearest.function);
    }
    if let Some(source) = source {
        let _ = write!(text, " (`{source}`)");
    }
    let _ = match (&nearest.needs, &nearest.needs_call) {
        (Some(outcome), _) => write!(text, ", where the goal needs {outcome}"),
        (None, Some(function)) => write!(text, ", where the goal needs a call of {function}"),
        (None, None) => write!(text, ", and ends there{}", end(nearest, tests)),
    };
    text.push('\n');
    if let Some(more @ 1..) = nearest.distance.checked_sub(1) {
        let branches = if more == 1 { "branch" } else { "branches" };
        let _ = writeln!(
            text,
            "  from there, at least {more} more {branches} to the goal"
        );
    }
    let leads_on = nearest.needs.is_some() || nearest.needs_call.is_some();
    if leads_on {
        let _ = writeln!(text, "  {}", tried(nearest));
    }
    text
}

/// How the nearest test ends, where that is no return.
fn end(nearest: &NearestRecord, tests: &[TestRecord]) -> &'static str {
    match tests.get(nearest.test).map(|test| &test.outcome) {
        Some(OutcomeRecord::Exit { .. }) => " (exit)",
        Some(OutcomeRecord::Defect) => " (defect)",
        Some(OutcomeRecord::Rejected) => " (rejected)",
        Some(OutcomeRecord::Unsupported) => " (unsupported)",
        Some(OutcomeRecord::LimitReached) => " (limit-reached)",
        Some(OutcomeRecord::AddressDependent) => " (address-dependent)",
        Some(OutcomeRecord::Return) | None => "",
    }
}

/// What was tried to take the branch.
fn tried(nearest: &NearestRecord) -> String {
    let tries = &nearest.tries;
    let left = [
        (tries.pending, "left to try at the end"),
        (
            tries.left_out,
            "left out for a limit of paths or of their tree",
        ),
    ];
    let left = left.into_iter().filter(|(count, _)| *count > 0);
    let left = left.map(|(count, why)| format!("{why} on {}", paths(count)));
    let left: Vec<String> = left.collect();
    match (tries.tried(), left.is_empty()) {
        (0, false) => format!("never tried: {}", left.join("; ")),
        (0, true) => match nearest.is_decided_there {
            Some(false) => {
                "never tried: the choices of the input before it decide it there, or none \
                            does"
                    .to_owned()
            }
            _ => "never tried; it is not known why".to_owned(),
        },
        (tried, _) => {
            let results = [results(tries)].into_iter().chain(left);
            let results: Vec<String> = results.collect();
            format!("tried {}: {}", times(tried), results.join("; "))
        }
    }
}

/// The results of trying a branch.
fn results(tries: &Tries) -> String {
    let results = [
        (tries.unknown, "the solver gave no answer"),
        (
            tries.infeasible,
            "no input takes it behind the choices before it",
        ),
        (tries.diverged, "the input that was found went elsewhere"),
        (tries.taken, "an input took it and became no test"),
        (tries.interrupted, "the search ended meanwhile"),
    ];
    let met = results.into_iter().filter(|(count, _)| *count > 0);
    let told = met.map(|(count, result)| match count == tries.tried() {
        true => result.to_owned(),
        false => format!("{} {result}", times(count)),
    });
    told.collect::<Vec<String>>().join(", ")
}

fn paths(count: u64) -> String {
    match count {
        1 => "1 path".to_owned(),
        _ => format!("{count} paths"),
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}
