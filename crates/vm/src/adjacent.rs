//! Addresses just past the end of an object, where another one may start.

use crate::ids::AllocationId;
use crate::memory::{Kind, UNSEEN};
use crate::run::Run;
use crate::value::{Shadow, Value};

/// An end of an object.
#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

impl Run<'_, '_> {
    /// Whether one address may be past the end of its object, where the other's object may start: C
    /// lets them be equal (C17, 6.5.9p6).
    pub fn may_be_adjacent(
        &self,
        (left, left_address): (AllocationId, Value),
        (right, right_address): (AllocationId, Value),
    ) -> bool {
        let is_end = |id, address| self.may_be_at(id, address, Edge::End);
        let is_start = |id, address| self.may_be_at(id, address, Edge::Start);
        if self.may_be_behind_of_caller(left, left_address)
            && self.is_at_edge_of_heap(right_address)
            || self.may_be_behind_of_caller(right, right_address)
                && self.is_at_edge_of_heap(left_address)
        {
            return true;
        }
        is_end(left, left_address) && is_start(right, right_address)
            || is_start(left, left_address) && is_end(right, right_address)
    }

    /// Whether an address is an input pointer's value that may be the end of a caller's object:
    /// nothing was accessed there. Where another input object or a static one begins there, a
    /// pointer into that is a candidate.
    fn may_be_behind_of_caller(&self, id: AllocationId, address: Value) -> bool {
        let allocation = self.state.memory.get(id);
        let offset = (address.bits as u64).wrapping_sub(allocation.base);
        let input = allocation.input.as_deref();
        let is_seen = |flags: &u8| flags & UNSEEN == 0;
        let is_accessed = || {
            let behind = allocation.flags.get(offset as usize..);
            behind.is_some_and(|flags| flags.iter().any(is_seen))
        };
        allocation.kind == Kind::Pointee
            && input.is_some_and(|input| offset == input.origin)
            && !is_accessed()
    }

    /// Whether an address is where memory of an allocator begins or ends.
    pub fn is_at_edge_of_heap(&self, address: Value) -> bool {
        let Shadow::Pointer(id, term) = address.shadow else {
            return false;
        };
        let allocation = self.state.memory.get(id);
        let offset = (address.bits as u64).wrapping_sub(allocation.base);
        allocation.kind == Kind::Heap
            && (term.is_some() || offset == 0 || offset == allocation.size)
    }

    fn may_be_at(&self, id: AllocationId, address: Value, edge: Edge) -> bool {
        let allocation = self.state.memory.get(id);
        if matches!(address.shadow, Shadow::Pointer(_, Some(_))) {
            return true;
        }
        let offset = (address.bits as u64).wrapping_sub(allocation.base);
        let input = allocation.input.as_deref().filter(|input| input.growable);
        match (input, edge) {
            // What was not looked at may not be there.
            (Some(input), Edge::Start) => offset <= input.touched.0.min(input.origin),
            (Some(input), Edge::End) => offset > input.origin && offset >= input.touched.1,
            (None, Edge::Start) => offset == 0,
            // A function has no end that an address could be past, and an object of an incomplete
            // type does not end where it starts.
            (None, Edge::End) => {
                offset == allocation.size
                    && !matches!(allocation.kind, Kind::Function(_))
                    && !(offset == 0 && self.is_open_ended(id))
            }
        }
    }
}
