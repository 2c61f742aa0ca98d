//! The tree of paths that executions took, and of those that they could take.
//!
//! A node is a place where an input decided how the path goes on: at a condition, a check or a
//! pointer choice. Each of its branches is taken, pending, infeasible or undecided. Executions that
//! share a prefix share its nodes. The tree forgets nodes after which nothing is pending, so that
//! it holds the branches that can still be tried and the paths to them, and no more. The tree knows
//! no strategy: the search picks a [`Flip`], asks for its demands and reports the result.

mod node;

use std::sync::Arc;

use ir::input::{CallMode, InputVector};
use slotmap::SlotMap;
use vm::{Constraint, ConstraintKind};

pub use node::{Branch, BranchState, Demands, Flip, Node, NodeId, Pending};

/// How an execution's path joined the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// Branches that became pending, in path order.
    pub pending: Vec<Flip>,
    /// Whether the path ended where no earlier path did.
    pub new_path: bool,
    /// The index of the first constraint that contradicts the tree: two executions took the same
    /// branches to a place and met different constraints there.
    pub conflict: Option<usize>,
    /// The branches that the path took, as far as it went through the tree.
    pub path: Vec<Flip>,
}

/// The tree; see the module.
#[derive(Clone, Debug)]
pub struct PathTree {
    nodes: SlotMap<NodeId, Node>,
    /// The state of the branch into the program.
    root: BranchState,
    /// How many branches were dropped.
    dropped: u64,
}

impl Default for PathTree {
    fn default() -> Self {
        PathTree {
            nodes: SlotMap::with_key(),
            root: BranchState::Pending,
            dropped: 0,
        }
    }
}

/// A path that is being inserted.
struct Insertion {
    /// The branches so far.
    steps: Vec<InsertedBranch>,
    /// Whether no execution took the last of these branches before.
    is_new: bool,
    /// The flip that the path was to take.
    tried: Option<Flip>,
    pending: Vec<Flip>,
    new_path: bool,
}

/// A branch of a path that is being inserted, and what taking it changes in its node's counts.
struct InsertedBranch {
    branch: Flip,
    change: Pending,
}

impl PathTree {
    /// A node that has pending branches, or leads to some.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// A node, unless it was forgotten.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }

    /// The first node of all paths, while there is something pending.
    pub fn root(&self) -> Option<NodeId> {
        match self.root {
            BranchState::Taken(node) => Some(node),
            _ => None,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many branches were left out so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The branch of a flip. Its node must still be there, as that of a pending one is.
    pub fn branch(&self, flip: Flip) -> &Branch {
        &self.nodes[flip.node].branches[flip.branch as usize]
    }

    /// Whether the flip was not tried yet.
    pub fn is_pending(&self, flip: Flip) -> bool {
        let node = self.nodes.get(flip.node);
        node.is_some_and(|node| node.branches[flip.branch as usize].state == BranchState::Pending)
    }

    /// All pending branches, in no particular order.
    pub fn pending(&self) -> impl Iterator<Item = Flip> + '_ {
        self.nodes.iter().flat_map(|(id, node)| {
            let branches = node.branches.iter().enumerate();
            let pending = branches.filter(|(_, branch)| branch.state == BranchState::Pending);
            pending.map(move |(branch, _)| Flip {
                node: id,
                branch: branch as u32,
            })
        })
    }

    /// The branch out of the node of a call that executes it.
    pub fn expansion(&self, node: NodeId) -> Option<Flip> {
        let mut branches = self.get(node)?.branches.iter();
        let is_entered =
            |branch: &Branch| matches!(branch.demands, Demands::Call(_, CallMode::Entered));
        let branch = branches.position(is_entered)? as u32;
        Some(Flip { node, branch })
    }

    /// Records the state of a pending branch that no execution took.
    pub fn settle(&mut self, flip: Flip, state: BranchState) {
        if !self.is_pending(flip) {
            return;
        }
        self.dropped += u64::from(state == BranchState::Dropped);
        let node = &mut self.nodes[flip.node];
        let change = -node.weight(flip.branch as usize);
        node.branches[flip.branch as usize].state = state;
        self.propagate(flip.node, change);
    }

    /// Has a pending branch come after all others.
    pub fn put_off(&mut self, flip: Flip) {
        if !self.is_pending(flip) {
            return;
        }
        let node = &mut self.nodes[flip.node];
        let before = node.weight(flip.branch as usize);
        node.branches[flip.branch as usize].is_put_off = true;
        let change = node.weight(flip.branch as usize) + -before;
        self.propagate(flip.node, change);
    }

    /// Whether a flip was put off.
    pub fn is_put_off(&self, flip: Flip) -> bool {
        self.branch(flip).is_put_off
    }

    /// Updates the counts of a node and of those above it, and forgets those after which nothing is
    /// pending any more.
    fn propagate(&mut self, node: NodeId, mut change: Pending) {
        let mut done = None;
        let mut next = Some(node);
        // Only a node after which nothing is left changes the counts of the one above.
        while let Some(id) = next
            && !change.is_none()
        {
            let node = &mut self.nodes[id];
            change = node.count(change);
            if node.pending.is_none() {
                done = Some(id);
            }
            next = node.parent.map(|step| step.node);
        }
        if let Some(done) = done {
            self.forget(done);
        }
    }

    /// Forgets a node after which nothing is pending, and all below.
    fn forget(&mut self, id: NodeId) {
        match self.nodes[id].parent {
            None => self.root = BranchState::Explored,
            Some(step) => {
                self.nodes[step.node].branches[step.branch as usize].state = BranchState::Explored;
            }
        }
        self.remove_all(id);
    }

    /// Removes a node and all below.
    fn remove_all(&mut self, id: NodeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let branches = self
                .nodes
                .remove(id)
                .into_iter()
                .flat_map(|node| node.branches);
            open.extend(branches.filter_map(|branch| match branch.state {
                BranchState::Taken(next) => Some(next),
                _ => None,
            }));
        }
    }

