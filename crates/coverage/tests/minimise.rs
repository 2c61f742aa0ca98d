//! Tests that add nothing are dropped.

use coverage::{GoalId, minimise};

fn ids(numbers: &[u32]) -> Vec<GoalId> {
    numbers
        .iter()
        .map(|&number| GoalId::from_raw(number))
        .collect()
}

fn kept(claims: &[&[u32]]) -> Vec<usize> {
    let claims: Vec<Vec<GoalId>> = claims.iter().map(|claim| ids(claim)).collect();
    minimise(&claims)
}

#[test]
fn tests_that_add_nothing_are_dropped() {
    assert_eq!(kept(&[]), [] as [usize; 0]);
    assert_eq!(kept(&[&[]]), [] as [usize; 0]);
    assert_eq!(kept(&[&[0], &[0, 1], &[1]]), [1]);
    assert_eq!(kept(&[&[0, 0], &[0]]), [0]);
    // The greedy choice {1, 2, 3} comes first and is redundant in the end.
    assert_eq!(kept(&[&[1, 2, 3], &[0, 1, 2], &[3, 4]]), [1, 2]);
}

proptest::proptest! {
    #[test]
    fn what_is_kept_reaches_everything_and_nothing_is_redundant(
        claims in proptest::collection::vec(proptest::collection::vec(0u32..12, 0..6), 0..14)
    ) {
        let claims: Vec<Vec<GoalId>> = claims.iter().map(|claim| ids(claim)).collect();
        let reached = |tests: &[usize]| -> std::collections::BTreeSet<GoalId> {
            tests.iter().flat_map(|&test| claims[test].iter().copied()).collect()
        };
        let all: Vec<usize> = (0..claims.len()).collect();
        let kept = minimise(&claims);
        assert_eq!(reached(&kept), reached(&all));
        for dropped in &kept {
            let others: Vec<usize> = kept.iter().copied().filter(|test| test != dropped).collect();
            assert_ne!(reached(&others), reached(&kept));
        }
    }
}
