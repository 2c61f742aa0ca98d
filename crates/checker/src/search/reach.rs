//! Where control can still go, by the control-flow graph of the whole program alone: branches go both
//! ways, calls return, and a call by a pointer enters any function of as many parameters that returns a
//! value or does not, as the call says.

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{
    Block, Callee, CodeBlock, CodeIndex, FunctionId, Program, Terminator, Type, TypeId, Typing,
};
use vm::{ConstraintKind, Context, Contexts, Site};

use crate::globals::Uses;

/// The control-flow graph of a program.
pub struct Reach<'p> {
    program: &'p Program,
    index: &'p CodeIndex,
    entry: FunctionId,
    graph: Graph<CodeBlock>,
    /// Where functions begin that may run when the program ends.
    at_exit: Vec<CodeBlock>,
}

/// Where control is: in a block, under some calls.
pub struct Place {
    function: FunctionId,
    block: Block,
    /// The calls under way, innermost first.
    calls: Vec<(FunctionId, Block)>,
}

impl Place {
    /// A place by its calls, innermost first, the block itself being the first.
    pub fn of_stack(stack: &[ir::test::Frame]) -> Option<Place> {
        let (first, callers) = stack.split_first()?;
        let calls = callers.iter().map(|frame| (frame.function, frame.block));
        Some(Place {
            function: first.function,
            block: first.block,
            calls: calls.collect(),
        })
    }

    /// The place of a choice.
    pub fn of_site(site: Site, context: Context, contexts: &Contexts) -> Place {
        let mut calls = Vec::new();
        let mut context = context;
        while let Some((caller, call)) = contexts.caller(context) {
            calls.push((call.function, call.block));
            context = caller;
        }
        Place {
            function: site.function,
            block: site.block,
            calls,
        }
    }
}

/// Blocks, and an edge, that control can reach.
pub struct Reached {
    blocks: FixedBitSet,
    /// The edge that it takes first.
    edge: Option<(FunctionId, Block, u32)>,
}

impl<'p> Reach<'p> {
    /// The graph of a program, whose executions begin in a function.
    pub fn new(program: &'p Program, index: &'p CodeIndex, entry: FunctionId) -> Self {
        let mut edges: IndexVec<CodeBlock, Vec<CodeBlock>> = IndexVec::new();
        for (id, function) in program.functions.iter_enumerated() {
            let Some(body) = &function.body else { continue };
            let typing = Typing {
                types: &program.types,
                globals: &program.globals,
                locals: &body.locals,
            };
            for block in &body.blocks {
                let inside = block.terminator.successors().into_iter();
                let mut next: Vec<CodeBlock> = inside.map(|to| index.block(id, to)).collect();
                if let Terminator::Call { callee, .. } = &block.terminator {
                    next.extend(entered(program, index, callee, typing));
                }
                edges.push(next);
            }
        }
        let at_exit = match program.uses_at_exit() {
            true => {
                let uses = Uses::everywhere(program).functions.into_iter();
                uses.filter_map(|function| start(program, index, function))
                    .collect()
            }
            false => Vec::new(),
        };
        Reach {
            program,
            index,
            entry,
            graph: Graph::of(edges),
            at_exit,
        }
    }

    /// What control can reach from a place, its own block included.
    pub fn behind(&self, place: &Place) -> Reached {
        let here = self.index.block(place.function, place.block);
        self.closure(Some(here), place, None)
    }

    /// What control can reach from a place where an alternative of a number was taken.
    pub fn behind_side(&self, place: &Place, kind: ConstraintKind, number: u32) -> Reached {
        let body = self.program.functions[place.function].body.as_ref();
        let block = body.and_then(|body| body.blocks.get(place.block));
        let terminator = block.map(|block| &block.terminator);
        let successor = match (kind, terminator) {
            // Number 1 is the first successor of a branch.
            (ConstraintKind::Branch, Some(Terminator::Branch { .. })) if number <= 1 => {
                Some(1 - number)
            }
            (ConstraintKind::Branch, Some(Terminator::Switch { .. })) => Some(number),
            _ => None,
        };
        let target = successor
            .zip(terminator)
            .and_then(|(successor, terminator)| {
                Some((successor, terminator.successor(successor as usize)?))
            });
        match target {
            Some((successor, target)) => {
                let target = self.index.block(place.function, target);
                let edge = (place.function, place.block, successor);
                self.closure(Some(target), place, Some(edge))
            }
            None => self.behind(place),
        }
    }

    /// What control can reach from anywhere.
    pub fn everything(&self) -> Reached {
        let mut blocks = FixedBitSet::with_capacity(self.graph.len());
        blocks.insert_range(..);
        Reached { blocks, edge: None }
    }

    fn closure(
        &self,
        here: Option<CodeBlock>,
        place: &Place,
        edge: Option<(FunctionId, Block, u32)>,
    ) -> Reached {
        let returns = place.calls.iter().filter_map(|&(function, block)| {
            let body = self.program.functions[function].body.as_ref()?;
            let next = body.blocks.get(block)?.terminator.successor(0)?;
            Some(self.index.block(function, next))
        });
        let outermost = place.calls.last().map_or(place.function, |call| call.0);
        // After a precondition comes the entry function.
        let next = match outermost == self.entry {
            true => None,
            false => start(self.program, self.index, self.entry),
        };
        let starts = here.into_iter().chain(returns).chain(next);
        let blocks = self
            .graph
            .reachable(starts.chain(self.at_exit.iter().copied()));
        Reached { blocks, edge }
    }

    /// Whether a place of the code is among what was reached.
    pub fn has(&self, reached: &Reached, place: &ir::certificate::CodePlace) -> bool {
        let (function, block) = (
            FunctionId::from_raw(place.function),
            Block::from_raw(place.block),
        );
        let is_edge = reached.edge.is_some_and(|(of, from, successor)| {
            (of, from) == (function, block) && place.successor.is_none_or(|it| it == successor)
        });
        is_edge
            || reached
                .blocks
                .contains(self.index.block(function, block).index())
    }
}

/// Where a function begins, if it has a body.
fn start(program: &Program, index: &CodeIndex, function: FunctionId) -> Option<CodeBlock> {
    let body = program.functions[function].body.as_ref()?;
    (!body.blocks.is_empty()).then(|| index.block(function, Block::from_raw(0)))
}

/// Where control may enter functions at a call.
fn entered(
    program: &Program,
    index: &CodeIndex,
    callee: &Callee,
    typing: Typing<'_>,
) -> Vec<CodeBlock> {
    let pointer = match callee {
        Callee::Direct(function) => {
            return start(program, index, *function).into_iter().collect();
        }
        Callee::Indirect(pointer) => pointer,
    };
    let called = typing
        .operand(pointer)
        .and_then(|ty| program.types.pointee(ty));
    let called = called.and_then(|ty| shape(program, ty));
    let functions = program.functions.iter_enumerated();
    let fitting = functions.filter(|(_, function)| {
        let own = shape(program, function.ty);
        called.is_none() || own.is_none() || called == own
    });
    fitting
        .filter_map(|(id, _)| start(program, index, id))
        .collect()
}

/// How many parameters a type of functions has, and whether its functions return a value, if it says so.
fn shape(program: &Program, ty: TypeId) -> Option<(usize, bool)> {
    match program.types.kind(ty) {
        Type::Function(ty) if !ty.variadic => {
            let is_void = matches!(program.types.kind(ty.result), Type::Void);
            Some((ty.parameters.len(), is_void))
        }
        _ => None,
    }
}
