//! Rejecting blocks: control that enters one reaches only an assumption that never holds.
//!
//! A parser that calls `fail()` on a text that is no program, and assumes in `fail` that this does
//! not happen, has many such blocks. An execution that enters one is rejected: it covers no goal,
//! and no operation on the path there can be a defect.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{
    Block, BlockData, Body, Callee, CodeBlock, CodeIndex, FunctionId, Local, LocalKind, Operand,
    Place, PlaceBase, Program, Rvalue, StatementKind, Terminator,
};
use semantics::{Code, Concrete, Source};

/// The rejecting blocks of a program. `is_assumption` tells which functions assume their argument.
pub fn rejecting(
    program: &Program,
    index: &CodeIndex,
    is_assumption: impl Fn(FunctionId) -> bool,
) -> FixedBitSet {
    // For each block those that do nothing but lead to it.
    let mut led = IndexVec::from_vec(vec![Vec::new(); index.blocks()]);
    let mut rejected = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        let body = function.body.iter();
        let blocks = body.flat_map(|body| {
            let blocks = body.blocks.iter_enumerated();
            blocks.map(move |(block, data)| (body, block, data))
        });
        for (body, block, data) in blocks {
            if !data
                .statements
                .iter()
                .all(|statement| is_idle(statement, body))
            {
                continue;
            }
            let here = index.block(id, block);
            let code = Code::new(program, body);
            match &data.terminator {
                Terminator::Goto(next) => led[index.block(id, *next)].push(here),
                Terminator::Call {
                    callee: Callee::Direct(callee),
                    arguments,
                    ..
                } if arguments.iter().all(|given| is_safe(given, body)) => {
                    if is_assumption(*callee) {
                        let assumed = arguments.first();
                        rejected.extend(assumed.filter(|it| is_zero(it, code, data)).map(|_| here));
                    } else if let Some(entry) = entry(program, index, *callee) {
                        led[entry].push(here);
                    }
                }
                _ => {}
            }
        }
    }
    Graph::of(led).reachable(rejected)
}

/// The first block of a function, if it has one.
fn entry(program: &Program, index: &CodeIndex, function: FunctionId) -> Option<CodeBlock> {
    let body = program.functions.get(function)?.body.as_ref()?;
    let has_blocks = !body.blocks.is_empty();
    has_blocks.then(|| index.block(function, Block::from_raw(0)))
}

/// Whether a statement cannot be a defect and changes nothing but temporaries and locals.
fn is_idle(statement: &ir::Statement, body: &Body) -> bool {
    match &statement.kind {
        StatementKind::StorageLive(_) | StatementKind::StorageDead(_) => true,
        StatementKind::StorageLiveArray(..) => false,
        StatementKind::Assign(place, value) => {
            let is_local = matches!(place.base, PlaceBase::Local(_));
            let is_plain = match value {
                Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => is_safe(operand, body),
                Rvalue::Binary(op, left, right) => {
                    op.is_comparison() && is_safe(left, body) && is_safe(right, body)
                }
                _ => false,
            };
            is_local && place.projections.is_empty() && is_plain
        }
    }
}

/// Whether an operand has a value at all.
fn is_safe(operand: &Operand, body: &Body) -> bool {
    match operand {
        Operand::Constant(_) => true,
        Operand::Copy(local) => body.locals[*local].kind != LocalKind::Variable,
    }
}

/// Whether an operand at the end of a block is zero, as its statements tell.
fn is_zero(operand: &Operand, code: Code<'_>, data: &BlockData) -> bool {
    let mut before = Before {
        code,
        data,
        end: data.statements.len(),
    };
    code.operand(&mut Concrete, &mut before, operand) == Some(0)
}

/// The values that the first statements of a block give to locals.
struct Before<'a> {
    code: Code<'a>,
    data: &'a BlockData,
    /// How many statements.
    end: usize,
}

impl Source<Concrete> for Before<'_> {
    fn local(&mut self, domain: &mut Concrete, local: Local) -> Option<u128> {
        let is_of_local = |at: &usize| match &self.data.statements[*at].kind {
            StatementKind::Assign(place, _) => {
                matches!(place.base, PlaceBase::Local(it) if it == local)
            }
            _ => false,
        };
        let end = (0..self.end).rev().find(is_of_local)?;
        let StatementKind::Assign(_, given) = &self.data.statements[end].kind else {
            return None;
        };
        let before = &mut Before { end, ..*self };
        let evaluated = self.code.rvalue(domain, before, given)?;
        let is_defined = evaluated.requirements.iter().all(|&(_, holds)| holds);
        is_defined.then_some(evaluated.value)
    }

    fn load(&mut self, _: &mut Concrete, _: &Place) -> Option<u128> {
        None
    }
}
