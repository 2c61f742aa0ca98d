//! How far pending flips are from the goals that are still open.
//!
//! The distance is counted over the control-flow graph of the whole program, in branches and
//! switches. A way that leads to no open goal need not be taken: dropping it loses nothing that
//! anybody asked for. Under `all-paths` every way is needed.

use coverage::{GoalId, Goals, Reach};
use index_vec::IndexVec;
use ir::{CodeBlock, CodeEdge, CodeIndex, Program};
use vm::{ConstraintKind, Site};

use crate::collect::Collector;
use crate::strategy::Place;

/// What it adds to a distance that a goal was covered already, though only by executions that
/// ended in a defect or at a limit: a better test of it is worth less than an uncovered goal.
const COVERED: u32 = 16;

/// The code and what is to be covered in it.
pub(crate) struct Code<'a> {
    pub program: &'a Program,
    pub index: &'a CodeIndex,
    pub goals: &'a Goals,
    pub reach: &'a Reach,
}

/// The open goals: those that no execution covered which ended well.
pub(crate) struct Targets<'a> {
    code: Code<'a>,
    /// The cost of each open goal; `None` once it is settled.
    open: IndexVec<GoalId, Option<u32>>,
    /// From the start of each block to the nearest open goal.
    distances: IndexVec<CodeBlock, Option<u32>>,
    /// How many goals were covered and settled when these were computed.
    counts: (usize, usize),
    version: u64,
}

impl<'a> Targets<'a> {
    /// All goals, open.
    pub fn new(code: Code<'a>) -> Self {
        let mut targets = Targets {
            open: IndexVec::from_vec(vec![Some(0); code.goals.len()]),
            code,
            distances: IndexVec::new(),
            counts: (0, 0),
            version: 0,
        };
        targets.measure();
        targets
    }

    /// Leaves out the goals that have been settled since.
    pub fn update(&mut self, collector: &Collector) {
        let counts = (collector.covered(), collector.settled());
        if counts == self.counts {
            return;
        }
        self.counts = counts;
        for (goal, open) in self.open.iter_mut_enumerated() {
            *open = match (collector.settles(goal), collector.covers(goal)) {
                (true, _) => None,
                (false, true) => Some(COVERED),
                (false, false) => Some(0),
            };
        }
        self.measure();
    }

    fn measure(&mut self) {
        self.distances = self.code.reach.distances(self.places());
        self.version += 1;
    }

    /// Grows whenever distances change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The code.
    pub fn code(&self) -> &Code<'a> {
        &self.code
    }

    /// How many branches are between a flip at the place and the nearest open goal: 0 if its way
    /// itself covers one, `None` if no goal needs it.
    pub fn distance(&self, place: Place) -> Option<u32> {
        if self.code.goals.all_paths() {
            return Some(0);
        }
        let Site {
            function, block, ..
        } = place.site;
        match place.kind {
            ConstraintKind::Branch => self.beyond(place.site, place.way),
            _ => self.distances[self.code.index.block(function, block)],
        }
    }

    /// The distance of a way out of a branch or switch.
    fn beyond(&self, site: Site, number: u32) -> Option<u32> {
        let here = self.code.index.block(site.function, site.block);
        let Some((edge, target)) = edge(site, number, &self.code) else {
            return self.distances[here];
        };
        let own = self.cheapest(self.code.goals.on_edge(edge));
        [own, self.distances[target]].into_iter().flatten().min()
    }

    /// The cost of the cheapest open goal of some.
    fn cheapest(&self, goals: &[GoalId]) -> Option<u32> {
        goals.iter().filter_map(|&goal| self.open[goal]).min()
    }

    /// The blocks that hold open goals, on themselves or on their edges, with their costs.
    fn places(&self) -> Vec<(CodeBlock, u32)> {
        let mut places = Vec::new();
        for (function, data) in self.code.program.functions.iter_enumerated() {
            let blocks = data
                .body
                .iter()
                .flat_map(|body| body.blocks.iter_enumerated());
            for (block, data) in blocks {
                let place = self.code.index.block(function, block);
                let ways = match data.terminator.decides() {
                    true => data.terminator.successors().len(),
                    false => 0,
                };
                let on_edges = (0..ways).filter_map(|way| {
                    let edge = self.code.index.edge(function, block, way);
                    self.cheapest(self.code.goals.on_edge(edge))
                        .map(|cost| cost + 1)
                });
                let here = self.cheapest(self.code.goals.on_block(place));
                if let Some(cost) = on_edges.chain(here).min() {
                    places.push((place, cost));
                }
            }
        }
        places
    }
}

/// The edge that a way out of a branch or switch takes, and the block where it leads.
fn edge(site: Site, number: u32, code: &Code<'_>) -> Option<(CodeEdge, CodeBlock)> {
    let body = code.program.functions[site.function].body.as_ref()?;
    let terminator = &body.blocks.get(site.block)?.terminator;
    let successor = match terminator {
        // Way 1 of a branch is `then`, its first successor.
        ir::Terminator::Branch { .. } => 1 - number.min(1) as usize,
        _ => number as usize,
    };
    let target = *terminator.successors().get(successor)?;
    terminator.decides().then(|| {
        let edge = code.index.edge(site.function, site.block, successor);
        (edge, code.index.block(site.function, target))
    })
}
