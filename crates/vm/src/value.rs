//! Values: concrete bits with a shadow.

use expr::Term;
use ir::{CellId, IntType, Type, TypeId, Types};

use crate::ids::AllocationId;
use crate::leaves::padding_of;

/// What is known about a value beside its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shadow {
    /// Nothing: the bits are the whole value.
    None,
    /// It depends on inputs as the term says, whose width is the value's.
    Term(Term),
    /// The start of the allocation plus an offset: a pointer, or an integer of a pointer's width
    /// that was made from one. The offset depends on inputs if there is a term for it, whose width
    /// is that of a pointer.
    Pointer(AllocationId, Option<Term>),
    /// An integer that depends on addresses in some other way: as a part of one, if that is all.
    Tainted(Option<AddressBytes>),
    /// The input pointer of this cell, which nothing has looked at yet; the bits mean nothing.
    Lazy(CellId),
    /// Never written; the bits mean nothing.
    Uninitialised,
    /// As the term says, but C leaves the value open. Only where it is used is that of interest: it
    /// may be copied as characters.
    Unspecified(Term, Unspecified),
}

/// Bytes of the address of an object, plus a number: the lowest bytes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AddressBytes {
    /// The allocation that the address lies in.
    pub of: AllocationId,
    /// The lowest 32 bits of the address in this execution, which tell it from others in the
    /// allocation.
    pub low: u32,
    /// The first of the bytes.
    pub first: u8,
    /// How many bytes there are.
    pub bytes: u8,
    /// How many bytes the address has.
    pub whole: u8,
}

impl AddressBytes {
    /// How many bits there are.
    pub fn bits(self) -> u32 {
        u32::from(self.bytes) * 8
    }

    /// Some of the bytes, from one of them on.
    pub fn part(self, first: u64, bytes: u64) -> AddressBytes {
        AddressBytes {
            first: self.first + first as u8,
            bytes: bytes as u8,
            ..self
        }
    }

    /// These bytes and those that follow, if they are of the same address.
    fn joined(self, next: AddressBytes) -> Option<AddressBytes> {
        let follows = self.first + self.bytes == next.first;
        let is_same = (self.of, self.low, self.whole) == (next.of, next.low, next.whole);
        (follows && is_same).then(|| AddressBytes {
            bytes: self.bytes + next.bytes,
            ..self
        })
    }

    /// What all these parts are together, if they are of one address.
    pub fn all(mut parts: impl Iterator<Item = Option<AddressBytes>>) -> Option<AddressBytes> {
        let first = parts.next()??;
        parts.try_fold(first, |all, next| all.joined(next?))
    }

    /// The shadow of a value that is these bytes alone.
    pub fn shadow(self) -> Shadow {
        match self.bytes == self.whole {
            true => Shadow::Pointer(self.of, None),
            false => Shadow::Tainted(Some(self)),
        }
    }
}

/// Why C leaves a value open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unspecified {
    /// Nothing was ever written there.
    Unwritten,
    /// It is padding, which every store to the object may change.
    Padding,
}

impl Shadow {
    /// Whether characters alone may be copied with it.
    #[inline(always)]
    pub fn is_open(self) -> bool {
        matches!(self, Shadow::Uninitialised | Shadow::Unspecified(..))
    }
}

/// A scalar value. Bits above the width of its type are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub bits: u128,
    pub shadow: Shadow,
}

impl Value {
    pub const ZERO: Value = Value::concrete(0);
    pub const UNINITIALISED: Value = Value {
        bits: 0,
        shadow: Shadow::Uninitialised,
    };

    /// The value of a local that was assigned to before a jump led back to its declaration.
    pub const RENEWED: Value = Value {
        bits: 1,
        shadow: Shadow::Uninitialised,
    };

    /// A value that depends on nothing.
    #[inline(always)]
    pub const fn concrete(bits: u128) -> Value {
        Value {
            bits,
            shadow: Shadow::None,
        }
    }

