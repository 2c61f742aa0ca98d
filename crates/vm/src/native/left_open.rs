//! What functions of the C library leave open that the host's decides: what a function that fails has left where it
//! was to write, and what it writes over though it need not.

use ir::FunctionId;

use super::memory::Given;
use crate::calls::Passed;
use crate::run::Run;
use crate::value::Shadow;

/// `AF_INET`, whose addresses have 4 bytes; others have at most 16.
const INTERNET: u64 = 2;
/// Bytes of the greatest character in any encoding, and of a wide one.
const CHARACTER: u64 = 16;
const WIDE: u64 = 4;

impl Run<'_, '_> {
    /// Notes that a range of memory holds what C leaves open after a call of a function of the host. The first
    /// argument pointed to so many characters before.
    pub(super) fn note_left_open(
        &mut self,
        function: FunctionId,
        given: &[Given],
        result: &Passed,
        characters: u64,
    ) {
        let name = self.code.program.functions[function].name.as_str();
        let number = |index: usize| given.get(index).and_then(Given::number).unwrap_or(0);
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
            "dirname" | "__xpg_basename" => {
                (0, (self.behind_result(given.first(), result), characters))
            }
            _ => return,
        };
        if let Some(&Given::At(id, offset, _)) = given.get(index) {
            let end = self.memory.get(id).size;
            let at = |byte: u64| offset.saturating_add(byte).min(end);
            let range = (at(range.0), at(range.1));
            if range.0 < range.1 {
                self.narrow(id, range);
            }
        }
    }

    /// How many characters an argument points to; as many as there can be where that is not known.
    pub(super) fn known_length(&self, given: Option<&Given>) -> u64 {
        let text = given.and_then(|given| self.known_text(given));
        text.map_or(u64::MAX, |text| text.len() as u64)
    }

    /// Where a result that lies in the text of an argument ends, from where the argument points; 0 if it lies
    /// elsewhere.
    fn behind_result(&self, given: Option<&Given>, result: &Passed) -> u64 {
        let (Some(&Given::At(id, offset, _)), Passed::Scalar(value, _)) = (given, result) else {
            return 0;
        };
        if value.shadow != Shadow::Pointer(id, None) {
            return 0;
        }
        let start = (value.bits as u64).wrapping_sub(self.memory.get(id).base);
        let length = self.known_length(Some(&Given::At(id, start, 0)));
        start
            .saturating_sub(offset)
            .saturating_add(length)
            .saturating_add(1)
    }
}

/// The greatest number of so many bits.
fn low_bits(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}
