//! Which pointers malloc can have returned, for `free` and `realloc`, and what becomes of their
//! objects.

use ir::DefectKind;
use ir::test::BoundKind;

use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::memory::{InputObject, Kind, Life};
use crate::passed::Passed;
use crate::primitives::{Arguments, argument, number_result};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Shadow, Value, mask};

const INVALID: DefectKind = DefectKind::InvalidFree;

impl Run<'_, '_> {
    pub fn free(&mut self, arguments: Arguments) -> Flow<Passed> {
        let value = argument(self, arguments, 0)?;
        let Shadow::Pointer(id, _) = value.shadow else {
            self.check_is_null(value)?;
            return Ok(Passed::Nothing);
        };
        self.check_allocated(value, id)?;
        match self.state.memory.get(id).kind {
            Kind::Pointee => self.state.memory.free_pointee(id),
            Kind::Global(_) => self.state.memory.free_static(id),
            _ => self.state.memory.kill(id),
        }
        Ok(Passed::Nothing)
    }

    /// How many bytes a block has that malloc returned.
    pub fn allocated_size(&mut self, arguments: Arguments) -> Flow<Passed> {
        let value = argument(self, arguments, 0)?;
        let Shadow::Pointer(id, _) = value.shadow else {
            self.check_is_null(value)?;
            return Ok(number_result(0, self.code.pointer_width));
        };
        self.check_allocated(value, id)?;
        let input = self.state.memory.get(id).input.as_deref();
        if input.is_some_and(|input| input.growable) {
            // An object may have grown by a pointer that is still open, because it was only
            // compared with NULL.
            self.decide_all()?;
        }
        // Code that asks for the size of the block does not rely on the guessed length.
        self.forget_length(id);
        let allocation = self.state.memory.get(id);
        // For an object that grows, the size so far.
        let size = match allocation.input.as_deref() {
            Some(input) if input.growable => input.touched.1 - input.touched.0,
            _ => allocation.size,
        };
        Ok(number_result(size.into(), self.code.pointer_width))
    }

    /// Checks that a value which points to no object is NULL; a number that depends on inputs may
    /// be.
    fn check_is_null(&mut self, value: Value) -> Flow<()> {
        let address = self.term_of(value, self.code.pointer_width);
        let is_other = self.terms.is_nonzero(address);
        let is_null = self.terms.bool_not(is_other);
        let message = || "free of a pointer to no object".to_owned();
        self.check(INVALID, is_null, value.bits == 0, message)
    }

    /// Checks that malloc can have returned a pointer, and that its block was not freed.
    fn check_allocated(&mut self, value: Value, id: AllocationId) -> Flow<()> {
        let allocation = self.state.memory.get(id);
        let input = allocation.input.as_deref().copied();
        match (allocation.kind, input) {
            (Kind::Heap, _) => {
                if allocation.life == Life::Dead {
                    let size = allocation.size;
                    let message = format!("{size} bytes are freed that were freed already");
                    return Err(self.defect(DefectKind::DoubleFree, message));
                }
                self.check_freed_from(value, id, 0)
            }
            // What a caller passes may come from malloc.
            (Kind::Pointee, Some(input)) => {
                if allocation.life == Life::Dead {
                    let message = "an input object is freed that was freed already";
                    return Err(self.defect(DefectKind::DoubleFree, message));
                }
                self.settle_pointers_into(id);
                let front = self.check_freed_input(value, id, input)?;
                self.check_malloc_placed(id, front)?;
                self.state.record.needs.freed.insert(input.object);
                Ok(())
            }
            _ if self.is_shared_by_calls(id) => {
                if allocation.life == Life::Dead {
                    let message = "the object that the calls share is freed once more".to_owned();
                    return Err(self.freed_by_calls(DefectKind::DoubleFree, message));
                }
                self.check_freed_from(value, id, 0)?;
                self.state.record.needs.allocates_shared = true;
                Ok(())
            }
            _ => {
                let message = "free of an object that malloc did not return";
                Err(self.defect(INVALID, message))
            }
        }
    }

