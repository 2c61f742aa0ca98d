//! Bytes of memory as bits of a number.

/// The number that up to 16 bytes hold, lowest byte first.
#[inline(always)]
pub(crate) fn read_bits(bytes: &[u8]) -> u128 {
    let mut buffer = [0; 16];
    let length = bytes.len().min(16);
    buffer[..length].copy_from_slice(&bytes[..length]);
    u128::from_le_bytes(buffer)
}

/// Writes a number to up to 16 bytes, lowest byte first.
pub(crate) fn write_bits(bytes: &mut [u8], bits: u128) {
    let length = bytes.len().min(16);
    bytes[..length].copy_from_slice(&bits.to_le_bytes()[..length]);
}
