//! Data structures, in the shape of the CUTE paper's figure 11: all functions of each unit, with
//! preconditions.

use coverage::{GoalStatus, Suite};
use explore::StrategyName;

use crate::commands::bench::context::Context;
use crate::commands::bench::job::annotated;
use crate::commands::bench::programs::Programs;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// A unit, with the paper's figures for one of its kind: seconds, iterations and coverage in
/// percent.
struct Row {
    name: &'static str,
    paper: Option<(f64, u64, f64)>,
    /// Seconds that all searches together may take.
    bar: f64,
}

const ROWS: [Row; 10] = [
    Row {
        name: "array_quick_sort",
        paper: Some((2.0, 732, 97.73)),
        bar: 5.0,
    },
    Row {
        name: "array_heap_sort",
        paper: Some((4.0, 1764, 100.0)),
        bar: 5.0,
    },
    Row {
        name: "singly_linked_list",
        paper: Some((2.0, 570, 96.15)),
        bar: 5.0,
    },
    Row {
        name: "sorted_list",
        paper: Some((2.0, 1020, 96.49)),
        bar: 5.0,
    },
    Row {
        name: "doubly_linked_list",
        paper: Some((3.0, 1317, 99.12)),
        bar: 5.0,
    },
    Row {
        name: "hash_table",
        paper: Some((1.0, 193, 85.19)),
        bar: 5.0,
    },
    Row {
        name: "red_black_tree_ops",
        paper: Some((2629.0, 1_000_000, 71.18)),
        bar: 30.0,
    },
    Row {
        name: "binary_heap",
        paper: None,
        bar: 5.0,
    },
    Row {
        name: "queue",
        paper: None,
        bar: 5.0,
    },
    Row {
        name: "trie",
        paper: None,
        bar: 5.0,
    },
];

/// Programs with a defect like those that the paper found.
const DEFECTS: [&str; 3] = ["concatenate_empty", "hash_twice", "leak_early_return"];

/// How they are searched for: as the paper does it.
const DEFECT_STRATEGY: StrategyName = StrategyName::DepthFirst;

/// Seconds in which each of these defects is to be found.
const DEFECT_BAR: f64 = 1.0;

/// Seconds that each search may take.
const SECONDS: u64 = 30;

/// The totals of the searches of one row.
#[derive(Default)]
struct Sum {
    functions: u64,
    goals: usize,
    covered: usize,
    proved: usize,
    defects: u64,
    iterations: u64,
    seconds: f64,
    /// Queries, and those that the links without search answered.
    queries: (u64, u64),
    /// Constraints of queries at first, and when they had been cut down.
    constraints: (u64, u64),
}

impl Sum {
    fn add(&mut self, suite: &Suite) {
        let count = |wanted: fn(&GoalStatus) -> bool| {
            let goals = suite.asked_for();
            goals.filter(|goal| wanted(&goal.status)).count()
        };
        self.functions += 1;
        self.goals += suite.asked_for().count();
        self.covered += count(|status| matches!(status, GoalStatus::Covered(_)));
        self.proved += count(|status| {
            matches!(
                status,
                GoalStatus::Unreachable(_) | GoalStatus::UnreachableWithin(_)
            )
        });
        self.defects += suite.defects.len() as u64;
        self.iterations += suite.statistics.iterations;
        self.seconds += suite.statistics.seconds;
        for link in &suite.statistics.solver_links {
            match link.name.as_str() {
                "trivial" => {
                    self.queries.0 += link.queries;
                    self.queries.1 += link.answered;
                    self.constraints.0 += link.constraints;
                }
                "conjuncts" => self.queries.1 += link.answered,
                "cache" => self.constraints.1 += link.constraints,
                _ => {}
            }
        }
    }

    /// How many of the queries needed no solver.
    fn answered_early(&self) -> f64 {
        100.0 * self.queries.1 as f64 / self.queries.0.max(1) as f64
    }

