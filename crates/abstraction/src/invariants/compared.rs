//! What the program compares: candidates for how it is ordered wherever that has a meaning, not only
//! behind the comparison.

use std::collections::BTreeSet;

use expr::{CmpOp, Node, Term, Terms};

use crate::formulas::nodes::{nodes_with_terms, size};

/// How many operators, constants and variables may be compared.
const LARGEST: u64 = 12;

/// How many comparisons there are.
const MOST: usize = 24;

/// Two terms, and an order that the program may compare them by: `<=`, signed or unsigned.
pub type Compared = (CmpOp, Term, Term);

/// The comparisons in some conditions, but for those of one term with a constant.
pub fn compared(terms: &Terms, conditions: Vec<Term>) -> Vec<Compared> {
    let mut found = BTreeSet::new();
    for (_, node) in nodes_with_terms(terms, conditions) {
        let Node::Compare(op, a, b) = node else {
            continue;
        };
        let is_constant = |it: Term| terms.as_constant(it).is_some();
        if is_constant(a) || is_constant(b) || size(terms, vec![a, b]) > LARGEST {
            continue;
        }
        match op {
            CmpOp::Slt | CmpOp::Sle => found.extend([(CmpOp::Sle, a, b)]),
            CmpOp::Ult | CmpOp::Ule => found.extend([(CmpOp::Ule, a, b)]),
            CmpOp::Eq => found.extend([(CmpOp::Sle, a, b), (CmpOp::Ule, a, b)]),
        }
    }
    found.into_iter().take(MOST).collect()
}

/// The orders that what is compared may have.
pub fn orders(terms: &mut Terms, compared: &[Compared]) -> Vec<Term> {
    let mut found = Vec::new();
    for &(op, a, b) in compared {
        for (x, y) in [(a, b), (b, a)] {
            let at_most = terms.compare(op, x, y);
            found.extend([at_most, terms.bool_not(at_most)]);
        }
    }
    found
}
