//! Reads of memory: the values that code finds in locations.

use expr::{Term, Terms};
use ir::{Local, Operand, Place, PlaceBase, Rvalue};
use semantics::{Code, Evaluated, Source};

use crate::arena::Arena;
use crate::locations::{Access, ByteRange, Object, width};
use crate::model::Model;
use crate::state::State;
use crate::unfolding::ContextId;

/// The memory at a place of a segment, as the code of a context reads it.
pub(crate) struct Memory<'a, 'p> {
    pub model: &'a Model<'p>,
    pub context: ContextId,
    pub state: &'a State,
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
                None => self.fresh(terms, width),
            }),
            Access::Indirect => Some(self.fresh(terms, width)),
        }
    }
}

impl Reader<'_, '_, '_> {
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
