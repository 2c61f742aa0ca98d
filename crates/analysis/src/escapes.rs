//! Which objects functions outside the program may have got the address of. Some surely can: code
//! passes the address to a function without a body, returns it from a function that others can
//! call, or stores it where others see it. Where it is stored in memory of the program, they may
//! get it from there. A function of the C library, and one that attest has a model of, keeps no
//! address.
//!
//! Addresses are followed through locals and arguments ([`crate::value_flow`]), whatever the order
//! of statements is.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::library::{is_known, keeps_for_others};
use ir::{
    Body, Callee, ConstantValue, FunctionId, Global, GlobalId, GlobalKind, Linkage, Local, Operand,
    Origin, Place, PlaceBase, Program, Rvalue, StatementKind, Terminator, Type,
};

use crate::value_flow::{Holder, ValueFlow};

/// How an address gets out of the program, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    Never,
    /// It lies in memory of the program.
    Perhaps,
    Surely,
}

/// The globals whose address may be known outside the program.
#[derive(Clone, Debug)]
pub struct Escaped {
    /// The globals that other code certainly can reach.
    pub surely: FixedBitSet,
    /// The globals whose address only lies in memory of the program.
    pub perhaps: FixedBitSet,
}

impl Escaped {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        let mut addresses = Addresses::new(program);
        for (id, function) in program.functions.iter_enumerated() {
            if let Some(body) = &function.body
                && program.origin(id) != Origin::Model
            {
                addresses.function(id, body);
            }
        }
        program
            .globals
            .iter()
            .for_each(|global| addresses.initializer(global));
        addresses.escaped()
    }
}

/// Whether code outside the program sees an object by its name.
fn is_seen_by_others(global: &Global) -> bool {
    global.kind == GlobalKind::File(Linkage::External)
}

/// Where addresses flow.
struct Addresses<'p> {
    program: &'p Program,
    flow: ValueFlow,
    /// The address of each global.
    globals: IndexVec<GlobalId, Holder>,
    /// Memory of the program.
    memory: Holder,
    /// What is outside.
    outside: Holder,
}

impl<'p> Addresses<'p> {
    fn new(program: &'p Program) -> Self {
        let mut flow = ValueFlow::new(program);
        let globals = program.globals.iter();
        Addresses {
            program,
            globals: globals.map(|_| flow.add()).collect(),
            memory: flow.add(),
            outside: flow.add(),
            flow,
        }
    }

