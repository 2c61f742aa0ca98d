//! Parts of inputs whose types attest does not support, such as vectors. Such a part has no scalars
//! that a test could set, so the machine takes its bytes as zero, and records a loss where one is
//! read.

use ir::test::LossKind;
use ir::{RecordKind, Type, TypeId, Types};

use crate::ids::AllocationId;
use crate::memory::{InputObject, UNSEEN};
use crate::run::Run;

impl Run<'_, '_> {
    /// Records the loss if something looks at such a part for the first time.
    pub fn note_unsupported_part(
        &mut self,
        id: AllocationId,
        input: InputObject,
        (offset, size): (u64, u64),
    ) {
        let types = &self.code.program.types;
        if !has_unsupported(types, input.element) {
            return;
        }
        let element = types.size(input.element).max(1);
        let first = element - input.origin % element;
        let flags = &self.state.memory.get(id).flags;
        let is_looked_at = (offset..offset + size).any(|byte| {
            let is_unseen = flags
                .get(byte as usize)
                .is_none_or(|flags| flags & UNSEEN != 0);
            is_unseen && is_unsupported(types, input.element, (byte + first) % element)
        });
        if is_looked_at {
            let detail = "an input of a type that attest does not handle is looked at";
            self.lose(LossKind::Unsupported, detail);
        }
    }
}

/// Whether a type, or a part of it, is not supported.
fn has_unsupported(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Unsupported(_) => true,
        Type::Array { element, .. } => has_unsupported(types, *element),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| has_unsupported(types, field.ty))
        }
        _ => false,
    }
}

/// Whether a byte of an object of the type lies in a part that is not supported. The bytes of
/// unions that no scalar takes are inputs anyway ([`crate::unseen`]). An array without a length may
/// begin at each byte from its offset on.
fn is_unsupported(types: &Types, ty: TypeId, byte: u64) -> bool {
    match types.kind(ty) {
        Type::Unsupported(_) => true,
        Type::Array { element, length } => {
            let inner = byte.checked_rem(types.size(*element));
            match length {
                Some(_) => inner.is_some_and(|inner| is_unsupported(types, *element, inner)),
                None => has_unsupported(types, *element),
            }
        }
        Type::Record(record) if types.records[*record].kind == RecordKind::Union => false,
        Type::Record(record) => types.records[*record].fields.iter().any(|field| {
            let is_open = matches!(types.kind(field.ty), Type::Array { length: None, .. });
            let inner = byte.checked_sub(field.offset_bits / 8);
            let inner = inner.filter(|&inner| is_open || inner < types.size(field.ty));
            inner.is_some_and(|inner| is_unsupported(types, field.ty, inner))
                || is_open && has_unsupported(types, field.ty)
        }),
        _ => false,
    }
}
