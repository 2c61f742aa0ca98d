//! Refutes constraints by the linear equations among them, modulo a power of two.
//!
//! ```text
//! t == 2*a + 1   s == t + p   s != p + 2*a + 1        // p stands for a product
//!   =>  t := 2*a + 1;  s := p + 2*a + 1;  0 != 0
//! ```
//!
//! What constraints say of the conditions in them comes from unit propagation. Where the claim has a
//! choice (`c ? a : b`), both cases are looked at, if it is not known whether `c` holds. Each equation is solved for a term with an
//! odd coefficient, which has an inverse, and the solution put into the others (Gaussian elimination).
//! SAT solvers take long for that on 64 bits.

use std::collections::{BTreeMap, BTreeSet};

use expr::{CmpOp, Node, Term, Terms, inverse_of_odd};

use crate::formulas::linear::{Cases, Linear};
use crate::formulas::nodes::nodes_with_terms;

/// How many equations are looked at.
const MOST: usize = 48;

/// How many choices are decided one way and the other.
const MOST_CASES: usize = 8;

/// How many parts of constraints are looked at.
const MOST_PARTS: usize = 2_000;

/// A sum, and the constraints by which it is 0, or is claimed not to be.
#[derive(Clone)]
struct Row {
    sum: Linear,
    from: BTreeSet<usize>,
}

/// An equation solved for a term: the sum has it once.
struct Solved {
    term: Term,
    row: Row,
}

/// What is found in one case of the choices.
enum Found {
    /// The constraints that cannot hold together.
    Refuted(BTreeSet<usize>),
    /// A condition on which it depends.
    DependsOn(Term),
    /// Nothing.
    Nothing,
}

/// Those of some constraints that cannot hold together, by their equations and what is said to be
/// unequal; `None` if that does not show it.
pub(super) fn refuted(terms: &Terms, constraints: &[Term]) -> Option<Vec<usize>> {
    let mut from = BTreeSet::new();
    let mut waiting: Vec<Vec<(Term, bool)>> = vec![Vec::new()];
    let mut left = MOST_CASES;
    while let Some(case) = waiting.pop() {
        match refuted_in(terms, constraints, &case) {
            Found::Refuted(needed) => from.extend(needed),
            Found::DependsOn(condition) if left > 0 => {
                left -= 1;
                for holds in [true, false] {
                    waiting.push([&case[..], &[(condition, holds)]].concat());
                }
            }
            Found::DependsOn(_) | Found::Nothing => return None,
        }
    }
    Some(from.into_iter().collect())
}

/// The same, in the case that some conditions are true or false.
fn refuted_in(terms: &Terms, constraints: &[Term], case: &[(Term, bool)]) -> Found {
    let facts = Facts::of(terms, constraints, case);
    if let Some(from) = facts.contradiction {
        return Found::Refuted(from);
    }
    let Rows {
        equal,
        unequal,
        open,
    } = rows(terms, &facts);
    if equal.len() > MOST {
        return Found::Nothing;
    }
    let solved = solved(equal);
    for mut row in unequal {
        reduce(&mut row, &solved);
        if row.sum.is_zero() {
            return Found::Refuted(row.from);
        }
    }
    open.map_or(Found::Nothing, Found::DependsOn)
}

/// The solutions of equations.
fn solved(equal: Vec<Row>) -> Vec<Solved> {
    let mut solved: Vec<Solved> = Vec::new();
    for mut row in equal {
        reduce(&mut row, &solved);
        let odd = row.sum.coefficients.iter().find(|(_, it)| **it & 1 == 1);
        let Some((&term, &coefficient)) = odd else {
            continue;
        };
        row.sum.scale(inverse_of_odd(coefficient));
        let new = Solved { term, row };
        for other in &mut solved {
            reduce(&mut other.row, std::slice::from_ref(&new));
        }
        solved.push(new);
    }
    solved
}

/// Puts solutions in place of their terms.
fn reduce(row: &mut Row, solved: &[Solved]) {
    for Solved { term, row: by } in solved {
        if let Some(&times) = row.sum.coefficients.get(term) {
            row.sum.add_multiple(&by.sum, times.wrapping_neg());
            row.from.extend(&by.from);
        }
    }
}

/// What is known of sums.
#[derive(Default)]
struct Rows {
    equal: Vec<Row>,
    unequal: Vec<Row>,
    /// The condition of a choice in a sum that is said to be unequal, of which nothing is known.
    open: Option<Term>,
}

/// The equations that are known, and what is said to be unequal.
fn rows(terms: &Terms, facts: &Facts) -> Rows {
    let cases = facts.known.iter().map(|(&term, fact)| (term, fact.holds));
    let cases: Cases = cases.collect();
    let mut rows = Rows::default();
    for (&term, fact) in &facts.known {
        let Node::Compare(CmpOp::Eq, a, b) = terms.node(term) else {
            continue;
        };
        let mut from = fact.from.clone();
        let sum = match difference(terms, (a, b), Some(&cases)) {
            Ok(sum) => {
                let choices = choices(terms, (a, b));
                let facts = choices.filter_map(|it| facts.known.get(&it));
                from.extend(facts.flat_map(|it| &it.from));
                sum
            }
            Err(condition) => {
                if !fact.holds {
                    rows.open = Some(condition);
                }
                // Without cases, choices are taken as they are.
                match difference(terms, (a, b), None) {
                    Ok(sum) => sum,
                    Err(_) => continue,
                }
            }
        };
        match fact.holds {
            true => rows.equal.push(Row { sum, from }),
            false => rows.unequal.push(Row { sum, from }),
        }
    }
    rows
}

