//! The loop that joins machine, path tree, solver and goals (CUTE, section 3; DESIGN, data flow).
//!
//! One iteration executes one input, adds its path to the tree, records what it covered, and
//! looks for the next input by flipping one pending way. The search ends when every goal is
//! decided, when no way is pending, or when it is told to stop.

use std::ops::ControlFlow;
use std::rc::Rc;

use coverage::{GoalId, LinkStatistics, Paths, Statistics};
use expr::{Term, Terms};
use ir::Origin;
use ir::input::{InputSpace, InputVector};
use ir::test::{Bound, BoundKind, Defect, Frame, Loss, LossKind, Outcome};
use rustc_hash::FxHashSet;
use solver::Chain;
use vm::{Constraint, ConstraintKind, Defaults, Execution, Given, Machine, Site};

use crate::alias_probes::AliasProbes;
use crate::checks::Checks;
use crate::collect::{Collector, News};
use crate::eviction::Eviction;
use crate::expansion::{Expansion, Joined, UnitNode, Use};
use crate::failures::Failures;
use crate::flip;
use crate::good_ends::GoodEnds;
use crate::guesses::Guesses;
use crate::log::Log;
use crate::next::Next;
use crate::options::{Observer, Options, Progress};
use crate::path_tree::{Flip, Inserted, NodeId, PathTree, WayState};
use crate::provisional::ProvisionalCoverage;
use crate::strategy::{Place, Run, SearchStrategy, View};
use crate::targets::Targets;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Every goal is covered.
    GoalsDecided,
    /// No way is pending: all paths were taken, but for recorded losses and bounds.
    Exhausted,
    /// The observer, the iteration limit or the first defect ended it.
    Stopped,
}

/// A search at work.
pub(crate) struct Search<'a> {
    pub options: &'a Options,
    pub machine: Machine<'a>,
    pub space: InputSpace,
    pub terms: Terms,
    pub solver: Chain,
    pub tree: PathTree,
    pub strategy: Box<dyn SearchStrategy>,
    pub checks: Checks,
    pub alias_probes: AliasProbes,
    pub failures: Failures,
    pub good_ends: GoodEnds,
    pub guesses: Guesses,
    pub targets: Targets<'a>,
    pub collector: Collector,
    pub log: Log,
    pub progress: Progress,
    pub steps: u64,
    /// After how many iterations and steps every goal was covered.
    pub all_covered_at: Option<(u64, u64)>,
    pub eviction: Eviction,
    pub expansion: Expansion,
    pub provisional: ProvisionalCoverage,
    /// Pending flips that the strategy does not hand out, to be tried when it has no others.
    pub left: Vec<Flip>,
    /// Whether abstract paths were tried that stand for all there are, so that none is left that leads to a
    /// goal of the unit.
    pub is_unit_done: bool,
    /// The goals to which executions can come in other places than on paths through the unit.
    pub outside: Vec<GoalId>,
    /// Default values for unconstrained inputs.
    pub defaults: Box<dyn Defaults>,
}

