//! Nodes of the heap in states: what all nodes of a class hold in a member is an array whose index is
//! the address of the node.
//!
//! ```text
//! p = malloc(n)   p is 0, or an address that is not live: it becomes live, what its members hold is
//!                 unknown; by calloc, 0
//! free(p)         p is not live any more
//! p->f = v        f at p is v
//! p->a[i] = v     each member among the elements of a, at p, is unknown
//! ```
//!
//! A pointer that leads to nodes of a class has the address of one that is live, or an access through
//! it is a defect: a freed node, or a pointer that is not initialised.

use expr::{BvOp, Node as TermNode, Term};
use ir::{DefectKind, Operand, Place};
use semantics::Domain;

use crate::addresses::{Address, Index};
use crate::execute::Here;
use crate::objects::{Class, INDEX_WIDTH, Object};
use crate::sites::HeapCall;
use crate::state::{Memory, State};
use crate::targets::{Leads, Offset};
use crate::unfolding::FrameId;
use crate::world::{NodePart, Where};

/// How many nodes there may be at most, for what arrays need to know of their length.
const MOST: u64 = 1 << 40;

/// What is at an address, in an array over all addresses.
pub fn at_node(address: Term, width: u64) -> Address {
    Address {
        offset: 0,
        index: Some(Index {
            number: address,
            stride: width,
            count: MOST,
        }),
    }
}

impl Memory<'_, '_> {
    /// The address of the node that a place is in, as a number of [`INDEX_WIDTH`] bits.
    fn node_address(&mut self, state: &State, frame: FrameId, part: &NodePart<'_>) -> Option<Term> {
        let base = part.base?;
        let pointer = self.operand(state, frame, part.pointer)?;
        let formulas = &mut self.formulas;
        let width = formulas.terms.width(pointer);
        let pointer = formulas.resize(width, INDEX_WIDTH, false, pointer);
        let base = formulas.constant(INDEX_WIDTH, base.into());
        Some(formulas.build(TermNode::Binary(BvOp::Sub, pointer, base)))
    }

    /// What a scalar of a node holds.
    pub(crate) fn load_node(
        &mut self,
        state: &State,
        frame: FrameId,
        part: &NodePart<'_>,
        width: u32,
    ) -> Term {
        let address = self.node_address(state, frame, part);
        let member = self.world.member(part.class, part.member());
        match (member.filter(|_| part.is_exact), address) {
            (Some(member), Some(address)) => {
                self.load(state, member, at_node(address, width.into()), width)
            }
            _ => self.formulas.fresh(width),
        }
    }

    /// Changes the members of a node that a place may mean: to a value, if it is just one of them;
    /// `None` is a value of which nothing is known.
    pub(crate) fn store_node(
        &mut self,
        frame: FrameId,
        part: &NodePart<'_>,
        value: Option<Term>,
        state: &mut State,
    ) {
        let address = self.node_address(state, frame, part);
        for member in self.world.members_in(part) {
            let Object::Member(_, first, size) = member else {
                continue;
            };
            let is_it = part.is_exact && part.member() == (first, size);
            let value = value.filter(|_| is_it);
            self.set_member(member, address, value, state);
        }
    }

    /// Makes the members zero that lie in a place, which is a part of a node as a whole.
    pub(crate) fn clear_node(&mut self, frame: FrameId, part: &NodePart<'_>, state: &mut State) {
        let address = self.node_address(state, frame, part);
        for member in self.world.members_in(part) {
            let Object::Member(_, first, size) = member else {
                continue;
            };
            let is_inside = part.is_exact && part.first <= first && first + size <= part.end;
            let zero = self.formulas.constant(size as u32 * 8, 0);
            self.set_member(member, address, Some(zero).filter(|_| is_inside), state);
        }
    }

    /// Sets a member of the node at an address; of all nodes, if that is not known.
    fn set_member(
        &mut self,
        member: Object,
        address: Option<Term>,
        value: Option<Term>,
        state: &mut State,
    ) {
        let (Some(address), Object::Member(_, _, size)) = (address, member) else {
            return self.forget(state, member);
        };
        let width = size as u32 * 8;
        let value = value.filter(|&value| self.formulas.terms.width(value) == width);
        let value = value.unwrap_or_else(|| self.formulas.fresh(width));
        let over = self.held(state, member);
        let at = at_node(address, width.into());
        let held = self.contents.write(over, at, value);
        state.objects.insert(member, held);
    }

