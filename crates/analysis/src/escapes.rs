//! Which objects functions outside the program may have got the address of. Some surely can: code passes
//! the address to a function without a body, returns it from a function that others can call, or stores it
//! where others see it. Where it is stored in memory of the program, they may get it from there. A
//! function of the C library, and one that attest has a model of, keeps no address.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::library::keeps_for_others;
use ir::{
    Body, Callee, ConstantValue, Function, FunctionId, Global, GlobalId, GlobalKind, Linkage,
    Local, Operand, Origin, Place, PlaceBase, Program, Rvalue, StatementKind, Terminator, Type,
};

use crate::operands::operands;

/// Whether an address gets out of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Escape {
    Never,
    /// It lies in memory of the program.
    Perhaps,
    Surely,
}

/// The globals whose address may be known outside the program.
pub(crate) struct Escaped {
    /// Those of which nothing speaks against it.
    pub surely: FixedBitSet,
    /// Others.
    pub perhaps: FixedBitSet,
}

/// The globals whose address may be known outside the program.
pub(crate) fn escaped(program: &Program) -> Escaped {
    let lost = lost_parameters(program);
    let none = FixedBitSet::with_capacity(program.globals.len());
    let mut found = Escaped {
        surely: none.clone(),
        perhaps: none,
    };
    let mut add = |global: GlobalId, escape: Escape| match escape {
        Escape::Never => {}
        Escape::Perhaps => found.perhaps.insert(global.index()),
        Escape::Surely => found.surely.insert(global.index()),
    };
    for (id, function) in program.functions.iter_enumerated() {
        let Some(body) = &function.body else { continue };
        if program.origin(id) == Origin::Model {
            continue;
        }
        for global in globals_of(body) {
            let address = Address::Global(global);
            add(global, escapes(program, (id, body), &lost, address));
        }
    }
    for global in &program.globals {
        let escape = match is_seen_by_others(global) {
            true => Escape::Surely,
            false => Escape::Perhaps,
        };
        for relocation in global.initializer.iter().flat_map(|data| &data.relocations) {
            if let ConstantValue::Global { global: target, .. } = relocation.target {
                add(target, escape);
            }
        }
    }
    found
}

fn is_seen_by_others(global: &Global) -> bool {
    global.kind == GlobalKind::File(Linkage::External)
}

/// An address that is followed through a function.
#[derive(Clone, Copy)]
enum Address {
    Global(GlobalId),
    Parameter(Local),
}

/// For each function, how addresses get out of the program through its parameters.
type Lost = IndexVec<FunctionId, Vec<Escape>>;

fn lost_parameters(program: &Program) -> Lost {
    let parameters = |function: &Function| vec![Escape::Never; function.parameter_names.len()];
    let mut lost: Lost = program.functions.iter().map(parameters).collect();
    loop {
        let mut is_stable = true;
        for (id, function) in program.functions.iter_enumerated() {
            let Some(body) = &function.body else { continue };
            if program.origin(id) == Origin::Model {
                continue;
            }
            for (index, local) in function.parameters().enumerate() {
                let address = Address::Parameter(local);
                let escape = escapes(program, (id, body), &lost, address);
                if escape > lost[id][index] {
                    lost[id][index] = escape;
                    is_stable = false;
                }
            }
        }
        if is_stable {
            return lost;
        }
    }
}

/// Whether an address gets out of a function.
fn escapes(
    program: &Program,
    (function, body): (FunctionId, &Body),
    lost: &Lost,
    address: Address,
) -> Escape {
    let mut held = FixedBitSet::with_capacity(body.locals.len());
    if let Address::Parameter(local) = address {
        held.insert(local.index());
    }
    let mut escape = Escape::Never;
    loop {
        let before = held.count_ones(..);
        for block in &body.blocks {
            for statement in &block.statements {
                let StatementKind::Assign(place, value) = &statement.kind else {
                    continue;
                };
                if gives(value, address, &held) {
                    match (&place.base, place.projections.is_empty()) {
                        (PlaceBase::Local(local), true) => held.insert(local.index()),
                        _ => escape = escape.max(stored(program, place)),
                    }
                }
                if let Rvalue::AddressOf(place) = value
                    && let PlaceBase::Local(local) = place.base
                    && held.contains(local.index())
                {
                    escape = escape.max(Escape::Perhaps);
                }
            }
            let end = leaves(program, (function, &block.terminator), lost, address, &held);
            escape = escape.max(end);
        }
        if held.count_ones(..) == before {
            return escape;
        }
    }
}

