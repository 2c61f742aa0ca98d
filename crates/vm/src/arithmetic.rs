//! Arithmetic: concrete first, then with terms, then with addresses.

use expr::{BvOp, CmpOp, Term, eval_binary, eval_compare};
use ir::{BinaryOp, CastKind, DefectKind, UnaryOp};

use crate::run::{Run, Step};
use crate::value::{Scalar, Shadow, Value, mask, number, show};

/// The common operations on numbers of up to 64 bits; `None` where something is to be looked at
/// more closely.
#[inline(always)]
pub(crate) fn fast(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let width = scalar.bits();
    if width == 32 {
        return fast_32(op, scalar.signed, a as u32, b as u32).map(u64::from);
    }
    if width > 64 {
        return None;
    }
    let cut = mask(width) as u64;
    match op {
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        _ if scalar.signed => {
            let shift = 64 - width;
            let (x, y) = (
                ((a << shift) as i64) >> shift,
                ((b << shift) as i64) >> shift,
            );
            let result = match op {
                BinaryOp::Add => x.checked_add(y)?,
                BinaryOp::Sub => x.checked_sub(y)?,
                BinaryOp::Mul => x.checked_mul(y)?,
                BinaryOp::Div => x.checked_div(y)?,
                BinaryOp::Rem => x.checked_rem(y)?,
                _ => return None,
            };
            (((result << shift) >> shift) == result).then_some(result as u64 & cut)
        }
        BinaryOp::Add => Some(a.wrapping_add(b) & cut),
        BinaryOp::Sub => Some(a.wrapping_sub(b) & cut),
        BinaryOp::Mul => Some(a.wrapping_mul(b) & cut),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        _ => None,
    }
}

#[inline(always)]
fn fast_32(op: BinaryOp, signed: bool, a: u32, b: u32) -> Option<u32> {
    match (op, signed) {
        (BinaryOp::Add, false) => Some(a.wrapping_add(b)),
        (BinaryOp::Sub, false) => Some(a.wrapping_sub(b)),
        (BinaryOp::Mul, false) => Some(a.wrapping_mul(b)),
        (BinaryOp::Div, false) => a.checked_div(b),
        (BinaryOp::Rem, false) => a.checked_rem(b),
        (BinaryOp::Add, true) => (a as i32).checked_add(b as i32).map(|r| r as u32),
        (BinaryOp::Sub, true) => (a as i32).checked_sub(b as i32).map(|r| r as u32),
        (BinaryOp::Mul, true) => (a as i32).checked_mul(b as i32).map(|r| r as u32),
        (BinaryOp::Div, true) => (a as i32).checked_div(b as i32).map(|r| r as u32),
        (BinaryOp::Rem, true) => (a as i32).checked_rem(b as i32).map(|r| r as u32),
        (BinaryOp::And, _) => Some(a & b),
        (BinaryOp::Or, _) => Some(a | b),
        (BinaryOp::Xor, _) => Some(a ^ b),
        _ => None,
    }
}

/// Shifts of up to 64 bits without anything to be looked at more closely.
#[inline(always)]
pub(crate) fn fast_shift(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let width = scalar.bits();
    if width > 64 || b >= u64::from(width) {
        return None;
    }
    match (op, scalar.signed) {
        (BinaryOp::Shr, false) => Some(a >> b),
        (BinaryOp::Shl, false) => Some((a << b) & mask(width) as u64),
        (BinaryOp::Shr, true) => {
            let shift = 64 - width;
            Some(((((a << shift) as i64) >> shift) >> b) as u64 & mask(width) as u64)
        }
        _ => None,
    }
}