    /// How many of the constraints no solver saw.
    fn left_out(&self) -> f64 {
        100.0 - 100.0 * self.constraints.1 as f64 / self.constraints.0.max(1) as f64
    }
}

/// Measures the table.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for row in &ROWS {
        if context.wants(row.name) {
            rows.push(unit(context, row)?);
        }
    }
    for name in DEFECTS {
        if context.wants(name) {
            rows.push(defect(context, name)?);
        }
    }
    Ok(Table {
        name: "structures",
        title: "Data structures, as in the CUTE paper's figure 11".to_owned(),
        columns: vec![
            Column::new("program", "unit"),
            Column::new("paper_seconds", "CUTE s"),
            Column::new("paper_iterations", "CUTE iterations"),
            Column::new("paper_coverage", "CUTE %"),
            Column::new("functions", "functions"),
            Column::new("coverage", "sides covered"),
            Column::new("unreachable", "proved unreachable"),
            Column::new("iterations", "iterations"),
            Column::new("bar", "meant s"),
            Column::new("seconds", "attest s"),
            Column::new("met", "bar"),
            Column::new("optimisation_1", "OPT 1 %"),
            Column::new("optimisations_2_3", "OPT 2 & 3 %"),
            Column::new("defects", "defects"),
        ],
        rows,
        notes: vec![
            "The paper's figures are for SGLIB on a 1.7 GHz Xeon; these are units of our own of the same \
             kinds, each function under its precondition. The last rows have a defect, at \
             which the search ends; it is depth-first there, as the paper's is."
                .to_owned(),
        ],
    })
}

fn unit(context: &Context<'_>, row: &Row) -> Result<Vec<Cell>, Failure> {
    let path = format!("bench/programs/structures/{}.c", row.name);
    let mut job = context.load(&path, "", "")?;
    let mut sum = Sum::default();
    for function in job.functions()? {
        job.turn_to(function);
        let measured = context.measure(row.name, &mut job, StrategyName::default(), SECONDS)?;
        sum.add(measured.suite());
    }
    let is_met = sum.seconds <= row.bar && sum.covered + sum.proved == sum.goals;
    Ok(cells(row.name, row.paper, row.bar, &sum, is_met))
}

fn defect(context: &Context<'_>, name: &str) -> Result<Vec<Cell>, Failure> {
    let path = format!("bench/programs/structures/defects/{name}.c");
    let (words, flags) = annotated(Programs::text(&path))?;
    let mut job = context.load(&path, &format!("{words} --stop-on-defect"), &flags)?;
    let measured = context.measure(name, &mut job, DEFECT_STRATEGY, SECONDS)?;
    let mut sum = Sum::default();
    sum.add(measured.suite());
    let is_met = sum.defects > 0 && sum.seconds <= DEFECT_BAR;
    Ok(cells(name, None, DEFECT_BAR, &sum, is_met))
}

fn cells(
    name: &str,
    paper: Option<(f64, u64, f64)>,
    bar: f64,
    sum: &Sum,
    is_met: bool,
) -> Vec<Cell> {
    let (seconds, iterations, coverage) = match paper {
        Some((seconds, iterations, coverage)) => (
            Cell::Figure(seconds),
            Cell::Count(iterations),
            Cell::Figure(coverage),
        ),
        None => (Cell::Nothing, Cell::Nothing, Cell::Nothing),
    };
    vec![
        Cell::text(name),
        seconds,
        iterations,
        coverage,
        Cell::Count(sum.functions),
        Cell::Part(sum.covered, sum.goals),
        Cell::Count(sum.proved as u64),
        Cell::Count(sum.iterations),
        Cell::Figure(bar),
        Cell::Figure(sum.seconds),
        Cell::Met(is_met),
        Cell::Figure(sum.answered_early()),
        Cell::Figure(sum.left_out()),
        Cell::Count(sum.defects),
    ]
}
