//! The nodes of terms: how many there are, and which variables are among them.

use std::collections::BTreeMap;

use expr::{Node, Term, Terms, Var};
use rustc_hash::FxHashSet;

/// All operators, constants and variables in some terms, each once.
pub fn nodes(terms: &Terms, of: Vec<Term>) -> Vec<Node> {
    let found = nodes_with_terms(terms, of).into_iter();
    found.map(|(_, node)| node).collect()
}

/// The same, each with its term.
pub fn nodes_with_terms(terms: &Terms, mut waiting: Vec<Term>) -> Vec<(Term, Node)> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(term) = waiting.pop() {
        if seen.insert(term) {
            let node = terms.node(term);
            waiting.extend(node.operands());
            found.push((term, node));
        }
    }
    found
}

/// How many operators, constants and variables there are in some terms.
pub fn size(terms: &Terms, of: Vec<Term>) -> u64 {
    nodes(terms, of).len() as u64
}

/// The variables in some terms, with their widths.
pub fn variables_of(terms: &Terms, of: Vec<Term>) -> Vec<(Var, u32)> {
    let found = nodes(terms, of).into_iter().filter_map(|node| match node {
        Node::Var { var, width } => Some((var, width)),
        _ => None,
    });
    let found: BTreeMap<Var, u32> = found.collect();
    found.into_iter().collect()
}

/// The variable that a term is.
pub fn variable(terms: &Terms, term: Term) -> Option<Var> {
    match terms.node(term) {
        Node::Var { var, .. } => Some(var),
        _ => None,
    }
}
