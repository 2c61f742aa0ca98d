//! From a flip to an input: asks the solver for the demands in the tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use expr::{Model, Term, Terms, Var};
use ir::input::{CallMode, InputValue, InputVector};
use ir::{CellId, ObjectId};
use rustc_hash::FxHashSet;
use solver::{Answer, Query, Solver};

use crate::path_tree::{Demands, Flip, NodeId, PathTree};

/// The result of solving a flip.
#[derive(Clone, Debug)]
pub enum Flipped {
    /// This input takes it.
    Input(InputVector),
    /// No input takes it: the demands of the branches out of these nodes, or of some of them,
    /// contradict it.
    Infeasible(Vec<NodeId>),
    /// The solver gave no answer, for this reason.
    Unknown(String),
}

/// Looks for an input that takes the flip: it satisfies the demands of the branches to the flip's
/// node and the flip's own, and otherwise agrees with the input that reached the node, so that
/// consecutive inputs stay similar (CUTE, section 3.5).
pub fn solve(tree: &PathTree, flip: Flip, terms: &mut Terms, solver: &mut dyn Solver) -> Flipped {
    solve_with(tree, flip, &[], terms, solver)
}

/// As [`solve`], with further terms that the input must satisfy. The branch may be one that was
/// taken.
pub fn solve_with(
    tree: &PathTree,
    flip: Flip,
    further: &[Term],
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    solve_from(tree, (flip, tree.source(flip)), further, terms, solver)
}

/// As [`solve_with`], and the input agrees with that of another execution that reached the flip's
/// node.
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

/// Looks for an input that satisfies a further term, and takes the path that an input took whose terms
/// these are.
pub fn solve_on_path(
    (path, source): (&[Term], &Arc<InputVector>),
    further: Term,
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    let not_trivial = |term: &&Term| terms.as_bool(**term) != Some(true);
    let mut constraints: Vec<Term> = path.iter().filter(not_trivial).copied().collect();
    let held = constraints.len();
    constraints.push(further);
    let mut flipped = ask((&constraints, held), source, |_| Vec::new(), terms, solver);
    if let Flipped::Input(input) = &mut flipped {
        input.calls = source.calls.clone();
        input.exact = source.exact.clone();
    }
    flipped
}

/// The modes of calls that the branches to the flip, and its own branch, demand; later calls are
/// open again.
pub fn demanded_modes(tree: &PathTree, flip: Flip) -> BTreeMap<ObjectId, CallMode> {
    let has_calls = !tree.source(flip).calls.is_empty();
    let prefix = match has_calls {
        true => tree.prefix(flip),
        false => Vec::new(),
    };
    let modes = prefix
        .iter()
        .filter_map(|&step| match tree.branch(step).demands {
            Demands::Call(call, mode) => Some((call, mode)),
            _ => None,
        });
    modes.collect()
}

/// As [`solve`], without the modes of calls.
fn values(
    tree: &PathTree,
    (flip, source): (Flip, &Arc<InputVector>),
    further: &[Term],
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    match &tree.branch(flip).demands {
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
            let to_blame = |core: Vec<usize>| {
                let core = core.into_iter().filter(|&at| at < own);
                let terms: FxHashSet<Term> = core.map(|at| constraints[at]).collect();
                blamed(tree, flip, &terms)
            };
            let mut flipped = ask((&constraints, held), source, to_blame, terms, solver);
            if let (Flipped::Input(input), Demands::Exact(object, _)) =
                (&mut flipped, &tree.branch(flip).demands)
            {
                input.exact.insert(*object);
            }
            flipped
        }
    }
}

/// Asks for an input that satisfies constraints, the first of which the source satisfies, and otherwise
/// agrees with the source.
fn ask(
    (constraints, held): (&[Term], usize),
    source: &Arc<InputVector>,
    to_blame: impl Fn(Vec<usize>) -> Vec<NodeId>,
    terms: &mut Terms,
    solver: &mut dyn Solver,
) -> Flipped {
    let current = model(source);
    let query = Query {
        constraints,
        current: &current,
        held,
    };
    match solver.check(terms, &query) {
        Answer::Sat(model) => Flipped::Input(with_model(source, &current, &model)),
        Answer::Unsat(core) => Flipped::Infeasible(to_blame(core)),
        Answer::Unknown(reason) => Flipped::Unknown(reason.to_string()),
    }
}

