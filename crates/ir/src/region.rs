//! The structure of the source: decisions with what they choose among, and loops, as parts of the
//! control-flow graph.

use index_vec::IndexVec;

use crate::{Block, Body, DecisionId, RegionId, Terminator};

/// A decision with what it chooses among, or a loop: a part of the source that abstract paths may
/// stand for as a whole.
///
/// That of an `if`, a `switch` or a `?:` begins with the edges of its decision, whose first condition
/// is evaluated before it. That of a loop begins with its head. Jumps may leave a region anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRegion {
    /// Its decision; a loop without a condition has none.
    pub decision: Option<DecisionId>,
    /// The block that a round begins with, if it is a loop. It may be that of a loop inside, where
    /// nothing is executed before that.
    pub head: Option<Block>,
    /// The region around it, whose number is lower.
    pub parent: Option<RegionId>,
    /// Its blocks, without those of the regions inside.
    pub blocks: Vec<Block>,
}

/// Where blocks lie in the regions of a body.
///
/// A region that control may enter elsewhere, by `goto` or by a label of a `switch` around it, is left
/// out: its blocks count as those of the region around it.
#[derive(Clone, Debug)]
pub struct RegionMap {
    of_block: IndexVec<Block, Option<RegionId>>,
    around: IndexVec<RegionId, Option<RegionId>>,
    heads: IndexVec<RegionId, Option<Block>>,
    by_decision: IndexVec<DecisionId, Option<RegionId>>,
}

impl RegionMap {
    /// The map of a body.
    pub fn new(body: &Body) -> RegionMap {
        let regions = &body.regions;
        let mut of_block: IndexVec<Block, Option<RegionId>> =
            body.blocks.iter().map(|_| None).collect();
        for (id, region) in regions.iter_enumerated() {
            for &block in &region.blocks {
                of_block[block] = Some(id);
            }
        }
        let mut by_decision: IndexVec<DecisionId, Option<RegionId>> =
            body.decisions.iter().map(|_| None).collect();
        for (id, region) in regions.iter_enumerated() {
            if let Some(decision) = region.decision.filter(|_| region.head.is_none()) {
                by_decision[decision] = Some(id);
            }
        }
        let mut map = RegionMap {
            of_block,
            around: regions.iter().map(|region| region.parent).collect(),
            heads: regions.iter().map(|region| region.head).collect(),
            by_decision,
        };
        map.leave_out_irregular(body);
        map
    }

    /// The innermost region around a block.
    pub fn of(&self, block: Block) -> Option<RegionId> {
        self.of_block[block]
    }

    /// The region around another one.
    pub fn around(&self, region: RegionId) -> Option<RegionId> {
        self.around[region]
    }

    /// A region and those around it, outwards.
    pub fn outwards(&self, from: Option<RegionId>) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(from, |&region| self.around[region])
    }

    /// The block that the rounds of a region begin with, if it is a loop.
    pub fn head(&self, region: RegionId) -> Option<Block> {
        self.heads[region]
    }

    /// The region that begins with the edges of a decision.
    pub fn begun_by(&self, decision: DecisionId) -> Option<RegionId> {
        self.by_decision[decision]
    }

    /// Leaves out the regions that control may enter elsewhere than where they begin.
    fn leave_out_irregular(&mut self, body: &Body) {
        let mut is_regular: IndexVec<RegionId, bool> = body.regions.iter().map(|_| true).collect();
        for (block, data) in body.blocks.iter_enumerated() {
            for next in data.terminator.successors() {
                let from: Vec<RegionId> = self.outwards(self.of_block[block]).collect();
                let entered = self.outwards(self.of_block[next]);
                for region in entered.filter(|region| !from.contains(region)) {
                    is_regular[region] &= begins(body, region, (block, next));
                }
            }
        }
        let kept = |from: Option<RegionId>| {
            let mut outwards = self.outwards(from);
            outwards.find(|&region| is_regular[region])
        };
        let of_block = self.of_block.iter().map(|&region| kept(region)).collect();
        let around = self.around.iter().map(|&region| kept(region)).collect();
        let by_decision = self.by_decision.iter();
        let by_decision = by_decision.map(|region| region.filter(|&region| is_regular[region]));
        self.by_decision = by_decision.collect();
        self.of_block = of_block;
        self.around = around;
    }
}

impl Body {
    /// The decision that the end of a block evaluates a condition of, or switches by.
    pub fn decided_by(&self, block: Block) -> Option<DecisionId> {
        match self.blocks.get(block)?.terminator {
            Terminator::Branch { tag, .. } => Some(self.conditions.get(tag?.condition)?.decision),
            Terminator::Switch { decision, .. } => Some(decision),
            _ => None,
        }
    }
}

/// Whether a region begins with an edge that leads into it.
fn begins(body: &Body, region: RegionId, (from, to): (Block, Block)) -> bool {
    let SourceRegion { decision, head, .. } = body.regions[region];
    if head.is_some() {
        return head == Some(to);
    }
    // A constant may stand in the place of a condition.
    let mut folds = body.folds.iter();
    decision.is_some()
        && (body.decided_by(from) == decision
            || folds.any(|fold| fold.block == from && Some(fold.decision) == decision))
}
