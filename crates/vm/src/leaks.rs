//! Heap memory that nothing points to when the entry function returns.

use ir::DefectKind;
use ir::test::Defect;
use rustc_hash::FxHashSet;

use crate::ids::AllocationId;
use crate::memory::{Kind, Life};
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// Finds a live heap object that neither static objects, nor inputs, nor the result lead to.
    pub fn check_leaks(&mut self, result: &Passed) -> Flow<()> {
        let live: Vec<AllocationId> = self
            .state
            .memory
            .iter()
            .skip(self.state.memory.fixed())
            .filter(|(_, a)| a.kind == Kind::Heap && a.life == Life::Live)
            .map(|(id, _)| id)
            .collect();
        if live.is_empty() {
            return Ok(());
        }
        let reached = self.reached(result);
        match live.into_iter().find(|id| !reached.contains(id)) {
            Some(lost) => Err(self.leak(lost)),
            None => Ok(()),
        }
    }

    /// All allocations that can be reached from outside.
    fn reached(&self, result: &Passed) -> FxHashSet<AllocationId> {
        let mut reached = FxHashSet::default();
        let mut pending = Vec::new();
        match result {
            Passed::Nothing => {}
            Passed::Scalar(value, _) => pending.extend(self.target(value.bits, value.shadow)),
            Passed::Object(blob) => {
                for (at, entry) in &blob.entries {
                    let range = *at as usize..(at + entry.size) as usize;
                    let bits = crate::memory::read_bits(&blob.bytes[range]);
                    pending.extend(self.target(bits, entry.shadow));
                }
            }
        }
        let roots = self
            .state
            .memory
            .iter()
            .filter(|(_, a)| a.life == Life::Live)
            .filter(|(_, a)| matches!(a.kind, Kind::Global(_) | Kind::Pointee))
            .map(|(id, _)| id);
        pending.extend(roots);
        // Others may still have these.
        pending.extend(self.kept_by_others());
        while let Some(id) = pending.pop() {
            if !reached.insert(id) {
                continue;
            }
            let allocation = self.state.memory.get(id);
            for (&at, entry) in &allocation.entries {
                let bits = allocation.bits(at, entry.size);
                pending.extend(self.target(bits, entry.shadow));
            }
        }
        reached
    }

    /// What a stored value points to.
    pub fn target(&self, bits: u128, shadow: Shadow) -> Option<AllocationId> {
        match shadow {
            Shadow::Pointer(id, _) => Some(id),
            Shadow::Tainted(_) => self.state.memory.find(u64::try_from(bits).ok()?),
            Shadow::Lazy(cell) => match self.state.resolved.get(&cell)? {
                Value {
                    shadow: Shadow::Pointer(id, _),
                    ..
                } => Some(*id),
                _ => None,
            },
            _ => None,
        }
    }

    /// The defect of a lost object; its place is where the object was allocated.
    fn leak(&self, id: AllocationId) -> Stop {
        let size = self.state.memory.get(id).size;
        let stack = self.state.made_at.get(&id).into_iter().flatten();
        Stop::Defect(Box::new(Defect {
            kind: DefectKind::Leak,
            message: format!("{size} bytes are allocated here that nothing points to at the end"),
            stack: self.seen_by_user(stack.map(|&site| self.frame(site)).collect()),
            assumptions: self.assumed_failure().into_iter().collect(),
        }))
    }
}
