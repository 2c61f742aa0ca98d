//! Models next to one that a solver found: a few variables have other values. They break candidates
//! that the model keeps, at the price of an evaluation.

use expr::{Model as Values, Term, Terms, Var};
use fastrand::Rng;

/// How many models are tried next to one.
pub const TRIED: usize = 24;

/// Makes models next to others.
#[derive(Clone, Debug)]
pub struct Neighbours {
    variables: Vec<(Var, u32)>,
    rng: Rng,
}

impl Neighbours {
    /// Models that differ in the variables of some terms.
    pub fn new(terms: &Terms, of: &[Term]) -> Neighbours {
        let mut variables = crate::formulas::nodes::variables_of(terms, of.to_vec());
        variables.sort_unstable();
        Neighbours {
            variables,
            rng: Rng::with_seed(1),
        }
    }

    /// A model next to another one.
    pub fn next(&mut self, model: &Values) -> Values {
        let mut next = model.clone();
        for _ in 0..self.rng.usize(1..=3) {
            let Some(&(var, width)) = self.rng.choice(&self.variables) else {
                break;
            };
            let before = next.get(var).unwrap_or(0);
            let value = match self.rng.u8(0..6) {
                0 => before.wrapping_add(1),
                1 => before.wrapping_sub(1),
                2 => u128::from(self.rng.u8(0..4)),
                3 => self.value_of_another(model),
                4 => !before,
                _ => self.rng.u128(..),
            };
            next.set(var, value & expr::mask(width));
        }
        next
    }

    fn value_of_another(&mut self, model: &Values) -> u128 {
        let other = self.rng.choice(&self.variables);
        other.and_then(|&(var, _)| model.get(var)).unwrap_or(0)
    }
}
