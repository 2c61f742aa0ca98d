//! Which globals are inputs of an entry function.
//!
//! DESIGN's rule: mutable objects of file scope that the entry may read are inputs. Statics that
//! nothing in the unit writes and whose address does not escape keep their initial values, so that
//! a table that merely lacks `const` is a constant. Objects with external linkage are treated alike
//! if the units are the whole program. An object that no unit defines is always an input. Mutable
//! static locals and compound literals, which no test can set, keep their initial values: a bound.

use fixedbitset::FixedBitSet;
use ir::library::is_stream;
use ir::{
    BlockData, Callee, ConstantValue, ERRNO_OF_MODELS, FunctionId, GlobalId, GlobalKind, Linkage,
    Operand, Origin, Place, PlaceBase, Program, Projection, Rvalue, StatementKind, Terminator,
};

use crate::callbacks::callable_from_outside;
use crate::escapes::Escaped;

/// How the code of some functions touches globals.
#[derive(Clone, Debug)]
pub struct GlobalUses {
    /// Those that it reads, by name.
    pub read: FixedBitSet,
    /// Those that it writes, by name.
    pub written: FixedBitSet,
    /// Those of which it takes the address.
    pub escaped: FixedBitSet,
}

impl GlobalUses {
    /// The uses of all functions, and of initial values.
    pub fn everywhere(program: &Program) -> Self {
        let mut everywhere = GlobalUses::of(program, program.functions.indices());
        for global in &program.globals {
            for relocation in global.initializer.iter().flat_map(|data| &data.relocations) {
                if let ConstantValue::Global { global: target, .. } = relocation.target {
                    everywhere.escaped.insert(target.index());
                }
            }
        }
        everywhere
    }

    /// The uses of some functions.
    pub fn of(program: &Program, functions: impl IntoIterator<Item = FunctionId>) -> Self {
        let mut uses = GlobalUses::new(program);
        for function in functions {
            uses.function(program, function);
        }
        uses
    }

    /// Those that it may write, by name or through their address.
    pub fn changed(&self) -> FixedBitSet {
        &self.written | &self.escaped
    }

    pub(crate) fn new(program: &Program) -> Self {
        let none = FixedBitSet::with_capacity(program.globals.len());
        GlobalUses {
            read: none.clone(),
            written: none.clone(),
            escaped: none,
        }
    }

    /// Whether a global is read, written, or its address taken.
    pub(crate) fn touches(&self, global: GlobalId) -> bool {
        let bit = global.index();
        self.read.contains(bit) || self.written.contains(bit) || self.escaped.contains(bit)
    }

    fn operand(&mut self, operand: &Operand) {
        if let Operand::Constant(constant) = operand
            && let ConstantValue::Global { global, .. } = constant.value
        {
            self.escaped.insert(global.index());
        }
    }

    /// Operands inside a place, and the global that the place lies in.
    fn place(&mut self, place: &Place) -> Option<GlobalId> {
        for projection in &place.projections {
            if let Projection::Index(index) = projection {
                self.operand(index);
            }
        }
        match &place.base {
            PlaceBase::Global(global) => Some(*global),
            PlaceBase::Deref(pointer) => {
                self.operand(pointer);
                None
            }
            PlaceBase::Local(_) => None,
        }
    }

    fn write(&mut self, place: &Place) {
        if let Some(global) = self.place(place) {
            self.written.insert(global.index());
        }
    }

    fn rvalue(&mut self, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(operand) | Rvalue::Unary(_, operand) | Rvalue::Cast(_, operand, _) => {
                self.operand(operand);
            }
            Rvalue::Load(place) => {
                if let Some(global) = self.place(place) {
                    self.read.insert(global.index());
                }
            }
            Rvalue::AddressOf(place) => {
                if let Some(global) = self.place(place) {
                    self.escaped.insert(global.index());
                }
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
            Terminator::Branch { operand, .. }
            | Terminator::Switch { operand, .. }
            | Terminator::Return(Some(operand)) => self.operand(operand),
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                if let Callee::Indirect(pointer) = callee {
                    self.operand(pointer);
                }
                arguments.iter().for_each(|argument| self.operand(argument));
                if let Some(destination) = destination {
                    self.write(destination);
                }
            }
            Terminator::Goto(_)
            | Terminator::Return(None)
            | Terminator::Unreachable
            | Terminator::Unsupported { .. } => {}
        }
    }

    pub(crate) fn function(&mut self, program: &Program, function: FunctionId) {
        let body = program.functions[function].body.as_ref();
        for block in body.iter().flat_map(|body| &body.blocks) {
            self.block(block);
        }
    }

    fn block(&mut self, block: &BlockData) {
        for statement in &block.statements {
            if let StatementKind::Assign(place, rvalue) = &statement.kind {
                self.rvalue(rvalue);
                self.write(place);
            }
        }
        self.terminator(&block.terminator);
    }
}

/// Whether other code may use the program's globals with external linkage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// There may be units that are not read, and functions without a body come from them.
    Open,
    /// The units that are read are the whole program.
    Closed,
}