    /// The input of an execution that reached the flip's node, and took another branch there.
    pub fn source(&self, flip: Flip) -> &Arc<InputVector> {
        &self.nodes[flip.node].source
    }

    /// Whether a branch is on the path to a flip.
    pub fn is_behind(&self, flip: Flip, branch: Flip) -> bool {
        let before = |step: &Flip| self.nodes.get(step.node)?.parent;
        let mut steps = std::iter::successors(before(&flip), before);
        steps.any(|step| step == branch)
    }

    /// The branches from the root to the flip, its own last.
    pub fn prefix(&self, flip: Flip) -> Vec<Flip> {
        let mut branches = Vec::with_capacity(self.nodes[flip.node].depth as usize + 1);
        let mut next = Some(flip);
        while let Some(step) = next {
            branches.push(step);
            next = self.nodes[step.node].parent;
        }
        branches.reverse();
        branches
    }

    /// Whether a path took the flip: it took the branches that lead to the flip's node, and the
    /// flip's there.
    pub fn follows(&self, path: &[Constraint], flip: Flip) -> bool {
        let prefix = self.prefix(flip);
        prefix.len() <= path.len()
            && prefix.iter().zip(path).all(|(step, constraint)| {
                let node = &self.nodes[step.node];
                let known = node.branch_of(constraint);
                let branch = &node.branches[step.branch as usize];
                // The values that are left may be a single one, and so the branch itself.
                let is_further_value = known.is_none()
                    && node.kind == ConstraintKind::Concretisation
                    && branch.is_other_values();
                node.is_of(constraint) && (is_further_value || known == Some(step.branch as usize))
            })
    }

    /// Whether a path ends before the flip's node, on the branches that lead there.
    pub fn ends_before(&self, path: &[Constraint], flip: Flip) -> bool {
        let prefix = self.prefix(flip);
        let last = path.len().checked_sub(1).and_then(|last| prefix.get(last));
        path.len() < prefix.len() && last.is_none_or(|&last| self.follows(path, last))
    }

    /// Removes the nodes before the flip that stand where the path has a call that is
    /// replaced, so that the path can be inserted. Returns whether there are such.
    ///
    /// A call is tried before it is replaced. If a check fails in it, the execution ends there, and
    /// the nodes of its checks stand where a later execution replaces the call. Nothing is lost
    /// with these nodes: the call's node has a pending branch on which the call is executed.
    pub fn displace(&mut self, flip: Flip, path: &[Constraint]) -> bool {
        let prefix = self.prefix(flip);
        let is_on = |at: usize| {
            let branch = prefix[at];
            let known = path.get(at).filter(|&it| self.nodes[branch.node].is_of(it));
            known.is_some()
        };
        let Some(at) = (0..prefix.len()).find(|&at| !is_on(at)) else {
            return false;
        };
        let is_call = |constraint: &Constraint| matches!(constraint.kind, ConstraintKind::Call(_));
        let is_of_trial = |step: &Flip| is_check(&self.nodes[step.node].kind);
        let is_there = at == 0 || self.follows(path, prefix[at - 1]);
        // A decision in the call has other callers than the call itself.
        let is_within = |step: &Flip| {
            let node = &self.nodes[step.node];
            path.get(at)
                .is_some_and(|call| is_call(call) && node.context != call.context)
        };
        let mut replaced = prefix[at..].iter();
        if !is_there || !replaced.all(|step| is_of_trial(step) && is_within(step)) {
            return false;
        }
        let removed = prefix[at].node;
        let (parent, pending) = (self.nodes[removed].parent, self.nodes[removed].pending);
        self.remove_all(removed);
        let Some(parent) = parent else {
            self.root = BranchState::Pending;
            return true;
        };
        let above = &mut self.nodes[parent.node];
        above.branches[parent.branch as usize].state = BranchState::Pending;
        let change = above.weight(parent.branch as usize) + -pending.signum();
        self.propagate(parent.node, change);
        true
    }

