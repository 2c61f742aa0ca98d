//! `if` statements that do something or nothing, and go on at the same place.

use std::collections::BTreeSet;

use ir::{Block, Body, DecisionId, DecisionKind, RegionId, RegionMap, StatementKind, Terminator};

/// The `if` statements of a function whose false side has no instruction and whose true side has
/// some, and that control leaves only to what stands behind them.
///
/// ```text
/// if (x < 0) { x = -x; }         yes
/// if (x < 0) { return -1; }      no: the true side ends the path elsewhere
/// if (x < 0) { exit(1); }        no: it never comes to the end
/// ```
pub fn empty_else(body: &Body) -> BTreeSet<RegionId> {
    let map = RegionMap::new(body);
    let regions = body.regions.iter_enumerated();
    let regions = regions.filter_map(|(id, region)| Some((id, region.decision?)));
    let empty = regions.filter(|&(id, decision)| {
        let inside = |block: Block| map.outwards(map.of(block)).any(|region| region == id);
        body.decisions[decision].kind == DecisionKind::If
            && map.begun_by(decision) == Some(id)
            && If::new(body, decision, &inside).is_empty_else()
    });
    empty.map(|(id, _)| id).collect()
}

/// An `if` statement.
struct If<'a> {
    body: &'a Body,
    decision: DecisionId,
    /// Its blocks, apart from that of the first condition.
    blocks: BTreeSet<Block>,
}

impl<'a> If<'a> {
    fn new(body: &'a Body, decision: DecisionId, inside: &dyn Fn(Block) -> bool) -> If<'a> {
        If {
            body,
            decision,
            blocks: body.blocks.indices().filter(|&it| inside(it)).collect(),
        }
    }

    fn is_empty_else(&self) -> bool {
        let behind = self.targets(false).into_iter();
        let behind: Option<BTreeSet<Block>> = behind.map(|block| self.behind(block)).collect();
        let Some(behind) = behind.filter(|behind| behind.len() == 1) else {
            return false;
        };
        let ends_there = self.blocks.iter().all(|&block| {
            let terminator = &self.body.blocks[block].terminator;
            let next = terminator.successors();
            let is_end = matches!(
                terminator,
                Terminator::Return(_) | Terminator::Unsupported { .. }
            );
            let mut leaves = next.iter().filter(|next| !self.blocks.contains(next));
            !is_end && leaves.all(|next| behind.contains(next))
        });
        ends_there && self.does_something() && self.comes_to(&behind)
    }

    /// Whether the true side may come to the end of the statement: it may end the program instead.
    fn comes_to(&self, behind: &BTreeSet<Block>) -> bool {
        let mut open: Vec<Block> = self.targets(true).into_iter().collect();
        let mut seen: BTreeSet<Block> = open.iter().copied().collect();
        while let Some(block) = open.pop() {
            if behind.contains(&block) {
                return true;
            }
            if self.blocks.contains(&block) {
                let next = self.body.blocks[block].terminator.successors().into_iter();
                open.extend(next.filter(|&block| seen.insert(block)));
            }
        }
        false
    }

    /// The blocks that the edges with an outcome lead to.
    fn targets(&self, outcome: bool) -> BTreeSet<Block> {
        let blocks = self.body.blocks.iter_enumerated();
        let of_decision = blocks.filter(|&(id, _)| self.body.decided_by(id) == Some(self.decision));
        let edges = of_decision.flat_map(|(_, data)| match &data.terminator {
            Terminator::Branch {
                then,
                otherwise,
                tag: Some(tag),
                ..
            } => {
                vec![
                    (*then, tag.then_outcome),
                    (*otherwise, tag.otherwise_outcome),
                ]
            }
            _ => Vec::new(),
        });
        let with_outcome = edges.filter(|(_, settled)| *settled == Some(outcome));
        with_outcome.map(|(target, _)| target).collect()
    }

    /// The block behind the statement that is reached from one without any instruction.
    fn behind(&self, from: Block) -> Option<Block> {
        let mut block = from;
        for _ in 0..self.body.blocks.len() {
            if !self.blocks.contains(&block) {
                return Some(block);
            }
            match &self.body.blocks[block].terminator {
                &Terminator::Goto(next) if !has_instruction(self.body, block) => block = next,
                _ => return None,
            }
        }
        None
    }

    /// Whether the true side has an instruction.
    fn does_something(&self) -> bool {
        let mut open: Vec<Block> = self.targets(true).into_iter().collect();
        let mut seen: BTreeSet<Block> = open.iter().copied().collect();
        while let Some(block) = open.pop() {
            if !self.blocks.contains(&block) {
                continue;
            }
            let data = &self.body.blocks[block];
            if has_instruction(self.body, block) || !matches!(data.terminator, Terminator::Goto(_))
            {
                return true;
            }
            let next = data.terminator.successors().into_iter();
            open.extend(next.filter(|&block| seen.insert(block)));
        }
        false
    }
}

fn has_instruction(body: &Body, block: Block) -> bool {
    let mut statements = body.blocks[block].statements.iter();
    statements.any(|statement| {
        !matches!(
            statement.kind,
            StatementKind::StorageLive(_) | StatementKind::StorageDead(_)
        )
    })
}
