//! Inputs that the code declares.

use ir::{IntName, Type, TypeId};

use crate::passed::Passed;
use crate::primitives::{Arguments, argument};
use crate::run::Run;
use crate::stop::Flow;

/// The longest name of an input.
const LONGEST_NAME: u64 = 200;

impl Run<'_, '_> {
    /// Makes memory an input: pointer, size, name.
    pub fn input(&mut self, arguments: Arguments) -> Flow<Passed> {
        let pointer = argument(self, arguments, 0)?;
        let size = argument(self, arguments, 1)?;
        let name = argument(self, arguments, 2)?;
        let size = self.fixed(size) as u64;
        if size == 0 {
            return Ok(Passed::Nothing);
        }
        let name = String::from_utf8_lossy(&self.peek_text(name, LONGEST_NAME)).into_owned();
        let (id, offset) = self.fixed_address(pointer.into(), size)?;
        self.writable(id, (offset, offset + size))?;
        self.declare_input(id, offset, size, name)?;
        Ok(Passed::Nothing)
    }

    /// The type `int`, or some type where the program has none.
    pub fn int_type(&self) -> TypeId {
        self.code
            .program
            .types
            .iter()
            .find(|(_, info)| matches!(&info.kind, Type::Int(int) if int.name == IntName::Int))
            .map_or_else(|| self.character_type(), |(id, _)| id)
    }
}
