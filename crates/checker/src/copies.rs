//! Copies of what has no value of its own: whole objects, parts of them, elements of arrays.

use ir::{Place, TypeId};

use crate::addresses::Address;
use crate::contents::{Copied, Held};
use crate::objects::{Object, holds_union};
use crate::state::{Memory, State};
use crate::unfolding::FrameId;
use crate::world::Where;

/// What is copied.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// What the object holds that it is in.
    held: Held,
    /// The type of that object, if it has one.
    ty: Option<TypeId>,
    /// Where it is in the object.
    at: Address,
}

impl Memory<'_, '_> {
    /// Copies what a place holds to another one.
    pub(crate) fn copy(&mut self, frame: FrameId, to: &Place, from: &Place, state: &mut State) {
        let source = self.source(state, frame, from);
        self.put_bits(frame, to, source, state);
    }

    /// What a place holds, if it is known where that is.
    pub(crate) fn source(
        &mut self,
        state: &State,
        frame: FrameId,
        place: &Place,
    ) -> Option<Source> {
        let Where::Part(part) = self.world.locate(frame, place) else {
            return None;
        };
        if !self.world.is_known(part.object) || part.is_volatile {
            return None;
        }
        let ty = self.world.unfolding.type_of(part.object);
        let at = self.address(state, frame, &part)?;
        let held = self.held(state, part.object);
        let held = match at.index.filter(|_| self.may_leave(&part)) {
            Some(index) => {
                let unknown = self.contents.unknown(ty);
                let is_within = self.is_within(index);
                self.contents.join(is_within, held, unknown)
            }
            None => held,
        };
        Some(Source { held, ty, at })
    }

    /// Writes bits of an object to a place of a type without a value of its own.
    pub(crate) fn put_bits(
        &mut self,
        frame: FrameId,
        to: &Place,
        from: Option<Source>,
        state: &mut State,
    ) {
        let part = match self.world.locate(frame, to) {
            Where::Part(part) => part,
            Where::Node(part) => return self.store_node(frame, &part, None, state),
            Where::Inside(object) => return self.forget(state, object),
            Where::Anywhere => return self.forget_exposed(state),
        };
        let at = self.address(state, frame, &part);
        let (Some(source), Some(at)) = (from, at) else {
            return self.forget(state, part.object);
        };
        let copied = Copied {
            at,
            width: self.world.program.types.size(to.ty).saturating_mul(8),
            from: source.held,
            from_at: source.at,
            from_type: source.ty,
            ty: to.ty,
        };
        self.put_copied(part.object, copied, state);
    }

    fn put_copied(&mut self, object: Object, copied: Copied, state: &mut State) {
        if !self.world.is_known(object) || self.world.is_constant(object) {
            return;
        }
        let ty = self.world.unfolding.type_of(object).unwrap_or(copied.ty);
        if holds_union(self.world.program, ty) {
            return self.forget(state, object);
        }
        let over = self.held(state, object);
        let over = match copied.at.index {
            Some(index) => self.beside_array(object, over, (copied.at, index), copied.width),
            None => over,
        };
        let held = self.contents.copy(over, copied);
        state.objects.insert(object, held);
    }

    /// Makes all bits of a place zero.
    pub(crate) fn fill(&mut self, frame: FrameId, to: &Place, state: &mut State) {
        let world = self.world;
        let part = match world.locate(frame, to) {
            Where::Part(part) => part,
            Where::Node(part) => return self.clear_node(frame, &part, state),
            Where::Inside(object) => return self.forget(state, object),
            Where::Anywhere => return self.forget_exposed(state),
        };
        let from_type = world.unfolding.type_of(part.object);
        let at = self.address(state, frame, &part);
        let Some(at) = at else {
            return self.forget(state, part.object);
        };
        let copied = Copied {
            at,
            width: world.program.types.size(to.ty).saturating_mul(8),
            from: self.contents.zero(),
            from_at: Address::at(part.offset),
            from_type,
            ty: to.ty,
        };
        self.put_copied(part.object, copied, state);
    }
}
