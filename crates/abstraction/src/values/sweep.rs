//! What is known of all terms of a formula, where some conditions hold.

use std::sync::Arc;

use expr::facts::{Fact, operands, result};
use expr::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::values::value::{Value, refined};

/// How many terms a formula may have.
const MOST_TERMS: usize = 20_000;

/// How often facts about all terms are propagated.
const ROUNDS: usize = 3;

/// The terms of a formula, operands first.
#[derive(Debug, Default)]
pub struct Order {
    terms: Vec<Term>,
    places: FxHashMap<Term, usize>,
}

impl Order {
    /// Those of some roots; `None` if they are too many.
    pub fn of(terms: &Terms, roots: &[Term]) -> Option<Order> {
        let mut waiting = roots.to_vec();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(term) = waiting.pop() {
            if seen.insert(term) {
                waiting.extend(terms.node(term).operands());
            }
            if seen.len() > MOST_TERMS {
                return None;
            }
        }
        let mut all: Vec<Term> = seen.into_iter().collect();
        all.sort_unstable();
        let places = all.iter().enumerate();
        Some(Order {
            places: places.map(|(place, &term)| (term, place)).collect(),
            terms: all,
        })
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }
}

/// What is known of each term of an [`Order`].
#[derive(Clone)]
pub struct Sweep {
    order: Arc<Order>,
    values: Vec<Value>,
}

/// Some term has no value left.
struct Contradiction;

impl Sweep {
    /// What follows from what is known of variables; `None` if that cannot be.
    pub fn new(
        terms: &Terms,
        order: Arc<Order>,
        of: impl Fn(Term) -> Option<Value>,
    ) -> Option<Sweep> {
        let values = order.terms.iter().map(|&term| {
            // A Bool is a number of one bit.
            of(term).unwrap_or_else(|| Value::any(terms.width(term).max(1)))
        });
        let mut sweep = Sweep {
            values: values.collect(),
            order,
        };
        sweep.upwards(terms).ok()?;
        Some(sweep)
    }

    /// What is known of a term of the order.
    pub fn value(&self, terms: &Terms, term: Term) -> Value {
        match self.order.places.get(&term) {
            Some(&place) => self.values[place],
            None => Value::any(terms.width(term).max(1)),
        }
    }

    /// What is known where conditions hold, too; `None` if they cannot. Returns also how many terms
    /// were looked at.
    pub fn where_hold(&self, terms: &Terms, conditions: &[(Term, bool)]) -> (Option<Sweep>, u64) {
        let mut sweep = self.clone();
        let mut looked_at = self.values.len() as u64;
        let all = sweep.propagate(terms, conditions, &mut looked_at);
        (all.ok().map(|()| sweep), looked_at)
    }

    fn propagate(
        &mut self,
        terms: &Terms,
        conditions: &[(Term, bool)],
        looked_at: &mut u64,
    ) -> Result<(), Contradiction> {
        for &(condition, holds) in conditions {
            self.learn(condition, &Fact::bool(holds))?;
        }
        for _ in 0..ROUNDS {
            *looked_at += 2 * self.values.len() as u64;
            let changed = self.downwards(terms)?;
            if !(self.upwards(terms)? | changed) {
                break;
            }
        }
        Ok(())
    }

    fn at(&self, term: Term) -> Value {
        self.values[self.order.places[&term]]
    }

    /// Propagates from operands to results. Returns whether anything is new.
    fn upwards(&mut self, terms: &Terms) -> Result<bool, Contradiction> {
        let order = Arc::clone(&self.order);
        let mut changed = false;
        for (place, &term) in order.terms.iter().enumerate() {
            let node = terms.node(term);
            if let Node::Var { .. } = node {
                continue;
            }
            let fact = result(terms, node, |operand| self.at(operand).fact);
            let fact = fact.and(&self.values[place].fact);
            if fact.is_empty() {
                return Err(Contradiction);
            }
            let new = refined(node, fact, |operand| self.at(operand));
            let both = new.and(&self.values[place]).ok_or(Contradiction)?;
            changed |= both != self.values[place];
            self.values[place] = both;
        }
        Ok(changed)
    }

    /// Propagates from results to operands. Returns whether anything is new.
    fn downwards(&mut self, terms: &Terms) -> Result<bool, Contradiction> {
        let order = Arc::clone(&self.order);
        let mut changed = false;
        for (place, &term) in order.terms.iter().enumerate().rev() {
            let known = self.values[place].fact;
            let news = operands(terms.node(term), &known, |operand| self.at(operand).fact);
            for (operand, fact) in news {
                changed |= self.learn(operand, &fact)?;
            }
        }
        Ok(changed)
    }

    /// Adds a fact to what is known of a term. Returns whether it is new.
    fn learn(&mut self, term: Term, fact: &Fact) -> Result<bool, Contradiction> {
        let Some(&place) = self.order.places.get(&term) else {
            return Ok(false);
        };
        let known = self.values[place];
        let both = known.and(&Value {
            fact: *fact,
            ..Value::any(fact.width)
        });
        let both = both.ok_or(Contradiction)?;
        self.values[place] = both;
        Ok(both != known)
    }
}

/// What is known of a term, case by case where it is a choice, as values are where edges meet. Cases
/// are asked for once.
pub struct Cases<'a> {
    terms: &'a Terms,
    all: &'a Sweep,
    known: FxHashMap<(Term, bool), Option<Sweep>>,
    /// How many may still be asked for.
    left: usize,
    /// How many terms were looked at.
    pub looked_at: u64,
}

