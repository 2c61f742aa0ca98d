//! How far a state is from a goal (Korel 1990, "Automated software test data generation"; Tracey and
//! others 1998 for conjunctions and disjunctions).
//!
//! ```text
//! far(a == b)   := log(1 + |a - b|)            far(a && b) := far(a) + far(b)
//! far(a <= b)   := 0, or log(1 + a - b)        far(a || b) := the smaller one
//! far(p)        := 0 if p reads inputs only: the solver finds them
//! ```
//!
//! The state is all that is known: inputs that a comparison reads beside it count as 0.

use std::collections::BTreeSet;

use expr::{CmpOp, Evaluation, Model as Values, Node, Term, Terms, Var, to_signed};
use rustc_hash::FxHashMap;

use crate::formulas::Formulas;
use crate::formulas::execution::{Executor, Sample};
use crate::formulas::nodes::{variable, variables_of};
use crate::formulas::segment::{CodePlace, Exit, ReachedPlace};
use crate::graph::cuts::CutId;
use crate::objects::locations::LocationId;

/// How many comparisons and connectives a condition may have.
const LARGEST: usize = 4_000;

/// What a part of a condition is made of.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// It holds, or inputs decide it.
    Near,
    /// It does not hold.
    Far,
    /// A comparison of bit vectors, or its negation.
    Comparison {
        op: CmpOp,
        sides: (Term, Term),
        is_negated: bool,
    },
    /// Both of two earlier parts.
    Both(usize, usize),
    /// One of two earlier parts.
    Either(usize, usize),
}

/// A condition over the locations at a cut, as parts of which each reads earlier ones only.
struct Condition {
    cut: CutId,
    parts: Vec<Part>,
    /// The locations that it reads.
    read: BTreeSet<Var>,
}

/// The conditions under which segments reach a goal.
pub struct Distance {
    conditions: Vec<Condition>,
    /// The locations that some of them read.
    read: FxHashMap<Var, LocationId>,
}

impl Distance {
    /// The distance to a goal.
    pub fn new(formulas: &Formulas<'_>, goal: CodePlace) -> Distance {
        let terms = &formulas.arena.terms;
        let locations = formulas.model.at_start.iter_enumerated();
        let locations: FxHashMap<Var, LocationId> = locations
            .filter_map(|(location, &term)| Some((variable(terms, term)?, location)))
            .collect();
        let segments = formulas.segments.iter();
        let reached = segments.flat_map(|segment| {
            let places = segment.places.iter();
            let places = places.filter(|reached| reached.place == goal);
            places.map(|reached| (segment.from, reached))
        });
        let conditions: Vec<Condition> = reached
            .filter_map(|(cut, reached)| Condition::new(terms, cut, reached, &locations))
            .collect();
        let read = conditions.iter().flat_map(|it| &it.read);
        let read = read.filter_map(|var| Some((*var, *locations.get(var)?)));
        Distance {
            read: read.collect(),
            conditions,
        }
    }

    /// The distance behind an exit that is taken with some values; the greatest if nothing is known
    /// of it.
    pub fn behind(
        &self,
        formulas: &Formulas<'_>,
        executor: &mut Executor,
        (exit, values): (&Exit, &Values),
        state: &Sample,
    ) -> f64 {
        let mut evaluation = executor.under(formulas, values);
        let later = self.read.iter().filter_map(|(&var, location)| {
            let changed = exit.state.changed.get(location);
            let value = changed.map(|&value| evaluation.eval(value));
            Some((var, value.or_else(|| state.get(&var).copied())?))
        });
        let later: Values = later.collect();
        let mut evaluation = executor.under(formulas, &later);
        let known = self.conditions.iter().filter(|condition| {
            let mut read = condition.read.iter();
            condition.cut == exit.to || read.all(|&var| later.get(var).is_some())
        });
        let here = known.clone().any(|condition| condition.cut == exit.to);
        let known = known.filter(|condition| !here || condition.cut == exit.to);
        known
            .map(|condition| condition.distance(&formulas.arena.terms, &mut evaluation))
            .fold(f64::MAX, f64::min)
    }
}

impl Condition {
    /// The condition under which a segment reaches a place; `None` if it is too large.
    fn new(
        terms: &Terms,
        cut: CutId,
        reached: &ReachedPlace,
        locations: &FxHashMap<Var, LocationId>,
    ) -> Option<Condition> {
        let mut parts = Parts {
            terms,
            locations,
            parts: Vec::new(),
            known: FxHashMap::default(),
        };
        parts.add(reached.reach)?;
        let read = variables_of(terms, vec![reached.reach]).into_iter();
        let read = read.map(|(var, _)| var);
        Some(Condition {
            cut,
            parts: parts.parts,
            read: read.filter(|var| locations.contains_key(var)).collect(),
        })
    }

    /// How far it is from what an evaluation knows. The last part is the whole.
    fn distance(&self, terms: &Terms, evaluation: &mut Evaluation<'_>) -> f64 {
        let mut distances: Vec<f64> = Vec::with_capacity(self.parts.len());
        for &part in &self.parts {
            distances.push(match part {
                Part::Near => 0.0,
                Part::Far => f64::from(u8::MAX),
                Part::Both(a, b) => distances[a] + distances[b],
                Part::Either(a, b) => distances[a].min(distances[b]),
                Part::Comparison {
                    op,
                    sides: (a, b),
                    is_negated,
                } => {
                    let width = terms.width(a);
                    let values = (evaluation.eval(a), evaluation.eval(b));
                    far(op, width, values, is_negated)
                }
            });
        }
        distances.last().copied().unwrap_or(0.0)
    }
}