    /// Adds what flows in a function.
    fn function(&mut self, function: FunctionId, body: &Body) {
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    self.assignment(function, place, value);
                }
            }
            match &block.terminator {
                Terminator::Return(Some(operand)) => {
                    let escape = match self.program.functions[function].linkage {
                        Linkage::External => Escape::Surely,
                        Linkage::Internal | Linkage::Inline => Escape::Perhaps,
                    };
                    self.escape(self.operand(function, operand), escape);
                }
                Terminator::Call {
                    callee, arguments, ..
                } => {
                    for (index, argument) in arguments.iter().enumerate() {
                        if let Some(given) = self.operand(function, argument) {
                            self.argument(callee, index, given);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn assignment(&mut self, function: FunctionId, place: &Place, value: &Rvalue) {
        for from in self.sources(function, value) {
            match (&place.base, place.projections.is_empty()) {
                (PlaceBase::Local(local), true) => {
                    let to = self.flow.locals.holder(function, *local);
                    self.flow.flow(from, to);
                }
                _ => self.escape(Some(from), self.stored(place)),
            }
        }
        // What has an address is memory.
        if let Rvalue::AddressOf(place) = value
            && let PlaceBase::Local(local) = place.base
        {
            let holder = self.flow.locals.holder(function, local);
            self.escape(Some(holder), Escape::Perhaps);
        }
    }

    /// Adds that what something holds gets out of the program.
    fn escape(&mut self, from: Option<Holder>, escape: Escape) {
        let to = match escape {
            Escape::Never => None,
            Escape::Perhaps => Some(self.memory),
            Escape::Surely => Some(self.outside),
        };
        if let (Some(from), Some(to)) = (from, to) {
            self.flow.flow(from, to);
        }
    }

    /// How an address gets out that is stored in a place.
    fn stored(&self, place: &Place) -> Escape {
        match place.base {
            PlaceBase::Local(_) => Escape::Perhaps,
            PlaceBase::Global(global) if !is_seen_by_others(&self.program.globals[global]) => {
                Escape::Perhaps
            }
            PlaceBase::Global(_) | PlaceBase::Deref(_) => Escape::Surely,
        }
    }

    /// What a value is made from, if that may be an address.
    fn sources(&self, function: FunctionId, value: &Rvalue) -> Vec<Holder> {
        let operands: &[&Operand] = match value {
            Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                &[operand]
            }
            Rvalue::AddressOf(place) => match &place.base {
                PlaceBase::Global(global) => return vec![self.globals[*global]],
                PlaceBase::Deref(pointer) => &[pointer],
                PlaceBase::Local(_) => &[],
            },
            Rvalue::Binary(op, ..) if op.is_comparison() => &[],
            Rvalue::Binary(_, left, right) => &[left, right],
            Rvalue::PointerOffset { pointer, .. } => &[pointer],
            Rvalue::Load(_) | Rvalue::PointerDifference { .. } | Rvalue::Zero(_) => &[],
        };
        let operands = operands.iter();
        operands
            .filter_map(|operand| self.operand(function, operand))
            .collect()
    }

    /// What holds the value of an operand.
    fn operand(&self, function: FunctionId, operand: &Operand) -> Option<Holder> {
        match operand {
            Operand::Copy(local) => Some(self.flow.locals.holder(function, *local)),
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Global { global, .. } => Some(self.globals[global]),
                _ => None,
            },
        }
    }

    /// Adds what is given to a function as one of its arguments.
    fn argument(&mut self, callee: &Callee, index: usize, given: Holder) {
        let Callee::Direct(callee) = *callee else {
            return self.escape(Some(given), Escape::Surely);
        };
        let program = self.program;
        let function = &program.functions[callee];
        let keeps_none = program.origin(callee) == Origin::Model
            || is_known(&program.types, function)
            || program.keeps_to_itself(callee) && !keeps_for_others(&function.name);
        match &function.body {
            // What it returns may be what it is given.
            _ if keeps_none => self.escape(Some(given), returned(program, callee)),
            Some(_) if index < function.parameters.len() => {
                let parameter = self.flow.locals.holder(callee, Local::from_usize(index));
                self.flow.flow(given, parameter);
            }
            _ => self.escape(Some(given), Escape::Surely),
        }
    }

    /// Adds the pointers that an object is initialised with.
    fn initializer(&mut self, global: &Global) {
        let escape = match is_seen_by_others(global) {
            true => Escape::Surely,
            false => Escape::Perhaps,
        };
        for relocation in global.initializer.iter().flat_map(|data| &data.relocations) {
            if let ConstantValue::Global { global: target, .. } = relocation.target {
                self.escape(Some(self.globals[target]), escape);
            }
        }
    }

    /// The globals whose addresses reach what is outside, or memory.
    fn escaped(self) -> Escaped {
        let (_, flow) = self.flow.into_graph();
        let back = flow.reversed();
        let none = FixedBitSet::with_capacity(self.globals.len());
        let mut escaped = Escaped {
            surely: none.clone(),
            perhaps: none,
        };
        let surely = back.reachable([self.outside]);
        let perhaps = back.reachable([self.memory]);
        for (id, holder) in self.globals.iter_enumerated() {
            let is_sure = surely.contains(holder.index());
            let is_held = perhaps.contains(holder.index());
            escaped.surely.set(id.index(), is_sure);
            escaped.perhaps.set(id.index(), is_held && !is_sure);
        }
        escaped
    }
}

/// Whether what a function is given may be in what it returns, which lies in memory of the program
/// then.
fn returned(program: &Program, callee: FunctionId) -> Escape {
    let types = &program.types;
    match types.kind(program.functions[callee].ty) {
        Type::Function(ty) if types.has_pointers(ty.result) => Escape::Perhaps,
        _ => Escape::Never,
    }
}
