//! The prover that knows what values locations have at the cuts: bounds, known bits and remainders, each
//! location by itself (Cousot and Cousot 1977, "Abstract interpretation"; remainders: Granger 1989).
//!
//! ```text
//! state[start] := nothing is known; all other cuts: control does not come there
//! repeat until nothing grows:                                                analysis.rs
//!     for each segment from a cut a that is reached, and each exit to a cut b:
//!         what is known of the segment's terms where the exit is taken       sweep.rs
//!         state[b] := state[b], or the values behind the exit
//!             from the fourth growth on, ends of bounds go on to the next constant
//! twice: state := what state leads to                                        // narrower
//! excluded := goals to which no state leads
//! if there are any: these values, as invariants that the solver finds inductive, exclude them
//! ```
//!
//! It decides easy goals in milliseconds, and sees what no sampled execution comes to. As for all other
//! candidates, only the solver says that its values are inductive.

mod analysis;
mod sweep;
mod value;

use expr::{BvOp, CmpOp, Term, Terms};

use crate::exclusion::Exclusion;
use crate::formulas::segment::CodePlace;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};
use crate::values::analysis::Analysis;
use crate::values::value::Value;

/// See the module.
#[derive(Default)]
pub(crate) struct Values {
    stage: Stage,
}

#[derive(Default)]
enum Stage {
    #[default]
    Beginning,
    /// It computes values.
    Analysing(Box<Analysis>),
    /// The solver drops what is not inductive.
    Inductive(Box<Houdini>, Vec<CodePlace>),
    /// It closes goals that the values exclude.
    Excluding(Exclusion),
}

impl Prover for Values {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        while !goals.open.is_empty() {
            if formulas.is_spent() {
                return Progress::Working;
            }
            match &mut self.stage {
                Stage::Beginning => {
                    self.stage = Stage::Analysing(Box::new(Analysis::new(formulas)));
                }
                Stage::Analysing(analysis) => {
                    if !analysis.step(formulas) {
                        continue;
                    }
                    let excluded = analysis.excluded(formulas, &goals.open);
                    if excluded.is_empty() {
                        return Progress::Finished;
                    }
                    let candidates = candidates(formulas, analysis);
                    let houdini = Houdini::new(goals.invariants.clone(), candidates);
                    self.stage = Stage::Inductive(Box::new(houdini), excluded);
                }
                Stage::Inductive(houdini, excluded) => {
                    if let Some(invariants) = houdini.step(formulas) {
                        goals.learn(invariants);
                        let excluded = std::mem::take(excluded);
                        self.stage = Stage::Excluding(Exclusion::of(excluded));
                    }
                }
                Stage::Excluding(exclusion) => return exclusion.step(formulas, goals),
            }
        }
        Progress::Finished
    }
}

/// The values as conditions. Where control does not come, nothing holds.
fn candidates(formulas: &mut Formulas<'_>, analysis: &Analysis) -> Invariants {
    let start = formulas.model.cuts.start();
    let Formulas { model, arena, .. } = formulas;
    let terms = &mut arena.terms;
    let states = analysis.states.iter_enumerated();
    let all = states.map(|(cut, state)| match state {
        _ if cut == start => Vec::new(),
        None => vec![terms.bool(false)],
        Some(state) => {
            let mut conditions = Vec::new();
            for (&location, value) in state {
                add_conditions(terms, model.at_start[location], value, &mut conditions);
            }
            conditions
        }
    });
    all.collect()
}

/// Adds what a value says of a number.
fn add_conditions(terms: &mut Terms, x: Term, value: &Value, conditions: &mut Vec<Term>) {
    let fact = value.fact;
    let any = expr::facts::Fact::any(fact.width);
    let constant = |terms: &mut Terms, value: u128| terms.constant(fact.width, value);
    if let Some(value) = fact.value() {
        let value = constant(terms, value);
        return conditions.push(terms.eq(x, value));
    }
    if fact.low > any.low {
        let low = constant(terms, fact.low);
        conditions.push(terms.compare(CmpOp::Ule, low, x));
    }
    if fact.high < any.high {
        let high = constant(terms, fact.high);
        conditions.push(terms.compare(CmpOp::Ule, x, high));
    }
    if fact.least > any.least && fact.least < 0 {
        let least = constant(terms, expr::from_signed(fact.width, fact.least));
        conditions.push(terms.compare(CmpOp::Sle, least, x));
    }
    if fact.most < any.most && fact.least < 0 {
        let most = constant(terms, expr::from_signed(fact.width, fact.most));
        conditions.push(terms.compare(CmpOp::Sle, x, most));
    }
    let known = fact.ones | (any.may & !fact.may);
    let above = (u128::BITS - fact.may.leading_zeros()).min(127);
    let inside = known & ((1 << above) - 1);
    if inside != 0 {
        let (mask, bits) = (constant(terms, inside), constant(terms, fact.ones));
        let masked = terms.binary(BvOp::And, x, mask);
        conditions.push(terms.eq(masked, bits));
    }
    let congruence = value.congruence;
    if congruence.modulus > 1 {
        let modulus = constant(terms, congruence.modulus);
        let remainder = constant(terms, congruence.remainder);
        let left = terms.binary(BvOp::URem, x, modulus);
        conditions.push(terms.eq(left, remainder));
    }
}
