//! Evaluation of terms under a model.
//!
//! Terms can be deep, so nothing recurses: a stack of terms that wait for an operand takes the
//! place of calls. Only the arm of an `Ite` that is chosen is looked at, and the second operand of
//! `and` and `or` only where the first one does not decide.

use rustc_hash::FxHashMap;

use crate::semantics::{eval_binary, eval_compare, from_signed, mask, to_signed};
use crate::{Model, Node, Term, Terms};

impl Terms {
    /// The value of a term under a model; a Bool as 0 or 1. Variables without a value are 0. For
    /// many terms or models, an [`Evaluator`] is faster.
    pub fn eval(&self, term: Term, model: &Model) -> u128 {
        let mut memo = SparseMemo {
            terms: self,
            values: FxHashMap::default(),
        };
        evaluate(self, term, model, &mut memo, &mut Vec::new())
    }

    /// Whether a Bool holds under a model.
    pub fn holds(&self, term: Term, model: &Model) -> bool {
        self.eval(term, model) != 0
    }

    /// The first of some Bools that does not hold under a model. What they have in common is
    /// evaluated once.
    pub fn first_violated(&self, terms: &[Term], model: &Model) -> Option<usize> {
        let mut memo = SparseMemo {
            terms: self,
            values: FxHashMap::default(),
        };
        let mut waiting = Vec::new();
        let mut terms = terms.iter();
        terms.position(|&term| evaluate(self, term, model, &mut memo, &mut waiting) == 0)
    }
}

/// Evaluates many terms, under one model after another, without allocating each time.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    memo: DenseMemo,
    waiting: Vec<Term>,
}

impl Evaluator {
    /// Starts to evaluate under a model.
    pub fn under<'a>(&'a mut self, terms: &'a Terms, model: &'a Model) -> Evaluation<'a> {
        self.memo.forget(terms.len());
        Evaluation {
            terms,
            model,
            evaluator: self,
        }
    }

    /// How many operators and variables were evaluated under the last model.
    pub fn evaluated(&self) -> usize {
        self.memo.values.len()
    }
}

/// An [`Evaluator`] at work under one model: terms in common are evaluated once.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    model: &'a Model,
    evaluator: &'a mut Evaluator,
}

impl Evaluation<'_> {
    /// The value of a term; a Bool as 0 or 1. Variables without a value are 0.
    pub fn eval(&mut self, term: Term) -> u128 {
        let Evaluator { memo, waiting } = &mut *self.evaluator;
        evaluate(self.terms, term, self.model, memo, waiting)
    }

    /// Whether a Bool holds.
    pub fn holds(&mut self, term: Term) -> bool {
        self.eval(term) != 0
    }
}

/// Remembers values of terms under one model.
trait Memo {
    fn get(&self, term: Term) -> Option<u128>;
    fn set(&mut self, term: Term, value: u128);
}

/// A memo for few terms of many.
struct SparseMemo<'a> {
    terms: &'a Terms,
    values: FxHashMap<Term, u128>,
}

impl Memo for SparseMemo<'_> {
    fn get(&self, term: Term) -> Option<u128> {
        match self.terms.node(term) {
            Node::Const { value, .. } => Some(value),
            _ => self.values.get(&term).copied(),
        }
    }

    fn set(&mut self, term: Term, value: u128) {
        self.values.insert(term, value);
    }
}

/// A memo with a slot for every term. A slot counts only if it was written since the last
/// [`DenseMemo::forget`]. Values lie apart: few of millions of terms have one at a time, and new
/// memory costs time.
#[derive(Clone, Debug, Default)]
struct DenseMemo {
    slots: Vec<Slot>,
    values: Vec<u128>,
    now: u32,
}

/// Where the value of a term is.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    written: u32,
    at: u32,
}

impl DenseMemo {
    fn forget(&mut self, terms: usize) {
        self.values.clear();
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(Slot::default());
            1
        });
        if self.slots.len() < terms {
            self.slots.resize(terms, Slot::default());
        }
    }
}

impl Memo for DenseMemo {
    fn get(&self, term: Term) -> Option<u128> {
        let Slot { written, at } = self.slots[term.index()];
        (written == self.now).then(|| self.values[at as usize])
    }

    fn set(&mut self, term: Term, value: u128) {
        let slot = &mut self.slots[term.index()];
        match slot.written == self.now {
            true => self.values[slot.at as usize] = value,
            false => {
                *slot = Slot {
                    written: self.now,
                    at: self.values.len() as u32,
                };
                self.values.push(value);
            }
        }
    }
}

fn evaluate(
    terms: &Terms,
    term: Term,
    model: &Model,
    memo: &mut impl Memo,
    waiting: &mut Vec<Term>,
) -> u128 {
    waiting.clear();
    waiting.push(term);
    while let Some(&top) = waiting.last() {
        match step(terms, top, model, memo) {
            Ok(value) => {
                memo.set(top, value);
                waiting.pop();
            }
            Err(operand) => waiting.push(operand),
        }
    }
    memo.get(term).unwrap_or(0)
}

/// The value of a term from those of its operands, or the operand whose value is needed first.
fn step(terms: &Terms, term: Term, model: &Model, memo: &impl Memo) -> Result<u128, Term> {
    let get = |operand: Term| memo.get(operand).ok_or(operand);
    Ok(match terms.node(term) {
        Node::Bool(value) => u128::from(value),
        Node::Const { value, .. } => value,
        Node::Var { var, width } => model.get(var).unwrap_or(0) & mask(width),
        Node::Not(a) => !get(a)? & mask(terms.width(a)),
        Node::Neg(a) => get(a)?.wrapping_neg() & mask(terms.width(a)),
        Node::Binary(op, a, b) => eval_binary(op, terms.width(a), get(a)?, get(b)?),
        Node::Compare(op, a, b) => u128::from(eval_compare(op, terms.width(a), get(a)?, get(b)?)),
        Node::Extract { high, low, of } => (get(of)? >> low) & mask(high - low + 1),
        Node::Concat(a, b) => (get(a)? << terms.width(b)) | get(b)?,
        Node::ZeroExtend { of, .. } => get(of)?,
        Node::SignExtend { width, of } => from_signed(width, to_signed(terms.width(of), get(of)?)),
        Node::BoolNot(a) => 1 - get(a)?,
        Node::BoolAnd(a, b) => match get(a)? {
            0 => 0,
            _ => get(b)?,
        },
        Node::BoolOr(a, b) => match get(a)? {
            0 => get(b)?,
            holds => holds,
        },
        Node::Ite(c, a, b) => get(if get(c)? != 0 { a } else { b })?,
    })
}
