//! Which elements of arrays pointers lead to.

use expr::{Node as TermNode, Term};
use ir::{CastKind, Operand, Place, Rvalue};

use crate::addresses::Address;
use crate::objects::{Array, INDEX_WIDTH, Object};
use crate::state::{Memory, State};
use crate::targets::{Leads, Offset};
use crate::unfolding::FrameId;
use crate::world::Where;

impl Memory<'_, '_> {
    /// The array that a place leads to elements of, if it is a pointer that leads to some.
    pub(crate) fn array_behind(&self, frame: FrameId, place: &Place) -> Option<Array> {
        let local = place.as_local()?;
        self.world.targets.array(frame, local)
    }

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

    /// Which element of an array an operand leads to.
    pub(crate) fn position_of(
        &mut self,
        (state, array): (&State, Array),
        frame: FrameId,
        operand: &Operand,
    ) -> Option<Term> {
        let world = self.world;
        match (world.targets.of(&world.unfolding, frame, operand), operand) {
            (Leads::Into(_, Offset::InElement(of, _)), Operand::Copy(local)) if of == array => {
                Some(self.position(state, Object::Position(frame, *local)))
            }
            (Leads::Into(_, Offset::Exact(at)), _) => {
                let (number, _) = array.element_at(at)?;
                Some(self.formulas.constant(INDEX_WIDTH, number.into()))
            }
            _ => None,
        }
    }

    /// Which element of an array the value of a right side leads to.
    pub(crate) fn position_of_value(
        &mut self,
        (state, array): (&State, Array),
        frame: FrameId,
        value: &Rvalue,
    ) -> Option<Term> {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                self.position_of((state, array), frame, operand)
            }
            Rvalue::PointerOffset {
                pointer,
                index,
                negative,
                ..
            } => {
                let from = self.position_of((state, array), frame, pointer)?;
                let by = self.index(state, frame, index)?;
                let op = match negative {
                    true => expr::BvOp::Sub,
                    false => expr::BvOp::Add,
                };
                Some(self.formulas.build(TermNode::Binary(op, from, by)))
            }
            Rvalue::AddressOf(place) => self.position_of_place((state, array), frame, place),
            _ => None,
        }
    }

    /// Which element of an array a place lies in.
    fn position_of_place(
        &mut self,
        (state, array): (&State, Array),
        frame: FrameId,
        place: &Place,
    ) -> Option<Term> {
        let world = self.world;
        let Where::Part(part) = world.locate(frame, place) else {
            return None;
        };
        match part.index {
            Some(index) => {
                let address = self.address(state, frame, &part);
                let address = address.filter(|_| index.array == array)?;
                address.index.map(|index| index.number)
            }
            None => {
                let (number, _) = array.element_at(part.offset / 8)?;
                Some(self.formulas.constant(INDEX_WIDTH, number.into()))
            }
        }
    }
}