/// Comparisons of up to 64 bits.
#[inline(always)]
pub(crate) fn fast_compare(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    let width = scalar.bits();
    if width > 64 {
        return None;
    }
    let (x, y) = if scalar.signed {
        let shift = 64 - width;
        (
            ((a << shift) as i64) >> shift,
            ((b << shift) as i64) >> shift,
        )
    } else {
        // Moves the unsigned order onto the signed one.
        ((a ^ 1 << 63) as i64, (b ^ 1 << 63) as i64)
    };
    Some(match op {
        BinaryOp::Eq => x == y,
        BinaryOp::Ne => x != y,
        BinaryOp::Lt => x < y,
        BinaryOp::Le => x <= y,
        BinaryOp::Gt => x > y,
        BinaryOp::Ge => x >= y,
        _ => return None,
    })
}

/// Conversions between integers of up to 64 bits.
#[inline(always)]
pub(crate) fn fast_cast(source: Scalar, target: Scalar, bits: u64) -> Option<u64> {
    if source.width > 64 || target.width > 64 {
        return None;
    }
    let cut = u64::MAX >> (64 - target.bits());
    Some(extended(source, bits) & cut)
}

/// A concrete index of up to 64 bits, extended to 64.
#[inline(always)]
pub(crate) fn fast_index(scalar: Scalar, index: Value) -> Option<u64> {
    (index.is_concrete() && scalar.width <= 64).then(|| extended(scalar, index.bits as u64))
}

/// Extends a number of at most 64 bits to 64.
#[inline(always)]
fn extended(scalar: Scalar, bits: u64) -> u64 {
    if !scalar.signed {
        return bits;
    }
    let shift = 64 - scalar.bits();
    (((bits << shift) as i64) >> shift) as u64
}

/// The operator of terms that a C operator is, shifts and comparisons excepted.
pub(crate) fn term_operator(op: BinaryOp, signed: bool) -> BvOp {
    match (op, signed) {
        (BinaryOp::Sub, _) => BvOp::Sub,
        (BinaryOp::Mul, _) => BvOp::Mul,
        (BinaryOp::Div, true) => BvOp::SDiv,
        (BinaryOp::Div, false) => BvOp::UDiv,
        (BinaryOp::Rem, true) => BvOp::SRem,
        (BinaryOp::Rem, false) => BvOp::URem,
        (BinaryOp::And, _) => BvOp::And,
        (BinaryOp::Or, _) => BvOp::Or,
        (BinaryOp::Xor, _) => BvOp::Xor,
        (BinaryOp::Shl, _) => BvOp::Shl,
        (BinaryOp::Shr, true) => BvOp::AShr,
        (BinaryOp::Shr, false) => BvOp::LShr,
        _ => BvOp::Add,
    }
}

/// How a C comparison is made of one of terms: the operator, whether its operands are swapped, and
/// whether its result is negated.
pub(crate) fn term_comparison(op: BinaryOp, signed: bool) -> (CmpOp, bool, bool) {
    let (less, less_equal) = if signed {
        (CmpOp::Slt, CmpOp::Sle)
    } else {
        (CmpOp::Ult, CmpOp::Ule)
    };
    match op {
        BinaryOp::Ne => (CmpOp::Eq, false, true),
        BinaryOp::Lt => (less, false, false),
        BinaryOp::Le => (less_equal, false, false),
        BinaryOp::Gt => (less, true, false),
        BinaryOp::Ge => (less_equal, true, false),
        _ => (CmpOp::Eq, false, false),
    }
}

