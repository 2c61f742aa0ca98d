//! Logic gates over a SAT solver's variables: constants are propagated, equal gates are shared.

use rustc_hash::FxHashMap;

/// A SAT literal or a constant: a variable's number and whether it is negated. Variable 0 is the
/// constant true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bit(u32);

impl Bit {
    pub(crate) const TRUE: Bit = Bit(0);
    pub(crate) const FALSE: Bit = Bit(1);

    pub(crate) fn constant(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }

    /// The value, for a constant.
    pub(crate) fn known(self) -> Option<bool> {
        match self {
            Bit::TRUE => Some(true),
            Bit::FALSE => Some(false),
            _ => None,
        }
    }

    /// The variable's number; 0 for a constant.
    pub(crate) fn variable(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gate {
    And(Bit, Bit),
    Xor(Bit, Bit),
    Choice(Bit, Bit, Bit),
    /// Whether an odd number of the three is true.
    Odd(Bit, Bit, Bit),
    /// Whether two or more of the three are true.
    Majority(Bit, Bit, Bit),
}

/// Gates, as clauses (Tseitin's encoding).
#[derive(Debug, Default)]
pub(crate) struct Gates {
    known: FxHashMap<Gate, Bit>,
    /// Clauses one after another, each ended by [`Bit::TRUE`], which no clause contains.
    clauses: Vec<Bit>,
    variables: u32,
}

impl Gates {
    /// How many variables there are.
    pub(crate) fn variables(&self) -> u32 {
        self.variables
    }

    /// Forgets the clauses, not the gates that they define.
    pub(crate) fn forget_clauses(&mut self) {
        self.clauses.clear();
    }

    /// A variable without constraints. Numbers rise from 1.
    pub(crate) fn fresh(&mut self) -> Bit {
        self.variables += 1;
        Bit(self.variables << 1)
    }

    /// The clauses that define the gates.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &[Bit]> {
        let ended = self.clauses.split(|&bit| bit == Bit::TRUE);
        ended.filter(|clause| !clause.is_empty())
    }

    /// Demands that one of the bits holds.
    pub(crate) fn clause(&mut self, bits: &[Bit]) {
        if bits.contains(&Bit::TRUE) {
            return;
        }
        self.clauses
            .extend(bits.iter().filter(|&&bit| bit != Bit::FALSE));
        self.clauses.push(Bit::TRUE);
    }

    pub(crate) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Bit::TRUE => return b,
            Bit::FALSE => return Bit::FALSE,
            _ if a == b => return a,
            _ if a == !b => return Bit::FALSE,
            _ => {}
        }
        self.gate(Gate::And(a, b), |gates, out| {
            gates.clause(&[!out, a]);
            gates.clause(&[!out, b]);
            gates.clause(&[out, !a, !b]);
        })
    }

    pub(crate) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b, negated) = unsigned_pair(a, b);
        let positive = match a {
            Bit::TRUE => !b,
            _ if a == b => Bit::FALSE,
            _ => self.gate(Gate::Xor(a, b), |gates, out| {
                gates.clause(&[!out, a, b]);
                gates.clause(&[!out, !a, !b]);
                gates.clause(&[out, !a, b]);
                gates.clause(&[out, a, !b]);
            }),
        };
        negate_if(negated, positive)
    }

    /// `if c then a else b`.
    pub(crate) fn choice(&mut self, c: Bit, a: Bit, b: Bit) -> Bit {
        if c.is_negated() && c != Bit::FALSE {
            return self.choice(!c, b, a);
        }
        match (c.known(), a.known(), b.known()) {
            (Some(c), ..) => return if c { a } else { b },
            (_, Some(true), _) => return self.or(c, b),
            (_, Some(false), _) => return self.and(!c, b),
            (_, _, Some(true)) => return self.or(!c, a),
            (_, _, Some(false)) => return self.and(c, a),
            _ => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(c, b);
        }
        if a == c || b == !c {
            return if a == c {
                self.or(c, b)
            } else {
                self.or(!c, a)
            };
        }
        if a == !c || b == c {
            return if a == !c {
                self.and(!c, b)
            } else {
                self.and(c, a)
            };
        }
        self.gate(Gate::Choice(c, a, b), |gates, out| {
            gates.clause(&[!out, !c, a]);
            gates.clause(&[out, !c, !a]);
            gates.clause(&[!out, c, b]);
            gates.clause(&[out, c, !b]);
            // Not needed, but both arms then determine the result at once.
            gates.clause(&[!out, a, b]);
            gates.clause(&[out, !a, !b]);
        })
    }

    /// Whether an odd number of the three is true: the sum of a full adder.
    pub(crate) fn odd(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let (a, b, c, negated) = unsigned_triple(a, b, c);
        if a == Bit::TRUE || a == b || b == c {
            let pair = self.xor(b, c);
            let all = self.xor(a, pair);
            return negate_if(negated, all);
        }
        let positive = self.gate(Gate::Odd(a, b, c), |gates, out| {
            gates.clause(&[out, a, b, !c]);
            gates.clause(&[out, a, !b, c]);
            gates.clause(&[out, !a, b, c]);
            gates.clause(&[out, !a, !b, !c]);
            gates.clause(&[!out, a, b, c]);
            gates.clause(&[!out, a, !b, !c]);
            gates.clause(&[!out, !a, b, !c]);
            gates.clause(&[!out, !a, !b, c]);
        });
        negate_if(negated, positive)
    }

    /// Whether two or more of the three are true: the carry of a full adder.
    pub(crate) fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut bits = [a, b, c];
        bits.sort_unstable();
        let [a, b, c] = bits;
        // Constants sort first, a bit and its negation side by side.
        match a {
            Bit::TRUE => return self.or(b, c),
            Bit::FALSE => return self.and(b, c),
            _ if a == b || b == c => return b,
            _ if a == !b => return c,
            _ if b == !c => return a,
            _ => {}
        }
        self.gate(Gate::Majority(a, b, c), |gates, out| {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                gates.clause(&[!out, x, y]);
                gates.clause(&[out, !x, !y]);
            }
        })
    }

    /// Whether all of many bits are true.
    pub(crate) fn all(&mut self, bits: &[Bit]) -> Bit {
        let mut needed: Vec<Bit> = bits
            .iter()
            .copied()
            .filter(|&bit| bit != Bit::TRUE)
            .collect();
        needed.sort_unstable();
        needed.dedup();
        if needed.contains(&Bit::FALSE) || needed.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bit::FALSE;
        }
        match needed[..] {
            [] => Bit::TRUE,
            [one] => one,
            [a, b] => self.and(a, b),
            _ => {
                let out = self.fresh();
                for &bit in &needed {
                    self.clause(&[!out, bit]);
                }
                for bit in &mut needed {
                    *bit = !*bit;
                }
                needed.push(out);
                self.clause(&needed);
                out
            }
        }
    }

    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Gates, Bit)) -> Bit {
        if let Some(&out) = self.known.get(&gate) {
            return out;
        }
        let out = self.fresh();
        define(self, out);
        self.known.insert(gate, out);
        out
    }
}

fn negate_if(condition: bool, bit: Bit) -> Bit {
    if condition { !bit } else { bit }
}

/// Two operands of an exclusive or without their signs, in order, and whether the result is
/// negated.
fn unsigned_pair(a: Bit, b: Bit) -> (Bit, Bit, bool) {
    let negated = a.is_negated() ^ b.is_negated();
    let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
    (a.min(b), a.max(b), negated)
}

fn unsigned_triple(a: Bit, b: Bit, c: Bit) -> (Bit, Bit, Bit, bool) {
    let negated = a.is_negated() ^ b.is_negated() ^ c.is_negated();
    let mut bits = [a, b, c].map(|bit| Bit(bit.0 & !1));
    bits.sort_unstable();
    let [a, b, c] = bits;
    (a, b, c, negated)
}
