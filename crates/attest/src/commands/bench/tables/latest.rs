//! The experiments of the LATEST paper: every path through the tested function, with lazy expansion
//! and without it.

use std::path::PathBuf;

use coverage::{GoalStatus, LazyStatistics};
use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::commands::bench::tables::ablation::Program;
use crate::failure::Failure;

/// An experiment with the paper's figures.
struct Row {
    name: &'static str,
    /// The program, that of the tested function first.
    files: &'static [&'static str],
    entry: &'static str,
    scope: &'static str,
    /// What `--lazy` is given.
    lazy: &'static str,
    flags: &'static str,
    paper: Option<u64>,
    /// How many iterations it may take.
    bar: Option<u64>,
    /// How many valid inputs there are, as the grammar says, and how many the paper's has.
    valid: Option<(u64, Option<u64>)>,
}

impl Row {
    const fn of(name: &'static str, file: &'static [&'static str], entry: &'static str) -> Row {
        Row {
            name,
            files: file,
            entry,
            scope: "function",
            lazy: "off",
            valid: None,
            flags: "",
            paper: None,
            bar: None,
        }
    }

    const fn with(self, flags: &'static str, paper: u64, bar: u64) -> Row {
        Row {
            flags,
            paper: Some(paper),
            bar: Some(bar),
            ..self
        }
    }

    const fn bar(self, flags: &'static str, bar: u64) -> Row {
        Row {
            flags,
            bar: Some(bar),
            ..self
        }
    }

    const fn lazily(self, lazy: &'static str) -> Row {
        Row { lazy, ..self }
    }

    const fn in_file(self) -> Row {
        Row {
            scope: "file",
            ..self
        }
    }

    const fn valid(self, flags: &'static str, valid: u64, paper: Option<u64>) -> Row {
        Row {
            flags,
            valid: Some((valid, paper)),
            ..self
        }
    }
}

const FIGURE_1: Row =
    Row::of("figure 1", &["bench/programs/latest_fig1.c"], "greet").lazily("compare");
const FIGURE_7: Row = Row::of("figure 7", &["bench/programs/latest_fig7.c"], "top").lazily("find");
const PROGRAM_1: Row =
    Row::of("program1", &["bench/programs/latest_program1.c"], "top").lazily("find");
const PROGRAM_2: Row =
    Row::of("program2", &["bench/programs/latest_program2.c"], "top").lazily("find");
const PROGRAM_3: Row =
    Row::of("program3", &["bench/programs/latest_program3.c"], "greet").lazily("compare");
const CALCULATOR: Row = Row::of(
    "calculator",
    &[
        "bench/programs/lazy/calculator/calculator.c",
        "bench/programs/lazy/calculator/lexer.c",
    ],
    "calculator",
)
.in_file()
.lazily("lex");
const PL0: Row = Row::of(
    "PL/0",
    &[
        "bench/programs/lazy/pl0/parser.c",
        "bench/programs/lazy/pl0/lexer.c",
    ],
    "pl0",
)
.in_file()
.lazily("lex,lex_word");

const CALLS: Row = Row::of("calls", &["bench/programs/lazy/calls.c"], "top").lazily("rank");

/// 16 contexts that a call does not see, and a demand that none of its 243 paths meets.
const CONTEXTS: Row =
    Row::of("contexts", &["bench/programs/lazy/contexts.c"], "rate").lazily("vowels");

const ROWS: [Row; 19] = [
    FIGURE_1.with("", 113, 60),
    FIGURE_7.with("-DN=10", 10, 10),
    FIGURE_7.with("-DN=100", 10, 10),
    FIGURE_7.with("-DN=1000", 10, 10),
    PROGRAM_1.with("", 59, 58),
    PROGRAM_2.with("", 63, 62),
    PROGRAM_3.with("", 68, 67),
    CALCULATOR.with("-DOPERATIONS=1", 206, 20),
    CALCULATOR.with("-DOPERATIONS=2", 1_671, 167),
    CALCULATOR.with("-DOPERATIONS=3", 10_000, 1_000),
    CALCULATOR.with("-DOPERATIONS=4", 485_256, 48_525),
    PL0.valid("-DTOKENS=3", 1, None),
    PL0.valid("-DTOKENS=4", 3, None),
    PL0.valid("-DTOKENS=5", 6, None),
    PL0.valid("-DTOKENS=6", 19, None),
    PL0.valid("-DTOKENS=7", 40, Some(99)),
    PL0.valid("-DTOKENS=8", 146, Some(399)),
    PL0.valid("-DTOKENS=10", 1_329, None),
    CONTEXTS.bar("", 2 * 243),
];

/// The growth by callee paths and by calls: with the one times the other at most.
const GROWTH: [Row; 12] = [
    CALLS.bar("-DPATHS=10 -DCALLS=1", 10),
    CALLS.bar("-DPATHS=10 -DCALLS=2", 20),
    CALLS.bar("-DPATHS=10 -DCALLS=4", 40),
    CALLS.bar("-DPATHS=10 -DCALLS=8", 80),
    CALLS.bar("-DPATHS=100 -DCALLS=1", 100),
    CALLS.bar("-DPATHS=100 -DCALLS=2", 200),
    CALLS.bar("-DPATHS=100 -DCALLS=4", 400),
    CALLS.bar("-DPATHS=100 -DCALLS=8", 800),
    CALLS.bar("-DPATHS=1000 -DCALLS=1", 1_000),
    CALLS.bar("-DPATHS=1000 -DCALLS=2", 2_000),
    CALLS.bar("-DPATHS=1000 -DCALLS=4", 4_000),
    CALLS.bar("-DPATHS=1000 -DCALLS=8", 8_000),
];

/// Seconds that each search may take with lazy expansion, and without.
const SECONDS: u64 = 600;
const SECONDS_WITHOUT: u64 = 10;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for row in ROWS.iter().chain(&GROWTH) {
        if context.wants(&row.title()) {
            rows.push(measure(context, row)?);
        }
    }
    Ok(Table {
        name: "latest",
        title: "LATEST: every path through the tested function, with lazy expansion".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("latest_iterations", "LATEST iterations"),
            Column::new("bar", "bar"),
            Column::new("iterations", "attest iterations"),
            Column::new("met", "met"),
            Column::new("seconds", "attest s"),
            Column::new("tests", "tests"),
            Column::new("latest_valid", "LATEST valid inputs"),
            Column::new("valid", "valid inputs, by the grammar"),
            Column::new("complete", "complete"),
            Column::new("concretised", "concretised"),
            Column::new("spurious", "spurious"),
            Column::new("summaries_used", "summaries used"),
            Column::new("learned", "learned"),
            Column::new("off_iterations", "iterations, --lazy off"),
            Column::new("off_seconds", "s, --lazy off"),
            Column::new("off_complete", "complete, --lazy off"),
        ],
        rows,
        notes: vec![
            "The paper's programs are not published; these are programs of our own of the same \
             shape. Its figures for the calculator and for PL/0 depend on how many paths the \
             programs have."
                .to_owned(),
            "PL/0: each valid program is one path. How many there are is counted from the grammar, by \
             a generator of its own."
                .to_owned(),
        ]
        .into_iter()
        .chain(decisions(context)?)
        .collect(),
    })
}

