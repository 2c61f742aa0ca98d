//! Locals: the memory of those that need some, and their lifetimes.

use ir::test::BoundKind;

use crate::code::{ArrayCode, LocalCode};
use crate::memory::{Kind, Life, WRITTEN};
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

/// The most bytes of a variable-length array: several of them fit into the stack of a program.
const MOST_BYTES: u64 = 1 << 20;

impl Run<'_, '_> {
    /// The address of a local in memory, which is allocated when it is first used.
    pub fn local_address(&mut self, local: LocalCode) -> Flow<Value> {
        let slot = self.state.base + local.slot as usize;
        let value = self.state.stack[slot];
        if value.shadow != Shadow::Uninitialised {
            return Ok(value);
        }
        self.allocate_local(local, local.size)
    }

    /// Starts the lifetime of a local array, which has so many elements.
    pub fn start_array(&mut self, array: ArrayCode, length: Value) -> Flow<()> {
        let ArrayCode { local, element, .. } = array;
        self.end_local(self.state.base + local.slot as usize);
        let most = MOST_BYTES / element.max(1);
        let detail = format!("a variable-length array has at most {MOST_BYTES} bytes");
        let bound = (BoundKind::AllocationSize, detail);
        let length = self.fixed_within(length, array.length.bits(), most, bound)?;
        self.allocate_local(local, length * element)?;
        Ok(())
    }

    fn allocate_local(&mut self, local: LocalCode, size: u64) -> Flow<Value> {
        let slot = self.state.base + local.slot as usize;
        let id = self
            .state
            .memory
            .allocate(Kind::Local, size, local.align, 0)
            .map_err(|error| self.out_of_memory(error))?;
        let allocation = self.state.memory.get_mut(id);
        allocation.declaration.ty = Some(local.ty);
        allocation.constant = local.constant;
        allocation.declaration.guarded = local.guarded;
        allocation.declaration.padded = local.padded;
        allocation.declaration.is_register = local.is_register;
        allocation.declaration.temporary = local.temporary;
        let value = self.state.memory.pointer_to(id);
        self.state.stack[slot] = value;
        Ok(value)
    }

    /// Starts the lifetime of a local in memory at its declaration. Where control comes back to
    /// that by a jump within the block, it is the same object, with a value that is indeterminate
    /// again.
    pub fn renew_local(&mut self, slot: usize) {
        match self.state.stack[slot].shadow {
            Shadow::Pointer(id, _) if self.state.memory.get(id).life == Life::Live => {
                self.note_write(id);
                let allocation = self.state.memory.get_mut(id);
                let was_assigned = allocation.flags.iter().any(|flags| flags & WRITTEN != 0);
                allocation.declaration.is_register &= !was_assigned;
                allocation.forget();
            }
            _ => self.state.stack[slot] = Value::UNINITIALISED,
        }
    }

    /// Makes a local in a register indeterminate again. Reading it is undefined only if nothing was
    /// assigned to it before (C17 6.3.2.1p2).
    pub fn renew_register(&mut self, slot: usize) {
        if self.state.stack[slot] != Value::UNINITIALISED {
            self.state.stack[slot] = Value::RENEWED;
        }
    }

    /// Ends the lifetime of a local in memory.
    pub fn end_local(&mut self, slot: usize) {
        if let Shadow::Pointer(id, _) = self.state.stack[slot].shadow {
            self.state.memory.kill(id);
        }
        self.state.stack[slot] = Value::UNINITIALISED;
    }
}
