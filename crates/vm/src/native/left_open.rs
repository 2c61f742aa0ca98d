//! The effects that C leaves unspecified and the host's library decides: the contents of memory
//! that a function was to write when it failed, and the memory that it writes over though it need
//! not.

use ir::FunctionId;

use super::memory::NativeArgument;
use crate::passed::Passed;
use crate::run::Run;

/// `AF_INET`, whose addresses have 4 bytes; others have at most 16.
const INTERNET: u64 = 2;
/// Bytes of the greatest character in any encoding, and of a wide one.
const CHARACTER: u64 = 16;
const WIDE: u64 = 4;

impl Run<'_, '_> {
    /// Notes that a range of memory holds what C leaves open after a call of a function of the
    /// host.
    pub(super) fn note_left_open(
        &mut self,
        function: FunctionId,
        given: &[NativeArgument],
        result: &Passed,
    ) {
        let name = self.code.program.functions[function].name.as_str();
        let number = |index: usize| {
            given
                .get(index)
                .and_then(NativeArgument::number)
                .unwrap_or(0)
        };
        let returned = match result {
            Passed::Scalar(value, scalar) => value.bits as u64 & low_bits(scalar.bits()),
            _ => 0,
        };
        let failed = |width: u32| returned == low_bits(width);
        let width = self.code.pointer_width;
        let (index, range) = match name {
            "inet_pton" if returned != 1 => match number(0) {
                INTERNET => (2, (0, 4)),
                _ => (2, (0, 16)),
            },
            "inet_aton" if returned == 0 => (1, (0, 4)),
            "inet_ntop" if returned == 0 => (2, (0, number(3))),
            "strftime" if returned == 0 => (0, (0, number(1))),
            "strxfrm" if returned >= number(2) => (0, (0, number(2))),
            "mbstowcs" if failed(width) => (0, (0, number(2).saturating_mul(WIDE))),
            "wcstombs" if failed(width) => (0, (0, number(2))),
            "mbtowc" if failed(32) => (0, (0, WIDE)),
            "wctomb" if failed(32) => (0, (0, CHARACTER)),
            // GNU's need not use the buffer; that of POSIX returns 0 where it succeeds.
            "strerror_r" | "__xpg_strerror_r" if returned != 0 => (1, (0, number(2))),
            "swab" if number(2) % 2 == 1 => (1, (number(2) - 1, number(2))),
            _ => return,
        };
        if let Some(&NativeArgument::At(id, offset, _)) = given.get(index) {
            let end = self.state.memory.get(id).size;
            let at = |byte: u64| offset.saturating_add(byte).min(end);
            let range = (at(range.0), at(range.1));
            if range.0 < range.1 {
                self.narrow(id, range);
            }
        }
    }
}

/// The greatest number of so many bits.
fn low_bits(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}
