//! Terms of one width, and the equations between them that are not lost.

use std::collections::BTreeMap;

use expr::{BvOp, Model as Values, Term, Terms, mask, to_signed};

use crate::formulas::Formulas;
use crate::formulas::execution::Sample;
use crate::formulas::linear::{Linear, equation};
use crate::relations::affine::{Equations, Row};

/// How many terms of one width take part.
const MOST_SUMMANDS: usize = 32;

/// Equations between some terms of one width.
#[derive(Clone)]
pub(super) struct Related {
    pub width: u32,
    /// What is related: locations, their remainders, and products of them.
    pub summands: Vec<Term>,
    /// The same without multiplications.
    replaced: Vec<Term>,
    equations: Equations,
    /// Those of them that say all.
    pub rows: Vec<Row>,
    /// How large coefficients may be in terms.
    largest: u128,
}

/// All equations over some terms, those of each width apart.
pub(super) fn of_no_point(
    formulas: &mut Formulas<'_>,
    summands: Vec<Term>,
    largest: u128,
) -> Vec<Related> {
    let mut by_width: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
    for summand in summands {
        let same = by_width
            .entry(formulas.arena.terms.width(summand))
            .or_default();
        if same.len() < MOST_SUMMANDS {
            same.push(summand);
        }
    }
    let groups = by_width.into_iter().map(|(width, summands)| {
        let equations = Equations::of_no_point(width, summands.len());
        Related {
            width,
            replaced: summands
                .iter()
                .map(|&it| formulas.without_products(it))
                .collect(),
            rows: equations.rows(),
            equations,
            summands,
            largest,
        }
    });
    groups.collect()
}

/// The values of some terms in a state, if it has all of their variables.
pub(super) fn sampled(terms: &Terms, summands: &[Term], sample: &Sample) -> Option<Vec<u128>> {
    let values: Values = sample.iter().map(|(&var, &value)| (var, value)).collect();
    let read = terms.all_variables(summands);
    if read.iter().any(|var| !sample.contains_key(var)) {
        return None;
    }
    Some(summands.iter().map(|&it| terms.eval(it, &values)).collect())
}

impl Related {
    /// Loses an equation, if it is not lost yet.
    pub fn forget(&mut self, row: &Row) {
        let count = self.rows.len();
        self.rows.retain(|it| it != row);
        if self.rows.len() < count {
            // What is not among the rows is not checked, so that nothing may follow from it.
            self.equations.keep(&self.rows);
        }
    }

    /// Loses the equations with coefficients that are too large for terms. Returns whether there were
    /// any.
    pub fn forget_large(&mut self) -> bool {
        let rows = self.rows.iter();
        let large: Vec<Row> = rows.filter(|row| !self.is_small(row)).cloned().collect();
        for row in &large {
            self.forget(row);
        }
        !large.is_empty()
    }

    /// Whether no coefficient of an equation is too large. Factors that all have do not count.
    fn is_small(&self, row: &Row) -> bool {
        let coefficients = row.iter().filter(|&&it| it != 0);
        let Some(factors) = coefficients.map(|it| it.trailing_zeros()).min() else {
            return true;
        };
        let wanted = self.width - factors;
        let size = |it: &u128| to_signed(wanted, (it >> factors) & mask(wanted)).unsigned_abs();
        row.iter().skip(1).all(|it| size(it) <= self.largest)
    }

    /// Whether an equation follows from these.
    pub fn imply(&self, row: &Row) -> bool {
        self.equations.imply(row)
    }

    /// Whether a sum is 0 by these.
    pub fn make_zero(&self, sum: &Linear) -> bool {
        let is_known = |it: &Term| self.replaced.contains(it);
        let coefficient = |it: &Term| sum.coefficients.get(it).copied().unwrap_or(0);
        let row = [sum.constant].into_iter();
        let row: Row = row.chain(self.replaced.iter().map(coefficient)).collect();
        sum.coefficients.keys().all(is_known) && self.equations.imply(&row)
    }

    /// Loses the equations that do not hold of a point. Returns whether there are any.
    pub fn add(&mut self, point: &[u128]) -> bool {
        let is_lost = self.equations.add(point);
        if is_lost {
            self.rows = self.equations.rows();
        }
        is_lost
    }

    /// What a row says. Where all coefficients are multiples of a power of two, only the low bits have
    /// to be 0. `None` if a coefficient is too large.
    pub fn equation(&self, terms: &mut Terms, row: &Row) -> Option<Term> {
        if !self.is_small(row) {
            return None;
        }
        let width = self.width;
        let coefficients = row.iter().filter(|&&it| it != 0);
        let factors = coefficients.map(|it| it.trailing_zeros()).min()?;
        let wanted = width.checked_sub(factors).filter(|&wanted| wanted > 0)?;
        let scaled = row.iter().map(|it| (it >> factors) & mask(wanted));
        let scaled: Row = scaled.collect();
        if factors == 0 {
            let one = terms.constant(width, 1);
            let all = [one].into_iter().chain(self.summands.iter().copied());
            return Some(equation(terms, width, all.zip(scaled)));
        }
        let zero = terms.constant(width, 0);
        let products = self.summands.iter().zip(scaled.iter().skip(1));
        let sum = products.fold(zero, |sum, (&term, &times)| {
            let times = terms.constant(width, times);
            let product = terms.binary(BvOp::Mul, times, term);
            terms.binary(BvOp::Add, sum, product)
        });
        let low = terms.constant(width, mask(wanted));
        let rest = terms.binary(BvOp::And, sum, low);
        let constant = scaled.first().copied().unwrap_or(0);
        let constant = terms.constant(width, constant.wrapping_neg() & mask(wanted));
        Some(terms.eq(rest, constant))
    }
}

#[cfg(test)]
mod tests {
    use expr::Var;

    use super::*;
    use crate::formulas::linear::Cases;

    /// Each choice of equations that are given up, in each order: what is left follows from the rows
    /// that are left, and nothing that was given up does unless they say it.
    #[test]
    fn nothing_follows_from_what_is_forgotten() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut terms = Terms::default();
        let summands: Vec<Term> = (0..4).map(|it| terms.var(Var(it), 4)).collect();
        for _ in 0..300 {
            let mut related = Related {
                width: 4,
                replaced: summands.clone(),
                summands: summands.clone(),
                equations: Equations::of_no_point(4, 4),
                rows: Equations::of_no_point(4, 4).rows(),
                largest: 15,
            };
            for _ in 0..rng.usize(0..3) {
                let point: Vec<u128> = (0..4).map(|_| rng.u128(0..16)).collect();
                related.add(&point);
            }
            while !related.rows.is_empty() {
                let row = related.rows[rng.usize(0..related.rows.len())].clone();
                related.forget(&row);
                let mut left = Equations::of_no_point(4, 4);
                left.keep(&related.rows);
                assert!(!related.rows.contains(&row));
                assert_eq!(related.imply(&row), left.imply(&row));
                let mut sum = Linear::zero(4);
                sum.constant = row[0];
                for (&it, &times) in summands.iter().zip(&row[1..]) {
                    let added = sum.add(&terms, it, times, Some(&Cases::default()));
                    assert_eq!(added, Ok(()));
                }
                assert_eq!(related.make_zero(&sum), left.imply(&row));
            }
        }
    }
}
