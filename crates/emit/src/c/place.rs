//! Lvalues and addresses: how a test's C text names a part of an input object.

use ir::{ObjectId, Type, TypeId};

use super::scene::{Scene, Shape, Storage};
use crate::path;

impl Scene<'_> {
    /// The lvalue of the scalar at an offset of an object, if it lies in it.
    pub fn place(&self, id: ObjectId, offset: i64, ty: TypeId, width: u32) -> Option<String> {
        let storage = self.storages.get(&id)?;
        let types = &self.subject.program.types;
        let offset = u64::try_from(offset + (storage.before * 8) as i64).ok()?;
        self.named_place(storage, offset, ty, width).or_else(|| {
            // C has no name for it there: reach it by its bytes, which no bit-field can be.
            let whole = u64::from(width) == types.size(ty) * 8 || width == 1;
            (offset % 8 == 0 && whole).then(|| {
                let name = match types.kind(ty) {
                    Type::Pointer { .. } => "void *".to_owned(),
                    _ => types.declare(ty, ""),
                };
                format!("ATTEST_AT({name}, {}, {})", base(storage), offset / 8)
            })
        })
    }

    fn named_place(
        &self,
        storage: &Storage,
        offset: u64,
        ty: TypeId,
        width: u32,
    ) -> Option<String> {
        let types = &self.subject.program.types;
        match storage.shape {
            Shape::Single => {
                let path = path::scalar(types, storage.ty, offset, ty, width)?;
                Some(format!("{}{path}", storage.name))
            }
            Shape::Array(length) => {
                let stride = types.size(storage.ty) * 8;
                let index = offset / stride;
                let path = path::scalar(types, storage.ty, offset % stride, ty, width)?;
                (index < length).then(|| format!("{}[{index}]{path}", storage.name))
            }
            Shape::Raw(_) => None,
        }
    }

    /// A pointer of type `pointer` to the byte at `offset` of an object, counted from where its
    /// own pointer points.
    pub fn address(&self, id: ObjectId, offset: i64, pointer: TypeId) -> Option<String> {
        let storage = self.storages.get(&id)?;
        let types = &self.subject.program.types;
        let wanted = types.pointee(pointer)?;
        let from_start = u64::try_from(offset + storage.before as i64).ok()?;
        if let Some(text) = self.named_address(storage, from_start, wanted) {
            return Some(text);
        }
        let at = match from_start {
            0 => base(storage),
            _ => format!("((char *){} + {from_start})", base(storage)),
        };
        let to_void = *types.kind(wanted) == Type::Void;
        Some(if to_void || !path::nameable(types, pointer) {
            format!("(void *){at}")
        } else {
            format!("({}){at}", types.declare(pointer, ""))
        })
    }

    fn named_address(&self, storage: &Storage, offset: u64, wanted: TypeId) -> Option<String> {
        let types = &self.subject.program.types;
        let any = matches!(types.kind(wanted), Type::Void);
        match storage.shape {
            Shape::Single if offset == 0 && (any || storage.ty == wanted) => {
                Some(format!("&{}", storage.name))
            }
            Shape::Single => {
                let path = path::part_of_type(types, storage.ty, offset * 8, wanted)?;
                Some(format!("&{}{path}", storage.name))
            }
            Shape::Array(length) => {
                let size = types.size(storage.ty);
                let (index, rest) = (offset / size, offset % size);
                if index > length {
                    return None;
                }
                if rest == 0 && (any || storage.ty == wanted) {
                    return Some(match index {
                        0 => storage.name.clone(),
                        _ => format!("&{}[{index}]", storage.name),
                    });
                }
                let path = path::part_of_type(types, storage.ty, rest * 8, wanted)?;
                (index < length).then(|| format!("&{}[{index}]{path}", storage.name))
            }
            Shape::Raw(_) => any.then(|| format!("{} + {offset}", storage.name)),
        }
    }
}

/// The address of a storage's first byte.
fn base(storage: &Storage) -> String {
    match storage.shape {
        Shape::Single => format!("&{}", storage.name),
        Shape::Array(_) | Shape::Raw(_) => storage.name.clone(),
    }
}
