//! Cut points: the places between which code has no loop, but loops of few rounds.
//!
//! They are the start of the entry function, and for each cycle of the unfolded graph one point on
//! it: the places of the edges that lead back in a depth-first walk (a feedback vertex set, for
//! loops made by `goto` too). Heads of loops of few rounds are none. The code from one cut to the
//! next ones is a *segment*.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;

use crate::graph::schedule::{Item, schedule};
use crate::graph::unfolding::Point;

index_vec::define_index_type! {
    /// A cut point of a [`Cuts`].
    pub struct CutId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// The cut points of a graph.
#[derive(Clone, Debug)]
pub struct Cuts {
    /// The loop heads, behind the start of the graph.
    points: IndexVec<CutId, Point>,
    numbers: IndexVec<Point, Option<CutId>>,
}

impl Cuts {
    /// The cut points of what can be reached from a point, without the heads of some loops.
    pub fn new(graph: &Graph<Point>, start: Point, short: &BTreeSet<Point>) -> Cuts {
        let mut cuts = Cuts {
            points: IndexVec::from_vec(vec![start]),
            numbers: IndexVec::from_vec(vec![None; graph.len()]),
        };
        for head in heads(graph, start).difference(short) {
            cuts.numbers[*head] = Some(cuts.points.push(*head));
        }
        cuts
    }

    /// The cut at which executions start: no edge leads to it.
    pub fn start(&self) -> CutId {
        CutId::from_raw(0)
    }

    /// The loop head that a point is.
    pub fn at(&self, point: Point) -> Option<CutId> {
        self.numbers[point]
    }

    /// The point of a cut.
    pub fn point(&self, cut: CutId) -> Point {
        self.points[cut]
    }

    /// All cuts, the start first.
    pub fn iter(&self) -> impl Iterator<Item = CutId> + use<> {
        (0..self.points.len()).map(CutId::from_usize)
    }

    /// The points of the segment from a cut, in the order of their execution. If control enters a loop
    /// in it at several points, these points.
    pub fn segment(&self, graph: &Graph<Point>, cut: CutId) -> Result<Vec<Item>, BTreeSet<Point>> {
        let first = self.point(cut);
        match cut == self.start() && self.at(first).is_some() {
            true => Ok(Vec::new()),
            false => schedule(graph, first, |point| {
                point == first || self.at(point).is_some()
            }),
        }
    }
}

/// The points to which an edge leads back from a point that the walk came to through them.
pub fn heads(graph: &Graph<Point>, start: Point) -> BTreeSet<Point> {
    let mut seen = FixedBitSet::with_capacity(graph.len());
    let mut active = FixedBitSet::with_capacity(graph.len());
    let mut heads = BTreeSet::new();
    let mut stack = vec![(start, 0)];
    seen.insert(start.index());
    active.insert(start.index());
    while let Some((point, tried)) = stack.pop() {
        match graph.successors(point).get(tried) {
            Some(&next) => {
                stack.push((point, tried + 1));
                if active.contains(next.index()) {
                    heads.insert(next);
                } else if !seen.put(next.index()) {
                    active.insert(next.index());
                    stack.push((next, 0));
                }
            }
            None => active.set(point.index(), false),
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> Graph<Point> {
        let next = |all: &&[u32]| all.iter().map(|&to| Point::from_raw(to)).collect();
        Graph::of(edges.iter().map(next).collect())
    }

    fn points(numbers: &[u32]) -> Vec<Point> {
        numbers
            .iter()
            .map(|&number| Point::from_raw(number))
            .collect()
    }

    fn items(numbers: &[u32]) -> Vec<Item> {
        points(numbers).into_iter().map(Item::Point).collect()
    }

    #[test]
    fn heads_of_nested_loops_are_cuts() {
        // 0 → 1 → 2 → 2, 2 → 1, 1 → 3
        let graph = graph(&[&[1], &[2, 3], &[2, 1], &[]]);
        let cuts = Cuts::new(&graph, Point::from_raw(0), &BTreeSet::new());
        let found: Vec<Point> = cuts.iter().map(|cut| cuts.point(cut)).collect();
        assert_eq!(found, points(&[0, 1, 2]));
        assert_eq!(cuts.segment(&graph, cuts.start()), Ok(items(&[0])));
        let head = CutId::from_raw(1);
        assert_eq!(cuts.segment(&graph, head), Ok(items(&[1, 3])));
    }

    #[test]
    fn a_loop_with_two_entries_is_cut() {
        // 0 → 1, 0 → 2, 1 → 2, 2 → 1, 2 → 3
        let graph = graph(&[&[1, 2], &[2], &[1, 3], &[]]);
        let cuts = Cuts::new(&graph, Point::from_raw(0), &BTreeSet::new());
        assert_eq!(cuts.iter().count(), 2);
        let all = points(&[0, 1, 2, 3]);
        for &point in &all {
            let reached = graph.walk(graph.successors(point).to_vec(), |next| {
                cuts.at(next).is_none()
            });
            let returns = reached
                .filter(|_| cuts.at(point).is_none())
                .any(|next| next == point);
            assert!(!returns, "a cycle through {point:?} has no cut");
        }
    }

    #[test]
    fn the_start_may_be_a_head() {
        // 0 → 0, 0 → 1
        let graph = graph(&[&[0, 1], &[]]);
        let cuts = Cuts::new(&graph, Point::from_raw(0), &BTreeSet::new());
        assert_eq!(cuts.iter().count(), 2);
        assert_eq!(cuts.segment(&graph, cuts.start()), Ok(items(&[])));
        let head = CutId::from_raw(1);
        assert_eq!(cuts.segment(&graph, head), Ok(items(&[0, 1])));
    }
}
