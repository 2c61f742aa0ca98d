//! Writes of memory: what stores and copies change, and what they make unknown.

use expr::{CmpOp, Term};
use ir::{Place, PlaceBase, TypeId};

use crate::formulas::arrays::Change;
use crate::formulas::builder::Builder;
use crate::formulas::memory::IndexedElement;
use crate::formulas::state::State;
use crate::graph::unfolding::ContextId;
use crate::objects::initial::{initial_bits, is_zero};
use crate::objects::location::{AtIndex, Location};
use crate::objects::locations::{Access, INDEX_WIDTH, LocationId};
use crate::objects::places::{ByteRange, Object};
use crate::objects::scalars::are_of_scalars;

impl Builder<'_, '_> {
    /// Makes what an object holds unknown.
    pub fn havoc_object(&mut self, object: Object, state: &mut State) {
        let all = (0, u64::MAX);
        let locations = self.model.locations.inside(self.program(), object, all);
        self.havoc(&locations, state);
        if let Object::Local(context, local) = object {
            let position = self.model.locations.position(context, local);
            self.havoc(position.as_slice(), state);
        }
    }

    /// Makes locations unknown.
    pub fn havoc(&mut self, locations: &[LocationId], state: &mut State) {
        for &location in locations {
            let width = self.arena.terms.width(self.model.at_start[location]);
            state.changed.insert(location, self.arena.fresh(width));
            self.change(location, state, Change::Unknown);
        }
    }

    /// Records a change of an array, if a location is one.
    pub fn change(&mut self, location: LocationId, state: &State, change: Change) {
        if self.is_array(location) {
            self.arrays
                .borrow_mut()
                .change(location, state.reach, change);
        }
    }

    /// Whether a location names an array: it is the element at the first index.
    fn is_array(&self, location: LocationId) -> bool {
        let data = self.model.locations.get(location);
        data.of.is_some() && data.at == AtIndex::First
    }

    /// Sets the position of a pointer into an array that a place is; `None` is one of which nothing is
    /// known.
    pub fn move_to(
        &mut self,
        context: ContextId,
        place: &Place,
        position: Option<Term>,
        state: &mut State,
    ) {
        if let PlaceBase::Local(pointer) = place.base
            && let Some(location) = self.model.locations.position(context, pointer)
        {
            let position = position.unwrap_or_else(|| self.arena.fresh(INDEX_WIDTH));
            state.changed.insert(location, position);
        }
    }

    /// Writes a value to a place; `None` is one of which nothing is known.
    pub fn write(
        &mut self,
        context: ContextId,
        place: &Place,
        value: Option<Term>,
        state: &mut State,
    ) {
        let model = self.model;
        match model.locations.access(&model.unfolding, context, place) {
            Access::Indirect => self.havoc(model.locations.addressed(), state),
            Access::ByteRange(part) => {
                let memory = self.memory(context, state);
                match memory.element(place, self.arena) {
                    Some(element) if !model.has_union(part.object) => {
                        let width = self.width(place.ty).unwrap_or(1);
                        let value = value.unwrap_or_else(|| self.arena.fresh(width));
                        self.write_element(element, value, part, state);
                    }
                    _ => self.havoc_bytes(part, state),
                }
            }
            Access::Node(scalar) => self.write_node(context, (place, scalar), value, state),
            Access::Location(location) => {
                let part = self.bytes_of(location);
                let elements = self.elements_at(location);
                let before = state.clone();
                self.havoc_bytes_but(part, &elements, state);
                if let Some(value) = value {
                    state.changed.insert(location, value);
                }
                for (array, index) in elements {
                    let index = self.arena.terms.constant(INDEX_WIDTH, u128::from(index));
                    self.set_element(array, index, value, &before, state);
                }
            }
        }
    }

    /// The arrays that a location is an element of, with its index.
    fn elements_at(&self, location: LocationId) -> Vec<(LocationId, u64)> {
        let locations = &self.model.locations;
        let data = locations.get(location);
        if self.model.has_union(data.object) {
            return Vec::new();
        }
        let arrays = locations.elements().iter().filter_map(|&array| {
            let of = locations.get(array);
            let elements = of
                .of
                .filter(|_| of.object == data.object && of.ty == data.ty)?;
            Some((array, elements.index_of(data.offset)?))
        });
        arrays.collect()
    }

