//! The control-flow graph of a program from its entry function on, in which calls are entered.
//!
//! ```text
//! f: … call g …          (f) ──► (f, g) ──► (f)       one node for each block and each way in
//! g: … call h …                    │  ▲               which its function is called
//!                                  ▼  │
//!                               (f, g, h)
//! ```
//!
//! Calls that lead to a function that is active already, calls by pointers, of functions without a
//! body and of models of the C library are not entered, nor any more calls once the graph is large.
//! The functions that control may enter at such calls are *hidden*: the graph does not have all of
//! their executions.

use std::collections::VecDeque;

use analysis::Reach;
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::library::{Primitive, is_place_of_linker};
use ir::{
    Block, BlockData, Body, CodeIndex, ConstantValue, FunctionId, Operand, Origin, Place,
    PlaceBase, Program, Rvalue, Statement, StatementKind, Terminator, Type,
};

index_vec::define_index_type! {
    /// A function with the calls that led to it.
    pub struct ContextId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

index_vec::define_index_type! {
    /// A block in a context, numbered densely.
    pub struct Point = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// A function with the calls that led to it.
#[derive(Clone, Debug)]
pub struct Context<'p> {
    /// The function.
    pub function: FunctionId,
    /// Its body.
    pub body: &'p Body,
    /// The call that entered it; `None` for the entry function.
    pub caller: Option<(ContextId, Block)>,
    /// The number of its first block.
    first: Point,
}

/// The graph.
#[derive(Clone, Debug)]
pub struct Unfolding<'p> {
    program: &'p Program,
    contexts: IndexVec<ContextId, Context<'p>>,
    /// The context of each block.
    owners: IndexVec<Point, ContextId>,
    /// The context that the call at the end of each block enters, if it is entered.
    entered: IndexVec<Point, Option<ContextId>>,
    /// Jumps, entered calls and their returns.
    graph: Graph<Point>,
    /// The functions of which it does not have all executions.
    hidden: FixedBitSet,
    /// The points that control comes to behind code that is not what it stands for.
    unfaithful: FixedBitSet,
}

