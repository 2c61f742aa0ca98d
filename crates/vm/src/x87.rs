//! Copies of floating numbers on 32-bit x86 and without SSE, where compilers may make them through
//! the x87 unit: that makes a signalling NaN quiet.

use ir::TypeId;

use crate::address::Purpose;
use crate::execution::ConstraintKind;
use crate::leaves::leaves;
use crate::memory::Blob;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Value};

impl Run<'_, '_> {
    /// Ends the execution where a signalling NaN is read, passed or returned, if a copy may change
    /// it. If the number depends on inputs, whether it is one is a choice of the input.
    pub fn check_signalling(&mut self, value: Value, scalar: Scalar) -> Flow<()> {
        let Some(quiet) = self.quiet_bit(scalar) else {
            return Ok(());
        };
        let width = scalar.bits();
        let infinity = (1u128 << (width - 1)) - (quiet << 1);
        let payload = quiet - 1;
        let is_signalling =
            value.bits & (infinity | quiet) == infinity && value.bits & payload != 0;
        if let Some(term) = value.term() {
            let head = self.terms.constant(width, infinity | quiet);
            let head = self.terms.and(term, head);
            let signalling = self.terms.constant(width, infinity);
            let has_head = self.terms.eq(head, signalling);
            let rest = self.terms.constant(width, payload);
            let rest = self.terms.and(term, rest);
            let has_payload = self.terms.is_nonzero(rest);
            let condition = self.terms.bool_and(has_head, has_payload);
            self.decide(ConstraintKind::Concretisation, condition, is_signalling);
        }
        match is_signalling {
            true => {
                Err(self.unsupported("a copy of a signalling NaN, which the x87 unit makes quiet"))
            }
            false => Ok(()),
        }
    }

    /// An object that is passed or returned by value: its floating members may be moved one by one.
    pub fn moved_object(&mut self, place: u32, ty: TypeId) -> Flow<Blob> {
        let place = &self.code.tables.places[place as usize];
        if self.code.features.moves_by_x87 {
            let types = &self.code.program.types;
            let start = self.locate(place, Purpose::Access)?;
            for leaf in leaves(types, ty, (0, types.size(ty) * 8), None) {
                let scalar =
                    Scalar::of(types, leaf.ty).filter(|&scalar| self.may_be_quieted(scalar));
                let (offset, _) = leaf.bytes();
                if let Some(scalar) = scalar {
                    let offset = Value::concrete(u128::from(offset));
                    let number = Scalar::unsigned(self.code.pointer_width);
                    let at = self.pointer_offset(start.value, offset, number, 1)?;
                    self.load(at.into(), scalar)?;
                }
            }
        }
        self.read_object(place)
    }

    /// Whether a copy of such a number may change it.
    pub fn may_be_quieted(&self, scalar: Scalar) -> bool {
        self.quiet_bit(scalar).is_some()
    }

    /// The bit that tells quiet NaNs from signalling ones, where copies may set it; copies of `long
    /// double` keep all bits.
    fn quiet_bit(&self, scalar: Scalar) -> Option<u128> {
        match scalar.bits() {
            32 if scalar.floating && self.code.features.moves_by_x87 => Some(1 << 22),
            64 if scalar.floating && self.code.features.moves_by_x87 => Some(1 << 51),
            _ => None,
        }
    }
}
