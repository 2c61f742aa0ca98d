//! What is decided with proofs on programs whose goals are known by construction, what without them,
//! and what without each prover.

use coverage::GoalStatus;
use explore::{ProverName, StrategyName};

use crate::commands::bench::context::Context;
use crate::commands::bench::job::{Measured, annotated};
use crate::commands::bench::programs::Programs;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// The folder of the programs.
const FOLDER: &str = "bench/programs/provers";

/// Seconds that each search may take.
const SECONDS: u64 = 20;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for path in Programs::within(FOLDER) {
        if context.wants(path) {
            rows.push(row(context, path)?);
        }
    }
    let mut columns = vec![
        Column::new("program", "program"),
        Column::new("decided", "decided"),
        Column::new("covered", "covered"),
        Column::new("unreachable", "unreachable"),
        Column::new("within", "within bounds"),
        Column::new("seconds", "s"),
        Column::new("off", "decided without proofs"),
        Column::new("without_fuzzing", "without fuzzing"),
    ];
    columns.extend(ProverName::ALL.map(|name| match name {
        ProverName::Segments => Column::new("without_segments", "without segments"),
        ProverName::Values => Column::new("without_values", "without values"),
        ProverName::Relations => Column::new("without_relations", "without relations"),
        ProverName::Pairs => Column::new("without_pairs", "without pairs of elements"),
        ProverName::Implications => Column::new("without_implications", "without implications"),
        ProverName::Phases => Column::new("without_phases", "without phases"),
        ProverName::Products => Column::new("without_products", "without products"),
        ProverName::Invariants => Column::new("without_invariants", "without invariants"),
        ProverName::Reachability => Column::new("without_reachability", "without reachability"),
        ProverName::Refinement => Column::new("without_refinement", "without refinement"),
        ProverName::KInduction => Column::new("without_k_induction", "without k-induction"),
        ProverName::Steering => Column::new("without_steering", "without steering"),
        ProverName::Distance => Column::new("without_distance", "without distances"),
        ProverName::Monitor => Column::new("without_monitor", "without the monitor"),
    }));
    Ok(Table {
        name: "provers",
        title: "Provers".to_owned(),
        columns,
        rows,
        notes: Vec::new(),
    })
}

fn row(context: &Context<'_>, path: &str) -> Result<Vec<Cell>, Failure> {
    let all = measured(context, path, "")?;
    let count = |wanted: fn(&GoalStatus) -> bool| {
        let goals = all.suite().asked_for();
        Cell::Count(goals.filter(|goal| wanted(&goal.status)).count() as u64)
    };
    let name = path.strip_prefix(FOLDER).unwrap_or(path);
    let mut cells = vec![
        Cell::text(name.trim_start_matches('/')),
        Cell::Part(all.decided(), all.goals()),
        count(|status| matches!(status, GoalStatus::Covered(_))),
        count(|status| matches!(status, GoalStatus::Unreachable(_))),
        count(|status| matches!(status, GoalStatus::UnreachableWithin(_))),
        Cell::Figure(all.seconds()),
    ];
    let without = ProverName::ALL.map(|name| format!("--without-prover {}", name.name()));
    let others = ["--prove off", "--fuzz off"].map(str::to_owned);
    for words in others.into_iter().chain(without) {
        let other = measured(context, path, &words)?;
        cells.push(Cell::Part(other.decided(), other.goals()));
    }
    Ok(cells)
}

/// A search with further options.
fn measured(context: &Context<'_>, path: &str, further: &str) -> Result<Measured, Failure> {
    let (words, flags) = annotated(Programs::text(path))?;
    let mut job = context.load(
        path,
        &format!("{words} --time {SECONDS}s {further}"),
        &flags,
    )?;
    context.measure(path, &mut job, StrategyName::default(), SECONDS)
}
