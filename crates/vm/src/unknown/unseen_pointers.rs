//! Unseen pointers in records that a function of the C library gets, such as `struct iovec`. The
//! function may write where they lead: to any object that other code knows.

use ir::{Type, TypeId, Types, library};

use super::reached::{Reached, Target};
use crate::ids::AllocationId;
use crate::memory::UNSEEN;
use crate::run::Run;
use crate::value::Shadow;

impl Run<'_, '_> {
    /// Narrows what unseen pointers in the objects that a function reaches may lead to: a bound
    /// where code reads it.
    pub(super) fn narrow_behind_unseen(
        &mut self,
        name: &str,
        constant_records: &[Target],
        reached: &mut Reached,
    ) {
        if library::follows_no_pointers(name) {
            return;
        }
        let changed = reached.changed.iter();
        let whole = changed.filter(|(_, changed)| !changed.is_state && changed.part.is_none());
        let mut records = whole
            .map(|(&id, _)| id)
            .chain(constant_records.iter().map(|target| target.id));
        let types = &self.code.program.types;
        let is_address = |ty: TypeId| match types.kind(ty) {
            Type::Int(int) => library::takes_addresses_as_numbers(name) && int.width >= 32,
            Type::Pointer {
                constant, pointee, ..
            } => !constant && !matches!(types.kind(*pointee), Type::Function(_)),
            _ => false,
        };
        if !records.any(|id| self.holds_unseen(id, &is_address)) {
            return;
        }
        let known = self.state.objects.iter().map(|&(_, id)| id);
        let shared = self.shared_objects().into_iter().map(|target| target.id);
        for id in known.chain(shared) {
            if !reached.changed.contains_key(&id) {
                let size = self.state.memory.get(id).size;
                reached.narrowed.push((id, (0, size)));
            }
        }
        self.narrow_exposed(reached);
    }

    /// Whether an object holds an address of something that may be written, and nothing has looked
    /// at it.
    fn holds_unseen(&self, id: AllocationId, is_address: &impl Fn(TypeId) -> bool) -> bool {
        let allocation = self.state.memory.get(id);
        let is_open = |shadow: &Shadow| match shadow {
            Shadow::Lazy(cell) => !self.state.resolved.contains_key(cell),
            _ => false,
        };
        if allocation
            .entries
            .values()
            .any(|entry| is_open(&entry.shadow))
        {
            return true;
        }
        let Some(input) = allocation.input.as_deref() else {
            return false;
        };
        let is_unseen = |flags: &u8| flags & UNSEEN != 0;
        holds(&self.code.program.types, input.element, is_address)
            && (is_unseen(&allocation.fill) || allocation.flags.iter().any(is_unseen))
    }
}

/// Whether a type holds scalars of a kind.
fn holds(types: &Types, ty: TypeId, is_it: &impl Fn(TypeId) -> bool) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => holds(types, *element, is_it),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| holds(types, field.ty, is_it))
        }
        _ => is_it(ty),
    }
}
