//! Nodes of the heap in formulas. The members of all nodes of a class are elements of arrays whose
//! index is the address of the node.
//!
//! ```text
//! p = malloc(n)   p is 0, or no node that is allocated: allocated[p] becomes 1, and all members of
//!                 the node unknown
//! free(p)         allocated[p] becomes 0
//! p->f = v        f[k] becomes p == k ? v : f[k], as for arrays; a check says that allocated[p] is 1
//! ```
//!
//! A pointer to nodes of a class has the address of one, or none at all: it is not initialised, or its
//! node is freed. The address of a freed node may be that of a new one, of which nothing is known.

use expr::{BvOp, CmpOp, Term, Terms};
use ir::{DefectKind, Operand, Place, PlaceBase};
use semantics::Code;

use crate::formulas::arena::Arena;
use crate::formulas::arrays::Change;
use crate::formulas::builder::{Builder, Here};
use crate::formulas::memory::{Memory, Reader};
use crate::formulas::model::Allocations;
use crate::formulas::segment::Failure;
use crate::formulas::state::State;
use crate::graph::unfolding::ContextId;
use crate::objects::allocations::HeapCall;
use crate::objects::location::AtIndex;
use crate::objects::locations::{INDEX_WIDTH, LocationId};
use crate::objects::places::{Nodes, Object, Offset};

impl Memory<'_, '_> {
    /// The class and the address of the node that a place is in, if it is in one.
    pub fn node(&self, place: &Place, arena: &mut Arena) -> Option<(Nodes, Term)> {
        self.with(arena, |terms, source| source.node(terms, place))
    }

    /// What the node at an address holds in a scalar.
    pub fn read_node(&self, scalar: LocationId, address: Term, arena: &mut Arena) -> Term {
        self.with(arena, |terms, source| {
            source.read_node(terms, scalar, address)
        })
    }
}

impl Reader<'_, '_, '_> {
    /// See [`Memory::node`].
    pub fn node(&mut self, terms: &mut Terms, place: &Place) -> Option<(Nodes, Term)> {
        let PlaceBase::Deref(pointer) = &place.base else {
            return None;
        };
        let Memory { model, context, .. } = *self.memory;
        let pointers = model.locations.pointers();
        let (target, _) = pointers.base(&model.unfolding, context, place)?;
        let (Object::Nodes(nodes), Offset::Exact(offset)) = (target.object, target.offset) else {
            return None;
        };
        let code = Code::new(model.program(), model.unfolding.body(context));
        let pointer = code.operand(terms, self, pointer)?;
        let pointer = terms.zero_extend(INDEX_WIDTH, pointer);
        let offset = terms.constant(INDEX_WIDTH, u128::from(offset));
        Some((nodes, terms.binary(BvOp::Sub, pointer, offset)))
    }

    /// See [`Memory::read_node`].
    pub fn read_node(&mut self, terms: &mut Terms, scalar: LocationId, address: Term) -> Term {
        let model = self.memory.model;
        let width = terms.width(model.at_start[scalar]);
        let mut arrays = self.memory.arrays.borrow_mut();
        let mut fresh = |terms: &mut Terms, width| Arena::fresh_of(terms, self.next, width);
        arrays.read(terms, &mut fresh, (scalar, address), width)
    }
}

