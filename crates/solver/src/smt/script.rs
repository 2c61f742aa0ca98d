//! Queries as SMT-LIB 2 text.

use std::fmt::Write;

use expr::{Node, Term, Terms, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A script that asks whether the constraints can hold at once. Each shared term is defined once
/// (`tN`), so that the length of the text is linear in the number of terms. The variables are `vN`;
/// their values are asked for after `check-sat`, which fails harmlessly if there are none.
pub fn script(terms: &Terms, constraints: &[Term]) -> String {
    let mut script = Script {
        terms,
        text: String::new(),
        done: FxHashSet::default(),
    };
    script
        .text
        .push_str("(set-option :produce-models true)\n(set-logic QF_BV)\n");
    let mut variables = FxHashMap::default();
    for &constraint in constraints {
        script.define(constraint, &mut variables);
    }
    for &constraint in constraints {
        let name = script.name(constraint);
        let _ = writeln!(script.text, "(assert {name})");
    }
    script.text.push_str("(check-sat)\n");
    if !variables.is_empty() {
        let mut names: Vec<Var> = variables.into_keys().collect();
        names.sort_unstable();
        let names: Vec<String> = names.iter().map(|var| format!("v{}", var.0)).collect();
        let _ = writeln!(script.text, "(get-value ({}))", names.join(" "));
    }
    script.text
}

struct Script<'a> {
    terms: &'a Terms,
    text: String,
    done: FxHashSet<Term>,
}

impl Script<'_> {
    /// Writes definitions of all terms inside, operands first, without recursion.
    fn define(&mut self, term: Term, variables: &mut FxHashMap<Var, u32>) {
        let mut waiting = vec![term];
        while let Some(&top) = waiting.last() {
            if self.done.contains(&top) {
                waiting.pop();
                continue;
            }
            let before = waiting.len();
            let node = self.terms.node(top);
            waiting.extend(
                node.operands()
                    .filter(|operand| !self.done.contains(operand)),
            );
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            self.done.insert(top);
            match node {
                Node::Bool(_) | Node::Const { .. } => {}
                Node::Var { var, width } => {
                    if variables.insert(var, width).is_none() {
                        let name = self.name(top);
                        let _ = writeln!(self.text, "(declare-const {name} (_ BitVec {width}))");
                    }
                }
                _ => self.define_operator(top, node),
            }
        }
    }

    fn define_operator(&mut self, term: Term, node: Node) {
        let sort = match self.terms.width(term) {
            0 => "Bool".to_owned(),
            width => format!("(_ BitVec {width})"),
        };
        let (name, operator) = (self.name(term), self.operator(node));
        let operands: Vec<String> = node.operands().map(|t| self.name(t)).collect();
        let operands = operands.join(" ");
        let _ = writeln!(
            self.text,
            "(define-fun {name} () {sort} ({operator} {operands}))"
        );
    }

    fn operator(&self, node: Node) -> String {
        let added = |width: u32, of: Term| width - self.terms.width(of);
        match node {
            Node::Bool(_) | Node::Const { .. } | Node::Var { .. } => String::new(),
            Node::Not(_) => "bvnot".to_owned(),
            Node::Neg(_) => "bvneg".to_owned(),
            Node::Binary(op, ..) => op.smt_name().to_owned(),
            Node::Compare(op, ..) => op.smt_name().to_owned(),
            Node::Extract { high, low, .. } => format!("(_ extract {high} {low})"),
            Node::Concat(..) => "concat".to_owned(),
            Node::ZeroExtend { width, of } => format!("(_ zero_extend {})", added(width, of)),
            Node::SignExtend { width, of } => format!("(_ sign_extend {})", added(width, of)),
            Node::BoolNot(_) => "not".to_owned(),
            Node::BoolAnd(..) => "and".to_owned(),
            Node::BoolOr(..) => "or".to_owned(),
            Node::Ite(..) => "ite".to_owned(),
        }
    }

    fn name(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Const { width, value } => {
                format!("#b{value:0digits$b}", digits = width as usize)
            }
            Node::Var { var, .. } => format!("v{}", var.0),
            _ => format!("t{}", term.number()),
        }
    }
}
