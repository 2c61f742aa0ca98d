//! How time and memory grow with the number of inputs.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// Inputs that each execution meets.
const INPUTS: [u64; 4] = [10, 10_000, 100_000, 1_000_000];

/// Seconds that each search may take.
const SECONDS: u64 = 120;

/// Seconds for a program that reads its input to the end.
const SECONDS_OF_WORDS: u64 = 10;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for function in ["inputs", "sum"] {
        for inputs in INPUTS {
            let name = format!("{function}: {inputs}");
            if context.wants(&name) {
                rows.push(row(context, function, inputs, name)?);
            }
        }
    }
    for (name, words) in [
        ("words", ""),
        ("words, without patience", "--patience 1000000"),
    ] {
        if context.wants(name) {
            rows.push(row_of_words(context, name, words)?);
        }
    }
    Ok(Table {
        name: "inputs",
        title: "Growth with the number of inputs".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("iterations", "iterations"),
            Column::new("seconds", "s"),
            Column::new("nanoseconds_an_input", "ns an input"),
            Column::new("covered", "goals covered"),
            Column::new("peak_megabytes", "peak MB"),
        ],
        rows,
        notes: vec![
            "Linear growth leaves the time for each input as it is.".to_owned(),
            "`words` reads as much input as there is: where a function was called often, its results \
             are by default those that end loops (patience)."
                .to_owned(),
        ],
    })
}

fn row(
    context: &mut Context<'_>,
    function: &str,
    inputs: u64,
    name: String,
) -> Result<Vec<Cell>, Failure> {
    let words = format!("-f {function} --step-limit 100000000");
    let flags = format!("-DINPUTS={inputs}");
    let mut job = context.load("bench/programs/inputs.c", &words, &flags)?;
    let measured = context.measure(&name, &mut job, StrategyName::default(), SECONDS)?;
    let iterations = measured.suite().statistics.iterations;
    let met = iterations * inputs;
    Ok(vec![
        Cell::text(name),
        Cell::Count(iterations),
        Cell::Figure(measured.seconds()),
        Cell::Figure(measured.seconds() * 1e9 / met as f64),
        Cell::Count(measured.covered() as u64),
        Cell::Figure(measured.megabytes()),
    ])
}

/// A program whose executions ask for as many inputs as there are.
fn row_of_words(context: &mut Context<'_>, name: &str, words: &str) -> Result<Vec<Cell>, Failure> {
    let mut job = context.load("bench/programs/words.c", &format!("-f main {words}"), "")?;
    let strategy = StrategyName::default();
    let measured = context.measure(name, &mut job, strategy, SECONDS_OF_WORDS)?;
    Ok(vec![
        Cell::text(name.to_owned()),
        Cell::Count(measured.suite().statistics.iterations),
        Cell::Figure(measured.seconds()),
        Cell::Nothing,
        Cell::Count(measured.covered() as u64),
        Cell::Figure(measured.megabytes()),
    ])
}