    /// Writes to an element of which the index is known as a term, in a part of an object.
    pub fn write_element(
        &mut self,
        element: IndexedElement,
        value: Term,
        part: ByteRange,
        state: &mut State,
    ) {
        let model = self.model;
        let inside = model
            .locations
            .inside(self.program(), part.object, part.range);
        let before = state.clone();
        for location in inside {
            let data = model.locations.get(location);
            let sizes = [element.ty, data.ty].map(|ty| self.program().types.size(ty));
            let strides = data.of.map(|of| of.stride);
            let is_like = strides.is_none_or(|stride| stride == element.elements.stride);
            if is_like && element.elements.are_apart(sizes[0], data.offset, sizes[1]) {
                continue;
            }
            let elements = element.elements;
            let ByteRange { range, .. } = self.bytes_of(location);
            if range.1 <= elements.first || range.0 >= elements.end(sizes[0]) {
                self.keep_within(location, element, &before, state);
                continue;
            }
            let index = element.elements.index_of(data.offset);
            match index.filter(|_| data.ty == element.ty && data.of.is_none()) {
                Some(index) => {
                    let old = before.value(location, &model.at_start);
                    let terms = &mut self.arena.terms;
                    let index = terms.constant(INDEX_WIDTH, u128::from(index));
                    let is_it = terms.eq(index, element.index);
                    let new = terms.ite(is_it, value, old);
                    state.changed.insert(location, new);
                }
                None if element
                    .array
                    .is_some_and(|array| self.is_of_array(location, array)) =>
                {
                    self.set_known_element(location, element.index, value, &before, state);
                }
                None => self.havoc(&[location], state),
            }
        }
    }

    /// Leaves a location beside an array as it is, if a write to an element is within the array.
    fn keep_within(
        &mut self,
        location: LocationId,
        element: IndexedElement,
        before: &State,
        state: &mut State,
    ) {
        let old = before.value(location, &self.model.at_start);
        let width = self.arena.terms.width(old);
        let terms = &mut self.arena.terms;
        let count = terms.constant(INDEX_WIDTH, u128::from(element.elements.count));
        let is_within = terms.compare(CmpOp::Ult, element.index, count);
        if terms.as_bool(is_within) == Some(true) {
            return;
        }
        let other = self.arena.fresh(width);
        let terms = &mut self.arena.terms;
        let new = terms.ite(is_within, old, other);
        let is_beyond = terms.bool_not(is_within);
        state.changed.insert(location, new);
        let reach = terms.bool_and(state.reach, is_beyond);
        if self.is_array(location) {
            self.arrays
                .borrow_mut()
                .change(location, reach, Change::Unknown);
        }
    }

    /// Sets the element at an index of an array, which was in another state before.
    pub fn set_element(
        &mut self,
        array: LocationId,
        index: Term,
        value: Option<Term>,
        before: &State,
        state: &mut State,
    ) {
        let width = self.arena.terms.width(self.model.at_start[array]);
        let value = value.unwrap_or_else(|| self.arena.fresh(width));
        self.set_known_element(array, index, value, before, state);
        if let Some(second) = self.model.locations.at_second(array) {
            self.set_known_element(second, index, value, before, state);
        }
    }

    /// Whether a location is an element of an array, at any index.
    fn is_of_array(&self, location: LocationId, array: LocationId) -> bool {
        location == array || self.model.locations.at_second(array) == Some(location)
    }

    /// Sets the element of an array that is known at one of the indices, if it is that at an index.
    fn set_known_element(
        &mut self,
        element: LocationId,
        index: Term,
        value: Term,
        before: &State,
        state: &mut State,
    ) {
        let model = self.model;
        let at = model.locations.get(element).at;
        let Some(k) = model.locations.index_at(at) else {
            return;
        };
        let old = before.value(element, &model.at_start);
        let is_k = self.arena.terms.eq(index, model.at_start[k]);
        let new = self.arena.terms.ite(is_k, value, old);
        state.changed.insert(element, new);
        self.change(element, state, Change::One { index, value });
    }

    /// Makes the locations unknown that a store to a part of an object changes. It may change padding
    /// too (C17 6.2.6.1p6), which is a location only where a union has other members there.
    pub fn havoc_bytes(&mut self, part: ByteRange, state: &mut State) {
        self.havoc_bytes_but(part, &[], state);
    }

    /// The same, but for some arrays.
    fn havoc_bytes_but(&mut self, part: ByteRange, but: &[(LocationId, u64)], state: &mut State) {
        let range = match self.model.has_union(part.object) {
            true => (0, u64::MAX),
            false => part.range,
        };
        let mut inside = self
            .model
            .locations
            .inside(self.program(), part.object, range);
        inside.retain(|location| !but.iter().any(|(array, _)| array == location));
        self.havoc(&inside, state);
    }

    pub fn bytes_of(&self, location: LocationId) -> ByteRange {
        let data = self.model.locations.get(location);
        let size = self.program().types.size(data.ty);
        let end = data
            .of
            .map_or(data.offset + size, |elements| elements.end(size));
        ByteRange {
            object: data.object,
            range: (data.offset, end),
            exact: true,
        }
    }

