//! Petri nets in the manner of the WCET benchmark nsichneu, by the number of rounds.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::petri::{Net, Size};
use crate::commands::bench::svg::Panel;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// Rounds, and the best coverage that others publish for the original after an hour, in percent.
const ROWS: [(usize, f64); 3] = [(2, 94.0), (9, 73.0), (17, 69.0)];

const PLACES: usize = 30;
const TRANSITIONS: usize = 300;
const SEED: u64 = 1;
/// What is meant to be covered, in percent.
const BAR: f64 = 95.0;
/// Seconds that each search may take.
const SECONDS: u64 = 300;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let mut notes = vec![
        "Every side of every condition is reachable by construction. The published figures are \
         for the original, which has 5,786 branches, after an hour."
            .to_owned(),
    ];
    for (rounds, published) in ROWS {
        let name = format!("nsichneu: {rounds} rounds");
        if !context.wants(&name) {
            continue;
        }
        let size = Size {
            places: PLACES,
            transitions: TRANSITIONS,
            rounds,
        };
        let net = Net::generate(size, SEED);
        notes.push(format!("{name}: {} witnesses.", net.witnesses.len()));
        let file = context
            .programs
            .write(&format!("petri_{rounds}.c"), &net.program())?;
        let mut job =
            context.load_files(&[file], "-f petri --scope file --criterion conditions", "")?;
        let measured = context.measure(&name, &mut job, StrategyName::default(), SECONDS)?;
        let percent = 100.0 * measured.covered() as f64 / measured.goals() as f64;
        rows.push(vec![
            Cell::text(name.as_str()),
            Cell::Figure(published),
            Cell::Figure(BAR),
            Cell::Figure(percent),
            Cell::Part(measured.covered(), measured.goals()),
            Cell::Figure(measured.curve.last_news()),
            Cell::Figure(measured.seconds()),
            Cell::Count(measured.suite().statistics.iterations),
            Cell::Count(measured.suite().tests.len() as u64),
            Cell::Met(percent > BAR),
        ]);
        let mut panel = Panel::new(&name, measured.goals());
        panel.add(
            "default",
            measured.curve,
            measured.exploration.suite.statistics.seconds,
        );
        context.panels.push(panel);
    }
    Ok(Table {
        name: "nsichneu",
        title: "Petri nets of 300 transitions on 30 places".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("published_percent", "published %"),
            Column::new("bar_percent", "bar %"),
            Column::new("percent", "attest %"),
            Column::new("coverage", "goals covered"),
            Column::new("last_seconds", "last goal s"),
            Column::new("seconds", "s"),
            Column::new("iterations", "iterations"),
            Column::new("tests", "tests"),
            Column::new("met", "bar"),
        ],
        rows,
        notes,
    })
}
