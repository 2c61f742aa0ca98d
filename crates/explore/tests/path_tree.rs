//! The path tree against a model: a set of the branches that are pending, each by the numbers of
//! the branches that lead there.

use std::collections::BTreeSet;
use std::sync::Arc;

use explore::path_tree::{BranchState, Flip, PathTree, Pending};
use expr::{Terms, Var};
use ir::input::InputVector;
use ir::{Block, DefectKind, FunctionId};
use proptest::prelude::*;
use vm::{Alternative, Constraint, ConstraintKind, Context, Demand, Site};

/// The numbers of the branches from the root.
type Path = Vec<u32>;

/// The deepest decision.
const DEPTH: usize = 6;

/// What a program decides after some branches: two or three branches, or a check, which a
/// violation ends. Any function of the path will do.
fn decision(path: &[u32]) -> (ConstraintKind, u32) {
    let number = path.iter().fold(7, |sum, branch| sum * 5 + branch);
    match number % 4 {
        0 => (ConstraintKind::Check(DefectKind::DivisionByZero), 2),
        1 => (ConstraintKind::Branch, 3),
        _ => (ConstraintKind::Branch, 2),
    }
}

fn is_violation(path: &[u32]) -> bool {
    let Some((&branch, before)) = path.split_last() else {
        return false;
    };
    matches!(decision(before).0, ConstraintKind::Check(_)) && branch == 0
}

/// The path that takes these branches and then follows the choices.
fn complete(mut path: Path, choices: &[u32]) -> Path {
    let mut choices = choices.iter().cycle();
    while path.len() < DEPTH && !is_violation(&path) {
        let (_, branches) = decision(&path);
        let choice = choices.next().copied().unwrap_or_default();
        path.push(choice % branches);
    }
    path
}

/// A path as the machine reports it.
fn constraints(path: &[u32], terms: &mut Terms) -> Vec<Constraint> {
    let number = |path: &[u32]| path.iter().fold(1, |sum, branch| sum * 4 + branch);
    let at = |depth: usize| {
        let before = &path[..depth];
        let (kind, branches) = decision(before);
        let var = terms.var(Var(number(before)), 8);
        let mut term = |branch: u32| {
            let value = terms.constant(8, u128::from(branch));
            terms.eq(var, value)
        };
        let taken = path[depth];
        let others = (0..branches).filter(|&branch| branch != taken);
        Constraint {
            kind,
            site: Site {
                function: FunctionId::from_raw(0),
                block: Block::from_raw(depth as u32),
                statement: 0,
            },
            context: Context::from_raw(0),
            repeats: 0,
            events: 0,
            term: term(taken),
            taken,
            alternatives: others
                .map(|branch| Alternative {
                    number: branch,
                    demand: Demand::Term(term(branch)),
                })
                .collect(),
        }
    };
    (0..path.len()).map(at).collect()
}

/// The branches that are pending.
#[derive(Default)]
struct Model(BTreeSet<Path>);

impl Model {
    /// Adds a path of which nothing was known after so many branches.
    fn insert(&mut self, path: &[u32], known: usize) {
        self.0.remove(&path[..known]);
        for depth in known..path.len() {
            let before = &path[..depth];
            let others = (0..decision(before).1).filter(|&branch| branch != path[depth]);
            self.0
                .extend(others.map(|branch| [before, &[branch]].concat()));
        }
    }

    /// How many nodes the tree has: those with something pending there or behind.
    fn nodes(&self) -> usize {
        let before = self
            .0
            .iter()
            .flat_map(|branch| (0..branch.len()).map(|end| &branch[..end]));
        before.collect::<BTreeSet<_>>().len()
    }
}

/// The numbers of the branches to a flip.
fn path_of(flip: Flip, tree: &PathTree) -> Path {
    let steps = tree.prefix(flip).into_iter();
    steps.map(|step| tree.branch(step).number).collect()
}

/// Holds the tree to the model, and the counts of each node to what is below it.
fn check(tree: &PathTree, model: &Model) -> Result<(), TestCaseError> {
    let pending: BTreeSet<Path> = tree.pending().map(|flip| path_of(flip, tree)).collect();
    prop_assert_eq!(&pending, &model.0);
    prop_assert_eq!(tree.len(), model.nodes());
    prop_assert_eq!(tree.is_empty(), model.0.is_empty());
    let mut open: Vec<_> = tree.root().into_iter().collect();
    while let Some(id) = open.pop() {
        let node = tree.node(id);
        let mut counted = Pending::default();
        for (branch, state) in node.branches.iter().map(|branch| branch.state).enumerate() {
            match state {
                BranchState::Pending => {
                    let flip = Flip {
                        node: id,
                        branch: branch as u32,
                    };
                    let is_violation = node.is_violation(branch);
                    let leads_on = !is_violation && !tree.is_put_off(flip);
                    prop_assert_eq!(node.leads_on(branch), leads_on);
                    match (is_violation, leads_on) {
                        (true, _) => counted.violations += 1,
                        (false, true) => counted.branches += 1,
                        (false, false) => counted.put_off += 1,
                    }
                }
                BranchState::Taken(next) => {
                    let below = tree.node(next).pending;
                    prop_assert!(!below.is_none(), "it should be forgotten");
                    counted.branches += below.branches.signum();
                    counted.violations += below.violations.signum();
                    counted.put_off += below.put_off.signum();
                    open.push(next);
                }
                _ => {}
            }
        }
        prop_assert_eq!(node.pending, counted);
    }
    Ok(())
}

proptest! {
    /// Each step takes a pending branch, settles it, or puts it off.
    #[test]
    fn what_is_pending_is_what_no_path_took_and_nothing_settled(
        first in prop::collection::vec(0..6u32, 1..8),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0..3,
            prop::collection::vec(0..6u32, 1..8)), 0..60),
    ) {
        let (mut tree, mut model, mut terms) = (PathTree::default(), Model::default(), Terms::default());
        let source = Arc::new(InputVector::default());
        let path = complete(Vec::new(), &first);
        tree.insert(&constraints(&path, &mut terms), &source, None);
        model.insert(&path, 0);
        check(&tree, &model)?;
        for (which, what, choices) in steps {
            let mut flips: Vec<(Path, Flip)> =
                tree.pending().map(|flip| (path_of(flip, &tree), flip)).collect();
            flips.sort();
            if flips.is_empty() {
                break;
            }
            let (branch, flip) = which.get(&flips).clone();
            match what {
                0 => {
                    tree.settle(flip, BranchState::Infeasible);
                    model.0.remove(&branch);
                }
                1 => {
                    tree.put_off(flip);
                    prop_assert!(tree.is_put_off(flip));
                }
                _ => {
                    let path = complete(branch.clone(), &choices);
                    let taken = constraints(&path, &mut terms);
                    prop_assert!(tree.follows(&taken, flip));
                    let inserted = tree.insert(&taken, &source, Some(flip));
                    prop_assert!(inserted.new_path && inserted.conflict.is_none());
                    model.insert(&path, branch.len());
                }
            }
            check(&tree, &model)?;
        }
    }
}
