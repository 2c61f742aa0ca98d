//! What is known of a term's remainder: so that an access to `a[i]` considers elements, not bytes.

use expr::{BvOp, Node, Term, Terms};

use crate::run::Run;

/// All values of a term are `residue` plus multiples of `modulus` (modulo the width); a modulus of
/// 0 says that there is one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Congruence {
    pub modulus: u128,
    pub residue: u128,
}

impl Congruence {
    const ANY: Congruence = Congruence {
        modulus: 1,
        residue: 0,
    };

    fn constant(value: u128) -> Congruence {
        Congruence {
            modulus: 0,
            residue: value,
        }
    }

    fn new(modulus: u128, residue: u128) -> Congruence {
        let residue = if modulus == 0 {
            residue
        } else {
            residue % modulus
        };
        Congruence { modulus, residue }
    }

    /// What stays true when multiples of large powers of two are added.
    fn of_powers(self) -> Congruence {
        match self.modulus {
            0 => self,
            modulus => Congruence::new(1 << modulus.trailing_zeros(), self.residue),
        }
    }

    /// The same for a modulus that divides this one. Residues of negative constants are two's
    /// complement.
    fn reduced(self, modulus: u128) -> Congruence {
        let residue = self.residue as i128;
        match i128::try_from(modulus) {
            Ok(modulus) if modulus > 0 && residue < 0 => {
                Congruence::new(modulus as u128, residue.rem_euclid(modulus) as u128)
            }
            _ => Congruence::new(modulus, self.residue),
        }
    }

    /// Whether all values are multiples of a power of two.
    pub fn divisible(self, power: u128) -> bool {
        self.modulus.is_multiple_of(power) && self.residue.is_multiple_of(power)
    }
}

/// How deep a term is looked into.
const DEPTH: u32 = 8;

impl Run<'_, '_> {
    /// What is known of an offset's remainder.
    pub fn congruence(&self, term: Term) -> Congruence {
        wrapped(self.terms, term, DEPTH).unwrap_or(Congruence::ANY)
    }
}

/// The congruence of a term's value in its own width: a wrap around keeps only what divides the
/// power of two that is lost.
fn wrapped(terms: &Terms, term: Term, depth: u32) -> Option<Congruence> {
    let (congruence, bits) = exact(terms, term, depth)?;
    if bits < terms.width(term) || congruence.modulus == 0 {
        return Some(congruence);
    }
    Some(congruence.of_powers())
}

/// The congruence of a term's value as a signed number without wrapping around, and how many bits
/// that number has at most.
fn exact(terms: &Terms, term: Term, depth: u32) -> Option<(Congruence, u32)> {
    let width = terms.width(term);
    if depth == 0 {
        return Some((Congruence::ANY, width));
    }
    let signed = |value: u128| crate::value::number(value, width, true);
    Some(match terms.node(term) {
        Node::Const { value, .. } => {
            let number = signed(value);
            let bits = 129 - number.unsigned_abs().leading_zeros();
            let congruence = if number >= 0 {
                Congruence::constant(value)
            } else {
                // Only sums use it, modulo what else there is.
                Congruence::constant(value | !crate::value::mask(width))
            };
            (congruence, bits)
        }
        Node::SignExtend { of, .. } => (wrapped(terms, of, depth - 1)?, terms.width(of)),
        Node::ZeroExtend { of, .. } => {
            // A negative number becomes one larger by a power of two.
            let inner = wrapped(terms, of, depth - 1)?;
            (inner.of_powers(), terms.width(of) + 1)
        }
        Node::Binary(BvOp::Mul, a, b) => {
            let (other, factor) = match (terms.as_constant(a), terms.as_constant(b)) {
                (_, Some(factor)) => (a, factor),
                (Some(factor), _) => (b, factor),
                _ => return Some((Congruence::ANY, width)),
            };
            let factor = signed(factor);
            let (_, bits) = exact(terms, other, depth - 1)?;
            let magnitude = factor.unsigned_abs();
            (
                Congruence::new(magnitude, 0),
                bits.saturating_add(129 - magnitude.leading_zeros()),
            )
        }
        Node::Binary(BvOp::Shl, a, b) => {
            let amount = u32::try_from(terms.as_constant(b)?).ok()?;
            if amount >= width {
                return Some((Congruence::constant(0), 1));
            }
            let (_, bits) = exact(terms, a, depth - 1)?;
            (Congruence::new(1 << amount, 0), bits.saturating_add(amount))
        }
        Node::Concat(high, low) => {
            let low_width = terms.width(low);
            let congruence = match terms.as_constant(low) {
                Some(low) => Congruence::new(1 << low_width, low),
                None => Congruence::ANY,
            };
            let bits = match terms.node(high) {
                Node::SignExtend { of, .. } => terms.width(of) + low_width,
                Node::ZeroExtend { of, .. } => terms.width(of) + low_width + 1,
                _ => width,
            };
            (congruence, bits)
        }
        Node::Binary(BvOp::Add, a, b) => {
            let (a, b) = (exact(terms, a, depth - 1)?, exact(terms, b, depth - 1)?);
            (sum(a.0, b.0), a.1.max(b.1).saturating_add(1))
        }
        Node::Ite(_, a, b) => {
            let (a, b) = (exact(terms, a, depth - 1)?, exact(terms, b, depth - 1)?);
            let (x, y) = (a.0, b.0);
            let difference = x.residue.wrapping_sub(y.residue) as i128;
            let modulus = gcd(gcd(x.modulus, y.modulus), difference.unsigned_abs());
            (x.reduced(modulus), a.1.max(b.1))
        }
        _ => (Congruence::ANY, width),
    })
}

