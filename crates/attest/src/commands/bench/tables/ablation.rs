//! What each acceleration of lazy expansion brings: the programs of the tables `latest` and
//! `beside` with each of them left out in turn.

use std::path::PathBuf;

use coverage::GoalStatus;
use explore::{Acceleration, StrategyName};

use crate::commands::bench::context::Context;
use crate::commands::bench::job::Measured;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::commands::bench::tables::latest;
use crate::failure::Failure;

/// A search that is measured with each acceleration left out.
pub struct Program {
    /// Names its row.
    pub title: String,
    /// The files, that of the tested function first.
    pub files: Vec<PathBuf>,
    /// The options of `attest cover`.
    pub words: String,
    /// Flags for the compiler.
    pub flags: &'static str,
}

/// The programs of `beside` on which lazy expansion is used.
const BESIDE: [&str; 6] = [
    "connection",
    "message",
    "pattern",
    "request",
    "scheduler",
    "search_tree",
];

/// Seconds that each search may take.
const SECONDS: u64 = 20;

/// How many times the iterations and seconds an acceleration has to save somewhere.
const PAYS: f64 = 1.01;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut columns = vec![
        Column::new("program", "program"),
        Column::new("iterations", "iterations"),
        Column::new("seconds", "s"),
    ];
    for acceleration in Acceleration::ALL {
        let name = acceleration.name();
        columns.push(Column::new(
            &format!("without_{}", name.replace('-', "_")),
            &format!("without {name}"),
        ));
    }
    let mut rows = Vec::new();
    let mut pays = [false; Acceleration::ALL.len()];
    for program in programs(context) {
        if context.wants(&program.title) {
            let (cells, paying) = measure(context, &program)?;
            rows.push(cells);
            for (pays, here) in pays.iter_mut().zip(paying) {
                *pays |= here;
            }
        }
    }
    let all = Acceleration::ALL.iter().zip(pays);
    let idle: Vec<&str> = all
        .filter(|(_, pays)| !pays)
        .map(|(acceleration, _)| acceleration.name())
        .collect();
    let verdict = match idle.is_empty() {
        true => "Each acceleration pays on some row.".to_owned(),
        false => format!("On none of these rows pays: {}.", idle.join(", ")),
    };
    Ok(Table {
        name: "ablation",
        title: "What each acceleration of lazy expansion brings".to_owned(),
        columns,
        rows,
        notes: vec![
            format!(
                "Iterations with one acceleration left out; `open` says that the search did not come \
                 to its end within {SECONDS} s, and `fewer` that it found less than with all of them."
            ),
            verdict,
        ],
    })
}

/// The searches.
fn programs(context: &Context<'_>) -> Vec<Program> {
    let mut programs = latest::programs(context);
    programs.extend(BESIDE.map(|name| Program {
        title: format!("{name}, unit-paths"),
        files: vec![context.programs.path(&format!("bench/programs/strategies/{name}.c"))],
        words: format!("-f {name} --criterion unit-paths --lazy auto"),
        flags: "",
    }));
    programs
}

/// The cells of a row, and which accelerations pay there.
fn measure(context: &Context<'_>, program: &Program) -> Result<(Vec<Cell>, Vec<bool>), Failure> {
    let search = |without: &str| {
        let words = format!("{} {without}", program.words);
        let mut job = context.load_files(&program.files, &words, program.flags)?;
        let what = format!("{} {without}", program.title);
        context.measure(&what, &mut job, StrategyName::default(), SECONDS)
    };
    let with_all = search("")?;
    let mut cells = vec![
        Cell::text(&program.title),
        Cell::Count(with_all.suite().statistics.iterations),
        Cell::Figure(with_all.seconds()),
    ];
    let mut pays = Vec::new();
    for acceleration in Acceleration::ALL {
        let without = search(&format!("--without {}", acceleration.name()))?;
        pays.push(is_worse(&without, &with_all));
        cells.push(Cell::text(told(&without, &with_all)));
    }
    Ok((cells, pays))
}

/// How many tests and proofs a search has.
fn found(measured: &Measured) -> usize {
    let suite = measured.suite();
    let goals = suite.asked_for();
    let is_open = |status: &GoalStatus| matches!(status, GoalStatus::Undecided(_));
    let decided = goals.filter(|goal| !is_open(&goal.status)).count();
    decided + suite.tests.len()
}

fn told(without: &Measured, with_all: &Measured) -> String {
    let iterations = without.suite().statistics.iterations;
    let is_open = with_all.suite().exhausted && !without.suite().exhausted;
    let is_fewer = found(without) < found(with_all);
    let note = match (is_fewer, is_open) {
        (true, _) => " (fewer)",
        (false, true) => " (open)",
        (false, false) => "",
    };
    format!("{iterations}{note}")
}

/// Whether a search without an acceleration found less, or needed more for the same.
fn is_worse(without: &Measured, with_all: &Measured) -> bool {
    let iterations = |measured: &Measured| measured.suite().statistics.iterations as f64;
    let is_open = with_all.suite().exhausted && !without.suite().exhausted;
    let is_dearer = without.suite().exhausted && iterations(without) > iterations(with_all) * PAYS;
    is_open || is_dearer || found(without) < found(with_all)
}