impl<'p> Unfolding<'p> {
    /// The graph of a program with so many blocks at most, if its entry function has a body.
    pub fn new(
        program: &'p Program,
        index: &CodeIndex,
        reach: &Reach,
        entry: FunctionId,
        most: usize,
    ) -> Option<Unfolding<'p>> {
        let mut unfolding = Unfolding {
            program,
            contexts: IndexVec::new(),
            owners: IndexVec::new(),
            entered: IndexVec::new(),
            graph: Graph::of(IndexVec::new()),
            hidden: FixedBitSet::with_capacity(program.functions.len()),
            unfaithful: FixedBitSet::new(),
        };
        let first = unfolding.add(entry, None)?;
        let mut open = VecDeque::from([first]);
        while let Some(context) = open.pop_front() {
            let Context { function, body, .. } = unfolding.contexts[context];
            for (block, data) in body.blocks.iter_enumerated() {
                let Terminator::Call { callee, .. } = &data.terminator else {
                    unfolding.hide_constructs(index, reach, (function, block), data);
                    continue;
                };
                let callee = callee.direct();
                let callee = callee.filter(|&callee| unfolding.may_enter(callee, context, most));
                let entered =
                    callee.and_then(|callee| unfolding.add(callee, Some((context, block))));
                match entered {
                    Some(callee) => {
                        let point = unfolding.point(context, block);
                        unfolding.entered[point] = Some(callee);
                        open.push_back(callee);
                    }
                    None => unfolding.hide(index, reach, (function, block)),
                }
            }
        }
        // What runs before the entry function, or when the program ends, is called by nobody here.
        let at_exit = reach.at_exit().iter().map(|&block| reach.function(block));
        let at_exit = at_exit.flat_map(|function| reach.functions_from(function));
        for function in at_exit.chain(program.run_by_themselves()) {
            unfolding.hidden.insert(function.index());
        }
        unfolding.connect();
        Some(unfolding)
    }

    /// Adds a context, if its function has code.
    fn add(
        &mut self,
        function: FunctionId,
        caller: Option<(ContextId, Block)>,
    ) -> Option<ContextId> {
        let body = self.program.functions[function].body.as_ref()?;
        if body.blocks.is_empty() {
            return None;
        }
        let context = self.contexts.push(Context {
            function,
            body,
            caller,
            first: self.owners.next_idx(),
        });
        for _ in &body.blocks {
            self.owners.push(context);
            self.entered.push(None);
        }
        Some(context)
    }

    /// Whether a call from a context is entered.
    fn may_enter(&self, callee: FunctionId, from: ContextId, most: usize) -> bool {
        let body = self.program.functions[callee].body.as_ref();
        let blocks = body.map_or(0, |body| body.blocks.len());
        let is_user = self.program.origin(callee) == Origin::User;
        let is_active = self
            .active(from)
            .any(|context| self.contexts[context].function == callee);
        let is_variadic = match self.program.types.kind(self.program.functions[callee].ty) {
            Type::Function(ty) => ty.variadic,
            _ => true,
        };
        let is_open = is_variadic
            || self.program.functions[callee].weak
            || self.program.has_another_definition(callee);
        is_user && !is_active && !is_open && self.owners.len() + blocks <= most
    }

    /// A context and those that it was called from, innermost first.
    pub fn active(&self, context: ContextId) -> impl Iterator<Item = ContextId> + '_ {
        std::iter::successors(Some(context), |&context| {
            self.contexts[context].caller.map(|(caller, _)| caller)
        })
    }

    /// Hides the functions that control may enter at a call.
    fn hide(&mut self, index: &CodeIndex, reach: &Reach, (function, block): (FunctionId, Block)) {
        for entered in reach.entered_at(index.block(function, block)) {
            for function in reach.functions_from(entered) {
                self.hidden.insert(function.index());
            }
        }
    }

    /// Hides what an unsupported construct may enter.
    fn hide_constructs(
        &mut self,
        index: &CodeIndex,
        reach: &Reach,
        at: (FunctionId, Block),
        data: &BlockData,
    ) {
        if matches!(data.terminator, Terminator::Unsupported { .. }) {
            self.hide(index, reach, at);
        }
    }

    /// Builds the graph of all contexts.
    fn connect(&mut self) {
        let mut successors: IndexVec<Point, Vec<Point>> =
            IndexVec::from_vec(vec![Vec::new(); self.owners.len()]);
        for (point, next) in successors.iter_mut_enumerated() {
            let context = self.owners[point];
            let here = |block| self.point(context, block);
            *next = match (self.entered[point], &self.block(point).terminator) {
                (Some(callee), _) => vec![self.contexts[callee].first],
                (None, Terminator::Return(_)) => self.returns_to(context).into_iter().collect(),
                (None, terminator) => terminator.successors().into_iter().map(here).collect(),
            };
        }
        self.graph = Graph::of(successors);
        let starts = self.graph.nodes();
        let starts: Vec<Point> = starts.filter(|&point| self.is_stand_in(point)).collect();
        self.unfaithful = self.graph.reachable(starts);
    }

    /// Whether a block is or ends with what stands for other code, and is not all of it: a construct
    /// that is not supported, a model that is narrower than what it models, a function of the C
    /// library in whose place the program may have its own, or an access to what linkers define.
    fn is_stand_in(&self, point: Point) -> bool {
        let block = self.block(point);
        if block
            .statements
            .iter()
            .any(|statement| self.is_at_place_of_linker(statement))
        {
            return true;
        }
        match &block.terminator {
            Terminator::Unsupported { .. } => true,
            Terminator::Call { arguments, .. }
                if arguments.iter().any(|it| self.leads_to_place_of_linker(it)) =>
            {
                true
            }
            Terminator::Call { callee, .. } => callee.direct().is_some_and(|callee| {
                let primitive = Primitive::of(&self.program.functions[callee]);
                let is_narrow = |primitive| {
                    matches!(
                        primitive,
                        Primitive::NarrowModel
                            | Primitive::UntestedModel
                            | Primitive::NarrowErrorNumber
                    )
                };
                primitive.is_some_and(is_narrow) || self.program.may_be_own(callee)
            }),
            _ => false,
        }
    }

    /// Whether a statement accesses what linkers define, which lies among other objects, or takes its
    /// address.
    fn is_at_place_of_linker(&self, statement: &Statement) -> bool {
        let is_there = |place: &Place| match &place.base {
            PlaceBase::Global(global) => is_place_of_linker(&self.program.globals[*global]),
            PlaceBase::Deref(pointer) => self.leads_to_place_of_linker(pointer),
            PlaceBase::Local(_) => false,
        };
        let StatementKind::Assign(place, value) = &statement.kind else {
            return false;
        };
        is_there(place)
            || match value {
                Rvalue::Load(from) | Rvalue::AddressOf(from) => is_there(from),
                Rvalue::Use(operand)
                | Rvalue::Unary(_, operand)
                | Rvalue::Cast(_, operand, _)
                | Rvalue::PointerOffset {
                    pointer: operand, ..
                } => self.leads_to_place_of_linker(operand),
                Rvalue::Binary(_, left, right) | Rvalue::PointerDifference { left, right, .. } => {
                    self.leads_to_place_of_linker(left) || self.leads_to_place_of_linker(right)
                }
                Rvalue::Zero(_) => false,
            }
    }

    /// Whether an operand is the address of what linkers define.
    fn leads_to_place_of_linker(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Global { global, .. } => {
                    is_place_of_linker(&self.program.globals[global])
                }
                _ => false,
            },
            Operand::Copy(_) => false,
        }
    }

    /// The blocks that control may come to behind code that is not what it stands for.
    pub fn unfaithful(&self) -> impl Iterator<Item = (FunctionId, Block)> + '_ {
        self.unfaithful.ones().map(|point| {
            let point = Point::from_usize(point);
            let context = &self.contexts[self.owners[point]];
            (context.function, self.block_of(point))
        })
    }

    /// The block of the caller at which a context returns.
    pub fn returns_to(&self, context: ContextId) -> Option<Point> {
        let (caller, block) = self.contexts[context].caller?;
        let call = &self.body(caller).blocks[block].terminator;
        let next = call.successor(0)?;
        Some(self.point(caller, next))
    }

    /// The number of a block in a context.
    pub fn point(&self, context: ContextId, block: Block) -> Point {
        self.contexts[context].first + block.index()
    }

    /// The first block of the entry function.
    pub fn start(&self) -> Point {
        Point::from_raw(0)
    }

    /// The context of a point.
    pub fn context(&self, point: Point) -> ContextId {
        self.owners[point]
    }

    /// A context's function and caller.
    pub fn data(&self, context: ContextId) -> &Context<'p> {
        &self.contexts[context]
    }

    /// All contexts.
    pub fn contexts(&self) -> impl Iterator<Item = (ContextId, &Context<'p>)> {
        self.contexts.iter_enumerated()
    }

    /// The block of a point, in its function.
    pub fn block_of(&self, point: Point) -> Block {
        let first = self.contexts[self.owners[point]].first;
        Block::from_usize(point.index() - first.index())
    }

    /// The code of a point.
    pub fn block(&self, point: Point) -> &'p BlockData {
        &self.body(self.owners[point]).blocks[self.block_of(point)]
    }

    /// The body of a context's function.
    pub fn body(&self, context: ContextId) -> &'p Body {
        self.contexts[context].body
    }

    /// The context that the call at the end of a point's block enters.
    pub fn entered(&self, point: Point) -> Option<ContextId> {
        self.entered[point]
    }

    /// The points, with an edge for each way that control may take.
    pub fn graph(&self) -> &Graph<Point> {
        &self.graph
    }

    /// Whether the function may be executed in ways that the graph does not have.
    pub fn is_hidden(&self, function: FunctionId) -> bool {
        self.hidden.contains(function.index())
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }
}
