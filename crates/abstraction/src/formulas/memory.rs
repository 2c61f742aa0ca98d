//! Reads of memory: the values that code finds in locations.

use std::cell::RefCell;
use std::rc::Rc;

use expr::{BvOp, CmpOp, Term, Terms};
use ir::{CastKind, Local, Operand, Place, PlaceBase, Projection, Rvalue, TypeId, Typing};
use semantics::{Code, Evaluated, Source};

use crate::formulas::arena::Arena;
use crate::formulas::arrays::Arrays;
use crate::formulas::model::Model;
use crate::formulas::records::IndexedRecord;
use crate::formulas::state::State;
use crate::graph::unfolding::ContextId;
use crate::objects::elements::Elements;
use crate::objects::indexed::{Element, Which, element, part_of_element};
use crate::objects::initial::initial_bits;
use crate::objects::location::Location;
use crate::objects::locations::{Access, INDEX_WIDTH, LocationId};
use crate::objects::places::{ByteRange, Object, Offset, size_of};
use crate::objects::scalars::width;

/// How many elements a constant array may have that reads tell apart.
const LONGEST_TABLE: u64 = 64;

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexedElement {
    /// The object that the array is, or is a part of.
    pub object: Object,
    /// The type of the elements.
    pub ty: TypeId,
    /// The location of the array, its element at the index that is the same for all; `None` if it is
    /// small, so that each element is a location.
    pub array: Option<LocationId>,
    /// Which element it is.
    pub index: Term,
    /// The array.
    pub elements: Elements,
    /// Whether it is one: a pointer may have left an array that is a part of an object.
    pub is_within: Term,
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

    /// The element that a place means which may be a record.
    pub fn record(&self, place: &Place, arena: &mut Arena) -> Option<IndexedRecord> {
        self.with(arena, |terms, source| source.record(terms, place))
    }

    /// The value of an element.
    pub fn read(&self, element: IndexedElement, arena: &mut Arena) -> Term {
        self.with(arena, |terms, source| source.read(terms, element))
    }

    /// The index of the element of an array that the value of a right side leads to, if it leads to
    /// one.
    pub fn position_of_value(
        &self,
        array: Elements,
        value: &Rvalue,
        arena: &mut Arena,
    ) -> Option<Term> {
        self.with(arena, |terms, source| {
            source.position_of_value(terms, array, value)
        })
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
    pub memory: &'r Memory<'a, 'p>,
    pub next: &'r mut u32,
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
            Access::Node(scalar) => Some(match self.node(terms, place) {
                Some((_, address)) => self.read_node(terms, scalar, address),
                None => self.fresh(terms, width),
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
        let found = element(model.locations.pointers(), &model.unfolding, context, place)?;
        let Element {
            object, elements, ..
        } = found;
        let location = Location::element(object, elements, place.ty);
        let is_constant = match object {
            Object::Global(global) => model.locations.is_constant(program, global),
            _ => false,
        };
        let array = match elements.is_small() || is_constant && elements.count <= LONGEST_TABLE {
            true => None,
            false => Some(model.locations.number(&location)?),
        };
        let (index, is_within) = self.which(terms, &found)?;
        Some(IndexedElement {
            object,
            ty: place.ty,
            array,
            index,
            elements,
            is_within,
        })
    }

    /// See [`Memory::record`].
    fn record(&mut self, terms: &mut Terms, place: &Place) -> Option<IndexedRecord> {
        let Memory { model, context, .. } = *self.memory;
        let pointers = model.locations.pointers();
        let found = part_of_element(pointers, &model.unfolding, context, place)?;
        let (index, is_within) = self.which(terms, &found)?;
        Some(IndexedRecord {
            object: found.object,
            elements: found.elements,
            index,
            is_within,
        })
    }

    /// The index of an element, and whether it is one of its array.
    fn which(&mut self, terms: &mut Terms, element: &Element<'_>) -> Option<(Term, Term)> {
        let Memory { model, .. } = *self.memory;
        match element.which {
            Which::Number(index) => Some((self.index(terms, index)?, terms.bool(true))),
            Which::Pointer(context, local) => {
                let Elements { stride, count, .. } = element.elements;
                let index = self.position(context, local)?;
                // Elements of an object that may be of any size reach up to its end.
                let is_open = matches!(element.object, Object::Heap(_));
                let size = size_of(&model.unfolding, element.object);
                let is_part = !is_open && count.saturating_mul(stride) < size;
                let count = terms.constant(INDEX_WIDTH, u128::from(count));
                let is_within = match is_part {
                    true => terms.compare(CmpOp::Ult, index, count),
                    false => terms.bool(true),
                };
                Some((index, is_within))
            }
        }
    }

    /// An index as a number of [`INDEX_WIDTH`] bits.
    fn index(&mut self, terms: &mut Terms, index: &Operand) -> Option<Term> {
        let Memory { model, context, .. } = *self.memory;
        let program = model.program();
        let body = model.unfolding.body(context);
        let typing = Typing {
            types: &program.types,
            globals: &program.globals,
            locals: &body.locals,
        };
        let int = program.types.int(typing.operand(index)?)?;
        if int.width > INDEX_WIDTH {
            return None;
        }
        let index = Code::new(program, body).operand(terms, self, index)?;
        Some(match int.signed {
            true => terms.sign_extend(INDEX_WIDTH, index),
            false => terms.zero_extend(INDEX_WIDTH, index),
        })
    }

    /// The index of the element that a pointer leads to.
    fn position(&self, context: ContextId, pointer: Local) -> Option<Term> {
        let Memory { model, state, .. } = *self.memory;
        let position = model.locations.position(context, pointer)?;
        Some(state.value(position, &model.at_start))
    }

    /// The index of the element of an array that an operand leads to.
    fn position_of(&self, terms: &mut Terms, array: Elements, pointer: &Operand) -> Option<Term> {
        let Memory { model, context, .. } = *self.memory;
        let target = model
            .locations
            .pointers()
            .target(&model.unfolding, context, pointer)?;
        match (target.offset, pointer) {
            (Offset::InElement { array: of, .. }, Operand::Copy(local)) if of == array => {
                self.position(context, *local)
            }
            (Offset::Exact(offset), _) => {
                let (_, index) = array.inside(offset)?;
                Some(terms.constant(INDEX_WIDTH, u128::from(index)))
            }
            _ => None,
        }
    }

    /// The index of the element of an array that the value of a right side leads to, if it leads to
    /// one.
    pub fn position_of_value(
        &mut self,
        terms: &mut Terms,
        array: Elements,
        value: &Rvalue,
    ) -> Option<Term> {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(CastKind::PointerToPointer, operand, _) => {
                self.position_of(terms, array, operand)
            }
            Rvalue::PointerOffset {
                pointer,
                index,
                negative,
                ..
            } => {
                let from = self.position_of(terms, array, pointer)?;
                let by = self.index(terms, index)?;
                let op = if *negative { BvOp::Sub } else { BvOp::Add };
                Some(terms.binary(op, from, by))
            }
            Rvalue::AddressOf(place) => self.position_of_place(terms, array, place),
            _ => None,
        }
    }

    /// The index of the element of an array that a place is in, if it is in one.
    fn position_of_place(
        &mut self,
        terms: &mut Terms,
        array: Elements,
        place: &Place,
    ) -> Option<Term> {
        let Memory { model, context, .. } = *self.memory;
        let pointers = model.locations.pointers();
        let (target, _) = pointers.base(&model.unfolding, context, place)?;
        let mut indices = place.projections.iter().filter_map(|step| match step {
            Projection::Index(index @ Operand::Copy(_)) => Some(index),
            _ => None,
        });
        match (target.offset, &place.base, indices.next()) {
            (Offset::InElement { .. }, PlaceBase::Deref(pointer), None) => {
                self.position_of(terms, array, pointer)
            }
            (Offset::Exact(_), _, Some(index)) => {
                indices.next().is_none().then(|| self.index(terms, index))?
            }
            (Offset::Exact(_), _, None) => {
                let part = pointers.locate(&model.unfolding, context, place)?;
                let (_, index) = array.inside(part.range.0).filter(|_| part.exact)?;
                Some(terms.constant(INDEX_WIDTH, u128::from(index)))
            }
            _ => None,
        }
    }

    /// The value of an element.
    fn read(&mut self, terms: &mut Terms, element: IndexedElement) -> Term {
        let model = self.memory.model;
        let width = width(model.program(), element.ty).unwrap_or(1);
        let is_within = element.is_within;
        let Some(array) = element.array else {
            return self.read_small(terms, &element, width);
        };
        let mut arrays = self.memory.arrays.borrow_mut();
        let mut fresh = |terms: &mut Terms, width| Arena::fresh_of(terms, self.next, width);
        let value = arrays.read(terms, &mut fresh, (array, element.index), width);
        drop(arrays);
        match terms.as_bool(is_within) {
            Some(true) => value,
            _ => {
                let other = self.fresh(terms, width);
                terms.ite(is_within, value, other)
            }
        }
    }

    /// The value of an element of an array of which each element is a location.
    fn read_small(&mut self, terms: &mut Terms, element: &IndexedElement, width: u32) -> Term {
        let Memory { model, state, .. } = *self.memory;
        let size = model.program().types.size(element.ty);
        let mut value = self.fresh(terms, width);
        for (at, offset) in element.elements.offsets().enumerate() {
            let part = ByteRange {
                object: element.object,
                range: (offset, offset + size),
                exact: true,
            };
            let location = Location::at(element.object, offset, element.ty);
            let here = match (
                model.locations.number(&location),
                self.constant(part, width),
            ) {
                (Some(location), _) => state.value(location, &model.at_start),
                (None, Some(bits)) => terms.constant(width, bits),
                (None, None) => self.fresh(terms, width),
            };
            let at = terms.constant(INDEX_WIDTH, at as u128);
            let is_here = terms.eq(element.index, at);
            value = terms.ite(is_here, here, value);
        }
        value
    }

    pub fn fresh(&mut self, terms: &mut Terms, width: u32) -> Term {
        Arena::fresh_of(terms, self.next, width)
    }

    /// The bits that a global which never changes holds in a part.
    fn constant(&self, part: ByteRange, width: u32) -> Option<u128> {
        let model = self.memory.model;
        let program = model.program();
        let Object::Global(global) = part.object else {
            return None;
        };
        let is_known = part.exact && model.locations.is_constant(program, global);
        let bits = || initial_bits(program, global, part.range, width);
        is_known.then(bits).flatten()
    }
}