    /// A value that depends on inputs.
    pub fn symbolic(bits: u128, term: Term) -> Value {
        Value {
            bits,
            shadow: Shadow::Term(term),
        }
    }

    /// A value that depends on addresses.
    pub fn tainted(bits: u128) -> Value {
        Value {
            bits,
            shadow: Shadow::Tainted(None),
        }
    }

    /// Whether the bits are the whole value.
    #[inline(always)]
    pub fn is_concrete(&self) -> bool {
        matches!(self.shadow, Shadow::None)
    }

    /// Whether it depends on addresses.
    pub fn is_address(&self) -> bool {
        matches!(self.shadow, Shadow::Pointer(..) | Shadow::Tainted(_))
    }

    /// The term of a value that depends on inputs and on no address.
    pub fn term(&self) -> Option<Term> {
        match self.shadow {
            Shadow::Term(term) => Some(term),
            _ => None,
        }
    }
}

/// How a scalar type's values are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// Width in bits, 8 to 128.
    pub width: u8,
    /// Whether two's complement.
    pub signed: bool,
    /// Whether one of the three character types, which may hold what was never written.
    pub character: bool,
    /// Whether a pointer.
    pub pointer: bool,
    /// Whether a floating type.
    pub floating: bool,
    /// Whether `_Bool`.
    pub boolean: bool,
    /// Whether it is the bytes of memory, such as the storage unit of a bit-field, rather than a
    /// value of a type.
    pub raw: bool,
    /// How many bytes at its end are padding: those of a `long double`, which stores leave as they
    /// are.
    pub padding: u8,
}

impl Scalar {
    /// How values of the type are held; `None` if it is no scalar type.
    pub fn of(types: &Types, ty: TypeId) -> Option<Scalar> {
        if let Some(IntType {
            name,
            width,
            signed,
        }) = types.int(ty)
        {
            let is_enum = matches!(types.kind(ty), Type::Enum(_));
            return Some(Scalar {
                width: width as u8,
                signed,
                character: name.is_character() && !is_enum,
                pointer: false,
                floating: false,
                boolean: name == ir::IntName::Bool,
                raw: false,
                padding: 0,
            });
        }
        let bits = types.size(ty).checked_mul(8)?;
        let pointer = matches!(types.kind(ty), Type::Pointer { .. });
        let floating = matches!(types.kind(ty), Type::Float(_));
        ((pointer || floating) && (8..=128).contains(&bits)).then_some(Scalar {
            width: bits as u8,
            signed: false,
            character: false,
            pointer,
            floating,
            boolean: false,
            raw: false,
            padding: padding_of(types, ty) as u8,
        })
    }

    /// An unsigned integer of this width, of no type.
    pub fn unsigned(width: u32) -> Scalar {
        Scalar {
            width: width as u8,
            signed: false,
            character: false,
            pointer: false,
            floating: false,
            boolean: false,
            raw: true,
            padding: 0,
        }
    }

    /// Size in bytes.
    pub fn size(self) -> u64 {
        u64::from(self.width).div_ceil(8)
    }

    /// The width and the signedness.
    #[inline(always)]
    pub fn integer(self) -> semantics::Integer {
        semantics::Integer {
            width: u32::from(self.width),
            signed: self.signed,
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        u32::from(self.width)
    }
}

/// All ones up to the width.
#[inline(always)]
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// The value as a number: sign-extended if signed.
#[inline(always)]
pub(crate) fn number(bits: u128, width: u32, signed: bool) -> i128 {
    if !signed || width == 0 || width >= 128 {
        return bits as i128;
    }
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

/// The value as people write it.
pub(crate) fn show(bits: u128, scalar: Scalar) -> String {
    if scalar.pointer {
        format!("{bits:#x}")
    } else if scalar.signed {
        number(bits, scalar.bits(), true).to_string()
    } else {
        bits.to_string()
    }
}