/// The concrete result of a comparison.
pub(crate) fn compare_bits(op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> bool {
    let (operator, swapped, negated) = term_comparison(op, scalar.signed);
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    eval_compare(operator, scalar.bits(), a, b) != negated
}

/// The concrete result of an operator that is no comparison.
pub(crate) fn binary_bits(op: BinaryOp, scalar: Scalar, left: Value, right: Value) -> u128 {
    let operator = term_operator(op, scalar.signed);
    eval_binary(operator, scalar.bits(), left.bits, right.bits)
}

/// How C writes the operator.
pub(crate) fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

impl Run<'_, '_> {
    /// A value that is about to be used: resolved if it is an input pointer, a defect if it was
    /// never written.
    #[inline]
    pub fn used(&mut self, value: Value) -> Step<Value> {
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
    ) -> Step<Value> {
        let (left, right) = (self.used(left)?, self.used(right)?);
        if is_address(left) || is_address(right) {
            return self.address_arithmetic(op, scalar, left, right);
        }
        let width = scalar.bits();
        let symbolic = left.term().is_some() || right.term().is_some();
        let bits = binary_bits(op, scalar, left, right);
        if !symbolic {
            self.check_concrete(op, scalar, left.bits, right.bits)?;
            return Ok(Value::concrete(bits));
        }
        let (a, b) = (self.term_of(left, width), self.term_of(right, width));
        self.check_symbolic(op, scalar, left, right, a, b)?;
        let term = self.terms.binary(term_operator(op, scalar.signed), a, b);
        Ok(self.valued(bits, term))
    }

    /// Whether an operation whose result does not fit is undefined. A quotient that does not fit ends the program
    /// with `-fwrapv` too.
    fn may_overflow(&self, op: BinaryOp, scalar: Scalar) -> bool {
        let is_quotient = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        self.overflows(scalar) || (scalar.signed && is_quotient)
    }

    fn overflows(&self, scalar: Scalar) -> bool {
        scalar.signed && !self.code.program.target.signed_overflow_wraps
    }

    /// Finds what C leaves undefined of a division where addresses take part. It may be something else
    /// where objects lie elsewhere.
    pub fn check_on_addresses(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Step<()> {
        self.state.record.unspecified.unsure |= is_address(right);
        let checked = self.check_concrete(op, scalar, left.bits, right.bits);
        if checked.is_err() {
            self.depends_on_address("whether a division is defined");
        }
        checked
    }

    /// Finds what C leaves undefined of an operation on numbers.
    pub fn check_concrete(&self, op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> Step<()> {
        match concrete_defect(op, scalar, a, b) {
            Some(DefectKind::SignedOverflow) if !self.may_overflow(op, scalar) => Ok(()),
            Some(kind) => Err(self.defect(kind, operation_message(kind, op, scalar, a, b))),
            None => Ok(()),
        }
    }

    fn check_symbolic(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
        a: Term,
        b: Term,
    ) -> Step<()> {
        let width = scalar.bits();
        let found = concrete_defect(op, scalar, left.bits, right.bits);
        let message = |kind| operation_message(kind, op, scalar, left.bits, right.bits);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            let kind = DefectKind::DivisionByZero;
            let safe = self.terms.is_nonzero(b);
            self.check(kind, safe, found != Some(kind), || message(kind))?;
        }
        if !self.may_overflow(op, scalar) {
            return Ok(());
        }
        let overflow = match op {
            BinaryOp::Add => self.terms.add_overflows(a, b),
            BinaryOp::Sub => self.terms.sub_overflows(a, b),
            BinaryOp::Mul => self.terms.mul_overflows(a, b),
            BinaryOp::Div | BinaryOp::Rem => {
                let minimum = self.terms.constant(width, 1 << (width - 1));
                let minus_one = self.terms.constant(width, mask(width));
                let is_minimum = self.terms.eq(a, minimum);
                let is_minus_one = self.terms.eq(b, minus_one);
                self.terms.bool_and(is_minimum, is_minus_one)
            }
            _ => return Ok(()),
        };
        let kind = DefectKind::SignedOverflow;
        let safe = self.terms.bool_not(overflow);
        self.check(kind, safe, found != Some(kind), || message(kind))
    }

    /// Shifts. The amount has a type of its own.
    pub fn shift(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        amount_scalar: Scalar,
        left: Value,
        amount: Value,
    ) -> Step<Value> {
        let (left, amount) = (self.used(left)?, self.used(amount)?);
        let width = scalar.bits();
        self.check_amount(amount, amount_scalar, width)?;
        let bits = binary_bits(op, scalar, left, amount);
        if is_address(left) || is_address(amount) {
            return Ok(tainted(bits));
        }
        if left.term().is_none() && amount.term().is_none() {
            self.check_shift_base(op, scalar, left, amount, None)?;
            return Ok(Value::concrete(bits));
        }
        let amount_term = self.term_of(amount, amount_scalar.bits());
        let a = self.term_of(left, width);
        let b = self.terms.resize(width, amount_term, false);
        self.check_shift_base(op, scalar, left, amount, Some((a, b)))?;
        let term = self.terms.binary(term_operator(op, scalar.signed), a, b);
        Ok(self.valued(bits, term))
    }

    /// Checks how far a value of a width in bits is shifted.
    fn check_amount(&mut self, amount: Value, scalar: Scalar, width: u32) -> Step<()> {
        let holds = amount.bits < u128::from(width);
        let by = show(amount.bits, scalar);
        let message = || format!("shift by {by} of a type of {width} bits");
        let kind = DefectKind::BadShift;
        if let Some(term) = amount.term() {
            let limit = self.terms.constant(scalar.bits(), u128::from(width));
            let safe = self.terms.ult(term, limit);
            return self.check(kind, safe, holds, message);
        }
        self.state.record.unspecified.unsure |= is_address(amount);
        if holds {
            return Ok(());
        }
        if is_address(amount) {
            self.depends_on_address("whether a shift is defined");
        }
        Err(self.defect(kind, message()))
    }

    /// A left shift of a signed value may not shift out ones, nor a one into the sign bit.
    fn check_shift_base(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        amount: Value,
        terms: Option<(Term, Term)>,
    ) -> Step<()> {
        if op != BinaryOp::Shl || !self.overflows(scalar) {
            return Ok(());
        }
        let width = scalar.bits();
        let lost = left.bits >> (u128::from(width) - 1 - amount.bits);
        let (value, by) = (show(left.bits, scalar), amount.bits);
        let kind = DefectKind::BadShift;
        let message = || format!("left shift of {value} by {by} does not fit {width} bits signed");
        match terms {
            None if lost == 0 => Ok(()),
            None => Err(self.defect(kind, message())),
            Some((a, b)) => {
                let top = self.terms.constant(width, u128::from(width) - 1);
                let distance = self.terms.sub(top, b);
                let out = self.terms.lshr(a, distance);
                let any = self.terms.is_nonzero(out);
                let safe = self.terms.bool_not(any);
                self.check(kind, safe, lost == 0, message)
            }
        }
    }

    /// Comparisons; the result is a 32-bit 0 or 1.
    pub fn compare(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Value,
        right: Value,
    ) -> Step<Value> {
        let (left, right) = match op {
            BinaryOp::Eq | BinaryOp::Ne => self.compared_for_equality(left, right)?,
            _ => (self.used(left)?, self.used(right)?),
        };
        if is_address(left) || is_address(right) {
            return self.address_comparison(op, scalar, left, right);
        }
        let bits = u128::from(compare_bits(op, scalar, left.bits, right.bits));
        if left.is_concrete() && right.is_concrete() {
            return Ok(Value::concrete(bits));
        }
        let width = scalar.bits();
        let (a, b) = (self.term_of(left, width), self.term_of(right, width));
        Ok(self.compared(op, scalar.signed, a, b, bits))
    }

    /// The value of a comparison of terms, whose concrete result is known.
    pub fn compared(&mut self, op: BinaryOp, signed: bool, a: Term, b: Term, bits: u128) -> Value {
        let (operator, swapped, negated) = term_comparison(op, signed);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let mut condition = self.terms.compare(operator, a, b);
        if negated {
            condition = self.terms.bool_not(condition);
        }
        let term = self.terms.bool_to_bits(condition, 32);
        self.valued(bits, term)
    }

    pub fn unary(&mut self, op: UnaryOp, scalar: Scalar, value: Value) -> Step<Value> {
        let value = self.used(value)?;
        let width = scalar.bits();
        let bits = match op {
            UnaryOp::Negate => value.bits.wrapping_neg() & mask(width),
            UnaryOp::Complement => !value.bits & mask(width),
        };
        let minimum = 1 << (width - 1);
        let checked = op == UnaryOp::Negate && self.overflows(scalar);
        let fits = value.bits != minimum;
        let shown = show(value.bits, scalar);
        let kind = DefectKind::SignedOverflow;
        let message = || format!("-({shown}) does not fit {width} bits signed");
        if is_address(value) {
            return Ok(tainted(bits));
        }
        let Some(term) = value.term() else {
            return if checked && !fits {
                Err(self.defect(kind, message()))
            } else {
                Ok(Value::concrete(bits))
            };
        };
        if checked {
            let overflow = self.terms.neg_overflows(term);
            let safe = self.terms.bool_not(overflow);
            self.check(kind, safe, fits, message)?;
        }
        let term = match op {
            UnaryOp::Negate => self.terms.neg(term),
            UnaryOp::Complement => self.terms.not(term),
        };
        Ok(self.valued(bits, term))
    }

    /// Conversions.
    pub fn cast(&mut self, kind: CastKind, from: Scalar, to: Scalar, value: Value) -> Step<Value> {
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
            let bits = u128::from(value.bits != 0);
            return Ok(match value.shadow {
                Shadow::Term(term) => {
                    let condition = self.terms.is_nonzero(term);
                    let term = self.terms.bool_to_bits(condition, width);
                    self.valued(bits, term)
                }
                Shadow::Tainted(_) => tainted(bits),
                _ => Value::concrete(bits),
            });
        }
        if kind == CastKind::PointerToInt {
            self.expose(value.shadow);
        }
        let signed = from.signed && kind == CastKind::IntToInt;
        let bits = number(value.bits, from.bits(), signed) as u128 & mask(width);
        Ok(match value.shadow {
            Shadow::Term(term) => {
                if kind == CastKind::IntToPointer {
                    self.note_number(term);
                }
                let term = self.terms.resize(width, term, signed);
                self.valued(bits, term)
            }
            Shadow::Pointer(..) if width == self.code.pointer_width => Value { bits, ..value },
            Shadow::Tainted(_) if kind == CastKind::IntToPointer => self.pointer_again(bits),
            // Its low bytes are still the same part of the address.
            Shadow::Tainted(Some(part)) if width >= part.bits() => Value { bits, ..value },
            Shadow::Pointer(..) | Shadow::Tainted(_) => tainted(bits),
            _ => Value::concrete(bits),
        })
    }
}

/// Whether the value depends on addresses.
pub(crate) fn is_address(value: Value) -> bool {
    matches!(value.shadow, Shadow::Pointer(..) | Shadow::Tainted(_))
}

/// A value that depends on addresses.
pub(crate) fn tainted(bits: u128) -> Value {
    Value {
        bits,
        shadow: Shadow::Tainted(None),
    }
}

/// What C leaves undefined of an operation on two numbers, shifts excepted.
fn concrete_defect(op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> Option<DefectKind> {
    let width = scalar.bits();
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && b == 0 {
        return Some(DefectKind::DivisionByZero);
    }
    if !scalar.signed {
        return None;
    }
    let (x, y) = (number(a, width, true), number(b, width, true));
    let result = match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        BinaryOp::Mul => x.checked_mul(y),
        BinaryOp::Div | BinaryOp::Rem => x.checked_div(y),
        _ => return None,
    };
    let fits = result.is_some_and(|r| number(r as u128 & mask(width), width, true) == r);
    (!fits).then_some(DefectKind::SignedOverflow)
}

fn operation_message(kind: DefectKind, op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> String {
    let (left, right, op) = (show(a, scalar), show(b, scalar), symbol(op));
    match kind {
        DefectKind::DivisionByZero => format!("division by zero: {left} {op} {right}"),
        _ => format!(
            "{left} {op} {right} does not fit {} bits signed",
            scalar.width
        ),
    }
}