fn sum(a: Congruence, b: Congruence) -> Congruence {
    let modulus = gcd(a.modulus, b.modulus);
    if modulus == 0 {
        return Congruence::constant(a.residue.wrapping_add(b.residue));
    }
    let residue = a.reduced(modulus).residue + b.reduced(modulus).residue;
    Congruence::new(modulus, residue)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::{Var, eval_binary};
    use proptest::prelude::*;

    proptest! {
        /// Every value of `sext(x) * factor + (c ? a : b)` is in its congruence class.
        #[test]
        fn holds_for_choices(x in any::<i16>(), factor in 1i128..50, a in -50i128..50, b in -50i128..50, c in any::<bool>()) {
            let mut terms = Terms::default();
            let var = terms.var(Var(0), 16);
            let wide = terms.sign_extend(64, var);
            let size = terms.constant(64, factor as u128);
            let product = terms.mul(wide, size);
            let bit = terms.var(Var(1), 1);
            let condition = terms.is_nonzero(bit);
            let (first, second) = (terms.constant(64, a as u128), terms.constant(64, b as u128));
            let choice = terms.ite(condition, first, second);
            let term = terms.add(product, choice);
            let Some((found, bits)) = exact(&terms, term, DEPTH) else {
                return Ok(());
            };
            let value = i128::from(x) * factor + if c { a } else { b };
            prop_assert!(bits < 64);
            if found.modulus != 0 {
                let modulus = found.modulus as i128;
                prop_assert_eq!(value.rem_euclid(modulus), found.residue as i128 % modulus);
            }
        }

        /// Every value of `sext(x) * factor + constant` is in its congruence class.
        #[test]
        fn holds_for_scaled_indices(x in any::<i32>(), factor in 1i128..5000, constant in -5000i128..5000) {
            let mut terms = Terms::default();
            let var = terms.var(Var(0), 32);
            let wide = terms.sign_extend(64, var);
            let size = terms.constant(64, factor as u128);
            let product = terms.mul(wide, size);
            let offset = terms.constant(64, constant as u128);
            let term = terms.add(product, offset);
            let Some((found, bits)) = exact(&terms, term, DEPTH) else {
                return Ok(());
            };
            let value = i128::from(x) * factor + constant;
            prop_assert!(bits < 64);
            prop_assert!(found.modulus != 0);
            let modulus = found.modulus as i128;
            prop_assert_eq!(value.rem_euclid(modulus), found.residue as i128 % modulus);
            prop_assert!(factor % modulus == 0);
            let wrapped = eval_binary(BvOp::Add, 64, (i128::from(x) * factor) as u128, constant as u128);
            prop_assert_eq!(wrapped, value as u128 & crate::value::mask(64));
        }
    }
}