/// The nodes before a flip whose branches demand some of these terms.
fn blamed(tree: &PathTree, flip: Flip, terms: &FxHashSet<Term>) -> Vec<NodeId> {
    let steps = tree.prefix(flip).into_iter();
    let before = steps.filter(|step| step.node != flip.node);
    let to_blame = before.filter(|&step| match &tree.branch(step).demands {
        Demands::Terms(own) => own.iter().any(|term| terms.contains(term)),
        Demands::Exact(_, own) => terms.contains(own),
        Demands::Pointer(_) | Demands::Call(..) => false,
    });
    to_blame.map(|step| step.node).collect()
}

/// The terms that an input must satisfy to take the flip, the flip's own last, and how many come
/// before these: the source's execution has satisfied those. Pointer choices before the flip are
/// not terms: an input that reached the flip's node has made them.
pub fn demanded_terms(tree: &PathTree, flip: Flip, terms: &Terms) -> (Vec<Term>, usize) {
    let (mut demanded, mut before) = (Vec::new(), 0);
    for step in tree.prefix(flip) {
        before = demanded.len();
        let own = match &tree.branch(step).demands {
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

#[cfg(test)]
mod tests {
    use expr::{Term, Terms, Var};
    use ir::input::{InputValue, InputVector};
    use ir::{Block, CellId, FunctionId};
    use solver::{ChainOptions, chain};
    use std::sync::Arc;
    use vm::{Alternative, Constraint, ConstraintKind, Context, Demand, Site};

    use super::{Flipped, solve, solve_with};
    use crate::path_tree::{Flip, PathTree};

    fn cell() -> CellId {
        CellId::from_raw(0)
    }

    /// A branch at some depth on whether a term holds, which does.
    fn holds(depth: u32, term: Term, terms: &mut Terms) -> Constraint {
        Constraint {
            kind: ConstraintKind::Branch,
            site: Site {
                function: FunctionId::from_raw(0),
                block: Block::from_raw(depth),
                statement: 0,
            },
            context: Context::from_raw(0),
            repeats: 0,
            events: 0,
            term,
            taken: 1,
            alternatives: vec![Alternative {
                number: 0,
                demand: Demand::Term(terms.bool_not(term)),
            }],
        }
    }

    /// The tree of one path of an input of 8 bits that is 7: it is below 10, and below 20.
    fn tree(terms: &mut Terms) -> (PathTree, Vec<Flip>, Term) {
        let input = terms.var(Var(cell().raw()), 8);
        let below = |limit: u128, terms: &mut Terms| {
            let limit = terms.constant(8, limit);
            terms.ult(input, limit)
        };
        let conditions = [below(10, terms), below(20, terms)];
        let path = [
            holds(0, conditions[0], terms),
            holds(1, conditions[1], terms),
        ];
        let mut source = InputVector::default();
        source.values.insert(cell(), InputValue::Bits(7));
        let mut tree = PathTree::default();
        let pending = tree.insert(&path, &Arc::new(source), None).pending;
        (tree, pending, conditions[1])
    }

    #[test]
    fn an_input_for_a_flip_satisfies_what_leads_there_and_its_own_demand() {
        let mut terms = Terms::default();
        let (tree, pending, below_20) = tree(&mut terms);
        let mut solver = chain(&ChainOptions::default());
        let Flipped::Input(input) = solve(&tree, pending[0], &mut terms, &mut solver) else {
            panic!("7 is not all that there is");
        };
        let Some(&InputValue::Bits(value)) = input.values.get(&cell()) else {
            panic!("the input is a number");
        };
        assert!(value >= 10);
        let above_20 = terms.bool_not(below_20);
        let further = [above_20];
        let flipped = solve_with(&tree, pending[0], &further, &mut terms, &mut solver);
        assert!(
            matches!(flipped, Flipped::Input(input) if matches!(input.values.get(&cell()),
                Some(&InputValue::Bits(value)) if value >= 20))
        );
    }

    #[test]
    fn an_infeasible_flip_blames_the_nodes_that_stand_in_its_way() {
        let mut terms = Terms::default();
        let (tree, pending, _) = tree(&mut terms);
        let mut solver = chain(&ChainOptions::default());
        let Flipped::Infeasible(blamed) = solve(&tree, pending[1], &mut terms, &mut solver) else {
            panic!("what is below 10 is below 20");
        };
        assert_eq!(blamed, [pending[0].node]);
    }
}
