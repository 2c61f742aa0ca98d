//! All strategies on all programs, and on the programs with every condition negated.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::Job;
use crate::commands::bench::negate::negated;
use crate::commands::bench::programs::Programs;
use crate::commands::bench::svg::Panel;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// The programs that exist in both polarities; each entry is named like its file.
const FOLDER: &str = "bench/programs/strategies";

/// Further programs, with their options.
const OTHERS: [(&str, &str); 3] = [
    ("bench/programs/pl0.c", "-f pl0 --scope file"),
    ("bench/programs/latest_program1.c", "-f top --scope file"),
    ("bench/programs/latest_program2.c", "-f top --scope file"),
];

/// Seconds that each search may take.
const SECONDS: u64 = 10;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for path in Programs::within(FOLDER) {
        let name = stem(path);
        let words = format!("-f {name} --scope file");
        let negated_name = format!("{name}, negated");
        if context.wants(name) {
            let mut job = context.load(path, &words, "")?;
            rows.extend(compare(context, name, &mut job)?);
        }
        if context.wants(&negated_name) {
            let text = negated(Programs::text(path));
            let file = context
                .programs
                .write(&format!("negated/{name}.c"), &text)?;
            let mut job = context.load_files(&[file], &words, "")?;
            rows.extend(compare(context, &negated_name, &mut job)?);
        }
    }
    for (path, words) in OTHERS {
        if context.wants(stem(path)) {
            let mut job = context.load(path, words, "")?;
            rows.extend(compare(context, stem(path), &mut job)?);
        }
    }
    Ok(Table {
        name: "strategies",
        title: "All strategies on all programs".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("strategy", "strategy"),
            Column::new("coverage", "goals covered"),
            Column::new("decided", "decided"),
            Column::new("last_seconds", "last goal s"),
            Column::new("seconds", "s"),
            Column::new("iterations", "iterations"),
            Column::new("solver_queries", "queries"),
            Column::new("tests", "tests"),
        ],
        notes: totals(&rows),
        rows,
    })
}

fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".c").unwrap_or(file)
}

/// A row for each strategy.
fn compare(
    context: &mut Context<'_>,
    name: &str,
    job: &mut Job,
) -> Result<Vec<Vec<Cell>>, Failure> {
    let mut rows = Vec::new();
    let mut panel = Panel::new(name, 0);
    for strategy in StrategyName::ALL {
        let label = strategy.name();
        let measured = context.measure(&format!("{name}, {label}"), job, strategy, SECONDS)?;
        let statistics = &measured.suite().statistics;
        rows.push(vec![
            Cell::text(name),
            Cell::text(label),
            Cell::Part(measured.covered(), measured.goals()),
            Cell::Part(measured.decided(), measured.goals()),
            Cell::Figure(measured.curve.last_news()),
            Cell::Figure(statistics.seconds),
            Cell::Count(statistics.iterations),
            Cell::Count(statistics.solver_queries),
            Cell::Count(measured.suite().tests.len() as u64),
        ]);
        panel.goals = measured.goals();
        panel.add(label, measured.curve.clone(), measured.seconds());
    }
    context.panels.push(panel);
    Ok(rows)
}

/// For each strategy what it covers of all programs together.
fn totals(rows: &[Vec<Cell>]) -> Vec<String> {
    let total = |label: &str| {
        let of_strategy = rows.iter().filter(|row| row[1] == Cell::text(label));
        of_strategy.fold((0, 0), |(part, whole), row| match row[2] {
            Cell::Part(covered, goals) => (part + covered, whole + goals),
            _ => (part, whole),
        })
    };
    let note = |strategy: StrategyName| {
        let (covered, goals) = total(strategy.name());
        format!(
            "{}: {covered} of {goals} goals covered in all.",
            strategy.name()
        )
    };
    StrategyName::ALL.map(note).into()
}
