//! The programs of the LATEST paper's table 1, without lazy expansion.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// A program of table 1 with the paper's figures: seconds and iterations.
struct Row {
    name: &'static str,
    program: &'static str,
    entry: &'static str,
    cute: (f64, u64),
    latest: (f64, u64),
}

const ROWS: [Row; 3] = [
    Row {
        name: "program1: two buffers",
        program: "bench/programs/latest_program1.c",
        entry: "top",
        cute: (30.0, 676),
        latest: (2.0, 59),
    },
    Row {
        name: "program2: one buffer",
        program: "bench/programs/latest_program2.c",
        entry: "top",
        cute: (21.0, 651),
        latest: (1.5, 63),
    },
    Row {
        name: "program3: figure 1",
        program: "bench/programs/latest_fig1.c",
        entry: "greet",
        cute: (20.0, 841),
        latest: (1.5, 68),
    },
];

/// Seconds that each search may take.
const SECONDS: u64 = 60;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for row in &ROWS {
        for criterion in ["decisions", "all-paths"] {
            if context.wants(row.name) {
                rows.push(measure(context, row, criterion)?);
            }
        }
    }
    Ok(Table {
        name: "latest",
        title: "LATEST, table 1, without lazy expansion".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("criterion", "criterion"),
            Column::new("cute_seconds", "CUTE s"),
            Column::new("cute_iterations", "CUTE iterations"),
            Column::new("latest_seconds", "LATEST s"),
            Column::new("latest_iterations", "LATEST iterations"),
            Column::new("seconds", "attest s"),
            Column::new("iterations", "attest iterations"),
            Column::new("paths", "paths"),
            Column::new("coverage", "goals covered"),
            Column::new("tests", "tests"),
        ],
        rows,
        notes: vec![
            "The paper's figures are for all branches, on a Core 2 Duo; its programs are not \
             published, and these are programs of our own of the same shape."
                .to_owned(),
        ],
    })
}

fn measure(context: &Context<'_>, row: &Row, criterion: &str) -> Result<Vec<Cell>, Failure> {
    let words = format!("-f {} --scope file --criterion {criterion}", row.entry);
    let mut job = context.load(row.program, &words, "")?;
    let measured = context.measure(row.name, &mut job, StrategyName::default(), SECONDS)?;
    let suite = measured.suite();
    Ok(vec![
        Cell::text(row.name),
        Cell::text(criterion),
        Cell::Figure(row.cute.0),
        Cell::Count(row.cute.1),
        Cell::Figure(row.latest.0),
        Cell::Count(row.latest.1),
        Cell::Figure(measured.seconds()),
        Cell::Count(suite.statistics.iterations),
        Cell::Count(suite.statistics.paths),
        Cell::Part(measured.covered(), measured.goals()),
        Cell::Count(suite.tests.len() as u64),
    ])
}