    /// Whether a node of a class is allocated at an address.
    fn is_live(&mut self, class: Class, address: Term, state: &State) -> Term {
        let bit = self.load(state, Object::Live(class), at_node(address, 1), 1);
        self.formulas.is_nonzero(1, bit)
    }

    fn set_live(&mut self, class: Class, address: Term, bit: Term, state: &mut State) {
        let over = self.held(state, Object::Live(class));
        let held = self.contents.write(over, at_node(address, 1), bit);
        state.objects.insert(Object::Live(class), held);
    }

    /// Adds that an access is to a node that is allocated.
    pub(crate) fn access_node(&mut self, here: Here, part: &NodePart<'_>, state: &mut State) {
        if let Some(address) = self.node_address(state, here.frame, part) {
            let holds = self.is_live(part.class, address, state);
            self.require(here, DefectKind::UseAfterFree, holds, state);
        }
    }

    /// Makes a node at an address, if that is not 0.
    pub(crate) fn add_node(
        &mut self,
        class: Class,
        call: HeapCall,
        address: Term,
        state: &mut State,
    ) {
        let formulas = &mut self.formulas;
        let width = formulas.terms.width(address);
        let is_node = formulas.is_nonzero(width, address);
        let address = formulas.resize(width, INDEX_WIDTH, false, address);
        let was_live = self.is_live(class, address, state);
        let is_taken = self.formulas.both(is_node, was_live);
        let is_new = self.formulas.negated(is_taken);
        state.reach = self.formulas.both(state.reach, is_new);
        for member in self.world.members_of(class) {
            let Object::Member(_, _, size) = member else {
                continue;
            };
            let zero = self.formulas.constant(size as u32 * 8, 0);
            let value = Some(zero).filter(|_| call == HeapCall::AllocateZeroed);
            self.set_member(member, Some(address), value, state);
        }
        let [yes, no] = [1, 0].map(|bit| self.formulas.constant(1, bit));
        let bit = self.formulas.ite(is_node, yes, no);
        self.set_live(class, address, bit, state);
    }

    /// Gives memory back. Returns whether the pointer leads to what known calls allocate.
    pub(crate) fn free(&mut self, here: Here, pointer: &Operand, state: &mut State) -> bool {
        let world = self.world;
        let (class, offset) = match world.targets.of(&world.unfolding, here.frame, pointer) {
            Leads::Into(Object::Nodes(class), offset) => (class, offset),
            // No access to it follows that is no defect.
            Leads::Into(Object::Heap(_), _) => return true,
            _ => return false,
        };
        let value = self.operand(state, here.frame, pointer);
        let (Offset::Exact(0), Some(value)) = (offset, value) else {
            self.forget(state, Object::Live(class));
            return true;
        };
        let formulas = &mut self.formulas;
        let width = formulas.terms.width(value);
        let is_some = formulas.is_nonzero(width, value);
        let is_null = formulas.negated(is_some);
        let address = formulas.resize(width, INDEX_WIDTH, false, value);
        let is_live = self.is_live(class, address, state);
        let holds = self.formulas.either(is_null, is_live);
        self.require(here, DefectKind::DoubleFree, holds, state);
        let no = self.formulas.constant(1, 0);
        self.set_live(class, address, no, state);
        true
    }

    /// The address of a part of a node, if it is known where in the node that is.
    pub(crate) fn address_in_node(
        &mut self,
        state: &State,
        frame: FrameId,
        place: &Place,
    ) -> Option<Term> {
        let Where::Node(part) = self.world.locate(frame, place) else {
            return None;
        };
        let from = part.base.filter(|_| part.is_exact)?;
        let pointer = self.operand(state, frame, part.pointer)?;
        let formulas = &mut self.formulas;
        let width = formulas.terms.width(pointer);
        let by = formulas.constant(width, part.first.wrapping_sub(from).into());
        Some(formulas.build(TermNode::Binary(BvOp::Add, pointer, by)))
    }
}
