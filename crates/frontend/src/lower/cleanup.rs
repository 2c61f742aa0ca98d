//! The last passes over a body: skip blocks that only jump on, drop dead blocks without content,
//! and sort the tables in the order of the source.

use index_vec::{Idx, IndexVec};
use ir::{
    Block, BlockData, Body, BranchTag, ConditionId, Formula, Span, SpanId, StatementKind,
    Terminator,
};

use super::builder::Draft;

/// Joins a body's tables with its blocks. `mapped` lists conditions in the order of clang's
/// coverage mapping.
pub(super) fn finish(
    mut body: Body,
    drafts: IndexVec<Block, Draft>,
    mapped: &[ConditionId],
) -> Body {
    body.blocks = drafts.into_iter().map(close).collect();
    drop_needless_deaths(&mut body);
    skip_empty_blocks(&mut body);
    drop_empty_dead_blocks(&mut body);
    sort_tables(&mut body, mapped);
    drop_unused_spans(&mut body);
    body
}

fn close(draft: Draft) -> BlockData {
    let (terminator, span) = draft
        .end
        .unwrap_or((Terminator::Unreachable, SpanId::from_usize(0)));
    BlockData {
        statements: draft.statements,
        terminator,
        span,
    }
}

/// No pointer can dangle to a local whose address is never taken.
fn drop_needless_deaths(body: &mut Body) {
    let locals = &body.locals;
    for block in &mut body.blocks {
        block.statements.retain(|statement| match statement.kind {
            StatementKind::StorageDead(local) => locals[local].address_taken,
            _ => true,
        });
    }
}

/// Makes jumps to a block that only jumps on go where that leads. Blocks in which a statement
/// of the source starts, or a decision is settled, stay, since reaching them covers it.
fn skip_empty_blocks(body: &mut Body) {
    let mut starts = vec![false; body.blocks.len()];
    for statement in &body.source_statements {
        starts[statement.block.index()] = true;
    }
    for fold in &body.folds {
        starts[fold.block.index()] |= fold.outcome.is_some();
    }
    let pass_on: IndexVec<Block, Option<Block>> = body
        .blocks
        .iter_enumerated()
        .map(|(id, block)| match block.terminator {
            Terminator::Goto(next) if block.statements.is_empty() && !starts[id.index()] => {
                Some(next)
            }
            _ => None,
        })
        .collect();
    let target = |block: Block| {
        let mut at = block;
        // An endless empty loop leads nowhere else: its blocks stay.
        for _ in 0..pass_on.len() {
            match pass_on[at] {
                Some(next) => at = next,
                None => return at,
            }
        }
        block
    };
    for block in &mut body.blocks {
        block.terminator.map_successors(target);
    }
    for fold in &mut body.folds {
        fold.block = target(fold.block);
        fold.instead = fold.instead.map(target);
    }
    for head in &mut body.heads {
        head.block = target(head.block);
    }
    for region in &mut body.regions {
        region.head = region.head.map(target);
    }
}

/// Drops blocks that nothing leads to, unless they hold code of the source: that is dead code,
/// whose statements and decisions are goals all the same.
fn drop_empty_dead_blocks(body: &mut Body) {
    let mut keep = vec![false; body.blocks.len()];
    let mut open = vec![Block::from_usize(0)];
    open.extend(
        body.source_statements
            .iter()
            .map(|statement| statement.block),
    );
    for (id, block) in body.blocks.iter_enumerated() {
        let bare = matches!(
            block.terminator,
            Terminator::Goto(_) | Terminator::Unreachable | Terminator::Return(_)
        );
        let content = block
            .statements
            .iter()
            .any(|statement| !matches!(statement.kind, StatementKind::StorageDead(_)));
        if !bare || content {
            open.push(id);
        }
    }
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut keep[block.index()], true) {
            open.extend(body.blocks[block].terminator.successors());
        }
    }
    let mut kept: IndexVec<Block, BlockData> = IndexVec::new();
    let mut numbers: IndexVec<Block, Block> = IndexVec::new();
    for (id, block) in std::mem::take(&mut body.blocks).into_iter_enumerated() {
        numbers.push(kept.next_idx());
        if keep[id.index()] {
            kept.push(block);
        }
    }
    for block in &mut kept {
        block.terminator.map_successors(|block| numbers[block]);
    }
    for statement in &mut body.source_statements {
        statement.block = numbers[statement.block];
    }
    body.folds.retain(|fold| keep[fold.block.index()]);
    for fold in &mut body.folds {
        fold.block = numbers[fold.block];
        let instead = fold.instead.filter(|block| keep[block.index()]);
        fold.instead = instead.map(|block| numbers[block]);
    }
    body.heads.retain(|head| keep[head.block.index()]);
    for head in &mut body.heads {
        head.block = numbers[head.block];
    }
    for region in &mut body.regions {
        region.head = region.head.filter(|head| keep[head.index()]);
        region.head = region.head.map(|head| numbers[head]);
        region.blocks.retain(|block| keep[block.index()]);
        let blocks = region.blocks.iter_mut();
        blocks.for_each(|block| *block = numbers[*block]);
    }
    body.blocks = kept;
}

