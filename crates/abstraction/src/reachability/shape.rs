//! What predicates have in common that differ in constants: `i == 3` and `i + 1 == 7` are of one
//! shape. Refinements that go on with predicates of the same shapes unroll a loop.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use expr::{BvOp, Node, Term, Terms};
use rustc_hash::FxHasher;

use crate::graph::cuts::CutId;

/// The shapes of some predicates, each at its cut.
pub(crate) fn shapes(terms: &Terms, predicates: &[(CutId, Term)]) -> BTreeSet<(CutId, u64)> {
    let of = |&(cut, term): &(CutId, Term)| (cut, shape(terms, term));
    predicates.iter().map(of).collect()
}

/// The shape of a predicate: equal for equal shapes, and nearly always different for others.
fn shape(terms: &Terms, predicate: Term) -> u64 {
    let mut hasher = FxHasher::default();
    let mut waiting = vec![predicate];
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            Node::Const { width, .. } => width.hash(&mut hasher),
            Node::Binary(BvOp::Add, a, b) if terms.as_constant(b).is_some() => waiting.push(a),
            Node::Binary(BvOp::Add, a, b) if terms.as_constant(a).is_some() => waiting.push(b),
            node => {
                std::mem::discriminant(&node).hash(&mut hasher);
                match node {
                    Node::Var { var, .. } => var.hash(&mut hasher),
                    Node::Compare(op, ..) => op.hash(&mut hasher),
                    Node::Binary(op, ..) => op.hash(&mut hasher),
                    _ => {}
                }
                waiting.extend(node.operands());
            }
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use expr::{BvOp, CmpOp, Terms, Var};

    use super::shape;

    #[test]
    fn constants_do_not_tell_shapes_apart() {
        let mut terms = Terms::default();
        let [i, j] = [0, 1].map(|number| terms.var(Var(number), 32));
        let [three, seven] = [3, 7].map(|value| terms.constant(32, value));
        let later = terms.binary(BvOp::Add, i, three);
        let equal = terms.eq(i, three);
        let equal_later = terms.eq(later, seven);
        let of_other = terms.eq(j, three);
        let less = terms.compare(CmpOp::Ult, i, three);
        let of = |term| shape(&terms, term);
        assert_eq!(of(equal), of(equal_later));
        assert_ne!(of(equal), of(of_other));
        assert_ne!(of(equal), of(less));
    }
}
