//! Abstract values: bounds, known bits and congruences of a number.

use expr::facts::Fact;
use expr::{Node, Term, mask};

/// What is known of a number without sign: it has a remainder modulo a number, which is 1 if nothing
/// is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congruence {
    pub modulus: u128,
    pub remainder: u128,
}

impl Congruence {
    const ANY: Congruence = Congruence {
        modulus: 1,
        remainder: 0,
    };

    fn new(modulus: u128, remainder: u128) -> Congruence {
        match modulus {
            0 => Congruence { modulus, remainder },
            _ => Congruence {
                modulus,
                remainder: remainder % modulus,
            },
        }
    }

    /// Of a number that has the one or the other.
    fn or(self, other: Congruence) -> Congruence {
        let apart = self.remainder.abs_diff(other.remainder);
        let modulus = gcd(gcd(self.modulus, other.modulus), apart);
        Congruence::new(modulus, self.remainder)
    }

    /// Of the number itself, where it is known up to multiples of `2^width` only.
    fn wrapped(self, width: u32) -> Congruence {
        let modulus = gcd(self.modulus, 1 << width.min(127));
        Congruence::new(modulus, self.remainder)
    }
}

/// What is known of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its bounds and known bits.
    pub fact: Fact,
    /// Its remainder.
    pub congruence: Congruence,
}

impl Value {
    /// Nothing is known.
    pub fn any(width: u32) -> Value {
        Value::of(Fact::any(width), Congruence::ANY)
    }

    /// A number.
    #[cfg(test)]
    pub fn constant(width: u32, number: u128) -> Value {
        Value::of(Fact::constant(width, number), Congruence::ANY)
    }

    /// Whether a number may be it.
    #[cfg(test)]
    pub fn contains(&self, number: u128) -> bool {
        let Congruence { modulus, remainder } = self.congruence;
        let fact = Fact::constant(self.fact.width, number);
        let is_congruent = match modulus {
            0 => number == remainder,
            _ => number % modulus == remainder,
        };
        is_congruent && !self.fact.and(&fact).is_empty()
    }

    /// Whether nothing is known.
    pub fn is_any(&self) -> bool {
        self.fact == Fact::any(self.fact.width) && self.congruence.modulus == 1
    }

    fn of(fact: Fact, congruence: Congruence) -> Value {
        let congruence = match fact.value() {
            Some(value) => Congruence::new(0, value),
            None => congruence,
        };
        Value { fact, congruence }
    }

    /// Of a number that has the one or the other.
    #[must_use]
    pub fn or(&self, other: &Value) -> Value {
        let congruence = self.congruence.or(other.congruence);
        Value::of(self.fact.or(&other.fact), congruence)
    }

    /// Of a number that has both; `None` if there is none.
    pub fn and(&self, other: &Value) -> Option<Value> {
        let fact = self.fact.and(&other.fact);
        let (a, b) = (self.congruence, other.congruence);
        // One of both is enough: what is left out is precision.
        let finer = match a.modulus == 0 || a.modulus >= b.modulus && b.modulus != 0 {
            true => a,
            false => b,
        };
        (!fact.is_empty()).then(|| Value::of(fact, finer))
    }

    /// The same with ends that are still moving put to the next of some numbers, in order, or to the
    /// ends of the width.
    #[must_use]
    pub fn widened(&self, later: &Value, ends: &[u128]) -> Value {
        let all = Fact::any(self.fact.width);
        let mut fact = later.fact;
        let signed = |end: u128| expr::to_signed(fact.width, end);
        if fact.low < self.fact.low {
            let below = ends.iter().copied().filter(|&end| end <= fact.low);
            fact.low = below.max().unwrap_or(all.low);
        }
        if fact.high > self.fact.high {
            let above = ends.iter().copied().filter(|&end| end >= fact.high);
            fact.high = above.min().unwrap_or(all.high);
        }
        if fact.least < self.fact.least {
            let below = ends.iter().map(|&end| signed(end));
            let below = below.filter(|&end| end <= fact.least);
            fact.least = below.max().unwrap_or(all.least);
        }
        if fact.most > self.fact.most {
            let above = ends.iter().map(|&end| signed(end));
            let above = above.filter(|&end| end >= fact.most);
            fact.most = above.min().unwrap_or(all.most);
        }
        Value::of(fact.agreed(), later.congruence)
    }
}

