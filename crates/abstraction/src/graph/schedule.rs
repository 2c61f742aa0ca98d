//! The order in which the points of a segment are executed: each behind those that lead to it, and
//! the loops of few rounds that it holds as wholes ("weak topological order": Bourdoncle 1993).

use std::collections::{BTreeMap, BTreeSet};

use index_vec::IndexVec;
use ir::graph::Graph;

use crate::graph::unfolding::Point;

/// A point, or a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A point.
    Point(Point),
    /// A loop.
    Loop(Loop),
}

/// A loop that control enters at one point only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// That point.
    pub head: Point,
    /// Its points, the head first.
    pub body: Vec<Item>,
    /// The points of it from which an edge leaves it.
    pub exits: Vec<Point>,
}

/// The order of the points to which control comes from the first one, which no edge leads back to,
/// without passing a point that `ends` the segment. If control enters a loop at several points, these
/// points.
pub fn schedule(
    graph: &Graph<Point>,
    first: Point,
    ends: impl Fn(Point) -> bool,
) -> Result<Vec<Item>, BTreeSet<Point>> {
    let mut points = BTreeSet::from([first]);
    let mut waiting = vec![first];
    while let Some(point) = waiting.pop() {
        for &next in graph.successors(point) {
            if !ends(next) && points.insert(next) {
                waiting.push(next);
            }
        }
    }
    Part {
        graph,
        points,
        entry: first,
    }
    .arranged()
}

/// Points that control enters at one of them, with the edges between them but those to that one.
struct Part<'a> {
    graph: &'a Graph<Point>,
    points: BTreeSet<Point>,
    entry: Point,
}

impl Part<'_> {
    fn successors(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        let all = self.graph.successors(point).iter().copied();
        all.filter(|next| *next != self.entry && self.points.contains(next))
    }

    fn arranged(&self) -> Result<Vec<Item>, BTreeSet<Point>> {
        let components = self.components();
        components.into_iter().map(|it| self.item(it)).collect()
    }

    /// The strongly connected components, each before those that edges lead to from it.
    fn components(&self) -> Vec<BTreeSet<Point>> {
        let points: Vec<Point> = self.points.iter().copied().collect();
        let numbers: BTreeMap<Point, Point> = points
            .iter()
            .enumerate()
            .map(|(number, &point)| (point, Point::from_usize(number)))
            .collect();
        let local = |&point: &Point| self.successors(point).map(|next| numbers[&next]).collect();
        let successors: IndexVec<Point, Vec<Point>> = points.iter().map(local).collect();
        let components = Graph::of(successors).components().into_iter().rev();
        let global = |all: Vec<Point>| all.into_iter().map(|it| points[it.index()]).collect();
        components.map(global).collect()
    }

    fn item(&self, points: BTreeSet<Point>) -> Result<Item, BTreeSet<Point>> {
        let first = points.first().copied().unwrap_or(self.entry);
        if points.len() <= 1 && self.successors(first).all(|next| next != first) {
            return Ok(Item::Point(first));
        }
        let outside = self.points.iter().filter(|point| !points.contains(point));
        let entered = outside.flat_map(|&point| self.successors(point));
        let entries: BTreeSet<Point> = entered.filter(|next| points.contains(next)).collect();
        let (Some(&head), 1) = (entries.first(), entries.len()) else {
            return Err(entries);
        };
        let leaves = |point: &&Point| {
            let mut next = self.graph.successors(**point).iter();
            next.any(|next| !points.contains(next))
        };
        let exits = points.iter().filter(leaves).copied().collect();
        let inside = Part {
            graph: self.graph,
            points,
            entry: head,
        };
        Ok(Item::Loop(Loop {
            head,
            body: inside.arranged()?,
            exits,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> Graph<Point> {
        let next = |all: &&[u32]| all.iter().map(|&to| Point::from_raw(to)).collect();
        Graph::of(edges.iter().map(next).collect())
    }

    fn point(number: u32) -> Item {
        Item::Point(Point::from_raw(number))
    }

    fn looping(head: u32, body: Vec<Item>, exits: &[u32]) -> Item {
        Item::Loop(Loop {
            head: Point::from_raw(head),
            body,
            exits: exits.iter().map(|&exit| Point::from_raw(exit)).collect(),
        })
    }

    #[test]
    fn loops_come_as_wholes_before_what_is_behind_them() {
        // 0 → 1, 1 → 2, 1 → 4, 2 → 2, 2 → 3, 3 → 1
        let graph = graph(&[&[1], &[2, 4], &[2, 3], &[1], &[]]);
        let found = schedule(&graph, Point::from_raw(0), |_| false);
        let inner = looping(2, vec![point(2)], &[2]);
        let outer = looping(1, vec![point(1), inner, point(3)], &[1]);
        assert_eq!(found, Ok(vec![point(0), outer, point(4)]));
    }

    #[test]
    fn a_cut_ends_the_segment() {
        // 0 → 1, 1 → 1, 1 → 2
        let graph = graph(&[&[1], &[1, 2], &[]]);
        let is_cut = |point: Point| point.raw() == 1;
        let from_start = schedule(&graph, Point::from_raw(0), is_cut);
        assert_eq!(from_start, Ok(vec![point(0)]));
        let from_cut = schedule(&graph, Point::from_raw(1), is_cut);
        assert_eq!(from_cut, Ok(vec![point(1), point(2)]));
    }

    #[test]
    fn a_loop_with_two_entries_has_no_order() {
        // 0 → 1, 0 → 2, 1 → 2, 2 → 1
        let graph = graph(&[&[1, 2], &[2], &[1]]);
        let entries = [1, 2].map(Point::from_raw);
        let found = schedule(&graph, Point::from_raw(0), |_| false);
        assert_eq!(found, Err(BTreeSet::from(entries)));
    }
}
