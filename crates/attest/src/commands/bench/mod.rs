//! `attest bench`: searches measured, and printed beside what papers and other tools report.
//!
//! Each table is data in a file of `tables/`. The programs are those of `bench/programs/` and
//! `examples/`, which the binary carries with it, and generated ones.

mod clock;
mod context;
mod curve;
mod job;
mod klee;
mod negate;
mod petri;
mod programs;
mod project;
mod random;
mod real_code;
mod svg;
mod table;
mod tables;
mod valid_texts;

#[cfg(test)]
#[path = "../../../tests/support/gcov.rs"]
mod gcov;

use crate::cli::bench::{BenchArguments, TableFormat, TableName};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::write_file;
use crate::status::Status;
use context::Context;
use table::Table;
use tables::{
    ablation, beside, burden, certain, crabs, criteria, growth, inputs, latest, nsichneu, projects,
    provers, replay, search, shares, speed, strategies, structures, units,
};

/// Measures a table and prints it.
pub fn bench(arguments: &BenchArguments, console: &mut Console) -> Result<Status, Failure> {
    let mut context = Context::new(arguments)?;
    let table = match arguments.table {
        TableName::Speed => speed::table(&mut context)?,
        TableName::Search => search::table(&mut context)?,
        TableName::Strategies => strategies::table(&mut context)?,
        TableName::Latest => latest::table(&mut context)?,
        TableName::Burden => burden::table(&mut context)?,
        TableName::CertainDefects => certain::table(&mut context)?,
        TableName::Crabs => crabs::table(&mut context)?,
        TableName::Criteria => criteria::table(&mut context)?,
        TableName::Growth => growth::table(&mut context)?,
        TableName::Inputs => inputs::table(&mut context)?,
        TableName::Ablation => ablation::table(&mut context)?,
        TableName::Beside => beside::table(&mut context)?,
        TableName::Nsichneu => nsichneu::table(&mut context)?,
        TableName::Projects => projects::table(&mut context)?,
        TableName::Provers => provers::table(&mut context)?,
        TableName::Replay => replay::table(&mut context)?,
        TableName::Shares => shares::table(&mut context)?,
        TableName::Structures => structures::table(&mut context)?,
        TableName::Units => units::table(&mut context)?,
    };
    if table.rows.is_empty() {
        return Err(nothing_measured(arguments));
    }
    console.write(text(&table, arguments.format)?.as_bytes())?;
    if let Some(path) = &arguments.svg {
        write_file(path, &svg::draw(&context.panels))?;
    }
    Ok(Status::Complete)
}

fn text(table: &Table, format: TableFormat) -> Result<String, Failure> {
    match format {
        TableFormat::Markdown => Ok(table.markdown()),
        TableFormat::Json => serde_json::to_string_pretty(&table.json())
            .map(|text| text + "\n")
            .map_err(|error| Failure::internal(error.to_string())),
    }
}

fn nothing_measured(arguments: &BenchArguments) -> Failure {
    let only = arguments.only.as_deref().unwrap_or_default();
    Failure::bad_input(
        format!("nothing was measured: no row of this table has `{only}` in its name"),
        "leave out --only to measure all rows",
    )
}
