//! From a flip to an input: what the tree demands, asked of the solver.

use std::collections::BTreeMap;
use std::sync::Arc;

use expr::{Model, Term, Terms, Var};
use ir::input::{CallMode, InputValue, InputVector};
use ir::{CellId, ObjectId};
use rustc_hash::FxHashSet;
use solver::{Answer, Query, Solver};

use crate::path_tree::{Demands, Flip, NodeId, PathTree};

/// What can be said about a flip.
#[derive(Clone, Debug)]
pub enum Flipped {
    /// This input takes it.
    Input(InputVector),
    /// No input takes it: what the ways out of these nodes demand, or some of them, stands in its way.
    Infeasible(Vec<NodeId>),
    /// The solver gave no answer, for this reason.
    Unknown(String),
}

/// Looks for an input that takes the flip: it satisfies what the ways to the flip's node demand and
/// the flip's own demand, and agrees with the input that came there in all that these leave open,
/// so that consecutive inputs stay similar (CUTE, section 3.5).
pub fn solve(tree: &PathTree, flip: Flip, terms: &mut Terms, solver: &mut dyn Solver) -> Flipped {
    solve_with(tree, flip, &[], terms, solver)
}

/// As [`solve`], with further terms that the input must satisfy. The way may be one that was taken.
pub fn solve_with(
    tree: &PathTree,
    flip: Flip,
    further: &[Term],
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    solve_from(tree, (flip, tree.source(flip)), further, terms, solver)
}

/// As [`solve_with`], and the input agrees with that of another execution that came to the flip's node.
pub fn solve_from(
    tree: &PathTree,
    (flip, source): (Flip, &Arc<InputVector>),
    further: &[Term],
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    let mut flipped = values(tree, (flip, source), further, terms, solver);
    if let Flipped::Input(input) = &mut flipped {
        input.calls = demanded_modes(tree, flip);
    }
    flipped
}

/// What the ways to the flip, and its own, say of calls that may be replaced; later ones are open
/// again.
pub fn demanded_modes(tree: &PathTree, flip: Flip) -> BTreeMap<ObjectId, CallMode> {
    let has_calls = !tree.source(flip).calls.is_empty();
    let prefix = match has_calls {
        true => tree.prefix(flip),
        false => Vec::new(),
    };
    let modes = prefix
        .iter()
        .filter_map(|&step| match tree.way(step).demands {
            Demands::Call(call, mode) => Some((call, mode)),
            _ => None,
        });
    modes.collect()
}

/// As [`solve`], apart from what becomes of calls.
fn values(
    tree: &PathTree,
    (flip, source): (Flip, &Arc<InputVector>),
    further: &[Term],
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    match &tree.way(flip).demands {
        Demands::Pointer(choice) => {
            let mut input = next_input(source);
            input.values.insert(choice.0, choice.1);
            Flipped::Input(input)
        }
        Demands::Call(..) if further.is_empty() => Flipped::Input(next_input(source)),
        Demands::Terms(_) | Demands::Exact(..) | Demands::Call(..) => {
            let (mut constraints, held) = demanded_terms(tree, flip, terms);
            let own = constraints.len();
            constraints.extend(further);
            let current = model(source);
            let query = Query {
                constraints: &constraints,
                current: &current,
                held,
            };
            match solver.check(terms, &query) {
                Answer::Sat(model) => {
                    let mut input = with_model(source, &current, &model);
                    if let Demands::Exact(object, _) = tree.way(flip).demands {
                        input.exact.insert(object);
                    }
                    Flipped::Input(input)
                }
                Answer::Unsat(core) => {
                    let core = core.into_iter().filter(|&at| at < own);
                    let terms: FxHashSet<Term> = core.map(|at| constraints[at]).collect();
                    Flipped::Infeasible(blamed(tree, flip, &terms))
                }
                Answer::Unknown(reason) => Flipped::Unknown(reason.to_string()),
            }
        }
    }
}

/// The nodes before a flip whose ways demand some of these terms.
fn blamed(tree: &PathTree, flip: Flip, terms: &FxHashSet<Term>) -> Vec<NodeId> {
    let steps = tree.prefix(flip).into_iter();
    let before = steps.filter(|step| step.node != flip.node);
    let to_blame = before.filter(|&step| match &tree.way(step).demands {
        Demands::Terms(own) => own.iter().any(|term| terms.contains(term)),
        Demands::Exact(_, own) => terms.contains(own),
        Demands::Pointer(_) | Demands::Call(..) => false,
    });
    to_blame.map(|step| step.node).collect()
}

/// The terms that an input must satisfy to take the flip, the flip's own last, and how many come
/// before these: the source's execution has satisfied those. Pointer choices on the way are not
/// terms: an input that came to the flip's node has made them.
pub fn demanded_terms(tree: &PathTree, flip: Flip, terms: &Terms) -> (Vec<Term>, usize) {
    let (mut demanded, mut before) = (Vec::new(), 0);
    for step in tree.prefix(flip) {
        before = demanded.len();
        let own = match &tree.way(step).demands {
            Demands::Terms(own) => own.as_slice(),
            Demands::Exact(_, own) => std::slice::from_ref(own),
            Demands::Pointer(_) | Demands::Call(..) => &[],
        };
        let not_trivial = |term: &&Term| terms.as_bool(**term) != Some(true);
        demanded.extend(own.iter().filter(not_trivial));
    }
    (demanded, before)
}

/// The scalar cells of an input as a model; a cell's number is its variable's.
pub fn model(input: &InputVector) -> Model {
    let bits = input.values.iter().filter_map(|(cell, value)| match value {
        InputValue::Bits(bits) => Some((Var(cell.raw()), *bits)),
        _ => None,
    });
    bits.collect()
}

/// The input again, without the extents that its execution found: the next execution may go
/// elsewhere and need others.
fn next_input(source: &Arc<InputVector>) -> InputVector {
    InputVector {
        values: source.values.clone(),
        ..InputVector::default()
    }
}

/// An input with the values of a model where they differ from the current one.
pub fn with_model(source: &Arc<InputVector>, current: &Model, model: &Model) -> InputVector {
    let mut input = next_input(source);
    for (var, value) in model.iter() {
        if current.get(var) != Some(value) {
            input
                .values
                .insert(CellId::from_raw(var.0), InputValue::Bits(value));
        }
    }
    input
}
