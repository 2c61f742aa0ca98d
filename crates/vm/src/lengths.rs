//! Pointers and lengths that belong together: how far an input array goes, where the code says so.
//!
//! Where code bounds the index of what it reads through one input by another one
//! ([`ir::lengths::LengthOf`]), the caller is taken to pass arrays of that length, or longer ones.
//! At the first access past the length there are three alternatives: the length is larger; the
//! array is longer than that; or it is just as long, and the access is a defect, which rests on a
//! guess.

use expr::Term;
use ir::input::{InputCell, Root};
use ir::lengths::LengthOperand;
use ir::{Assumption, AssumptionKind, CellId, DefectKind, IntName, ObjectId, TypeId};

use crate::execution::{Alternative, ConstraintKind, Demand};
use crate::ids::AllocationId;
use crate::run::Run;
use crate::state::Guess;
use crate::stop::Flow;
use crate::value::{mask, number};

/// The alternatives at the first access past a length.
const DEFECT: u32 = 0;
const WITHIN: u32 = 1;
const LONGER: u32 = 2;

impl Run<'_, '_> {
    /// Records that the object that a pointer points to is as long as an input says, if one does.
    pub fn guess_length(&mut self, pointer: CellId, object: ObjectId, id: AllocationId) {
        if self.code.config.lengths.is_empty() {
            return;
        }
        if let Some((length, element)) = self.length_of(pointer) {
            let known = self.declared_bytes(pointer) / element.max(1);
            let guess = Guess {
                object,
                pointer,
                length,
                element,
                known: Some(known),
            };
            self.state.guesses.insert(id, guess);
        }
    }

    /// The cell that says how many elements the pointer in a cell points to, and their size.
    fn length_of(&self, pointer: CellId) -> Option<(InputCell, u64)> {
        let types = &self.code.program.types;
        let cell = *self.space.cell_data(pointer);
        let object = self.space.object_data(cell.object);
        self.code.config.lengths.iter().find_map(|pair| {
            let (root, ty, offset_bits) = match (pair.pointer, pair.length) {
                (LengthOperand::Parameter(at), LengthOperand::Parameter(length)) => {
                    if object.root != Root::Parameter(at) || cell.offset_bits != 0 {
                        return None;
                    }
                    let body = self.code.program.functions[self.entry].body.as_ref()?;
                    let ty = body.locals.get(ir::Local::from_raw(length))?.ty;
                    (Root::Parameter(length), ty, None)
                }
                (
                    LengthOperand::Member { record, field },
                    LengthOperand::Member { field: length, .. },
                ) => {
                    let stride = types.size(record) as i64 * 8;
                    let fields = &types.record(record)?.fields;
                    let here = fields.get(field as usize)?.offset_bits as i64;
                    if object.ty != record || cell.offset_bits.rem_euclid(stride) != here {
                        return None;
                    }
                    let length = fields.get(length as usize)?;
                    if length.bit_width.is_some() {
                        return None;
                    }
                    let start = cell.offset_bits - here;
                    let offset = start + length.offset_bits as i64;
                    (object.root.clone(), length.ty, Some(offset))
                }
                _ => return None,
            };
            let int = types.int(ty)?;
            if int.name == IntName::Bool || int.width > 64 {
                return None;
            }
            let width = int.width;
            let object = match offset_bits {
                Some(_) => cell.object,
                None => self.space.find(&root, ty)?,
            };
            let cell = InputCell {
                object,
                offset_bits: offset_bits.unwrap_or(0),
                ty,
                width,
            };
            Some((cell, pair.element))
        })
    }

