//! Patterns of results: what a function returns call by call, when a loop calls it 100,000 times.
//!
//! A program that fills an array with results, and compares elements later, reaches one side of a
//! comparison only if all of so many results are alike, or rise, or are small. No flip of one of them
//! and no list of a few hundred of them leads there; a rule for all of them does.

use fastrand::Rng;
use ir::FunctionId;
use rustc_hash::FxHashMap;

use super::results::{Results, of_width};

/// How many constants of the program all results are taken to be.
const MOST_CONSTANTS: usize = 12;

/// How many attempts tell that executions do not end by themselves.
const WITHOUT_END: u32 = 3;

/// A rule for the results of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// All are the same.
    Same(u64),
    /// Each one is greater than the one before, by so much, and the first is as great; wraps.
    Steps(u64),
    /// The one and the other take turns.
    Turns(u64, u64),
    /// Random numbers below a bound.
    Below(u64),
    /// Random numbers.
    Any,
    /// All are the same, but for a few.
    Mostly(u64, u64),
}

/// One of so many results of [`Pattern::Mostly`] is another one.
const RARE: u64 = 1_000;

impl Pattern {
    /// The result of one call.
    fn result(self, nth: u64, rng: &mut Rng) -> u64 {
        match self {
            Pattern::Same(value) => value,
            Pattern::Steps(by) => (nth + 1).wrapping_mul(by),
            Pattern::Turns(one, other) => {
                if nth.is_multiple_of(2) {
                    one
                } else {
                    other
                }
            }
            Pattern::Below(bound) => rng.u64(0..bound),
            Pattern::Any => rng.u64(..),
            Pattern::Mostly(value, other) => match rng.u64(0..RARE) {
                0 => other,
                _ => value,
            },
        }
    }
}

/// What the functions return in an attempt, each by a pattern.
pub(crate) struct Patterned {
    /// The pattern of all functions.
    pattern: Pattern,
    /// How many results each one has given.
    given: FxHashMap<FunctionId, u64>,
}

impl Patterned {
    /// The next result of a function, of so many bits.
    pub fn next(&mut self, function: FunctionId, width: u32, rng: &mut Rng) -> u64 {
        let nth = self.given.entry(function).or_default();
        let value = self.pattern.result(*nth, rng);
        *nth += 1;
        of_width(value, width)
    }
}

/// The patterns that are left to try, the plainest first.
#[derive(Default)]
pub(crate) struct Patterns {
    tried: usize,
    /// How many attempts ended by themselves, and how many did not.
    ended: u32,
    endless: u32,
}

impl Patterns {
    /// Whether some are left. Where executions have no end, no pattern leads behind a loop.
    pub fn is_on(&self, results: &Results) -> bool {
        let has_ends = self.ended > 0 || self.endless < WITHOUT_END;
        has_ends && self.tried < FIRST.len() + results.constants().len().min(MOST_CONSTANTS)
    }

    /// The next one.
    pub fn next(&mut self, results: &Results) -> Patterned {
        let at = self.tried;
        self.tried += 1;
        let pattern = FIRST.get(at).copied().unwrap_or_else(|| {
            let constant = results.constants().get(at - FIRST.len());
            Pattern::Same(constant.copied().unwrap_or_default())
        });
        Patterned {
            pattern,
            given: FxHashMap::default(),
        }
    }

    /// Records how an attempt ended.
    pub fn tried(&mut self, has_end: bool) {
        match has_end {
            true => self.ended += 1,
            false => self.endless += 1,
        }
    }
}

/// Those that do not depend on the program.
const FIRST: [Pattern; 11] = [
    Pattern::Same(0),
    Pattern::Same(1),
    Pattern::Steps(1),
    Pattern::Steps(u64::MAX),
    Pattern::Same(u64::MAX),
    Pattern::Below(16),
    Pattern::Any,
    Pattern::Turns(0, 1),
    Pattern::Turns(1, 0),
    Pattern::Mostly(0, 1),
    Pattern::Mostly(0, u64::MAX),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn first(pattern: Pattern) -> Vec<u64> {
        let mut patterned = Patterned {
            pattern,
            given: FxHashMap::default(),
        };
        let mut rng = Rng::with_seed(1);
        let one = FunctionId::new(0);
        let other = FunctionId::new(1);
        let mut results = Vec::new();
        for _ in 0..3 {
            results.push(patterned.next(one, 8, &mut rng));
            assert!(patterned.next(other, 8, &mut rng) < 256);
        }
        results
    }

    #[test]
    fn each_function_has_the_pattern_by_itself() {
        assert_eq!(first(Pattern::Same(7)), [7, 7, 7]);
        assert_eq!(first(Pattern::Steps(1)), [1, 2, 3]);
        assert_eq!(first(Pattern::Steps(u64::MAX)), [255, 254, 253]);
        assert_eq!(first(Pattern::Turns(0, 1)), [0, 1, 0]);
        assert!(first(Pattern::Below(16)).iter().all(|&it| it < 16));
    }
}