/// Keeps the spans that code refers to, in the order of first use.
fn drop_unused_spans(body: &mut Body) {
    let spans = std::mem::take(&mut body.spans);
    let mut numbers: IndexVec<SpanId, Option<SpanId>> = spans.iter().map(|_| None).collect();
    let mut kept: IndexVec<SpanId, Span> = IndexVec::new();
    let mut keep = |span: &mut SpanId| {
        let number = &mut numbers[*span];
        *span = *number.get_or_insert_with(|| kept.push(spans[*span].clone()));
    };
    for block in &mut body.blocks {
        let statements = block.statements.iter_mut();
        statements.for_each(|statement| keep(&mut statement.span));
        keep(&mut block.span);
    }
    for operation in &mut body.operations {
        keep(&mut operation.span);
        operation.sides.iter_mut().for_each(&mut keep);
    }
    body.spans = kept;
}

/// Sorts decisions, conditions and statements in the order of the source. Those from one macro keep
/// the order in which they were written; conditions, the order of `mapped`.
fn sort_tables(body: &mut Body, mapped: &[ConditionId]) {
    let mut ranks: IndexVec<ConditionId, usize> =
        IndexVec::from_vec(vec![mapped.len(); body.conditions.len()]);
    for (rank, &condition) in mapped.iter().enumerate() {
        ranks[condition] = rank;
    }
    let decisions = sort(&mut body.decisions, |_, decision| decision.span.place());
    let conditions = sort(&mut body.conditions, |id, condition| {
        (condition.span.place(), ranks[id])
    });
    sort(&mut body.source_statements, |_, statement| {
        statement.span.place()
    });
    body.heads.sort_by_key(|head| head.span.place());
    for fold in &mut body.folds {
        fold.decision = decisions[fold.decision];
    }
    for condition in &mut body.conditions {
        condition.decision = decisions[condition.decision];
    }
    for region in &mut body.regions {
        region.decision = region.decision.map(|decision| decisions[decision]);
    }
    for decision in &mut body.decisions {
        renumber_formula(&mut decision.formula, &conditions);
    }
    for block in &mut body.blocks {
        match &mut block.terminator {
            Terminator::Branch {
                tag: Some(BranchTag { condition, .. }),
                ..
            } => *condition = conditions[*condition],
            Terminator::Switch { decision, .. } => *decision = decisions[*decision],
            _ => {}
        }
    }
}

/// Sorts a table by a key. Returns each old number's new one.
fn sort<I: Idx, T, K: Ord>(table: &mut IndexVec<I, T>, key: impl Fn(I, &T) -> K) -> IndexVec<I, I> {
    let mut rows: Vec<(I, T)> = std::mem::take(table).into_iter_enumerated().collect();
    rows.sort_by_key(|(id, row)| key(*id, row));
    let mut numbers: IndexVec<I, I> = (0..rows.len()).map(I::from_usize).collect();
    for (old, row) in rows {
        numbers[old] = table.push(row);
    }
    numbers
}

fn renumber_formula(formula: &mut Formula, numbers: &IndexVec<ConditionId, ConditionId>) {
    match formula {
        Formula::Condition(condition) => *condition = numbers[*condition],
        Formula::Constant(_) => {}
        Formula::Not(inner) => renumber_formula(inner, numbers),
        Formula::And(left, right) | Formula::Or(left, right) => {
            renumber_formula(left, numbers);
            renumber_formula(right, numbers);
        }
    }
}
