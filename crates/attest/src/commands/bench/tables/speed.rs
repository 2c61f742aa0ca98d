//! What the machine and the search manage on small programs, beside what they are meant to.

use std::time::Instant;

use explore::StrategyName;
use ir::CodeIndex;
use vm::{Config, Machine};

use crate::commands::bench::context::Context;
use crate::commands::bench::job::annotated;
use crate::commands::bench::programs::Programs;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::entry;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::memory;

/// What a figure is meant to be.
#[derive(Clone, Copy)]
enum Bar {
    AtLeast(f64),
    Below(f64),
}

/// Memory that nothing here is meant to exceed.
const MOST_MEGABYTES: f64 = 500.0;
/// Seconds that each search may take.
const SECONDS: u64 = 60;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    if context.wants("concrete_loop") {
        rows.push(machine(context)?);
    }
    if context.wants("ten_branches") {
        rows.push(iterations(context)?);
    }
    for path in Programs::within("examples") {
        if context.wants(path) {
            rows.push(example(context, path)?);
        }
    }
    Ok(Table {
        name: "speed",
        title: "Speed".to_owned(),
        columns: vec![
            Column::new("program", ""),
            Column::new("measured", "measured"),
            Column::new("unit", "unit"),
            Column::new("bar", "meant"),
            Column::new("met", ""),
            Column::new("peak_megabytes", "peak MB"),
        ],
        rows,
        notes: Vec::new(),
    })
}

fn row(what: &str, measured: f64, unit: &str, bar: Bar, megabytes: f64) -> Vec<Cell> {
    let (meant, met) = match bar {
        Bar::AtLeast(limit) => (format!("≥ {limit}"), measured >= limit),
        Bar::Below(limit) => (format!("< {limit}"), measured < limit),
    };
    vec![
        Cell::text(what),
        Cell::Figure(measured),
        Cell::text(unit),
        Cell::text(meant),
        Cell::Met(met && megabytes < MOST_MEGABYTES),
        Cell::Figure(megabytes),
    ]
}

fn machine(context: &Context<'_>) -> Result<Vec<Cell>, Failure> {
    let path = context.programs.path("bench/programs/concrete_loop.c");
    let unit = LoadedProgram::load(&[path], &[])?;
    let main = entry::by_name(&unit.program, "main")?;
    let config = Config {
        step_limit: u64::MAX,
        allocation_failures: false,
        ..Config::default()
    };
    memory::forget_peak();
    let started = Instant::now();
    let index = CodeIndex::new(&unit.program);
    let done = Machine::new(&unit.program, &index, config).run(main, &["bench".to_owned()]);
    let rate = done.steps as f64 / started.elapsed().as_secs_f64() / 1e6;
    let megabytes = memory::peak_bytes() as f64 / 1e6;
    let what = "machine: IR statements a second";
    Ok(row(what, rate, "million/s", Bar::AtLeast(50.0), megabytes))
}

fn iterations(context: &Context<'_>) -> Result<Vec<Cell>, Failure> {
    let program = "bench/programs/ten_branches.c";
    let mut job = context.load(program, "-f ten_branches --criterion all-paths", "")?;
    let measured = context.measure("ten_branches", &mut job, StrategyName::default(), SECONDS)?;
    let what = "ten branches: iterations a second";
    let bar = Bar::AtLeast(20_000.0);
    Ok(row(what, measured.rate(), "/s", bar, measured.megabytes()))
}

fn example(context: &Context<'_>, path: &str) -> Result<Vec<Cell>, Failure> {
    let (words, flags) = annotated(Programs::text(path))?;
    let mut job = context.load(path, &words, &flags)?;
    let measured = context.measure(path, &mut job, StrategyName::default(), SECONDS)?;
    let what = format!("{path}: search");
    let bar = Bar::Below(1.0);
    Ok(row(
        &what,
        measured.seconds(),
        "s",
        bar,
        measured.megabytes(),
    ))
}
