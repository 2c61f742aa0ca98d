//! Copies of records that are elements of arrays: `a[i] = record`, `record = a[i]`, `*p = *q`.
//!
//! Each scalar that is known of the elements is read and written like any element. Padding is unknown
//! behind a copy.

use std::collections::BTreeSet;

use expr::Term;
use ir::{Place, Rvalue, TypeId};

use crate::formulas::builder::Builder;
use crate::formulas::memory::IndexedElement;
use crate::formulas::state::State;
use crate::graph::unfolding::ContextId;
use crate::objects::elements::Elements;
use crate::objects::location::Location;
use crate::objects::locations::LocationId;
use crate::objects::places::{ByteRange, Object, copied};
use crate::objects::scalars::{are_of_scalars, width};

/// An element that is a record, with a part of it that is read or written like a scalar.
#[derive(Clone, Copy)]
pub(crate) struct IndexedRecord {
    /// The object that the array is, or is a part of.
    pub object: Object,
    /// The elements: where the records begin.
    pub elements: Elements,
    /// Which element it is.
    pub index: Term,
    /// Whether it is one: see [`IndexedElement::is_within`].
    pub is_within: Term,
}

/// What is copied.
#[derive(Clone, Copy)]
enum Source {
    /// Bytes of an object.
    Part(ByteRange),
    /// An element of an array.
    Element(IndexedRecord),
    /// Zeros.
    Zero,
    /// Something of which nothing is known.
    Unknown,
}

/// What a write to an element does to a location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is a scalar of an element: of that one, or of another.
    Member(Member),
    /// It lies beside the elements.
    Apart,
    /// It may lie in an element, or in several.
    Mixed,
}

/// A scalar in a record: how many bytes from its start, and its type.
type Member = (u64, TypeId);

impl Builder<'_, '_> {
    /// Assigns what is no scalar. Returns whether it did: false if nothing is known of the value.
    pub fn assign_whole(
        &mut self,
        context: ContextId,
        to: &Place,
        value: &Rvalue,
        state: &mut State,
    ) -> bool {
        if let Rvalue::Zero(_) = value {
            if !self.copy_element(context, to, None, state) {
                self.fill_with_zeros(context, to, state);
            }
            return true;
        }
        let Some(from) = copied(value, to.ty) else {
            return false;
        };
        if !self.copy_element(context, to, Some(&from), state) {
            let ty = to.ty;
            let (to, from) = (self.part(context, to), self.part(context, &from));
            self.copy((to, ty), from, state);
            self.set_constant((to, ty), from, state);
        }
        true
    }

    /// Copies a record to or from an element of an array, or fills one with zeros where nothing is
    /// copied. Returns whether it did: false if neither side is such an element.
    fn copy_element(
        &mut self,
        context: ContextId,
        to: &Place,
        from: Option<&Place>,
        state: &mut State,
    ) -> bool {
        let element = self.record(context, to, state);
        let source = match from {
            Some(from) => self.source(context, from, state),
            None => Source::Zero,
        };
        let Some(part) = self.part(context, to) else {
            return false;
        };
        match (element, source) {
            (Some(element), source) => self.copy_to_element(element, (part, to.ty), source, state),
            (None, Source::Element(_)) if part.exact => {
                self.copy_to_part((part, to.ty), source, state);
                true
            }
            _ => false,
        }
    }

    /// The element that a place is, if it is a record of which all is known apart.
    fn record(
        &mut self,
        context: ContextId,
        place: &Place,
        state: &State,
    ) -> Option<IndexedRecord> {
        let memory = self.memory(context, state);
        let record = memory.record(place, self.arena)?;
        (!self.model.has_union(record.object)).then_some(record)
    }

    fn source(&mut self, context: ContextId, place: &Place, state: &State) -> Source {
        if let Some(record) = self.record(context, place, state) {
            return Source::Element(record);
        }
        let part = self.part(context, place).filter(|part| part.exact);
        part.map_or(Source::Unknown, Source::Part)
    }

