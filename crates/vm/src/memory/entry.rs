//! Values in memory that are more than bits: each covers the bytes of one stored scalar.

use expr::{Term, Terms};

use crate::value::Shadow;

/// The shadow of a stored scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Bytes that it covers, 1 to 16.
    pub size: u64,
    /// Never `None`, `Uninitialised` or `Unspecified`, which byte flags say.
    pub shadow: Shadow,
}

/// The shadow of `size` bytes of an entry from `offset` bytes into it on. A part of an address is
/// no address; the input pointers must have been resolved before.
pub(crate) fn part(terms: &mut Terms, entry: Entry, offset: u64, size: u64) -> Shadow {
    if offset == 0 && size == entry.size {
        return entry.shadow;
    }
    match entry.shadow {
        Shadow::Term(term) => {
            let low = offset as u32 * 8;
            Shadow::Term(terms.extract(low + size as u32 * 8 - 1, low, term))
        }
        _ => Shadow::Tainted,
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
    let mut whole: Option<Term> = None;
    let mut symbolic = false;
    for piece in pieces {
        let term = match piece.shadow {
            Shadow::None => terms.constant(piece.size as u32 * 8, piece.bits),
            Shadow::Term(term) => {
                symbolic = true;
                term
            }
            _ => return Shadow::Tainted,
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
