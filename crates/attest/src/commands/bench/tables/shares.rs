//! What is decided by the share of time for proofs (figure 3 of the CRABS paper), on the programs of
//! the tables `crabs` and `provers`.

use coverage::GoalStatus;
use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::{Measured, annotated};
use crate::commands::bench::programs::Programs;
use crate::commands::bench::svg::Panel;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// The folders of the programs.
const FOLDERS: [&str; 2] = ["bench/programs/crabs", "bench/programs/provers"];

/// The shares in percent; the first leaves proofs out.
const SHARES: [u32; 7] = [0, 5, 12, 25, 50, 75, 90];

/// Seconds that each search may take.
const SECONDS: u64 = 5;

/// Counts over all programs.
#[derive(Default)]
struct Counts {
    goals: usize,
    covered: usize,
    decided: usize,
}

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let (mut covered, mut decided) = (Vec::new(), Vec::new());
    let mut goals = 0;
    let fixed = SHARES.map(|share| match share {
        0 => ("off".to_owned(), Some(0.0)),
        _ => (share.to_string(), Some(f64::from(share))),
    });
    for (share, at) in fixed.into_iter().chain([("adapted".to_owned(), None)]) {
        if !context.wants(&share) {
            continue;
        }
        let counts = measured(context, &share)?;
        goals = counts.goals;
        if let Some(at) = at {
            covered.push((at, counts.covered));
            decided.push((at, counts.decided));
        }
        rows.push(vec![
            Cell::text(share),
            Cell::Part(counts.covered, counts.goals),
            Cell::Part(counts.decided, counts.goals),
        ]);
    }
    let mut panel = Panel::by_share("decided by the share of proofs", goals);
    panel.add_points("decided", decided);
    panel.add_points("covered", covered);
    context.panels.push(panel);
    Ok(Table {
        name: "shares",
        title: "Goals by the share of proofs".to_owned(),
        columns: vec![
            Column::new("share", "share of proofs, %"),
            Column::new("covered", "covered"),
            Column::new("decided", "decided"),
        ],
        rows,
        notes: vec![format!(
            "{SECONDS} s for each program, unless told otherwise."
        )],
    })
}

/// Searches all programs with a share.
fn measured(context: &Context<'_>, share: &str) -> Result<Counts, Failure> {
    let option = match share {
        "off" => "--prove off".to_owned(),
        "adapted" => String::new(),
        _ => format!("--prove-share {share}"),
    };
    let mut counts = Counts::default();
    for path in FOLDERS.into_iter().flat_map(Programs::within) {
        let (words, flags) = annotated(Programs::text(path))?;
        let words = format!("{words} --time {SECONDS}s {option}");
        let mut job = context.load(path, &words, &flags)?;
        let label = format!("{path}, {share}");
        let found: Measured =
            context.measure(&label, &mut job, StrategyName::default(), SECONDS)?;
        let goals = found.suite().asked_for();
        let covered = goals.filter(|goal| matches!(goal.status, GoalStatus::Covered(_)));
        counts.covered += covered.count();
        counts.goals += found.goals();
        counts.decided += found.decided();
    }
    Ok(counts)
}
