//! The goals, tests and defects of a package, counted.

use std::collections::BTreeMap;

use emit::SuiteRecord;
use emit::record::{DefectRecord, OutcomeRecord, StatusRecord};

use super::Covered;

/// What is counted of a package.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub goals: usize,
    pub covered: usize,
    pub unreachable: usize,
    pub unreachable_within: usize,
    pub undecided: usize,
    /// The tests that show no defect.
    pub tests: usize,
    /// Places of certain defects, by kind.
    pub certain: BTreeMap<String, usize>,
    /// Places of the other defects, by assumption; a place with several counts for each.
    pub assumed: BTreeMap<String, usize>,
    /// Places of the other defects.
    pub assumed_places: usize,
    /// Functions that end with exit status 4, or that could not be covered.
    pub failed: usize,
}

/// What tells defects of a package apart: kind, file, line and column.
pub type Place = (String, String, u32, u32);

/// Counts what a run left. A defect of a place that several functions reach counts once, with the
/// fewest assumptions.
pub fn counts(covered: &Covered) -> Counts {
    let mut counts = Counts {
        failed: covered.summary.failed.len(),
        ..Counts::default()
    };
    let functions = covered.summary.functions.iter();
    counts.failed += functions.filter(|line| line.exit_status == 4).count();
    let mut places: BTreeMap<Place, &DefectRecord> = BTreeMap::new();
    for (_, suite) in &covered.suites {
        add_goals(suite, &mut counts);
        let shows = |outcome: &OutcomeRecord| matches!(outcome, OutcomeRecord::Defect);
        let tests = suite.tests.iter();
        counts.tests += tests.filter(|test| !shows(&test.outcome)).count();
        for defect in &suite.defects {
            let known = places.entry(place(defect)).or_insert(defect);
            if defect.assumptions.len() < known.assumptions.len() {
                *known = defect;
            }
        }
    }
    for ((kind, ..), defect) in places {
        match defect.assumptions.as_slice() {
            [] => *counts.certain.entry(kind).or_default() += 1,
            assumptions => {
                counts.assumed_places += 1;
                for assumption in assumptions {
                    *counts.assumed.entry(assumption.clone()).or_default() += 1;
                }
            }
        }
    }
    counts
}

/// The place of a defect.
pub fn place(defect: &DefectRecord) -> Place {
    let place = defect.place.as_ref();
    place.map_or_else(
        || (defect.kind.clone(), String::new(), 0, 0),
        |place| {
            (
                defect.kind.clone(),
                place.file.clone(),
                place.line,
                place.column,
            )
        },
    )
}

fn add_goals(suite: &SuiteRecord, counts: &mut Counts) {
    for goal in suite.goals.iter().filter(|goal| !goal.auxiliary) {
        counts.goals += 1;
        let count = match &goal.status {
            StatusRecord::Covered { .. } => &mut counts.covered,
            StatusRecord::Unreachable { .. } => &mut counts.unreachable,
            StatusRecord::UnreachableWithin { .. } => &mut counts.unreachable_within,
            StatusRecord::Undecided(_) => &mut counts.undecided,
        };
        *count += 1;
    }
}

impl Counts {
    /// The sum with another package.
    pub fn add(&mut self, other: &Counts) {
        self.goals += other.goals;
        self.covered += other.covered;
        self.unreachable += other.unreachable;
        self.unreachable_within += other.unreachable_within;
        self.undecided += other.undecided;
        self.tests += other.tests;
        self.assumed_places += other.assumed_places;
        self.failed += other.failed;
        for (sum, more) in [
            (&mut self.certain, &other.certain),
            (&mut self.assumed, &other.assumed),
        ] {
            for (kind, count) in more {
                *sum.entry(kind.clone()).or_default() += count;
            }
        }
    }
}
