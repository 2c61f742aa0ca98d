//! How the work of a search is shared between executions and proofs (CRABS, algorithm 3).
//!
//! ```text
//! proofs have their turn when 64 executions in a row reached no new goal, or half of all work did
//! not, 100 ms at least
//!     share := 25 %, twice as much after each turn that decided something, at most 80 %;
//!              half as much, and 25 % at least, once the search reaches a new goal;
//!              at least 33 % where half of all work, 1 s at least, reached none; 50 % after 3 s,
//!              or once the search has worked for 10 s
//!     at least 40 ms in all, so that small searches have proofs
//! at the end of the search: at most a fifth of its work, and 40 ms more as long as that proves more
//! ```
//!
//! Proofs work beside the search, on a thread of their own, so that up to half of all work costs the
//! search no time where a second core is free. Work is counted, not timed, so that a seed gives a suite.
//! The unit is that of [`solver::Effort`], about 30 nanoseconds.

/// The share of the work of a search that goes to proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProofShare {
    /// None: proofs are left out.
    None,
    /// What has been deciding goals of late: see the module.
    #[default]
    Adapted,
    /// So many percent from the first execution on, at most 99, and all work that is left to do once
    /// the search is over.
    Percent(u8),
}

/// The share at first, in percent.
const LEAST: u64 = 25;

/// The least shares where the search reaches nothing for long, in percent, and for how much work it
/// does so.
const STALLED_SHARES: [(u64, u64); 2] = [(33_000_000, 33), (100_000_000, 50)];

/// The work of a search from which on proofs have another share at least, and this, in percent. A
/// search of that length seldom reaches new goals, and half of all work costs it no time.
const LONG: u64 = 330_000_000;
const LONG_SHARE: u64 = 50;

/// The largest share, in percent.
const MOST: u64 = 80;

/// The number of executions in a row that reach no new goal after which proofs have their turn.
const PATIENCE: u64 = 64;

/// The least work without a new goal after which proofs have their turn.
const STALLED: u64 = 3_300_000;

/// The work that proofs may do in any case.
const FLOOR: u64 = 1_300_000;

/// The least work of a turn.
const TURN: u64 = 150_000;

/// The work of an execution, of one of its steps, of a call of a function without a body, of an
/// alternative on its path, of a new term, and of a query apart from the SAT solver's work.
pub(crate) const EXECUTION: u64 = 1_000;
pub(crate) const STEP: u64 = 2;
pub(crate) const CALL: u64 = 60;
pub(crate) const ALTERNATIVE: u64 = 60;
pub(crate) const TERM: u64 = 10;
pub(crate) const QUERY: u64 = 500;

/// What a search has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchWork {
    /// The work of its executions and queries.
    pub work: u64,
    /// Its executions.
    pub iterations: u64,
    /// The goals that they covered.
    pub covered: usize,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofTurns {
    share: ProofShare,
    /// The share that is adapted, in percent.
    percent: u64,
    /// What the search had done when it last covered a goal.
    last: SearchWork,
    /// Whether the last turn proved something.
    has_proved: bool,
}

impl ProofTurns {
    /// The turns with a share.
    pub fn new(share: ProofShare) -> ProofTurns {
        ProofTurns {
            share,
            percent: LEAST,
            last: SearchWork::default(),
            has_proved: true,
        }
    }

    /// Whether there are proofs at all.
    pub fn is_on(&self) -> bool {
        self.share != ProofShare::None
    }

    /// Records what the search did.
    pub fn searched(&mut self, search: SearchWork) {
        if search.covered > self.last.covered || self.last.iterations == 0 {
            self.last = search;
            self.percent = LEAST.max(self.percent / 2);
        }
    }

    /// Whether the search has not reached a new goal for long.
    pub fn is_stalled(&self, search: SearchWork) -> bool {
        let since = search.work.saturating_sub(self.last.work);
        let is_half = since >= STALLED.max(self.last.work);
        search.iterations - self.last.iterations >= PATIENCE || is_half
    }

    /// The share now, in percent.
    fn percent(&self, search: SearchWork) -> u64 {
        let since = search.work.saturating_sub(self.last.work);
        let long = STALLED_SHARES
            .iter()
            .filter(|&&(work, _)| since >= work.max(self.last.work));
        let stalled = long.map(|&(_, share)| share).max();
        let least = match search.work >= LONG {
            true => LONG_SHARE,
            false => LEAST,
        };
        self.percent.max(least).max(stalled.unwrap_or(0))
    }

    /// The work that the search does while proofs do so much.
    pub fn meanwhile(&self, search: SearchWork, proofs: u64) -> u64 {
        let percent = match self.share {
            ProofShare::None => 100,
            ProofShare::Adapted => self.percent(search),
            ProofShare::Percent(percent) => u64::from(percent),
        };
        of_all(proofs, 100 - percent.clamp(1, 100))
    }

    /// Records a turn of proofs.
    pub fn proved(&mut self, has_proved: bool) {
        self.has_proved = has_proved;
        if has_proved {
            self.percent = MOST.min(2 * self.percent);
        }
    }

    /// Records that the monitor says of all flips that they lead to no goal.
    pub fn only_put_off_are_left(&mut self) {
        self.percent = MOST;
    }

    /// Records how many goals are covered once inputs of provers were executed: where these cover
    /// goals, provers decide them, and not the search.
    pub fn tried_inputs(&mut self, covered: usize) {
        if covered > self.last.covered {
            self.last.covered = covered;
            self.proved(true);
        }
    }

