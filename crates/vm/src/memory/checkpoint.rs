//! Memory as it was at some time in the same execution, to come back to it.

use crate::memory::{Allocation, AllocationId, InputObject, Memory};

/// What it takes to come back.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    /// The static allocations that had been changed, and all others.
    copies: Vec<(AllocationId, Allocation)>,
    /// What makes other static allocations inputs.
    inputs: Vec<(AllocationId, Box<InputObject>)>,
    allocations: usize,
    changed: usize,
    next: u64,
    live: u64,
}

impl Memory {
    /// What it takes to come back here, at the cost of what this execution made and changed.
    pub fn checkpoint(&self) -> Checkpoint {
        let made = (self.fixed..self.allocations.len()).map(|index| AllocationId(index as u32));
        let changed = self.changed.iter().copied();
        let copy = |id: AllocationId| (id, self.get(id).clone());
        let fixed = self.iter().take(self.fixed);
        let inputs = fixed.filter_map(|(id, allocation)| Some((id, allocation.input.clone()?)));
        Checkpoint {
            copies: changed.chain(made).map(copy).collect(),
            inputs: inputs.collect(),
            allocations: self.allocations.len(),
            changed: self.changed.len(),
            next: self.next,
            live: self.live,
        }
    }

    /// Comes back to a checkpoint of this execution. `image` is the memory that it began with.
    pub fn come_back(&mut self, to: Checkpoint, image: &Memory) {
        self.allocations.truncate(to.allocations);
        for id in self.changed.split_off(to.changed) {
            self.restore(id, image);
        }
        for (id, copy) in to.copies {
            *self.get_mut(id) = copy;
        }
        for (id, input) in to.inputs {
            self.get_mut(id).input = Some(input);
        }
        self.next = to.next;
        self.live = to.live;
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::{INITIALISED, Kind, Memory};

    #[test]
    fn comes_back_to_what_was_there() {
        let mut image = Memory::new(64, 1000);
        let early = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        let late = image.allocate(Kind::Heap, 8, 1, INITIALISED).unwrap();
        image.fix();
        let mut memory = image.clone();
        assert!(memory.change(early).store_concrete(0, 4, 1));
        let made = memory.allocate(Kind::Heap, 4, 1, INITIALISED).unwrap();
        assert!(memory.change(made).store_concrete(0, 4, 2));
        let before = memory.clone();
        let checkpoint = memory.checkpoint();
        assert!(memory.change(early).store_concrete(0, 4, 5));
        assert!(memory.change(late).store_concrete(4, 4, 6));
        memory.kill(made);
        memory.allocate(Kind::Heap, 4, 1, 0).unwrap();
        memory.come_back(checkpoint, &image);
        assert!(memory.same_contents(&before));
        assert_eq!(memory.len(), 3);
        memory.reset(&image);
        assert!(memory.same_contents(&image));
    }
}
