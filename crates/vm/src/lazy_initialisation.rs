//! Input pointers, looked at no more than the code does (CUTE, sections 3.4 and 3.5).
//!
//! What a pointer is in an execution is chosen when something looks at it for the first time. A
//! comparison decides only whether it is equal to the other pointer, and leaves open what it is if
//! not: so a check such as `node->next->prev == node` is one choice and not one for each object.
//! What is still open is decided where the pointer is used for more, or where another one is looked
//! at, which may be offered what this one points to. All choices of a pointer are among what it was
//! offered at the first look.

use std::collections::BTreeSet;

use ir::input::{InputValue, Root};
use ir::test::BoundKind;
use ir::{CellId, Nonnull};

use crate::candidates::cut_down;
use crate::execution::{Alternative, ConstraintKind, Demand};
use crate::ids::AllocationId;
use crate::memory::Kind;
use crate::run::Run;
use crate::state::Open;
use crate::stop::Flow;
use crate::used::NUMBER;
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// What the pointer in a cell is, which is used for more than a call; nothing about it stays
    /// open.
    pub fn resolve(&mut self, cell: CellId) -> Flow<Value> {
        self.note_unknown_functions(cell);
        self.resolve_to_call(cell)
    }

    /// What the pointer in a cell is; nothing about it stays open.
    pub fn resolve_to_call(&mut self, cell: CellId) -> Flow<Value> {
        let value = self.look(cell)?;
        if let Some(mut open) = self.state.open.remove(&cell) {
            let is_cut = cut_down(&mut open.others);
            self.note_cut(value, is_cut);
            let taken = self.alternative(open.chosen, true);
            let others = open.others.iter();
            let others = others
                .map(|&value| (self.alternative(value, true), value))
                .collect();
            self.choose(cell, taken, others);
            return Ok(self.fix_place(cell, value));
        }
        Ok(value)
    }

    /// Whether something is still open about some pointer.
    pub fn has_open_pointers(&self) -> bool {
        !self.state.open.is_empty()
    }

    /// Whether the pointer in a cell, of which something is still open, may lead to an object other
    /// than these.
    pub fn may_lead_elsewhere(&self, cell: CellId, these: &BTreeSet<AllocationId>) -> bool {
        let Some(open) = self.state.open.get(&cell) else {
            return false;
        };
        let mut values = open.others.iter().chain([&open.chosen]);
        values.any(|value| {
            let target = match value {
                InputValue::Alias { object, offset } => {
                    self.alias(*object, *offset).map(|(id, _)| id)
                }
                InputValue::Kept => match self.pointer_before(cell).map(|before| before.shadow) {
                    Some(Shadow::Pointer(id, _)) => Some(id),
                    _ => None,
                },
                _ => None,
            };
            target.is_some_and(|id| !these.contains(&id))
        })
    }

    /// What the pointer in a cell is, now that it is compared with an address. This decides
    /// whether the two are equal.
    fn compare_to(&mut self, cell: CellId, address: u128) -> Flow<Value> {
        if self.is_moved(cell) {
            return self.resolve(cell);
        }
        let value = self.look(cell)?;
        if address != 0 {
            self.note_unknown_functions(cell);
        }
        let Some(mut open) = self.state.open.remove(&cell) else {
            return Ok(value);
        };
        if value.bits == address {
            let (equal, unequal) = (
                self.alternative(open.chosen, true),
                self.alternative(open.chosen, false),
            );
            let other = open.others.first().map(|&other| (unequal, other));
            self.choose(cell, equal, other.into_iter().collect());
            return Ok(value);
        }
        let is_it = |value: &InputValue| self.address(cell, *value) == Some(address);
        if let Some(at) = open.others.iter().position(is_it) {
            let other = open.others.remove(at);
            let (equal, unequal) = (
                self.alternative(other, true),
                self.alternative(other, false),
            );
            self.choose(cell, unequal, vec![(equal, other)]);
        }
        self.state.open.insert(cell, open);
        Ok(value)
    }

    /// Whether the pointer in a cell may be what it was before a call, and that depends on inputs.
    /// Then equality depends on numbers too, not only on the choice.
    pub fn is_moved(&self, cell: CellId) -> bool {
        let before = self.pointer_before(cell).map(|before| before.shadow);
        matches!(before, Some(Shadow::Pointer(_, Some(_)) | Shadow::Term(_)))
    }

    /// Two values that are compared for equality, ready for that.
    pub fn compared_for_equality(&mut self, left: Value, right: Value) -> Flow<(Value, Value)> {
        for value in [left, right] {
            self.note_weak(value);
            self.note_meant(value);
        }
        let (left, right) = (self.looked_at_whole(left)?, self.looked_at_whole(right)?);
        match (left.shadow, right.shadow) {
            (Shadow::Lazy(a), Shadow::Lazy(b)) if a == b => Ok((self.look(a)?, self.look(b)?)),
            (Shadow::Lazy(a), _) => {
                let right = self.used(right)?;
                Ok((self.compare_with(a, right)?, right))
            }
            (_, Shadow::Lazy(b)) => {
                let left = self.used(left)?;
                Ok((left, self.compare_with(b, left)?))
            }
            _ => Ok((self.used(left)?, self.used(right)?)),
        }
    }

    /// Decides a value whose equalities depend on numbers.
    fn looked_at_whole(&mut self, value: Value) -> Flow<Value> {
        match value.shadow {
            Shadow::Lazy(cell) if self.is_looked_at_whole(cell) => self.resolve(cell),
            _ => Ok(value),
        }
    }

    fn compare_with(&mut self, cell: CellId, with: Value) -> Flow<Value> {
        match with.shadow {
            // What it was not offered may be a bound for one of the things that it can be.
            Shadow::None | Shadow::Pointer(_, None) if self.is_offered(cell, with)? => {
                self.compare_to(cell, with.bits)
            }
            _ => self.resolve(cell),
        }
    }

    /// Whether comparing a pointer's candidates with an address gives every result that C allows:
    /// the address is a candidate, or no other code can know it.
    fn is_offered(&mut self, cell: CellId, with: Value) -> Flow<bool> {
        let value = self.look(cell)?;
        let is_it = |value: &InputValue| self.address(cell, *value) == Some(with.bits);
        let others = self.state.open.get(&cell).map(|open| &open.others);
        // A pointer to functions is offered those that it can be.
        let ty = self.space.cell_data(cell).ty;
        let is_to_functions = self.code.program.is_function_pointer(ty);
        let is_known =
            self.is_known_to_callers(with) && !(is_to_functions && self.is_function(with));
        // Memory may be allocated just after an object of the caller, or where one was.
        let is_at_edge = self.is_at_edge_of_heap(with) || self.may_have_place_of_any(with);
        Ok(with.bits == 0
            || value.bits == with.bits
            || others.is_none_or(|others| others.iter().any(is_it))
            || (matches!(with.shadow, Shadow::Pointer(..)) && !is_known && !is_at_edge))
    }

    /// A number that is tested for zero, ready for that.
    pub fn tested_number(&mut self, value: Value) -> Flow<Value> {
        let value = self.tested(value)?;
        self.told_from_zero(value)
    }

    /// A pointer that is tested for NULL, ready for that. An object never lies at NULL, and neither
    /// does a pointer moved within it. A pointer made from a number may be NULL.
    pub fn tested_pointer(&mut self, value: Value) -> Flow<Value> {
        let value = self.tested(value)?;
        match value.shadow {
            Shadow::Pointer(_, Some(_)) => self.told_from_zero(value),
            Shadow::Pointer(..) if self.code.facts.uses.makes_pointers => {
                self.told_from_zero(value)
            }
            _ => Ok(value),
        }
    }

    /// An address that is told from zero: what depends on where objects lie, if it may be zero.
    fn told_from_zero(&mut self, value: Value) -> Flow<Value> {
        Ok(match value.shadow {
            Shadow::Pointer(id, _) if !self.is_surely_other(id, value, 0)? => {
                Value::tainted(value.bits)
            }
            _ => value,
        })
    }

    fn tested(&mut self, value: Value) -> Flow<Value> {
        self.note_meant(value);
        match self.looked_at_whole(value)?.shadow {
            Shadow::Lazy(cell) => self.compare_to(cell, 0),
            _ => {
                self.note_weak(value);
                self.used(value)
            }
        }
    }

    /// Notes that a pointer which is told from others, or made a number, could be NULL although it
    /// is not meant to be. To access anything through NULL is undefined.
    pub fn note_meant(&mut self, value: Value) {
        let Shadow::Lazy(cell) = value.shadow else {
            return;
        };
        let name = self.describe(cell);
        match self.nonnull(cell) {
            Nonnull::Meant => {
                let detail = format!("{name}, which is declared _Nonnull, is taken not to be NULL");
                self.hit(BoundKind::PointerChoice, detail);
            }
            Nonnull::No if self.is_assumed_nonnull(cell) => {
                let detail = format!("{name} is taken not to be NULL");
                self.hit(BoundKind::AssumedNonnull, detail);
            }
            Nonnull::No | Nonnull::Demanded => {}
        }
    }

    /// Notes that the address of a weak symbol which nothing defines, and which tests define, could
    /// be NULL.
    fn note_weak(&mut self, value: Value) {
        let Shadow::Pointer(id, _) = value.shadow else {
            return;
        };
        let program = self.code.program;
        let missing = match self.state.memory.get(id).kind {
            Kind::Function(function) => {
                let function = &program.functions[function];
                (function.weak && function.body.is_none()).then_some(&function.name)
            }
            Kind::Global(global) => {
                let global = &program.globals[global];
                (global.weak && global.initializer.is_none()).then_some(&global.name)
            }
            _ => None,
        };
        if let Some(name) = missing {
            let detail = format!("the weak symbol `{name}` is taken to be defined");
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// What the pointer in a cell is, though nothing is decided about it.
    fn look(&mut self, cell: CellId) -> Flow<Value> {
        if let Some(&value) = self.state.resolved.get(&cell) {
            return Ok(value);
        }
        self.decide_all()?;
        self.settle_before(cell)?;
        self.note_replaced_pointer(cell);
        self.note_disjoint(cell);
        let mut offered = self.offered(cell);
        let object = self.space.cell_data(cell).object;
        let ends_loops = self.ends_loops(&self.space.object_data(object).root)
            && offered.values.contains(&InputValue::Null);
        let default = match ends_loops {
            true => Some(InputValue::Null),
            false => offered.values.first().copied(),
        };
        // An argument of a program is what `argc` says, whatever it was on a path with another one.
        let argument = self.offered_argument(cell);
        let is_number =
            |value: &InputValue| matches!(value, InputValue::Bits(_)) && self.is_number(cell);
        let is_possible = |value: &InputValue| offered.values.contains(value) || is_number(value);
        // A value of an input for another path need not be offered on this one.
        let given = self.inputs.vector.values.get(&cell).copied();
        let known = argument.or(given.filter(is_possible));
        let chosen = known.unwrap_or_else(|| {
            let suggested = self.inputs.defaults.value(self.space, cell);
            let possible = suggested.filter(is_possible);
            possible.or(default).unwrap_or(InputValue::Null)
        });
        self.state.record.inputs.values.insert(cell, chosen);
        let number = matches!(chosen, InputValue::Bits(_)) && self.is_number(cell);
        let chosen = if number { NUMBER } else { chosen };
        offered.values.retain(|value| *value != chosen);
        self.note_missing_function(cell);
        let value = self.chosen(cell, chosen)?;
        self.note_cut(value, offered.cut);
        self.state.resolved.insert(cell, value);
        let others = offered.values;
        self.state.open.insert(cell, Open { chosen, others });
        Ok(value)
    }

    /// Notes that a pointer which a call returned or changed that was replaced could be more than
    /// it is offered: objects of the caller, and those that the call makes.
    fn note_replaced_pointer(&mut self, cell: CellId) {
        let object = self.space.cell_data(cell).object;
        let root = &self.space.object_data(object).root;
        if matches!(root, Root::Returned(_) | Root::Changed { .. }) {
            let detail = "a call that was replaced by inputs may lead to other objects";
            self.hit(BoundKind::PointerChoice, detail);
        }
    }

    /// Leaves nothing open: what a further pointer is offered depends on what the others are.
    pub fn decide_all(&mut self) -> Flow<()> {
        let mut open: Vec<CellId> = self.state.open.keys().copied().collect();
        open.sort_unstable();
        open.into_iter()
            .try_for_each(|cell| self.resolve_to_call(cell).map(|_| ()))
    }

    /// Records a choice, if there is one: the alternative that is taken, and others with what they
    /// demand.
    fn choose(&mut self, cell: CellId, taken: u32, others: Vec<(u32, InputValue)>) {
        if others.is_empty() {
            return;
        }
        let others = others.into_iter().map(|(number, value)| Alternative {
            number,
            demand: Demand::Pointer(cell, value),
        });
        let alternatives = others.collect();
        let term = self.terms.bool(true);
        let kind = ConstraintKind::PointerChoice(cell);
        self.constrain(kind, term, taken, alternatives);
    }

    /// The number of the alternative in which a pointer is equal to a value, or is not.
    fn alternative(&mut self, value: InputValue, is_equal: bool) -> u32 {
        2 * self.space.choice(value) + u32::from(!is_equal)
    }

    /// Where a pointer points that has a value, if others can point there too.
    pub fn address(&self, cell: CellId, value: InputValue) -> Option<u128> {
        match value {
            InputValue::Kept => self.pointer_before(cell).map(|before| before.bits),
            InputValue::Null => Some(0),
            InputValue::Alias { object, offset } => {
                let (id, place) = self.alias(object, offset)?;
                Some(self.pointer_into(id, place).bits)
            }
            InputValue::Function(function) => Some(self.function_pointer(function).bits),
            InputValue::Bits(bits) => Some(bits),
            InputValue::Fresh | InputValue::Member { .. } | InputValue::Within(_) => None,
        }
    }
}
