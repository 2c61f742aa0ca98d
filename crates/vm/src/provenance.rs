//! Arithmetic and comparisons where addresses take part: what they mean whatever the addresses
//! are, and a taint on what depends on them.

use expr::Term;
use ir::input::Root;
use ir::test::BoundKind;
use ir::{BinaryOp, DefectKind, FunctionId, GlobalKind};
use semantics::{Concrete, Integer, Pair};

use crate::ids::AllocationId;
use crate::memory::{Allocation, Kind, Life};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value, mask};

impl Run<'_, '_> {
    /// The offset of an address in its allocation: as bits and, if it depends on inputs or is asked
    /// for, as a term, both of a pointer's width.
    pub fn offset_of(&mut self, value: Value, id: AllocationId) -> (u128, Option<Term>) {
        let base = u128::from(self.state.memory.get(id).base);
        let offset = value.bits.wrapping_sub(base) & mask(self.code.pointer_width);
        match value.shadow {
            Shadow::Pointer(_, term) => (offset, term),
            _ => (offset, None),
        }
    }

    pub fn offset_term(&mut self, value: Value, id: AllocationId) -> Term {
        let (offset, term) = self.offset_of(value, id);
        term.unwrap_or_else(|| self.terms.constant(self.code.pointer_width, offset))
    }

    /// An address in the allocation, at a term that may be constant.
    pub fn address_at(&mut self, id: AllocationId, bits: u128, term: Option<Term>) -> Value {
        let term = term.filter(|&term| self.terms.as_constant(term).is_none());
        Value {
            bits,
            shadow: Shadow::Pointer(id, term),
        }
    }

