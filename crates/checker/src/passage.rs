//! Passages: what control does from a point to the next ones.
//!
//! ```text
//! wait at the first node, in a state
//! while control waits at nodes: take the first of them in the order
//!     join the states there; execute the block; go on along its edges
//!     at a point: the passage ends
//! ```
//!
//! A loop without a point is executed round by round, as long as its ends are decided.

use std::collections::BTreeMap;

use expr::Term;
use index_vec::IndexVec;
use ir::certificate::CodePlace;
use ir::{Block, Terminator};

use crate::execute::Here;
use crate::points::PointId;
use crate::state::{Memory, State};
use crate::unfolding::Node;

/// How often a node may be executed in a passage.
const MOST_VISITS: usize = 300;

/// How many nodes may be executed in a passage.
const MOST_STEPS: usize = 100_000;

/// Where passages end, and in which order nodes are executed.
pub struct Plan {
    /// The points by their nodes.
    pub points: BTreeMap<Node, PointId>,
    /// See [`crate::order`].
    pub positions: IndexVec<Node, usize>,
    /// The place that is not to be reached.
    pub goal: CodePlace,
}

/// What a passage leads to.
#[derive(Default)]
pub struct Passage {
    /// The states in which control comes to points.
    pub arrivals: BTreeMap<PointId, Vec<State>>,
    /// The conditions under which the goal is reached.
    pub reached: Vec<Term>,
}

/// A loop without a point does not end after few rounds.
pub struct Endless(pub Node);

struct Walker<'a, 'w, 'p> {
    memory: &'a mut Memory<'w, 'p>,
    plan: &'a Plan,
    waiting: BTreeMap<usize, (Node, Vec<State>)>,
    visits: IndexVec<Node, usize>,
    passage: Passage,
}

/// The passage from a node in a state.
pub fn passage(
    memory: &mut Memory<'_, '_>,
    plan: &Plan,
    from: Node,
    state: State,
) -> Result<Passage, Endless> {
    let nodes = plan.positions.len();
    let mut walker = Walker {
        memory,
        plan,
        waiting: BTreeMap::from([(plan.positions[from], (from, vec![state]))]),
        visits: IndexVec::from_vec(vec![0; nodes]),
        passage: Passage::default(),
    };
    let mut steps = 0;
    while let Some((_, (node, states))) = walker.waiting.pop_first() {
        walker.visits[node] += 1;
        steps += 1;
        if walker.visits[node] > MOST_VISITS || steps > MOST_STEPS {
            return Err(Endless(node));
        }
        if let Some(state) = walker.memory.join(states) {
            walker.execute(node, state);
        }
    }
    Ok(walker.passage)
}

impl Walker<'_, '_, '_> {
    fn execute(&mut self, node: Node, mut state: State) {
        let world = self.memory.world;
        let unfolding = &world.unfolding;
        let frame = unfolding.frame(node);
        let block = unfolding.block(node);
        for statement in &block.statements {
            self.memory.statement(frame, statement, &mut state);
        }
        self.reach(node, None, state.reach);
        let here = Here {
            frame,
            span: block.span,
        };
        match &block.terminator {
            Terminator::Goto(_) => self.go_on(node, state),
            Terminator::Branch { .. } | Terminator::Switch { .. } => {
                let edges = self.memory.edges(frame, &block.terminator, &state);
                for (at, condition) in edges.into_iter().enumerate() {
                    let state = self.memory.under(&state, condition);
                    self.reach(node, Some(at as u32), state.reach);
                    if let Some(&to) = unfolding.graph.successors(node).get(at) {
                        self.send(to, state);
                    }
                }
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => match unfolding.callee(node) {
                Some(entered) => {
                    self.memory.enter(frame, entered, arguments, &mut state);
                    self.go_on(node, state);
                }
                None => {
                    let given = (arguments.as_slice(), destination.as_ref());
                    if self.memory.call((here, node), callee, given, &mut state) {
                        self.go_on(node, state);
                    }
                }
            },
            Terminator::Return(operand) => {
                self.memory.leave(frame, operand.as_ref(), &mut state);
                self.go_on(node, state);
            }
            // No goal lies behind: see `faithful`.
            Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
    }

    fn go_on(&mut self, node: Node, state: State) {
        let unfolding = &self.memory.world.unfolding;
        for &to in unfolding.graph.successors(node) {
            self.send(to, state.clone());
        }
    }

    fn send(&mut self, to: Node, state: State) {
        if self.memory.formulas.as_bool(state.reach) == Some(false) {
            return;
        }
        if let Some(&point) = self.plan.points.get(&to) {
            let arrived = self.passage.arrivals.entry(point).or_default();
            return arrived.push(state);
        }
        let waiting = self.waiting.entry(self.plan.positions[to]);
        waiting.or_insert((to, Vec::new())).1.push(state);
    }

    /// Records that control is at the end of a block, or on an edge, if that is the goal.
    fn reach(&mut self, node: Node, successor: Option<u32>, reach: Term) {
        let unfolding = &self.memory.world.unfolding;
        let goal = self.plan.goal;
        let function = unfolding.frames[unfolding.frame(node)].function;
        let is_there = function.raw() == goal.function
            && unfolding.block_of(node) == Block::from_raw(goal.block)
            && successor == goal.successor;
        if is_there && self.memory.formulas.as_bool(reach) != Some(false) {
            self.passage.reached.push(reach);
        }
    }
}
