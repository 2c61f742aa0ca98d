//! Lazy expansion left to attest, beside the ordinary search, on the programs of the other tables:
//! where it does not help, it is not to cost much.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::Measured;
use crate::commands::bench::programs::Programs;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// The programs of the strategies' table; each entry is named like its file.
const FOLDER: &str = "bench/programs/strategies";

/// Others, of the tables of searches and of growth.
pub const OTHERS: [&str; 6] = [
    "bench/programs/growth.c",
    "bench/programs/heap_sort.c",
    "bench/programs/pl0.c",
    "bench/programs/quick_sort.c",
    "bench/programs/red_black_tree.c",
    "bench/programs/ten_branches.c",
];

const CRITERIA: [&str; 2] = ["decisions", "unit-paths"];

/// Seconds that each search may take.
const SECONDS: u64 = 10;

/// How much slower it may be, or how much less it may find in the same time.
const BAR: f64 = 1.3;

/// Seconds that are no difference.
const NOTHING: f64 = 0.02;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for path in Programs::within(FOLDER).chain(OTHERS) {
        for criterion in CRITERIA {
            let file = path.rsplit('/').next().unwrap_or(path);
            let name = file.strip_suffix(".c").unwrap_or(file);
            let title = format!("{name}, {criterion}");
            if context.wants(&title) {
                rows.push(compare(context, (path, name, criterion), title)?);
            }
        }
    }
    Ok(Table {
        name: "beside",
        title: "Lazy expansion left to attest, beside the ordinary search".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("off_seconds", "s, --lazy off"),
            Column::new("off_iterations", "iterations, --lazy off"),
            Column::new("off_tests", "tests, --lazy off"),
            Column::new("off_complete", "complete, --lazy off"),
            Column::new("seconds", "s"),
            Column::new("iterations", "iterations"),
            Column::new("tests", "tests"),
            Column::new("complete", "complete"),
            Column::new("met", "met"),
        ],
        rows,
        notes: vec![format!(
            "Met: no more than {BAR} times the seconds where the ordinary search came to its end, no \
             less than that part of the tests where it did not."
        )],
    })
}

fn compare(
    context: &Context<'_>,
    (path, name, criterion): (&str, &str, &str),
    title: String,
) -> Result<Vec<Cell>, Failure> {
    let search = |lazy: &str| {
        let words = format!("-f {name} --criterion {criterion} --lazy {lazy}");
        let mut job = context.load(path, &words, "")?;
        let what = format!("{title} --lazy {lazy}");
        context.measure(&what, &mut job, StrategyName::default(), SECONDS)
    };
    let (off, auto) = (search("off")?, search("auto")?);
    let met = match off.suite().exhausted || off.suite().complete() {
        true => auto.seconds() <= off.seconds() * BAR + NOTHING,
        false => tests(&auto) as f64 * BAR >= tests(&off) as f64 || auto.suite().exhausted,
    };
    let mut cells = vec![Cell::text(title)];
    for measured in [&off, &auto] {
        let suite = measured.suite();
        cells.extend([
            Cell::Figure(measured.seconds()),
            Cell::Count(suite.statistics.iterations),
            Cell::Count(tests(measured)),
            Cell::text(if suite.complete() { "yes" } else { "no" }),
        ]);
    }
    cells.push(Cell::Met(met));
    Ok(cells)
}

fn tests(measured: &Measured) -> u64 {
    measured.suite().tests.len() as u64
}
