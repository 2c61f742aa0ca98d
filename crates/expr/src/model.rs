//! Values for variables.

use crate::Var;

/// Values for some variables. Copying is cheap: models are small and lie in one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Model {
    /// In increasing order of the variables, each at most once.
    values: Vec<(Var, u128)>,
}

impl Model {
    /// The value of a variable, if it has one.
    pub fn get(&self, var: Var) -> Option<u128> {
        let at = self.values.binary_search_by_key(&var, |entry| entry.0);
        at.ok()
            .and_then(|at| self.values.get(at))
            .map(|entry| entry.1)
    }

    /// Gives a variable a value, in place of the one that it may have.
    pub fn set(&mut self, var: Var, value: u128) {
        match self.values.binary_search_by_key(&var, |entry| entry.0) {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (var, value)),
        }
    }

    /// The variables that have a value, in increasing order, with their values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Var, u128)> {
        self.values.iter().copied()
    }

    /// How many variables have a value.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no variable has a value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<(Var, u128)> for Model {
    /// Later values of one variable replace earlier ones.
    fn from_iter<I: IntoIterator<Item = (Var, u128)>>(entries: I) -> Model {
        let mut model = Model::default();
        model.extend(entries);
        model
    }
}

impl Extend<(Var, u128)> for Model {
    fn extend<I: IntoIterator<Item = (Var, u128)>>(&mut self, entries: I) {
        for (var, value) in entries {
            self.set(var, value);
        }
    }
}
