//! Obligations as SMT-LIB 2 text, for any solver of the logic QF_BV.

use std::fmt::Write as _;

use expr::{Node, Term, Terms};
use rustc_hash::FxHashSet;

/// A script that asks whether all of some conditions can hold at once. Each operation has a name, so
/// that the text grows with the number of terms only.
pub fn script(terms: &Terms, conditions: &[Term]) -> String {
    let mut writer = Writer {
        terms,
        text: "(set-logic QF_BV)\n".to_owned(),
        done: FxHashSet::default(),
    };
    for &condition in conditions {
        writer.define(condition);
    }
    for &condition in conditions {
        let name = writer.name(condition);
        let _ = writeln!(writer.text, "(assert {name})");
    }
    writer.text.push_str("(check-sat)\n");
    writer.text
}

struct Writer<'a> {
    terms: &'a Terms,
    text: String,
    done: FxHashSet<Term>,
}

impl Writer<'_> {
    /// Writes the definition of a term, behind those of its operands.
    fn define(&mut self, term: Term) {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let open = self.terms.node(top).operands();
            let open: Vec<Term> = open.filter(|it| !self.done.contains(it)).collect();
            if open.is_empty() {
                stack.pop();
                if self.done.insert(top) {
                    self.write(top);
                }
            }
            stack.extend(open);
        }
    }

    fn write(&mut self, term: Term) {
        let name = self.name(term);
        let sort = match self.terms.width(term) {
            0 => "Bool".to_owned(),
            width => format!("(_ BitVec {width})"),
        };
        let node = self.terms.node(term);
        let _ = match node {
            Node::Bool(_) | Node::Const { .. } => Ok(()),
            Node::Var { .. } => writeln!(self.text, "(declare-fun {name} () {sort})"),
            _ => {
                let operands: Vec<String> = node.operands().map(|it| self.name(it)).collect();
                let (operator, operands) = (self.operator(node), operands.join(" "));
                writeln!(
                    self.text,
                    "(define-fun {name} () {sort} ({operator} {operands}))"
                )
            }
        };
    }

    fn operator(&self, node: Node) -> String {
        let by = |width: u32, of: Term| width - self.terms.width(of);
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

    fn name(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Const { width, value } => format!("(_ bv{value} {width})"),
            Node::Var { var, .. } => format!("x{}", var.0),
            _ => format!("e{}", term.number()),
        }
    }
}