/// The difference of two terms, or the condition of a choice in it that no case says anything of.
fn difference(terms: &Terms, (a, b): (Term, Term), cases: Option<&Cases>) -> Result<Linear, Term> {
    let mut sum = Linear::zero(terms.width(a));
    sum.add(terms, a, 1, cases)?;
    sum.add(terms, b, 1u128.wrapping_neg(), cases)?;
    Ok(sum)
}

/// The conditions of choices in two terms.
fn choices(terms: &Terms, (a, b): (Term, Term)) -> impl Iterator<Item = Term> {
    let nodes = nodes_with_terms(terms, vec![a, b]).into_iter();
    nodes.filter_map(|(_, node)| match node {
        Node::Ite(condition, ..) => Some(condition),
        _ => None,
    })
}

/// Whether a condition holds, and the constraints that say so.
#[derive(Clone)]
struct Fact {
    holds: bool,
    from: BTreeSet<usize>,
}

/// What constraints say of the conditions in them.
#[derive(Default)]
struct Facts {
    known: BTreeMap<Term, Fact>,
    /// Conditions of which one of two parts decides the other, once it is known.
    undecided: Vec<(Term, Fact)>,
    /// The constraints that say of a condition that it holds, and that it does not.
    contradiction: Option<BTreeSet<usize>>,
}

impl Facts {
    /// Unit propagation, in the case that some conditions are true or false.
    fn of(terms: &Terms, constraints: &[Term], case: &[(Term, bool)]) -> Facts {
        let mut facts = Facts::default();
        for &(condition, holds) in case {
            let from = BTreeSet::new();
            facts.add(terms, condition, Fact { holds, from });
        }
        for (at, &constraint) in constraints.iter().enumerate() {
            let from = BTreeSet::from([at]);
            facts.add(terms, constraint, Fact { holds: true, from });
        }
        loop {
            let before = facts.known.len();
            for (term, fact) in std::mem::take(&mut facts.undecided) {
                facts.decide(terms, term, fact);
            }
            if facts.known.len() == before || before > MOST_PARTS {
                return facts;
            }
        }
    }

    fn add(&mut self, terms: &Terms, term: Term, fact: Fact) {
        let mut waiting = vec![(term, fact)];
        while let Some((term, fact)) = waiting.pop() {
            if let Some(known) = self.known.get(&term) {
                if known.holds != fact.holds {
                    self.contradiction = Some(&known.from | &fact.from);
                }
                continue;
            }
            if self.known.len() > MOST_PARTS {
                continue;
            }
            match (terms.node(term), fact.holds) {
                (Node::BoolNot(a), _) => {
                    let holds = !fact.holds;
                    waiting.push((
                        a,
                        Fact {
                            holds,
                            ..fact.clone()
                        },
                    ));
                }
                (Node::BoolAnd(a, b), true) | (Node::BoolOr(a, b), false) => {
                    waiting.extend([(a, fact.clone()), (b, fact.clone())]);
                }
                (Node::BoolAnd(..) | Node::BoolOr(..), _) => {
                    self.undecided.push((term, fact.clone()));
                }
                _ => {}
            }
            self.known.insert(term, fact);
        }
    }

    /// Of a condition that is false because not both parts hold, or true because one of them does.
    fn decide(&mut self, terms: &Terms, term: Term, fact: Fact) {
        let (Node::BoolAnd(a, b) | Node::BoolOr(a, b)) = terms.node(term) else {
            return;
        };
        for (part, other) in [(a, b), (b, a)] {
            // A part that is as the other case wants it leaves the rest to the other part.
            if let Some(known) = self.value(terms, part)
                && known.holds != fact.holds
            {
                let mut from = fact.from.clone();
                from.extend(&known.from);
                let holds = fact.holds;
                return self.add(terms, other, Fact { holds, from });
            }
        }
        self.undecided.push((term, fact));
    }