    /// Writes to the scalars of an element. Returns whether any is known.
    fn copy_to_element(
        &mut self,
        to: IndexedRecord,
        (part, ty): (ByteRange, TypeId),
        source: Source,
        state: &mut State,
    ) -> bool {
        let inside = self
            .model
            .locations
            .inside(self.program(), part.object, part.range);
        let roles = inside
            .into_iter()
            .map(|number| (number, self.role(number, to, ty)));
        let roles: Vec<(LocationId, Role)> = roles.collect();
        let members = roles.iter().filter_map(|&(_, role)| match role {
            Role::Member(member) => Some(member),
            Role::Apart | Role::Mixed => None,
        });
        let members: BTreeSet<Member> = members.collect();
        if members.is_empty() {
            return false;
        }
        let values: Vec<(Member, Option<Term>)> = members
            .into_iter()
            .map(|member| (member, self.member(source, ty, member, state)))
            .collect();
        for (member, value) in values {
            let Some(width) = width(self.program(), member.1) else {
                continue;
            };
            let value = value.unwrap_or_else(|| self.arena.fresh(width));
            let element = self.member_of(to, member);
            self.write_element(element, value, part, state);
        }
        let mixed = roles.into_iter().filter(|(_, role)| *role == Role::Mixed);
        let mixed: Vec<LocationId> = mixed.map(|(number, _)| number).collect();
        self.havoc(&mixed, state);
        true
    }

    /// The role of a location in a write to an element of a type.
    fn role(&self, number: LocationId, record: IndexedRecord, ty: TypeId) -> Role {
        let types = &self.program().types;
        let location = self.model.locations.get(number);
        let Elements { first, stride, .. } = record.elements;
        let (size, own) = (types.size(ty), types.size(location.ty));
        let ByteRange { range, .. } = self.bytes_of(number);
        if range.1 <= first || range.0 >= record.elements.end(size) {
            return Role::Apart;
        }
        let inside = location.offset.checked_sub(first).map(|it| it % stride);
        let is_like = location.of.is_none_or(|of| of.stride == stride);
        match inside.filter(|inside| is_like && inside + own <= stride) {
            Some(inside) if inside + own <= size => Role::Member((inside, location.ty)),
            Some(inside) if inside >= size => Role::Apart,
            _ => Role::Mixed,
        }
    }

    /// Sets the scalars of a part of an object.
    fn copy_to_part(&mut self, (part, ty): (ByteRange, TypeId), source: Source, state: &mut State) {
        let before = state.clone();
        self.havoc_bytes(part, state);
        let locations = &self.model.locations;
        for number in locations.inside(self.program(), part.object, part.range) {
            let location = locations.get(number);
            let inside = location.offset.checked_sub(part.range.0);
            let inside = inside.filter(|_| location.of.is_none());
            let value =
                inside.and_then(|inside| self.member(source, ty, (inside, location.ty), &before));
            if let Some(value) = value {
                state.changed.insert(number, value);
            }
        }
    }

    /// What a source holds in a scalar of a record of a type; `None` if that is not known.
    fn member(
        &mut self,
        source: Source,
        ty: TypeId,
        (inside, scalar): Member,
        state: &State,
    ) -> Option<Term> {
        let types = &self.program().types;
        let end = inside + types.size(scalar);
        if !are_of_scalars(types, ty, (inside, end)) {
            return None;
        }
        match source {
            Source::Unknown => None,
            Source::Zero => {
                let width = width(self.program(), scalar)?;
                Some(self.arena.terms.constant(width, 0))
            }
            Source::Part(part) => {
                let offset = part.range.0.checked_add(inside)?;
                let location = Location::at(part.object, offset, scalar);
                let number = self.model.locations.number(&location)?;
                Some(state.value(number, &self.model.at_start))
            }
            Source::Element(record) => {
                let element = self.member_of(record, (inside, scalar));
                if element.array.is_none() && !element.elements.is_small() {
                    return None;
                }
                // The context is of no account: which element it is, is known.
                let unfolding = &self.model.unfolding;
                let memory = self.memory(unfolding.context(unfolding.start()), state);
                Some(memory.read(element, self.arena))
            }
        }
    }

    /// A scalar of an element.
    fn member_of(&self, record: IndexedRecord, (inside, ty): Member) -> IndexedElement {
        let elements = Elements {
            first: record.elements.first + inside,
            ..record.elements
        };
        let location = Location::element(record.object, elements, ty);
        let array = match elements.is_small() {
            true => None,
            false => self.model.locations.number(&location),
        };
        IndexedElement {
            object: record.object,
            ty,
            array,
            index: record.index,
            elements,
            is_within: record.is_within,
        }
    }
}
