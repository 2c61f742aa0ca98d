//! Sets of small numbers that are emptied at once.

/// A set of numbers, as stamps in a table as long as the largest number: adding, testing and
/// emptying take constant time.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    stamps: Vec<u32>,
    now: u32,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            stamps: Vec::new(),
            now: 1,
        }
    }
}

impl Marks {
    /// Empties the set.
    pub(crate) fn clear(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            // Old stamps would count again.
            self.stamps.clear();
            self.now = 1;
        }
    }

    /// Adds a number. Returns true if it is new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let at = number as usize;
        if self.stamps.len() <= at {
            self.stamps.resize(at + 1, 0);
        }
        let is_new = self.stamps[at] != self.now;
        self.stamps[at] = self.now;
        is_new
    }

    /// Whether the number is there.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.stamps.get(number as usize) == Some(&self.now)
    }
}
