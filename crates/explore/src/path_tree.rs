//! The tree of paths that executions took, and of those that they could take.
//!
//! A node is a place where an input decided the way: a branch, a check, a pointer choice. Each of
//! its ways is taken, pending, infeasible or undecided. Executions that share a prefix share its
//! nodes. The tree knows no strategy: whoever picks a [`Flip`] asks for its demands and reports
//! what became of it.

use std::rc::Rc;

use index_vec::IndexVec;
use ir::input::InputVector;
use smallvec::{SmallVec, smallvec};
use vm::{Constraint, ConstraintKind, Demand, Site};

index_vec::define_index_type! {
    /// A node of a [`PathTree`].
    pub struct NodeId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// A way out of a node that no execution took yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flip {
    /// The node.
    pub node: NodeId,
    /// The position among the node's ways.
    pub way: u32,
}

/// What became of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayState {
    /// An execution took it, and met this node next; or none, at the end of a path.
    Taken(Option<NodeId>),
    /// Nobody tried it yet.
    Pending,
    /// Nothing satisfies its demands.
    Infeasible,
    /// It was tried without an answer; a loss says why.
    Undecided,
    /// It was left out because no goal needs it.
    Dropped,
}

/// A way out of a node.
#[derive(Clone, Debug)]
pub struct Way {
    /// Its number at the site, see [`vm::Constraint::taken`].
    pub number: u32,
    /// What it demands of an input, all at once.
    pub demands: SmallVec<[Demand; 1]>,
    /// What became of it.
    pub state: WayState,
}

/// A place on a path where an input decided the way.
#[derive(Clone, Debug)]
pub struct Node {
    parent: Option<Flip>,
    /// Where in the program.
    pub site: Site,
    /// Why the input decided.
    pub kind: ConstraintKind,
    /// The ways, the first execution's first.
    pub ways: Vec<Way>,
    /// The input of the execution that made the node.
    source: Rc<InputVector>,
    /// How many nodes are above it.
    pub depth: u32,
}

impl Way {
    fn taken(constraint: &Constraint) -> Self {
        Way {
            number: constraint.taken,
            demands: smallvec![Demand::Term(constraint.term)],
            state: WayState::Taken(None),
        }
    }

    /// Whether it stands for the values of a concretised term that no execution had yet.
    fn other_values(&self) -> bool {
        self.number == OTHER_VALUES && !matches!(self.state, WayState::Taken(_))
    }
}

impl Node {
    /// Whether the constraint can be one of this node's.
    fn is_of(&self, constraint: &Constraint) -> bool {
        self.site == constraint.site && self.kind == constraint.kind
    }

    /// The way that the constraint took. Where a value was made concrete, each value is a way.
    fn way_of(&self, constraint: &Constraint) -> Option<usize> {
        let concretised = self.kind == ConstraintKind::Concretisation;
        self.ways.iter().position(|way| match concretised {
            true => way.demands[..] == [Demand::Term(constraint.term)],
            false => way.number == constraint.taken,
        })
    }

    /// Adds the way of a further value, which the other values then exclude too.
    fn add_value(&mut self, id: NodeId, constraint: &Constraint, pending: &mut Vec<Flip>) -> usize {
        let others = self.ways.iter().position(|way| way.number == OTHER_VALUES);
        if let (Some(others), Some(alternative)) = (others, constraint.alternatives.first()) {
            let way = &mut self.ways[others];
            way.demands.push(alternative.demand);
            way.state = WayState::Pending;
            pending.push(Flip {
                node: id,
                way: others as u32,
            });
        }
        self.ways.push(Way::taken(constraint));
        self.ways.len() - 1
    }
}

/// The number of the way to all values but one at a [`ConstraintKind::Concretisation`].
const OTHER_VALUES: u32 = 0;

/// How an execution's path joined the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// Ways that became pending, in path order.
    pub pending: Vec<Flip>,
    /// Whether the path ended where no earlier path did.
    pub new_path: bool,
    /// The index of the first constraint that contradicts the tree: two executions took the same
    /// ways to a place and found different things there.
    pub conflict: Option<usize>,
}

/// The tree; see the module.
#[derive(Clone, Debug, Default)]
pub struct PathTree {
    nodes: IndexVec<NodeId, Node>,
    root: Option<NodeId>,
}

impl PathTree {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no execution was inserted that had a choice.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The way that a flip is about.
    pub fn way(&self, flip: Flip) -> &Way {
        &self.nodes[flip.node].ways[flip.way as usize]
    }

