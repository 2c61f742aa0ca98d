//! The edges and blocks of a body by the decisions and conditions that they belong to.

use ir::{Block, Body, CodeEdge, CodeIndex, ConditionId, DecisionId, FunctionId, Terminator};
use rustc_hash::FxHashMap;

/// A body's edges and blocks by the decision or condition that they belong to.
pub(crate) struct Decided<'a> {
    pub index: &'a CodeIndex,
    pub function: FunctionId,
    pub body: &'a Body,
    /// The edges that settle a decision.
    pub by_outcome: FxHashMap<(DecisionId, bool), Vec<CodeEdge>>,
    /// The edges that give a condition a value.
    pub by_value: FxHashMap<(ConditionId, bool), Vec<CodeEdge>>,
    /// The blocks that switch.
    pub switches: FxHashMap<DecisionId, Vec<Block>>,
    /// The conditions of each decision.
    pub conditions: FxHashMap<DecisionId, Vec<ConditionId>>,
    /// The blocks in which constants settle a decision.
    pub folds: FxHashMap<(DecisionId, bool), Vec<Block>>,
}

impl<'a> Decided<'a> {
    /// A block and its copies.
    pub fn with_copies(&self, block: Block) -> impl Iterator<Item = Block> + 'a {
        let copies = self.body.copies.iter();
        let own = copies.filter_map(move |(&copy, &of)| (of == block).then_some(copy));
        std::iter::once(block).chain(own)
    }

    pub fn new(index: &'a CodeIndex, function: FunctionId, body: &'a Body) -> Self {
        let mut decided = Decided {
            index,
            function,
            body,
            by_outcome: FxHashMap::default(),
            by_value: FxHashMap::default(),
            switches: FxHashMap::default(),
            conditions: FxHashMap::default(),
            folds: FxHashMap::default(),
        };
        for tagged in tagged_edges(index, function, body) {
            let by_value = decided.by_value.entry((tagged.condition, tagged.value));
            by_value.or_default().push(tagged.edge);
            if let Some(outcome) = tagged.outcome {
                let decision = body.conditions[tagged.condition].decision;
                let by_outcome = decided.by_outcome.entry((decision, outcome));
                by_outcome.or_default().push(tagged.edge);
            }
        }
        for (block, data) in body.blocks.iter_enumerated() {
            if let Terminator::Switch { decision, .. } = data.terminator {
                decided.switches.entry(decision).or_default().push(block);
            }
        }
        for (condition, data) in body.conditions.iter_enumerated() {
            let of_decision = decided.conditions.entry(data.decision);
            of_decision.or_default().push(condition);
        }
        for fold in &body.folds {
            if let Some(outcome) = fold.outcome {
                let folds = decided.folds.entry((fold.decision, outcome));
                folds.or_default().push(fold.block);
            }
        }
        decided
    }
}

/// An edge that gives a condition a value.
struct TaggedEdge {
    edge: CodeEdge,
    condition: ConditionId,
    value: bool,
    /// The outcome of the decision, if the edge settles it.
    outcome: Option<bool>,
}

fn tagged_edges<'a>(
    index: &'a CodeIndex,
    function: FunctionId,
    body: &'a Body,
) -> impl Iterator<Item = TaggedEdge> + 'a {
    body.blocks
        .iter_enumerated()
        .flat_map(move |(block, data)| {
            let tag = match data.terminator {
                Terminator::Branch { tag, .. } => tag,
                _ => None,
            };
            tag.into_iter().flat_map(move |tag| {
                [
                    (0, true, tag.then_outcome),
                    (1, false, tag.otherwise_outcome),
                ]
                .map(|(successor, value, outcome)| TaggedEdge {
                    edge: index.edge(function, block, successor),
                    condition: tag.condition,
                    value,
                    outcome,
                })
            })
        })
}
