//! Obligations in which products of two variable numbers may be any numbers: solvers that know them by
//! the gates of multipliers do not see that `(a + b) * c` is `a * c + b * c`.
//!
//! A product of a sum or a choice is replaced by that of its parts, and each other product by a
//! variable. If the conditions that are left cannot hold at once, the obligation is shown: any values
//! that satisfy it give such variables values, too.

use std::collections::HashMap;

use expr::{BvOp, Node, Term, Terms, Var};

/// How many products are made of one at most.
const MOST_PARTS: usize = 256;

/// Conditions without products; `None` if there are none.
pub fn without_products(terms: &mut Terms, conditions: &[Term]) -> Option<Vec<Term>> {
    let mut products = Products::behind(terms, conditions);
    let results: Vec<Term> = conditions.iter().map(|&it| products.result(it)).collect();
    (!products.variables.is_empty()).then_some(results)
}

struct Products<'a> {
    terms: &'a mut Terms,
    /// The number of the next variable.
    next: u32,
    /// The variable for each product.
    variables: HashMap<(Term, Term), Term>,
    /// The results so far.
    results: HashMap<Term, Term>,
}

impl Products<'_> {
    /// No products yet. New variables are behind those of some conditions.
    fn behind<'a>(terms: &'a mut Terms, conditions: &[Term]) -> Products<'a> {
        let last = terms.all_variables(conditions).last().map_or(0, |it| it.0);
        Products {
            terms,
            next: last + 1,
            variables: HashMap::new(),
            results: HashMap::new(),
        }
    }

    fn result(&mut self, of: Term) -> Term {
        let mut open = vec![of];
        while let Some(&term) = open.last() {
            let node = self.terms.node(term);
            let before = open.len();
            open.extend(node.operands().filter(|it| !self.results.contains_key(it)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let replaced = node.map(|it| self.results.get(&it).copied().unwrap_or(it));
            let result = match replaced {
                Node::Binary(BvOp::Mul, a, b) => {
                    let mut left = MOST_PARTS;
                    self.product(a, b, &mut left)
                }
                _ => self.terms.build(replaced),
            };
            self.results.insert(term, result);
        }
        self.results.get(&of).copied().unwrap_or(of)
    }

    /// The product of two terms without products.
    fn product(&mut self, a: Term, b: Term, left: &mut usize) -> Term {
        let is_number = |it: Term| self.terms.as_constant(it).is_some();
        if is_number(a) || is_number(b) {
            return self.terms.binary(BvOp::Mul, a, b);
        }
        *left = left.saturating_sub(1);
        if *left > 0 {
            if let Some(product) = self.of_parts(a, b, left) {
                return product;
            }
            if let Some(product) = self.of_parts(b, a, left) {
                return product;
            }
        }
        let (width, key) = (self.terms.width(a), (a.min(b), a.max(b)));
        if let Some(&known) = self.variables.get(&key) {
            return known;
        }
        let variable = self.terms.var(Var(self.next), width);
        self.next += 1;
        self.variables.insert(key, variable);
        variable
    }

    /// The product of a term with several parts, by the products of these.
    fn of_parts(&mut self, of: Term, by: Term, left: &mut usize) -> Option<Term> {
        match self.terms.node(of) {
            Node::Binary(op @ (BvOp::Add | BvOp::Sub), x, y) => {
                let parts = [self.product(x, by, left), self.product(y, by, left)];
                Some(self.terms.binary(op, parts[0], parts[1]))
            }
            Node::Neg(x) => {
                let part = self.product(x, by, left);
                Some(self.terms.neg(part))
            }
            Node::Ite(condition, x, y) => {
                let parts = [self.product(x, by, left), self.product(y, by, left)];
                Some(self.terms.ite(condition, parts[0], parts[1]))
            }
            Node::Binary(BvOp::Mul, x, y) => {
                let (number, rest) = match self.terms.as_constant(x) {
                    Some(_) => (x, y),
                    None => (y, x),
                };
                self.terms.as_constant(number)?;
                let part = self.product(rest, by, left);
                Some(self.terms.binary(BvOp::Mul, number, part))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use expr::Model;

    use super::*;

    /// With the values of products for the variables in their place, the results have the values of
    /// what they replace: all values of four numbers of two bits.
    #[test]
    fn results_have_the_values_of_what_they_replace() {
        let mut terms = Terms::default();
        let [a, b, c, d] = [0, 1, 2, 3].map(|it| terms.var(Var(it), 2));
        let sum = terms.add(a, b);
        let is_nonzero = terms.is_nonzero(d);
        let choice = terms.ite(is_nonzero, sum, c);
        let difference = terms.sub(c, d);
        let negated = terms.neg(difference);
        let three = terms.constant(2, 3);
        let multiple = terms.binary(BvOp::Mul, three, negated);
        let left = terms.binary(BvOp::Mul, choice, multiple);
        let right = terms.binary(BvOp::Mul, difference, choice);
        let product = terms.binary(BvOp::Mul, left, sum);
        let of = terms.add(product, right);
        let mut products = Products::behind(&mut terms, &[of]);
        let result = products.result(of);
        let variables = std::mem::take(&mut products.variables);
        let mut in_order: Vec<(Term, (Term, Term))> =
            variables.into_iter().map(|(of, it)| (it, of)).collect();
        in_order.sort_unstable();
        assert!(in_order.len() > 4);
        for values in 0..256u128 {
            let mut model = Model::default();
            for var in 0..4 {
                model.set(Var(var), values >> (2 * var) & 3);
            }
            for &(variable, (x, y)) in &in_order {
                let value = terms.eval(x, &model) * terms.eval(y, &model);
                let var = terms.variables(variable).only().expect("a variable");
                model.set(var, value & 3);
            }
            assert_eq!(terms.eval(result, &model), terms.eval(of, &model));
        }
    }

    #[test]
    fn products_distribute() {
        let mut terms = Terms::default();
        let [a, b, c] = [0, 1, 2].map(|it| terms.var(Var(it), 32));
        let sum = terms.add(a, b);
        let whole = terms.binary(BvOp::Mul, sum, c);
        let parts = [a, b].map(|it| terms.binary(BvOp::Mul, c, it));
        let parts = terms.add(parts[0], parts[1]);
        let equal = terms.eq(whole, parts);
        let found = without_products(&mut terms, &[equal]).expect("there are products");
        assert_eq!(terms.as_bool(found[0]), Some(true));
    }
}
