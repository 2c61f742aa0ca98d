//! Functions of the host that depend on more than their arguments: on the environment that the
//! program runs in.

use ir::FunctionId;
use ir::test::BoundKind;

use super::memory::NativeArgument;
use crate::run::Run;

impl Run<'_, '_> {
    /// A function of the host is about to be called, in the environment of attest itself.
    pub(super) fn note_environment_of(&mut self, function: FunctionId, given: &[NativeArgument]) {
        let name = self.code.program.functions[function].name.as_str();
        let (index, depends): (usize, fn(&[u8]) -> bool) = match name {
            "strftime" => (2, names_the_zone),
            "fnmatch" => (0, excludes_by_caret),
            _ => return,
        };
        let text = given.get(index).and_then(|given| self.known_text(given));
        if text.is_none_or(|text| depends(&text)) {
            let detail =
                format!("{name} is called in an environment without TZ and POSIXLY_CORRECT");
            self.hit(BoundKind::LibraryModel, detail);
        }
    }

    /// The text at an argument, if none of it depends on inputs.
    fn known_text(&self, given: &NativeArgument) -> Option<Vec<u8>> {
        let &NativeArgument::At(id, offset, _) = given else {
            return None;
        };
        let allocation = self.state.memory.get(id);
        let mut text = Vec::new();
        loop {
            match allocation.load_concrete(offset + text.len() as u64, 1)? {
                0 => return Some(text),
                byte => text.push(byte as u8),
            }
        }
    }
}

/// Whether a format of `strftime` asks for the time zone, or for seconds since 1970.
fn names_the_zone(format: &[u8]) -> bool {
    format.contains(&b'%') && format.iter().any(|byte| b"Zzs".contains(byte))
}

/// Whether a pattern of `fnmatch` may have a bracket that `^` negates, unless POSIXLY_CORRECT is
/// set.
fn excludes_by_caret(pattern: &[u8]) -> bool {
    pattern.windows(2).any(|pair| pair == b"[^")
}
