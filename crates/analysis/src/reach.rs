//! Where control can still go, by the control-flow graph of the whole program alone.
//!
//! The answer is an over-approximation, so that what it leaves out cannot be reached: branches go
//! both ways, calls return, and a call through a pointer goes to every function with a body whose
//! type could fit (not only to those whose address is taken: a function pointer can be an
//! input), as does a call of a function without a body that is given such a pointer. Control comes
//! from everywhere to functions that `atexit` is given.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::test::Frame;
use ir::{
    Block, Callee, CodeBlock, CodeEdge, CodeIndex, ControlFlow, FunctionId, Program, Terminator,
    Typing,
};

use crate::call_graph::{CallGraph, Summaries};
use crate::callees::{Callees, has_code};

/// The control-flow graph of a program, over all its functions.
#[derive(Clone, Debug)]
pub struct Reach {
    /// For each block, the blocks that control may reach next: successors, the entries of
    /// callees, and where the call comes back.
    edges: Graph<CodeBlock>,
    /// The first block of each function that has one.
    entries: IndexVec<FunctionId, Option<CodeBlock>>,
    /// For each block that ends in a call, where control comes back.
    returns: IndexVec<CodeBlock, Option<CodeBlock>>,
    /// For each block, the blocks from which control may come here next, with the edge that it
    /// takes out of a branch or switch; returns from functions left out.
    before: IndexVec<CodeBlock, Vec<(CodeBlock, Option<CodeEdge>)>>,
    /// For each function, the blocks that call it.
    callers: IndexVec<FunctionId, Vec<CodeBlock>>,
    /// The calls in blocks that control can reach from the start of their function.
    calls: CallGraph,
    /// The blocks that end in a call by a pointer.
    indirect_calls: FixedBitSet,
    /// The functions that may run when the program ends, and all that they may call.
    run_at_exit: FixedBitSet,
    /// The function of each block.
    owners: IndexVec<CodeBlock, FunctionId>,
    /// The blocks that return.
    leaves: Vec<CodeBlock>,
    /// The entries of functions that may run when the program ends.
    at_exit: Vec<CodeBlock>,
    /// The number of each function's blocks by its first block.
    numbering: CodeIndex,
}

/// A set of blocks that control can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reachable {
    blocks: FixedBitSet,
}

/// The step with which control first leaves some blocks on the way to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The block that it leaves.
    pub from: CodeBlock,
    /// The edge that it takes there, out of a branch or switch.
    pub edge: Option<CodeEdge>,
    /// The block where it comes to; `None` if the edge itself is the target, or the block is.
    pub to: Option<CodeBlock>,
    /// How many edges out of branches and switches it takes to the target at least.
    pub distance: u32,
}

impl Reachable {
    /// Whether control can reach the block, and so all its outgoing edges.
    pub fn block(&self, block: CodeBlock) -> bool {
        self.blocks.contains(block.index())
    }

    /// All blocks that control can reach.
    pub fn blocks(&self) -> impl Iterator<Item = CodeBlock> + '_ {
        self.blocks.ones().map(CodeBlock::from_usize)
    }
}