    /// Arithmetic where at least one operand is or depends on an address.
    pub fn address_arithmetic(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Flow<Value> {
        let width = scalar.bits();
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            if let Some(divisor) = right.term() {
                let kind = DefectKind::DivisionByZero;
                let safe = self.terms.is_nonzero(divisor);
                let message = || "division by zero".to_owned();
                self.check(kind, safe, right.bits != 0, message)?;
            }
            self.check_on_addresses(op, scalar, left, right)?;
        }
        let ty = scalar.integer();
        let bits = semantics::binary(&mut Concrete, op, ty, left.bits, right.bits);
        if width != self.code.pointer_width {
            return Ok(Value::tainted(bits));
        }
        Ok(match (left.shadow, right.shadow) {
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _)) if a == b && op == BinaryOp::Sub => {
                self.distance(a, left, right, bits)
            }
            (Shadow::Pointer(a, _), Shadow::None | Shadow::Term(_)) => {
                self.address_and_number(op, a, left, right, bits)
            }
            (Shadow::None | Shadow::Term(_), Shadow::Pointer(b, _))
                if matches!(
                    op,
                    BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
                ) =>
            {
                self.address_and_number(op, b, right, left, bits)
            }
            (Shadow::Pointer(..), Shadow::Pointer(..)) if op == BinaryOp::Xor && left == right => {
                Value::ZERO
            }
            _ => Value::tainted(bits),
        })
    }

    /// What the address of an object is known to be a multiple of.
    pub fn known_align(&self, id: AllocationId) -> u64 {
        let allocation = self.state.memory.get(id);
        let is_declared = matches!(allocation.kind, Kind::Global(_) | Kind::Local);
        match allocation.kind {
            _ if is_declared && self.code.program.target.relaxed_alignment => 1,
            // Allocators align memory for the types that fit (C23 7.24.3), unless they are asked
            // for more.
            Kind::Heap if allocation.declaration.align <= 16 => allocation
                .declaration
                .align
                .min(1 << allocation.size.max(1).ilog2()),
            _ => allocation.declaration.align,
        }
    }

    /// Notes that the code looks at the low bits of an input pointer that was taken to have none
    /// set: no mask that stands in the code said that it would.
    fn note_low_bits(&mut self, id: AllocationId) {
        if self.state.memory.get(id).kind == Kind::Pointee {
            let detail = "no low bits are set in an input pointer";
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// The difference in bytes of two addresses in one allocation.
    fn distance(&mut self, id: AllocationId, left: Value, right: Value, bits: u128) -> Value {
        let ((_, a), (_, b)) = (self.offset_of(left, id), self.offset_of(right, id));
        if a.is_none() && b.is_none() {
            return Value::concrete(bits);
        }
        let (a, b) = (self.offset_term(left, id), self.offset_term(right, id));
        let term = self.terms.sub(a, b);
        self.valued(bits, term)
    }

    /// The address on the left, a number on the right.
    fn address_and_number(
        &mut self,
        op: BinaryOp,
        id: AllocationId,
        address: Value,
        other: Value,
        bits: u128,
    ) -> Value {
        let width = self.code.pointer_width;
        let (_, symbolic) = self.offset_of(address, id);
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            if symbolic.is_none() && other.is_concrete() {
                return self.address_at(id, bits, None);
            }
            let (offset, by) = (self.offset_term(address, id), self.term_of(other, width));
            let term = if op == BinaryOp::Add {
                self.terms.add(offset, by)
            } else {
                self.terms.sub(offset, by)
            };
            return self.address_at(id, bits, Some(term));
        }
        // As lists do that link by the exclusive or of two neighbours, of which one is missing.
        if op == BinaryOp::Xor && other.is_concrete() && other.bits == 0 {
            return address;
        }
        // What follows uses that the low bits of the object's address are known, and they alone.
        let low = u128::from(self.known_align(id)) - 1;
        let mask_bits = match op {
            BinaryOp::Rem if !other.bits.is_power_of_two() => return Value::tainted(bits),
            BinaryOp::Rem => other.bits - 1,
            _ => other.bits,
        };
        if !other.is_concrete() {
            return Value::tainted(bits);
        }
        let constant = self.terms.constant(width, mask_bits);
        let offset = self.offset_term(address, id);
        match op {
            BinaryOp::And | BinaryOp::Rem if mask_bits <= low => {
                if symbolic.is_none() {
                    self.note_low_bits(id);
                }
                let term = self.terms.and(offset, constant);
                self.valued(bits, term)
            }
            BinaryOp::And if !mask_bits & mask(width) <= low => {
                let term = self.terms.and(offset, constant);
                self.address_at(id, bits, symbolic.map(|_| term))
            }
            BinaryOp::Or if mask_bits <= low => {
                let term = self.terms.or(offset, constant);
                self.address_at(id, bits, symbolic.map(|_| term))
            }
            _ => Value::tainted(bits),
        }
    }

    /// Comparisons where at least one operand is or depends on an address.
    pub fn address_comparison(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Flow<Value> {
        let ty = scalar.integer();
        let holds = semantics::compare(&mut Concrete, op, ty, left.bits, right.bits);
        let bits = u128::from(holds);
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        Ok(match (left.shadow, right.shadow) {
            (Shadow::Pointer(a, s), Shadow::Pointer(b, t)) if a == b => {
                if !equality
                    && !scalar.pointer
                    && left != right
                    && !self.lie_in_object(a, left, right)
                    && !self.note_wrapping(a)
                {
                    return Ok(Value::tainted(bits));
                }
                if s.is_none() && t.is_none() {
                    return Ok(Value::concrete(bits));
                }
                // Offsets are far smaller than half of the address space, before or after.
                let (offset, other) = (self.offset_of(left, a).0, self.offset_of(right, b).0);
                let signed = Integer {
                    width: self.code.pointer_width,
                    signed: true,
                };
                let a = Pair {
                    bits: offset,
                    term: self.offset_term(left, a),
                };
                let b = Pair {
                    bits: other,
                    term: self.offset_term(right, b),
                };
                self.compared(op, signed, a, b)
            }
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _))
                if !equality && self.may_be_one_object(a, b) =>
            {
                Value::tainted(bits)
            }
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _)) if !equality && scalar.pointer => {
                return Err(self.unrelated(a, b, "compared by order"));
            }
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _))
                if equality
                    && (self.may_coincide((a, left), (b, right))
                        || self.may_have_place_of(a, b)
                        || self.may_have_place_of(b, a)) =>
            {
                Value::tainted(bits)
            }
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _))
                if equality && self.may_be_adjacent((a, left), (b, right)) =>
            {
                let is_chosen = |id| self.state.memory.get(id).kind == Kind::Pointee;
                if !is_chosen(a) && !is_chosen(b) {
                    return Ok(Value::tainted(bits));
                }
                let detail = "an input pointer is compared with an address behind an object";
                self.hit(BoundKind::PointerChoice, detail);
                // Compilers may put the objects of a test side by side.
                self.state.record.unspecified.unsure = true;
                Value::concrete(bits)
            }
            // The sign of an address is no fact.
            (Shadow::Pointer(..), Shadow::None) if right.bits == 0 && !scalar.signed => {
                self.compared_to_zero(scalar, left, bits)?
            }
            (Shadow::None, Shadow::Pointer(..)) if left.bits == 0 && !scalar.signed => {
                self.compared_to_zero(scalar, right, bits)?
            }
            (Shadow::Pointer(id, _), Shadow::None)
                if equality && self.may_be_number((id, left), right, scalar)? =>
            {
                Value::tainted(bits)
            }
            (Shadow::None, Shadow::Pointer(id, _))
                if equality && self.may_be_number((id, right), left, scalar)? =>
            {
                Value::tainted(bits)
            }
            // Where one lies outside its object, how far objects lie from each other decides.
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _))
                if equality
                    && self.may_lie_outside(scalar)
                    && !(self.is_surely_other(a, left, right.bits)?
                        && self.is_surely_other(b, right, left.bits)?) =>
            {
                Value::tainted(bits)
            }
            (Shadow::Pointer(..) | Shadow::None, Shadow::Pointer(..) | Shadow::None)
                if equality =>
            {
                self.note_comparison(left, right);
                Value::concrete(bits)
            }
            _ => Value::tainted(bits),
        })
    }

    /// What a comparison of an address with zero gives.
    fn compared_to_zero(&mut self, scalar: Scalar, address: Value, bits: u128) -> Flow<Value> {
        let address = match scalar.pointer {
            true => self.tested_pointer(address)?,
            false => self.tested_number(address)?,
        };
        Ok(match address.shadow {
            Shadow::Tainted(_) => Value::tainted(bits),
            _ => Value::concrete(bits),
        })
    }

    /// The defect that pointers into different objects are used for what only those into one can
    /// be.
    fn unrelated(&mut self, left: AllocationId, right: AllocationId, used: &str) -> Stop {
        let message = format!("pointers into different objects are {used}");
        let is_chosen = |id: AllocationId| self.state.memory.get(id).kind == Kind::Pointee;
        let is_open = (is_chosen(left) || is_chosen(right))
            && [left, right].into_iter().all(|id| {
                let allocation = self.state.memory.get(id);
                allocation.input.is_some() || matches!(allocation.kind, Kind::Global(_))
            });
        let assumption = is_open.then(|| self.assumes_apart(left, right));
        if is_open {
            let detail = "input pointers point to the same array in the ways that they are offered";
            self.hit(BoundKind::PointerChoice, detail);
        }
        let result = [left, right].into_iter().find_map(|id| self.led_by(id));
        let result = result.map(|function| self.assumes_result(function));
        let all = assumption.into_iter().chain(result);
        self.assumed_defect(DefectKind::UnrelatedPointers, message, all)
    }

    /// The function without a body that returned or wrote the pointer to an object; `None` if the
    /// object comes from somewhere else.
    fn led_by(&self, id: AllocationId) -> Option<FunctionId> {
        let input = self.state.memory.get(id).input.as_deref()?;
        match self.space.object_data(input.object).root {
            Root::Pointee(cell) => self.space.function_behind(cell),
            _ => None,
        }
    }

    /// Whether two objects may be parts of one: string literals of which one ends as the other does
    /// (C17 6.4.5p7), what linkers may define, such as where a section starts and ends, and objects
    /// of temporary lifetime.
    fn may_be_one_object(&self, left: AllocationId, right: AllocationId) -> bool {
        let program = self.code.program;
        let is_placed = |id| {
            let kind = self.state.memory.get(id).kind;
            matches!(kind, Kind::Global(_) | Kind::Function(_))
        };
        let is_of_linker = |id: AllocationId| match self.state.memory.get(id).kind {
            Kind::Global(global) => program.globals[global].initializer.is_none(),
            _ => false,
        };
        let (a, b) = (self.state.memory.get(left), self.state.memory.get(right));
        let is_end = a.bytes.ends_with(&b.bytes) || b.bytes.ends_with(&a.bytes);
        let are_literals = self.is_literal(left) && self.is_literal(right) && is_end;
        let are_placed = is_placed(left) && is_placed(right);
        let is_temporary = a.declaration.temporary || b.declaration.temporary;
        is_temporary || are_literals || are_placed && (is_of_linker(left) || is_of_linker(right))
    }

    /// Whether an object is what linkers define, by its name: a place among others.
    pub fn is_place_of_linker(&self, id: AllocationId) -> bool {
        let program = self.code.program;
        match self.state.memory.get(id).kind {
            Kind::Global(global) => ir::library::is_place_of_linker(&program.globals[global]),
            _ => false,
        }
    }

    /// Whether an object is a string literal, or a constant compound literal, which may share its
    /// storage too (C17 6.5.2.5p7).
    fn is_literal(&self, id: AllocationId) -> bool {
        let allocation = self.state.memory.get(id);
        let kind = match allocation.kind {
            Kind::Global(id) => Some(self.code.program.globals[id].kind),
            _ => None,
        };
        match kind {
            Some(GlobalKind::StringLiteral) => true,
            Some(GlobalKind::CompoundLiteral) => allocation.constant,
            _ => false,
        }
    }

    /// Whether C leaves open if two addresses in different objects are equal: the memory of an
    /// object that is no more may have been used again, string literals may share theirs, linkers
    /// name places among objects, and objects of temporary lifetime need no addresses of their own
    /// (C17 6.2.4p8).
    fn may_coincide(
        &self,
        (left, left_address): (AllocationId, Value),
        (right, right_address): (AllocationId, Value),
    ) -> bool {
        let (a, b) = (self.state.memory.get(left), self.state.memory.get(right));
        let (earlier, later) = if left < right { (a, b) } else { (b, a) };
        let is_made_later = matches!(later.kind, Kind::Heap | Kind::Local);
        if earlier.life == Life::Dead && is_made_later
            || a.declaration.temporary
            || b.declaration.temporary
        {
            return true;
        }
        let is_placed = |it: &Allocation| matches!(it.kind, Kind::Global(_) | Kind::Function(_));
        let is_place = self.is_place_of_linker(left) || self.is_place_of_linker(right);
        if is_place && is_placed(a) && is_placed(b) {
            return true;
        }
        if !self.is_literal(left) || !self.is_literal(right) {
            return false;
        }
        // A literal may be the end of another one.
        let rest = |address: Value, base: u64| {
            usize::try_from((address.bits as u64).wrapping_sub(base)).unwrap_or(usize::MAX)
        };
        let behind_left = a.bytes.get(rest(left_address, a.base)..);
        let behind_right = b.bytes.get(rest(right_address, b.base)..);
        behind_left.is_some() && behind_left == behind_right
    }

    /// `(left - right) / element`.
    pub fn pointer_difference(
        &mut self,
        scalar: Scalar,
        left: Value,
        right: Value,
        element: u64,
    ) -> Flow<Value> {
        let (left, right) = (self.used(left)?, self.used(right)?);
        let width = self.code.pointer_width;
        let bytes = Scalar {
            signed: true,
            ..Scalar::unsigned(width)
        };
        let difference = left.bits.wrapping_sub(right.bits) & mask(width);
        let difference = match (left.shadow, right.shadow) {
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _)) if a == b => {
                self.distance(a, left, right, difference)
            }
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _)) if self.may_be_one_object(a, b) => {
                Value::tainted(difference)
            }
            (Shadow::Pointer(a, _), Shadow::Pointer(b, _)) => {
                return Err(self.unrelated(a, b, "subtracted"));
            }
            (Shadow::Pointer(..), Shadow::None) | (Shadow::None, Shadow::Pointer(..))
                if left.bits == 0 || right.bits == 0 =>
            {
                let message = "a pointer and NULL are subtracted";
                return Err(self.null_defect(DefectKind::UnrelatedPointers, message, None));
            }
            _ if left.is_address() || right.is_address() => Value::tainted(difference),
            _ => {
                let (a, b) = (self.term_of(left, width), self.term_of(right, width));
                let term = self.terms.sub(a, b);
                self.valued(difference, term)
            }
        };
        if element <= 1 {
            return self.cast(ir::CastKind::IntToInt, bytes, scalar, difference);
        }
        let divisor = u128::from(element);
        let signed = Integer {
            width,
            signed: true,
        };
        let div = BinaryOp::Div;
        let bits = semantics::binary(&mut Concrete, div, signed, difference.bits, divisor);
        let quotient = match difference.shadow {
            Shadow::Term(term) => {
                let size = self.terms.constant(width, divisor);
                let term = semantics::binary(self.terms, div, signed, term, size);
                self.valued(bits, term)
            }
            shadow => Value { bits, shadow },
        };
        self.cast(ir::CastKind::IntToInt, bytes, scalar, quotient)
    }

    /// Notes that what happens next depends on where objects lie.
    pub fn depends_on_address(&mut self, what: &str) {
        self.lose(
            ir::test::LossKind::AddressDependence,
            format!("{what} depends on where objects lie in memory"),
        );
    }
}
