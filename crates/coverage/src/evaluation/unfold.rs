//! Copies of code, so that each combination of a decision has an end of its own.
//!
//! ```text
//! (a || b) && c         a ──true──────────► c          a ──true──────────► c
//!                       └─false─► b ─true─►┘    ⇒      └─false─► b ─true─► c'
//! ```
//!
//! Where control comes to a condition with different values before it, the code from there on is
//! copied until the decision is settled. The program does the same as before. What is proved about an
//! edge of it, and what a test reaches, is so about a combination.

use std::collections::BTreeMap;

use index_vec::IndexVec;
use ir::{Block, Body, DecisionKind, Fold, Program, RegionId, SourceHead, SourceRegion};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Combination;
use super::walk::{State, Walk, predecessors};
use crate::Criteria;
use crate::labels::functions_of_user;

/// Unfolds the decisions of the user's functions, if criteria tell combinations apart.
pub fn unfold(program: &mut Program, criteria: &Criteria) {
    if !criteria.tell_combinations_apart() {
        return;
    }
    for id in functions_of_user(program) {
        if let Some(body) = &mut program.functions[id].body {
            unfold_body(body);
        }
    }
}

fn unfold_body(body: &mut Body) {
    let mut before = predecessors(body);
    for decision in body.decisions.indices() {
        if body.decisions[decision].kind == DecisionKind::Switch {
            continue;
        }
        let walk = Walk::new(body, &before, decision);
        if let Some(walk) = walk.filter(|walk| !walk.tells_apart()) {
            Unfolding::new(body, &walk).apply(body);
            before = predecessors(body);
        }
    }
}

/// The copies that one decision needs.
struct Unfolding<'a> {
    walk: &'a Walk,
    /// The block that each state gets.
    blocks: FxHashMap<State, Block>,
    /// The states of each block that has more than one, in order, with the values so far.
    by_block: BTreeMap<Block, Vec<Combination>>,
}

impl<'a> Unfolding<'a> {
    fn new(body: &Body, walk: &'a Walk) -> Self {
        let mut by_block: BTreeMap<Block, Vec<Combination>> = BTreeMap::new();
        for &(block, so_far) in &walk.states {
            by_block.entry(block).or_default().push(so_far);
        }
        let mut blocks: FxHashMap<State, Block> = FxHashMap::default();
        let mut next = body.blocks.next_idx();
        for (&block, states) in &by_block {
            // The block itself is where evaluations begin, or for control from elsewhere, if any.
            let is_start = states.contains(&Combination::default());
            let mut is_free = !walk.entered.contains(&block);
            for &so_far in states {
                let is_itself = match is_start {
                    true => so_far == Combination::default(),
                    false => std::mem::take(&mut is_free),
                };
                let of_state = if is_itself { block } else { next };
                next += usize::from(!is_itself);
                blocks.insert((block, so_far), of_state);
            }
        }
        by_block.retain(|_, states| states.len() > 1);
        Unfolding {
            walk,
            blocks,
            by_block,
        }
    }

    fn apply(&self, body: &mut Body) {
        let mut copies: Vec<(Block, State)> = Vec::new();
        let old = body.blocks.clone();
        for &(block, so_far) in &self.walk.states {
            let state = (block, so_far);
            let of_state = self.blocks[&state];
            if of_state != block {
                copies.push((of_state, state));
            }
        }
        copies.sort_unstable_by_key(|&(copy, _)| copy);
        for &(copy, (block, _)) in &copies {
            debug_assert_eq!(copy, body.blocks.next_idx());
            body.blocks.push(old[block].clone());
            let of = body.copies.get(&block).copied().unwrap_or(block);
            body.copies.insert(copy, of);
        }
        for &state in &self.walk.states {
            let terminator = &mut body.blocks[self.blocks[&state]].terminator;
            terminator.map_edges(|position, next| {
                let next_state = self.walk.next.get(&(state, position));
                next_state.map_or(next, |next| self.blocks[next])
            });
        }
        self.copy_folds(body, &copies);
        self.copy_heads(body, &copies);
        self.copy_regions(body, &copies);
    }

    fn copy_folds(&self, body: &mut Body, copies: &[(Block, State)]) {
        let mut folds: Vec<Fold> = Vec::new();
        for &(copy, (block, _)) in copies {
            let of_block = body.folds.iter().filter(|fold| fold.block == block);
            folds.extend(of_block.map(|fold| Fold {
                block: copy,
                ..fold.clone()
            }));
        }
        body.folds.extend(folds);
    }

    fn copy_heads(&self, body: &mut Body, copies: &[(Block, State)]) {
        let heads = std::mem::take(&mut body.heads).into_iter();
        body.heads = heads
            .flat_map(|head| {
                let of_head = copies.iter().filter(|(_, state)| state.0 == head.block);
                let copied: Vec<SourceHead> = of_head
                    .map(|&(copy, _)| SourceHead {
                        block: copy,
                        ..head.clone()
                    })
                    .collect();
                std::iter::once(head).chain(copied)
            })
            .collect();
    }

    /// Adds copies to the regions of their blocks. A region that lies within the evaluation of a
    /// condition gets a copy for each combination of values before it.
    fn copy_regions(&self, body: &mut Body, copies: &[(Block, State)]) {
        let old = std::mem::take(&mut body.regions);
        let mut new: IndexVec<RegionId, SourceRegion> = IndexVec::new();
        // The number of a region, or of its copy for some values.
        let mut numbers: FxHashMap<(RegionId, Option<Combination>), RegionId> =
            FxHashMap::default();
        for (id, region) in old.iter_enumerated() {
            let parent_for = |so_far: Option<Combination>, numbers: &FxHashMap<_, RegionId>| {
                let parent = region.parent?;
                let exact = numbers.get(&(parent, so_far));
                exact.or_else(|| numbers.get(&(parent, None))).copied()
            };
            let Some(states) = self.states_of(region) else {
                let own: FxHashSet<Block> = region.blocks.iter().copied().collect();
                let copied = copies.iter().filter(|(_, state)| own.contains(&state.0));
                let blocks = region.blocks.iter().copied();
                let number = new.push(SourceRegion {
                    parent: parent_for(None, &numbers),
                    blocks: blocks.chain(copied.map(|&(copy, _)| copy)).collect(),
                    ..region.clone()
                });
                numbers.insert((id, None), number);
                continue;
            };
            for &so_far in states {
                let of_state = |block: Block| self.blocks.get(&(block, so_far)).copied();
                let number = new.push(SourceRegion {
                    decision: region.decision,
                    head: region.head.and_then(of_state),
                    parent: parent_for(Some(so_far), &numbers),
                    blocks: region.blocks.iter().copied().filter_map(of_state).collect(),
                });
                numbers.insert((id, Some(so_far)), number);
            }
        }
        body.regions = new;
    }

    /// The values before a region, if control comes to all of its blocks with several.
    fn states_of(&self, region: &SourceRegion) -> Option<&Vec<Combination>> {
        let states = self.by_block.get(region.blocks.first()?)?;
        let is_same = |block: &Block| self.by_block.get(block) == Some(states);
        region.blocks.iter().all(is_same).then_some(states)
    }
}
