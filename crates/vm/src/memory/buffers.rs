//! Buffers of dead allocations, which later allocations use again.

/// So many are kept.
const MOST: usize = 64;
/// Larger ones are not.
const LARGEST: usize = 1 << 16;

/// Empty vectors with room: for the bytes of an allocation, and for their flags. Copies have none.
#[derive(Debug, Default)]
pub(super) struct Buffers(Vec<(Vec<u8>, Vec<u8>)>);

impl Buffers {
    /// Two empty vectors.
    pub fn take(&mut self) -> (Vec<u8>, Vec<u8>) {
        self.0.pop().unwrap_or_default()
    }

    /// Keeps the vectors of a dead allocation.
    pub fn keep(&mut self, mut bytes: Vec<u8>, mut flags: Vec<u8>) {
        if self.0.len() < MOST && bytes.capacity() <= LARGEST {
            bytes.clear();
            flags.clear();
            self.0.push((bytes, flags));
        }
    }
}

impl Clone for Buffers {
    fn clone(&self) -> Self {
        Buffers::default()
    }
}
