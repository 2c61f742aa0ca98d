//! Volatile objects: what they hold may change at any time.

use ir::test::LossKind;

use crate::address::Address;
use crate::memory::UNSEEN;
use crate::run::Run;
use crate::value::Shadow;

impl Run<'_, '_> {
    /// Notes that a volatile object of so many bytes is read. What it holds at first is an input;
    /// once something has determined it, it may have changed, which no test can show.
    pub fn note_volatile(&mut self, address: Address, size: u64) {
        let (id, term) = match address.value.shadow {
            Shadow::Pointer(id, term) => (id, term),
            _ => match self.mapped_page(address.value) {
                Some(id) => (id, None),
                None => return,
            },
        };
        if self.ends_at_reports {
            // Nothing is claimed of other executions.
            return;
        }
        let (offset, _) = self.offset_of(address.value, id);
        let flags = &self.state.memory.get(id).flags;
        let range = match (term, usize::try_from(offset)) {
            (None, Ok(offset)) => offset..offset.saturating_add(size as usize),
            _ => 0..flags.len(),
        };
        let mut accessed = flags.get(range).into_iter().flatten();
        // A call that was replaced may have read it.
        if self.state.calls.replaced > 0 || accessed.any(|flags| flags & UNSEEN == 0) {
            let detail = "a volatile object may change before it is read";
            self.lose(LossKind::Volatile, detail);
        }
    }
}
