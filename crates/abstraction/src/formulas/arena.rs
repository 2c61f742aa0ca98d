//! Terms, and fresh variables for values that nothing is known of.

use expr::{Term, Terms, Var};

/// The terms of all formulas of an abstraction.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// The terms.
    pub terms: Terms,
    /// The number of the next variable.
    pub(crate) next: u32,
}

impl Arena {
    /// A variable of so many bits that occurs nowhere else.
    pub fn fresh(&mut self, width: u32) -> Term {
        Arena::fresh_of(&mut self.terms, &mut self.next, width)
    }

    /// The same, of the parts of an arena.
    pub(crate) fn fresh_of(terms: &mut Terms, next: &mut u32, width: u32) -> Term {
        let var = Var(*next);
        *next += 1;
        terms.var(var, width)
    }

    /// A truth value of which nothing is known.
    pub fn fresh_truth(&mut self) -> Term {
        let bit = self.fresh(1);
        self.terms.is_nonzero(bit)
    }
}