/// The searches with lazy expansion that end soon, for the table that leaves accelerations out.
pub fn programs(context: &Context<'_>) -> Vec<Program> {
    let paths = |files: &[&str]| {
        files
            .iter()
            .map(|file| context.programs.path(file))
            .collect()
    };
    let is_soon = |row: &&Row| !LONG.contains(&row.flags);
    let rows = ROWS.iter().chain(&GROWTH).filter(is_soon);
    let of_paths = rows.map(|row| Program {
        title: row.title(),
        files: paths(row.files),
        words: row.words(row.lazy),
        flags: row.flags,
    });
    let parsers = DECISIONS.iter().filter(|(.., words, _)| *words == PARSER);
    let of_decisions = parsers.map(|&(what, files, words, flags)| Program {
        title: format!("PL/0 decisions of {what}"),
        files: paths(files),
        words: words.to_owned(),
        flags,
    });
    of_paths.chain(of_decisions).collect()
}

/// The flags of the rows that take minutes.
const LONG: [&str; 2] = ["-DTOKENS=8", "-DTOKENS=10"];

/// The decisions of the PL/0 parser and of its lexer: which are covered, and which proved
/// unreachable.
const DECISIONS: [(&str, &[&str], &str, &str); 3] = [
    (
        "the lexer",
        &["bench/programs/lazy/pl0/lexer.c"],
        "-f lex --scope file",
        "",
    ),
    (
        "the parser, programs of at most 7 tokens",
        PL0.files,
        PARSER,
        "-DTOKENS=7",
    ),
    (
        "the parser, programs of at most 12 tokens",
        PL0.files,
        PARSER,
        "-DTOKENS=12",
    ),
];

