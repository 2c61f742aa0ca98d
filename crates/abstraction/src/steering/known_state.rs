//! What a segment does from a state whose values are known: its formulas with these values in them,
//! which the solver answers quickly.

use expr::{Model as Values, Substitution, Term};
use solver::{Answer, Query, Sat, Solver};

use crate::formulas::execution::Running;
use crate::formulas::nodes::variable;
use crate::formulas::segment::Segment;
use crate::formulas::{Formulas, LARGEST};

/// See the module.
pub struct KnownState {
    /// Puts the values of the state in place of locations, and of the elements that the segment
    /// reads.
    substitution: Substitution,
    solver: Sat,
}

impl KnownState {
    /// A state at the start of a segment.
    pub fn new(formulas: &mut Formulas<'_>, segment: &Segment, state: &Running) -> KnownState {
        let solver = formulas.solver();
        let Formulas { model, arena, .. } = formulas;
        let terms = &mut arena.terms;
        let mut substitution = Substitution::default();
        for &term in &model.at_start {
            let var = variable(terms, term);
            let known = var.and_then(|var| Some((var, *state.locations.get(&var)?)));
            if let Some((var, value)) = known {
                let value = terms.constant(terms.width(term), value);
                substitution.insert(var, value);
            }
        }
        for instance in &segment.arrays.instances {
            let index = substitution.apply(terms, instance.index, LARGEST);
            let Some(index) = index.and_then(|index| terms.as_constant(index)) else {
                continue;
            };
            for (&array, &element) in &instance.elements {
                let known = state.known_element(array, index);
                if let (Some(var), Some(value)) = (variable(terms, element), known) {
                    let value = terms.constant(terms.width(element), value);
                    substitution.insert(var, value);
                }
            }
        }
        KnownState {
            substitution,
            solver,
        }
    }

    /// Values for the inputs of the segment with which some terms hold.
    pub fn model(&mut self, formulas: &mut Formulas<'_>, asked: &[Term]) -> Option<Values> {
        let terms = &mut formulas.arena.terms;
        let mut held = Vec::new();
        for &term in asked {
            let here = self.substitution.apply(terms, term, LARGEST)?;
            match terms.as_bool(here) {
                Some(true) => {}
                Some(false) => return None,
                None => held.push(here),
            }
        }
        let nothing = Values::default();
        match self.solver.check(terms, &Query::new(&held, &nothing)) {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }
}
