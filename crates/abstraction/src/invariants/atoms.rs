//! Predicates over the state at a cut, of which [`crate::reachability`] builds invariants.
//!
//! | Predicate | Over |
//! |:--|:--|
//! | a condition of a branch | the code behind the cut |
//! | `x == c` | each location that has few values, and these |
//! | `x <= c`, signed or unsigned | other locations, constants of the program between their values |
//! | `x == y`, `x <= y` | pairs of locations |

use expr::{CmpOp, Evaluator, Model as Values, Term, Terms, mask, to_signed};
use rustc_hash::FxHashSet;

use crate::invariants::candidates::{Known, Variable, values};

/// How many predicates there are at a cut.
const MOST: usize = 96;

/// How many there are where many are tried at once.
const MANY: usize = 400;

/// How many values a location may have that is told by each of them.
const FEW: usize = 8;

/// How many bounds are tried of a location.
const BOUNDS: usize = 6;

/// How many locations take part in predicates over pairs.
const PAIRED: usize = 10;

/// The predicates at a cut.
pub fn atoms(terms: &mut Terms, known: &Known<'_>) -> Vec<Term> {
    let mut found: Vec<Term> = known.conditions.to_vec();
    let variables = known.plain();
    for &x in &variables {
        let values = values(known.samples, x);
        match values.len() {
            0..=FEW => found.extend(equalities(terms, x, &values)),
            _ => found.extend(bounds(terms, known, x, &values)),
        }
    }
    let paired = &variables[..variables.len().min(PAIRED)];
    let mut pairs = Vec::new();
    for (at, &x) in paired.iter().enumerate() {
        for &y in paired[at + 1..].iter().filter(|y| y.width == x.width) {
            pairs.push(terms.eq(x.term, y.term));
            pairs.push(terms.compare(CmpOp::Ule, x.term, y.term));
            pairs.push(terms.compare(CmpOp::Ule, y.term, x.term));
        }
    }
    found.extend(varying(terms, pairs, known));
    let mut found = distinct(terms, found);
    found.truncate(MOST);
    found
}

/// Predicates each once, without those that are constant or the negation of one before.
pub(crate) fn distinct(terms: &mut Terms, mut found: Vec<Term>) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    found.retain(|&atom| {
        let opposite = terms.bool_not(atom);
        terms.as_bool(atom).is_none() && !seen.contains(&opposite) && seen.insert(atom)
    });
    found
}

/// The predicates at a cut, and comparisons of locations with constants of the program, for what
/// tries many predicates at once.
pub fn many_atoms(terms: &mut Terms, known: &Known<'_>) -> Vec<Term> {
    let mut found = atoms(terms, known);
    for &x in known.variables.iter().filter(|it| it.node.is_none()) {
        for value in known.constants.all(x.width) {
            let value = terms.constant(x.width, value);
            found.push(terms.compare(CmpOp::Sle, x.term, value));
            found.push(terms.compare(CmpOp::Slt, x.term, value));
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|&atom| terms.as_bool(atom).is_none() && seen.insert(atom));
    found.truncate(MANY);
    found
}

/// `x == c` for some values.
pub(crate) fn equalities(terms: &mut Terms, x: Variable, values: &[u128]) -> Vec<Term> {
    let equal = values.iter().map(|&value| {
        let value = terms.constant(x.width, value);
        terms.eq(x.term, value)
    });
    equal.collect()
}

/// `x <= c` for constants of the program that some values are on one side of, and some on the other.
pub(crate) fn bounds(
    terms: &mut Terms,
    known: &Known<'_>,
    x: Variable,
    values: &[u128],
) -> Vec<Term> {
    let signed = |value: u128| to_signed(x.width, value);
    let is_signed = values.iter().any(|&value| signed(value) < 0);
    let rank = |value: u128| match is_signed {
        true => signed(value),
        false => value as i128,
    };
    let op = match is_signed {
        true => CmpOp::Sle,
        false => CmpOp::Ule,
    };
    let ranks = values.iter().map(|&value| rank(value));
    let (Some(least), Some(greatest)) = (ranks.clone().min(), ranks.max()) else {
        return Vec::new();
    };
    let own = known.constants.all(x.width);
    let near = own.flat_map(|value| [value.wrapping_sub(1), value]);
    let mut between: Vec<u128> = near.map(|value| value & mask(x.width)).collect();
    between.push(0);
    between.retain(|&value| (least..greatest).contains(&rank(value)));
    between.sort_unstable_by_key(|&value| rank(value));
    between.dedup();
    let bounds = between.into_iter().take(BOUNDS).map(|value| {
        let value = terms.constant(x.width, value);
        terms.compare(op, x.term, value)
    });
    bounds.collect()
}

/// Those of some predicates that hold in some samples, and not in others.
fn varying(terms: &Terms, mut atoms: Vec<Term>, known: &Known<'_>) -> Vec<Term> {
    let mut evaluator = Evaluator::default();
    let mut held = FxHashSet::default();
    let mut broken = FxHashSet::default();
    for sample in known.samples {
        let values: Values = sample.iter().map(|(&var, &value)| (var, value)).collect();
        let mut evaluation = evaluator.under(terms, &values);
        for &atom in &atoms {
            match evaluation.holds(atom) {
                true => held.insert(atom),
                false => broken.insert(atom),
            };
        }
    }
    atoms.retain(|atom| held.contains(atom) && broken.contains(atom));
    atoms
}
