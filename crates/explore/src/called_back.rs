//! Code outside the program that may call back into it, which executions of the machine do not.

use analysis::callbacks;
use fixedbitset::FixedBitSet;
use ir::test::Bound;

use crate::code::Code;
use crate::options::Options;
use crate::{reached, world};

/// The bound that functions without a body call nothing back.
pub(crate) struct CalledBack {
    pub bound: Bound,
    /// The functions that they could call, and what runs by itself, as far as the search does not
    /// execute it in every way.
    pub functions: FixedBitSet,
    /// Those of them that are executed other than by way of the entry function: proofs by
    /// invariants are of all its executions.
    pub beside: FixedBitSet,
}

/// The call that could call back into the program, if there is one, and the functions that it could
/// call; and those that run by themselves, which no code under test calls.
pub(crate) fn called_back(code: &Code<'_>, options: &Options) -> Option<CalledBack> {
    let reached = reached(code.reach, options);
    let world = world(code.program, options);
    let call = callbacks::call_back(code.program, options.entry, &reached, world);
    let (program, entry) = (code.program, options.entry);
    let none = FixedBitSet::with_capacity(program.functions.len());
    let (mut functions, mut beside) = match call {
        Some(_) => (
            callbacks::callable_from_outside(program, entry),
            callbacks::callable_beside(program, entry),
        ),
        None => (none.clone(), none),
    };
    // The search tries the entry function with all inputs, unless something restricts these.
    let data = &program.functions[entry];
    let is_restricted = options.precondition.is_some()
        || data.name == "main"
        || data
            .parameters
            .iter()
            .any(|parameter| parameter.length.is_some());
    let is_tried = !(is_restricted && callbacks::is_called_for_others(program, entry));
    if is_tried && functions.contains(entry.index()) {
        functions.remove(entry.index());
    }
    let alone = code.program.run_by_themselves();
    functions.extend(alone.iter().map(|function| function.index()));
    beside.extend(alone.iter().map(|function| function.index()));
    let bound = call.or_else(|| {
        (!alone.is_empty()).then(|| Bound {
            kind: ir::test::BoundKind::UnknownCall,
            detail: "what runs before main, or when the program ends, is not executed".to_owned(),
            stack: Vec::new(),
        })
    })?;
    Some(CalledBack {
        bound,
        functions,
        beside,
    })
}