    /// Concretises where the input pointers into an object lead: how far the object is touched
    /// depends on that.
    fn settle_pointers_into(&mut self, id: AllocationId) {
        let known = self.state.resolved.iter();
        let into = known.filter_map(|(&cell, &value)| match value.shadow {
            Shadow::Pointer(object, Some(term)) if object == id => Some((cell, term, value)),
            _ => None,
        });
        let mut into: Vec<_> = into.collect();
        into.sort_by_key(|&(cell, ..)| cell);
        for (_, term, value) in into {
            let (offset, _) = self.offset_of(value, id);
            self.concretise(term, offset);
        }
    }

    /// Checks that what is freed lies no farther than so many bytes into an object, which may
    /// depend on inputs.
    fn check_freed_from(&mut self, value: Value, id: AllocationId, most: u64) -> Flow<()> {
        if self.lies_no_farther(value, id, most, ConstraintKind::Check(INVALID)) {
            return Ok(());
        }
        let (offset, _) = self.offset_of(value, id);
        let bytes = offset.wrapping_sub(u128::from(most)) & mask(self.code.pointer_width);
        let message = format!("free of a pointer {bytes} bytes into an object");
        Err(self.defect(INVALID, message))
    }

    /// Checks that malloc can have returned what is freed of an input object. Its block may begin
    /// in front of where the caller's pointer points (at a header, say), but not after what was
    /// accessed: where it does, the object begins there.
    fn check_freed_input(
        &mut self,
        value: Value,
        id: AllocationId,
        input: InputObject,
    ) -> Flow<u64> {
        self.within_room(value, id, input)?;
        let (offset, term) = self.offset_of(value, id);
        if !input.growable {
            self.check_freed_from(value, id, 0)?;
            return Ok(input.origin);
        }
        // What was accessed for sure lies in the block, and what else was touched may do.
        let (touched, _) = input.touched;
        self.check_freed_from(value, id, input.accessed.min(input.origin))?;
        if !self.lies_no_farther(value, id, touched, ConstraintKind::Assumption) {
            return Err(self.ends_in_front(input));
        }
        if let Some(term) = term {
            self.concretise(term, offset);
        }
        let offset = offset as u64;
        self.extend(id, offset, 0);
        let begins = self
            .state
            .memory
            .get(id)
            .input
            .as_deref()
            .map(|input| input.touched.0);
        match begins == Some(offset) {
            true => Ok(input.origin - offset),
            false => Err(self.ends_in_front(input)),
        }
    }

    /// Ends the execution where what is freed lies outside the room that an input object has, which
    /// is a bound.
    fn within_room(&mut self, value: Value, id: AllocationId, input: InputObject) -> Flow<()> {
        let whole = self.state.memory.get(id).size;
        if self.lies_no_farther(value, id, whole, ConstraintKind::Assumption) {
            return Ok(());
        }
        self.hit_extent(input, whole);
        Err(Stop::Limit)
    }

    /// Whether a pointer leads no farther than so many bytes into its allocation; both alternatives
    /// are open.
    fn lies_no_farther(
        &mut self,
        value: Value,
        id: AllocationId,
        most: u64,
        kind: ConstraintKind,
    ) -> bool {
        let (offset, term) = self.offset_of(value, id);
        let holds = offset <= u128::from(most);
        if let Some(term) = term {
            let most = self
                .terms
                .constant(self.code.pointer_width, u128::from(most));
            let inside = self.terms.ule(term, most);
            self.decide(kind, inside, holds);
        }
        holds
    }

    /// The bound that a block begins with a whole element, and in front of all that may have been
    /// accessed.
    fn ends_in_front(&mut self, input: InputObject) -> Stop {
        let name = self.object_name(input.object);
        let detail = format!(
            "{name} begins with a whole element where it is freed, in front of all that was touched"
        );
        self.hit(BoundKind::ArrayExtent, detail);
        Stop::Limit
    }
}