/// How far a comparison of two values is from what is wanted of it.
fn far(op: CmpOp, width: u32, (a, b): (u128, u128), is_negated: bool) -> f64 {
    let (a, b) = match op {
        CmpOp::Ult | CmpOp::Ule if width < 128 => (a as i128, b as i128),
        _ => (to_signed(width, a), to_signed(width, b)),
    };
    let gap = a.saturating_sub(b);
    let missing = match (op, is_negated) {
        (CmpOp::Eq, false) => gap.saturating_abs(),
        (CmpOp::Eq, true) => i128::from(gap == 0),
        (CmpOp::Ult | CmpOp::Slt, false) => gap.saturating_add(1),
        (CmpOp::Ule | CmpOp::Sle, false) => gap,
        (CmpOp::Ult | CmpOp::Slt, true) => gap.saturating_neg(),
        (CmpOp::Ule | CmpOp::Sle, true) => gap.saturating_neg().saturating_add(1),
    };
    (missing.max(0) as f64).ln_1p()
}

/// Takes a condition apart, without recursion: conditions can be deep.
struct Parts<'a> {
    terms: &'a Terms,
    locations: &'a FxHashMap<Var, LocationId>,
    parts: Vec<Part>,
    /// The part that a term is, or its negation.
    known: FxHashMap<(Term, bool), usize>,
}

impl Parts<'_> {
    /// Adds a condition; `None` if it is too large.
    fn add(&mut self, condition: Term) -> Option<()> {
        let mut waiting = vec![(condition, false)];
        while let Some(&wanted) = waiting.last() {
            if self.parts.len() > LARGEST {
                return None;
            }
            let open: Vec<(Term, bool)> = self.operands(wanted);
            let before = waiting.len();
            waiting.extend(open.into_iter().filter(|it| !self.known.contains_key(it)));
            if waiting.len() == before {
                waiting.pop();
                if !self.known.contains_key(&wanted) {
                    let part = self.part(wanted)?;
                    let at = self.push(part);
                    self.known.insert(wanted, at);
                }
            }
        }
        Some(())
    }

    fn push(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// The conditions that one is made of.
    fn operands(&self, (term, is_negated): (Term, bool)) -> Vec<(Term, bool)> {
        match self.terms.node(term) {
            Node::BoolNot(a) => vec![(a, !is_negated)],
            Node::BoolAnd(a, b) | Node::BoolOr(a, b) => vec![(a, is_negated), (b, is_negated)],
            Node::Ite(c, a, b) => vec![(c, false), (c, true), (a, is_negated), (b, is_negated)],
            _ => Vec::new(),
        }
    }

    /// The part that a condition is; all that it is made of is known.
    fn part(&mut self, (term, is_negated): (Term, bool)) -> Option<Part> {
        let of = |known: &FxHashMap<(Term, bool), usize>, it| known.get(&it).copied();
        let known = &self.known;
        Some(match self.terms.node(term) {
            Node::Bool(value) if value == is_negated => Part::Far,
            Node::BoolNot(a) => {
                let same = of(known, (a, !is_negated))?;
                Part::Both(same, same)
            }
            Node::BoolAnd(a, b) | Node::BoolOr(a, b) => {
                let parts = (of(known, (a, is_negated))?, of(known, (b, is_negated))?);
                let is_and = matches!(self.terms.node(term), Node::BoolAnd(..));
                match is_and != is_negated {
                    true => Part::Both(parts.0, parts.1),
                    false => Part::Either(parts.0, parts.1),
                }
            }
            Node::Ite(c, a, b) => {
                let first = (of(known, (c, false))?, of(known, (a, is_negated))?);
                let second = (of(known, (c, true))?, of(known, (b, is_negated))?);
                let first = self.push(Part::Both(first.0, first.1));
                let second = self.push(Part::Both(second.0, second.1));
                Part::Either(first, second)
            }
            Node::Compare(op, a, b) => {
                let read = variables_of(self.terms, vec![term]);
                let mut read = read.into_iter().map(|(var, _)| var);
                match read.any(|var| self.locations.contains_key(&var)) {
                    true => Part::Comparison {
                        op,
                        sides: (a, b),
                        is_negated,
                    },
                    false => Part::Near,
                }
            }
            _ => Part::Near,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_near_where_it_holds() {
        for op in [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle] {
            for a in 0..8u128 {
                for b in 0..8u128 {
                    let (s, t) = (to_signed(3, a), to_signed(3, b));
                    let holds = match op {
                        CmpOp::Eq => a == b,
                        CmpOp::Ult => a < b,
                        CmpOp::Ule => a <= b,
                        CmpOp::Slt => s < t,
                        CmpOp::Sle => s <= t,
                    };
                    assert_eq!(far(op, 3, (a, b), false) == 0.0, holds, "{op:?} {a} {b}");
                    assert_eq!(far(op, 3, (a, b), true) == 0.0, !holds, "!{op:?} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn nearer_values_have_smaller_distances() {
        assert!(far(CmpOp::Eq, 32, (40, 50), false) > far(CmpOp::Eq, 32, (49, 50), false));
        assert!(far(CmpOp::Ule, 32, (90, 50), false) > far(CmpOp::Ule, 32, (60, 50), false));
    }
}
