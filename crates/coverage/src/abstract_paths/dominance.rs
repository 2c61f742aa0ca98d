//! Which paths dominate others, where paths have an order (PathCrawler, section 4, `empty-else` and
//! `max-iterations`).
//!
//! ```text
//! empty-else       … Enter [5-] Leave …                 is dominated by
//!                  … Enter [5+ 6+] Leave …              and by … Enter [5+ 6-] Leave …
//! max-iterations   … Enter (5+ 5-) Leave …              is dominated by
//!                  … Enter (5+ 5+ 5-) Leave …
//! ```
//!
//! One path dominates another if it is the other one, but for such differences in one or more places.
//! The order is structural: it does not say that the execution takes longer.

use std::collections::BTreeSet;

use ir::{DecisionId, FunctionId, RegionId};

use super::{AbstractPaths, AbstractStep, Abstraction};
use crate::{PathNode, PathTrie};

/// A region of the source.
type Region = (FunctionId, RegionId);

/// How many nodes are visited for one path.
const MOST_NODES: usize = 20_000;

impl AbstractPaths<'_> {
    /// The nodes of a trie that lead to paths which dominate the path, or beginning of a path; `None` if
    /// there are too many to look at.
    pub fn dominators<D>(
        &self,
        trie: &PathTrie<AbstractStep, D>,
        path: &[AbstractStep],
    ) -> Option<Vec<PathNode>> {
        let mut search = Dominators {
            of: self,
            trie,
            visited: 0,
        };
        let mut found = search.follow(path)?;
        if let Some(own) = search.behind_all(PathNode::START, path) {
            found.remove(&own);
        }
        Some(found.into_iter().collect())
    }

    fn region_decision(&self, (function, region): Region) -> Option<DecisionId> {
        let body = self.program.functions[function].body.as_ref()?;
        body.regions[region].decision
    }

    /// The side that a step goes to, if it is at a decision: the inner `None` where conditions follow.
    fn side(&self, step: AbstractStep, of: (FunctionId, DecisionId)) -> Option<Option<u32>> {
        let AbstractStep::Edge(edge) = step else {
            return None;
        };
        let meaning = self.meanings[edge]?;
        ((meaning.function, meaning.decision) == of).then_some(meaning.side)
    }

    /// Whether a step ends an `if` on its false side.
    fn is_empty_side(&self, step: AbstractStep, (function, region): Region) -> bool {
        let decision = self.region_decision((function, region));
        decision.is_some_and(|id| self.side(step, (function, id)) == Some(Some(0)))
    }

    /// Where a visit of a region ends that begins at a step of a path and takes the empty side. The path
    /// may end with that.
    fn end_of_empty_visit(&self, path: &[AbstractStep], from: usize) -> Option<usize> {
        let AbstractStep::Enter(function, region) = path[from] else {
            return None;
        };
        let mut depth = 0;
        for (at, &step) in path.iter().enumerate().skip(from + 1) {
            match step {
                step if step == path[from] => depth += 1,
                AbstractStep::Leave(..) if step == AbstractStep::Leave(function, region) => {
                    if depth == 0 {
                        let is_empty = self.is_empty_side(path[at - 1], (function, region));
                        return is_empty.then_some(at + 1);
                    }
                    depth -= 1;
                }
                _ => {}
            }
        }
        let last = path[path.len() - 1];
        let is_empty = depth == 0 && self.is_empty_side(last, (function, region));
        is_empty.then_some(path.len())
    }
}

/// See [`AbstractPaths::dominators`].
struct Dominators<'a, D> {
    of: &'a AbstractPaths<'a>,
    trie: &'a PathTrie<AbstractStep, D>,
    visited: usize,
}

impl<D> Dominators<'_, D> {
    /// The nodes that a path leads to, and those that paths lead to which dominate it.
    fn follow(&mut self, path: &[AbstractStep]) -> Option<BTreeSet<PathNode>> {
        let mut here = BTreeSet::from([PathNode::START]);
        let mut at = 0;
        while at < path.len() && !here.is_empty() {
            self.visited += here.len();
            let empty_visit = match self.of.abstraction {
                Abstraction::EmptyElse => self.of.end_of_empty_visit(path, at),
                _ => None,
            };
            let end = empty_visit.unwrap_or(at + 1);
            let mut next: BTreeSet<PathNode> = here
                .iter()
                .filter_map(|&node| self.behind_all(node, &path[at..end]))
                .collect();
            if let AbstractStep::Enter(function, region) = path[at] {
                let more = match self.of.abstraction {
                    Abstraction::EmptyElse if empty_visit.is_some() => {
                        let visits = |node| self.visits(node, (function, region));
                        here.into_iter().flat_map(visits).collect()
                    }
                    Abstraction::FewerRounds => {
                        let rounds = |&node: &PathNode| self.rounds(node, (function, region));
                        next.iter().flat_map(rounds).collect()
                    }
                    _ => Vec::new(),
                };
                next.extend(more);
            }
            if self.visited > MOST_NODES {
                return None;
            }
            (here, at) = (next, end);
        }
        Some(here)
    }

    fn behind_all(&self, from: PathNode, steps: &[AbstractStep]) -> Option<PathNode> {
        let mut steps = steps.iter();
        steps.try_fold(from, |node, &step| self.trie.behind(node, step))
    }

    /// The nodes behind the visits of an `if` from a node that do not take the empty side.
    fn visits(&mut self, from: PathNode, region: Region) -> Vec<PathNode> {
        let (enter, leave) = (
            AbstractStep::Enter(region.0, region.1),
            AbstractStep::Leave(region.0, region.1),
        );
        let mut found = Vec::new();
        // Each with the step that leads to it, and the calls of the same code that are under way.
        let mut open: Vec<(PathNode, AbstractStep, usize)> = Vec::new();
        open.extend(self.trie.behind(from, enter).map(|node| (node, enter, 0)));
        while let Some((node, last, depth)) = open.pop() {
            self.visited += 1;
            if self.visited > MOST_NODES {
                break;
            }
            for (step, next) in self.trie.onwards(node) {
                if step == leave && depth == 0 {
                    found.extend((!self.of.is_empty_side(last, region)).then_some(next));
                    continue;
                }
                let depth = match step {
                    step if step == enter => depth + 1,
                    step if step == leave => depth - 1,
                    _ => depth,
                };
                open.push((next, step, depth));
            }
        }
        found
    }

    /// The nodes behind one round of a loop or more, from its beginning.
    fn rounds(&mut self, from: PathNode, region: Region) -> Vec<PathNode> {
        let mut found = Vec::new();
        let Some(decision) = self.of.region_decision(region) else {
            return found;
        };
        let mut node = from;
        loop {
            self.visited += 1;
            let sides = self.trie.onwards(node).filter_map(|(step, next)| {
                let side = self.of.side(step, (region.0, decision))?;
                (side != Some(0)).then_some((side, next))
            });
            let Some((side, next)) = sides.last().filter(|_| self.visited <= MOST_NODES) else {
                return found;
            };
            node = next;
            found.extend(side.map(|_| node));
        }
    }
}
