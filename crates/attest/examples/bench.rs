//! Prints a table of what attest takes in time and memory, beside what it is meant to take.
//!
//! `cargo run --release --example bench -- ATTEST`, in the workspace's folder: `ATTEST` is the
//! binary. The figures are those of `suite.json` and of `attest run --statistics`.

#[allow(dead_code)] // the comparison with annotations is of no use here
#[path = "../tests/support/fixture.rs"]
mod fixture;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use fixture::Fixture;
use serde_json::Value;

/// A line of the table.
struct Row {
    what: String,
    measured: f64,
    unit: &'static str,
    bar: Bar,
    peak_megabytes: f64,
}

/// What a figure is meant to be.
#[derive(Clone, Copy)]
enum Bar {
    AtLeast(f64),
    AtMost(f64),
}

/// Memory that nothing here is meant to exceed.
const MEGABYTES: f64 = 500.0;

fn main() -> ExitCode {
    let Some(attest) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("bench: which binary? usage: bench ATTEST");
        return ExitCode::from(2);
    };
    match measure(&attest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(attest: &Path) -> Result<(), String> {
    println!(
        "{:44} {:>12} {:9} {:>12}  {:>8}",
        "", "measured", "", "meant", "peak MB"
    );
    machine(attest)?.print();
    iterations(attest)?.print();
    paths(attest)?.print();
    for example in examples()? {
        search(attest, &example)?.print();
    }
    Ok(())
}

fn machine(attest: &Path) -> Result<Row, String> {
    let mut command = Command::new(attest);
    command.args(["run", "--statistics", "bench/programs/concrete_loop.c"]);
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let statistics: Value = errors
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .ok_or(format!("{command:?} told no statistics: {errors}"))?;
    let (steps, seconds) = (
        number(&statistics, "steps")?,
        number(&statistics, "seconds")?,
    );
    Ok(Row {
        what: "machine: IR statements a second".to_owned(),
        measured: steps / seconds / 1e6,
        unit: "million/s",
        bar: Bar::AtLeast(50.0),
        peak_megabytes: number(&statistics, "peak_memory_bytes")? / 1e6,
    })
}

fn iterations(attest: &Path) -> Result<Row, String> {
    let file = "bench/programs/ten_branches.c";
    let statistics = cover(
        attest,
        file,
        &["-f", "ten_branches", "--criterion", "all-paths"],
        &[],
    )?;
    Ok(Row {
        what: "ten branches: iterations a second".to_owned(),
        measured: number(&statistics, "iterations")? / number(&statistics, "seconds")?,
        unit: "/s",
        bar: Bar::AtLeast(5000.0),
        peak_megabytes: number(&statistics, "peak_memory_bytes")? / 1e6,
    })
}

fn paths(attest: &Path) -> Result<Row, String> {
    let file = "bench/programs/latest_fig1.c";
    let statistics = cover(
        attest,
        file,
        &["-f", "greet", "--criterion", "all-paths"],
        &[],
    )?;
    let paths = number(&statistics, "paths")?;
    Ok(Row {
        what: format!("LATEST, figure 1: {paths} paths"),
        measured: number(&statistics, "seconds")?,
        unit: "s",
        bar: Bar::AtMost(0.5),
        peak_megabytes: number(&statistics, "peak_memory_bytes")? / 1e6,
    })
}

fn examples() -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir("examples").map_err(|error| format!("examples: {error}"))?;
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut files: Vec<String> = names
        .filter(|name| name.ends_with(".c"))
        .map(|name| format!("examples/{name}"))
        .collect();
    files.sort();
    Ok(files)
}

fn search(attest: &Path, file: &str) -> Result<Row, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let fixture = Fixture::parse(&text).map_err(|error| format!("{file}: {error}"))?;
    let options: Vec<&str> = fixture
        .arguments
        .iter()
        .skip(1)
        .map(String::as_str)
        .collect();
    let flags: Vec<&str> = fixture.flags.iter().map(String::as_str).collect();
    let statistics = cover(attest, file, &options, &flags)?;
    Ok(Row {
        what: format!("{file}: search"),
        measured: number(&statistics, "seconds")?,
        unit: "s",
        bar: Bar::AtMost(1.0),
        peak_megabytes: number(&statistics, "peak_memory_bytes")? / 1e6,
    })
}

/// Covers a file without replay; what the search cost.
fn cover(attest: &Path, file: &str, options: &[&str], flags: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(attest);
    command.args(["cover", file]).args(options);
    command
        .args([
            "--no-replay",
            "--format",
            "json",
            "-o",
            "target/bench",
            "--",
        ])
        .args(flags);
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let suite: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
        format!(
            "{command:?} told no suite: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })?;
    Ok(suite["statistics"].clone())
}

fn number(value: &Value, key: &str) -> Result<f64, String> {
    value[key]
        .as_f64()
        .ok_or(format!("there is no number `{key}` in {value}"))
}

impl Row {
    fn print(&self) {
        let (sign, limit, met) = match self.bar {
            Bar::AtLeast(limit) => ("≥", limit, self.measured >= limit),
            Bar::AtMost(limit) => ("<", limit, self.measured < limit),
        };
        let met = met && self.peak_megabytes < MEGABYTES;
        let (what, unit, peak) = (&self.what, self.unit, self.peak_megabytes);
        let digits = if self.measured < 10.0 { 3 } else { 0 };
        let meant = format!("{sign} {limit}");
        let verdict = if met { "" } else { "  missed" };
        println!(
            "{what:44} {:>12.digits$} {unit:9} {meant:>12}  {peak:>8.0}{verdict}",
            self.measured
        );
    }
}
