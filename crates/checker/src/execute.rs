//! The meaning of statements and of ends of blocks, by the one semantics, on states.

use expr::{CmpOp, Node as TermNode, Term};
use ir::{
    DefectKind, Local, Operand, Place, PlaceBase, Rvalue, SpanId, Statement, StatementKind,
    Terminator, TypeId,
};
use semantics::{Code, Domain, Evaluated, Source};

use crate::addresses::{Address, Index};
use crate::contents::{Copied, Held};
use crate::formulas::Formulas;
use crate::objects::{INDEX_WIDTH, Object, holds_union};
use crate::state::{Memory, State};
use crate::targets::whole;
use crate::unfolding::FrameId;
use crate::world::{By, Part, Where};

/// A place of the code.
#[derive(Clone, Copy)]
pub struct Here {
    /// The frame.
    pub frame: FrameId,
    /// Where it comes from.
    pub span: SpanId,
}

/// The source of values for the semantics: the memory in a state.
struct Reader<'a, 'w, 'p> {
    memory: &'a mut Memory<'w, 'p>,
    state: &'a State,
    frame: FrameId,
}

impl Reader<'_, '_, '_> {
    /// Calls the memory with the terms that the semantics has at hand.
    fn with(
        &mut self,
        formulas: &mut Formulas,
        ask: impl FnOnce(&mut Memory<'_, '_>) -> Term,
    ) -> Term {
        std::mem::swap(formulas, &mut self.memory.formulas);
        let found = ask(self.memory);
        std::mem::swap(formulas, &mut self.memory.formulas);
        found
    }
}

impl Source<Formulas> for Reader<'_, '_, '_> {
    fn local(&mut self, formulas: &mut Formulas, local: Local) -> Option<Term> {
        let ty = self.memory.world.unfolding.frames[self.frame].body.locals[local].ty;
        let place = whole(local, ty);
        self.load(formulas, &place)
    }

    fn load(&mut self, formulas: &mut Formulas, place: &Place) -> Option<Term> {
        let width = self.memory.width(place.ty)?;
        let (state, frame) = (self.state, self.frame);
        Some(self.with(formulas, |memory| {
            memory.load_place(state, frame, place, width)
        }))
    }
}

