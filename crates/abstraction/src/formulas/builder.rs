//! Builds the formulas of segments, by executing their code on terms.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use expr::{CmpOp, Term};
use ir::{DefectKind, Operand, Place, PlaceBase, Program, Rvalue, SpanId, StatementKind};
use semantics::Code;

use crate::formulas::arena::Arena;
use crate::formulas::arrays::{Arrays, Change};
use crate::formulas::memory::Memory;
use crate::formulas::model::Model;
use crate::formulas::segment::{Check, CodePlace, Exit, Failure, ReachedPlace, Segment};
use crate::formulas::state::State;
use crate::graph::cuts::CutId;
use crate::graph::schedule::{Item, Loop};
use crate::graph::unfolding::{ContextId, Point};
use crate::objects::location::AtIndex;
use crate::objects::locations::{INDEX_WIDTH, LocationId};
use crate::objects::places::Object;
use crate::objects::scalars::width;

impl Model<'_> {
    /// The formulas of the segment from a cut, with the places that are wanted.
    pub fn segment(
        &self,
        cut: CutId,
        wanted: &dyn Fn(CodePlace) -> bool,
        arena: &mut Arena,
    ) -> Segment {
        let start = State::start(arena);
        self.segment_from(cut, start, wanted, arena)
    }

    /// The same, behind other code that leads to the cut in a state.
    pub fn segment_from(
        &self,
        cut: CutId,
        mut start: State,
        wanted: &dyn Fn(CodePlace) -> bool,
        arena: &mut Arena,
    ) -> Segment {
        let mut arrays = Arrays::default();
        if cut == self.cuts.start() {
            self.initialize(&mut start, &mut arrays, arena);
        }
        arrays.initial = self.elements_in(&start);
        let mut builder = Builder {
            model: self,
            arena,
            wanted,
            segment: Segment {
                from: cut,
                exits: Vec::new(),
                places: Vec::new(),
                checks: Vec::new(),
                conditions: Vec::new(),
                edges: Vec::new(),
                arrays: Arrays::default(),
                results: Vec::new(),
                addresses: Vec::new(),
                moved: Vec::new(),
                unfinished: BTreeSet::new(),
                is_called_back: false,
            },
            arrays: Rc::new(RefCell::new(arrays)),
            arrived: BTreeMap::new(),
            left: BTreeMap::new(),
            decided: BTreeSet::new(),
        };
        let first = self.cuts.point(cut);
        if cut == self.cuts.start() && self.cuts.at(first).is_some() {
            builder.send(first, start);
        } else {
            builder.arrived.insert(first, vec![start]);
        }
        match self.cuts.segment(self.unfolding.graph(), cut) {
            Ok(items) => builder.items(&items),
            Err(entries) => builder.segment.unfinished.extend(entries),
        }
        builder.finish()
    }
}

impl Model<'_> {
    /// Gives locations the values that are known where executions start.
    fn initialize(&self, state: &mut State, arrays: &mut Arrays, arena: &mut Arena) {
        for (&location, &bits) in &self.initial {
            let width = arena.terms.width(self.at_start[location]);
            let value = arena.terms.constant(width, bits);
            state.changed.insert(location, value);
            let data = self.locations.get(location);
            if data.of.is_some() && data.at == AtIndex::First {
                arrays.change(location, state.reach, Change::All(value));
            }
        }
    }

    /// The elements of each array that are known, in a state.
    fn elements_in(&self, state: &State) -> BTreeMap<LocationId, Vec<(Term, Term)>> {
        let known = |element: LocationId| {
            let at = self.locations.get(element).at;
            let index = self.locations.index_at(at)?;
            Some((self.at_start[index], state.value(element, &self.at_start)))
        };
        let arrays = self.locations.elements().iter();
        let both = |&array: &LocationId| {
            let elements = [Some(array), self.locations.at_second(array)];
            let known = elements.into_iter().flatten().filter_map(known);
            (array, known.collect())
        };
        arrays.map(both).collect()
    }
}

/// How many rounds of a loop are executed in a segment.
const MOST_ROUNDS: usize = 17;

/// How many terms the rounds of a loop may take.
const MOST_TERMS: usize = 30_000;

