//! The cost of replay for a whole file, with each way of replaying its functions.

use crate::commands::bench::context::Context;
use crate::commands::bench::project::{self, Counts, PACKAGES, Package};
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// Packages of which one file is covered.
const NAMES: [&str; 4] = ["hiredis", "http-parser", "libcsv", "utf8proc"];
/// Seconds that the search of each function may take.
const SECONDS: u64 = 5;
/// Seconds that the build for coverage may take for each function, beyond one compilation.
const OF_FUNCTION: f64 = 0.15;
/// Seconds that it may take for each test.
const OF_TEST: f64 = 0.002;
/// The part of the wall time that the other three builds may add.
const OF_OTHERS: f64 = 0.3;

const COVERAGE_BEHIND: &[&str] = &["--group-replay", "together", "--coverage-alone"];
const COVERAGE: &[&str] = &["--coverage-alone"];
const ALL: &[&str] = &[];
const ALL_BEHIND: &[&str] = &["--group-replay", "together"];
const ALL_ALONE: &[&str] = &["--group-replay", "alone"];

/// Seconds of one run.
struct Cost {
    replay: f64,
    wall: f64,
}

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let packages = PACKAGES.iter();
    let packages = packages.filter(|it| NAMES.contains(&it.name) && context.wants(it.name));
    let rows = packages.map(|package| row(context, package));
    Ok(Table {
        name: "replay",
        title: "Replay of the tests of whole files".to_owned(),
        columns: columns(),
        rows: rows.collect::<Result<_, Failure>>()?,
        notes: vec![
            format!(
                "All functions of a file by one `attest cover FILE --time {SECONDS}s`. The build for \
                 coverage may take as long as one compilation of the file, {OF_FUNCTION} s for each \
                 function and {OF_TEST} s for each test; the other three builds may add \
                 {:.0} % to the wall time.",
                OF_OTHERS * 100.0
            ),
            "`behind`: groups of functions replay when their searches are done, and the next search \
             waits. `alone`: each function replays behind its search. By default, groups replay \
             beside the next searches."
                .to_owned(),
        ],
    })
}

fn columns() -> Vec<Column> {
    [
        ("program", "package"),
        ("functions", "functions"),
        ("tests", "tests"),
        ("compile_seconds", "one compilation s"),
        ("coverage_seconds", "coverage build s"),
        ("coverage_limit", "limit s"),
        ("coverage_met", "bar"),
        ("wall_coverage_seconds", "all s, one build"),
        ("wall_seconds", "all s, four builds"),
        ("added", "added %"),
        ("added_met", "bar"),
        ("wall_behind_seconds", "all s, behind"),
        ("wall_alone_seconds", "all s, alone"),
    ]
    .map(|(key, heading)| Column::new(key, heading))
    .to_vec()
}

fn row(context: &Context<'_>, package: &Package) -> Result<Vec<Cell>, Failure> {
    eprintln!("bench: {}", package.name);
    let (counts, functions, behind) = measure(context, package, COVERAGE_BEHIND)?;
    let cost = |options| measure(context, package, options).map(|(_, _, cost)| cost);
    let coverage = cost(COVERAGE)?;
    let all = cost(ALL)?;
    let all_behind = cost(ALL_BEHIND)?;
    let alone = cost(ALL_ALONE)?;
    let one = project::compile(package)?.as_secs_f64();
    let limit = one + functions as f64 * OF_FUNCTION + counts.tests as f64 * OF_TEST;
    let added = (all.wall / coverage.wall - 1.0).max(0.0);
    Ok(vec![
        Cell::text(package.name),
        Cell::Count(functions as u64),
        Cell::Count(counts.tests as u64),
        Cell::Figure(one),
        Cell::Figure(behind.replay),
        Cell::Figure(limit),
        Cell::Met(behind.replay <= limit),
        Cell::Figure(coverage.wall),
        Cell::Figure(all.wall),
        Cell::Figure(added * 100.0),
        Cell::Met(added <= OF_OTHERS),
        Cell::Figure(all_behind.wall),
        Cell::Figure(alone.wall),
    ])
}

/// Covers a package, and counts its functions.
fn measure(
    context: &Context<'_>,
    package: &Package,
    options: &[&str],
) -> Result<(Counts, usize, Cost), Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::internal(error.to_string()))?;
    let time = context.time(SECONDS);
    let (covered, told) = project::cover_into(package, time, options, folder.path())?;
    let functions = &covered.summary.functions;
    let replay = functions
        .iter()
        .filter_map(|it| it.statistics.replay_seconds);
    let cost = Cost {
        replay: replay.sum(),
        wall: told.wall.as_secs_f64(),
    };
    Ok((project::counts(&covered), functions.len(), cost))
}