/// What follows for a term from what is known of its operands, beside a fact that is known already.
pub fn refined(node: Node, fact: Fact, of: impl Fn(Term) -> Value) -> Value {
    let width = fact.width;
    match node {
        Node::Binary(op, a, b) => binary(op, &of(a), &of(b), fact),
        Node::Neg(a) => {
            let a = of(a).congruence;
            let negated = Congruence::new(a.modulus, a.modulus.wrapping_sub(a.remainder));
            match a.modulus {
                0 => Value::of(fact, Congruence::ANY),
                _ => Value::of(fact, negated.wrapped(width)),
            }
        }
        Node::Compare(expr::CmpOp::Eq, a, b) => {
            let (a, b) = (of(a).congruence, of(b).congruence);
            let modulus = gcd(a.modulus, b.modulus);
            match modulus > 1 && a.remainder % modulus != b.remainder % modulus {
                true => Value::of(fact.and(&Fact::bool(false)), Congruence::ANY),
                false => Value::of(fact, Congruence::ANY),
            }
        }
        Node::ZeroExtend { of: a, .. } => Value::of(fact, of(a).congruence),
        Node::SignExtend { of: a, .. } if of(a).fact.least >= 0 => {
            Value::of(fact, of(a).congruence)
        }
        Node::Extract { low: 0, of: a, .. } if width < 127 => {
            let whole = of(a).congruence;
            let known = remainder_by(whole, 1 << width, fact);
            Value::of(known.fact, whole.wrapped(width))
        }
        Node::Ite(c, a, b) => match of(c).fact.value() {
            Some(1) => Value::of(fact, of(a).congruence),
            Some(_) => Value::of(fact, of(b).congruence),
            None => Value::of(fact, of(a).congruence.or(of(b).congruence)),
        },
        _ => Value::of(fact, Congruence::ANY),
    }
}

fn binary(op: expr::BvOp, a: &Value, b: &Value, fact: Fact) -> Value {
    use expr::BvOp;
    let width = fact.width;
    let (x, y) = (a.congruence, b.congruence);
    let modulus = gcd(x.modulus, y.modulus);
    let unwrapped = |exact: bool, known: Congruence| match exact {
        true => known,
        false => known.wrapped(width),
    };
    let congruence = match op {
        // The result is known by its fact.
        _ if modulus == 0 => Congruence::ANY,
        BvOp::Add => {
            let sum = (x.remainder % modulus).checked_add(y.remainder % modulus);
            let sum = sum.map_or(Congruence::ANY, |sum| Congruence::new(modulus, sum));
            let high = a.fact.high.checked_add(b.fact.high);
            unwrapped(high.is_some_and(|high| high <= mask(width)), sum)
        }
        BvOp::Sub => {
            let opposite = modulus - y.remainder % modulus;
            let apart = opposite.checked_add(x.remainder % modulus);
            let difference = apart.map_or(Congruence::ANY, |apart| Congruence::new(modulus, apart));
            unwrapped(a.fact.low >= b.fact.high, difference)
        }
        BvOp::Mul => match product(x, y) {
            Some(product) => {
                let high = a.fact.high.checked_mul(b.fact.high);
                unwrapped(high.is_some_and(|high| high <= mask(width)), product)
            }
            None => Congruence::ANY,
        },
        BvOp::URem => return remainder(x, b, fact),
        BvOp::SRem if a.fact.least >= 0 => return remainder(x, b, fact),
        BvOp::And => return lowest_bits(x, b, lowest_bits(y, a, fact).fact),
        _ => Congruence::ANY,
    };
    Value::of(fact, congruence)
}

/// The remainder of a number by another one, where its congruence tells it.
fn remainder(a: Congruence, divisor: &Value, fact: Fact) -> Value {
    let known = divisor.fact.value().filter(|&it| it > 0);
    remainder_by(a, known.unwrap_or(0), fact)
}

/// The same by a known number; 0 if it is not known.
fn remainder_by(a: Congruence, divisor: u128, fact: Fact) -> Value {
    let is_told = divisor > 0 && a.modulus > 0 && a.modulus.is_multiple_of(divisor);
    let fact = match is_told {
        true => fact.and(&Fact::constant(fact.width, a.remainder % divisor)),
        false => fact,
    };
    Value::of(fact, Congruence::ANY)
}

/// A number with others of its bits left out, where these are all but its lowest: its remainder by a
/// power of 2.
fn lowest_bits(a: Congruence, bits: &Value, fact: Fact) -> Value {
    let bits = bits.fact.value();
    let bits = bits.filter(|bits| bits & bits.wrapping_add(1) == 0);
    remainder_by(a, bits.map_or(0, |bits| bits.wrapping_add(1)), fact)
}

fn product(x: Congruence, y: Congruence) -> Option<Congruence> {
    let both = x.modulus.checked_mul(y.modulus)?;
    let first = x.modulus.checked_mul(y.remainder)?;
    let second = y.modulus.checked_mul(x.remainder)?;
    let modulus = gcd(gcd(both, first), second);
    let remainder = x.remainder.checked_mul(y.remainder)?;
    Some(Congruence::new(modulus, remainder))
}

fn gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