impl Reach {
    /// The graph of a program.
    pub fn new(program: &Program, index: &CodeIndex) -> Self {
        let functions = program.functions.len();
        let mut reach = Reach {
            edges: Graph::of(IndexVec::new()),
            entries: IndexVec::with_capacity(functions),
            returns: IndexVec::with_capacity(index.blocks()),
            before: IndexVec::from_vec(vec![Vec::new(); index.blocks()]),
            callers: IndexVec::from_vec(vec![Vec::new(); functions]),
            calls: CallGraph::of(IndexVec::new()),
            indirect_calls: FixedBitSet::with_capacity(index.blocks()),
            run_at_exit: FixedBitSet::new(),
            owners: IndexVec::with_capacity(index.blocks()),
            leaves: Vec::new(),
            at_exit: Vec::new(),
            numbering: index.clone(),
        };
        let callees = Callees::new(program);
        let mut calls = IndexVec::from_vec(vec![Vec::new(); functions]);
        let mut edges: IndexVec<CodeBlock, Vec<CodeBlock>> = IndexVec::new();
        for (id, function) in program.functions.iter_enumerated() {
            let start = Block::from_raw(0);
            let entry = has_code(function).then(|| index.block(id, start));
            reach.entries.push(entry);
            let Some(body) = &function.body else { continue };
            let entered = ControlFlow::new(body).reachable(entry.map(|_| start));
            for (number, block) in body.blocks.iter_enumerated() {
                let inside = block.terminator.successors();
                let mut next: Vec<CodeBlock> =
                    inside.iter().map(|&block| index.block(id, block)).collect();
                let mut back = None;
                if let Terminator::Call {
                    callee, arguments, ..
                } = &block.terminator
                {
                    back = next.first().copied();
                    if !matches!(callee, Callee::Direct(_)) {
                        reach.indirect_calls.insert(edges.next_idx().index());
                    }
                    let typing = Typing {
                        types: &program.types,
                        globals: &program.globals,
                        locals: &body.locals,
                    };
                    let is_at_exit =
                        matches!(callee, Callee::Direct(id) if program.is_at_exit(*id));
                    for callee in callees.of(callee, arguments, typing) {
                        let entry = index.block(callee, Block::from_raw(0));
                        next.push(entry);
                        reach.callers[callee].push(edges.next_idx());
                        if entered.contains(number.index()) {
                            calls[id].push(callee);
                        }
                        if is_at_exit {
                            reach.at_exit.push(entry);
                        }
                    }
                }
                let from = edges.push(next);
                if matches!(block.terminator, Terminator::Return(_)) {
                    reach.leaves.push(from);
                }
                reach.returns.push(back);
                reach.owners.push(id);
            }
        }
        reach.calls = CallGraph::of(calls);
        reach.end_program(program, &mut edges);
        reach.edges = Graph::of(edges);
        reach.turn_round(program);
        reach
    }