    /// Whether the rest of a path ends in a call that other paths replace: a check failed in it
    /// before an input decided anything, see [`PathTree::displace`].
    fn is_tried(&self, call: NodeId, rest: &[Constraint]) -> bool {
        let node = &self.nodes[call];
        let is_in_call = |constraint: &Constraint| {
            let is_check = is_check(&constraint.kind);
            is_check && constraint.context != node.context
        };
        matches!(node.kind, ConstraintKind::Call(_)) && rest.iter().all(is_in_call)
    }

    /// Adds the path of an execution. `tried` is the flip that its input was solved for: its source
    /// has forgotten it, so that it is announced again if it stays pending.
    pub fn insert(
        &mut self,
        path: &[Constraint],
        source: &Arc<InputVector>,
        tried: Option<Flip>,
    ) -> Inserted {
        let mut insertion = Insertion {
            steps: Vec::with_capacity(path.len()),
            is_new: self.root == BranchState::Pending,
            tried,
            pending: Vec::new(),
            new_path: self.root == BranchState::Pending,
        };
        if insertion.is_new {
            self.root = BranchState::Explored;
        }
        let mut conflict = None;
        for (index, constraint) in path.iter().enumerate() {
            let step = match self.next(&insertion) {
                Some(node) => match self.join(node, constraint, &mut insertion) {
                    Some(step) => step,
                    None => {
                        let is_tried = self.is_tried(node, &path[index..]);
                        conflict = (!is_tried).then_some(index);
                        break;
                    }
                },
                None if insertion.is_new => self.grow(constraint, source, &mut insertion),
                None => break,
            };
            insertion.steps.push(step);
        }
        self.count(&insertion.steps);
        Inserted {
            pending: insertion.pending,
            new_path: insertion.new_path,
            conflict,
            path: insertion.steps.iter().map(|step| step.branch).collect(),
        }
    }

    /// Forgets that all paths were taken, if nothing is pending: executions may go on now behind the
    /// ends that they had.
    pub fn begin_anew(&mut self) {
        if self.is_empty() {
            self.root = BranchState::Pending;
        }
    }

    /// The node that the branches so far lead to, if there is one.
    fn next(&self, insertion: &Insertion) -> Option<NodeId> {
        let state = match insertion.steps.last() {
            None => self.root,
            Some(step) => self.branch(step.branch).state,
        };
        match state {
            BranchState::Taken(next) => Some(next),
            _ => None,
        }
    }

    /// Takes a constraint's branch out of a node that is there already.
    fn join(
        &mut self,
        id: NodeId,
        constraint: &Constraint,
        insertion: &mut Insertion,
    ) -> Option<InsertedBranch> {
        let node = &mut self.nodes[id];
        if !node.is_of(constraint) {
            return None;
        }
        let mut change = Pending::default();
        let (branch, is_new) = match node.branch_of(constraint) {
            Some(branch) if !node.demands_the_same(branch, constraint) => return None,
            Some(branch) => {
                let state = node.branches[branch].state;
                if state == BranchState::Pending {
                    change += -node.weight(branch);
                }
                let was_taken = matches!(state, BranchState::Taken(_) | BranchState::Explored);
                (branch, !was_taken)
            }
            None if node.kind == ConstraintKind::Concretisation => {
                let (branch, others) = node.add_value(constraint);
                if let Some(others) = others {
                    let flip = Flip {
                        node: id,
                        branch: others.branch as u32,
                    };
                    if others.is_reopened {
                        change += node.weight(others.branch);
                    }
                    if others.is_reopened || insertion.tried == Some(flip) {
                        insertion.pending.push(flip);
                    }
                }
                (branch, true)
            }
            None => return None,
        };
        if is_new {
            node.branches[branch].state = BranchState::Explored;
            insertion.new_path = true;
        }
        insertion.is_new = is_new;
        let branch = Flip {
            node: id,
            branch: branch as u32,
        };
        Some(InsertedBranch { branch, change })
    }

