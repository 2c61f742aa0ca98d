//! Memory at addresses that the program knows: registers of a device, say.
//!
//! An access to a constant address is one to an input object, a page of bytes, which a test maps
//! there. Where no test can map anything, that is a bound.

use ir::input::{Extent, Root};
use ir::test::BoundKind;

use crate::ids::AllocationId;
use crate::memory::{Kind, UNSEEN};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Shadow, Value};

/// The unit in which memory is mapped.
pub(crate) const PAGE: u64 = 4096;

/// Nothing can be mapped below: `vm.mmap_min_addr` of most systems.
const LEAST: u64 = 1 << 16;

/// How far after a constant an address is taken to be one of the same device.
const REACH: u64 = 1 << 16;

impl Run<'_, '_> {
    /// Whether an address that comes from no object is a constant of the program, at which
    /// something may be mapped.
    pub fn is_constant_address(&self, address: Value) -> bool {
        let Ok(at) = u64::try_from(address.bits) else {
            return false;
        };
        match address.shadow {
            Shadow::None => true,
            Shadow::Term(_) => {
                let near = self.code.facts.addresses.range(..=at).next_back();
                near.is_some_and(|&start| at - start < REACH)
            }
            _ => false,
        }
    }

    /// The page that an address lies in, if it was accessed before.
    pub fn mapped_page(&self, address: Value) -> Option<AllocationId> {
        let start = address.bits as u64 / PAGE * PAGE;
        let known = self.state.mapped.iter().find(|(_, page)| *page == start);
        known.map(|&(id, _)| id)
    }

    /// The page that a constant address lies in.
    pub fn page_at(&mut self, address: Value) -> Flow<AllocationId> {
        if let Some(term) = address.term() {
            let detail = format!("memory at a constant address goes on for {REACH} bytes");
            self.hit(BoundKind::ArrayExtent, detail);
            self.concretise(term, address.bits);
        }
        let start = address.bits as u64 / PAGE * PAGE;
        if let Some(id) = self.mapped_page(address) {
            return Ok(id);
        }
        let mapped = match start {
            LEAST.. => self.state.memory.map(start, PAGE, UNSEEN),
            _ => None,
        };
        let Some(id) = mapped else {
            let detail = format!("no test can map memory at {start:#x}");
            self.hit(BoundKind::PointerChoice, detail);
            return Err(Stop::Limit);
        };
        if self.state.calls.replaced > 0 {
            let detail = "what a call changes is not taken to be at a new constant address";
            self.hit(BoundKind::PointerChoice, detail);
        }
        let byte = self.character_type();
        let object = self.make_input(id, Root::Mapped(start), byte);
        self.state.mapped.push((id, start));
        self.state.objects.push((object, id));
        Ok(id)
    }

    /// Records which pages a test has to map.
    pub fn record_pages(&mut self) {
        for &(id, _) in &self.state.mapped {
            let allocation = self.state.memory.get(id);
            if let (Kind::Mapped, Some(input)) = (allocation.kind, &allocation.input) {
                let extent = Extent {
                    before: 0,
                    after: PAGE,
                };
                self.state
                    .record
                    .inputs
                    .extents
                    .insert(input.object, extent);
            }
        }
    }
}
