//! Arithmetic: concrete first, then with terms, then with addresses.

use expr::Term;
use ir::{BinaryOp, CastKind, DefectKind, UnaryOp};
use semantics::{Both, Check, Concrete, Domain, Pair, PairOfTruths, quick};

use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value, show};

/// A concrete index of up to 64 bits, extended to 64.
#[inline(always)]
pub(crate) fn fast_index(scalar: Scalar, index: Value) -> Option<u64> {
    (index.is_concrete() && scalar.width <= 64)
        .then(|| quick::extended(scalar.integer(), index.bits as u64))
}

impl Run<'_, '_> {
    /// A value that is about to be used: resolved if it is an input pointer, a defect if it was
    /// never written.
    #[inline]
    pub fn used(&mut self, value: Value) -> Flow<Value> {
        match value.shadow {
            Shadow::None | Shadow::Term(_) | Shadow::Pointer(..) | Shadow::Tainted(_) => Ok(value),
            Shadow::Lazy(cell) => self.resolve(cell),
            Shadow::Unspecified(term, why) => self.use_unspecified(value.bits, term, why),
            Shadow::Uninitialised if value == Value::RENEWED => Err(self.unsupported(
                "a read of a variable to whose declaration a jump led back, and which was not assigned to since",
            )),
            Shadow::Uninitialised => Err(self.defect(
                DefectKind::UninitialisedRead,
                "a value is used that was never written",
            )),
        }
    }

    /// The term of a value of this width.
    pub fn term_of(&mut self, value: Value, width: u32) -> Term {
        match value.shadow {
            Shadow::Term(term) => term,
            _ => self.terms.constant(width, value.bits),
        }
    }

    /// A value for a term, which may be constant.
    pub fn valued(&mut self, bits: u128, term: Term) -> Value {
        match self.terms.as_constant(term) {
            Some(_) => Value::concrete(bits),
            None => Value::symbolic(bits, term),
        }
    }

