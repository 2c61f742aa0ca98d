//! The code that evaluates a decision, by the values that its conditions had so far.

use std::collections::VecDeque;

use index_vec::IndexVec;
use ir::{Block, Body, ConditionId, DecisionId, Formula, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Combination, combinations};

/// A block, and the values of the conditions that were evaluated before it; without any, an
/// evaluation may begin there.
pub(crate) type State = (Block, Combination);

/// The place where an evaluation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// An edge, by the position of the successor: a condition has a value.
    Edge(Block, usize),
    /// The end of a block: a constant stands in the place of the last condition.
    Block(Block),
}

/// The evaluations of a decision: the product of its code with the values so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// The states of evaluations that have begun, and those where they begin.
    pub states: Vec<State>,
    /// The state that an edge of a state leads to, if an evaluation goes on there.
    pub next: FxHashMap<(State, usize), State>,
    /// The ends of evaluations, with the values of all conditions, and the outcome.
    pub ends: Vec<(Combination, bool, End)>,
    /// The blocks inside of evaluations that control also comes to from elsewhere.
    pub entered: FxHashSet<Block>,
}

impl Walk {
    /// The evaluations of a decision, which is no switch; `None` if there are too many to tell apart.
    /// The blocks before each block are those of the body.
    pub fn new(body: &Body, before: &Predecessors, decision: DecisionId) -> Option<Walk> {
        let formula = &body.decisions[decision].formula;
        let all = combinations(formula)?;
        let walker = Walker {
            body,
            positions: positions(formula),
            folds: folds(body, decision),
            inside: inside(body, before, decision),
        };
        let mut walk = Walk::default();
        let mut known: FxHashSet<State> = FxHashSet::default();
        let starts = walker.starts(formula).into_iter();
        let mut open: VecDeque<State> = starts
            .map(|block| (block, Combination::default()))
            .collect();
        known.extend(&open);
        while let Some(state) = open.pop_front() {
            walk.states.push(state);
            for (position, next) in walker.step(state, &mut walk.ends) {
                walk.next.insert((state, position), next);
                if known.insert(next) {
                    open.push_back(next);
                }
            }
        }
        walk.find_entered(body, before);
        // A jump into the middle of an expression makes evaluations that are no combinations.
        walk.ends
            .retain(|&(combination, outcome, _)| all.contains(&(combination, outcome)));
        Some(walk)
    }

    /// Whether each block has one state, so that it shows which values conditions had.
    pub fn tells_apart(&self) -> bool {
        let blocks = self.states.iter().map(|(block, _)| block);
        self.entered.is_empty() && blocks.collect::<FxHashSet<_>>().len() == self.states.len()
    }

    /// Finds the blocks in the middle of evaluations to which edges lead that are no part of them.
    fn find_entered(&mut self, body: &Body, before: &Predecessors) {
        let mut by_block: FxHashMap<Block, Vec<Combination>> = FxHashMap::default();
        for &(block, so_far) in &self.states {
            by_block.entry(block).or_default().push(so_far);
        }
        let is_part = |from: Block, position: usize| {
            let states = by_block.get(&from).into_iter().flatten();
            let mut states = states.map(|&so_far| ((from, so_far), position));
            by_block.contains_key(&from) && states.all(|edge| self.next.contains_key(&edge))
        };
        let is_entered = |block: &&Block| {
            before[**block].iter().any(|&from| {
                let successors = body.blocks[from].terminator.successors();
                let mut edges = successors.into_iter().enumerate();
                edges.any(|(position, next)| next == **block && !is_part(from, position))
            })
        };
        let begins = |block: &Block| by_block[block].contains(&Combination::default());
        let middle = by_block.keys().filter(|block| !begins(block));
        let mut open: Vec<Block> = middle.filter(is_entered).copied().collect();
        // What control from elsewhere comes to, it goes on from.
        while let Some(block) = open.pop() {
            if !begins(&block) && self.entered.insert(block) {
                let goes_on = self.next.iter().filter(|((from, _), _)| from.0 == block);
                open.extend(goes_on.map(|(_, to)| to.0));
            }
        }
    }
}

struct Walker<'a> {
    body: &'a Body,
    /// The conditions, by their positions from left to right.
    positions: FxHashMap<ConditionId, usize>,
    /// The blocks that end with a constant in the place of a condition, with the outcome if it
    /// settles the decision.
    folds: FxHashMap<Block, Option<bool>>,
    /// The blocks on the way from one condition to the next.
    inside: FxHashSet<Block>,
}