    /// The work until which proofs may go on now, which have done so much; `None` if it is not
    /// their turn.
    pub fn until(&self, search: SearchWork, done: u64) -> Option<u64> {
        let until = match self.share {
            ProofShare::None => return None,
            ProofShare::Adapted => {
                if !self.is_stalled(search) {
                    return None;
                }
                FLOOR.max(of_all(search.work, self.percent(search)))
            }
            ProofShare::Percent(percent) => of_all(search.work, u64::from(percent)),
        };
        (done + TURN <= until).then_some(until)
    }

    /// The same at the end of the search.
    pub fn until_at_end(&self, search: SearchWork, done: u64) -> Option<u64> {
        match self.share {
            ProofShare::None => None,
            ProofShare::Percent(_) => Some(u64::MAX),
            ProofShare::Adapted => {
                let share = FLOOR.max(search.work / 5);
                match done + TURN <= share {
                    true => Some(share),
                    false => self.has_proved.then_some(done + FLOOR),
                }
            }
        }
    }
}

/// The part of work that has a share of it and of other work.
pub(crate) fn of_all(other: u64, percent: u64) -> u64 {
    let percent = percent.min(99);
    other.saturating_mul(percent) / (100 - percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(work: u64, iterations: u64, covered: usize) -> SearchWork {
        SearchWork {
            work,
            iterations,
            covered,
        }
    }

    #[test]
    fn proofs_wait_until_the_search_is_stalled() {
        let mut turns = ProofTurns::new(ProofShare::Adapted);
        turns.searched(search(1, 1, 3));
        assert_eq!(turns.until(search(1, 64, 3), 0), None);
        assert_eq!(turns.until(search(1, 65, 3), 0), Some(FLOOR));
        turns.searched(search(2, 65, 4));
        assert_eq!(turns.until(search(2, 65, 4), 0), None);
    }

    #[test]
    fn the_share_grows_while_proofs_decide_goals() {
        let mut turns = ProofTurns::new(ProofShare::Adapted);
        turns.searched(search(90 * FLOOR, 1, 0));
        let stalled = search(100 * FLOOR, 1_000, 0);
        let first = turns.until(stalled, 0);
        assert_eq!(first, Some(100 * FLOOR * 25 / 75));
        turns.proved(true);
        turns.proved(true);
        turns.proved(true);
        assert_eq!(turns.until(stalled, 0), Some(100 * FLOOR * 80 / 20));
        turns.searched(search(100 * FLOOR, 1_000, 1));
        let later = search(100 * FLOOR, 2_000, 1);
        assert_eq!(turns.until(later, 0), Some(100 * FLOOR * 40 / 60));
    }

    #[test]
    fn goals_that_inputs_of_provers_cover_are_decided_by_provers() {
        let mut turns = ProofTurns::new(ProofShare::Adapted);
        turns.searched(search(1, 1, 3));
        turns.tried_inputs(5);
        turns.searched(search(100 * FLOOR, 65, 5));
        let work = STALLED_SHARES[0].0 - 1;
        let stalled = search(work, 65, 5);
        assert_eq!(turns.until(stalled, 0), Some(work));
    }

    #[test]
    fn proofs_have_more_where_the_search_reaches_nothing() {
        let mut turns = ProofTurns::new(ProofShare::Adapted);
        let [(first, _), (second, _)] = STALLED_SHARES;
        turns.searched(search(first, 1_000, 2));
        let share = |work: u64| turns.until(search(work, 10_000, 2), 0);
        let before = 2 * first - 1;
        assert_eq!(share(before), Some(before * 25 / 75));
        assert_eq!(share(2 * first), Some(2 * first * 33 / 67));
        assert_eq!(share(first + second), Some(first + second));
    }

    #[test]
    fn proofs_have_half_of_a_long_search() {
        let mut turns = ProofTurns::new(ProofShare::Adapted);
        turns.searched(search(LONG, 1_000, 2));
        let before = search(LONG - 1, 2_000, 2);
        assert_eq!(turns.until(before, 0), Some((LONG - 1) * 25 / 75));
        assert_eq!(turns.until(search(LONG, 2_000, 2), 0), Some(LONG));
    }

    #[test]
    fn the_search_does_its_share_meanwhile() {
        let adapted = ProofTurns::new(ProofShare::Adapted);
        let small = search(1, 1, 0);
        assert_eq!(adapted.meanwhile(small, 100), 300);
        let fixed = ProofTurns::new(ProofShare::Percent(80));
        assert_eq!(fixed.meanwhile(small, 100), 25);
        let all = ProofTurns::new(ProofShare::Percent(99));
        assert_eq!(all.meanwhile(small, 99), 1);
    }

    #[test]
    fn a_fixed_share_begins_at_once() {
        let turns = ProofTurns::new(ProofShare::Percent(50));
        assert_eq!(turns.until(search(2 * TURN, 1, 0), 0), Some(2 * TURN));
        assert_eq!(turns.until(search(2 * TURN, 1, 0), 2 * TURN), None);
        assert_eq!(turns.until_at_end(search(0, 1, 0), 0), Some(u64::MAX));
        let off = ProofTurns::new(ProofShare::None);
        assert_eq!(off.until_at_end(search(0, 1, 0), 0), None);
    }

    #[test]
    fn the_end_is_put_off_while_proofs_decide_goals() {
        let mut turns = ProofTurns::new(ProofShare::Adapted);
        let small = search(1, 10, 0);
        assert_eq!(turns.until_at_end(small, 0), Some(FLOOR));
        turns.proved(true);
        assert_eq!(turns.until_at_end(small, FLOOR), Some(2 * FLOOR));
        turns.proved(false);
        assert_eq!(turns.until_at_end(small, 2 * FLOOR), None);
    }
}
