//! Input pointers of which something is still open where a function without a body is called.
//!
//! A test for NULL decides no more than that. If such a pointer lies where the function comes, the
//! objects that the function changes are those that the pointer leads to, and it may lead to one
//! that the function does not reach otherwise. Then what the pointer is must be decided before the
//! call.

use std::collections::BTreeSet;

use ir::CellId;

use super::reached::Reached;
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::Shadow;

impl Run<'_, '_> {
    /// Decides each open pointer that the call reaches, if the call may change an object only
    /// through that pointer. The effects of a call must follow from the branches before it.
    pub(super) fn settle_open_pointers(
        &mut self,
        arguments: &[Passed],
        lets_others_run: bool,
        reached: &Reached,
    ) -> Flow<()> {
        if !self.has_open_pointers() {
            return Ok(());
        }
        let mut anyway = BTreeSet::new();
        if lets_others_run {
            anyway.extend(self.shared_objects().iter().map(|target| target.id));
        }
        let of_arguments = arguments.iter().flat_map(|argument| match argument {
            Passed::Nothing => Vec::new(),
            Passed::Scalar(value, _) => vec![value.shadow],
            Passed::Object(blob) => blob.entries.iter().map(|(_, it)| it.shadow).collect(),
        });
        let ids = reached.changed.keys();
        let ids = ids.chain(reached.given.iter().map(|(id, _)| id));
        let in_memory = ids.flat_map(|&id| {
            let entries = self.state.memory.get(id).entries.values();
            entries.map(|entry| entry.shadow)
        });
        let cells: BTreeSet<CellId> = of_arguments
            .chain(in_memory)
            .filter_map(|shadow| match shadow {
                Shadow::Lazy(cell) if self.may_lead_elsewhere(cell, &anyway) => Some(cell),
                _ => None,
            })
            .collect();
        for cell in cells {
            self.resolve_to_call(cell)?;
        }
        Ok(())
    }
}
