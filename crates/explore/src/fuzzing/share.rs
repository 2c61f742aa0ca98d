//! How much of the work of a search goes to fuzzing.
//!
//! ```text
//! share := 25 %, twice as much where an attempt covers a goal, at most 80 %;
//!          half as much after 0.5 s of fuzzing that covers none, 4 % at least,
//!          30 % at least while the search covers none either
//! of attempts by patterns: 60 % at first, half as much after 2 s, 25 % at least
//! ```
//!
//! It begins once some execution took very many results, or the search is stalled. Work is counted
//! as that of proofs is ([`crate::proof_share`]).

use crate::proof_share::{ProofShare, of_all};

/// The share at first, in percent, the largest, and the least.
const FIRST: u64 = 25;
const MOST: u64 = 80;
const LEAST: u64 = 4;

/// The least share while the search is stalled.
const LEAST_IF_STALLED: u64 = 30;

/// The work without a covered goal after which the share is halved.
const PATIENCE: u64 = 16_000_000;

/// The same for few attempts, which take long, and their share at first.
const PATIENCE_FOR_FEW: u64 = 66_000_000;
const FIRST_OF_FEW: u64 = 60;

/// The work that fuzzing may do in any case, and the least work of a turn.
const FLOOR: u64 = 1_300_000;
const TURN: u64 = 150_000;

/// See the module.
pub(crate) struct FuzzShare {
    share: ProofShare,
    percent: u64,
    least: u64,
    /// The work without a covered goal after which the share is halved.
    patience: u64,
    /// The work since the last covered goal, or since the share was halved.
    since: u64,
    /// The work in all.
    done: u64,
}

impl FuzzShare {
    /// The share before anything is done.
    pub fn new(share: ProofShare) -> FuzzShare {
        FuzzShare {
            share,
            percent: FIRST,
            least: LEAST,
            patience: PATIENCE,
            since: 0,
            done: 0,
        }
    }

    /// One for few attempts, which take long.
    pub fn of_few_attempts(share: ProofShare) -> FuzzShare {
        FuzzShare {
            percent: FIRST_OF_FEW,
            least: FIRST,
            patience: PATIENCE_FOR_FEW,
            ..FuzzShare::new(share)
        }
    }

    /// Whether there is fuzzing at all.
    pub fn is_on(&self) -> bool {
        self.share != ProofShare::None
    }

    /// Whether it has not done its share of the work beside so much other work, while the search is
    /// stalled.
    pub fn is_due_if_stalled(&self, other: u64) -> bool {
        let percent = self.percent.max(LEAST_IF_STALLED);
        self.is_due_at(other, percent)
    }

    /// Whether it has not done its share of the work beside so much other work.
    pub fn is_due(&self, other: u64) -> bool {
        self.is_due_at(other, self.percent)
    }

    fn is_due_at(&self, other: u64, percent: u64) -> bool {
        let until = match self.share {
            ProofShare::None => 0,
            ProofShare::Adapted => FLOOR.max(of_all(other, percent)),
            ProofShare::Percent(percent) => of_all(other, u64::from(percent)),
        };
        self.done + TURN <= until
    }

    /// The work in all.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Counts work.
    pub fn work(&mut self, done: u64) {
        self.done += done;
        self.since += done;
        if self.since >= self.patience {
            self.since = 0;
            self.percent = self.least.max(self.percent / 2);
        }
    }

    /// Records that a goal was covered.
    pub fn covered(&mut self) {
        self.since = 0;
        self.percent = MOST.min(2 * self.percent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_grows_with_covered_goals_and_shrinks_without() {
        let mut share = FuzzShare::new(ProofShare::Adapted);
        let other = 300_000_000;
        share.work(99_000_000);
        assert!(!share.is_due(other), "half of a quarter");
        share.covered();
        share.covered();
        assert!(share.is_due(other), "48 %");
        (0..20).for_each(|_| share.work(PATIENCE));
        assert!(!share.is_due(100 * other / 100));
        assert!(share.is_due(60 * other), "4 %");
        assert!(share.is_due_if_stalled(8 * other), "30 %");
    }

    #[test]
    fn it_is_off_if_there_is_no_share() {
        assert!(!FuzzShare::new(ProofShare::None).is_due(u64::MAX / 100));
    }
}
