//! What the search tries next: checks, what lazy expansion asks for, what the strategy picks, and what is
//! left when nothing else is.

use std::rc::Rc;

use coverage::{GoalId, Paths};
use expr::Model;
use ir::input::{Expands, InputVector};
use ir::test::LossKind;
use rustc_hash::FxHashSet;
use solver::{Answer, Query, Solver};

use crate::expansion::{Outlook, Plan, Question, Step, Use};
use crate::flip::{self, Flipped};
use crate::guesses;
use crate::options::Observer;
use crate::path_tree::{Flip, WayState};
use crate::search::{End, Search};
use crate::strategy::{Place, View};

/// Once every goal is covered, executions and steps that may be spent on tests that end well in
/// place of those that end in a defect or at a limit.
const MOST_ITERATIONS_FOR_BETTER: u64 = 256;
const MOST_STEPS_FOR_BETTER: u64 = 20_000_000;

/// What comes next.
pub(crate) enum Next {
    /// To be executed, for a flip.
    Input(InputVector, Option<Flip>),
    End(End),
}

/// What is to be tried.
pub(crate) enum Choice {
    Flip(Flip),
    Input(Box<InputVector>),
}

impl Search<'_> {
    /// Whether a flip, which must be pending, may lead to an open goal, or to the good end of a path
    /// that came by one.
    pub fn is_needed(&self, flip: Flip) -> bool {
        let place = Place::of(flip, &self.tree);
        let view = View::of(&self.tree, &self.targets);
        let is_open = |goal| !self.collector.covers(goal);
        let is_rejection = self.tree.node(flip.node).is_rejection(flip.way as usize);
        if is_rejection || self.targets.is_rejecting(place) {
            return false;
        }
        let leads_on = match (
            self.expansion.outlook(flip, &view),
            self.targets.code().goals.paths(),
        ) {
            (Outlook::Infeasible, _) => return false,
            (Outlook::Known, Some(Paths::Unit)) => {
                self.has_open_outside() && self.targets.leads_to_goal(place)
            }
            _ => self.targets.distance(place).is_some(),
        };
        leads_on || self.provisional.any(flip, is_open)
    }

    /// Whether a goal is open to which executions come in other places than on paths through the unit.
    fn has_open_outside(&self) -> bool {
        self.outside
            .iter()
            .any(|&goal| !self.collector.covers(goal))
    }

    /// The next input: of the first flip that something satisfies.
    pub fn next_input(&mut self, observer: &mut dyn Observer) -> Next {
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
            };
            if let Some(input) = self.guessed(flip) {
                return Next::Input(input, Some(flip));
            }
            match self.solve(flip) {
                Flipped::Input(mut input) => {
                    self.complete(&mut input, flip);
                    return Next::Input(input, Some(flip));
                }
                Flipped::Infeasible(blamed) => {
                    let view = View::of(&self.tree, &self.targets);
                    self.expansion.infeasible(flip, &blamed, &view);
                    self.failed(flip, WayState::Infeasible);
                }
                Flipped::Unknown(_) if observer.progress(&self.progress).is_break() => {
                    self.interrupted(flip);
                    return Next::End(End::Stopped);
                }
                Flipped::Unknown(reason) => self.gave_up(flip, reason),
            }
            if observer.progress(&self.progress).is_break() {
                return Next::End(End::Stopped);
            }
        }
    }

    /// What can be said about a flip. An input for it does more than it has to, where that is preferred.
    fn solve(&mut self, flip: Flip) -> Flipped {
        let (terms, solver) = (&mut self.terms, &mut self.solver);
        let preferred = self.expansion.preferred(flip);
        if !preferred.is_empty() {
            self.progress.solver_queries += 1;
            let flipped = flip::solve_with(&self.tree, flip, &preferred, terms, solver);
            if let Flipped::Input(_) = flipped {
                return flipped;
            }
        }
        self.progress.solver_queries += 1;
        flip::solve(&self.tree, flip, terms, solver)
    }

    /// Has lazy expansion say what an input for a flip leaves open.
    fn complete(&mut self, input: &mut InputVector, flip: Flip) {
        let view = View::of(&self.tree, &self.targets);
        self.expansion.complete(input, flip, (&self.terms, &view));
    }

    /// Records that the solver gave no answer.
    pub fn gave_up(&mut self, flip: Flip, reason: String) {
        let node = self.tree.node(flip.node);
        let (site, is_violation) = (node.site, node.is_violation(flip.way as usize));
        self.failed(flip, WayState::Undecided);
        self.expansion.lose();
        if self.expansion.is_real(flip) {
            let kind = match is_violation {
                true => LossKind::UndecidedCheck,
                false => LossKind::SolverGaveUp,
            };
            self.lost(kind, site, reason);
        }
    }

    /// Records that the search is stopped while the solver is at a flip. What abstract paths have proved
    /// by then stays proved.
    fn interrupted(&mut self, flip: Flip) {
        self.failed(flip, WayState::Undecided);
        if !self.is_unit_done {
            self.expansion.lose();
        }
        self.leaves_paths(LossKind::TimeLimit);
    }

    /// An input for a flip that gives a native call other values, at random.
    fn guessed(&mut self, flip: Flip) -> Option<InputVector> {
        let program = self.targets.code().program;
        if !guesses::is_native(flip, &self.tree, program, &self.options.machine) {
            return None;
        }
        self.guesses
            .input(flip, &self.tree, &self.terms, &self.space)
    }

    /// Records that no input for a flip exists, or that none was found.
    pub fn failed(&mut self, flip: Flip, state: WayState) {
        self.strategy.failed(Place::of(flip, &self.tree));
        self.tree.settle(flip, state);
    }

    pub fn next_choice(&mut self) -> Option<Choice> {
        if let Some(flip) = self.checks.next_fresh(&mut self.tree) {
            return Some(Choice::Flip(flip));
        }
        let decided = self.goals_decided();
        let is_on = self.expansion.is_on();
        if !decided && is_on {
            if let Some(choice) = self.next_expansion() {
                self.is_unit_done = false;
                return Some(choice);
            }
            self.is_unit_done = self.expansion.is_exact();
        }
        // Abstract paths stand for all that there are.
        let is_proof = is_on && self.expansion.is_exact();
        let is_done = decided || (is_proof && !self.has_open_outside());
        let flip = self.next_flip(is_done);
        flip.map(Choice::Flip)
    }

    /// What lazy expansion tries next.
    fn next_expansion(&mut self) -> Option<Choice> {
        loop {
            let view = View::of(&self.tree, &self.targets);
            let surroundings = (&mut self.space, &mut self.terms);
            let step = self.expansion.next(surroundings, &view);
            let step = step.or_else(|| self.next_provisional().map(Step::Abstract))?;
            let flip = match step {
                Step::Ask(question) => {
                    self.ask(*question);
                    continue;
                }
                Step::Input(input) => return Some(Choice::Input(input)),
                Step::Again(flip, plan) => match self.input_with(flip, &plan) {
                    Some(input) => return Some(Choice::Input(Box::new(input))),
                    None => continue,
                },
                Step::Inside(flip, input) => match self.changed(flip, &input) {
                    Some(input) => return Some(Choice::Input(Box::new(input))),
                    None => continue,
                },
                Step::Expand(flip) | Step::Abstract(flip) => flip,
            };
            if self.is_needed(flip) {
                self.targets.attempted(Place::of(flip, &self.tree));
                return Some(Choice::Flip(flip));
            }
            self.tree.settle(flip, WayState::Dropped);
        }
    }

    /// Asks whether each case of a question contradicts the conditions of its path.
    fn ask(&mut self, question: Question) {
        let mut contradicted = FxHashSet::default();
        let nothing = Model::default();
        for case in &question.cases {
            let constraints = [question.own.as_slice(), case].concat();
            self.progress.solver_queries += 1;
            let query = Query::new(&constraints, &nothing);
            let Answer::Unsat(core) = self.solver.check(&mut self.terms, &query) else {
                return;
            };
            contradicted.extend(core.into_iter().filter_map(|at| question.own.get(at)));
        }
        self.expansion.learn(question, contradicted);
    }

    /// An input that takes a way and agrees with another one as far as that goes, with all calls executed.
    fn changed(&mut self, flip: Flip, input: &Rc<InputVector>) -> Option<InputVector> {
        self.progress.solver_queries += 1;
        let (terms, solver) = (&mut self.terms, &mut self.solver);
        match flip::solve_from(&self.tree, (flip, input), &[], terms, solver) {
            Flipped::Input(mut input) => {
                input.expands = Expands::All;
                Some(input)
            }
            Flipped::Infeasible(_) | Flipped::Unknown(_) => None,
        }
    }

    /// An input for a way on which calls take known paths.
    fn input_with(&mut self, flip: Flip, plan: &Plan) -> Option<InputVector> {
        self.progress.solver_queries += 1;
        let further = [plan.demands.clone(), self.expansion.preferred(flip)].concat();
        let (terms, solver) = (&mut self.terms, &mut self.solver);
        let flipped = flip::solve_with(&self.tree, flip, &further, terms, solver);
        let mut input = match flipped {
            Flipped::Input(input) => input,
            Flipped::Infeasible(blamed) => {
                self.expansion.blame(&blamed);
                return None;
            }
            Flipped::Unknown(_) => return None,
        };
        input.expands = Expands::Calls(plan.calls.iter().copied().collect());
        self.complete(&mut input, flip);
        self.expansion.note_again();
        Some(input)
    }

    /// A flip behind open goals that abstract executions came by, where nothing else leads to further ones.
    fn next_provisional(&mut self) -> Option<Flip> {
        let is_open = |goal| !self.collector.covers(goal);
        let leads_to_abstract = |flip| {
            let used = self.expansion.sort(flip, &self.tree);
            matches!(used, Use::Abstract | Use::Both)
        };
        self.provisional
            .next(&self.tree, is_open, leads_to_abstract)
    }

    /// The next flip of real executions.
    fn next_flip(&mut self, is_done: bool) -> Option<Flip> {
        while !is_done && let Some(flip) = self.strategy.next(&View::of(&self.tree, &self.targets))
        {
            if !self.tree.is_pending(flip) {
                continue;
            }
            if self.is_needed(flip) {
                self.targets.attempted(Place::of(flip, &self.tree));
                return Some(flip);
            }
            // No goal needs it, and a defect may lie behind it.
            let is_settled = |goal| self.collector.settles(goal);
            if self.failures.take(flip) || self.good_ends.take(flip, is_settled) {
                return Some(flip);
            }
            self.tree.settle(flip, WayState::Dropped);
        }
        if !is_done && let Some(flip) = self.next_left() {
            return Some(flip);
        }
        let check = self.checks.next(&mut self.tree, is_done);
        let is_settled = |goal| self.collector.settles(goal);
        check
            .or_else(|| self.failures.next(&self.tree))
            .or_else(|| self.good_ends.next(&self.tree, is_settled))
            .or_else(|| self.alias_probes.next(&self.tree))
    }

    /// A flip that is pending and needed though the strategy has none to hand out: one that it forgot,
    /// or that it was never given. The tree says when a search is over.
    fn next_left(&mut self) -> Option<Flip> {
        let mut is_fresh = false;
        loop {
            while let Some(flip) = self.left.pop() {
                if self.tree.is_pending(flip) && self.is_needed(flip) {
                    return Some(flip);
                }
            }
            if is_fresh {
                return None;
            }
            is_fresh = true;
            let is_violation = |flip: Flip| {
                let node = self.tree.node(flip.node);
                node.is_violation(flip.way as usize)
            };
            let pending = self.tree.pending();
            let left = pending.filter(|&flip| !is_violation(flip) && self.expansion.is_real(flip));
            self.left = left.collect();
            self.left.sort_unstable();
        }
    }

    /// Whether enough was spent on better tests of goals that are covered.
    fn is_out_of_patience(&self) -> bool {
        self.all_covered_at.is_some_and(|(iterations, steps)| {
            self.progress.iterations - iterations >= MOST_ITERATIONS_FOR_BETTER
                || self.steps - steps >= MOST_STEPS_FOR_BETTER
        })
    }

    /// Whether nothing is left to search for: every goal is covered by an execution that ended
    /// well, or by any, and better ones were not found for a while.
    pub fn goals_decided(&self) -> bool {
        let goals = self.targets.code().goals;
        let all_covered = goals.paths().is_none() && self.is_all_covered();
        // A function without goals is to end well once. Inputs that a precondition lets pass may be rare.
        let has_test = goals.len() > self.targets.pathless().count_ones(..)
            || self.collector.ended_well()
            || (self.options.precondition.is_none() && self.is_out_of_patience());
        all_covered && has_test && (self.is_all_settled() || self.is_out_of_patience())
    }

    /// Whether every goal is covered that can be, as far as the code alone tells.
    pub fn is_all_covered(&self) -> bool {
        let goals = self.targets.code().goals;
        let pathless = self.targets.pathless();
        let rejected = self.rejected();
        // Counted first, since this is asked after each execution.
        let most = self.collector.covered() + pathless.count_ones(..) + rejected.len();
        most >= goals.len()
            && goals.iter().all(|(id, _)| {
                self.collector.covers(id) || pathless.contains(id.index()) || rejected.contains(&id)
            })
    }

    /// Whether each goal that an execution can cover was covered by one that ended well.
    fn is_all_settled(&self) -> bool {
        let hopeless = self.targets.pathless().count_ones(..) + self.rejected().len();
        self.collector.settled() + hopeless >= self.targets.code().goals.len()
    }

    /// The goals that are known to be behind assumptions that never hold, once some input is accepted.
    fn rejected(&self) -> &[GoalId] {
        match self.collector.ended_well() {
            true => self.targets.rejected(),
            false => &[],
        }
    }
}
