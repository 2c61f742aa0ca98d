//! A sample of the certain defects of packages, for people to judge.

use crate::commands::bench::context::Context;
use crate::commands::bench::project::{self, PACKAGES, Package, Place};
use crate::commands::bench::random::Random;
use crate::commands::bench::table::{Cell, Column, Table};
use crate::failure::Failure;

/// How many are drawn, if there are so many.
const SAMPLE: usize = 40;
/// The seed that they are drawn with.
const SEED: u64 = 1;

/// A certain defect of a package.
struct Found {
    package: &'static Package,
    place: Place,
    /// The position of its function among those of the package, and its own there.
    function: usize,
    number: usize,
}

/// Draws the sample from what `bench projects` left.
pub fn table(context: &mut Context<'_>) -> Result<Table, Failure> {
    let mut all = Vec::new();
    for package in &PACKAGES {
        if context.wants(package.name) {
            all.extend(certain(package)?);
        }
    }
    let count = all.len();
    let sample = sample(all);
    let rows = sample
        .iter()
        .map(row)
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(Table {
        name: "certain-defects",
        title: "Certain defects of Debian packages".to_owned(),
        columns: vec![
            Column::new("program", "package"),
            Column::new("function", "function"),
            Column::new("place", "place"),
            Column::new("kind", "kind"),
            Column::new("message", "message"),
            Column::new("inputs", "inputs"),
            Column::new("report", "under sanitizers"),
        ],
        rows,
        notes: vec![format!(
            "Drawn from {count} places by the seed {SEED}, at most {SAMPLE}, from the results that \
             `attest bench projects` left."
        )],
    })
}

/// The places of certain defects of a package, each with the first function that leads there.
fn certain(package: &'static Package) -> Result<Vec<Found>, Failure> {
    let covered = project::results(package)?;
    let mut found: Vec<Found> = Vec::new();
    for (function, (_, suite)) in covered.suites.iter().enumerate() {
        for (number, defect) in suite.defects.iter().enumerate() {
            let place = project::place(defect);
            let is_known = found.iter().any(|known| known.place == place);
            if defect.assumptions.is_empty() && !is_known {
                found.push(Found {
                    package,
                    place,
                    function,
                    number,
                });
            }
        }
    }
    Ok(found)
}

/// Some of them, in the order of packages and places.
fn sample(all: Vec<Found>) -> Vec<Found> {
    let mut all = draw(all);
    all.sort_by(|one, other| {
        let key = |found: &Found| (found.package.name, found.place.clone());
        key(one).cmp(&key(other))
    });
    all
}

/// At most so many as the sample has.
fn draw<T>(mut all: Vec<T>) -> Vec<T> {
    let mut random = Random::new(SEED);
    while all.len() > SAMPLE {
        let left_out = random.below(all.len());
        all.remove(left_out);
    }
    all
}

fn row(found: &Found) -> Result<Vec<Cell>, Failure> {
    let covered = project::results(found.package)?;
    let (folder, suite) = &covered.suites[found.function];
    let defect = &suite.defects[found.number];
    let (kind, file, line, column) = &found.place;
    let inputs = suite.tests.get(defect.test).map(|test| {
        let inputs = test.inputs.iter();
        let inputs = inputs.map(|(path, value)| format!("{path} = {value}"));
        inputs.collect::<Vec<String>>().join(", ")
    });
    let report = project::report(folder, &suite.function, defect);
    Ok(vec![
        Cell::text(found.package.name),
        Cell::text(&suite.function),
        Cell::text(format!("{file}:{line}:{column}")),
        Cell::text(kind),
        Cell::text(&defect.message),
        inputs.map_or(Cell::Nothing, Cell::Text),
        report.map_or(Cell::Nothing, Cell::Text),
    ])
}

#[cfg(test)]
mod tests {
    use super::{SAMPLE, draw};

    #[test]
    fn a_sample_is_the_same_each_time() {
        let drawn = draw((0..100).collect::<Vec<u32>>());
        assert_eq!(drawn.len(), SAMPLE);
        assert!(drawn.is_sorted());
        assert_eq!(drawn, draw((0..100).collect()));
        assert_eq!(draw(vec![1, 2]), [1, 2]);
    }
}
