//! What proofs cost where the search needs none: the time to the coverage that the search reaches
//! without them, on the programs of other tables and for each function of files of real code.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::{Job, Measured};
use crate::commands::bench::programs::Programs;
use crate::commands::bench::real_code::Code;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::commands::bench::tables::beside::OTHERS;
use crate::failure::Failure;

/// The folder of the programs, beside [`OTHERS`]; each entry is named like its file.
const FOLDER: &str = "bench/programs/strategies";

/// Files of real code, each with flags.
const FILES: [(Code, &str, &str); 4] = [
    (Code::Cjson, "cJSON.c", ""),
    (Code::Zlib, "adler32.c", "-DHAVE_UNISTD_H"),
    (Code::Zlib, "inftrees.c", "-DHAVE_UNISTD_H"),
    (Code::Lua, "lzio.c", "-DLUA_USE_POSIX"),
];

/// Seconds that each search may take: of a program, and of a function of real code.
const SECONDS: u64 = 10;
const SECONDS_OF_FUNCTION: u64 = 2;

/// How much longer it may take to the same coverage: of a program, and of a function of real code.
const BAR: f64 = 1.15;
const BAR_OF_FUNCTION: f64 = 1.2;

/// Seconds that are no burden.
const NOTHING: f64 = 0.05;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for path in Programs::within(FOLDER).chain(OTHERS) {
        let file = path.rsplit('/').next().unwrap_or(path);
        let name = file.strip_suffix(".c").unwrap_or(file);
        if context.wants(name) {
            let load = |further: &str| {
                let words = format!("-f {name} --scope file {further}");
                context.load(path, &words, "")
            };
            let (mut off, mut on) = (load("--prove off")?, load("")?);
            let jobs = (&mut off, &mut on);
            rows.push(row(context, name, jobs, (SECONDS, BAR))?);
        }
    }
    for (code, file, flags) in FILES {
        if context.wants(file) {
            rows.extend(of_file(context, code, (file, flags))?);
        }
    }
    Ok(Table {
        name: "burden",
        title: "What proofs cost where the search needs none".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("off_covered", "covered, --prove off"),
            Column::new("off_seconds", "s to that"),
            Column::new("seconds", "s to as much, with proofs"),
            Column::new("off_total", "s in all, --prove off"),
            Column::new("total", "s in all"),
            Column::new("met", "met"),
        ],
        notes: totals(&rows),
        rows,
    })
}

/// A row for each function of a file.
fn of_file(
    context: &Context<'_>,
    code: Code,
    (file, flags): (&str, &str),
) -> Result<Vec<Vec<Cell>>, Failure> {
    let folder = code.folder()?;
    let mut all = vec!["-I".to_owned(), folder.display().to_string()];
    all.extend(flags.split_whitespace().map(str::to_owned));
    let load = |words: &str| Job::load(&[folder.join(file)], words, &all);
    let (mut off, mut on) = (load("--prove off")?, load("")?);
    let mut rows = Vec::new();
    for entry in off.functions()? {
        off.turn_to(entry);
        on.turn_to(entry);
        let function = &off.unit.program.functions[entry].name;
        let name = format!("{file}: {function}");
        let limits = (SECONDS_OF_FUNCTION, BAR_OF_FUNCTION);
        rows.push(row(context, &name, (&mut off, &mut on), limits)?);
    }
    Ok(rows)
}

/// The same search without proofs and with them.
fn row(
    context: &Context<'_>,
    name: &str,
    (off, on): (&mut Job, &mut Job),
    (seconds, bar): (u64, f64),
) -> Result<Vec<Cell>, Failure> {
    let measure = |job: &mut Job, how: &str| -> Result<Measured, Failure> {
        let label = format!("{name}, {how}");
        context.measure(&label, job, StrategyName::default(), seconds)
    };
    let (off, on) = (measure(off, "without proofs")?, measure(on, "with proofs")?);
    let before = off.curve.last_news();
    let with = on.curve.reached(off.covered());
    let most = (before * bar).max(before + NOTHING);
    Ok(vec![
        Cell::text(name),
        Cell::Part(off.covered(), off.goals()),
        Cell::Figure(before),
        with.map_or(Cell::Nothing, Cell::Figure),
        Cell::Figure(off.seconds()),
        Cell::Figure(on.seconds()),
        Cell::Met(with.is_some_and(|with| with <= most)),
    ])
}

/// In how many rows the bar is met.
fn totals(rows: &[Vec<Cell>]) -> Vec<String> {
    let met = rows
        .iter()
        .filter(|row| row.last() == Some(&Cell::Met(true)));
    vec![format!(
        "The bar is met in {} of {} rows: at most {BAR} times the seconds ({BAR_OF_FUNCTION} times for \
         functions of real code), or {NOTHING} s more.",
        met.count(),
        rows.len()
    )]
}
