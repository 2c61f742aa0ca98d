//! The hand-made programs of the CRABS paper (figures 4 to 6), scaled up: its strategies and the
//! default one, with all parts of proofs, without steering, without the monitor either, and without
//! proofs.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::annotated;
use crate::commands::bench::programs::Programs;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// The folder of the programs; the function is named like the file.
const FOLDER: &str = "bench/programs/crabs";

/// How often their loops go round.
const ROUNDS: [u32; 3] = [30, 300, 3000];

/// Seconds that the searches of a row may take; the longer ones only where the shorter ones left
/// goals open.
const SECONDS: [u64; 2] = [10, 60];

/// The strategies of the paper, and the default one.
const STRATEGIES: [StrategyName; 5] = [
    StrategyName::Coverage,
    StrategyName::DepthFirst,
    StrategyName::Cfg,
    StrategyName::RandomBranch,
    StrategyName::UniformRandom,
];

/// What is left out, with its options.
const MODES: [(&str, &str); 4] = [
    ("all", ""),
    ("without steering", "--without-prover steering"),
    (
        "without steering and monitor",
        "--without-prover steering --without-prover monitor",
    ),
    ("without proofs", "--prove off"),
];

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for path in Programs::within(FOLDER) {
        for rounds in ROUNDS {
            for strategy in STRATEGIES {
                let file = path.rsplit('/').next().unwrap_or(path);
                let name = format!("{file}, {rounds} rounds, {}", strategy.name());
                if context.wants(&name) {
                    rows.push(row(context, path, (name, rounds, strategy))?);
                }
            }
        }
    }
    let mut columns = vec![Column::new("search", "search")];
    for (mode, _) in MODES {
        let key = mode.replace(' ', "_");
        for seconds in SECONDS {
            let column = Column::new(
                &format!("{key}_{seconds}"),
                &format!("{mode}, {seconds} s: decided"),
            );
            columns.push(column);
        }
        columns.push(Column::new(&format!("{key}_seconds"), "s"));
    }
    Ok(Table {
        name: "crabs",
        title: "The programs of the CRABS paper, scaled up".to_owned(),
        columns,
        rows,
        notes: Vec::new(),
    })
}

/// A program with a strategy: in each mode the goals decided, and the time that this took.
fn row(
    context: &Context<'_>,
    path: &str,
    (name, rounds, strategy): (String, u32, StrategyName),
) -> Result<Vec<Cell>, Failure> {
    let (words, _) = annotated(Programs::text(path))?;
    let flags = format!("-DROUNDS={rounds}");
    let mut cells = vec![Cell::text(name.clone())];
    for (mode, option) in MODES {
        let label = format!("{name}, {mode}");
        let mut last: Option<(usize, usize, f64)> = None;
        for seconds in SECONDS {
            let is_decided = last.is_some_and(|(decided, goals, _)| decided == goals);
            if !is_decided {
                let words = format!("{words} --time {seconds}s {option}");
                let mut job = context.load(path, &words, &flags)?;
                let measured = context.measure(&label, &mut job, strategy, seconds)?;
                last = Some((measured.decided(), measured.goals(), measured.seconds()));
            }
            let cell = last.map(|(decided, goals, _)| Cell::Part(decided, goals));
            cells.push(cell.unwrap_or(Cell::Nothing));
        }
        cells.push(last.map_or(Cell::Nothing, |(_, _, seconds)| Cell::Figure(seconds)));
    }
    Ok(cells)
}