    /// Says what became of a way.
    pub fn set_state(&mut self, flip: Flip, state: WayState) {
        self.nodes[flip.node].ways[flip.way as usize].state = state;
    }

    /// The input of an execution that came to the flip's node, and took another way there.
    pub fn source(&self, flip: Flip) -> &Rc<InputVector> {
        &self.nodes[flip.node].source
    }

    /// The ways from the root to the flip, its own last.
    pub fn prefix(&self, flip: Flip) -> Vec<Flip> {
        let mut ways = Vec::with_capacity(self.nodes[flip.node].depth as usize + 1);
        let mut next = Some(flip);
        while let Some(step) = next {
            ways.push(step);
            next = self.nodes[step.node].parent;
        }
        ways.reverse();
        ways
    }

    /// Whether a path took the flip: it went the tree's way to the flip's node, and the flip's way
    /// there.
    pub fn follows(&self, path: &[Constraint], flip: Flip) -> bool {
        let prefix = self.prefix(flip);
        prefix.len() <= path.len()
            && prefix.iter().zip(path).all(|(step, constraint)| {
                let node = &self.nodes[step.node];
                let known = node.way_of(constraint);
                let way = &node.ways[step.way as usize];
                node.is_of(constraint)
                    && match node.kind == ConstraintKind::Concretisation && way.other_values() {
                        true => known.is_none(),
                        false => known == Some(step.way as usize),
                    }
            })
    }

    /// Adds the path of an execution.
    pub fn insert(&mut self, path: &[Constraint], source: &Rc<InputVector>) -> Inserted {
        let mut inserted = Inserted {
            pending: Vec::new(),
            new_path: false,
            conflict: None,
        };
        let mut cursor: Option<Flip> = None;
        for (index, constraint) in path.iter().enumerate() {
            let step = match self.next(cursor) {
                Some(node) => match self.join(node, constraint, &mut inserted) {
                    Some(step) => step,
                    None => {
                        inserted.conflict = Some(index);
                        return inserted;
                    }
                },
                None => {
                    inserted.new_path = true;
                    self.grow(cursor, constraint, source, &mut inserted)
                }
            };
            cursor = Some(step);
        }
        inserted.new_path |= path.is_empty();
        inserted
    }

    fn next(&self, cursor: Option<Flip>) -> Option<NodeId> {
        match cursor {
            None => self.root,
            Some(step) => match self.way(step).state {
                WayState::Taken(next) => next,
                _ => None,
            },
        }
    }

    /// Takes a constraint's way out of a node that is there already.
    fn join(
        &mut self,
        id: NodeId,
        constraint: &Constraint,
        inserted: &mut Inserted,
    ) -> Option<Flip> {
        let node = &mut self.nodes[id];
        if !node.is_of(constraint) {
            return None;
        }
        let way = match node.way_of(constraint) {
            Some(way) => way,
            None if node.kind == ConstraintKind::Concretisation => {
                inserted.new_path = true;
                node.add_value(id, constraint, &mut inserted.pending)
            }
            None => return None,
        };
        let state = &mut node.ways[way].state;
        if !matches!(state, WayState::Taken(_)) {
            *state = WayState::Taken(None);
            inserted.new_path = true;
        }
        Some(Flip {
            node: id,
            way: way as u32,
        })
    }

    fn grow(
        &mut self,
        parent: Option<Flip>,
        constraint: &Constraint,
        source: &Rc<InputVector>,
        inserted: &mut Inserted,
    ) -> Flip {
        let taken = Way::taken(constraint);
        let others = constraint.alternatives.iter().map(|alternative| Way {
            number: alternative.way,
            demands: smallvec![alternative.demand],
            state: WayState::Pending,
        });
        let ways: Vec<Way> = std::iter::once(taken).chain(others).collect();
        let depth = parent.map_or(0, |step| self.nodes[step.node].depth + 1);
        let node = NodeId::from_usize(self.nodes.len());
        inserted
            .pending
            .extend((1..ways.len() as u32).map(|way| Flip { node, way }));
        self.nodes.push(Node {
            parent,
            site: constraint.site,
            kind: constraint.kind,
            ways,
            source: Rc::clone(source),
            depth,
        });
        match parent {
            None => self.root = Some(node),
            Some(step) => self.set_state(step, WayState::Taken(Some(node))),
        }
        Flip { node, way: 0 }
    }
}
