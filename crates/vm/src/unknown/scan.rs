//! Texts that `scanf` and its kin read with a width: they end at the latest where that says.

use ir::{FunctionId, Type};

use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;

/// Longer formats are not read.
const LONGEST_FORMAT: u64 = 1 << 12;

/// The parameter that is the format, for a function of this family.
fn format_parameter(name: &str) -> Option<usize> {
    let plain = name.trim_start_matches("__isoc99_");
    match plain.trim_start_matches("__isoc23_") {
        "scanf" => Some(0),
        "fscanf" | "sscanf" => Some(1),
        _ => None,
    }
}

/// The texts that a format reads: which of the arguments after it, and how many characters at most.
fn texts(format: &[u8]) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    let mut nth = 0;
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let is_skipped = rest.next_if_eq(&b'*').is_some();
        let mut width = 0u64;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            width = width.saturating_mul(10) + u64::from(digit - b'0');
        }
        // Wide characters, and memory that is allocated, are other texts.
        let is_plain = rest.peek().is_some_and(|next| matches!(next, b's' | b'['));
        let mut letter = rest.next();
        while let Some(b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q' | b'm') = letter {
            letter = rest.next();
        }
        match letter {
            Some(b'%') => continue,
            // Arguments by their numbers.
            Some(b'$') => return Vec::new(),
            Some(b'[') => {
                rest.next_if_eq(&b'^');
                rest.next_if_eq(&b']');
                while rest.next().is_some_and(|byte| byte != b']') {}
            }
            _ => {}
        }
        if is_skipped {
            continue;
        }
        if is_plain && width > 0 {
            found.push((nth, width));
        }
        nth += 1;
    }
    found
}

impl Run<'_, '_> {
    /// Ends the texts that a call has read whose buffers have room for all that it may read.
    pub(super) fn end_scanned_texts(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
    ) -> Flow<()> {
        let program = self.code.program;
        let data = &program.functions[function];
        let (Some(at), Type::Function(ty)) =
            (format_parameter(&data.name), program.types.kind(data.ty))
        else {
            return Ok(());
        };
        let Some(&Passed::Scalar(format, _)) = arguments.get(at) else {
            return Ok(());
        };
        let format = self.used(format)?;
        for (nth, width) in texts(&self.peek_text(format, LONGEST_FORMAT)) {
            let Some(&Passed::Scalar(pointer, _)) = arguments.get(ty.parameters.len() + nth) else {
                break;
            };
            let pointer = self.used(pointer)?;
            let (id, offset) = self.fixed_address(pointer.into(), 0)?;
            if offset.saturating_add(width) < self.state.memory.get(id).size {
                self.zero_here(id, offset + width)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_a_width_are_found() {
        assert_eq!(texts(b"%7s"), [(0, 7)]);
        assert_eq!(texts(b"%d:%*s %15[^]x]%% %3s"), [(1, 15), (2, 3)]);
        assert_eq!(texts(b"%s %8ls %8ms %hhd%n%[a-z]"), []);
        assert_eq!(texts(b"%2$7s"), []);
        assert_eq!(texts(b"%"), []);
    }
}