/// How the parser's decisions are searched for.
const PARSER: &str = "-f pl0 --scope file --lazy lex,lex_word";

/// Seconds for the decisions of each.
const SECONDS_FOR_DECISIONS: u64 = 60;

/// What became of the decisions, one note for each program.
fn decisions(context: &Context<'_>) -> Result<Vec<String>, Failure> {
    let wanted = DECISIONS.iter().filter(|(what, ..)| {
        let title = format!("PL/0 decisions of {what}");
        context.wants(&title)
    });
    let notes = wanted.map(|&(what, files, words, flags)| {
        let files = files.iter().map(|file| context.programs.path(file));
        let files: Vec<PathBuf> = files.collect();
        let mut job = context.load_files(&files, words, flags)?;
        let seconds = SECONDS_FOR_DECISIONS;
        let strategy = StrategyName::default();
        let measured = context.measure(what, &mut job, strategy, seconds)?;
        let count = |is: fn(&GoalStatus) -> bool| {
            let goals = measured.suite().asked_for();
            goals.filter(|goal| is(&goal.status)).count()
        };
        let covered = count(|status| matches!(status, GoalStatus::Covered(_)));
        let proved = count(|status| matches!(status, GoalStatus::Unreachable(_)));
        let all = measured.suite().asked_for().count();
        Ok(format!(
            "PL/0, decisions of {what}: {covered} of {all} covered, {proved} proved unreachable, {} \
             open, {:.1} s.",
            all - covered - proved,
            measured.seconds(),
        ))
    });
    notes.collect()
}

impl Row {
    fn title(&self) -> String {
        format!("{} {}", self.name, self.flags).trim().to_owned()
    }

    /// The options of `attest cover`.
    fn words(&self, lazy: &str) -> String {
        let (entry, scope) = (self.entry, self.scope);
        format!("-f {entry} --scope {scope} --criterion unit-paths --lazy {lazy}")
    }
}

fn measure(context: &Context<'_>, row: &Row) -> Result<Vec<Cell>, Failure> {
    let files: Vec<PathBuf> = row
        .files
        .iter()
        .map(|file| context.programs.path(file))
        .collect();
    let search = |lazy: &str, seconds: u64| {
        let mut job = context.load_files(&files, &row.words(lazy), row.flags)?;
        let what = format!("{} --lazy {lazy}", row.title());
        context.measure(&what, &mut job, StrategyName::default(), seconds)
    };
    let (lazy, off) = (search(row.lazy, SECONDS)?, search("off", SECONDS_WITHOUT)?);
    let (suite, without) = (lazy.suite(), off.suite());
    let iterations = suite.statistics.iterations;
    let LazyStatistics {
        concretised,
        spurious,
        summaries_used,
        learned,
        ..
    } = suite.statistics.lazy.clone().unwrap_or_default();
    let count = |count: Option<u64>| count.map_or(Cell::Nothing, Cell::Count);
    let complete = |complete: bool| Cell::text(if complete { "yes" } else { "no" });
    let tests = suite.tests.len() as u64;
    let met = match (row.bar, row.valid) {
        (Some(bar), _) => Some(iterations <= bar && suite.complete()),
        (None, Some((valid, _))) => Some(tests == valid && suite.complete()),
        (None, None) => None,
    };
    let (valid, paper_valid) = row.valid.unzip();
    Ok(vec![
        Cell::text(row.title()),
        count(row.paper),
        count(row.bar),
        Cell::Count(iterations),
        met.map_or(Cell::Nothing, Cell::Met),
        Cell::Figure(lazy.seconds()),
        Cell::Count(tests),
        count(paper_valid.flatten()),
        count(valid),
        complete(suite.complete()),
        Cell::Count(concretised),
        Cell::Count(spurious),
        Cell::Count(summaries_used),
        Cell::Count(learned),
        Cell::Count(without.statistics.iterations),
        Cell::Figure(off.seconds()),
        complete(without.complete()),
    ])
}
