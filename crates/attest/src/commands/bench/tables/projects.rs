//! Packages of real code, covered as a user covers them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use crate::commands::bench::context::Context;
use crate::commands::bench::project::{
    self, BUILDS, Counts, Covered, PACKAGES, Package, Passed, Told,
};
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// Seconds that the search of each function may take.
const SECONDS: u64 = 5;
/// Lines that fit two screens.
const TWO_SCREENS: usize = 100;

/// The figures of a row.
#[derive(Default)]
struct Row {
    files: usize,
    functions: usize,
    counts: Counts,
    passed: Passed,
    /// The most lines of a report.
    lines: usize,
    seconds: Seconds,
}

/// Seconds by phase.
#[derive(Default)]
struct Seconds {
    reading: f64,
    search: f64,
    defects: f64,
    replay: f64,
    wall: f64,
    builds: f64,
}

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let mut sum = Row::default();
    for package in &PACKAGES {
        if context.wants(package.name) {
            let row = measure(context, package)?;
            sum.add(&row);
            rows.push(row.cells(package.name));
        }
    }
    if rows.len() > 1 {
        rows.push(sum.cells("all"));
    }
    Ok(Table {
        name: "projects",
        title: "Debian packages, every function of some of their files".to_owned(),
        columns: columns(),
        rows,
        notes: vec![
            format!(
                "Each package by one `attest cover FILES --time {SECONDS}s`. Goals are those of the \
                 criterion `decisions`. Defects are counted by place, with the fewest assumptions; a \
                 place with several counts for each of them."
            ),
            format!(
                "The tests are those that show no defect; they pass in a build if the emitted Makefile \
                 says so with its compiler. The bar: all tests pass in all builds, no function ends \
                 with exit status 4, and the report has at most {TWO_SCREENS} lines, messages included."
            ),
            "Seconds of search include those for further defects; the builds are made after the run, \
             and are no part of its time."
                .to_owned(),
        ],
    })
}

fn columns() -> Vec<Column> {
    let before = [
        ("program", "package"),
        ("files", "files"),
        ("functions", "functions"),
        ("goals", "goals"),
        ("covered", "covered"),
        ("unreachable", "unreachable"),
        ("unreachable_within", "within bounds"),
        ("undecided", "undecided"),
        ("certain", "certain"),
        ("certain_by_kind", "certain, by kind"),
        ("assumed", "assumed"),
        ("assumed_by_assumption", "assumed, by assumption"),
        ("tests", "tests"),
    ];
    let after = [
        ("failed", "exit status 4"),
        ("lines", "lines"),
        ("met", "bar"),
        ("reading_seconds", "reading s"),
        ("search_seconds", "search s"),
        ("defect_seconds", "further defects s"),
        ("replay_seconds", "replay s"),
        ("wall_seconds", "all s"),
        ("build_seconds", "builds s"),
    ];
    let column = |(key, heading): (&str, &str)| Column::new(key, heading);
    let builds = BUILDS.iter().map(|build| {
        let key = build.name.replace(", ", "_");
        Column::new(&key, build.name)
    });
    let before = before.into_iter().map(column);
    let after = after.into_iter().map(column);
    before.chain(builds).chain(after).collect()
}

fn measure(context: &Context<'_>, package: &Package) -> Result<Row, Failure> {
    eprintln!("bench: {}", package.name);
    let (covered, told) = project::cover(package, context.time(SECONDS))?;
    let started = Instant::now();
    let folders = covered.suites.iter();
    let folders: Vec<PathBuf> = folders.map(|(folder, _)| folder.clone()).collect();
    let passed = project::pass(&folders);
    Ok(Row {
        files: package.files.len(),
        functions: covered.summary.functions.len() + covered.summary.failed.len(),
        counts: project::counts(&covered),
        passed,
        lines: told.lines,
        seconds: seconds(&covered, told, started),
    })
}

fn seconds(covered: &Covered, told: Told, builds: Instant) -> Seconds {
    let mut seconds = Seconds {
        reading: covered.summary.statistics.reading_seconds,
        wall: told.wall.as_secs_f64(),
        builds: builds.elapsed().as_secs_f64(),
        ..Seconds::default()
    };
    for line in &covered.summary.functions {
        let cost = line.statistics;
        seconds.search += cost.search_seconds;
        seconds.defects += cost.defect_seconds;
        seconds.replay += cost.replay_seconds.unwrap_or(0.0);
    }
    seconds
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.files += other.files;
        self.functions += other.functions;
        self.counts.add(&other.counts);
        let passed = self.passed.iter_mut().zip(other.passed);
        passed.for_each(|(sum, count)| *sum += count);
        self.lines = self.lines.max(other.lines);
        let (sum, more) = (&mut self.seconds, &other.seconds);
        sum.reading += more.reading;
        sum.search += more.search;
        sum.defects += more.defects;
        sum.replay += more.replay;
        sum.wall += more.wall;
        sum.builds += more.builds;
    }

    fn cells(&self, name: &str) -> Vec<Cell> {
        let counts = &self.counts;
        let count = |count: usize| Cell::Count(count as u64);
        let all_pass = self.passed.iter().all(|&passed| passed == counts.tests);
        let is_met = all_pass && counts.failed == 0 && self.lines <= TWO_SCREENS;
        let mut cells = vec![
            Cell::text(name),
            count(self.files),
            count(self.functions),
            count(counts.goals),
            count(counts.covered),
            count(counts.unreachable),
            count(counts.unreachable_within),
            count(counts.undecided),
            count(counts.certain.values().sum()),
            by_name(&counts.certain),
            count(counts.assumed_places),
            by_name(&counts.assumed),
            count(counts.tests),
        ];
        cells.extend(self.passed.map(count));
        let seconds = &self.seconds;
        cells.extend([
            count(counts.failed),
            count(self.lines),
            Cell::Met(is_met),
            Cell::Figure(seconds.reading),
            Cell::Figure(seconds.search),
            Cell::Figure(seconds.defects),
            Cell::Figure(seconds.replay),
            Cell::Figure(seconds.wall),
            Cell::Figure(seconds.builds),
        ]);
        cells
    }
}

/// Counts with their names, the largest first.
fn by_name(counts: &BTreeMap<String, usize>) -> Cell {
    let mut counts: Vec<(&String, &usize)> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let counts = counts.iter().map(|(name, count)| format!("{count} {name}"));
    let text = counts.collect::<Vec<String>>().join(", ");
    match text.is_empty() {
        true => Cell::Nothing,
        false => Cell::Text(text),
    }
}