    /// The bytes that a place means; `None` if it is behind a pointer.
    pub fn part(&self, context: ContextId, place: &Place) -> Option<ByteRange> {
        match self
            .model
            .locations
            .access(&self.model.unfolding, context, place)
        {
            Access::Indirect => None,
            Access::ByteRange(part) => Some(part),
            Access::Location(location) => Some(self.bytes_of(location)),
            // Which node it is in, is not told.
            Access::Node(location) => Some(ByteRange {
                exact: false,
                ..self.bytes_of(location)
            }),
        }
    }

    /// Copies what is known of an object to another one, of a type.
    pub fn copy(
        &mut self,
        (to, ty): (Option<ByteRange>, TypeId),
        from: Option<ByteRange>,
        state: &mut State,
    ) {
        let model = self.model;
        let Some(to) = to else {
            return self.havoc(model.locations.addressed(), state);
        };
        let before = state.clone();
        self.havoc_bytes(to, state);
        let size = |part: ByteRange| part.range.1 - part.range.0;
        let Some(from) = from.filter(|&from| from.exact && to.exact && size(from) == size(to))
        else {
            return;
        };
        for location in model.locations.inside(self.program(), to.object, to.range) {
            let data = model.locations.get(location);
            if data.of.is_some() || !self.is_of_scalars(location, (to, ty)) {
                continue;
            }
            let end = data.offset + self.program().types.size(data.ty);
            let same = data.offset.checked_sub(to.range.0);
            let same = same.filter(|_| end <= to.range.1);
            let same = same.map(|offset| Location::at(from.object, from.range.0 + offset, data.ty));
            if let Some(same) = same.and_then(|same| model.locations.number(&same)) {
                state
                    .changed
                    .insert(location, before.value(same, &model.at_start));
            }
        }
    }

    /// Gives the scalars of an object of a type, all of which was just made unknown, the values of a
    /// part of a global, if it never changes.
    pub fn set_constant(
        &mut self,
        (to, ty): (Option<ByteRange>, TypeId),
        from: Option<ByteRange>,
        state: &mut State,
    ) {
        let program = self.program();
        let is_exact = |part: &ByteRange| part.exact;
        let (Some(to), Some(from)) = (to.filter(is_exact), from.filter(is_exact)) else {
            return;
        };
        let Object::Global(global) = from.object else {
            return;
        };
        let locations = &self.model.locations;
        if !locations.is_constant(program, global) {
            return;
        }
        for location in locations.inside(program, to.object, to.range) {
            if !self.is_of_scalars(location, (to, ty)) {
                continue;
            }
            let ByteRange { range, .. } = self.bytes_of(location);
            let from = |offset: u64| offset - to.range.0 + from.range.0;
            let part = (from(range.0), from(range.1));
            let width = self.arena.terms.width(self.model.at_start[location]);
            let is_array = locations.get(location).of.is_some();
            let bits = match is_array {
                true => is_zero(program, global, part).then_some(0),
                false => initial_bits(program, global, part, width),
            };
            if let Some(bits) = bits {
                let value = self.arena.terms.constant(width, bits);
                state.changed.insert(location, value);
                self.change(location, state, Change::All(value));
            }
        }
    }

    /// Whether a location lies in a part of an object that has a type, and has no padding in it.
    fn is_of_scalars(&self, location: LocationId, (part, ty): (ByteRange, TypeId)) -> bool {
        let types = &self.program().types;
        let data = self.model.locations.get(location);
        let ByteRange { range, .. } = self.bytes_of(location);
        if range.0 < part.range.0 || range.1 > part.range.1 {
            return false;
        }
        let size = types.size(data.ty);
        let is_there = |offset: u64| {
            let first = offset - part.range.0;
            are_of_scalars(types, ty, (first, first + size))
        };
        match data.of {
            Some(elements) => elements.offsets().all(is_there),
            None => is_there(data.offset),
        }
    }

    /// Makes all bytes of a place zero.
    pub fn fill_with_zeros(&mut self, context: ContextId, place: &Place, state: &mut State) {
        let Some(part) = self.part(context, place) else {
            return self.havoc(self.model.locations.addressed(), state);
        };
        self.havoc_bytes(part, state);
        if !part.exact {
            return;
        }
        for location in self
            .model
            .locations
            .inside(self.program(), part.object, part.range)
        {
            let width = self.arena.terms.width(self.model.at_start[location]);
            if self.is_of_scalars(location, (part, place.ty)) {
                let zero = self.arena.terms.constant(width, 0);
                state.changed.insert(location, zero);
                self.change(location, state, Change::All(zero));
            }
        }
    }
}