    /// Makes a node for a constraint after a branch that was never taken before.
    fn grow(
        &mut self,
        constraint: &Constraint,
        source: &Arc<InputVector>,
        insertion: &mut Insertion,
    ) -> InsertedBranch {
        let parent = insertion.steps.last().map(|step| step.branch);
        let depth = insertion.steps.len() as u32;
        let node = Node::new(parent, constraint, source, depth);
        let others = 1..node.branches.len();
        let change = others.clone().map(|branch| node.weight(branch)).sum();
        let id = self.nodes.insert(node);
        let state = BranchState::Taken(id);
        match parent {
            None => self.root = state,
            Some(step) => self.nodes[step.node].branches[step.branch as usize].state = state,
        }
        let flips = others.map(|branch| Flip {
            node: id,
            branch: branch as u32,
        });
        insertion.pending.extend(flips);
        InsertedBranch {
            branch: Flip {
                node: id,
                branch: 0,
            },
            change,
        }
    }

    /// Updates the counts along a path, and forgets its end if nothing is pending there.
    fn count(&mut self, steps: &[InsertedBranch]) {
        let mut change = Pending::default();
        let mut done = None;
        for step in steps.iter().rev() {
            let node = &mut self.nodes[step.branch.node];
            change = node.count(change + step.change);
            if node.pending.is_none() {
                done = Some(step.branch.node);
            }
        }
        if let Some(done) = done {
            self.forget(done);
        }
    }
}

/// Whether a constraint is one of a check, which decides nothing in a call that is tried.
fn is_check(kind: &ConstraintKind) -> bool {
    matches!(kind, ConstraintKind::Check(_) | ConstraintKind::Assumption)
}

#[cfg(test)]
mod tests {
    use expr::{Term, Terms, Var};
    use ir::{Block, DefectKind, FunctionId, ObjectId};
    use vm::{Alternative, Context, Demand, Site};

    use super::*;

    fn branch(term: Term, other: Term) -> Constraint {
        Constraint {
            kind: ConstraintKind::Branch,
            site: Site {
                function: FunctionId::from_raw(0),
                block: Block::from_raw(0),
                statement: 0,
            },
            context: Context::from_raw(0),
            repeats: 0,
            events: 0,
            term,
            taken: 1,
            alternatives: vec![Alternative {
                number: 0,
                demand: Demand::Term(other),
            }],
        }
    }

    #[test]
    fn a_branch_with_other_terms_is_a_conflict() {
        let mut terms = Terms::default();
        let [one, other] = [0, 1].map(|var| {
            let var = terms.var(Var(var), 8);
            let zero = terms.constant(8, 0);
            let is_zero = terms.eq(var, zero);
            let not = terms.bool_not(is_zero);
            branch(is_zero, not)
        });
        let source = Arc::new(InputVector::default());
        let mut tree = PathTree::default();
        let mut insert = |constraint: &Constraint| {
            let path = std::slice::from_ref(constraint);
            tree.insert(path, &source, None).conflict
        };
        assert_eq!(insert(&one), None);
        assert_eq!(insert(&one), None, "the same again");
        assert_eq!(insert(&other), Some(0));
    }

    #[test]
    fn a_replaced_call_takes_the_place_of_the_checks_in_it() {
        let mut terms = Terms::default();
        let [first, second] = [0, 1].map(|var| {
            let var = terms.var(Var(var), 8);
            let zero = terms.constant(8, 0);
            let fails = terms.eq(var, zero);
            (fails, terms.bool_not(fails))
        });
        let check = |(fails, holds), taken: u32| Constraint {
            kind: ConstraintKind::Check(DefectKind::DivisionByZero),
            taken,
            alternatives: vec![Alternative {
                number: 1 - taken,
                demand: Demand::Term(if taken == 1 { fails } else { holds }),
            }],
            ..branch(if taken == 1 { holds } else { fails }, fails)
        };
        let call = Constraint {
            kind: ConstraintKind::Call(ObjectId::from_raw(0)),
            taken: 0,
            alternatives: Vec::new(),
            context: Context::from_raw(1),
            ..branch(first.1, first.0)
        };
        let source = Arc::new(InputVector::default());
        let mut tree = PathTree::default();
        // The first check holds, the second fails.
        let ended = [check(first, 1), check(second, 0)];
        let inserted = tree.insert(&ended, &source, None);
        let &flip = inserted.pending.last().unwrap();
        assert!(tree.ends_before(&ended[..1], flip) && !tree.ends_before(&ended, flip));
        let path = [call, branch(second.1, second.0)];
        assert!(!tree.displace(flip, &ended), "no call is replaced");
        assert!(tree.displace(flip, &path));
        let inserted = tree.insert(&path, &source, None);
        assert_eq!((inserted.conflict, inserted.pending.len()), (None, 1));
        assert_eq!(tree.pending().count(), 1);
        let late = tree.insert(&ended, &source, None);
        assert_eq!(late.conflict, None, "the call's node speaks for its checks");
        let other = [branch(first.1, first.0)];
        assert_eq!(tree.insert(&other, &source, None).conflict, Some(0));
    }
}
