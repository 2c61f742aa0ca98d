//! Obligations as SMT-LIB 2 text, for any solver of the logic QF_BV.

use std::fmt::Write as _;

use expr::{Node, Term, Terms, Var};
use rustc_hash::FxHashSet;

/// A script that asks whether all of some conditions can hold at once. Each operation has a name, so
/// that the text grows with the number of terms only.
pub fn script(terms: &Terms, conditions: &[Term]) -> String {
    let mut text = "(set-logic QF_BV)\n".to_owned();
    let mut definitions = Definitions::default();
    for &condition in conditions {
        definitions.define(terms, condition, &mut text);
    }
    for &condition in conditions {
        assert(terms, condition, &mut text);
    }
    text.push_str("(check-sat)\n");
    text
}

/// Writes that a condition holds, which is defined.
pub fn assert(terms: &Terms, condition: Term, text: &mut String) {
    let name = name(terms, condition);
    let _ = writeln!(text, "(assert {name})");
}

/// The terms that a solver knows by their names.
#[derive(Default)]
pub struct Definitions {
    done: FxHashSet<Term>,
}

impl Definitions {
    /// Writes the definition of a term, behind those of its operands, as far as they are not known.
    pub fn define(&mut self, terms: &Terms, term: Term, text: &mut String) {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let open = terms.node(top).operands();
            let open: Vec<Term> = open.filter(|it| !self.done.contains(it)).collect();
            if open.is_empty() {
                stack.pop();
                if self.done.insert(top) {
                    write(terms, top, text);
                }
            }
            stack.extend(open);
        }
    }
}

fn write(terms: &Terms, term: Term, text: &mut String) {
    let own = name(terms, term);
    let sort = match terms.width(term) {
        0 => "Bool".to_owned(),
        width => format!("(_ BitVec {width})"),
    };
    let node = terms.node(term);
    let _ = match node {
        Node::Bool(_) | Node::Const { .. } => Ok(()),
        Node::Var { .. } => writeln!(text, "(declare-fun {own} () {sort})"),
        _ => {
            let operands: Vec<String> = node.operands().map(|it| name(terms, it)).collect();
            let (operator, operands) = (operator(terms, node), operands.join(" "));
            writeln!(text, "(define-fun {own} () {sort} ({operator} {operands}))")
        }
    };
}

fn operator(terms: &Terms, node: Node) -> String {
    let by = |width: u32, of: Term| width - terms.width(of);
    match node {
        Node::Bool(_) | Node::Const { .. } | Node::Var { .. } => String::new(),
        Node::Not(_) => "bvnot".to_owned(),
        Node::Neg(_) => "bvneg".to_owned(),
        Node::Binary(op, ..) => op.smt_name().to_owned(),
        Node::Compare(op, ..) => op.smt_name().to_owned(),
        Node::Extract { high, low, .. } => format!("(_ extract {high} {low})"),
        Node::Concat(..) => "concat".to_owned(),
        Node::ZeroExtend { width, of } => format!("(_ zero_extend {})", by(width, of)),
        Node::SignExtend { width, of } => format!("(_ sign_extend {})", by(width, of)),
        Node::BoolNot(_) => "not".to_owned(),
        Node::BoolAnd(..) => "and".to_owned(),
        Node::BoolOr(..) => "or".to_owned(),
        Node::Ite(..) => "ite".to_owned(),
    }
}

fn name(terms: &Terms, term: Term) -> String {
    match terms.node(term) {
        Node::Bool(value) => value.to_string(),
        Node::Const { width, value } => format!("(_ bv{value} {width})"),
        Node::Var { var, .. } => variable(var),
        _ => format!("e{}", term.number()),
    }
}

/// The name of a variable.
pub fn variable(var: Var) -> String {
    format!("x{}", var.0)
}
