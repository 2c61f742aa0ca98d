//! The code that formulas are built of, with all that is found out about it beforehand.

use std::collections::{BTreeMap, BTreeSet};

use analysis::Liveness;
use expr::Term;
use index_vec::IndexVec;
use ir::{Block, CodeIndex, FunctionId, Local, LocalKind, Program, RecordKind, TypeId, Types};

use crate::formulas::arena::Arena;
use crate::graph::cuts::{Cuts, heads};
use crate::graph::unfolding::{ContextId, Point, Unfolding};
use crate::objects::initial::initial_values;
use crate::objects::locations::{INDEX_WIDTH, KnownElements, LocationId, Locations};
use crate::objects::places::{Object, is_register};
use crate::objects::scalars::width;

/// Whether functions without a body may call functions of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallBacks {
    /// They may.
    Possible,
    /// They do not: a bound.
    Excluded,
}

/// Whether allocations may fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocations {
    /// They may.
    #[default]
    MayFail,
    /// They do not: a bound.
    NeverFail,
}

/// The bounds of a model, and how much of arrays it knows.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Whether functions without a body may call functions of the program.
    pub call_backs: CallBacks,
    /// Whether allocations may fail. A proof rests on this bound only where it needs it.
    pub allocations: Allocations,
    /// How many elements of an array are known at once.
    pub elements: KnownElements,
}

/// How many terms the search for loops of few rounds may build.
const MOST_TERMS: usize = 300_000;

/// An unfolded program with its cut points and its memory.
pub struct Model<'p> {
    /// The graph.
    pub unfolding: Unfolding<'p>,
    /// Its cut points.
    pub cuts: Cuts,
    /// The memory that is known.
    pub locations: Locations,
    /// The value of each location at the start of a segment: a variable of its own.
    pub at_start: IndexVec<LocationId, Term>,
    /// The locations whose values are known where executions start.
    pub initial: BTreeMap<LocationId, u128>,
    /// Numbers the blocks and edges of the program.
    pub index: CodeIndex,
    /// Its bounds.
    pub bounds: Bounds,
    /// Whether functions of the C library call nothing back: the code gives them no functions.
    pub is_library_quiet: bool,
    liveness: IndexVec<FunctionId, Option<Liveness>>,
}

impl<'p> Model<'p> {
    /// The model of an unfolded program.
    pub fn new(
        unfolding: Unfolding<'p>,
        index: &CodeIndex,
        bounds: Bounds,
        arena: &mut Arena,
    ) -> Model<'p> {
        let program = unfolding.program();
        let locations = Locations::new(&unfolding, bounds.elements);
        let entry = unfolding.context(unfolding.start());
        let entry = unfolding.data(entry).function;
        let cuts = Cuts::new(unfolding.graph(), unfolding.start(), &BTreeSet::new());
        let at_start = locations.iter().map(|(_, location)| {
            let width = match location.object {
                Object::Index | Object::Position(..) => INDEX_WIDTH,
                Object::Allocated(_) => 1,
                _ => width(program, location.ty).unwrap_or(1),
            };
            arena.fresh(width)
        });
        let at_start = at_start.collect();
        let mut liveness = IndexVec::from_vec(vec![None; program.functions.len()]);
        for (_, context) in unfolding.contexts() {
            let body = context.body;
            liveness[context.function].get_or_insert_with(|| {
                Liveness::new(body, |local| is_register(program, &body.locals[local]))
            });
        }
        let mut model = Model {
            bounds,
            is_library_quiet: is_library_quiet(program),
            initial: initial_values(program, entry, &locations),
            unfolding,
            cuts,
            locations,
            at_start,
            index: index.clone(),
            liveness,
        };
        model.cuts = model.without_short_loops(arena);
        model
    }

    /// The cuts without the heads of loops that end after few rounds, from wherever a segment comes
    /// to them.
    fn without_short_loops(&mut self, arena: &mut Arena) -> Cuts {
        let graph = self.unfolding.graph();
        let start = self.unfolding.start();
        let mut short = heads(graph, start);
        short.remove(&start);
        let most = arena.terms.len() + MOST_TERMS;
        loop {
            self.cuts = Cuts::new(self.unfolding.graph(), start, &short);
            let mut segments = self
                .cuts
                .iter()
                .map(|cut| self.segment(cut, &|_| false, arena));
            let unfinished = segments.find(|segment| !segment.unfinished.is_empty());
            drop(segments);
            let Some(segment) = unfinished else {
                return self.cuts.clone();
            };
            let before = short.len();
            short.retain(|head| !segment.unfinished.contains(head));
            if short.len() == before || arena.terms.len() > most {
                short.clear();
            }
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.unfolding.program()
    }

    /// Whether a location has a value behind a point that may matter: that is read before it is
    /// written, or is an integer variable of a function that has not returned. Relations with such
    /// variables hold on when these are not read any more.
    pub fn is_live(&self, point: Point, location: LocationId) -> bool {
        let (Object::Local(of, local) | Object::Position(of, local)) =
            self.locations.get(location).object
        else {
            return true;
        };
        let mut at = Some(point);
        let context = self.unfolding.context(point);
        for active in self.unfolding.active(context) {
            if active == of {
                let block = at.map(|point| self.unfolding.block_of(point));
                // Behind a call that never returns, locals are read through pointers only.
                return match block {
                    Some(block) => self.is_live_in(active, block, local),
                    None => !is_register(self.program(), &self.unfolding.body(of).locals[local]),
                };
            }
            at = self.unfolding.returns_to(active);
        }
        false
    }

    /// Whether an object is or holds a union.
    pub fn has_union(&self, object: Object) -> bool {
        let ty = match object {
            Object::Local(context, local) => self.unfolding.body(context).locals[local].ty,
            Object::Global(global) => self.program().globals[global].ty,
            // A place in a union has no part that is known there.
            Object::Nodes(_)
            | Object::Allocated(_)
            | Object::Heap(_)
            | Object::Index
            | Object::Position(..) => return false,
        };
        holds_union(&self.program().types, ty)
    }

    fn is_live_in(&self, context: ContextId, block: Block, local: Local) -> bool {
        let function = self.unfolding.data(context).function;
        let liveness = self.liveness[function].as_ref();
        liveness.is_none_or(|liveness| liveness.is_live(block, local))
            || self.is_integer_variable(context, local)
    }

    /// Whether a local is an integer variable of the source that lives in a register.
    fn is_integer_variable(&self, context: ContextId, local: Local) -> bool {
        let program = self.program();
        let declared = &self.unfolding.body(context).locals[local];
        let is_integer = program.types.int(declared.ty).is_some();
        declared.kind != LocalKind::Temporary && is_integer && is_register(program, declared)
    }
}

/// Whether the code gives no function of the C library a function to call, then or later.
fn is_library_quiet(program: &Program) -> bool {
    let mut functions = program.functions.iter_enumerated();
    let may_call = |(id, function): (FunctionId, &ir::Function)| {
        function.body.is_none() && program.takes_callbacks(id)
    };
    !program.sets_library_hooks() && !functions.any(may_call)
}

fn holds_union(types: &Types, ty: TypeId) -> bool {
    let ty = types.element_of(ty);
    types.record(ty).is_some_and(|record| {
        let mut fields = record.fields.iter();
        record.kind == RecordKind::Union || fields.any(|field| holds_union(types, field.ty))
    })
}