/// Whether an address gets out that is stored in a place.
fn stored(program: &Program, place: &Place) -> Escape {
    match place.base {
        PlaceBase::Local(_) => Escape::Perhaps,
        PlaceBase::Global(global) if !is_seen_by_others(&program.globals[global]) => {
            Escape::Perhaps
        }
        PlaceBase::Global(_) | PlaceBase::Deref(_) => Escape::Surely,
    }
}

/// Whether a value is the address, or made from it.
fn gives(value: &Rvalue, address: Address, held: &FixedBitSet) -> bool {
    let is_it = |operand: &Operand| is_address(operand, address, held);
    match value {
        Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
            is_it(operand)
        }
        Rvalue::AddressOf(place) => match &place.base {
            PlaceBase::Global(global) => matches!(address, Address::Global(of) if of == *global),
            PlaceBase::Deref(pointer) => is_it(pointer),
            PlaceBase::Local(_) => false,
        },
        Rvalue::Binary(op, left, right) => !op.is_comparison() && (is_it(left) || is_it(right)),
        Rvalue::PointerOffset { pointer, .. } => is_it(pointer),
        Rvalue::Load(_) | Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => false,
    }
}

fn is_address(operand: &Operand, address: Address, held: &FixedBitSet) -> bool {
    match operand {
        Operand::Copy(local) => held.contains(local.index()),
        Operand::Constant(constant) => match (constant.value.clone(), address) {
            (ConstantValue::Global { global, .. }, Address::Global(of)) => global == of,
            _ => false,
        },
    }
}

/// Whether an address gets out of a function where a block ends.
fn leaves(
    program: &Program,
    (function, terminator): (FunctionId, &Terminator),
    lost: &Lost,
    address: Address,
    held: &FixedBitSet,
) -> Escape {
    let is_it = |operand: &Operand| is_address(operand, address, held);
    match terminator {
        Terminator::Return(Some(operand)) if is_it(operand) => {
            match program.functions[function].linkage {
                Linkage::External => Escape::Surely,
                Linkage::Internal | Linkage::Inline => Escape::Perhaps,
            }
        }
        Terminator::Call {
            callee, arguments, ..
        } => {
            let passed = arguments.iter().enumerate().filter(|(_, it)| is_it(it));
            let passed = passed.map(|(index, _)| match callee {
                Callee::Indirect(_) => Escape::Surely,
                Callee::Direct(callee) => given_to(program, *callee, lost, index),
            });
            passed.max().unwrap_or(Escape::Never)
        }
        _ => Escape::Never,
    }
}

/// Whether an address gets out that is an argument of a function.
fn given_to(program: &Program, callee: FunctionId, lost: &Lost, index: usize) -> Escape {
    let function = &program.functions[callee];
    let keeps_none = program.origin(callee) == Origin::Model
        || ir::library::is_known(&program.types, function)
        || program.keeps_to_itself(callee) && !keeps_for_others(&function.name);
    match (&function.body, lost[callee].get(index)) {
        // What it returns may be what it is given.
        _ if keeps_none => Escape::Perhaps.min(returned(program, callee)),
        (Some(_), Some(&escape)) => escape,
        _ => Escape::Surely,
    }
}

/// Whether what a function is given may be in what it returns.
fn returned(program: &Program, callee: FunctionId) -> Escape {
    let types = &program.types;
    match types.kind(program.functions[callee].ty) {
        Type::Function(ty) if types.has_pointers(ty.result) => Escape::Perhaps,
        _ => Escape::Never,
    }
}

/// The globals whose address is taken in a function.
fn globals_of(body: &Body) -> BTreeSet<GlobalId> {
    let constants = operands(body).filter_map(|operand| match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Global { global, .. } => Some(global),
            _ => None,
        },
        Operand::Copy(_) => None,
    });
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    let places = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(
            _,
            Rvalue::AddressOf(Place {
                base: PlaceBase::Global(global),
                ..
            }),
        ) => Some(*global),
        _ => None,
    });
    constants.chain(places).collect()
}
