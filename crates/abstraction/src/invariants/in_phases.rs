//! Candidates for what holds in some of the states at a cut only: in a phase of a loop.

use expr::{Model as Values, Term, Terms};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{Known, holding};
use crate::invariants::compared::orders;

/// How the two terms that the program compares are ordered, where that is so in all samples which
/// satisfy a condition: each order as that it holds or the condition does not.
pub fn in_phase(terms: &mut Terms, known: &Known<'_>, phase: Term) -> Vec<Term> {
    let is_in_phase = |sample: &&Sample| {
        let values: Values = sample.iter().map(|(&var, &value)| (var, value)).collect();
        terms.holds(phase, &values)
    };
    let samples = known.samples.iter().filter(is_in_phase).cloned();
    let samples: Vec<Sample> = samples.collect();
    let orders = orders(terms, known.compared);
    let is_other = terms.bool_not(phase);
    let orders = holding(terms, orders, &samples).into_iter();
    orders.map(|it| terms.bool_or(is_other, it)).collect()
}
