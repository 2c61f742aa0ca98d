//! Branches whose edge the path before them determines: they test locals that only constants and
//! other such locals flow into, such as loop counters. Whatever the inputs are and whatever calls
//! do, executions that reach such a branch by the same path leave it by the same edge.
//!
//! That is so in functions that do not call themselves: in others, a path does not tell whose local
//! it is.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{
    Body, CastKind, CodeIndex, ConstantValue, Local, LocalKind, Operand, Place, PlaceBase, Program,
    Rvalue, StatementKind, Terminator,
};

use crate::reach::Reach;

/// The blocks of a program that end in such a branch.
pub fn determined(program: &Program, index: &CodeIndex, reach: &Reach) -> FixedBitSet {
    let mut determined = FixedBitSet::with_capacity(index.blocks());
    for (id, function) in program.functions.iter_enumerated() {
        let Some(body) = function.body.as_ref().filter(|_| !reach.calls_itself(id)) else {
            continue;
        };
        let locals = locals(body);
        for (block, data) in body.blocks.iter_enumerated() {
            if let Terminator::Branch { operand, .. } | Terminator::Switch { operand, .. } =
                &data.terminator
                && is_determined(operand, &locals)
            {
                determined.insert(index.block(id, block).index());
            }
        }
    }
    determined
}

/// The locals of a function that hold the same on all its executions that came by the same path:
/// those that only constants and other such locals flow into.
fn locals(body: &Body) -> FixedBitSet {
    let mut flows = IndexVec::from_vec(vec![Vec::new(); body.locals.len()]);
    let mut others = FixedBitSet::with_capacity(body.locals.len());
    for (local, decl) in body.locals.iter_enumerated() {
        let is_given = decl.address_taken || decl.kind == LocalKind::Parameter;
        others.set(local.index(), is_given);
    }
    for (place, value) in assigned(body) {
        let Some(to) = local_of(place) else { continue };
        let is_whole = place.projections.is_empty();
        match value.and_then(inputs).filter(|_| is_whole) {
            Some(from) => from
                .into_iter()
                .for_each(|from: Local| flows[from].push(to)),
            None => others.insert(to.index()),
        }
    }
    let mut locals = Graph::of(flows).reachable(others.ones().map(Local::from_usize));
    locals.toggle_range(..);
    locals
}

/// What is assigned where; to some places the result of a call.
fn assigned(body: &Body) -> impl Iterator<Item = (&Place, Option<&Rvalue>)> {
    body.blocks.iter().flat_map(|block| {
        let statements = block.statements.iter();
        let assigned = statements.filter_map(|statement| match &statement.kind {
            StatementKind::Assign(place, value) => Some((place, Some(value))),
            StatementKind::StorageLive(_)
            | StatementKind::StorageLiveArray(..)
            | StatementKind::StorageDead(_) => None,
        });
        let of_call = match &block.terminator {
            Terminator::Call { destination, .. } => destination.as_ref(),
            _ => None,
        };
        assigned.chain(of_call.map(|place| (place, None)))
    })
}

fn local_of(place: &Place) -> Option<Local> {
    match place.base {
        PlaceBase::Local(local) => Some(local),
        PlaceBase::Global(_) | PlaceBase::Deref(_) => None,
    }
}

/// The locals that a value is computed from, if it is computed from nothing else but constants.
fn inputs(value: &Rvalue) -> Option<Vec<Local>> {
    let operands = match value {
        Rvalue::Use(operand)
        | Rvalue::Unary(_, operand)
        | Rvalue::Cast(CastKind::IntToInt | CastKind::IntToBool, operand, _) => vec![operand],
        Rvalue::Binary(_, left, right) => vec![left, right],
        Rvalue::Load(place) => {
            let local = local_of(place).filter(|_| place.projections.is_empty());
            return local.map(|local| vec![local]);
        }
        Rvalue::Zero(_) => Vec::new(),
        Rvalue::Cast(..)
        | Rvalue::AddressOf(_)
        | Rvalue::PointerOffset { .. }
        | Rvalue::PointerDifference { .. } => return None,
    };
    let mut locals = Vec::new();
    for operand in operands {
        match operand {
            Operand::Copy(local) => locals.push(*local),
            Operand::Constant(constant) => {
                matches!(constant.value, ConstantValue::Int(_)).then_some(())?;
            }
        }
    }
    Some(locals)
}

fn is_determined(operand: &Operand, locals: &FixedBitSet) -> bool {
    match operand {
        Operand::Copy(local) => locals.contains(local.index()),
        Operand::Constant(constant) => matches!(constant.value, ConstantValue::Int(_)),
    }
}

#[cfg(test)]
mod tests {
    use crate::Reach;
    use ir::{CodeIndex, Program};

    use super::determined;

    /// The blocks of a program.
    fn of(text: &str) -> Vec<usize> {
        let program: Program = ir::text::parse(text).expect("a program");
        let index = CodeIndex::new(&program);
        let reach = Reach::new(&program, &index);
        determined(&program, &index, &reach).ones().collect()
    }

    #[test]
    fn a_counter_that_starts_at_a_constant_is_determined() {
        let counts = "fn f(a: int) {
            _1: int
            _2: int
            bb0: _1 = 0 goto bb1
            bb1: _2 = lt _1, 3 branch _2 ? bb2 : bb4
            bb2: branch _0 ? bb3 : bb4
            bb3: _1 = add _1, 1 goto bb1
            bb4: return
        }";
        assert_eq!(of(counts), [1]);
    }

    #[test]
    fn what_comes_from_parameters_and_calls_is_not() {
        let given = "fn f(a: int) -> int {
            _1: int
            _2: int
            bb0: _1 = 0 branch _1 ? bb1 : bb2
            bb1: _1 = _0 goto bb2
            bb2: _2 = call @g() -> bb3
            bb3: branch _2 ? bb4 : bb4
            bb4: return 0
        }
        fn g() -> int {
            bb0: return 0
        }";
        assert!(of(given).is_empty());
    }

    #[test]
    fn nothing_is_in_a_function_that_calls_itself() {
        let recursive = "fn f(a: int) {
            _1: int
            bb0: _1 = 0 branch _1 ? bb1 : bb2
            bb1: call @f(_0) -> bb2
            bb2: return
        }";
        assert!(of(recursive).is_empty());
    }
}
