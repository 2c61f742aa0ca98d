//! Primitives that the models of `malloc` and of string.h stand on.

use ir::input::{InputCell, Root};
use ir::test::BoundKind;

use crate::memory::{INITIALISED, Kind, MALLOC_ALIGN};
use crate::objects::filled;
use crate::passed::Passed;
use crate::primitives::{Arguments, argument, number_result};
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value};

impl Run<'_, '_> {
    /// A size that is about to be used; a symbolic one is fixed.
    fn size_argument(&mut self, arguments: Arguments, index: usize) -> Flow<u64> {
        let value = argument(self, arguments, index)?;
        let bits = self.fixed(value);
        match u64::try_from(bits) {
            Ok(size) => Ok(size),
            Err(_) => Err(self.unsupported("a size of more than 64 bits")),
        }
    }

    pub fn allocate(&mut self, arguments: Arguments, flags: u8) -> Flow<Passed> {
        let size = self.size_argument(arguments, 0)?;
        self.allocate_heap(size, MALLOC_ALIGN, flags)
    }

    pub fn allocate_aligned(&mut self, arguments: Arguments) -> Flow<Passed> {
        let size = self.size_argument(arguments, 0)?;
        let align = self.size_argument(arguments, 1)?;
        self.allocate_heap(size, align.max(MALLOC_ALIGN), 0)
    }

    fn allocate_heap(&mut self, size: u64, align: u64, flags: u8) -> Flow<Passed> {
        let id = self
            .state
            .memory
            .allocate(Kind::Heap, size, align, flags)
            .map_err(|error| self.out_of_memory(error))?;
        let sites = self.sites();
        self.state.made_at.insert(id, sites);
        let before = self.state.counters.allocations.checked_sub(1);
        self.state.memory.get_mut(id).history.nth = before.map(|before| self.numbered(before));
        Ok(self.pointer_result(self.pointer_into(id, 0)))
    }

    pub fn pointer_result(&self, value: Value) -> Passed {
        let scalar = Scalar {
            pointer: true,
            ..Scalar::unsigned(self.code.pointer_width)
        };
        Passed::Scalar(value, scalar)
    }

    pub fn same_object(&mut self, arguments: Arguments) -> Flow<Passed> {
        let left = argument(self, arguments, 0)?;
        let right = argument(self, arguments, 1)?;
        let same = match (left.shadow, right.shadow) {
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _)) => a == b,
            _ => left.bits == right.bits && left.bits != 0,
        };
        Ok(number_result(u128::from(same), 32))
    }

    pub fn allocation_fails(&mut self) -> Passed {
        let nth = self.numbered(self.state.counters.allocations);
        self.state.counters.allocations += 1;
        if !self.code.config.allocation_failures {
            let detail = "allocations are taken never to fail";
            self.hit(BoundKind::AllocationFailures, detail);
            return number_result(0, 32);
        }
        self.state.counters.consumed += 1;
        let ty = self.int_type();
        let object = self.space.object(Root::AllocationFails { nth }, ty);
        let value = self.cell_value(InputCell {
            object,
            offset_bits: 0,
            ty,
            width: 1,
        });
        if value.bits != 0 {
            self.state.record.findings.failed = Some(nth);
        }
        let value = match value.shadow {
            Shadow::Term(term) => {
                let wide = self.terms.zero_extend(32, term);
                Value::symbolic(value.bits, wide)
            }
            _ => Value::concrete(value.bits),
        };
        Passed::Scalar(value, Scalar::unsigned(32))
    }

    pub fn is_symbolic(&mut self, arguments: Arguments) -> Flow<Passed> {
        let value = argument(self, arguments, 0)?;
        let symbolic = match value.shadow {
            Shadow::Term(_) => true,
            Shadow::Pointer(_, term) => term.is_some(),
            _ => false,
        };
        Ok(number_result(u128::from(symbolic), 32))
    }

    pub fn copy(&mut self, arguments: Arguments) -> Flow<Passed> {
        let to = argument(self, arguments, 0)?;
        let from = argument(self, arguments, 1)?;
        let size = self.size_argument(arguments, 2)?;
        let blob = self.read_bytes(from.into(), size)?;
        self.note_bytes(from, size);
        self.note_bytes(to, size);
        self.write_bytes(to.into(), &blob)?;
        Ok(Passed::Nothing)
    }

    /// Records that the library accesses an object as characters, whatever it is pointed to as.
    pub(super) fn note_bytes(&mut self, pointer: Value, size: u64) {
        if let Shadow::Pointer(id, _) = pointer.shadow
            && size > 0
        {
            self.note_accessed_as(id, self.code.facts.character);
        }
    }

    pub fn read_only(&mut self, arguments: Arguments) -> Flow<Passed> {
        let from = argument(self, arguments, 0)?;
        let size = self.size_argument(arguments, 1)?;
        self.read_bytes(from.into(), size)?;
        self.note_bytes(from, size);
        Ok(Passed::Nothing)
    }

    pub fn fill(&mut self, arguments: Arguments) -> Flow<Passed> {
        let to = argument(self, arguments, 0)?;
        let byte = argument(self, arguments, 1)?;
        let size = self.size_argument(arguments, 2)?;
        if size == 0 {
            return Ok(Passed::Nothing);
        }
        // Finds what is wrong with the range before anything as large is made.
        let (id, offset) = self.fixed_address(to.into(), size)?;
        let to = self.pointer_into(id, offset);
        self.note_bytes(to, size);
        let blob = filled(size, byte.bits as u8, INITIALISED);
        self.write_bytes(to.into(), &blob)?;
        let value = match byte.term() {
            Some(term) => {
                let low = self.terms.extract(7, 0, term);
                Some(self.valued(byte.bits & 0xff, low))
            }
            None => byte.is_address().then(|| Value::tainted(byte.bits & 0xff)),
        };
        if let Some(value) = value {
            for at in 0..size {
                self.store_at(id, offset + at, Scalar::unsigned(8), value)?;
            }
        }
        Ok(Passed::Nothing)
    }
}
