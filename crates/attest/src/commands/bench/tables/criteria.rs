//! Each criterion's own strategy beside a depth-first search of all that the criterion could need.

use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::Measured;
use crate::commands::bench::programs::Programs;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// The programs; each tested function is named like its file.
const FOLDER: &str = "bench/programs/criteria";

/// Criteria, each with the one that a depth-first search takes in its place: that of all paths, where
/// abstract paths are not known to it.
const CRITERIA: [(&str, &str); 21] = [
    ("decisions", "decisions"),
    ("conditions", "conditions"),
    ("decision-condition", "decision-condition"),
    ("statements", "statements"),
    ("calls", "calls"),
    ("boundary", "boundary"),
    ("weak-mutation", "weak-mutation"),
    ("call-pairs", "call-pairs"),
    ("all-uses", "all-uses"),
    ("all-paths", "all-paths"),
    ("unit-paths", "all-paths"),
    ("minimal-all-paths", "all-paths"),
    ("empty-else", "all-paths"),
    ("max-iterations", "all-paths"),
    ("k-path=1", "all-paths"),
    ("k-path=2", "all-paths"),
    ("minimal-all-conditions", "minimal-all-conditions"),
    ("minimal-all-decisions", "minimal-all-decisions"),
    ("condition-combinations", "condition-combinations"),
    ("mcdc", "mcdc"),
    ("masking-mcdc", "masking-mcdc"),
];

/// Seconds that each search may take.
const SECONDS: u64 = 10;

/// How many more solver calls the own strategy may need.
const BAR: f64 = 1.2;

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for path in Programs::within(FOLDER) {
        for (criterion, exhaustive) in CRITERIA {
            let file = path.rsplit('/').next().unwrap_or(path);
            let name = file.strip_suffix(".c").unwrap_or(file);
            let title = format!("{name}, {criterion}");
            if context.wants(&title) {
                rows.push(compare(
                    context,
                    (path, name),
                    (criterion, exhaustive),
                    title,
                )?);
            }
        }
    }
    Ok(Table {
        name: "criteria",
        title: "Criteria with their strategies and depth-first".to_owned(),
        columns: vec![
            Column::new("program", "program"),
            Column::new("exhaustive_queries", "solver calls, dfs"),
            Column::new("exhaustive_executions", "executions, dfs"),
            Column::new("queries", "solver calls"),
            Column::new("executions", "executions"),
            Column::new("infeasible", "infeasible partial paths"),
            Column::new("redundant", "redundant executions"),
            Column::new("tests", "tests"),
            Column::new("seconds", "s"),
            Column::new("met", "met"),
        ],
        rows,
        notes: vec![format!(
            "Depth-first: `--strategy dfs`, and all paths where the criterion asks for abstract ones. \
             Provers are off. Met: the criterion is decided, with at most {BAR} times the solver calls \
             of depth-first search."
        )],
    })
}

fn compare(
    context: &Context<'_>,
    (path, name): (&str, &str),
    (criterion, exhaustive): (&str, &str),
    title: String,
) -> Result<Vec<Cell>, Failure> {
    let search = |criterion: &str, depth_first: Option<StrategyName>| {
        let words = format!("-f {name} --criterion {criterion} --prove off --fuzz off");
        let mut job = context.load(path, &words, "")?;
        let strategy = depth_first.map_or_else(|| job.own_strategy(), Ok)?;
        context.measure(&title, &mut job, strategy, SECONDS)
    };
    let other = search(exhaustive, Some(StrategyName::DepthFirst))?;
    let own = search(criterion, None)?;
    let queries = |measured: &Measured| measured.suite().statistics.solver_queries;
    let executions = |measured: &Measured| measured.suite().statistics.iterations;
    let counts = own
        .suite()
        .statistics
        .abstract_paths
        .clone()
        .unwrap_or_default();
    let is_fewer = queries(&own) as f64 <= queries(&other) as f64 * BAR;
    let is_decided = own.suite().exhausted || own.suite().complete();
    Ok(vec![
        Cell::text(title.as_str()),
        Cell::Count(queries(&other)),
        Cell::Count(executions(&other)),
        Cell::Count(queries(&own)),
        Cell::Count(executions(&own)),
        Cell::Count(counts.infeasible),
        Cell::Count(counts.redundant),
        Cell::Count(own.suite().tests.len() as u64),
        Cell::Figure(own.seconds()),
        Cell::Met(is_decided && is_fewer),
    ])
}