    /// Leads from calls of `exit` to what runs then.
    fn end_program(&mut self, program: &Program, edges: &mut IndexVec<CodeBlock, Vec<CodeBlock>>) {
        self.at_exit.sort_unstable();
        self.at_exit.dedup();
        let at_exit = self.at_exit.iter().map(|&block| self.owners[block]);
        self.run_at_exit = self.calls.reachable(at_exit);
        for (id, function) in program.functions.iter_enumerated() {
            let body = function.body.iter();
            for (block, data) in body.flat_map(|body| body.blocks.iter_enumerated()) {
                let exits = match &data.terminator {
                    Terminator::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } => program.functions[*callee].name == "exit",
                    _ => false,
                };
                if exits {
                    let from = self.numbering.block(id, block);
                    edges[from].extend(&self.at_exit);
                }
            }
        }
    }

    /// The first blocks of functions that may run when the program ends.
    pub fn at_exit(&self) -> &[CodeBlock] {
        &self.at_exit
    }

    /// Fills in `before`.
    fn turn_round(&mut self, program: &Program) {
        for (id, function) in program.functions.iter_enumerated() {
            let body = function.body.iter();
            for (block, data) in body.flat_map(|body| body.blocks.iter_enumerated()) {
                let from = self.numbering.block(id, block);
                for (successor, &to) in self.edges.successors(from).iter().enumerate() {
                    let decides = data.terminator.decides();
                    let edge = decides.then(|| self.numbering.edge(id, block, successor));
                    self.before[to].push((from, edge));
                }
            }
        }
    }

    /// For each block the nearest of some targets that control can reach from its start before
    /// its function returns: the least cost of the edges out of branches and switches that control
    /// has to take for it, plus the target's own cost, and its mark.
    pub fn nearest<M: Copy + Ord>(
        &self,
        targets: impl IntoIterator<Item = (CodeBlock, u32, M)>,
        cost: impl Fn(CodeEdge) -> u32,
    ) -> IndexVec<CodeBlock, Option<(u32, M)>> {
        self.search(targets, |_, edge, _| Some(edge.map_or(0, &cost)))
    }

    /// The way from some blocks to the nearest of some targets, each a block or an edge out of it: the one
    /// with the fewest edges out of branches and switches, then with the fewest blocks. `None` if no
    /// way leads there.
    pub fn departure(
        &self,
        targets: impl IntoIterator<Item = (CodeBlock, Option<CodeEdge>)>,
        is_among: impl Fn(CodeBlock) -> bool,
    ) -> Option<Departure> {
        let mut seen = FixedBitSet::with_capacity(self.edges.len());
        let targets = targets.into_iter();
        let mut open: BinaryHeap<_> = targets
            .map(|(block, edge)| Reverse((u32::from(edge.is_some()), 0, block, edge, None)))
            .collect();
        while let Some(Reverse((distance, blocks, from, edge, to))) = open.pop() {
            if is_among(from) {
                return Some(Departure {
                    from,
                    edge,
                    to,
                    distance,
                });
            }
            if !seen.put(from.index()) {
                let before = self.before[from].iter();
                open.extend(before.map(|&(before, edge)| {
                    let farther = distance + u32::from(edge.is_some());
                    Reverse((farther, blocks + 1, before, edge, Some(from)))
                }));
            }
        }
        None
    }

    /// For each block the least cost of the edges out of branches and switches that control has to
    /// take until its function returns; `None` if it does not.
    pub fn to_return(&self, cost: impl Fn(CodeEdge) -> u32) -> IndexVec<CodeBlock, Option<u32>> {
        let leaves = self.leaves.iter().map(|&leaf| (leaf, 0, ()));
        let distances = self.search(leaves, |from, edge, to| {
            let stays = self.owners[from] == self.owners[to];
            stays.then(|| edge.map_or(0, &cost))
        });
        let distances = distances.into_iter();
        distances
            .map(|found| found.map(|(distance, ())| distance))
            .collect()
    }

    /// Where control comes back to from a call in the block.
    pub fn after_call(&self, block: CodeBlock) -> Option<CodeBlock> {
        self.returns[block]
    }

    /// The functions with a body that control may enter at the end of a block.
    pub fn entered_at(&self, block: CodeBlock) -> impl Iterator<Item = FunctionId> + '_ {
        let next = self.edges.successors(block).iter();
        let is_entry = |to: &CodeBlock| self.entries[self.owners[*to]] == Some(*to);
        next.copied().filter(is_entry).map(|to| self.owners[to])
    }

    /// The function of a block.
    pub fn function(&self, block: CodeBlock) -> FunctionId {
        self.owners[block]
    }

    /// Dijkstra's search backwards from the targets over the edges that cost something known.
    fn search<M: Copy + Ord>(
        &self,
        targets: impl IntoIterator<Item = (CodeBlock, u32, M)>,
        cost: impl Fn(CodeBlock, Option<CodeEdge>, CodeBlock) -> Option<u32>,
    ) -> IndexVec<CodeBlock, Option<(u32, M)>> {
        let mut nearest = IndexVec::from_vec(vec![None; self.edges.len()]);
        let mut open: BinaryHeap<Reverse<(u32, M, CodeBlock)>> = targets
            .into_iter()
            .map(|(block, cost, mark)| Reverse((cost, mark, block)))
            .collect();
        while let Some(Reverse((distance, mark, block))) = open.pop() {
            if nearest[block].is_none() {
                nearest[block] = Some((distance, mark));
                let before = self.before[block].iter();
                open.extend(before.filter_map(|&(from, edge)| {
                    let farther = distance.saturating_add(cost(from, edge, block)?);
                    nearest[from]
                        .is_none()
                        .then_some(Reverse((farther, mark, from)))
                }));
            }
        }
        nearest
    }

    /// The blocks that a call of the function can reach.
    pub fn from_entry(&self, entry: FunctionId) -> Reachable {
        self.closure(self.entries[entry])
    }

    /// What can be reached from inside the given calls (innermost first): from the blocks that
    /// they are in, and from where they come back; the outermost may come back to any of its
    /// callers, and they to theirs. Without a call, everything.
    pub fn from_stack(&self, stack: &[Frame]) -> Reachable {
        let Some((innermost, callers)) = stack.split_first() else {
            let mut blocks = FixedBitSet::with_capacity(self.edges.len());
            blocks.insert_range(..);
            return Reachable { blocks };
        };
        let at = |frame: &Frame| self.numbering.block(frame.function, frame.block);
        let back = callers.iter().filter_map(|frame| self.returns[at(frame)]);
        let outermost = callers.last().unwrap_or(innermost).function;
        let beyond = self.returns_beyond(outermost);
        self.closure([at(innermost)].into_iter().chain(back).chain(beyond))
    }

    /// Where control may come back to when a function returns, its callers return, and so on.
    fn returns_beyond(&self, function: FunctionId) -> Vec<CodeBlock> {
        let mut seen = FixedBitSet::with_capacity(self.callers.len());
        let mut open = vec![function];
        let mut back = Vec::new();
        while let Some(function) = open.pop() {
            if !seen.put(function.index()) {
                for &call in &self.callers[function] {
                    back.extend(self.returns[call]);
                    open.push(self.owners[call]);
                }
            }
        }
        back
    }

    /// The functions that may call this one, one for each call.
    pub fn callers(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        self.callers[function].iter().map(|&call| self.owners[call])
    }

    /// Whether something beside the edges that functions take decides which of them is entered
    /// next: a call by a pointer that may be to one of them, or one of them runs when the program
    /// ends.
    pub fn chooses_among(&self, functions: &BTreeSet<FunctionId>) -> bool {
        let is_indirect = |call: CodeBlock| {
            functions.contains(&self.owners[call]) && self.indirect_calls.contains(call.index())
        };
        functions.iter().any(|&function| {
            let mut calls = self.callers[function].iter();
            self.run_at_exit.contains(function.index()) || calls.any(|&call| is_indirect(call))
        })
    }

    /// Whether a call of the function can reach another call of it, perhaps when the program
    /// ends.
    pub fn calls_itself(&self, function: FunctionId) -> bool {
        let runs_at_exit = |caller: &FunctionId| self.run_at_exit.contains(caller.index());
        let mut callers = self.calls.callers(function).iter();
        self.calls.is_recursive(function) || callers.any(runs_at_exit)
    }

    /// The functions with a body that a call of `entry` can reach, `entry` included, in order.
    pub fn functions_from(&self, entry: FunctionId) -> Vec<FunctionId> {
        let mut reached = self.calls.reachable(self.entries[entry].map(|_| entry));
        reached.union_with(&self.run_at_exit);
        reached.ones().map(FunctionId::from_usize).collect()
    }

    /// For each function the join of the facts of all functions that a call of it can reach
    /// ([`Reach::functions_from`]).
    pub fn summaries<F: Clone>(
        &self,
        own: impl Fn(FunctionId) -> F,
        join: impl Fn(&mut F, &F),
    ) -> Summaries<F> {
        let mut summaries = self.calls.summaries(own, &join);
        let at_exit = self.at_exit.iter().map(|&block| self.owners[block]);
        let at_exit = at_exit.map(|function| summaries.of(function).clone());
        let at_exit = at_exit.reduce(|mut fact, other| {
            join(&mut fact, &other);
            fact
        });
        if let Some(at_exit) = at_exit {
            summaries.each(|fact| join(fact, &at_exit));
        }
        summaries
    }

    /// What can be reached from some blocks, or when the program ends.
    fn closure(&self, starts: impl IntoIterator<Item = CodeBlock>) -> Reachable {
        let starts = self.at_exit.iter().copied().chain(starts);
        let blocks = self.edges.reachable(starts);
        Reachable { blocks }
    }
}