/// The roles of globals, for the search and the machine.
#[derive(Clone, Debug, Default)]
pub struct GlobalRoles {
    /// Globals whose initial contents are inputs, in order.
    pub inputs: Vec<GlobalId>,
    /// Constants whose addresses escape, in order.
    pub constants: Vec<GlobalId>,
    /// Globals that the entry may read and that other code may change, in order.
    pub changing: Vec<GlobalId>,
    /// Mutable static locals and compound literals, which no test can set, in order.
    pub kept: Vec<GlobalId>,
    /// Those of them that code outside may have pointers to from an earlier call, and what other
    /// units of a program may have pointers to when `main` is called, in order.
    pub known_kept: Vec<GlobalId>,
    /// Statics that the entry may read and that functions of the program may change which other
    /// code could call.
    pub called_back: Vec<GlobalId>,
    /// All that functions of the program use which other code could call: what the pointers in them
    /// lead to may change.
    pub looked_at_back: Vec<GlobalId>,
    /// Statics that no code has the address of, in order.
    pub unaddressed: Vec<GlobalId>,
}

/// Finds the globals that are inputs of `entry`, given the functions that it can reach.
pub fn roles(
    program: &Program,
    entry: FunctionId,
    reached: &[FunctionId],
    world: World,
) -> GlobalRoles {
    let everywhere = GlobalUses::everywhere(program);
    let mut here = GlobalUses::new(program);
    for &function in reached {
        here.function(program, function);
    }
    // Before `main`, everything is as C says.
    let is_main = program.functions[entry].name == "main";
    let mut roles = GlobalRoles::default();
    // Nothing calls `main` again.
    let mut others = GlobalUses::new(program);
    for function in callable_from_outside(program, entry).ones() {
        others.function(program, FunctionId::from_usize(function));
    }
    let known_outside = Escaped::new(program);
    for (id, global) in program.globals.iter_enumerated() {
        let bit = id.index();
        let is_used_elsewhere =
            world == World::Open && global.kind == GlobalKind::File(Linkage::External);
        // An input pointer may lead to one that others know, also to one that is only written.
        let touched = here.read.contains(bit)
            || everywhere.escaped.contains(bit)
            || is_used_elsewhere && here.written.contains(bit);
        let changes = everywhere.written.contains(bit)
            || everywhere.escaped.contains(bit)
            || global.initializer.is_none()
            || global.volatile
            || is_used_elsewhere;
        let is_user = program.units[global.unit].origin == Origin::User;
        let is_used_back = others.read.contains(bit)
            || others.written.contains(bit)
            || others.escaped.contains(bit);
        if is_user && is_used_back {
            roles.looked_at_back.push(id);
        }
        let is_addressed = everywhere.escaped.contains(bit)
            || known_outside.surely.contains(bit)
            || known_outside.perhaps.contains(bit);
        if global.kind == GlobalKind::File(Linkage::Internal) && !is_addressed {
            roles.unaddressed.push(id);
        }
        // Other code may call the same functions of the C library.
        let is_model_state = program.units[global.unit].origin == Origin::Model
            && !global.constant
            && global.kind != GlobalKind::StringLiteral
            && global.name != ERRNO_OF_MODELS;
        if is_model_state && (here.read.contains(bit) || here.written.contains(bit)) {
            roles.called_back.push(id);
        }
        let mutable = !global.constant && is_user;
        let is_file = matches!(global.kind, GlobalKind::File(_));
        let is_static = is_file
            || matches!(
                global.kind,
                GlobalKind::StaticLocal(_) | GlobalKind::CompoundLiteral
            );
        let is_shared =
            is_used_elsewhere || known_outside.surely.contains(bit) || global.initializer.is_none();
        // A write through its address counts too.
        let others_change = others.written.contains(bit)
            || others.escaped.contains(bit)
            || known_outside.perhaps.contains(bit);
        // Of what tests cannot name, changes by others are no inputs.
        let is_narrowed = match is_file {
            true => !is_shared && others_change,
            false => is_shared || others_change,
        };
        if is_static && mutable && touched && is_narrowed {
            roles.called_back.push(id);
        }
        match global.kind {
            GlobalKind::File(_) if mutable && touched && changes => {
                // C does not let programs assign to the standard streams; with glibc, programs can.
                let is_stream = is_stream(global) && global.initializer.is_none();
                let is_assigned =
                    everywhere.written.contains(bit) || everywhere.escaped.contains(bit);
                let is_fixed = is_stream && !is_assigned;
                if is_shared && !is_fixed {
                    roles.changing.push(id);
                }
                match is_main {
                    false => roles.inputs.push(id),
                    // Pointers from other units may lead there, which is not offered.
                    true if is_shared || is_addressed => roles.known_kept.push(id),
                    true => {}
                }
            }
            GlobalKind::File(_)
                if global.constant && is_user && everywhere.escaped.contains(bit) =>
            {
                roles.constants.push(id);
            }
            GlobalKind::StaticLocal(_) | GlobalKind::CompoundLiteral
                if mutable && touched && changes && is_main && is_addressed =>
            {
                roles.known_kept.push(id);
            }
            GlobalKind::StaticLocal(_) | GlobalKind::CompoundLiteral
                if mutable && touched && changes && !is_main =>
            {
                roles.kept.push(id);
                if known_outside.surely.contains(bit) || known_outside.perhaps.contains(bit) {
                    roles.known_kept.push(id);
                }
            }
            _ => {}
        }
    }
    roles
}