impl<'a> Cases<'a> {
    /// Of what is known in all cases, with so many cases.
    pub fn new(terms: &'a Terms, all: &'a Sweep, left: usize) -> Cases<'a> {
        Cases {
            terms,
            all,
            known: FxHashMap::default(),
            left,
            looked_at: 0,
        }
    }

    /// What is known of a term.
    pub fn value(&mut self, term: Term) -> Value {
        let terms = self.terms;
        let mut found: Option<Value> = None;
        let mut rest = term;
        let mut of_rest = self.all.value(terms, term);
        while let Node::Ite(condition, then, other) = terms.node(rest) {
            let is_open = self.all.value(terms, condition).fact.value().is_none();
            if !is_open || !self.can_split(condition) {
                break;
            }
            if let Some(case) = self.case(condition, true) {
                let value = case.value(terms, then);
                found = Some(found.map_or(value, |found| found.or(&value)));
            }
            let Some(case) = self.case(condition, false) else {
                return found.unwrap_or(of_rest);
            };
            of_rest = case.value(terms, other);
            rest = other;
        }
        found.map_or(of_rest, |found| found.or(&of_rest))
    }

    fn can_split(&self, condition: Term) -> bool {
        self.known.contains_key(&(condition, true)) || self.left > 0
    }

    fn case(&mut self, condition: Term, holds: bool) -> Option<&Sweep> {
        if !self.known.contains_key(&(condition, holds)) {
            self.left = self.left.saturating_sub(1);
            let (case, looked_at) = self.all.where_hold(self.terms, &[(condition, holds)]);
            self.looked_at += looked_at;
            self.known.insert((condition, holds), case);
        }
        self.known[&(condition, holds)].as_ref()
    }
}

#[cfg(test)]
mod tests {
    use expr::{BvOp, CmpOp, Model, Var, mask};
    use fastrand::Rng;

    use super::*;

    /// Terms of one width, and conditions, each over those before it.
    fn grown(rng: &mut Rng, terms: &mut Terms, width: u32) -> (Vec<Term>, Vec<Term>) {
        let mut numbers: Vec<Term> = (0..3).map(|at| terms.var(Var(at), width)).collect();
        for constant in [1, 2, 4, 7, 255] {
            numbers.push(terms.constant(width, constant));
        }
        let mut conditions = vec![terms.bool(true)];
        for _ in 0..12 {
            let (a, b) = (of(rng, &numbers), of(rng, &numbers));
            let c = of(rng, &conditions);
            match rng.u8(0..6) {
                0 => numbers.push(terms.ite(c, a, b)),
                1 => conditions.push(terms.compare(CmpOp::Eq, a, b)),
                2 => conditions.push(terms.compare(CmpOp::Ult, a, b)),
                3 => conditions.push(terms.compare(CmpOp::Sle, a, b)),
                _ => numbers.push(terms.binary(of_all(rng), a, b)),
            }
        }
        (numbers, conditions)
    }

    fn of(rng: &mut Rng, all: &[Term]) -> Term {
        all[rng.usize(..all.len())]
    }

    fn of_all(rng: &mut Rng) -> BvOp {
        BvOp::ALL[rng.usize(..BvOp::ALL.len())]
    }

    /// Values that some numbers have together.
    fn value_of(numbers: &[u128], width: u32) -> Value {
        let values = numbers.iter().map(|&number| Value::constant(width, number));
        let joined = values.reduce(|all, next| all.or(&next));
        joined.unwrap_or_else(|| Value::any(width))
    }

    #[test]
    fn each_value_is_among_what_is_known() {
        let mut rng = Rng::with_seed(18);
        for round in 0..4_000 {
            let width = [8, 128][round % 2];
            let mut terms = Terms::default();
            let (numbers, conditions) = grown(&mut rng, &mut terms, width);
            let draw = |rng: &mut Rng| rng.u128(..) & mask(width);
            let drawn: Vec<Vec<u128>> = (0..3)
                .map(|_| (0..rng.usize(1..4)).map(|_| draw(&mut rng)).collect())
                .collect();
            let model: Model = (0..3).map(|at| (Var(at as u32), drawn[at][0])).collect();
            let known = |term| match terms.node(term) {
                Node::Var { var, .. } => Some(value_of(&drawn[var.0 as usize], width)),
                _ => None,
            };
            let all: Vec<Term> = numbers.iter().chain(&conditions).copied().collect();
            let order = Order::of(&terms, &all).expect("there are few terms");
            let sweep = Sweep::new(&terms, Arc::new(order), known).expect("values are left");
            let condition = of(&mut rng, &conditions);
            let holds = terms.holds(condition, &model);
            let (found, _) = sweep.where_hold(&terms, &[(condition, holds)]);
            let found = found.expect("the condition can be so");
            let mut cases = Cases::new(&terms, &found, 8);
            for &term in &all {
                let number = terms.eval(term, &model);
                for value in [found.value(&terms, term), cases.value(term)] {
                    assert!(value.contains(number), "{number} is not in {value:?}");
                }
            }
        }
    }

    #[test]
    fn remainders_follow_sums_and_products() {
        let mut terms = Terms::default();
        let x = terms.var(Var(0), 32);
        let four = terms.constant(32, 4);
        let twelve = terms.constant(32, 12);
        let product = terms.mul(x, twelve);
        let sum = terms.add(product, four);
        let left = terms.urem(sum, four);
        let order = Order::of(&terms, &[left]).expect("there are few terms");
        let sweep = Sweep::new(&terms, Arc::new(order), |_| None).expect("values are left");
        assert_eq!(sweep.value(&terms, left).fact.value(), Some(0));
    }
}
