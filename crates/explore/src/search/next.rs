//! The order in which the search tries flips: [`Search::next_choice`].

use ir::input::InputVector;

use super::{End, Search};
use crate::branch_site::BranchSite;
use crate::flip::Flipped;
use crate::options::Observer;
use crate::path_tree::{BranchState, Flip};
use crate::sources::{Check, LabelFlip};
use crate::strategy::View;

/// The most failed attempts at a check at one place once every goal is decided.
const TRIES_AFTER_GOALS: u32 = 64;

/// The next action.
pub(super) enum Next {
    /// Execute this input, for a flip.
    Input(InputVector, Option<Flip>),
    End(End),
}

/// The next thing to try.
pub(super) enum Choice {
    Flip(Flip),
    Input(Box<InputVector>),
    Label(Box<LabelFlip>),
}

impl Search<'_> {
    /// The next thing to try: first a violation of each check, then a choice of lazy expansion, a
    /// flip of the strategy, and a flip that the strategy left; and when no flip leads to a goal
    /// any more, further violations and flips that no goal needs.
    pub(super) fn next_choice(&mut self) -> Option<Choice> {
        if let Some(flip) = self.next_fresh_check() {
            return Some(Choice::Flip(flip));
        }
        if let Some(label) = self.next_fresh_label() {
            return Some(Choice::Label(Box::new(label)));
        }
        let decided = self.goals_decided();
        if !decided && self.lazy.is_on() {
            match self.next_expansion() {
                Ok(choice) => {
                    self.unit_proof = None;
                    return Some(choice);
                }
                Err(none) => self.unit_proof = self.lazy.unit_proof(&none),
            }
        }
        let is_unit_all = !self.has_open_outside() && !self.options.audit;
        let is_done = decided || (self.unit_proof.is_some() && is_unit_all);
        let (for_goals, tries) = match is_done {
            true => (None, TRIES_AFTER_GOALS),
            false => {
                if let Some(label) = self.next_label_in_turn() {
                    return Some(Choice::Label(Box::new(label)));
                }
                let next = self.next_of_strategy();
                let next = next.or_else(|| self.next_left());
                if next.is_none()
                    && let Some(label) = self.next_label()
                {
                    return Some(Choice::Label(Box::new(label)));
                }
                (next, u32::MAX)
            }
        };
        let flip = for_goals.or_else(|| self.next_check(tries));
        let flip = flip.or_else(|| {
            let (sources, situation) = self.sources();
            sources.next_of_others(&situation)
        });
        flip.map(Choice::Flip)
    }

    /// The next input: that of the first flip that some input takes.
    pub(super) fn next_input(&mut self, observer: &mut dyn Observer) -> Next {
        loop {
            let Some(choice) = self.next_choice() else {
                let decided = self.goals_decided();
                return Next::End(if decided {
                    End::GoalsDecided
                } else {
                    End::Exhausted
                });
            };
            let flip = match choice {
                Choice::Flip(flip) => flip,
                Choice::Input(input) => return Next::Input(*input, None),
                Choice::Label(label) => match self.try_label(&label, observer) {
                    Some(end) => return Next::End(end),
                    None => continue,
                },
            };
            if let Some(search) = &mut self.abstract_search {
                search.tries(flip);
            }
            match self.input_for(flip) {
                Flipped::Input(input) => return Next::Input(input, Some(flip)),
                Flipped::Infeasible(blamed) => {
                    self.count_infeasible(flip);
                    self.count_try(flip, |tries| &mut tries.infeasible);
                    let view = View::of(&self.tree, &self.open_goals);
                    self.lazy.infeasible(flip, &blamed, &view);
                    self.failed(flip, BranchState::Infeasible);
                }
                Flipped::Unknown(_) if observer.progress(&self.found.progress).is_break() => {
                    self.interrupted(flip);
                    return Next::End(End::Stopped);
                }
                Flipped::Unknown(reason) => self.gave_up(flip, reason),
            }
            // Flips that no input takes may be many.
            self.prove_in_turn();
            if observer.progress(&self.found.progress).is_break() {
                return Next::End(End::Stopped);
            }
        }
    }

    /// An input that takes a flip: a guess where a native call decides, or the solver's.
    fn input_for(&mut self, flip: Flip) -> Flipped {
        let program = self.open_goals.code().program;
        if let Some(input) = self.engine.guess(flip, &self.tree, program, self.options) {
            return Flipped::Input(input);
        }
        self.found.progress.solver_queries += 1;
        let mut flipped = self.engine.solve(flip, &self.tree);
        if let Flipped::Input(input) = &mut flipped {
            self.complete(input, flip);
        }
        flipped
    }

    /// A violation of a check at a place that was never tried.
    fn next_fresh_check(&mut self) -> Option<Flip> {
        loop {
            let check = self.sources.checks.next_fresh(&self.tree)?;
            if let Some(flip) = self.try_check(check) {
                return Some(flip);
            }
        }
    }

    /// A violation of any check, if its place was tried less often than that.
    fn next_check(&mut self, most: u32) -> Option<Flip> {
        loop {
            let check = self.sources.checks.next(&self.tree, most)?;
            if let Some(flip) = self.try_check(check) {
                return Some(flip);
            }
        }
    }

    /// The violation, unless it is to be left out.
    fn try_check(&mut self, check: Check) -> Option<Flip> {
        match check {
            Check::Try(flip) => Some(flip),
            Check::Drop(flip) => {
                self.tree.settle(flip, BranchState::Dropped);
                None
            }
        }
    }

    /// The next flip of the strategy that a goal or another source needs.
    fn next_of_strategy(&mut self) -> Option<Flip> {
        loop {
            let view = View::of(&self.tree, &self.open_goals);
            let flip = self.sources.strategy.next(&view)?;
            if !self.tree.is_pending(flip) {
                continue;
            }
            if self.is_needed(flip) {
                if self.is_put_off(flip) {
                    if self.engine.is_stopped(self.options) {
                        return None;
                    }
                    continue;
                }
                self.open_goals.attempted(BranchSite::of(flip, &self.tree));
                return Some(flip);
            }
            let (sources, situation) = self.sources();
            if sources.hand_out(flip, &situation) {
                return Some(flip);
            }
            self.tree.settle(flip, BranchState::Dropped);
        }
    }

    /// A flip that is pending and needed, though the strategy does not hand it out.
    fn next_left(&mut self) -> Option<Flip> {
        let mut leftovers = std::mem::take(&mut self.sources.leftovers);
        leftovers.added();
        let is_real = |flip| self.lazy.is_real(flip);
        let is_needed = |flip| self.is_needed(flip);
        let next = leftovers.next(&self.tree, is_real, is_needed);
        self.sources.leftovers = leftovers;
        let next = next.ok();
        if next.is_some_and(|flip| self.tree.is_put_off(flip)) {
            self.provers.only_put_off_are_left();
        }
        next
    }
}