impl Walker<'_> {
    /// The blocks that evaluate the first condition, or end with a constant before it that settles
    /// the decision.
    fn starts(&self, formula: &Formula) -> Vec<Block> {
        let first = formula.first_condition();
        let blocks = self.body.blocks.indices();
        let starts = blocks.filter(|&block| match self.condition(block) {
            Some((condition, ..)) => Some(condition) == first,
            None => first.is_none() && self.folds.get(&block).copied().flatten().is_some(),
        });
        starts.collect()
    }

    /// The condition that the end of a block evaluates, if it is one of the decision, and the outcomes
    /// where it is true and where it is false.
    fn condition(&self, block: Block) -> Option<(ConditionId, [Option<bool>; 2])> {
        let Terminator::Branch { tag: Some(tag), .. } = self.body.blocks[block].terminator else {
            return None;
        };
        let is_its_own = self.positions.contains_key(&tag.condition);
        let outcomes = [tag.then_outcome, tag.otherwise_outcome];
        is_its_own.then_some((tag.condition, outcomes))
    }

    /// The states after a state in which the evaluation goes on, by the positions of the edges.
    fn step(
        &self,
        (block, so_far): State,
        ends: &mut Vec<(Combination, bool, End)>,
    ) -> Vec<(usize, State)> {
        let terminator = &self.body.blocks[block].terminator;
        if let Some((condition, outcomes)) = self.condition(block) {
            let position = self.positions[&condition];
            // The evaluation before was left, and this is a new one.
            let so_far = match so_far.value(position) {
                Some(_) => Combination::default(),
                None => so_far,
            };
            let mut next = Vec::new();
            for (edge, value) in [(0, true), (1, false)] {
                let combination = so_far.with(position, value);
                match (outcomes[edge], terminator.successor(edge)) {
                    (Some(outcome), _) => ends.push((combination, outcome, End::Edge(block, edge))),
                    (None, Some(to)) => next.push((edge, (to, combination))),
                    (None, None) => {}
                }
            }
            return self.going_on(next);
        }
        if let Some(Some(outcome)) = self.folds.get(&block) {
            ends.push((so_far, *outcome, End::Block(block)));
            return Vec::new();
        }
        let successors = terminator.successors().into_iter().enumerate();
        self.going_on(successors.map(|(edge, to)| (edge, (to, so_far))).collect())
    }

    fn going_on(&self, mut next: Vec<(usize, State)>) -> Vec<(usize, State)> {
        next.retain(|(_, (to, so_far))| {
            *so_far != Combination::default() && self.inside.contains(to)
        });
        next
    }
}

fn positions(formula: &Formula) -> FxHashMap<ConditionId, usize> {
    let conditions = formula.conditions().into_iter();
    conditions.enumerate().map(|(at, id)| (id, at)).collect()
}

fn folds(body: &Body, decision: DecisionId) -> FxHashMap<Block, Option<bool>> {
    let folds = body.folds.iter().filter(|fold| fold.decision == decision);
    let mut found: FxHashMap<Block, Option<bool>> = FxHashMap::default();
    for fold in folds {
        let outcome = found.entry(fold.block).or_default();
        *outcome = outcome.or(fold.outcome);
    }
    found
}

/// The blocks from which control comes to a condition of the decision, or to a constant in its place,
/// before it comes to the first condition.
fn inside(body: &Body, before: &Predecessors, decision: DecisionId) -> FxHashSet<Block> {
    let formula = &body.decisions[decision].formula;
    let first = formula.first_condition();
    let is_first = |block: Block| match body.blocks[block].terminator {
        Terminator::Branch { tag, .. } => tag.is_some_and(|tag| Some(tag.condition) == first),
        _ => false,
    };
    let of_decision = |block: &Block| body.decided_by(*block) == Some(decision);
    let mut open: Vec<Block> = body.blocks.indices().filter(of_decision).collect();
    let folds = body.folds.iter().filter(|fold| fold.decision == decision);
    open.extend(folds.map(|fold| fold.block));
    let mut found: FxHashSet<Block> = FxHashSet::default();
    while let Some(block) = open.pop() {
        if !is_first(block) && found.insert(block) {
            open.extend(&before[block]);
        }
    }
    found
}

/// For each block of a body the blocks that control comes from.
pub(crate) type Predecessors = IndexVec<Block, Vec<Block>>;

/// The blocks that control comes from, for each block of a body.
pub(crate) fn predecessors(body: &Body) -> Predecessors {
    let mut before: Predecessors = body.blocks.iter().map(|_| Vec::new()).collect();
    for (block, data) in body.blocks.iter_enumerated() {
        for next in data.terminator.successors() {
            before[next].push(block);
        }
    }
    before
}
