//! Circuits for the operators on bit vectors. A vector has its lowest bit first.

use super::gates::{Bit, Gates};

/// A bit vector.
pub(crate) type Bits = Vec<Bit>;

impl Gates {
    pub(crate) fn zip(
        &mut self,
        a: &[Bit],
        b: &[Bit],
        gate: fn(&mut Gates, Bit, Bit) -> Bit,
    ) -> Bits {
        a.iter().zip(b).map(|(&x, &y)| gate(self, x, y)).collect()
    }

    /// `if c then a else b`.
    pub(crate) fn choose(&mut self, c: Bit, a: &[Bit], b: &[Bit]) -> Bits {
        a.iter()
            .zip(b)
            .map(|(&x, &y)| self.choice(c, x, y))
            .collect()
    }

    /// `a + b + carry`, without the last carry.
    pub(crate) fn add(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> Bits {
        self.add_with_carry(a, b, carry).0
    }

    fn add_with_carry(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> (Bits, Bit) {
        let mut carry = carry;
        let mut sum = Bits::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            sum.push(self.odd(x, y, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    pub(crate) fn sub(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        self.add(a, &complement(b), Bit::TRUE)
    }

    pub(crate) fn neg(&mut self, a: &[Bit]) -> Bits {
        let zero = vec![Bit::FALSE; a.len()];
        self.sub(&zero, a)
    }

    /// `-a` if the bit is set, else `a`.
    fn neg_if(&mut self, condition: Bit, a: &[Bit]) -> Bits {
        let flipped: Bits = a.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zero = vec![Bit::FALSE; a.len()];
        self.add(&flipped, &zero, condition)
    }

    /// A shifted copy of one operand for each bit of the other, added up.
    pub(crate) fn mul(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        let constants = |bits: &[Bit]| bits.iter().filter(|bit| bit.known().is_some()).count();
        let (a, b) = if constants(a) > constants(b) {
            (b, a)
        } else {
            (a, b)
        };
        let mut product = vec![Bit::FALSE; a.len()];
        for (shift, &factor) in b.iter().enumerate() {
            if factor == Bit::FALSE {
                continue;
            }
            let kept = a.len() - shift;
            let row: Bits = a[..kept].iter().map(|&bit| self.and(bit, factor)).collect();
            let upper = self.add(&product[shift..], &row, Bit::FALSE);
            product[shift..].copy_from_slice(&upper);
        }
        product
    }

    /// Quotient and remainder, by subtraction of the divisor from the top bit down. Division by
    /// zero gives all ones and the dividend without a special case: zero always fits.
    pub(crate) fn divide(&mut self, a: &[Bit], b: &[Bit]) -> (Bits, Bits) {
        // The remainder is smaller than the divisor, or has as many bits as were taken down.
        let may_be_zero = !b.contains(&Bit::TRUE);
        let divisor_width = match may_be_zero {
            true => b.len(),
            false => b
                .iter()
                .rposition(|&bit| bit != Bit::FALSE)
                .map_or(0, |top| top + 1),
        };
        let mut remainder = Bits::new();
        let mut quotient = vec![Bit::FALSE; a.len()];
        for at in (0..a.len()).rev() {
            remainder.insert(0, a[at]);
            let fits = self.subtract_if_fits(&mut remainder, b);
            quotient[at] = fits;
            remainder.truncate(divisor_width);
        }
        remainder.resize(a.len(), Bit::FALSE);
        (quotient, remainder)
    }

    /// Whether the divisor is at most the remainder, from which it is then subtracted. The
    /// remainder may be shorter or (by a bit) longer than the divisor.
    fn subtract_if_fits(&mut self, remainder: &mut Bits, divisor: &[Bit]) -> Bit {
        let width = remainder.len();
        let mut low: Bits = divisor.iter().copied().take(width).collect();
        low.resize(width, Bit::FALSE);
        let (difference, no_borrow) = self.add_with_carry(remainder, &complement(&low), Bit::TRUE);
        let high: Bits = divisor.iter().skip(width).map(|&bit| !bit).collect();
        let high_is_zero = self.all(&high);
        let fits = self.and(no_borrow, high_is_zero);
        *remainder = self.choose(fits, &difference, remainder);
        fits
    }

    /// Quotient and remainder by sign, rounded towards zero.
    pub(crate) fn divide_signed(&mut self, a: &[Bit], b: &[Bit]) -> (Bits, Bits) {
        let (a_sign, b_sign) = (sign(a), sign(b));
        let (a_size, b_size) = (self.neg_if(a_sign, a), self.neg_if(b_sign, b));
        let (quotient, remainder) = self.divide(&a_size, &b_size);
        let signs_differ = self.xor(a_sign, b_sign);
        (
            self.neg_if(signs_differ, &quotient),
            self.neg_if(a_sign, &remainder),
        )
    }

    pub(crate) fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same: Bits = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.all(&same)
    }

    /// `a < b`, or `a ≤ b` when `ties` count.
    pub(crate) fn less(&mut self, a: &[Bit], b: &[Bit], ties: Bit) -> Bit {
        a.iter()
            .zip(b)
            .fold(ties, |lower, (&x, &y)| self.majority(!x, y, lower))
    }

    /// The same by sign: the sign bits change their roles.
    pub(crate) fn less_signed(&mut self, a: &[Bit], b: &[Bit], ties: Bit) -> Bit {
        self.less(&sign_flipped(a), &sign_flipped(b), ties)
    }

    /// Shift towards the high bits.
    pub(crate) fn shift_left(&mut self, a: &[Bit], by: &[Bit]) -> Bits {
        let mirrored: Bits = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&mirrored, by, Bit::FALSE);
        shifted.reverse();
        shifted
    }

    /// Shift towards the low bits; `fill` comes in from above. One stage for each bit of the
    /// amount that matters, and one for all the others.
    pub(crate) fn shift_right(&mut self, a: &[Bit], by: &[Bit], fill: Bit) -> Bits {
        let width = a.len();
        let stages = by
            .len()
            .min(width.next_power_of_two().trailing_zeros() as usize);
        let mut bits = a.to_vec();
        for (stage, &selected) in by.iter().enumerate().take(stages) {
            let distance = 1usize << stage;
            bits = (0..width)
                .map(|at| {
                    let from = bits.get(at + distance).copied().unwrap_or(fill);
                    self.choice(selected, from, bits[at])
                })
                .collect();
        }
        let none_far: Bits = by.iter().skip(stages).map(|&bit| !bit).collect();
        let near = self.all(&none_far);
        let filled = vec![fill; width];
        self.choose(near, &bits, &filled)
    }
}

pub(crate) fn complement(a: &[Bit]) -> Bits {
    a.iter().map(|&bit| !bit).collect()
}

/// The highest bit.
pub(crate) fn sign(a: &[Bit]) -> Bit {
    a.last().copied().unwrap_or(Bit::FALSE)
}

fn sign_flipped(a: &[Bit]) -> Bits {
    let mut bits = a.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = !*sign;
    }
    bits
}