impl<'p> Builder<'_, 'p> {
    /// Writes to a scalar of a node.
    pub fn write_node(
        &mut self,
        context: ContextId,
        (place, scalar): (&Place, LocationId),
        value: Option<Term>,
        state: &mut State,
    ) {
        let part = self.bytes_of(scalar);
        let model = self.model;
        let mut inside = model
            .locations
            .inside(self.program(), part.object, part.range);
        let memory = self.memory(context, state);
        let node = memory.node(place, self.arena);
        // What overlaps it is unknown in all nodes.
        let twice = model.locations.at_second(scalar);
        let is_it = |other: LocationId| other == scalar || twice == Some(other);
        inside.retain(|&other| !is_it(other) || node.is_none());
        let before = state.clone();
        self.havoc(&inside, state);
        if let Some((_, address)) = node {
            self.set_element(scalar, address, value, &before, state);
        }
    }

    /// Adds that an access through a pointer to nodes is to one that is allocated.
    pub fn is_allocated(&mut self, here: Here<'p>, place: &Place, state: &mut State) {
        let memory = self.memory(here.context, state);
        let Some((nodes, address)) = memory.node(place, self.arena) else {
            return;
        };
        let Some(allocated) = self.allocated(here.context, nodes, address, state) else {
            return;
        };
        let holds = self.arena.terms.is_nonzero(allocated);
        self.check(here, DefectKind::UseAfterFree, holds, state);
    }

    fn allocated(
        &mut self,
        context: ContextId,
        nodes: Nodes,
        address: Term,
        state: &State,
    ) -> Option<Term> {
        let flag = self.model.locations.allocated(nodes)?;
        let memory = self.memory(context, state);
        Some(memory.read_node(flag, address, self.arena))
    }

    /// Allocates memory. Returns its address, or 0; `None` if it is assigned to no pointer.
    pub fn allocate(
        &mut self,
        here: Here<'p>,
        call: HeapCall<'_>,
        to: &Place,
        state: &mut State,
    ) -> Option<Term> {
        self.program().types.pointee(to.ty)?;
        let width = self.width(to.ty)?;
        let address = self.arena.fresh(width);
        self.segment.addresses.push(address);
        let pointers = self.model.locations.pointers();
        match pointers.allocated.get(&here.point) {
            Some(&Object::Nodes(nodes)) => self.add_node(here, (nodes, address), call, state),
            Some(&object) => self.start_heap_object(object, call, state),
            None => {}
        }
        let succeeds = self.arena.terms.is_nonzero(address);
        if self.model.bounds.allocations == Allocations::NeverFail
            && let Some(fits) = self.fits(here, call, state)
        {
            let terms = &mut self.arena.terms;
            let is_too_large = terms.bool_not(fits);
            let holds = terms.bool_or(is_too_large, succeeds);
            self.require(here, Failure::Allocation, holds, state);
        }
        Some(address)
    }

    /// Makes the node at an address, if that is not 0, one that is allocated now.
    fn add_node(
        &mut self,
        here: Here<'p>,
        (nodes, address): (Nodes, Term),
        call: HeapCall<'_>,
        state: &mut State,
    ) {
        let model = self.model;
        let Some(flag) = model.locations.allocated(nodes) else {
            return;
        };
        let terms = &mut self.arena.terms;
        let is_node = terms.is_nonzero(address);
        let address = terms.zero_extend(INDEX_WIDTH, address);
        let Some(was_allocated) = self.allocated(here.context, nodes, address, state) else {
            return;
        };
        let terms = &mut self.arena.terms;
        let was_allocated = terms.is_nonzero(was_allocated);
        let both = terms.bool_and(is_node, was_allocated);
        let is_new = terms.bool_not(both);
        *state = state.under(is_new, self.arena);
        let all = (0, u64::MAX);
        let members = model
            .locations
            .inside(self.program(), Object::Nodes(nodes), all);
        let is_first = |it: &LocationId| model.locations.get(*it).at == AtIndex::First;
        for member in members.into_iter().filter(is_first) {
            let width = self.arena.terms.width(model.at_start[member]);
            let value = match call {
                HeapCall::AllocateZeroed { .. } => Some(self.arena.terms.constant(width, 0)),
                _ => None,
            };
            let before = state.clone();
            self.set_element(member, address, value, &before, state);
        }
        let terms = &mut self.arena.terms;
        let [yes, no] = [1, 0].map(|bit| terms.constant(1, bit));
        let is_allocated = terms.ite(is_node, yes, no);
        let before = state.clone();
        self.set_element(flag, address, Some(is_allocated), &before, state);
    }

    /// Gives an object its first content: zeros by `calloc`, else nothing that is known.
    fn start_heap_object(&mut self, object: Object, call: HeapCall<'_>, state: &mut State) {
        let all = (0, u64::MAX);
        let model = self.model;
        let locations = model.locations.inside(self.program(), object, all);
        self.havoc(&locations, state);
        if let HeapCall::AllocateZeroed { .. } = call {
            for location in locations {
                let width = self.arena.terms.width(model.at_start[location]);
                let zero = self.arena.terms.constant(width, 0);
                state.changed.insert(location, zero);
                self.change(location, state, Change::All(zero));
            }
        }
    }

    /// Whether an allocation is of a size that there may be, and not of none.
    fn fits(&mut self, here: Here<'p>, call: HeapCall<'_>, state: &State) -> Option<Term> {
        let (count, size) = match call {
            HeapCall::Allocate { size } => (None, size),
            HeapCall::AllocateZeroed { count, size } => (Some(count), size),
            HeapCall::Free { .. } => return None,
        };
        let size = self.operand(here, size, state)?;
        let width = self.arena.terms.width(size);
        let most = expr::mask(width) >> 1;
        match count {
            None => Some(self.is_between_one_and(size, most)),
            Some(count) => {
                let size = self
                    .arena
                    .terms
                    .as_constant(size)
                    .filter(|&size| size > 0)?;
                let count = self.operand(here, count, state)?;
                Some(self.is_between_one_and(count, most / size))
            }
        }
    }

    fn is_between_one_and(&mut self, value: Term, most: u128) -> Term {
        let terms = &mut self.arena.terms;
        let most = terms.constant(terms.width(value), most);
        let is_small = terms.compare(CmpOp::Ule, value, most);
        let is_nonzero = terms.is_nonzero(value);
        terms.bool_and(is_small, is_nonzero)
    }

    /// Gives memory back. Returns whether the pointer leads to memory that a known call allocated.
    pub fn free(&mut self, here: Here<'p>, pointer: &Operand, state: &mut State) -> bool {
        let model = self.model;
        let pointers = model.locations.pointers();
        let target = pointers.target(&model.unfolding, here.context, pointer);
        let (nodes, offset) = match target.map(|it| (it.object, it.offset)) {
            Some((Object::Nodes(nodes), offset)) => (nodes, offset),
            // No access to it follows that is free of defects.
            Some((Object::Heap(_), _)) => return true,
            _ => return false,
        };
        let Some(flag) = model.locations.allocated(nodes) else {
            return true;
        };
        let address = self.operand(here, pointer, state);
        let (Offset::Exact(0), Some(address)) = (offset, address) else {
            self.havoc(&[flag], state);
            return true;
        };
        let is_null = self.arena.terms.is_nonzero(address);
        let is_null = self.arena.terms.bool_not(is_null);
        let address = self.arena.terms.zero_extend(INDEX_WIDTH, address);
        if let Some(allocated) = self.allocated(here.context, nodes, address, state) {
            let terms = &mut self.arena.terms;
            let allocated = terms.is_nonzero(allocated);
            let holds = terms.bool_or(is_null, allocated);
            self.check(here, DefectKind::DoubleFree, holds, state);
        }
        let no = self.arena.terms.constant(1, 0);
        let before = state.clone();
        self.set_element(flag, address, Some(no), &before, state);
        true
    }
}
