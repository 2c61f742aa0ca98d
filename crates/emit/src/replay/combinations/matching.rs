//! The same decisions in two readings of a function.

use std::collections::BTreeMap;

use ir::{Block, Body, BranchTag, ConditionId, DecisionId, Formula, Terminator};

/// The decisions of a function, each with what it is in another reading of the same function. The
/// blocks of both are passed side by side. If they differ, decisions count as the same whose order and
/// shapes are.
pub(super) fn matched(body: &Body, other: &Body) -> BTreeMap<DecisionId, DecisionId> {
    by_blocks(body, other).unwrap_or_else(|| by_order(body, other).unwrap_or_default())
}

fn by_blocks(body: &Body, other: &Body) -> Option<BTreeMap<DecisionId, DecisionId>> {
    let mut found = BTreeMap::new();
    let mut conditions: BTreeMap<ConditionId, ConditionId> = BTreeMap::new();
    let mut met: BTreeMap<Block, Block> = BTreeMap::new();
    let mut open = vec![(Block::from_usize(0), Block::from_usize(0))];
    while let Some((one, two)) = open.pop() {
        let one = behind_labels(body, one);
        match met.insert(one, two) {
            Some(before) if before == two => continue,
            Some(_) => return None,
            None => {}
        }
        let terminators = (&body.blocks[one].terminator, &other.blocks[two].terminator);
        if std::mem::discriminant(terminators.0) != std::mem::discriminant(terminators.1) {
            return None;
        }
        if let (
            Terminator::Switch { decision: one, .. },
            Terminator::Switch { decision: two, .. },
        ) = terminators
        {
            let sides = |body: &Body, id: DecisionId| -> Vec<_> {
                let sides = body.decisions[id].sides.iter();
                sides.map(|side| side.values).collect()
            };
            if sides(body, *one) == sides(other, *two) {
                found.insert(*one, *two);
            }
        }
        match (tag(terminators.0), tag(terminators.1)) {
            (None, None) => {}
            (Some(one), Some(two)) => {
                let before = conditions.insert(one.condition, two.condition);
                if before.is_some_and(|before| before != two.condition) {
                    return None;
                }
            }
            _ => return None,
        }
        let next = (terminators.0.successors(), terminators.1.successors());
        if next.0.len() != next.1.len() {
            return None;
        }
        open.extend(next.0.into_iter().zip(next.1));
    }
    for (one, two) in conditions {
        let decisions = (
            body.conditions[one].decision,
            other.conditions[two].decision,
        );
        let formulas = (
            &body.decisions[decisions.0].formula,
            &other.decisions[decisions.1].formula,
        );
        if has_same_shape(formulas.0, formulas.1) {
            found.insert(decisions.0, decisions.1);
        }
    }
    Some(found)
}

/// The block that a block with labels at its end leads to.
fn behind_labels(body: &Body, mut block: Block) -> Block {
    while let Terminator::Branch { then, .. } = body.blocks[block].terminator
        && body.blocks[block].terminator.is_probe()
    {
        block = then;
    }
    block
}

fn tag(terminator: &Terminator) -> Option<BranchTag> {
    match terminator {
        Terminator::Branch { tag, .. } => *tag,
        _ => None,
    }
}

/// The decisions in the order of the source, if their shapes are the same and no two stand at one
/// place, as those of a macro do.
fn by_order(body: &Body, other: &Body) -> Option<BTreeMap<DecisionId, DecisionId>> {
    let mut places: Vec<_> = body
        .decisions
        .iter()
        .map(|decision| decision.span.place())
        .collect();
    places.sort_unstable();
    let all = places.len();
    places.dedup();
    let decisions = body.decisions.iter().zip(&other.decisions);
    let is_same = places.len() == all
        && all == other.decisions.len()
        && decisions
            .into_iter()
            .all(|(one, two)| one.kind == two.kind && has_same_shape(&one.formula, &two.formula));
    is_same.then(|| body.decisions.indices().map(|id| (id, id)).collect())
}

fn has_same_shape(one: &Formula, other: &Formula) -> bool {
    match (one, other) {
        (Formula::Condition(_), Formula::Condition(_)) => true,
        (Formula::Constant(one), Formula::Constant(other)) => one == other,
        (Formula::Not(one), Formula::Not(other)) => has_same_shape(one, other),
        (Formula::And(left, right), Formula::And(other_left, other_right))
        | (Formula::Or(left, right), Formula::Or(other_left, other_right)) => {
            has_same_shape(left, other_left) && has_same_shape(right, other_right)
        }
        _ => false,
    }
}
