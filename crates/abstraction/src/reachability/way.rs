//! The way that control takes through a segment with some values: the conditions that they meet one
//! by one, and terms without the choices that the values decide.
//!
//! ```text
//! a or b          holds by a, or by b, whichever the values meet
//! c ? x : y       is x where c holds, so c is one of the conditions; else y
//! ```

use expr::{Model as Values, Node, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::formulas::Formulas;
use crate::formulas::nodes::nodes_with_terms;

/// See the module.
pub(crate) struct Way {
    /// Which conditions in the terms the values meet.
    holds: FxHashMap<Term, bool>,
    /// Terms without the choices in them.
    decided: FxHashMap<Term, Term>,
    /// Conditions that are to be met, each with its value, of which the parts were not looked at.
    demanded: Vec<(Term, bool)>,
    seen: FxHashSet<(Term, bool)>,
}

impl Way {
    /// The way of some values through terms.
    pub fn new(formulas: &mut Formulas<'_>, of: &[Term], values: &Values) -> Way {
        let terms = &formulas.arena.terms;
        let nodes = nodes_with_terms(terms, of.to_vec()).into_iter();
        let conditions = nodes.filter(|&(term, _)| terms.sort(term) == Sort::Bool);
        let conditions: Vec<Term> = conditions.map(|(term, _)| term).collect();
        let mut evaluation = formulas.under(values);
        let holds = conditions.into_iter();
        Way {
            holds: holds.map(|it| (it, evaluation.holds(it))).collect(),
            decided: FxHashMap::default(),
            demanded: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Adds a condition that the values meet.
    pub fn demand(&mut self, terms: &Terms, condition: Term) {
        let holds = self.holds(terms, condition);
        self.demanded.push((condition, holds));
    }

    fn holds(&self, terms: &Terms, condition: Term) -> bool {
        let known = terms.as_bool(condition);
        known.unwrap_or_else(|| self.holds.get(&condition).copied().unwrap_or(false))
    }

    /// A term on the way. The choices in it are demanded.
    pub fn value(&mut self, terms: &mut Terms, term: Term) -> Term {
        let mut waiting = vec![term];
        while let Some(&top) = waiting.last() {
            if self.decided.contains_key(&top) {
                waiting.pop();
                continue;
            }
            let node = terms.node(top);
            let chosen = match node {
                Node::Ite(condition, yes, no) => {
                    let holds = self.holds(terms, condition);
                    Some((condition, holds, if holds { yes } else { no }))
                }
                _ => None,
            };
            let operands: Vec<Term> = match chosen {
                Some((_, _, branch)) => vec![branch],
                None => node.operands().collect(),
            };
            let before = waiting.len();
            let unknown = operands.iter().filter(|it| !self.decided.contains_key(it));
            waiting.extend(unknown);
            if waiting.len() > before {
                continue;
            }
            let value = match chosen {
                Some((condition, holds, branch)) => {
                    self.demanded.push((condition, holds));
                    self.decided[&branch]
                }
                None => {
                    let decided = &self.decided;
                    terms.build(node.map(|operand| decided[&operand]))
                }
            };
            self.decided.insert(top, value);
            waiting.pop();
        }
        self.decided[&term]
    }

    /// All conditions of the way, one by one.
    pub fn conditions(&mut self, terms: &mut Terms) -> Vec<Term> {
        let mut found = Vec::new();
        while let Some((condition, holds)) = self.demanded.pop() {
            if !self.seen.insert((condition, holds)) {
                continue;
            }
            match terms.node(condition) {
                Node::BoolNot(of) => self.demanded.push((of, !holds)),
                Node::BoolAnd(a, b) if holds => self.demanded.extend([(a, true), (b, true)]),
                Node::BoolOr(a, b) if !holds => self.demanded.extend([(a, false), (b, false)]),
                Node::BoolAnd(a, b) | Node::BoolOr(a, b) => {
                    let decisive = match self.holds(terms, a) == holds {
                        true => a,
                        false => b,
                    };
                    self.demanded.push((decisive, holds));
                }
                Node::Ite(choice, yes, no) => {
                    let first = self.holds(terms, choice);
                    self.demanded.push((choice, first));
                    self.demanded.push((if first { yes } else { no }, holds));
                }
                Node::Bool(_) => {}
                _ => {
                    let term = self.value(terms, condition);
                    found.push(match holds {
                        true => term,
                        false => terms.bool_not(term),
                    });
                }
            }
        }
        let mut seen = FxHashSet::default();
        found.retain(|&term| terms.as_bool(term) != Some(true) && seen.insert(term));
        found
    }
}
