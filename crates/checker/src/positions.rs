//! Which elements of arrays pointers lead to.

use expr::{Node as TermNode, Term};
use ir::{CastKind, Operand, Place, PlaceBase, Projection, Rvalue};

use crate::contents::Address;
use crate::objects::{INDEX_WIDTH, Object};
use crate::state::{Memory, State};
use crate::targets::{Leads, Offset, constant};
use crate::unfolding::FrameId;
use crate::world::Where;

impl Memory<'_, '_> {
    /// Records which element a pointer leads to from now on; `None` if that is not known.
    pub(crate) fn move_to(
        &mut self,
        frame: FrameId,
        place: &Place,
        to: Option<Term>,
        state: &mut State,
    ) {
        let Some(local) = place.as_local() else {
            return;
        };
        if !self.world.targets.is_moving(frame, local) {
            return;
        }
        let value = to.unwrap_or_else(|| self.formulas.fresh(INDEX_WIDTH));
        let unknown = self.contents.unknown(None);
        let held = self.contents.write(unknown, Address::at(0), value);
        state.objects.insert(Object::Position(frame, local), held);
    }

    /// Which element an operand leads to.
    pub(crate) fn position_of(
        &mut self,
        state: &State,
        frame: FrameId,
        operand: &Operand,
    ) -> Option<Term> {
        let world = self.world;
        match (world.targets.of(&world.unfolding, frame, operand), operand) {
            (Leads::Into(_, Offset::InElement(_)), Operand::Copy(local)) => {
                Some(self.position(state, Object::Position(frame, *local)))
            }
            (Leads::Into(object, Offset::Exact(at)), _) => {
                let array = world.unfolding.array(object)?;
                let number = u128::from(at / array.stride);
                Some(self.formulas.constant(INDEX_WIDTH, number))
            }
            _ => None,
        }
    }

    /// Which element the value of a right side leads to.
    pub(crate) fn position_of_value(
        &mut self,
        state: &State,
        frame: FrameId,
        value: &Rvalue,
    ) -> Option<Term> {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                self.position_of(state, frame, operand)
            }
            Rvalue::PointerOffset {
                pointer,
                index,
                negative,
                ..
            } => {
                let from = self.position_of(state, frame, pointer)?;
                let by = self.index(state, frame, index)?;
                let op = match negative {
                    true => expr::BvOp::Sub,
                    false => expr::BvOp::Add,
                };
                Some(self.formulas.build(TermNode::Binary(op, from, by)))
            }
            Rvalue::AddressOf(place) => self.position_of_place(state, frame, place),
            _ => None,
        }
    }

    /// Which element of the array that its object is a place lies in.
    fn position_of_place(&mut self, state: &State, frame: FrameId, place: &Place) -> Option<Term> {
        let world = self.world;
        let Where::Part(part) = world.locate(frame, place) else {
            return self.position_behind(frame, place);
        };
        let array = world.unfolding.array(part.object)?;
        match part.index {
            Some(index) if index.stride == array.stride => {
                let address = self.address(state, frame, &part)?;
                address.index.map(|index| index.number)
            }
            Some(_) => None,
            None => {
                let number = part.offset / 8 / array.stride;
                Some(self.formulas.constant(INDEX_WIDTH, number.into()))
            }
        }
    }

    /// The same of `a[n]`, the place behind the last element.
    fn position_behind(&mut self, frame: FrameId, place: &Place) -> Option<Term> {
        let object = match &place.base {
            PlaceBase::Local(local) => Object::Local(frame, *local),
            PlaceBase::Global(global) => Object::Global(*global),
            PlaceBase::Deref(_) => return None,
        };
        self.world.unfolding.array(object)?;
        match place.projections.as_slice() {
            [Projection::Index(index)] => {
                let number = constant(index)?;
                Some(self.formulas.constant(INDEX_WIDTH, number.into()))
            }
            _ => None,
        }
    }
}
