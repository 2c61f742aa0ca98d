//! Difference constraints over integers, as a graph (Bellman and Ford).

/// `node(to) - node(from) <= most`, for the reasons given.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) most: i128,
    /// Positions of the constraints that it follows from.
    pub(super) reasons: Vec<usize>,
}

/// Differences that are bounded. Node 0 is the number zero.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) nodes: usize,
    pub(super) edges: Vec<Edge>,
}

/// The greatest possible distance of each node from a node, and its last edge; `None` is unbounded.
pub(super) struct Distances {
    to: Vec<Option<i128>>,
    by: Vec<Option<usize>>,
}

impl Graph {
    /// Values for all nodes, each at most its start value unless zero had to move, or the
    /// constraints that cannot hold together.
    pub(super) fn solve(&self, start: Vec<i128>) -> Result<Vec<i128>, Vec<usize>> {
        let mut values = start;
        let mut by = vec![None; self.nodes];
        for _ in 0..=self.nodes {
            let mut changed = None;
            for (at, edge) in self.edges.iter().enumerate() {
                let most = values[edge.from] + edge.most;
                if most < values[edge.to] {
                    values[edge.to] = most;
                    by[edge.to] = Some(at);
                    changed = Some(edge.to);
                }
            }
            if changed.is_none() {
                let zero = values[0];
                return Ok(values.into_iter().map(|value| value - zero).collect());
            }
            if let Some(cycle) = self.cycle(&by) {
                return Err(cycle);
            }
        }
        // More rounds than nodes need a cycle, which each round looks for.
        Err((0..self.edges.len())
            .flat_map(|at| self.edges[at].reasons.clone())
            .collect())
    }

    /// The reasons along a cycle of last edges: the sum of its bounds is negative.
    fn cycle(&self, by: &[Option<usize>]) -> Option<Vec<usize>> {
        let mut seen = vec![usize::MAX; self.nodes];
        for start in 0..self.nodes {
            let mut at = start;
            while seen[at] == usize::MAX {
                seen[at] = start;
                match by[at] {
                    Some(edge) => at = self.edges[edge].from,
                    None => break,
                }
            }
            // The walk came back to where it had been.
            if seen[at] == start && by[at].is_some() {
                return Some(self.reasons_back_to(at, at, by));
            }
        }
        None
    }

    /// The reasons of the last edges from `to` back to `from`, of one at least.
    fn reasons_back_to(&self, from: usize, to: usize, by: &[Option<usize>]) -> Vec<usize> {
        let mut reasons = Vec::new();
        let mut at = to;
        while let Some(edge) = by[at] {
            reasons.extend(&self.edges[edge].reasons);
            at = self.edges[edge].from;
            if at == from {
                break;
            }
        }
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// The shortest distances from a node; with `backwards`, to it. The graph has a solution.
    pub(super) fn distances(&self, node: usize, backwards: bool) -> Distances {
        let mut distances = Distances {
            to: vec![None; self.nodes],
            by: vec![None; self.nodes],
        };
        distances.to[node] = Some(0);
        for _ in 0..self.nodes {
            let mut changed = false;
            for (at, edge) in self.edges.iter().enumerate() {
                let (from, to) = ends(edge, backwards);
                let Some(so_far) = distances.to[from] else {
                    continue;
                };
                let through = so_far + edge.most;
                if distances.to[to].is_none_or(|known| through < known) {
                    distances.to[to] = Some(through);
                    distances.by[to] = Some(at);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        distances
    }

    /// A node's distance, if it is bounded, with the reasons.
    pub(super) fn bound(
        &self,
        distances: &Distances,
        node: usize,
        backwards: bool,
    ) -> Option<(i128, Vec<usize>)> {
        let distance = distances.to[node]?;
        let mut reasons = Vec::new();
        let mut at = node;
        while let Some(edge) = distances.by[at] {
            let edge = &self.edges[edge];
            reasons.extend(&edge.reasons);
            at = ends(edge, backwards).0;
        }
        Some((distance, reasons))
    }
}

fn ends(edge: &Edge, backwards: bool) -> (usize, usize) {
    match backwards {
        false => (edge.from, edge.to),
        true => (edge.to, edge.from),
    }
}