    /// Arithmetic and bit operations, shifts excepted.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Flow<Value> {
        let (left, right) = (self.used(left)?, self.used(right)?);
        if left.is_address() || right.is_address() {
            return self.address_arithmetic(op, scalar, left, right);
        }
        let ty = scalar.integer();
        if left.is_concrete() && right.is_concrete() {
            self.check_concrete(op, scalar, left.bits, right.bits)?;
            let bits = semantics::binary(&mut Concrete, op, ty, left.bits, right.bits);
            return Ok(Value::concrete(bits));
        }
        let (a, b) = (self.pair(left, ty.width), self.pair(right, ty.width));
        for check in semantics::checks(op, ty, self.overflow_wraps()) {
            let both = &mut Both(self.terms);
            let safe = semantics::operands_are_safe(both, check, ty.width, a, b);
            let message = || operation_message(check, op, scalar, a.bits, b.bits);
            self.require(check.kind(), safe, message)?;
        }
        let result = semantics::binary(&mut Both(self.terms), op, ty, a, b);
        Ok(self.valued(result.bits, result.term))
    }

    /// The value of this width and the term that says what it is.
    fn pair(&mut self, value: Value, width: u32) -> Pair {
        Pair {
            bits: value.bits,
            term: self.term_of(value, width),
        }
    }

    /// Checks a condition on inputs: where it does not hold, it is a defect.
    fn require(
        &mut self,
        kind: DefectKind,
        safe: PairOfTruths,
        message: impl FnOnce() -> String,
    ) -> Flow<()> {
        self.check(kind, safe.term, safe.holds, message)
    }

    /// Whether signed results that do not fit wrap.
    fn overflow_wraps(&self) -> bool {
        self.code.program.target.signed_overflow_wraps
    }

    /// Finds what C leaves undefined of a division where addresses take part. It may be something
    /// else where objects lie elsewhere.
    pub fn check_on_addresses(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Flow<()> {
        self.state.record.unspecified.unsure |= right.is_address();
        let checked = self.check_concrete(op, scalar, left.bits, right.bits);
        if checked.is_err() {
            self.depends_on_address("whether a division is defined");
        }
        checked
    }

    /// Finds what C leaves undefined of an operation on numbers.
    pub fn check_concrete(&self, op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> Flow<()> {
        let ty = scalar.integer();
        let is_violated =
            |check: &Check| !semantics::operands_are_safe(&mut Concrete, *check, ty.width, a, b);
        match semantics::checks(op, ty, self.overflow_wraps()).find(is_violated) {
            Some(check) => {
                Err(self.defect(check.kind(), operation_message(check, op, scalar, a, b)))
            }
            None => Ok(()),
        }
    }

    /// Shifts. The amount has a type of its own.
    pub fn shift(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        amount_scalar: Scalar,
        left: Value,
        amount: Value,
    ) -> Flow<Value> {
        let (left, amount) = (self.used(left)?, self.used(amount)?);
        let ty = scalar.integer();
        self.check_amount(amount, amount_scalar, ty.width)?;
        if left.is_address() || amount.is_address() {
            let bits = semantics::binary(&mut Concrete, op, ty, left.bits, amount.bits);
            return Ok(Value::tainted(bits));
        }
        let check = semantics::shift_check(op, ty, self.overflow_wraps());
        let (value, by) = (left.bits, amount.bits);
        let message = || {
            let value = show(value, scalar);
            format!(
                "left shift of {value} by {by} does not fit {} bits signed",
                ty.width
            )
        };
        if left.is_concrete() && amount.is_concrete() {
            let is_violated = |&check: &Check| {
                !semantics::operands_are_safe(&mut Concrete, check, ty.width, value, by)
            };
            if let Some(check) = check.filter(is_violated) {
                return Err(self.defect(check.kind(), message()));
            }
            let bits = semantics::binary(&mut Concrete, op, ty, value, by);
            return Ok(Value::concrete(bits));
        }
        let amount = self.pair(amount, amount_scalar.bits());
        let a = self.pair(left, ty.width);
        let unsigned = semantics::Integer {
            width: amount_scalar.bits(),
            signed: false,
        };
        let b = semantics::convert(&mut Both(self.terms), unsigned, ty.width, amount);
        if let Some(check) = check {
            let both = &mut Both(self.terms);
            let safe = semantics::operands_are_safe(both, check, ty.width, a, b);
            self.require(check.kind(), safe, message)?;
        }
        let result = semantics::binary(&mut Both(self.terms), op, ty, a, b);
        Ok(self.valued(result.bits, result.term))
    }

    /// Checks how far a value of a width in bits is shifted.
    fn check_amount(&mut self, amount: Value, scalar: Scalar, width: u32) -> Flow<()> {
        let by = show(amount.bits, scalar);
        let message = || format!("shift by {by} of a type of {width} bits");
        let kind = DefectKind::BadShift;
        if amount.term().is_some() {
            let amount = (self.pair(amount, scalar.bits()), scalar.bits());
            let safe = semantics::amount_is_safe(&mut Both(self.terms), amount, width);
            return self.require(kind, safe, message);
        }
        self.state.record.unspecified.unsure |= amount.is_address();
        if semantics::amount_is_safe(&mut Concrete, (amount.bits, scalar.bits()), width) {
            return Ok(());
        }
        if amount.is_address() {
            self.depends_on_address("whether a shift is defined");
        }
        Err(self.defect(kind, message()))
    }

    /// Comparisons; the result is a 32-bit 0 or 1.
    pub fn compare(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Flow<Value> {
        let (left, right) = match op {
            BinaryOp::Eq | BinaryOp::Ne => self.compared_for_equality(left, right)?,
            _ => (self.used(left)?, self.used(right)?),
        };
        if left.is_address() || right.is_address() {
            return self.address_comparison(op, scalar, left, right);
        }
        let ty = scalar.integer();
        if left.is_concrete() && right.is_concrete() {
            let holds = semantics::compare(&mut Concrete, op, ty, left.bits, right.bits);
            return Ok(Value::concrete(u128::from(holds)));
        }
        let (a, b) = (self.pair(left, ty.width), self.pair(right, ty.width));
        Ok(self.compared(op, ty, a, b))
    }

    /// The value of a comparison of numbers that depend on inputs.
    pub fn compared(&mut self, op: BinaryOp, ty: semantics::Integer, a: Pair, b: Pair) -> Value {
        let both = &mut Both(self.terms);
        let holds = semantics::compare(both, op, ty, a, b);
        let result = both.number(32, holds);
        self.valued(result.bits, result.term)
    }

    pub fn unary(&mut self, op: UnaryOp, scalar: Scalar, value: Value) -> Flow<Value> {
        let value = self.used(value)?;
        let ty = scalar.integer();
        let check = match op {
            UnaryOp::Negate => semantics::negation_check(ty, self.overflow_wraps()),
            UnaryOp::Complement => None,
        };
        let bits = semantics::unary(&mut Concrete, op, ty.width, value.bits);
        if value.is_address() {
            return Ok(Value::tainted(bits));
        }
        let message = || {
            let shown = show(value.bits, scalar);
            format!("-({shown}) does not fit {} bits signed", ty.width)
        };
        if value.is_concrete() {
            let is_violated = |&check: &Check| {
                let operand = value.bits;
                !semantics::operands_are_safe(&mut Concrete, check, ty.width, operand, operand)
            };
            return match check.filter(is_violated) {
                Some(check) => Err(self.defect(check.kind(), message())),
                None => Ok(Value::concrete(bits)),
            };
        }
        let a = self.pair(value, ty.width);
        if let Some(check) = check {
            let both = &mut Both(self.terms);
            let safe = semantics::operands_are_safe(both, check, ty.width, a, a);
            self.require(check.kind(), safe, message)?;
        }
        let result = semantics::unary(&mut Both(self.terms), op, ty.width, a);
        Ok(self.valued(result.bits, result.term))
    }

    /// Conversions.
    pub fn cast(&mut self, kind: CastKind, from: Scalar, to: Scalar, value: Value) -> Flow<Value> {
        match (kind, value.shadow) {
            (CastKind::PointerToPointer, Shadow::Lazy(_)) => return Ok(value),
            // Characters may be copied through conversions of the same width.
            (CastKind::IntToInt, shadow) if shadow.is_open() && from.character && to.character => {
                return Ok(value);
            }
            _ => {}
        }
        let width = to.bits();
        if kind == CastKind::PointerToInt {
            self.note_meant(value);
        }
        let value = match kind {
            CastKind::IntToBool => self.tested_number(value)?,
            CastKind::PointerToBool => self.tested_pointer(value)?,
            _ => self.used(value)?,
        };
        let is_test = matches!(kind, CastKind::IntToBool | CastKind::PointerToBool);
        if is_test {
            let bits = u128::from(semantics::is_true(&mut Concrete, from.bits(), value.bits));
            return Ok(match value.shadow {
                Shadow::Term(_) => {
                    let value = self.pair(value, from.bits());
                    let both = &mut Both(self.terms);
                    let holds = semantics::is_true(both, from.bits(), value);
                    let result = both.number(width, holds);
                    self.valued(result.bits, result.term)
                }
                Shadow::Tainted(_) => Value::tainted(bits),
                _ => Value::concrete(bits),
            });
        }
        if kind == CastKind::PointerToInt {
            self.expose(value.shadow);
        }
        let ty = semantics::Integer {
            width: from.bits(),
            signed: from.signed && matches!(kind, CastKind::IntToInt | CastKind::IntToPointer),
        };
        let bits = semantics::convert(&mut Concrete, ty, width, value.bits);
        Ok(match value.shadow {
            Shadow::Term(term) => {
                if kind == CastKind::IntToPointer {
                    self.note_number(term);
                }
                let term = semantics::convert(self.terms, ty, width, term);
                self.valued(bits, term)
            }
            Shadow::Pointer(..) if width == self.code.pointer_width => Value { bits, ..value },
            Shadow::Tainted(_) if kind == CastKind::IntToPointer => self.pointer_again(bits),
            // Its low bytes are still the same part of the address.
            Shadow::Tainted(Some(part)) if width >= part.bits() => Value { bits, ..value },
            Shadow::Pointer(..) | Shadow::Tainted(_) => Value::tainted(bits),
            _ => Value::concrete(bits),
        })
    }
}

fn operation_message(check: Check, op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> String {
    let (left, right) = (show(a, scalar), show(b, scalar));
    match check {
        Check::Divisor => format!("division by zero: {left} {op} {right}"),
        _ => format!(
            "{left} {op} {right} does not fit {} bits signed",
            scalar.width
        ),
    }
}
