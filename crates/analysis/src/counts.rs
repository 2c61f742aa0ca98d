//! Which parameters of a function count something: the elements of what its callers' pointers lead
//! to, or the rounds of a loop. It is a guess, by form alone.
//!
//! ```text
//! p[n + 1], *(p + n)         n counts elements
//! for (i = 0; i < n; i++)    n counts rounds, as it is compared with what a loop steps
//! while (n--)                n counts rounds, as a loop steps it
//! ```

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{
    BinaryOp, Body, ControlFlow, Function, Local, Operand, Place, PlaceBase, Projection, Rvalue,
    Statement, StatementKind, Types,
};

/// The parameters of a function that count, by their positions.
pub fn counts(types: &Types, function: &Function) -> BTreeSet<u32> {
    let Some(body) = &function.body else {
        return BTreeSet::new();
    };
    let flow = graph(body, statements(body), sources);
    let loops = ControlFlow::new(body).on_cycles();
    let blocks = body.blocks.iter_enumerated();
    let in_loops = blocks.filter(|(block, _)| loops.contains(block.index()));
    let in_loops = in_loops.flat_map(|(_, block)| &block.statements);
    let steps = graph(body, in_loops, stepped).on_cycles();
    let is_pointer = |&local: &Local| types.pointee(body.locals[local].ty).is_some();
    let pointers = function.parameter_locals().filter(is_pointer);
    let theirs = flow.reachable(pointers);
    let numbers = function
        .parameter_locals()
        .filter(|local| types.int(body.locals[*local].ty).is_some());
    let counting = numbers.filter(|&number| {
        let values = flow.reachable([number]);
        let is_value = |operand: &Operand| is_in(operand, &values);
        let is_stepped = |operand: &Operand| is_in(operand, &steps) && !is_value(operand);
        let counts = |statement: &Statement| {
            let StatementKind::Assign(place, value) = &statement.kind else {
                return false;
            };
            if indexes(place, &theirs, &values) {
                return true;
            }
            match value {
                Rvalue::Binary(op, left, right) if op.is_comparison() => {
                    is_value(left) && is_stepped(right) || is_stepped(left) && is_value(right)
                }
                Rvalue::PointerOffset { pointer, index, .. } => {
                    is_in(pointer, &theirs) && is_value(index)
                }
                Rvalue::Load(place) | Rvalue::AddressOf(place) => indexes(place, &theirs, &values),
                _ => false,
            }
        };
        steps.contains(number.index()) || statements(body).any(counts)
    });
    counting.map(|local| local.index() as u32).collect()
}

/// Whether a place is an element of one of some objects, by one of some numbers.
fn indexes(place: &Place, objects: &FixedBitSet, numbers: &FixedBitSet) -> bool {
    let PlaceBase::Deref(pointer) = &place.base else {
        return false;
    };
    let by_number = |step: &Projection| match step {
        Projection::Index(index) => is_in(index, numbers),
        Projection::Field(_) => false,
    };
    is_in(pointer, objects) && place.projections.iter().any(by_number)
}

fn is_in(operand: &Operand, locals: &FixedBitSet) -> bool {
    matches!(operand, Operand::Copy(local) if locals.contains(local.index()))
}

/// Into which locals the value of each goes by some statements, and by the locals that an assigned
/// value is from.
fn graph<'a>(
    body: &Body,
    statements: impl Iterator<Item = &'a Statement>,
    sources: impl Fn(&Rvalue) -> Vec<Local>,
) -> Graph<Local> {
    let mut successors: IndexVec<Local, Vec<Local>> = body.locals.iter().map(|_| vec![]).collect();
    for statement in statements {
        let StatementKind::Assign(place, value) = &statement.kind else {
            continue;
        };
        let Some(to) = place.as_local() else {
            continue;
        };
        for from in sources(value) {
            successors[from].push(to);
        }
    }
    Graph::of(successors)
}

/// The locals that a value is computed from, or read through.
fn sources(value: &Rvalue) -> Vec<Local> {
    let operands = match value {
        Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
            vec![operand]
        }
        Rvalue::Binary(op, left, right) if !op.is_comparison() => vec![left, right],
        Rvalue::PointerOffset { pointer, .. } => vec![pointer],
        Rvalue::Load(Place { base, .. }) | Rvalue::AddressOf(Place { base, .. }) => match base {
            PlaceBase::Deref(pointer) => vec![pointer],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    locals(operands).chain(read(value)).collect()
}

/// The locals from which a value is at a constant distance.
fn stepped(value: &Rvalue) -> Vec<Local> {
    let operands = match value {
        Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => vec![operand],
        Rvalue::Binary(BinaryOp::Add, left, right) => match (left, right) {
            (Operand::Copy(_), Operand::Copy(_)) => Vec::new(),
            _ => vec![left, right],
        },
        Rvalue::Binary(BinaryOp::Sub, left, Operand::Constant(_)) => vec![left],
        _ => Vec::new(),
    };
    locals(operands).chain(read(value)).collect()
}

fn locals<'a>(operands: Vec<&'a Operand>) -> impl Iterator<Item = Local> + use<'a> {
    operands.into_iter().filter_map(|operand| match operand {
        Operand::Copy(local) => Some(*local),
        Operand::Constant(_) => None,
    })
}

/// The local that a value is read from.
fn read(value: &Rvalue) -> Option<Local> {
    match value {
        Rvalue::Load(place) => place.as_local(),
        _ => None,
    }
}

fn statements(body: &Body) -> impl Iterator<Item = &Statement> {
    body.blocks.iter().flat_map(|block| &block.statements)
}
