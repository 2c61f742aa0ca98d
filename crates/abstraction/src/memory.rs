//! Reads of memory: the values that code finds in locations.

use std::cell::RefCell;
use std::rc::Rc;

use expr::{Term, Terms};
use ir::{Local, Operand, Place, PlaceBase, Rvalue, Typing};
use semantics::{Code, Evaluated, Source};

use crate::arena::Arena;
use crate::arrays::Arrays;
use crate::elements::{Element, Elements, element};
use crate::locations::{Access, INDEX_WIDTH, Location, LocationId, width};
use crate::model::Model;
use crate::places::{ByteRange, Object};
use crate::state::State;
use crate::unfolding::ContextId;

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexedElement {
    /// The location of the array: its element at the index that is the same for all.
    pub array: LocationId,
    /// Which element it is.
    pub index: Term,
    /// The array.
    pub elements: Elements,
}

/// The memory at a place of a segment, as the code of a context reads it.
pub(crate) struct Memory<'a, 'p> {
    pub model: &'a Model<'p>,
    pub context: ContextId,
    pub state: &'a State,
    /// What the segment does to arrays.
    pub arrays: Rc<RefCell<Arrays>>,
}

impl Memory<'_, '_> {
    /// What a right side is; `None` if nothing is known of it.
    pub fn evaluate(
        &self,
        code: Code<'_>,
        value: &Rvalue,
        arena: &mut Arena,
    ) -> Option<Evaluated<Terms>> {
        self.with(arena, |terms, source| code.rvalue(terms, source, value))
    }

    /// The value of an operand; `None` if it is no integer or pointer.
    pub fn operand(&self, code: Code<'_>, operand: &Operand, arena: &mut Arena) -> Option<Term> {
        self.with(arena, |terms, source| code.operand(terms, source, operand))
    }

    /// The element that a place means: its array, and its index as a number of [`INDEX_WIDTH`] bits.
    pub fn element(&self, place: &Place, arena: &mut Arena) -> Option<IndexedElement> {
        self.with(arena, |terms, source| source.element(terms, place))
    }

    /// Calls the semantics with the terms and this memory as the source of values. What it reads
    /// that is unknown is a fresh variable.
    pub fn with<T>(
        &self,
        arena: &mut Arena,
        ask: impl FnOnce(&mut Terms, &mut Reader<'_, '_, '_>) -> T,
    ) -> T {
        let Arena { terms, next } = arena;
        let mut reader = Reader { memory: self, next };
        ask(terms, &mut reader)
    }
}

/// The source of values for the semantics.
pub(crate) struct Reader<'r, 'a, 'p> {
    memory: &'r Memory<'a, 'p>,
    next: &'r mut u32,
}

impl Source<Terms> for Reader<'_, '_, '_> {
    fn local(&mut self, terms: &mut Terms, local: Local) -> Option<Term> {
        let memory = self.memory;
        let decl = &memory.model.unfolding.body(memory.context).locals[local];
        let place = Place {
            base: PlaceBase::Local(local),
            projections: Vec::new(),
            ty: decl.ty,
        };
        self.load(terms, &place)
    }

    fn load(&mut self, terms: &mut Terms, place: &Place) -> Option<Term> {
        let model = self.memory.model;
        let width = width(model.program(), place.ty)?;
        match model
            .locations
            .access(&model.unfolding, self.memory.context, place)
        {
            Access::Location(location) => Some(self.memory.state.value(location, &model.at_start)),
            Access::ByteRange(part) => Some(match self.constant(part, width) {
                Some(bits) => terms.constant(width, bits),
                None => match self.element(terms, place) {
                    Some(element) => self.read(terms, element),
                    None => self.fresh(terms, width),
                },
            }),
            Access::Indirect => Some(self.fresh(terms, width)),
        }
    }
}

impl Reader<'_, '_, '_> {
    /// See [`Memory::element`].
    fn element(&mut self, terms: &mut Terms, place: &Place) -> Option<IndexedElement> {
        let Memory { model, context, .. } = *self.memory;
        let program = model.program();
        let Element {
            object,
            elements,
            index,
        } = element(model.locations.pointers(), &model.unfolding, context, place)?;
        let location = Location::element(object, elements, place.ty);
        let array = model.locations.number(&location)?;
        model.locations.index()?;
        let body = model.unfolding.body(context);
        let typing = Typing {
            types: &program.types,
            globals: &program.globals,
            locals: &body.locals,
        };
        let int = program.types.int(typing.operand(index)?)?;
        let index = Code::new(program, body).operand(terms, self, index)?;
        let index = match int.signed {
            true => terms.sign_extend(INDEX_WIDTH, index),
            false => terms.zero_extend(INDEX_WIDTH, index),
        };
        Some(IndexedElement {
            array,
            index,
            elements,
        })
    }

    /// The value of an element.
    fn read(&mut self, terms: &mut Terms, element: IndexedElement) -> Term {
        let model = self.memory.model;
        let width = terms.width(model.at_start[element.array]);
        let k = model.locations.index().map(|index| model.at_start[index]);
        match k {
            Some(k) => {
                let mut arrays = self.memory.arrays.borrow_mut();
                let mut fresh = |terms: &mut Terms, width| Arena::fresh_of(terms, self.next, width);
                arrays.read(terms, &mut fresh, &element, k, width)
            }
            None => self.fresh(terms, width),
        }
    }

    fn fresh(&mut self, terms: &mut Terms, width: u32) -> Term {
        Arena::fresh_of(terms, self.next, width)
    }

    /// The bits that a global which never changes holds in a part.
    fn constant(&self, part: ByteRange, width: u32) -> Option<u128> {
        let model = self.memory.model;
        let program = model.program();
        let Object::Global(global) = part.object else {
            return None;
        };
        let is_constant = model.locations.is_constant(program, global);
        let initializer = program.globals[global].initializer.as_ref()?;
        let (first, end) = part.range;
        let overlaps = |at: u64, size: u64| at < end && first < at + size;
        let pointer = u64::from(program.target.pointer_width / 8);
        let mut relocations = initializer.relocations.iter();
        let is_open = |&at: &u64| {
            initializer
                .open
                .get(at as usize)
                .is_some_and(|&open| open != 0)
        };
        let is_number = is_constant
            && part.exact
            && end - first == u64::from(width / 8)
            && !relocations.any(|relocation| overlaps(relocation.offset, pointer))
            && !(first..end).any(|at| is_open(&at));
        let byte = |at: u64| initializer.bytes.get(at as usize).copied().unwrap_or(0);
        let bits = (first..end)
            .rev()
            .fold(0u128, |bits, at| bits << 8 | u128::from(byte(at)));
        is_number.then_some(bits)
    }
}
