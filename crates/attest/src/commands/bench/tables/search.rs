//! Time for all paths of small programs, beside the time that KLEE 3.2 took for the same paths.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::Measured;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::commands::bench::valid_texts;
use crate::failure::Failure;

/// A program, and the figures to compare with.
struct Row {
    name: &'static str,
    program: &'static str,
    entry: &'static str,
    flags: &'static str,
    paths: u64,
    /// Seconds that KLEE 3.2 took, on `-O0` bitcode and a loaded machine with two cores.
    klee: f64,
    /// Seconds that the search is meant to stay below.
    bar: f64,
}

const ROWS: [Row; 7] = [
    Row {
        name: "latest_fig1: two strings",
        program: "bench/programs/latest_fig1.c",
        entry: "greet",
        flags: "",
        paths: 720,
        klee: 1.6,
        bar: 0.15,
    },
    Row {
        name: "latest_fig7: locate, n = 10",
        program: "bench/programs/latest_fig7.c",
        entry: "top",
        flags: "-DN=10",
        paths: 30,
        klee: 0.5,
        bar: 0.01,
    },
    Row {
        name: "latest_fig7: locate, n = 30",
        program: "bench/programs/latest_fig7.c",
        entry: "top",
        flags: "-DN=30",
        paths: 90,
        klee: 0.9,
        bar: 0.03,
    },
    Row {
        name: "latest_fig7: locate, n = 100",
        program: "bench/programs/latest_fig7.c",
        entry: "top",
        flags: "-DN=100",
        paths: 300,
        klee: 6.3,
        bar: 0.15,
    },
    Row {
        name: "quick_sort: 5 ints",
        program: "bench/programs/quick_sort.c",
        entry: "quick_sort",
        flags: "",
        paths: 120,
        klee: 12.8,
        bar: 0.4,
    },
    Row {
        name: "heap_sort: 5 ints",
        program: "bench/programs/heap_sort.c",
        entry: "heap_sort",
        flags: "",
        paths: 210,
        klee: 29.8,
        bar: 1.0,
    },
    Row {
        name: "red_black_tree: 5 inserts",
        program: "bench/programs/red_black_tree.c",
        entry: "red_black_tree",
        flags: "",
        paths: 541,
        klee: 22.9,
        bar: 1.0,
    },
];

/// Seconds that a search may take; that of the parser is meant to need no more.
const SECONDS: u64 = 60;
/// What valid programs among the parser's tests are meant to show.
const WORDS: [&str; 5] = ["begin", "if", "while", "const", "var"];

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for row in &ROWS {
        if context.wants(row.name) {
            rows.push(all_paths(context, row)?);
        }
    }
    let mut notes = vec![
        "Seconds of search, one core, front-end and replay excluded; KLEE 3.2 on `-O0` bitcode, \
         wall seconds on a loaded machine with two cores."
            .to_owned(),
    ];
    if context.wants("pl0") {
        let (row, note) = parser(context)?;
        rows.push(row);
        notes.push(note);
    }
    Ok(Table {
        name: "search",
        title: "Time for all paths".to_owned(),
        columns: columns(context),
        rows,
        notes,
    })
}

fn columns(context: &Context<'_>) -> Vec<Column> {
    let mut columns = vec![
        Column::new("program", "program"),
        Column::new("paths", "paths"),
        Column::new("klee_seconds", "KLEE s"),
        Column::new("bar", "bar s"),
        Column::new("seconds", "attest s"),
        Column::new("processor_seconds", "CPU s"),
        Column::new("found_paths", "paths found"),
        Column::new("iterations", "iterations"),
        Column::new("solver_queries", "queries"),
        Column::new("coverage", "goals covered"),
        Column::new("tests", "tests"),
        Column::new("met", "bar"),
    ];
    if let Some(peer) = &context.peer {
        columns.push(Column::new(
            "peer_seconds",
            &format!("{} here s", peer.name()),
        ));
        columns.push(Column::new("peer_paths", &format!("{} paths", peer.name())));
    }
    columns
}