    /// Looks at an access of an input array of guessed length, which ends so many bytes from where
    /// its pointer points; and what that depends on.
    pub fn check_length(
        &mut self,
        id: AllocationId,
        end: i128,
        symbolic: Option<Term>,
        size: u64,
    ) -> Flow<()> {
        let Some(guess) = self.state.guesses.get(&id).copied() else {
            return Ok(());
        };
        let Some(known) = guess.known.filter(|_| end > 0 && size > 0) else {
            return Ok(());
        };
        let needed = (end as u128).div_ceil(u128::from(guess.element)) as u64;
        if needed <= known && symbolic.is_none() {
            return Ok(());
        }
        let length = self.cell_value(guess.length);
        let signed = self.is_signed(guess.length.ty);
        let width = guess.length.width;
        let count = number(length.bits, width, signed);
        let is_within = i128::from(needed) <= count;
        let length = self.term_of(length, width);
        let inside = match symbolic {
            None if u128::from(needed - 1) > mask(width - u32::from(signed)) => return Ok(()),
            None => {
                let last = self.terms.constant(width, u128::from(needed - 1));
                self.less(signed, last, length)
            }
            Some(start) => {
                let wide = self.code.pointer_width.max(width) + 1;
                let start = self.terms.resize(wide, start, true);
                let rest = self.terms.constant(wide, u128::from(size - 1));
                let last = self.terms.add(start, rest);
                let unit = self.terms.constant(wide, u128::from(guess.element));
                let last = self.terms.udiv(last, unit);
                let length = self.terms.resize(wide, length, signed);
                self.less(true, last, length)
            }
        };
        if self.terms.as_bool(inside).is_some() || self.knows(inside) {
            return Ok(());
        }
        let outside = self.terms.bool_not(inside);
        let exact = self.inputs.vector.exact.contains(&guess.object);
        let kind = ConstraintKind::Check(DefectKind::OutOfBounds);
        let alternative = |number, demand| Alternative { number, demand };
        let exact_length = match signed {
            true => {
                let zero = self.terms.constant(width, 0);
                let is_length = self.terms.sle(zero, length);
                self.terms.bool_and(outside, is_length)
            }
            false => outside,
        };
        let defect = alternative(DEFECT, Demand::Exact(guess.object, exact_length));
        let within = alternative(WITHIN, Demand::Term(inside));
        let longer = alternative(LONGER, Demand::Term(outside));
        if is_within {
            self.constrain_anew(kind, inside, WITHIN, vec![defect, longer]);
            if symbolic.is_none() {
                self.know(id, Some(needed));
            }
            Ok(())
        } else if exact && count >= 0 {
            self.constrain_anew(kind, outside, DEFECT, vec![within, longer]);
            Err(self.past_length(id, guess, count as u64, end, size))
        } else {
            self.constrain_anew(kind, outside, LONGER, vec![within, defect]);
            self.know(id, None);
            Ok(())
        }
    }

    /// Guesses nothing of an array any more.
    pub fn forget_length(&mut self, id: AllocationId) {
        self.know(id, None);
    }

    fn less(&mut self, signed: bool, left: Term, right: Term) -> Term {
        match signed {
            true => self.terms.slt(left, right),
            false => self.terms.ult(left, right),
        }
    }

    fn is_signed(&self, ty: TypeId) -> bool {
        let int = self.code.program.types.int(ty);
        int.is_some_and(|int| int.signed)
    }

    fn know(&mut self, id: AllocationId, known: Option<u64>) {
        if let Some(guess) = self.state.guesses.get_mut(&id) {
            guess.known = known;
        }
    }

    /// The defect of an access past an array that is just as long as its length says.
    fn past_length(
        &mut self,
        id: AllocationId,
        guess: Guess,
        count: u64,
        end: i128,
        size: u64,
    ) -> crate::stop::Stop {
        let bytes = count * guess.element;
        let types = &self.code.program.types;
        if let Some(input) = &mut self.state.memory.get_mut(id).input {
            let element = types.size(input.element).max(1);
            let origin = input.origin;
            // A test has no empty arrays: the pointer points past the last element of one.
            input.touched = match bytes {
                0 => (origin.saturating_sub(element), origin),
                _ => (origin, origin + bytes),
            };
        }
        let at = end - i128::from(size);
        let message = format!(
            "access to {size} bytes at offset {at} of an input array of {count} elements ({bytes} bytes)"
        );
        let length = self.space.find_cell(&guess.length);
        let length = length.map_or_else(|| "its length".to_owned(), |cell| self.describe(cell));
        let pointer = self.describe(guess.pointer);
        let text = format!("behind {pointer} there may be {length} elements and no more");
        let assumption = Assumption::new(AssumptionKind::Length, pointer, text);
        self.assumed_defect(DefectKind::OutOfBounds, message, [assumption])
    }
}
