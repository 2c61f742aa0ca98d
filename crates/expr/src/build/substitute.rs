//! Terms in place of variables.

use rustc_hash::FxHashMap;

use crate::{Node, Term, Terms, Var};

/// Terms to put in place of variables, all at once: variables inside these stay.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    replacements: FxHashMap<Var, Term>,
    done: FxHashMap<Term, Term>,
    waiting: Vec<Term>,
}

impl Substitution {
    /// Puts a term, of the same width, in place of a variable.
    pub fn insert(&mut self, var: Var, term: Term) {
        self.replacements.insert(var, term);
        self.done.clear();
    }

    /// The term in place of a variable.
    pub fn get(&self, var: Var) -> Option<Term> {
        self.replacements.get(&var).copied()
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    /// The term after the replacements, simplified. `None` when more than `limit` operators had to
    /// be built again since the last replacement was added.
    pub fn apply(&mut self, terms: &mut Terms, term: Term, limit: usize) -> Option<Term> {
        self.waiting.clear();
        self.waiting.push(term);
        while let Some(&top) = self.waiting.last() {
            if self.result(terms, top).is_some() {
                self.waiting.pop();
                continue;
            }
            if self.done.len() >= limit {
                return None;
            }
            let before = self.waiting.len();
            for operand in terms.node(top).operands() {
                if self.result(terms, operand).is_none() {
                    self.waiting.push(operand);
                }
            }
            if self.waiting.len() == before {
                let node = terms.node(top);
                let replaced = node.map(|operand| self.result(terms, operand).unwrap_or(operand));
                let built = terms.build(replaced);
                self.done.insert(top, built);
            }
        }
        self.result(terms, term)
    }

    /// The known result for a term.
    fn result(&self, terms: &Terms, term: Term) -> Option<Term> {
        if let Node::Var { var, .. } = terms.node(term) {
            return Some(self.get(var).unwrap_or(term));
        }
        let variables = terms.variables(term);
        if !variables
            .iter()
            .any(|var| self.replacements.contains_key(&var))
        {
            return Some(term);
        }
        self.done.get(&term).copied()
    }
}

impl Terms {
    /// The node's term by the constructors, which simplify.
    pub fn build(&mut self, node: Node) -> Term {
        match node {
            Node::Bool(value) => self.bool(value),
            Node::Const { width, value } => self.constant(width, value),
            Node::Var { var, width } => self.var(var, width),
            Node::Not(a) => self.not(a),
            Node::Neg(a) => self.neg(a),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Compare(op, a, b) => self.compare(op, a, b),
            Node::Extract { high, low, of } => self.extract(high, low, of),
            Node::Concat(a, b) => self.concat(a, b),
            Node::ZeroExtend { width, of } => self.zero_extend(width, of),
            Node::SignExtend { width, of } => self.sign_extend(width, of),
            Node::BoolNot(a) => self.bool_not(a),
            Node::BoolAnd(a, b) => self.bool_and(a, b),
            Node::BoolOr(a, b) => self.bool_or(a, b),
            Node::Ite(c, a, b) => self.ite(c, a, b),
        }
    }
}

impl Node {
    /// The same operator on other operands.
    #[must_use]
    pub fn map(self, mut operand: impl FnMut(Term) -> Term) -> Node {
        match self {
            Node::Bool(_) | Node::Const { .. } | Node::Var { .. } => self,
            Node::Not(a) => Node::Not(operand(a)),
            Node::Neg(a) => Node::Neg(operand(a)),
            Node::Binary(op, a, b) => Node::Binary(op, operand(a), operand(b)),
            Node::Compare(op, a, b) => Node::Compare(op, operand(a), operand(b)),
            Node::Extract { high, low, of } => Node::Extract {
                high,
                low,
                of: operand(of),
            },
            Node::Concat(a, b) => Node::Concat(operand(a), operand(b)),
            Node::ZeroExtend { width, of } => Node::ZeroExtend {
                width,
                of: operand(of),
            },
            Node::SignExtend { width, of } => Node::SignExtend {
                width,
                of: operand(of),
            },
            Node::BoolNot(a) => Node::BoolNot(operand(a)),
            Node::BoolAnd(a, b) => Node::BoolAnd(operand(a), operand(b)),
            Node::BoolOr(a, b) => Node::BoolOr(operand(a), operand(b)),
            Node::Ite(c, a, b) => Node::Ite(operand(c), operand(a), operand(b)),
        }
    }
}