impl<'p> Memory<'_, 'p> {
    /// The width of a scalar.
    pub fn width(&self, ty: TypeId) -> Option<u32> {
        let types = &self.world.program.types;
        let width = u32::try_from(types.size(ty).checked_mul(8)?).ok()?;
        (types.is_scalar(ty) && (1..=expr::MAX_WIDTH).contains(&width)).then_some(width)
    }

    fn code(&self, frame: FrameId) -> Code<'p> {
        Code::new(self.world.program, self.world.unfolding.frames[frame].body)
    }

    /// Asks the semantics about code in a state.
    fn ask<T>(
        &mut self,
        state: &State,
        frame: FrameId,
        ask: impl FnOnce(Code<'p>, &mut Formulas, &mut Reader<'_, '_, 'p>) -> T,
    ) -> T {
        let code = self.code(frame);
        let mut formulas = std::mem::take(&mut self.formulas);
        let mut reader = Reader {
            memory: self,
            state,
            frame,
        };
        let found = ask(code, &mut formulas, &mut reader);
        self.formulas = formulas;
        found
    }

    /// The value of an operand, if it has one.
    pub(crate) fn operand(
        &mut self,
        state: &State,
        frame: FrameId,
        operand: &Operand,
    ) -> Option<Term> {
        self.ask(state, frame, |code, formulas, reader| {
            code.operand(formulas, reader, operand)
        })
    }

    /// Adds a requirement that what follows may rely on, if the certificate names it.
    pub(crate) fn require(&mut self, here: Here, kind: DefectKind, holds: Term, state: &mut State) {
        if self.world.is_assumed(kind, here.frame, here.span) {
            state.reach = self.formulas.both(state.reach, holds);
        }
    }

    /// An index as a number of [`INDEX_WIDTH`] bits.
    pub(crate) fn index(&mut self, state: &State, frame: FrameId, index: &Operand) -> Option<Term> {
        let typing = self.world.unfolding.typing(frame);
        let int = self.world.program.types.int(typing.operand(index)?)?;
        let value = self.operand(state, frame, index)?;
        let formulas = &mut self.formulas;
        match int.width > INDEX_WIDTH {
            true => None,
            false => Some(formulas.resize(int.width, INDEX_WIDTH, int.signed, value)),
        }
    }

    /// The address of a part; `None` if its index is not known.
    pub(crate) fn address(
        &mut self,
        state: &State,
        frame: FrameId,
        part: &Part<'_>,
    ) -> Option<Address> {
        let Some(indexed) = part.index else {
            return Some(Address::at(part.offset));
        };
        let number = match indexed.by {
            By::Operand(index) => self.index(state, frame, index)?,
            By::Pointer(frame, local) => self.position(state, Object::Position(frame, local)),
        };
        Some(Address {
            offset: part.offset,
            index: Some(Index {
                number,
                stride: indexed.array.stride.checked_mul(8)?,
                count: indexed.array.count,
            }),
        })
    }

    /// What a place holds, in the width of its type.
    fn load_place(&mut self, state: &State, frame: FrameId, place: &Place, width: u32) -> Term {
        let world = self.world;
        let part = match world.locate(frame, place) {
            Where::Part(part) => part,
            Where::Node(part) => return self.load_node(state, frame, &part, width),
            Where::Inside(_) | Where::Anywhere => return self.formulas.fresh(width),
        };
        let bits = part.bits.unwrap_or(width);
        let address = self.address(state, frame, &part);
        let Some(address) = address.filter(|_| !part.is_volatile && bits > 0) else {
            return self.formulas.fresh(width);
        };
        let value = self.load(state, part.object, address, bits);
        let value = self.if_within(&part, address, value);
        let is_signed = world.program.types.int(place.ty);
        let is_signed = is_signed.is_some_and(|int| int.signed);
        self.formulas.resize(bits, width, is_signed, value)
    }

    /// Adds the requirements of an access.
    pub(crate) fn access(&mut self, here: Here, place: &Place, state: &mut State) {
        if let PlaceBase::Deref(pointer) = &place.base
            && let Some(value) = self.operand(state, here.frame, pointer)
        {
            let width = self.formulas.terms.width(value);
            let holds = self.formulas.is_nonzero(width, value);
            self.require(here, DefectKind::NullDereference, holds, state);
        }
        let world = self.world;
        let at = world.locate(here.frame, place);
        if let Where::Node(part) = &at {
            self.access_node(here, part, state);
        }
        if let Where::Part(part) = at
            && !self.may_leave(&part)
            && let Some(address) = self.address(state, here.frame, &part)
            && let Some(index) = address.index
        {
            let holds = self.is_within(index);
            self.require(here, DefectKind::OutOfBounds, holds, state);
        }
    }

    /// Whether a part may lie beyond its array without a defect: a pointer may leave an array within
    /// its object, but an index beyond the array is a defect.
    pub(crate) fn may_leave(&self, part: &Part<'_>) -> bool {
        part.index.is_some_and(|index| match index.by {
            By::Operand(_) => false,
            By::Pointer(..) => {
                let size = self.world.unfolding.bits_of(part.object) / 8;
                let is_open = matches!(part.object, Object::Heap(_));
                !is_open && (index.array.first > 0 || index.array.size() < size)
            }
        })
    }

    /// A value that was read of a part, at its address; unknown where that is beyond the array.
    fn if_within(&mut self, part: &Part<'_>, address: Address, value: Term) -> Term {
        let Some(index) = address.index.filter(|_| self.may_leave(part)) else {
            return value;
        };
        let is_within = self.is_within(index);
        let unknown = self.formulas.fresh(self.formulas.terms.width(value));
        self.formulas.ite(is_within, value, unknown)
    }

    pub(crate) fn is_within(&mut self, index: Index) -> Term {
        let count = self.formulas.constant(INDEX_WIDTH, index.count.into());
        self.formulas
            .build(TermNode::Compare(CmpOp::Ult, index.number, count))
    }

    /// Executes a statement.
    pub fn statement(&mut self, frame: FrameId, statement: &Statement, state: &mut State) {
        let here = Here {
            frame,
            span: statement.span,
        };
        match &statement.kind {
            StatementKind::Assign(place, value) => self.assign(here, place, value, state),
            StatementKind::StorageLive(local) | StatementKind::StorageLiveArray(local, _) => {
                self.forget(state, Object::Local(frame, *local))
            }
            StatementKind::StorageDead(_) => {}
        }
    }

    fn assign(&mut self, here: Here, place: &Place, value: &Rvalue, state: &mut State) {
        self.access(here, place, state);
        if let Rvalue::Load(from) = value {
            self.access(here, from, state);
        }
        let is_scalar = self.world.program.types.is_scalar(place.ty);
        match value {
            Rvalue::Load(from) if !is_scalar => self.copy(here.frame, place, from, state),
            Rvalue::Use(Operand::Copy(local)) if !is_scalar => {
                let from = whole(*local, place.ty);
                self.copy(here.frame, place, &from, state);
            }
            Rvalue::Zero(_) if !is_scalar => self.fill(here.frame, place, state),
            _ => {
                let result = self.evaluate(here, value, state);
                let array = self.array_behind(here.frame, place);
                let position = array
                    .and_then(|array| self.position_of_value((state, array), here.frame, value));
                self.store(here.frame, place, result, state);
                self.move_to(here.frame, place, position, state);
            }
        }
    }

    /// The value of a right side; `None` if nothing is known of it.
    fn evaluate(&mut self, here: Here, value: &Rvalue, state: &mut State) -> Option<Term> {
        if let Rvalue::AddressOf(of) = value {
            return self.address_in_node(state, here.frame, of);
        }
        let evaluated = self.ask(state, here.frame, |code, formulas, reader| {
            code.rvalue(formulas, reader, value)
        });
        let Evaluated {
            value,
            requirements,
        } = evaluated?;
        for (kind, holds) in requirements {
            self.require(here, kind, holds, state);
        }
        Some(value)
    }

    /// Writes a value to a place; `None` is one of which nothing is known.
    pub(crate) fn store(
        &mut self,
        frame: FrameId,
        place: &Place,
        value: Option<Term>,
        state: &mut State,
    ) {
        let world = self.world;
        let part = match world.locate(frame, place) {
            Where::Part(part) => part,
            Where::Node(part) => return self.store_node(frame, &part, value, state),
            Where::Inside(object) => return self.forget(state, object),
            Where::Anywhere => return self.forget_exposed(state),
        };
        let Some(width) = self.width(place.ty) else {
            return self.forget(state, part.object);
        };
        let bits = part.bits.unwrap_or(width);
        let Some(address) = self.address(state, frame, &part).filter(|_| bits > 0) else {
            return self.forget(state, part.object);
        };
        let value = match value.filter(|&value| self.formulas.terms.width(value) == width) {
            Some(value) => self.formulas.extract(0, bits, value),
            None => self.formulas.fresh(bits),
        };
        self.put(part.object, address, value, state);
    }

    /// Writes bits of an object.
    fn put(&mut self, object: Object, address: Address, value: Term, state: &mut State) {
        if !self.world.is_known(object) || self.world.is_constant(object) {
            return;
        }
        let ty = self.world.unfolding.type_of(object);
        if ty.is_some_and(|ty| holds_union(self.world.program, ty)) {
            // The other members of the union are unspecified then.
            self.forget(state, object);
        }
        let width = u64::from(self.formulas.terms.width(value));
        let is_whole = address == Address::at(0) && width == self.world.unfolding.bits_of(object);
        let over = match is_whole {
            true => self.contents.unknown(self.type_of(object)),
            false => self.held(state, object),
        };
        let over = match address.index {
            Some(index) => self.beside_array(object, over, (address, index), width),
            None => over,
        };
        let held = self.contents.write(over, address, value);
        state.objects.insert(object, held);
    }

    /// What an object holds where an element of an array in it is written: if the index is beyond the
    /// array, what lies beside the array is unknown.
    pub(crate) fn beside_array(
        &mut self,
        object: Object,
        over: Held,
        (address, index): (Address, Index),
        width: u64,
    ) -> Held {
        let length = (index.count - 1) * index.stride + width;
        let is_within = self.is_within(index);
        let is_met = self.formulas.as_bool(is_within) == Some(true);
        let ty = self.world.unfolding.type_of(object);
        let size = self.world.unfolding.bits_of(object);
        let is_all = address.offset < index.stride && size <= index.count * index.stride;
        let Some(from_type) = ty.filter(|_| !is_met && !is_all) else {
            return over;
        };
        let unknown = self.contents.unknown(self.type_of(object));
        let array = Copied {
            at: Address::at(address.offset),
            width: length,
            from: over,
            from_at: Address::at(address.offset),
            from_type: Some(from_type),
            ty: from_type,
        };
        let beyond = self.contents.copy(unknown, array);
        self.contents.join(is_within, over, beyond)
    }

    /// Makes unknown what unknown pointers may lead to.
    pub(crate) fn forget_exposed(&mut self, state: &mut State) {
        for object in self.exposed() {
            self.forget(state, object);
        }
    }

    fn exposed(&self) -> Vec<Object> {
        let world = self.world;
        let globals = world.program.globals.indices().map(Object::Global);
        let globals = globals.filter(|&object| world.is_exposed(object));
        let locals = world.escaped.iter().copied();
        let locals = locals.filter(|object| matches!(object, Object::Local(..) | Object::Heap(_)));
        globals.chain(locals).collect()
    }

    /// The conditions of the edges out of a block; unknown ones if its operand is not known.
    pub fn edges(&mut self, frame: FrameId, terminator: &Terminator, state: &State) -> Vec<Term> {
        let known = self.ask(state, frame, |code, formulas, reader| {
            code.edges(formulas, reader, terminator)
        });
        known.unwrap_or_else(|| {
            let count = terminator.successor_count();
            let mut others = self.formulas.bool(true);
            let mut edges = Vec::new();
            for _ in 1..count {
                let taken = self.formulas.fresh_truth();
                edges.push(self.formulas.both(others, taken));
                let other = self.formulas.negated(taken);
                others = self.formulas.both(others, other);
            }
            edges.push(others);
            edges
        })
    }
}
