//! The constants in formulas, from which candidates are made.

use std::collections::{BTreeMap, BTreeSet};

use expr::{BvOp, CmpOp, Node, Term, Terms, to_signed};
use rustc_hash::FxHashSet;

use crate::objects::locations::INDEX_WIDTH;

/// How many constants are taken for lengths of arrays.
const LENGTHS: usize = 6;

/// Greater ones are those of checks for overflow.
const GREATEST: u128 = (1 << 31) - 64;

/// The largest modulus of a congruence.
const LARGEST: u128 = 64;

/// The constants in formulas, by their widths.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    all: BTreeMap<u32, BTreeSet<u128>>,
    moduli: BTreeMap<u32, BTreeSet<u128>>,
    divisors: BTreeSet<u128>,
    compared: BTreeMap<u32, BTreeSet<u128>>,
    limits: FxHashSet<Term>,
    ends: FxHashSet<Term>,
}

impl Constants {
    /// The constants in some terms.
    pub fn of(terms: &Terms, mut waiting: Vec<Term>) -> Constants {
        let mut seen = FxHashSet::default();
        let mut found = Constants::default();
        while let Some(term) = waiting.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = terms.node(term);
            if let Node::Const { width, value } = node {
                found.all.entry(width).or_default().insert(value);
            }
            if let Node::Binary(op, a, b) = node {
                found.modulus(terms, op, [a, b]);
            }
            if let Node::Binary(BvOp::URem | BvOp::SRem, _, by) = node {
                let divisor = terms.as_constant(by);
                found
                    .divisors
                    .extend(divisor.filter(|it| (2..=LARGEST).contains(it)));
            }
            if let Node::Compare(CmpOp::Eq, a, b) = node {
                let value = terms.as_constant(a).or_else(|| terms.as_constant(b));
                let of_width = found.compared.entry(terms.width(a)).or_default();
                of_width.extend(value);
            }
            if let Node::Compare(CmpOp::Slt | CmpOp::Ult, limit, _)
            | Node::Compare(CmpOp::Sle | CmpOp::Ule, _, limit) = node
            {
                found.limits.insert(limit);
            }
            if let Node::Compare(CmpOp::Slt | CmpOp::Ult, _, end)
            | Node::Compare(CmpOp::Sle | CmpOp::Ule, end, _) = node
            {
                found.ends.insert(end);
            }
            waiting.extend(node.operands());
        }
        found
    }

    /// Adds what a value may be congruent to something modulo of: what is added to it, multiplied
    /// with it, or what it is divided by.
    fn modulus(&mut self, terms: &Terms, op: BvOp, operands: [Term; 2]) {
        if !matches!(
            op,
            BvOp::Add | BvOp::Sub | BvOp::Mul | BvOp::URem | BvOp::SRem
        ) {
            return;
        }
        for operand in operands {
            let width = terms.width(operand);
            let value = terms.as_constant(operand);
            let step = value.map_or(0, |value| to_signed(width, value).unsigned_abs());
            if (2..=LARGEST).contains(&step) {
                self.moduli.entry(width).or_default().insert(step);
            }
        }
    }

    /// The constants of a width.
    pub fn all(&self, width: u32) -> impl Iterator<Item = u128> + '_ {
        self.all.get(&width).into_iter().flatten().copied()
    }

    /// The constants of a width that something is compared with whether it equals them.
    pub fn compared(&self, width: u32) -> impl Iterator<Item = u128> + '_ {
        self.compared.get(&width).into_iter().flatten().copied()
    }

    /// Whether something is tested for being greater than a term: loops with `i <= n` leave when it is.
    pub fn is_limit(&self, term: Term) -> bool {
        self.limits.contains(&term)
    }

    /// Whether something is tested for being less than a term: loops with `i < n` leave when it is not.
    pub fn is_end(&self, term: Term) -> bool {
        self.ends.contains(&term)
    }

    /// Constants that may be lengths of arrays, the largest first.
    pub fn array_lengths(&self) -> Vec<u128> {
        let mut all: Vec<u128> = self.all(INDEX_WIDTH).chain(self.all(32)).collect();
        all.retain(|&it| (2..GREATEST).contains(&it));
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.dedup();
        all.truncate(LENGTHS);
        all
    }

    /// What remainders are taken by, other than large numbers.
    pub fn divisors(&self) -> impl Iterator<Item = u128> + '_ {
        self.divisors.iter().copied()
    }

    /// Moduli for values of a width.
    pub fn moduli(&self, width: u32) -> impl Iterator<Item = u128> + '_ {
        let found = self.moduli.get(&width).into_iter().flatten().copied();
        found.filter(|&modulus| modulus != 2).chain([2])
    }
}
