//! The code from the entry function on, with calls entered: a node for each block and each stack of
//! calls.
//!
//! ```text
//! frame 0   main            node = (frame, block)
//!   frame 1   step, called at the end of block 3 of frame 0
//!   frame 2   step, called at the end of block 7 of frame 0
//! ```
//!
//! A call is entered if it names a function of the program that is not under way already, and that
//! nothing can take the place of. All other calls are not.

use std::collections::VecDeque;

use index_vec::IndexVec;
use ir::certificate::Allocation;
use ir::graph::Graph;
use ir::{Block, BlockData, Body, FunctionId, Origin, Program, Terminator, Type, Typing};

use crate::refusal::Refusal;

index_vec::define_index_type! {
    /// A function with the calls that led to it.
    pub struct FrameId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

index_vec::define_index_type! {
    /// A block in a frame.
    pub struct Node = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// How many nodes there may be.
const MOST: usize = 50_000;

/// A function with the calls that led to it.
#[derive(Clone, Debug)]
pub struct Frame<'p> {
    /// The function.
    pub function: FunctionId,
    /// Its body.
    pub body: &'p Body,
    /// The frame and the block that called it.
    pub caller: Option<(FrameId, Block)>,
    first: Node,
}

/// The nodes, and how control goes from one to another.
pub struct Unfolding<'p> {
    /// The program.
    pub program: &'p Program,
    /// The frames; the first one is that of the entry function.
    pub frames: IndexVec<FrameId, Frame<'p>>,
    owners: IndexVec<Node, FrameId>,
    entered: IndexVec<Node, Option<FrameId>>,
    /// Control's ways: jumps, calls that are entered, and their returns.
    pub graph: Graph<Node>,
}

impl<'p> Unfolding<'p> {
    /// The unfolded code of an entry function.
    pub fn new(program: &'p Program, entry: FunctionId) -> Result<Unfolding<'p>, Refusal> {
        let mut unfolding = Unfolding {
            program,
            frames: IndexVec::new(),
            owners: IndexVec::new(),
            entered: IndexVec::new(),
            graph: Graph::of(IndexVec::new()),
        };
        let Some(first) = unfolding.add(entry, None) else {
            return Err(Refusal::needs("a body of the entry function"));
        };
        let mut open = VecDeque::from([first]);
        while let Some(frame) = open.pop_front() {
            let Frame { body, .. } = unfolding.frames[frame];
            for (block, data) in body.blocks.iter_enumerated() {
                let callee = match &data.terminator {
                    Terminator::Call { callee, .. } => callee.direct(),
                    _ => None,
                };
                let callee = callee.filter(|&callee| unfolding.is_entered(callee, frame));
                let entered = callee.and_then(|callee| unfolding.add(callee, Some((frame, block))));
                if let Some(callee) = entered {
                    let node = unfolding.node(frame, block);
                    unfolding.entered[node] = Some(callee);
                    open.push_back(callee);
                }
                if unfolding.owners.len() > MOST {
                    return Err(Refusal::needs("less code, with all calls entered"));
                }
            }
        }
        unfolding.connect();
        Ok(unfolding)
    }

    fn add(&mut self, function: FunctionId, caller: Option<(FrameId, Block)>) -> Option<FrameId> {
        let body = self.program.functions[function].body.as_ref()?;
        if body.blocks.is_empty() {
            return None;
        }
        let frame = self.frames.push(Frame {
            function,
            body,
            caller,
            first: self.owners.next_idx(),
        });
        for _ in &body.blocks {
            self.owners.push(frame);
            self.entered.push(None);
        }
        Some(frame)
    }

    /// Whether a call of a function from a frame is entered.
    fn is_entered(&self, callee: FunctionId, from: FrameId) -> bool {
        let program = self.program;
        let data = &program.functions[callee];
        let is_variadic = match program.types.kind(data.ty) {
            Type::Function(ty) => ty.variadic,
            _ => true,
        };
        let mut under_way = self.stack(from).into_iter();
        program.origin(callee) == Origin::User
            && !is_variadic
            && !data.weak
            && !program.has_another_definition(callee)
            && !under_way.any(|frame| self.frames[frame].function == callee)
    }

    /// A frame and those that it was called from, outermost first.
    pub fn stack(&self, frame: FrameId) -> Vec<FrameId> {
        let caller = |&frame: &FrameId| self.frames[frame].caller.map(|(caller, _)| caller);
        let mut stack: Vec<FrameId> = std::iter::successors(Some(frame), caller).collect();
        stack.reverse();
        stack
    }

    fn connect(&mut self) {
        let next = self.owners.indices().map(|node| {
            let frame = self.owners[node];
            match (self.entered[node], &self.block(node).terminator) {
                (Some(callee), _) => vec![self.frames[callee].first],
                (None, Terminator::Return(_)) => self.returns_to(frame).into_iter().collect(),
                (None, terminator) => {
                    let next = terminator.successors().into_iter();
                    next.map(|block| self.node(frame, block)).collect()
                }
            }
        });
        self.graph = Graph::of(next.collect());
    }

    /// Where control goes on behind the call of a frame.
    pub fn returns_to(&self, frame: FrameId) -> Option<Node> {
        let (caller, block) = self.frames[frame].caller?;
        let next = self.frames[caller].body.blocks[block]
            .terminator
            .successor(0)?;
        Some(self.node(caller, next))
    }

    /// The node of a block in a frame.
    pub fn node(&self, frame: FrameId, block: Block) -> Node {
        self.frames[frame].first + block.index()
    }

    /// Where executions start.
    pub fn start(&self) -> Node {
        Node::from_raw(0)
    }

    /// The frame of a node.
    pub fn frame(&self, node: Node) -> FrameId {
        self.owners[node]
    }

    /// The block of a node in its function.
    pub fn block_of(&self, node: Node) -> Block {
        Block::from_usize(node.index() - self.frames[self.owners[node]].first.index())
    }

    /// The code of a node.
    pub fn block(&self, node: Node) -> &'p BlockData {
        &self.frames[self.owners[node]].body.blocks[self.block_of(node)]
    }

    /// The frame that the call at the end of a node enters.
    pub fn callee(&self, node: Node) -> Option<FrameId> {
        self.entered[node]
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.owners.len()).map(Node::from_usize)
    }

    /// The frame that a stack of calls leads to: the blocks that end in them.
    pub fn frame_of(&self, stack: &[u32]) -> Option<FrameId> {
        let mut frame = FrameId::from_raw(0);
        for &block in stack {
            let block = Block::from_raw(block);
            self.frames[frame].body.blocks.get(block)?;
            frame = self.entered[self.node(frame, block)]?;
        }
        Some(frame)
    }

    /// The node that ends in a call which allocates memory, if there is such a block.
    pub fn call_of(&self, allocation: &Allocation) -> Option<Node> {
        let frame = self.frame_of(&allocation.stack)?;
        let block = Block::from_raw(allocation.block);
        self.frames[frame].body.blocks.get(block)?;
        Some(self.node(frame, block))
    }
}

impl<'p> Unfolding<'p> {
    /// The types of a frame's operands and places.
    pub fn typing(&self, frame: FrameId) -> Typing<'p> {
        Typing {
            types: &self.program.types,
            globals: &self.program.globals,
            locals: &self.frames[frame].body.locals,
        }
    }
}
