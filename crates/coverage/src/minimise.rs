//! Test suite reduction: greedy set cover, then removal of tests that later choices made redundant.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::GoalId;

/// The tests to keep, given the goals that each reaches: together they reach all that all tests
/// reach, and each reaches one that no other kept test does. The positions are in increasing order;
/// of equal tests, the earlier is kept.
pub fn minimise(claims: &[Vec<GoalId>]) -> Vec<usize> {
    let mut kept = greedy(claims);
    let mut uses: FxHashMap<GoalId, u32> = FxHashMap::default();
    for &test in &kept {
        for goal in distinct(&claims[test]) {
            *uses.entry(goal).or_insert(0) += 1;
        }
    }
    // Early choices reach most, but later ones may make them redundant; those that reach least
    // are tried first.
    let mut order = kept.clone();
    order.sort_by_key(|&test| (distinct(&claims[test]).len(), Reverse(test)));
    for test in order {
        let goals = distinct(&claims[test]);
        if goals.iter().all(|goal| uses[goal] > 1) {
            for goal in goals {
                uses.entry(goal).and_modify(|count| *count -= 1);
            }
            kept.retain(|&other| other != test);
        }
    }
    kept.sort_unstable();
    kept
}

/// Takes the test that reaches most goals not yet reached, until none reaches any.
fn greedy(claims: &[Vec<GoalId>]) -> Vec<usize> {
    let mut reached: FxHashSet<GoalId> = FxHashSet::default();
    let mut kept = Vec::new();
    // The gain of a test only shrinks, so the one in the heap is an upper bound.
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> = claims
        .iter()
        .enumerate()
        .map(|(test, goals)| (distinct(goals).len(), Reverse(test)))
        .collect();
    while let Some((_, Reverse(test))) = heap.pop() {
        let new: Vec<GoalId> = distinct(&claims[test])
            .into_iter()
            .filter(|goal| !reached.contains(goal))
            .collect();
        let now = (new.len(), Reverse(test));
        if new.is_empty() {
            continue;
        }
        if heap.peek().is_some_and(|best| *best > now) {
            heap.push(now);
            continue;
        }
        reached.extend(new);
        kept.push(test);
    }
    kept
}

fn distinct(goals: &[GoalId]) -> FxHashSet<GoalId> {
    goals.iter().copied().collect()
}
