//! The parameter that a decision is about, for names of tests: `month` of `month < 1 || month > 12`.

use std::collections::BTreeSet;

use coverage::{GoalKind, TestGoal};
use ir::{
    Block, BlockData, Body, DecisionId, DecisionKind, Function, Local, Operand, PlaceBase, Rvalue,
    Statement, StatementKind, Terminator, Types,
};

/// Blocks that lead to the end of a function at most.
const MOST_BLOCKS: usize = 4;

/// The position of the only parameter of a function on which a goal's decision depends, beside
/// constants: an integer that keeps the value that it is passed.
pub fn parameter(types: &Types, function: &Function, goal: &TestGoal) -> Option<u32> {
    let body = function.body.as_ref()?;
    let decision = decision(body, goal.kind)?;
    let mut locals = BTreeSet::new();
    for block in &body.blocks {
        if let Some(operand) = tested(body, block, decision) {
            add_sources(&block.statements, operand, &mut locals)?;
        }
    }
    let only = match locals.len() {
        1 => locals.pop_first()?,
        _ => return None,
    };
    let index = function
        .parameter_locals()
        .position(|local| local == only)?;
    let is_integer = types.int(body.locals[only].ty).is_some();
    (is_integer && keeps_value(body, only)).then_some(index as u32)
}

/// The decision that a goal is a side or a part of.
fn decision(body: &Body, kind: GoalKind) -> Option<DecisionId> {
    match kind {
        GoalKind::Decision(decision, _)
        | GoalKind::Switch(decision, _)
        | GoalKind::Combination(decision, _) => Some(decision),
        GoalKind::Condition(condition, _) | GoalKind::Boundary(condition, _) => {
            Some(body.conditions[condition].decision)
        }
        _ => None,
    }
}

/// What a block tests for a decision, if it does.
fn tested<'b>(body: &Body, block: &'b BlockData, decision: DecisionId) -> Option<&'b Operand> {
    match &block.terminator {
        Terminator::Branch {
            operand,
            tag: Some(tag),
            ..
        } => (body.conditions[tag.condition].decision == decision).then_some(operand),
        Terminator::Switch {
            operand,
            decision: own,
            ..
        } => (*own == decision).then_some(operand),
        _ => None,
    }
}

/// Adds the locals that a value behind some statements comes from; `None` if it comes from memory too.
fn add_sources(
    before: &[Statement],
    operand: &Operand,
    locals: &mut BTreeSet<Local>,
) -> Option<()> {
    let Operand::Copy(local) = operand else {
        return Some(());
    };
    let mut statements = before.iter().enumerate().rev();
    let value = statements.find_map(|(at, statement)| match &statement.kind {
        StatementKind::Assign(place, value) if place.as_local() == Some(*local) => {
            Some((at, value))
        }
        _ => None,
    });
    let Some((at, value)) = value else {
        locals.insert(*local);
        return Some(());
    };
    let operands = match value {
        Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
            vec![operand]
        }
        Rvalue::Binary(_, left, right) => vec![left, right],
        Rvalue::Load(place) => {
            locals.insert(place.as_local()?);
            return Some(());
        }
        _ => return None,
    };
    let mut operands = operands.into_iter();
    operands.try_for_each(|operand| add_sources(&before[..at], operand, locals))
}

/// Whether a goal is the side of an `if` behind which the function returns a constant at once.
pub fn is_guard(function: &Function, goal: &TestGoal) -> bool {
    let (Some(body), GoalKind::Decision(decision, outcome)) = (&function.body, goal.kind) else {
        return false;
    };
    let is_if = body.decisions[decision].kind == DecisionKind::If;
    let mut sides = body
        .blocks
        .iter()
        .filter_map(|block| match &block.terminator {
            Terminator::Branch {
                then,
                otherwise,
                tag: Some(tag),
                ..
            } if body.conditions[tag.condition].decision == decision => {
                let is_then = tag.then_outcome == Some(outcome);
                let is_otherwise = tag.otherwise_outcome == Some(outcome);
                Some([is_then.then_some(*then), is_otherwise.then_some(*otherwise)])
            }
            _ => None,
        });
    is_if && sides.any(|sides| sides.into_iter().flatten().any(|side| returns(body, side)))
}

/// Whether control returns from a block without doing more than to copy constants and locals.
fn returns(body: &Body, mut block: Block) -> bool {
    for _ in 0..MOST_BLOCKS {
        let data = &body.blocks[block];
        let is_copy = |statement: &Statement| match &statement.kind {
            StatementKind::Assign(place, Rvalue::Use(_)) => place.as_local().is_some(),
            StatementKind::StorageDead(_) => true,
            _ => false,
        };
        if !data.statements.iter().all(is_copy) {
            return false;
        }
        match data.terminator {
            Terminator::Goto(next) => block = next,
            Terminator::Return(_) => return true,
            _ => return false,
        }
    }
    false
}

/// Whether nothing writes to a local but the call of its function.
fn keeps_value(body: &Body, local: Local) -> bool {
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    let mut places = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(place, _) => Some(place),
        _ => None,
    });
    let is_written = places.any(|place| place.base == PlaceBase::Local(local));
    let is_result = body.blocks.iter().any(|block| match &block.terminator {
        Terminator::Call {
            destination: Some(place),
            ..
        } => place.base == PlaceBase::Local(local),
        _ => false,
    });
    !is_written && !is_result && !body.locals[local].address_taken
}
