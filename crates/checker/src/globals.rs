//! What the code of the whole program does to globals, by their names: which never change, and which
//! code outside of the unfolded graph may change.

use std::collections::BTreeSet;

use ir::{
    ConstantValue, FunctionId, Global, GlobalId, GlobalKind, Linkage, Operand, Origin, Place,
    PlaceBase, Program, Projection, Rvalue, StatementKind, Terminator,
};

/// The globals that some code writes, and those whose address it takes.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Written by name.
    pub written: BTreeSet<GlobalId>,
    /// The address is taken.
    pub taken: BTreeSet<GlobalId>,
    /// The functions whose address is taken.
    pub functions: BTreeSet<FunctionId>,
}

impl Uses {
    /// Those of some functions.
    pub fn of(program: &Program, functions: impl IntoIterator<Item = FunctionId>) -> Uses {
        let mut uses = Uses::default();
        for function in functions {
            let bodies = program.functions[function].body.iter();
            for block in bodies.flat_map(|body| &body.blocks) {
                for statement in &block.statements {
                    if let StatementKind::Assign(place, value) = &statement.kind {
                        uses.write(place);
                        uses.value(value);
                    }
                }
                uses.terminator(&block.terminator);
            }
        }
        uses
    }

    /// Those of all functions, and of initial values.
    pub fn everywhere(program: &Program) -> Uses {
        let mut uses = Uses::of(program, program.functions.indices());
        uses.initial_values(program);
        uses
    }

    /// Those of initial values alone.
    pub fn of_initial_values(program: &Program) -> Uses {
        let mut uses = Uses::default();
        uses.initial_values(program);
        uses
    }

    fn initial_values(&mut self, program: &Program) {
        let values = program.globals.iter();
        let values = values.filter_map(|global| global.initializer.as_ref());
        for relocation in values.flat_map(|value| &value.relocations) {
            self.constant(&relocation.target);
        }
    }

    fn write(&mut self, place: &Place) {
        if let PlaceBase::Global(global) = place.base {
            self.written.insert(global);
        }
        self.place(place);
    }

    /// Adds what a place takes the address of: nothing, but for the operands in it.
    fn place(&mut self, place: &Place) {
        if let PlaceBase::Deref(pointer) = &place.base {
            self.operand(pointer);
        }
        for step in &place.projections {
            if let Projection::Index(index) = step {
                self.operand(index);
            }
        }
    }

    fn value(&mut self, value: &Rvalue) {
        match value {
            Rvalue::AddressOf(place) => {
                if let PlaceBase::Global(global) = place.base {
                    self.taken.insert(global);
                }
                self.place(place);
            }
            Rvalue::Load(place) => self.place(place),
            Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                self.operand(operand);
            }
            Rvalue::Binary(_, left, right) | Rvalue::PointerDifference { left, right, .. } => {
                self.operand(left);
                self.operand(right);
            }
            Rvalue::PointerOffset { pointer, index, .. } => {
                self.operand(pointer);
                self.operand(index);
            }
            Rvalue::Zero(_) => {}
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                if let ir::Callee::Indirect(pointer) = callee {
                    self.operand(pointer);
                }
                arguments.iter().for_each(|argument| self.operand(argument));
                if let Some(place) = destination {
                    self.write(place);
                }
            }
            Terminator::Branch { operand, .. } | Terminator::Switch { operand, .. } => {
                self.operand(operand);
            }
            Terminator::Return(operand) => operand.iter().for_each(|it| self.operand(it)),
            Terminator::Goto(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
    }

    fn operand(&mut self, operand: &Operand) {
        if let Operand::Constant(constant) = operand {
            self.constant(&constant.value);
        }
    }

    fn constant(&mut self, value: &ConstantValue) {
        match value {
            ConstantValue::Global { global, .. } => {
                self.taken.insert(*global);
            }
            ConstantValue::Function(function) => {
                self.functions.insert(*function);
            }
            ConstantValue::Int(_) | ConstantValue::Float(_) => {}
        }
    }
}

/// Whether what a global holds can be known at all.
pub fn is_plain(program: &Program, global: &Global) -> bool {
    program.units[global.unit].origin == Origin::User
        && !global.volatile
        && !global.weak
        && !global.thread_local
        && !program.is_object_of_library(global)
}

/// Whether a global always holds its initial value: it is `const`, or no code writes it or takes its
/// address, and no other unit knows it.
pub fn is_constant(program: &Program, uses: &Uses, id: GlobalId) -> bool {
    let global = &program.globals[id];
    let is_own = matches!(
        global.kind,
        GlobalKind::File(Linkage::Internal) | GlobalKind::StaticLocal(_)
    );
    let is_used = uses.written.contains(&id) || uses.taken.contains(&id);
    let is_fixed = global.constant || global.kind == GlobalKind::StringLiteral;
    is_plain(program, global) && global.initializer.is_some() && (is_fixed || is_own && !is_used)
}

/// The number that some bits of a global's initial value are; `None` if C leaves them open or they are
/// part of an address.
pub fn initial_bits(program: &Program, global: GlobalId, first: u64, width: u32) -> Option<u128> {
    let value = program.globals[global].initializer.as_ref()?;
    let end = first + u64::from(width);
    let pointer = u64::from(program.target.pointer_width);
    let mut addresses = value.relocations.iter().map(|it| it.offset * 8);
    if addresses.any(|at| at < end && first < at + pointer) {
        return None;
    }
    let bit = |bytes: &[u8], at: u64| {
        let byte = bytes.get((at / 8) as usize).copied().unwrap_or(0);
        byte >> (at % 8) & 1
    };
    if (first..end).any(|at| bit(&value.open, at) != 0) {
        return None;
    }
    let bits = (first..end).rev();
    Some(bits.fold(0, |number, at| {
        number << 1 | u128::from(bit(&value.bytes, at))
    }))
}
