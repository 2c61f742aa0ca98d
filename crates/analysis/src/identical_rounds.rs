//! Loops whose rounds all take the same way.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Block, Body, Callee, DecisionId, FunctionId, Program, RegionId, RegionMap, Terminator};

/// For each function the loops with no condition in their bodies, nor in what these call: whatever
/// the input is, all their rounds take the same edges.
///
/// ```text
/// while (n > 0 && *p) { n--; p++; }          yes
/// while (n > 0) { if (*p) count++; n--; }    no: rounds differ
/// while (n > 0 || more) { … }                no: the first condition may be true or false
/// ```
pub fn identical_rounds(program: &Program) -> BTreeSet<(FunctionId, RegionId)> {
    let mut straight = Straight {
        program,
        known: BTreeMap::new(),
    };
    let mut found = BTreeSet::new();
    for (function, data) in program.functions.iter_enumerated() {
        let Some(body) = &data.body else {
            continue;
        };
        let map = RegionMap::new(body);
        for (id, region) in body.regions.iter_enumerated() {
            let Some((_, decision)) = region.head.zip(region.decision) else {
                continue;
            };
            let inside = |block: Block| map.outwards(map.of(block)).any(|region| region == id);
            let blocks: BTreeSet<Block> = body.blocks.indices().filter(|&it| inside(it)).collect();
            if straight.has_one_way(body, &blocks, decision) {
                found.insert((function, id));
            }
        }
    }
    found
}

/// Finds functions without any choice of control flow.
struct Straight<'a> {
    program: &'a Program,
    known: BTreeMap<FunctionId, bool>,
}

impl Straight<'_> {
    /// Whether control stays among blocks on one way only, which the conditions of a decision alone
    /// may leave.
    fn has_one_way(&mut self, body: &Body, blocks: &BTreeSet<Block>, decision: DecisionId) -> bool {
        !blocks.is_empty()
            && blocks.iter().all(|&block| {
                let terminator = &body.blocks[block].terminator;
                let next: BTreeSet<Block> = terminator.successors().into_iter().collect();
                let stays = next.iter().filter(|next| blocks.contains(next)).count();
                match terminator {
                    Terminator::Branch { .. } if terminator.is_probe() => true,
                    Terminator::Branch { .. } => {
                        body.decided_by(block) == Some(decision) && stays <= 1
                    }
                    Terminator::Goto(_) => stays == 1,
                    Terminator::Call { callee, .. } => stays == 1 && self.is_straight(callee),
                    _ => false,
                }
            })
    }

    /// Whether a call takes the same edges each time. A function without a body takes none.
    fn is_straight(&mut self, callee: &Callee) -> bool {
        let Callee::Direct(function) = *callee else {
            return false;
        };
        let Some(body) = &self.program.functions[function].body else {
            return true;
        };
        if let Some(&known) = self.known.get(&function) {
            return known;
        }
        // A function that calls itself is not straight.
        self.known.insert(function, false);
        let is_straight = body.blocks.iter().all(|data| match &data.terminator {
            Terminator::Branch { .. } => data.terminator.is_probe(),
            Terminator::Switch { .. } | Terminator::Unsupported { .. } => false,
            Terminator::Call { callee, .. } => self.is_straight(callee),
            Terminator::Goto(_) | Terminator::Return(_) | Terminator::Unreachable => true,
        });
        self.known.insert(function, is_straight);
        is_straight
    }
}
