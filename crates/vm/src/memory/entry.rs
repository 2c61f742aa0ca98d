//! Values in memory that are more than bits: each covers the bytes of one stored scalar.

use expr::{Term, Terms};

use crate::value::{AddressBytes, Shadow};

/// The shadow of a stored scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Bytes that it covers, 1 to 16.
    pub size: u64,
    /// Never `None`, `Uninitialised` or `Unspecified`, which byte flags say.
    pub shadow: Shadow,
}

impl Entry {
    /// The bytes of an address that an entry is, given its bits; nothing if it is something else.
    fn address(&self, bits: u128) -> Option<AddressBytes> {
        let bytes = self.size as u8;
        match self.shadow {
            Shadow::Pointer(of, None) => Some(AddressBytes {
                of,
                low: bits as u32,
                first: 0,
                bytes,
                whole: bytes,
            }),
            // What was widened is more than the part.
            Shadow::Tainted(part) => part.filter(|part| part.bytes == bytes),
            _ => None,
        }
    }
}

/// The shadow of `size` bytes of an entry with these bits from `offset` bytes into it on. The input
/// pointers must have been resolved before.
pub(crate) fn part(terms: &mut Terms, entry: Entry, bits: u128, offset: u64, size: u64) -> Shadow {
    if offset == 0 && size == entry.size {
        return entry.shadow;
    }
    match entry.shadow {
        Shadow::Term(term) => {
            let low = offset as u32 * 8;
            Shadow::Term(terms.extract(low + size as u32 * 8 - 1, low, term))
        }
        _ => Shadow::Tainted(entry.address(bits).map(|whole| whole.part(offset, size))),
    }
}

/// A piece of a scalar that is put together from bytes: its size in bytes and its shadow or, where
/// there is none, its bits.
pub(crate) struct Piece {
    pub size: u64,
    pub shadow: Shadow,
    pub bits: u128,
}

/// Puts pieces together, lowest bytes first.
pub(crate) fn join(terms: &mut Terms, pieces: &[Piece]) -> Shadow {
    let addresses = pieces.iter().map(|piece| {
        let (size, shadow) = (piece.size, piece.shadow);
        Entry { size, shadow }.address(piece.bits)
    });
    if let Some(address) = AddressBytes::all(addresses) {
        return address.shadow();
    }
    let mut whole: Option<Term> = None;
    let mut symbolic = false;
    for piece in pieces {
        let term = match piece.shadow {
            Shadow::None => terms.constant(piece.size as u32 * 8, piece.bits),
            Shadow::Term(term) => {
                symbolic = true;
                term
            }
            _ => return Shadow::Tainted(None),
        };
        whole = Some(match whole {
            None => term,
            Some(low) => terms.concat(term, low),
        });
    }
    match whole {
        Some(term) if symbolic && terms.as_constant(term).is_none() => Shadow::Term(term),
        _ => Shadow::None,
    }
}
