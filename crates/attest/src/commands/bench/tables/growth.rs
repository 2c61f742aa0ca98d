//! How time and memory grow with the length of paths.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// Branches on each path, and how many paths are executed.
const LENGTHS: [(u64, u64); 4] = [(10, 1000), (100, 1000), (1000, 500), (10_000, 100)];

/// Seconds that each search may take.
const SECONDS: u64 = 120;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for (length, iterations) in LENGTHS {
        let name = format!("growth: {length} branches");
        if !context.wants(&name) {
            continue;
        }
        let words = format!("-f growth --criterion all-paths --iterations {iterations}");
        let flags = format!("-DLENGTH={length}");
        let mut job = context.load("bench/programs/growth.c", &words, &flags)?;
        let measured = context.measure(&name, &mut job, StrategyName::default(), SECONDS)?;
        let iterations = measured.suite().statistics.iterations;
        let each = measured.seconds() / iterations as f64;
        rows.push(vec![
            Cell::text(name),
            Cell::Count(iterations),
            Cell::Figure(measured.seconds()),
            Cell::Figure(measured.rate()),
            Cell::Figure(each * 1e6),
            Cell::Figure(each * 1e9 / length as f64),
            Cell::Figure(measured.megabytes()),
        ]);
    }
    Ok(Table {
        name: "growth",
        title: "Growth with the length of paths".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("iterations", "iterations"),
            Column::new("seconds", "s"),
            Column::new("rate", "iterations/s"),
            Column::new("microseconds", "µs an iteration"),
            Column::new("nanoseconds_a_branch", "ns a branch"),
            Column::new("peak_megabytes", "peak MB"),
        ],
        rows,
        notes: vec![
            "Linear growth leaves the time for each branch of an execution as it is.".to_owned(),
        ],
    })
}