    /// What is known of a condition, or of what it negates.
    fn value(&self, terms: &Terms, term: Term) -> Option<Fact> {
        if let Some(fact) = self.known.get(&term) {
            return Some(fact.clone());
        }
        let Node::BoolNot(a) = terms.node(term) else {
            return None;
        };
        let fact = self.known.get(&a)?;
        let holds = !fact.holds;
        Some(Fact {
            holds,
            ..fact.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::Var;

    #[test]
    fn equations_refute_what_follows_from_them() {
        let mut terms = Terms::default();
        let [a, s, t, p, x, y] = [0, 1, 2, 3, 4, 5].map(|it| terms.var(Var(it), 64));
        let one = terms.constant(64, 1);
        let twice = terms.add(a, a);
        let odd = terms.add(twice, one);
        let is_t = terms.eq(t, odd);
        let sum = terms.add(t, p);
        let is_s = terms.eq(s, sum);
        let is_beside = terms.eq(x, y);
        let square = terms.add(p, odd);
        let other = terms.eq(s, square);
        let other = terms.bool_not(other);
        let found = refuted(&terms, &[is_beside, is_t, other, is_s]);
        assert_eq!(found, Some(vec![1, 2, 3]));
        assert_eq!(refuted(&terms, &[is_t, other]), None);
    }

    #[test]
    fn choices_are_those_of_their_cases() {
        let mut terms = Terms::default();
        let [x, y, z] = [0, 1, 2].map(|it| terms.var(Var(it), 32));
        let condition = terms.compare(CmpOp::Ult, x, y);
        let choice = terms.ite(condition, y, z);
        let is_choice = terms.eq(x, choice);
        let differ = terms.eq(x, y);
        let differ = terms.bool_not(differ);
        let constraints = [is_choice, differ, condition];
        assert_eq!(refuted(&terms, &constraints), Some(vec![0, 1, 2]));
        assert_eq!(refuted(&terms, &constraints[..2]), None);
        // Both cases of what is claimed are as the equations have it.
        let is_y = terms.eq(y, z);
        let differ = terms.eq(choice, y);
        let differ = terms.bool_not(differ);
        assert_eq!(refuted(&terms, &[differ, is_y]), Some(vec![0, 1]));
        assert_eq!(refuted(&terms, &[differ]), None);
    }

    #[test]
    fn one_part_decides_the_other() {
        let mut terms = Terms::default();
        let [x, y, z] = [0, 1, 2].map(|it| terms.var(Var(it), 32));
        let differ = terms.eq(x, y);
        let differ = terms.bool_not(differ);
        let is_less = terms.compare(CmpOp::Ult, y, z);
        let both = terms.bool_and(differ, is_less);
        let not_both = terms.bool_not(both);
        assert_eq!(refuted(&terms, &[not_both, differ]), None);
        let is_z = terms.eq(x, z);
        let beside = terms.eq(y, z);
        let beside = terms.bool_not(beside);
        let constraints = [not_both, is_less, is_z, beside];
        assert_eq!(refuted(&terms, &constraints), Some(vec![0, 1, 2, 3]));
        assert_eq!(refuted(&terms, &[not_both, is_z, beside]), None);
    }

    #[test]
    fn even_coefficients_are_not_divided() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(|it| terms.var(Var(it), 8));
        let two = terms.constant(8, 2);
        let doubled = [x, y].map(|it| terms.binary(expr::BvOp::Mul, two, it));
        let is_same = terms.eq(doubled[0], doubled[1]);
        let differ = terms.eq(x, y);
        let differ = terms.bool_not(differ);
        assert_eq!(refuted(&terms, &[is_same, differ]), None);
        let three = terms.constant(8, 3);
        let tripled = [x, y].map(|it| terms.binary(expr::BvOp::Mul, three, it));
        let is_same = terms.eq(tripled[0], tripled[1]);
        assert_eq!(refuted(&terms, &[is_same, differ]), Some(vec![0, 1]));
    }

    /// A condition over three numbers of 3 bits.
    fn random_condition(rng: &mut fastrand::Rng, terms: &mut Terms, depth: u32) -> Term {
        if depth > 0 && rng.bool() {
            let [a, b] = [0, 1].map(|_| random_condition(rng, terms, depth - 1));
            return match rng.u8(0..3) {
                0 => terms.bool_and(a, b),
                1 => terms.bool_or(a, b),
                _ => terms.bool_not(a),
            };
        }
        let mut side = |terms: &mut Terms| {
            let constant = terms.constant(3, u128::from(rng.u8(0..8)));
            let [x, y] = [0, 1].map(|_| terms.var(Var(rng.u32(0..3)), 3));
            let times = terms.binary(expr::BvOp::Mul, constant, x);
            let sum = terms.add(times, y);
            match rng.u8(0..4) {
                0 => x,
                1 => sum,
                2 => {
                    let is_less = terms.compare(CmpOp::Ult, x, y);
                    terms.ite(is_less, sum, constant)
                }
                _ => terms.add(x, constant),
            }
        };
        let (a, b) = (side(terms), side(terms));
        terms.eq(a, b)
    }

    #[test]
    fn what_is_refuted_never_holds() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut found = 0;
        for _ in 0..20_000 {
            let mut terms = Terms::default();
            let constraints = [0; 4].map(|_| random_condition(&mut rng, &mut terms, 3));
            let Some(core) = refuted(&terms, &constraints) else {
                continue;
            };
            found += 1;
            for state in 0..512u128 {
                let mut values = expr::Model::default();
                for at in 0..3 {
                    values.set(Var(at), state >> (3 * at) & 7);
                }
                let mut all = core.iter().map(|&at| constraints[at]);
                assert!(!all.all(|it| terms.eval(it, &values) == 1), "{core:?}");
            }
        }
        assert!(found > 100, "{found}");
    }
}
