//! Units of real code, by strategy: branch coverage over time.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::{Job, Measured};
use crate::commands::bench::real_code::Code;
use crate::commands::bench::svg::Panel;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// A unit: a driver, which includes the file whose goals count, and files that it is linked with.
/// The entry is named like the driver.
struct Row {
    name: &'static str,
    code: Code,
    linked: &'static [&'static str],
    flags: &'static str,
}

const ROWS: [Row; 5] = [
    Row {
        name: "zlib_inflate",
        code: Code::Zlib,
        linked: &["inftrees.c", "inffast.c", "zutil.c", "adler32.c", "crc32.c"],
        flags: "-DHAVE_UNISTD_H",
    },
    Row {
        name: "zlib_deflate",
        code: Code::Zlib,
        linked: &["trees.c", "zutil.c", "adler32.c", "crc32.c"],
        flags: "-DHAVE_UNISTD_H",
    },
    Row {
        name: "cjson",
        code: Code::Cjson,
        linked: &[],
        flags: "",
    },
    Row {
        name: "lua_pattern",
        code: Code::Lua,
        linked: &[],
        flags: "-DLUA_USE_POSIX",
    },
    Row {
        name: "lua_lexer",
        code: Code::Lua,
        linked: &["lctype.c"],
        flags: "-DLUA_USE_POSIX",
    },
];

/// Seconds that each search may take.
const SECONDS: u64 = 300;
/// When coverage is looked at on the way, in seconds.
const EARLY: [f64; 2] = [10.0, 60.0];
/// What a strategy is meant to cover, as a part of what the best one covers.
const BAR: f64 = 0.97;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for row in &ROWS {
        if context.wants(row.name) {
            let mut job = load(context, row)?;
            rows.extend(compare(context, row.name, &mut job)?);
        }
    }
    Ok(Table {
        name: "units",
        title: "Units of real code".to_owned(),
        columns: vec![
            Column::new("program", "unit"),
            Column::new("strategy", "strategy"),
            Column::new("after_10_seconds", "after 10 s"),
            Column::new("after_60_seconds", "after 60 s"),
            Column::new("coverage", "goals covered"),
            Column::new("of_best", "of the best"),
            Column::new("met", "bar"),
            Column::new("last_seconds", "last goal s"),
            Column::new("seconds", "s"),
            Column::new("iterations", "iterations"),
            Column::new("defects", "defects"),
            Column::new("peak_megabytes", "peak MB"),
        ],
        rows,
        notes: vec![format!(
            "Goals are the sides of all decisions of the unit, also of functions that its driver \
             does not call. The bar is {BAR} of what the best strategy covers, for the default one."
        )],
    })
}

fn load(context: &Context<'_>, row: &Row) -> Result<Job, Failure> {
    let folder = row.code.folder()?;
    let driver = context
        .programs
        .path(&format!("bench/programs/units/{}.c", row.name));
    let mut files = vec![driver];
    files.extend(row.linked.iter().map(|file| folder.join(file)));
    let mut flags = vec!["-I".to_owned(), folder.display().to_string()];
    flags.extend(row.flags.split_whitespace().map(str::to_owned));
    let words = format!("-f {} --scope file --no-allocation-failures", row.name);
    Job::load(&files, &words, &flags)
}

/// A row for each strategy.
fn compare(
    context: &mut Context<'_>,
    name: &str,
    job: &mut Job,
) -> Result<Vec<Vec<Cell>>, Failure> {
    let mut panel = Panel::new(name, 0);
    let mut all: Vec<(&str, bool, Measured)> = Vec::new();
    for strategy in StrategyName::ALL {
        let label = strategy.name();
        let measured = context.measure(&format!("{name}, {label}"), job, strategy, SECONDS)?;
        panel.goals = measured.goals();
        panel.add(label, measured.curve.clone(), measured.seconds());
        all.push((label, strategy == StrategyName::default(), measured));
    }
    context.panels.push(panel);
    let best = all.iter().map(|(_, _, measured)| measured.covered()).max();
    let best = best.unwrap_or(0).max(1) as f64;
    let row = |(label, default, measured): &(&str, bool, Measured)| {
        let of_best = measured.covered() as f64 / best;
        let mut cells = vec![Cell::text(name), Cell::text(*label)];
        cells.extend(EARLY.map(|at| Cell::Count(measured.curve.at(at) as u64)));
        cells.extend([
            Cell::Part(measured.covered(), measured.goals()),
            Cell::Figure(of_best),
            match default {
                true => Cell::Met(of_best >= BAR),
                false => Cell::Nothing,
            },
            Cell::Figure(measured.curve.last_news()),
            Cell::Figure(measured.seconds()),
            Cell::Count(measured.suite().statistics.iterations),
            Cell::Count(measured.suite().defects.len() as u64),
            Cell::Figure(measured.megabytes()),
        ]);
        cells
    };
    Ok(all.iter().map(row).collect())
}
