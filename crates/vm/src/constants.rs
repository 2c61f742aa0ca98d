//! Which parts of an object of a type are `const`: members, of arrays of records too.

use ir::{RecordKind, Type, TypeId, Types};

/// Whether an object of the type has const members.
pub(crate) fn has_members(types: &Types, ty: TypeId) -> bool {
    match types.kind(ty) {
        Type::Array { element, .. } => has_members(types, *element),
        Type::Record(record) => {
            let mut fields = types.records[*record].fields.iter();
            fields.any(|field| field.constant || has_members(types, field.ty))
        }
        _ => false,
    }
}

/// Whether a range of bytes of an object of the type touches const members.
pub(crate) fn has_members_in(types: &Types, ty: TypeId, (low, high): (u64, u64)) -> bool {
    let inside = |start: u64, size: u64| {
        let (low, high) = (low.max(start), high.min(start + size));
        (low < high).then(|| (low - start, high - start))
    };
    match types.kind(ty) {
        Type::Array { element, .. } if has_members(types, *element) => {
            let size = types.size(*element).max(1);
            let elements = low / size..high.div_ceil(size).min(types.size(ty) / size);
            elements
                .filter_map(|index| inside(index * size, size))
                .any(|range| has_members_in(types, *element, range))
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let touched = record.fields.iter().filter_map(|field| {
                let size = match field.bit_width {
                    Some(width) => u64::from(width).div_ceil(8),
                    None => types.size(field.ty),
                };
                let range = inside(field.offset_bits / 8, size)?;
                let whole = field.constant && field.bit_width.is_none();
                Some(whole || has_members_in(types, field.ty, range))
            });
            is_constant(record.kind, touched)
        }
        _ => false,
    }
}

/// Whether what is touched of a record is const: of a union, a member that is not makes the bytes
/// writable.
fn is_constant(kind: RecordKind, touched: impl Iterator<Item = bool>) -> bool {
    let touched: Vec<bool> = touched.collect();
    match kind {
        RecordKind::Union => !touched.is_empty() && !touched.contains(&false),
        RecordKind::Struct => touched.contains(&true),
    }
}

#[cfg(test)]
mod tests {
    use super::{has_members, has_members_in};

    #[test]
    fn const_members_are_found_at_their_places() {
        let program = ir::text::parse(
            "rec0 struct \"struct s\" size 12 align 4 { a: int @0, b: const int @32, c: int @64 }
             global plain: int
             global whole: [3 x rec0]",
        )
        .unwrap_or_else(|error| panic!("{error}"));
        let types = &program.types;
        let ty = |index: usize| program.globals[ir::GlobalId::from_usize(index)].ty;
        assert!(!has_members(types, ty(0)));
        assert!(has_members(types, ty(1)));
        for (range, expected) in [
            ((0, 4), false),
            ((4, 8), true),
            ((8, 16), false),
            ((8, 17), true),
            ((7, 8), true),
            ((32, 36), false),
            ((28, 29), true),
        ] {
            assert_eq!(has_members_in(types, ty(1), range), expected, "{range:?}");
        }
    }
}
