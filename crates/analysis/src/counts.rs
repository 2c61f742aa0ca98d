//! Which parameters of a function count something: the elements of what its callers' pointers lead
//! to, or the rounds of a loop. It is a guess, by form alone.
//!
//! ```text
//! p[n + 1], *(p + n)         n counts elements
//! for (i = 0; i < n; i++)    n counts rounds, as it is compared with what a loop steps
//! while (n--)                n counts rounds, as a loop steps it
//! for (i = n - 2; i--; )     the same of a variable that begins at n, or at a part of it
//! fill(p, n + 8)             n counts if the second parameter of fill does
//! ```

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{
    BinaryOp, Body, Callee, ControlFlow, FunctionId, Local, Operand, Place, PlaceBase, Program,
    Projection, Rvalue, Statement, StatementKind, Terminator,
};

/// Calls that are followed in a row.
const DEEPEST: u32 = 16;

/// The parameters of a function that count, by their positions.
pub fn counts(program: &Program, function: FunctionId) -> BTreeSet<u32> {
    let mut known = BTreeMap::new();
    find(program, function, DEEPEST, &mut known);
    known.remove(&function).unwrap_or_default()
}

/// Finds the parameters that count, of a function and of those that it calls. A function that calls
/// itself is looked at once.
fn find(
    program: &Program,
    function: FunctionId,
    depth: u32,
    known: &mut BTreeMap<FunctionId, BTreeSet<u32>>,
) {
    let Some(body) = &program.functions[function].body else {
        return;
    };
    if depth == 0 || known.contains_key(&function) {
        return;
    }
    known.insert(function, BTreeSet::new());
    for (callee, _) in calls(body) {
        find(program, callee, depth - 1, known);
    }
    let found = of_body(program, function, body, known);
    known.insert(function, found);
}

/// The direct calls of a function, with their arguments.
fn calls(body: &Body) -> impl Iterator<Item = (FunctionId, &[Operand])> {
    body.blocks
        .iter()
        .filter_map(|block| match &block.terminator {
            Terminator::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } => Some((*callee, arguments.as_slice())),
            _ => None,
        })
}

/// The parameters of a function that count, where those of the functions that it calls are known.
fn of_body(
    program: &Program,
    function: FunctionId,
    body: &Body,
    known: &BTreeMap<FunctionId, BTreeSet<u32>>,
) -> BTreeSet<u32> {
    let (types, function) = (&program.types, &program.functions[function]);
    let flow = graph(body, statements(body), sources);
    let loops = ControlFlow::new(body).on_cycles();
    let blocks = body.blocks.iter_enumerated();
    let in_loops = blocks.filter(|(block, _)| loops.contains(block.index()));
    let in_loops = in_loops.flat_map(|(_, block)| &block.statements);
    let steps = graph(body, in_loops, stepped).on_cycles();
    let beginning = graph(body, statements(body), less);
    let is_pointer = |&local: &Local| types.pointee(body.locals[local].ty).is_some();
    let pointers = function.parameter_locals().filter(is_pointer);
    let theirs = flow.reachable(pointers);
    let numbers = function
        .parameter_locals()
        .filter(|local| types.int(body.locals[*local].ty).is_some());
    let counting = numbers.filter(|&number| {
        let values = flow.reachable([number]);
        let begun = beginning.reachable([number]);
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
        let is_passed = |(callee, arguments): (FunctionId, &[Operand])| {
            let counting = known.get(&callee).into_iter().flatten();
            let mut passed = counting.filter_map(|&at| arguments.get(at as usize));
            passed.any(is_value)
        };
        steps.intersection(&begun).next().is_some()
            || statements(body).any(counts)
            || calls(body).any(is_passed)
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

/// The locals that a value is, but for what is taken off.
fn less(value: &Rvalue) -> Vec<Local> {
    match value {
        Rvalue::Binary(BinaryOp::Sub, left, _) => locals(vec![left]).collect(),
        _ => stepped(value),
    }
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
