//! Runs of results: one result, or a few in turn, many times in a row, or with a step between them.
//!
//! A queue is full after a hundred equal commands, a driver gives a device up after the same failure
//! fifty times, and a table after that many keys. Results that are drawn one by one come to none of
//! these.

use fastrand::Rng;
use ir::FunctionId;

use super::Taken;

/// How many results are repeated at most, and how many of them come in a run at most, as powers of
/// two.
const MOST_REPEATED: usize = 3;
const LONGEST: u32 = 13;

/// See the module. A run is over after so many results, and then some are drawn.
#[derive(Default)]
pub(crate) struct Runs {
    /// How many of the last results are repeated.
    repeated: usize,
    /// What is added each time.
    step: u64,
    /// How many results are left of the run.
    left: usize,
    /// How many results are drawn before the next run.
    drawn: usize,
}

impl Runs {
    /// The next result of a function behind others, in more bits than it has; `None` if it is to be
    /// drawn.
    pub fn next(&mut self, function: FunctionId, others: &[Taken], rng: &mut Rng) -> Option<u64> {
        if self.left == 0 {
            if self.drawn > 0 {
                self.drawn -= 1;
                return None;
            }
            self.repeated = rng.usize(1..=MOST_REPEATED);
            self.step = match rng.u8(0..16) {
                0..=11 => 0,
                12..=13 => 1,
                14 => u64::MAX,
                _ => rng.u64(..),
            };
            let longest = rng.u32(1..=LONGEST);
            self.left = rng.usize(0..1 << longest);
            self.drawn = rng.usize(1..=MOST_REPEATED);
        }
        self.left = self.left.saturating_sub(1);
        let again = others.len().checked_sub(self.repeated)?;
        let (of, value) = others[again];
        (of == function).then_some(value.wrapping_add(self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_results_come_many_times() {
        let mut rng = Rng::with_seed(3);
        let function = FunctionId::new(0);
        let mut runs = Runs::default();
        let mut taken: Vec<Taken> = Vec::new();
        let mut drawn = 0;
        for _ in 0..40_000 {
            let again = runs.next(function, &taken, &mut rng);
            drawn += u64::from(again.is_none());
            taken.push((function, again.unwrap_or(drawn)));
        }
        assert!((10..4_000).contains(&drawn), "{drawn}");
    }
}
