//! `empty-else` and `max-iterations`: the paths that no other one dominates, held to native runs over all
//! inputs.

#[path = "support/attest.rs"]
#[expect(dead_code)] // nothing is refused here
mod attest;
#[path = "support/native.rs"]
mod native;
#[path = "support/ordered_paths.rs"]
mod ordered_paths;
#[path = "support/small_inputs.rs"]
mod small_inputs;
#[path = "support/suite.rs"]
mod suite;

use std::collections::BTreeSet;

use attest::Folder;
use fastrand::Rng;
use ordered_paths::{Order, Path};

/// How many random functions are searched.
const FUNCTIONS: u64 = 40;

/// The paths that the 64 inputs take.
fn judged(folder: &Folder) -> Vec<Path> {
    let lines = native::judged(folder, ordered_paths::JUDGE, &[]);
    lines.lines().map(Path::read).collect()
}

/// The inputs of the tests, and how many paths are covered.
fn search(folder: &Folder, criterion: &str) -> (Vec<usize>, u64) {
    let (run, suite, inputs) = small_inputs::search(folder, criterion);
    run.says(&["no others are feasible"]);
    let covered = &suite["statistics"]["abstract_paths"]["covered"];
    (inputs, covered.as_u64().expect("a count"))
}

#[test]
fn the_tests_take_the_paths_that_no_other_one_dominates() {
    let mut rng = Rng::with_seed(2010);
    let mut fewer = [0, 0];
    for number in 0..FUNCTIONS {
        let text = ordered_paths::function(&mut rng);
        let folder = Folder::with("x.c", &text);
        let paths = judged(&folder);
        let all: BTreeSet<&Path> = paths.iter().collect();
        let orders = [
            ("empty-else", Order::EmptyElse),
            ("max-iterations", Order::MaxIterations),
        ];
        for (at, (criterion, order)) in orders.into_iter().enumerate() {
            let is_maximal =
                |path: &&&Path| !all.iter().any(|other| path.is_dominated_by(other, order));
            let maximal: BTreeSet<&Path> = all.iter().filter(is_maximal).copied().collect();
            let (inputs, covered) = search(&folder, criterion);
            let found: BTreeSet<&Path> = inputs.iter().map(|&input| &paths[input]).collect();
            let told = format!("{criterion} of function {number}:\n{text}");
            assert!(found == maximal, "{found:#?}\n{maximal:#?}\n{told}");
            assert_eq!(inputs.len(), maximal.len(), "{told}");
            assert_eq!(covered as usize, maximal.len(), "{told}");
            fewer[at] += usize::from(maximal.len() < all.len());
        }
    }
    assert!(
        fewer.iter().all(|&it| it > FUNCTIONS as usize / 4),
        "only {fewer:?} functions have paths that others dominate"
    );
}