fn all_paths(context: &Context<'_>, row: &Row) -> Result<Vec<Cell>, Failure> {
    let words = format!("-f {} --criterion all-paths", row.entry);
    let mut job = context.load(row.program, &words, row.flags)?;
    let measured = context.measure(row.name, &mut job, StrategyName::default(), SECONDS)?;
    let suite = measured.suite();
    let all = suite.exhausted && suite.statistics.paths == row.paths;
    let mut cells = vec![
        Cell::text(row.name),
        Cell::Count(row.paths),
        Cell::Figure(row.klee),
        Cell::Figure(row.bar),
    ];
    cells.extend(figures(&measured));
    cells.push(Cell::Met(all && measured.seconds() < row.bar));
    cells.extend(peer(context, row.program, row.entry, row.flags)?);
    Ok(cells)
}

fn figures(measured: &Measured) -> [Cell; 7] {
    let suite = measured.suite();
    [
        Cell::Figure(measured.seconds()),
        Cell::figure(measured.processor_seconds),
        Cell::Count(suite.statistics.paths),
        Cell::Count(suite.statistics.iterations),
        Cell::Count(suite.statistics.solver_queries),
        Cell::Part(measured.covered(), measured.goals()),
        Cell::Count(suite.tests.len() as u64),
    ]
}

fn peer(
    context: &Context<'_>,
    program: &str,
    entry: &str,
    flags: &str,
) -> Result<Vec<Cell>, Failure> {
    let Some(peer) = &context.peer else {
        return Ok(Vec::new());
    };
    let ran = peer.run(
        &context.programs,
        program,
        entry,
        flags,
        context.time(SECONDS),
    )?;
    Ok(vec![
        Cell::Figure(ran.seconds),
        ran.paths.map_or(Cell::Nothing, Cell::Count),
    ])
}

/// The parser is no matter of all paths, but of all branches, and of valid programs.
fn parser(context: &mut Context<'_>) -> Result<(Vec<Cell>, String), Failure> {
    const PROGRAM: &str = "bench/programs/pl0.c";
    let mut job = context.load(PROGRAM, "-f pl0 --scope file", "")?;
    let measured = context.measure("pl0", &mut job, StrategyName::default(), SECONDS)?;
    let mut valid = valid_texts::of(&measured.exploration, "text");
    // What stands behind the period is no part of the program.
    for text in &mut valid {
        text.truncate(text.find('.').map_or(text.len(), |at| at + 1));
    }
    let missing: Vec<&str> = WORDS
        .into_iter()
        .filter(|word| !valid.iter().any(|text| text.contains(word)))
        .collect();
    let met = measured.covered() == measured.goals() && missing.is_empty();
    let mut cells = vec![
        Cell::text("pl0: lexer and parser, 20 bytes"),
        Cell::Nothing,
        Cell::Nothing,
        Cell::Figure(SECONDS as f64),
    ];
    cells.extend(figures(&measured));
    cells.push(Cell::Met(met));
    cells.extend(peer(context, PROGRAM, "pl0", "")?);
    let valid: Vec<String> = valid.iter().map(|text| format!("`{text}`")).collect();
    let note = format!(
        "pl0 is meant to cover all branches within 60 s, with valid programs of {} among the tests \
         (KLEE in 300 s: 82 % of the branches, no valid program but `.`). Last goal after {:.1} s; \
         valid programs among the tests: {}; missing: {}.",
        WORDS.map(|word| format!("`{word}`")).join(", "),
        measured.curve.last_news(),
        or_none(&valid.join(", ")),
        or_none(&missing.join(", ")),
    );
    Ok((cells, note))
}

fn or_none(list: &str) -> &str {
    match list {
        "" => "none",
        list => list,
    }
}
