//! Lvalues and addresses: how a test's C text names a part of an input object.

use ir::{ObjectId, Type, TypeId};

use super::Scene;
use crate::c::storage::{Shape, Storage};
use ir::path::{self, Access};

impl Scene<'_> {
    /// The lvalue of the scalar at an offset of an object, if it lies in it.
    pub fn place(&self, id: ObjectId, offset: i64, ty: TypeId, width: u32) -> Option<String> {
        let storage = self.storages.get(&id)?;
        let types = self.subject.types;
        let is_bit_field = path::is_bit_field(types, storage.ty, offset, (ty, width));
        let offset = u64::try_from(offset + (storage.before * 8) as i64).ok()?;
        self.named_place(storage, offset, ty, width).or_else(|| {
            // C has no name for it there: reach it by its bytes, which no bit-field can be.
            (offset % 8 == 0 && !is_bit_field).then(|| {
                let name = match types.kind(ty) {
                    Type::Pointer { constant: true, .. } => "const void *".to_owned(),
                    Type::Pointer { .. } => "void *".to_owned(),
                    _ => types.declare(ty, ""),
                };
                format!("ATTEST@AT({name}, {}, {})", base(storage), offset / 8)
            })
        })
    }

    /// Whether C has a name for a part of this very type at an offset of an object.
    pub fn has_part(&self, id: ObjectId, offset: i64, ty: TypeId) -> bool {
        let Some(storage) = self.storages.get(&id) else {
            return false;
        };
        let types = self.subject.types;
        let stride = (types.size(storage.ty) * 8).max(1) as i64;
        let inside = (offset + (storage.before * 8) as i64).rem_euclid(stride);
        !matches!(storage.shape, Shape::Raw(_))
            && path::part_of_type(types, storage.ty, inside as u64, ty).is_some()
    }

    /// The address that the cells of an object are counted from.
    pub fn origin(&self, id: ObjectId) -> Option<String> {
        let storage = self.storages.get(&id)?;
        Some(match storage.before {
            0 => base(storage),
            before => format!("((char *){} + {before})", base(storage)),
        })
    }

    /// The address of an object, and a bit's place from there.
    pub fn bits(&self, id: ObjectId, offset: i64) -> Option<(String, u64)> {
        let storage = self.storages.get(&id)?;
        let first = u64::try_from(offset + (storage.before * 8) as i64).ok()?;
        Some((base(storage), first))
    }

    /// The lvalue by name, unless C forbids to write there by that name.
    fn named_place(
        &self,
        storage: &Storage,
        offset: u64,
        ty: TypeId,
        width: u32,
    ) -> Option<String> {
        let types = self.subject.types;
        let stride = types.size(storage.ty) * 8;
        let (element, offset) = match storage.shape {
            Shape::Single => (storage.name.clone(), offset),
            Shape::Array(length) => {
                let index = offset.checked_div(stride).filter(|&index| index < length)?;
                (format!("{}[{index}]", storage.name), offset % stride)
            }
            Shape::Raw(_) => return None,
        };
        let part = path::scalar(types, storage.ty, offset, ty, width)?;
        (!part.constant).then(|| part_of(&element, &part.path))
    }

    /// A pointer of type `pointer` to the byte at `offset` of an object, counted from where its
    /// own pointer points.
    pub fn address(&self, id: ObjectId, offset: i64, pointer: TypeId) -> Option<String> {
        self.address_in(self.storages.get(&id)?, offset, pointer)
    }

    /// The same for an object that is stored so.
    pub fn address_in(&self, storage: &Storage, offset: i64, pointer: TypeId) -> Option<String> {
        let types = self.subject.types;
        let from_start = u64::try_from(offset + storage.before as i64).ok()?;
        let Some(wanted) = types.pointee(pointer) else {
            let number = match from_start {
                0 => format!("(__UINTPTR_TYPE__){}", base(storage)),
                _ => format!("((__UINTPTR_TYPE__){} + {from_start})", base(storage)),
            };
            return Some(format!("({}){number}", types.declare(pointer, "")));
        };
        if let Some(text) = self.named_address(storage, from_start, pointer) {
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

    /// The address by name, if it may stand where a pointer of type `pointer` is wanted.
    fn named_address(&self, storage: &Storage, offset: u64, pointer: TypeId) -> Option<String> {
        let types = self.subject.types;
        let &Type::Pointer {
            pointee: wanted,
            constant,
            volatile,
        } = types.kind(pointer)
        else {
            return None;
        };
        let any = matches!(types.kind(wanted), Type::Void);
        let allowed = |part: &Access| {
            (constant || !part.constant) && (volatile || !(part.volatile || storage.volatile))
        };
        let size = types.size(storage.ty);
        let (index, rest) = match storage.shape {
            Shape::Single => (None, offset),
            Shape::Array(length) => {
                let index = offset.checked_div(size).filter(|&index| index <= length)?;
                (Some((index, length)), offset % size)
            }
            Shape::Raw(_) => return any.then(|| format!("{} + {offset}", storage.name)),
        };
        let part = match rest {
            0 if any || storage.ty == wanted => Some(Access::default()),
            _ if index.is_some_and(|(index, length)| index == length) => None,
            _ => path::part_of_type(types, storage.ty, rest * 8, wanted),
        };
        let part = part.filter(allowed)?;
        Some(match index {
            None => address_of(&part_of(&storage.name, &part.path)),
            Some((0, _)) if part.path.is_empty() => storage.name.clone(),
            Some((index, _)) => format!("&{}[{index}]{}", storage.name, part.path),
        })
    }
}

/// A part of what a name stands for, which may be what a pointer points to: `x.next`, `p->next`.
fn part_of(name: &str, path: &str) -> String {
    match (pointed_to(name), path.strip_prefix('.')) {
        (Some(pointer), Some(member)) => format!("{pointer}->{member}"),
        _ => format!("{name}{path}"),
    }
}

/// The address of what a text stands for.
fn address_of(text: &str) -> String {
    pointed_to(text).map_or_else(|| format!("&{text}"), str::to_owned)
}

/// The pointer, if a name stands for what one points to.
fn pointed_to(name: &str) -> Option<&str> {
    let inside = name.strip_prefix("(*")?.strip_suffix(')')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    inside.chars().all(is_name).then_some(inside)
}

/// The address of a storage's first byte.
fn base(storage: &Storage) -> String {
    match storage.shape {
        Shape::Single => address_of(&storage.name),
        Shape::Array(_) | Shape::Raw(_) => storage.name.clone(),
    }
}