impl Search<'_> {
    /// Runs the search to its end.
    pub fn run(&mut self, seeds: &[&dyn Defaults], observer: &mut dyn Observer) -> End {
        let nothing = InputVector::default();
        for seed in [None].into_iter().chain(seeds.iter().copied().map(Some)) {
            let execution = self.execute(&nothing, seed);
            self.absorb(&execution, None);
            if self.told_to_stop(observer) {
                return self.stopped(observer);
            }
        }
        loop {
            let (input, flip) = match self.next_input(observer) {
                Next::Input(input, flip) => (input, flip),
                Next::End(End::Stopped) => return self.stopped(observer),
                Next::End(end) => return end,
            };
            if let Some(execution) = self.execute_for(&input, flip) {
                self.absorb(&execution, flip);
            }
            if self.told_to_stop(observer) {
                return self.stopped(observer);
            }
        }
    }

    /// Executes an input; what it leaves open is what the seed says, if there is one.
    pub fn execute(&mut self, vector: &InputVector, seed: Option<&dyn Defaults>) -> Execution {
        self.progress.iterations += 1;
        let defaults = seed.unwrap_or(&*self.defaults);
        let input = Given { vector, defaults };
        let Options {
            entry,
            precondition,
            ..
        } = *self.options;
        self.machine
            .execute_if(precondition, entry, input, &mut self.space, &mut self.terms)
    }

    /// Records all that an execution yields. `flip` is what its input was solved for.
    pub fn absorb(&mut self, execution: &Execution, flip: Option<Flip>) {
        self.steps += execution.steps;
        self.check_own_path(execution);
        let is_real = execution.abstracted == 0;
        match is_real {
            true => self.log.execution(execution),
            false => self.log.shared_memory(execution),
        }
        self.note_rejected(execution);
        let flip = flip.filter(|&flip| !self.tree.displace(flip, &execution.path));
        let diverged = flip.is_some_and(|flip| !self.tree.follows(&execution.path, flip));
        if let (Some(flip), true) = (flip, diverged) {
            self.diverged(flip, is_real && !execution.losses.is_empty());
        }
        let flipped = flip.filter(|&flip| self.tree.is_pending(flip));
        let flipped = flipped.map(|flip| Place::of(flip, &self.tree));
        let source = Rc::new(execution.inputs.clone());
        let inserted = self.tree.insert(&execution.path, &source, flip);
        if let Some(at) = inserted.conflict {
            let site = execution.path[at].site;
            self.lost(
                LossKind::Divergence,
                site,
                "two executions disagree here".to_owned(),
            );
        }
        let (places, trail) = self.expansion.note(
            execution,
            &inserted,
            (&self.space, &self.terms),
            &View::of(&self.tree, &self.targets),
        );
        let news = match is_real {
            true => self.note_real(execution, &places, inserted.new_path),
            false => 0,
        };
        self.targets
            .update(&self.collector, self.machine.contexts());
        let goals = self.open_goals(execution);
        self.provisional.note(&inserted.path, &goals);
        if is_real && matches!(execution.outcome, Outcome::Defect(_)) {
            self.note_ways_on(execution, &inserted);
        }
        let sorted = self.sort_out(&inserted.pending, &source);
        let run = Run {
            pending: &sorted.real,
            path: &inserted.path,
            news,
            flipped,
        };
        let view = View::of(&self.tree, &self.targets);
        self.strategy.executed(&run, &view);
        if self.expansion.is_on() {
            let joined = Joined {
                execution,
                path: &inserted.path,
                places: &places,
                trail: &trail,
                goals: &goals,
            };
            let pending = &sorted.lead_to_abstract;
            self.expansion.ready(joined, &Run { pending, ..run }, &view);
            self.expansion.wait(&sorted.waiting, &self.terms, &view);
            let surroundings = (&mut self.space, &mut self.terms);
            self.expansion.executed(joined, surroundings, &view);
            let is_covered = |goal| self.collector.covers(goal);
            self.expansion.reached(is_covered, &self.terms, &view);
        }
        self.evict();
    }

    /// Records which goals a rejected execution reached.
    fn note_rejected(&mut self, execution: &Execution) {
        let goals = self.targets.code().goals;
        if execution.outcome == Outcome::Rejected {
            let all = goals.covered_by(&execution.trace);
            self.log.rejected.extend(all.map(|goal| goal.index()));
        }
        if let Some(trace) = &execution.before_call {
            let ended = goals.covered_by(trace);
            self.log.before_calls.extend(ended.map(|goal| goal.index()));
        }
    }

    /// Records what an execution covered in which no call was replaced. Returns how many blocks
    /// and edges it visited that none before it did.
    fn note_real(&mut self, execution: &Execution, places: &[UnitNode], new_path: bool) -> usize {
        let goals = self.targets.code().goals;
        self.progress.paths += u64::from(new_path);
        let path = match goals.paths() {
            Some(Paths::Unit) => self.expansion.ended(execution, places),
            Some(Paths::Whole) | None => new_path,
        };
        let news = News {
            path,
            defect: self.note_defect(execution),
            reported: self.note_reported(execution),
        };
        let news = self.collector.consider(goals, execution, news);
        self.progress.covered = self.collector.covered();
        if self.all_covered_at.is_none() && self.is_all_covered() {
            self.all_covered_at = Some((self.progress.iterations, self.steps));
        }
        let traces = execution.before.iter().chain([&execution.trace]);
        traces.for_each(|trace| self.targets.executed(trace));
        news
    }

    /// The goals that an execution comes to in the unit and that are not covered, since it does not
    /// count, each with how many edges of the unit lead there.
    fn open_goals(&self, execution: &Execution) -> Vec<(GoalId, usize)> {
        let goals = self.targets.code().goals;
        if execution.abstracted == 0 && execution.outcome != Outcome::Rejected {
            return Vec::new();
        }
        let is_open = |goal: &GoalId| !self.collector.covers(*goal);
        let edges = execution.unit.edges.iter().enumerate();
        let by_edge = edges.flat_map(|(at, &edge)| {
            let open = goals.on_edge(edge).iter().copied().filter(is_open);
            open.map(move |goal| (goal, at + 1))
        });
        // Statements that no edge leads to just so are reached on the whole path.
        let all = goals.covered_by(&execution.trace).filter(is_open);
        let whole = execution.unit.edges.len();
        by_edge.chain(all.map(|goal| (goal, whole))).collect()
    }

    /// Records the defect that an execution ended in. Returns whether it is a new one.
    fn note_defect(&mut self, execution: &Execution) -> bool {
        let Outcome::Defect(defect) = &execution.outcome else {
            return false;
        };
        if let Some(last) = execution.path.last()
            && last.kind == ConstraintKind::Check(defect.kind)
            && self.targets.code().program.origin(last.site.function) == Origin::User
        {
            self.checks.found((last.site, defect.kind));
        }
        let new = self.log.is_new_defect(defect);
        self.progress.defects += usize::from(new);
        new
    }

    /// Records the defects that an execution went on behind. Returns those that are new.
    fn note_reported(&mut self, execution: &Execution) -> Vec<Defect> {
        let reported = execution.reported.iter().cloned();
        let new: Vec<Defect> = reported
            .filter(|defect| self.log.is_new_defect(defect))
            .collect();
        self.progress.defects += new.len();
        new
    }

    /// The invariant that an input satisfies its own path condition, in debug builds.
    fn check_own_path(&self, execution: &Execution) {
        if !cfg!(debug_assertions) {
            return;
        }
        let model = flip::model(&execution.inputs);
        let path: Vec<Term> = execution.path.iter().map(|it| it.term).collect();
        let violated = self.terms.first_violated(&path, &model);
        debug_assert!(
            violated.is_none(),
            "the input does not satisfy its own path condition: {:?}",
            violated.map(|at| (
                execution.path[at].site,
                self.terms.display(path[at]).to_string()
            )),
        );
    }

    /// An execution that did not take the flip it was solved for. This happens only where
    /// precision was lost on the way.
    fn diverged(&mut self, flip: Flip, has_loss: bool) {
        let site = self.tree.node(flip.node).site;
        self.failed(flip, WayState::Undecided);
        self.expansion.lose();
        if !self.expansion.is_real(flip) {
            return;
        }
        debug_assert!(
            has_loss || !self.log.losses.is_empty(),
            "an execution diverged without a loss"
        );
        self.lost(
            LossKind::Divergence,
            site,
            "an input did not go where it should".to_owned(),
        );
    }

    pub fn lost(&mut self, kind: LossKind, site: Site, detail: String) {
        let stack = self.place_of_way(site);
        self.log.loss(&Loss {
            kind,
            detail,
            stack,
        });
    }

    /// The place of a way that is left out. Where calls are replaced there is none: executions that replace
    /// calls cover nothing, so that goals before the way may be left out with it.
    fn place_of_way(&self, site: Site) -> Vec<Frame> {
        let frame = self.frame(site).filter(|_| !self.expansion.is_on());
        frame.into_iter().collect()
    }

    /// The frame of a site; its callers are not known.
    fn frame(&self, site: Site) -> Option<Frame> {
        let body = self.targets.code().program.functions[site.function]
            .body
            .as_ref()?;
        let block = body.blocks.get(site.block)?;
        let statement = block.statements.get(site.statement as usize);
        let span = statement.map_or(block.span, |statement| statement.span);
        Some(Frame {
            function: site.function,
            block: site.block,
            span: body.spans[span].clone(),
        })
    }

    /// Records the ways on from the first goal on the path of an execution with a defect that no execution
    /// which ended well covered.
    fn note_ways_on(&mut self, execution: &Execution, inserted: &Inserted) {
        let goals = self.targets.code().goals;
        let unsettled = |constraint: &Constraint| {
            let edge = self.targets.edge(Place::taken(constraint))?;
            let mut on_edge = goals.on_edge(edge).iter().copied();
            on_edge.find(|&goal| !self.collector.settles(goal))
        };
        let mut steps = execution.path.iter().zip(&inserted.path);
        let Some(goal) = steps.find_map(|(constraint, _)| unsettled(constraint)) else {
            return;
        };
        let behind: FxHashSet<NodeId> = steps.map(|(_, step)| step.node).collect();
        let pending = inserted.pending.iter().copied();
        for flip in pending.filter(|flip| behind.contains(&flip.node)) {
            self.good_ends.add(flip, goal);
        }
    }

    /// The new pending ways, by what they are good for: those that violate a check are kept apart, and
    /// those that are too deep or that no goal needs are dropped.
    fn sort_out(&mut self, pending: &[Flip], input: &InputVector) -> Sorted {
        let mut sorted = Sorted::default();
        for &flip in pending {
            let node = self.tree.node(flip.node);
            if self.options.depth.is_some_and(|most| node.depth >= most) {
                self.leave_too_deep(flip);
            } else if node.is_violation(flip.way as usize) {
                match self.expansion.is_real(flip) {
                    true => self.checks.add(flip, &mut self.tree),
                    false => self.tree.settle(flip, WayState::Dropped),
                }
            } else {
                let known = (&self.terms, &self.space);
                let is_aside = self.failures.add(flip, &self.tree, known)
                    || self.alias_probes.add(flip, input, &self.tree)
                    || self.good_ends.is_waiting(flip);
                match self.is_needed(flip) {
                    true => self.sort(flip, &mut sorted),
                    false if is_aside => {}
                    false => self.tree.settle(flip, WayState::Dropped),
                }
            }
        }
        sorted
    }

    fn sort(&mut self, flip: Flip, sorted: &mut Sorted) {
        let used = self.expansion.sort(flip, &self.tree);
        if matches!(used, Use::Real | Use::Both) {
            sorted.real.push(flip);
        }
        if matches!(used, Use::Abstract | Use::Both) {
            sorted.lead_to_abstract.push(flip);
        }
        match used {
            Use::Real | Use::Both | Use::Mixed => sorted.waiting.push(flip),
            Use::Abstract => {}
            Use::None => self.tree.settle(flip, WayState::Dropped),
        }
    }

    fn leave_too_deep(&mut self, flip: Flip) {
        let site = self.tree.node(flip.node).site;
        self.tree.settle(flip, WayState::Dropped);
        let stack = self.place_of_way(site);
        self.log.bound(&Bound {
            kind: BoundKind::Depth,
            detail: "the path was longer than --depth".to_owned(),
            stack,
        });
    }

    fn told_to_stop(&mut self, observer: &mut dyn Observer) -> bool {
        self.is_stopped_by_defect()
            || self.is_out_of_iterations()
            || observer.progress(&self.progress) == ControlFlow::Break(())
    }

    fn is_stopped_by_defect(&self) -> bool {
        self.options.stop_on_defect && self.progress.defects > 0
    }

    fn is_out_of_iterations(&self) -> bool {
        self.progress.iterations >= self.options.iteration_limit
            || self.expansion.is_out_of_patience()
    }

    fn stopped(&mut self, observer: &dyn Observer) -> End {
        // The flip that the solver was at when it was interrupted may be the last.
        let is_interrupted = self.log.has(LossKind::TimeLimit);
        if self.next_choice().is_none() {
            if self.goals_decided() {
                return End::GoalsDecided;
            }
            if !is_interrupted {
                return End::Exhausted;
            }
        }
        let kind = if self.is_stopped_by_defect() {
            LossKind::StoppedOnDefect
        } else if self.is_out_of_iterations() {
            LossKind::IterationLimit
        } else if observer.is_out_of_memory() {
            LossKind::MemoryLimit
        } else {
            LossKind::TimeLimit
        };
        self.leaves_paths(kind);
        End::Stopped
    }

    /// Records that the search ends with paths left to try, for such a reason.
    pub fn leaves_paths(&mut self, kind: LossKind) {
        let why = match kind {
            LossKind::StoppedOnDefect => "a defect ended the search",
            LossKind::MemoryLimit => "the limit of memory ended the search",
            _ => "the search was stopped",
        };
        self.log.loss(&Loss {
            kind,
            detail: format!("{why} with paths left to try"),
            stack: Vec::new(),
        });
    }
}