/// A segment under construction.
pub(crate) struct Builder<'m, 'p> {
    pub model: &'m Model<'p>,
    pub arena: &'m mut Arena,
    wanted: &'m dyn Fn(CodePlace) -> bool,
    pub segment: Segment,
    /// What the segment does to arrays.
    pub arrays: Rc<RefCell<Arrays>>,
    /// What came along the edges to each point.
    arrived: BTreeMap<Point, Vec<State>>,
    /// What came to each cut.
    left: BTreeMap<CutId, Vec<State>>,
    /// The points whose branch went one way only, when they were last executed.
    pub decided: BTreeSet<Point>,
}

/// A place of the code.
#[derive(Clone, Copy)]
pub(crate) struct Here<'p> {
    pub point: Point,
    pub context: ContextId,
    pub code: Code<'p>,
    pub span: SpanId,
}

impl<'p> Builder<'_, 'p> {
    pub fn program(&self) -> &'p Program {
        self.model.program()
    }

    fn finish(mut self) -> Segment {
        if self.segment.unfinished.is_empty() {
            // Nothing is left where the order of execution is right.
            self.segment.unfinished.extend(self.arrived.keys());
        }
        for (to, states) in std::mem::take(&mut self.left) {
            let state = State::join(states, &self.model.at_start, self.arena);
            let exit = state.map(|state| Exit { to, state });
            self.segment.exits.extend(exit);
        }
        let model = self.model;
        let arrays = model.locations.elements().iter();
        let widths = arrays.map(|&array| (array, self.arena.terms.width(model.at_start[array])));
        let widths: Vec<(LocationId, u32)> = widths.collect();
        let mut arrays = self.arrays.take();
        arrays.complete(self.arena, widths.into_iter());
        self.segment.arrays = arrays;
        self.segment
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Point(point) => self.point(*point),
                Item::Loop(repeated) => self.repeat(repeated),
            }
        }
    }

    /// Executes a loop of few rounds.
    fn repeat(&mut self, repeated: &Loop) {
        let most = self.arena.terms.len() + MOST_TERMS;
        for _ in 0..MOST_ROUNDS {
            if !self.arrived.contains_key(&repeated.head) {
                return;
            }
            self.items(&repeated.body);
            let mut exits = repeated.exits.iter();
            let is_decided = exits.any(|exit| self.decided.contains(exit));
            let is_large = self.arena.terms.len() > most;
            if !self.segment.unfinished.is_empty() {
                return;
            }
            if !is_decided || is_large {
                break;
            }
        }
        if self.arrived.contains_key(&repeated.head) {
            self.segment.unfinished.insert(repeated.head);
        }
    }

    /// Sends a state along an edge to a point.
    pub fn send(&mut self, to: Point, mut state: State) {
        if self.arena.terms.as_bool(state.reach) == Some(false) {
            return;
        }
        let model = self.model;
        state
            .changed
            .retain(|&location, _| model.is_live(to, location));
        match model.cuts.at(to) {
            Some(cut) => self.left.entry(cut).or_default().push(state),
            None => self.arrived.entry(to).or_default().push(state),
        }
    }

    /// Executes the code of a point.
    fn point(&mut self, point: Point) {
        let states = self.arrived.remove(&point).unwrap_or_default();
        let Some(mut state) = State::join(states, &self.model.at_start, self.arena) else {
            return;
        };
        let unfolding = &self.model.unfolding;
        let context = unfolding.context(point);
        let block = unfolding.block(point);
        let here = Here {
            point,
            context,
            code: Code::new(self.program(), unfolding.body(context)),
            span: block.span,
        };
        for statement in &block.statements {
            let span = statement.span;
            self.statement(Here { span, ..here }, &statement.kind, &mut state);
        }
        let function = unfolding.data(context).function;
        let number = self.model.index.block(function, unfolding.block_of(point));
        self.reach_place(CodePlace::Block(number), &state);
        self.terminator(here, &block.terminator, state);
    }

    /// Adds a place, if it is wanted.
    pub fn reach_place(&mut self, place: CodePlace, state: &State) {
        if (self.wanted)(place) {
            self.segment.places.push(ReachedPlace {
                place,
                reach: state.reach,
                checks: state.checks.clone(),
            });
        }
    }

    fn statement(&mut self, here: Here<'p>, kind: &StatementKind, state: &mut State) {
        match kind {
            StatementKind::Assign(place, value) => self.assign(here, place, value, state),
            StatementKind::StorageLive(local) | StatementKind::StorageLiveArray(local, _) => {
                self.havoc_object(Object::Local(here.context, *local), state);
            }
            StatementKind::StorageDead(_) => {}
        }
    }

    fn assign(&mut self, here: Here<'p>, place: &Place, value: &Rvalue, state: &mut State) {
        self.dereferenced(here, place, state);
        if let Rvalue::Load(from) = value {
            self.dereferenced(here, from, state);
        }
        let is_scalar = self.program().types.is_scalar(place.ty);
        if !is_scalar && self.assign_whole(here.context, place, value, state) {
            return;
        }
        let result = match value {
            Rvalue::PointerOffset { .. } => self.moved(place),
            _ => self.evaluate(here, value, state),
        };
        let array = self.model.locations.pointers().array(here.context, place);
        let memory = self.memory(here.context, state);
        let position = array.and_then(|it| memory.position_of_value(it, value, self.arena));
        self.write(here.context, place, result, state);
        self.move_to(here.context, place, position, state);
    }

    /// The value of a pointer that is moved and assigned to a place.
    fn moved(&mut self, place: &Place) -> Option<Term> {
        let moved = self.arena.fresh(self.width(place.ty)?);
        self.segment.moved.push(moved);
        Some(moved)
    }

    /// The value of a right side, with its requirements as checks; unknown where nothing is known
    /// of it.
    fn evaluate(&mut self, here: Here<'p>, value: &Rvalue, state: &mut State) -> Option<Term> {
        let memory = self.memory(here.context, state);
        let evaluated = memory.evaluate(here.code, value, self.arena)?;
        for (kind, holds) in evaluated.requirements {
            self.check(here, kind, holds, state);
        }
        Some(evaluated.value)
    }

    pub fn memory<'a>(&self, context: ContextId, state: &'a State) -> Memory<'a, 'p>
    where
        Self: 'a,
    {
        Memory {
            model: self.model,
            context,
            state,
            arrays: Rc::clone(&self.arrays),
        }
    }

    /// The value of an operand; `None` if it is no integer or pointer.
    pub fn operand(&mut self, here: Here<'p>, operand: &Operand, state: &State) -> Option<Term> {
        let memory = self.memory(here.context, state);
        memory.operand(here.code, operand, self.arena)
    }

    /// Adds a requirement of C that holds for what follows.
    pub fn check(&mut self, here: Here<'p>, kind: DefectKind, holds: Term, state: &mut State) {
        self.require(here, Failure::Defect(kind), holds, state);
    }

    /// Adds a requirement that holds for what follows.
    pub fn require(&mut self, here: Here<'p>, failure: Failure, holds: Term, state: &mut State) {
        let terms = &mut self.arena.terms;
        if terms.as_bool(holds) == Some(true) {
            return;
        }
        let not_there = terms.bool_not(state.reach);
        let holds = terms.bool_or(not_there, holds);
        let unfolding = &self.model.unfolding;
        let at = self.segment.checks.len();
        self.segment.checks.push(Check {
            failure,
            function: unfolding.data(here.context).function,
            span: unfolding.body(here.context).spans.get(here.span).cloned(),
            holds,
        });
        state.checks.grow_and_insert(at);
    }

    /// Adds that a pointer is not NULL where an object is accessed through it, and that an element is
    /// one of its array.
    pub fn dereferenced(&mut self, here: Here<'p>, place: &Place, state: &mut State) {
        let PlaceBase::Deref(pointer) = &place.base else {
            let memory = self.memory(here.context, state);
            if let Some(element) = memory.element(place, self.arena) {
                let count = u128::from(element.elements.count);
                let count = self.arena.terms.constant(INDEX_WIDTH, count);
                let terms = &mut self.arena.terms;
                let holds = terms.compare(CmpOp::Ult, element.index, count);
                self.check(here, DefectKind::OutOfBounds, holds, state);
            }
            return;
        };
        if let Some(pointer) = self.operand(here, pointer, state) {
            let holds = self.arena.terms.is_nonzero(pointer);
            self.check(here, DefectKind::NullDereference, holds, state);
            self.is_allocated(here, place, state);
        }
    }

    /// The width of a type in the formulas.
    pub fn width(&self, ty: ir::TypeId) -> Option<u32> {
        width(self.program(), ty)
    }
}