impl Search<'_> {
    /// Where the input was rejected that came farthest, if it is known that all are: no bound left any out, no
    /// call could have ended the execution before, and there was a goal to search for.
    pub fn no_input(&self, end: End) -> Option<Vec<Frame>> {
        let is_bound = !self.log.bounds.is_empty() || !self.log.before_calls.is_clear();
        let has_goals = self.targets.pathless().count_ones(..) < self.targets.code().goals.len();
        let is_known = end == End::Exhausted && !is_bound && has_goals;
        let site = self.collector.rejects_all().filter(|_| is_known)?;
        Some(site.and_then(|site| self.frame(site)).into_iter().collect())
    }

    /// What the search cost, in counts.
    pub fn statistics(&self) -> Statistics {
        let counts = self.solver.statistics().into_iter();
        let links = counts.map(|counts| LinkStatistics {
            name: counts.link.name(),
            queries: counts.queries,
            constraints: counts.constraints,
            answered: counts.answered,
            seconds: counts.time.as_secs_f64(),
        });
        Statistics {
            iterations: self.progress.iterations,
            paths: self.progress.paths,
            solver_queries: self.progress.solver_queries,
            dropped_ways: self.tree.dropped(),
            steps: self.steps,
            solver_links: links.collect(),
            lazy: self.expansion.statistics(),
            ..Statistics::default()
        }
    }
}

/// Pending ways by what they are good for; some for several things.
#[derive(Default)]
struct Sorted {
    /// Further real executions.
    real: Vec<Flip>,
    /// Further abstract paths.
    lead_to_abstract: Vec<Flip>,
    /// Making abstract paths real.
    waiting: Vec<Flip>,
}
