//! The loop that joins machine, path tree, solver and goals (CUTE, section 3; DESIGN, data flow).
//!
//! One iteration executes one input, adds its path to the tree, records what it covered, and
//! looks for the next input by flipping one pending branch. The search ends when every goal is
//! decided, when no branch is pending, or when the observer stops it.

mod beside;
mod decided;
mod ended;
mod engine;
mod eviction;
mod fuzz;
mod guesses;
mod labels;
mod lazily;
mod limited;
mod losses;
mod next;
mod prove;
mod record;
mod sort_out;
mod watch;

use std::sync::Arc;
use std::thread;

use coverage::GoalId;
use ir::input::InputVector;
use ir::test::LossKind;
use vm::{Defaults, Execution};

use self::beside::ProofThread;
pub(crate) use self::engine::Engine;
use self::engine::Input;
pub(crate) use self::eviction::Eviction;
pub(crate) use self::fuzz::Fuzzing;
pub(crate) use self::guesses::Guesses;
pub(crate) use self::labels::assumes_behind_labels;
pub(crate) use self::limited::Limited;
use self::next::Next;
pub(crate) use self::prove::Provers;
use crate::abstract_search::AbstractSearch;
use crate::branch_site::BranchSite;
use crate::collect::Collector;
use crate::edge_search::EdgeSearch;
use crate::lazy::{Joined, LazyExpansion, NewFlips, Surroundings, UnitProof};
use crate::log::Log;
use crate::open_goals::OpenGoals;
use crate::options::{Observer, Options, Progress};
use crate::path_tree::{Flip, Inserted, PathTree};
use crate::proofs::Proofs;
use crate::sources::{Situation, Sources};
use crate::strategy::{JoinedRun, View};
use crate::taken_paths::PathInputs;
use crate::tries::TryCounts;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Every goal is covered, or excluded by the code alone.
    GoalsDecided,
    /// No branch is pending: all paths were taken, but for recorded losses and bounds.
    Exhausted,
    /// The observer, the iteration limit or the first defect ended it.
    Stopped,
}

/// A search and its state.
pub(crate) struct Search<'a> {
    pub options: &'a Options,
    pub engine: Engine<'a>,
    pub tree: PathTree,
    /// The inputs of all paths in it, those included that it has forgotten.
    pub taken: PathInputs,
    pub open_goals: OpenGoals<'a>,
    pub sources: Sources,
    pub lazy: LazyExpansion,
    /// The search for abstract paths, if the criterion asks for these.
    pub abstract_search: Option<AbstractSearch<'a>>,
    /// The counts of a search for single edges, if the criterion asks for these.
    pub edge_search: Option<EdgeSearch<'a>>,
    /// The proof that abstract paths stand for all paths, once none is left that leads to a goal of
    /// the unit.
    pub unit_proof: Option<UnitProof>,
    /// The provers that look for proofs that goals are unreachable.
    pub provers: Provers<'a>,
    /// Fuzzes what functions without a body return.
    pub fuzzing: Fuzzing,
    /// The proofs that they found.
    pub proofs: Proofs,
    /// Whether paths matter that lead to no goal, for the labels on them.
    pub keeps_all_paths: bool,
    /// The goals that executions can reach in other places than on paths through the unit.
    pub outside: Vec<GoalId>,
    pub found: Found,
    pub eviction: Eviction,
    pub limited: Limited,
}

/// The findings of a search.
pub(crate) struct Found {
    pub collector: Collector,
    pub log: Log,
    pub progress: Progress,
    pub steps: u64,
    /// The calls of functions without a body in all executions.
    pub calls: u64,
    /// The numbers of alternatives on all paths together.
    pub alternatives: u64,
    /// The results of trying flips.
    pub tries: TryCounts,
    /// The numbers of iterations and steps after which every goal was covered.
    pub all_covered_at: Option<(u64, u64)>,
}

impl Search<'_> {
    /// Runs the search to its end, with provers beside it.
    pub fn run(&mut self, seeds: &[&dyn Defaults], observer: &mut dyn Observer) -> End {
        thread::scope(|scope| {
            let thread = self.provers.are_on().then(|| ProofThread::start(scope));
            self.provers.work_on(thread.flatten());
            let end = self.run_to_end(seeds, observer);
            self.take_findings();
            self.provers.work_on(None);
            end
        })
    }

    fn run_to_end(&mut self, seeds: &[&dyn Defaults], observer: &mut dyn Observer) -> End {
        let nothing = InputVector::default();
        for seed in [None].into_iter().chain(seeds.iter().copied().map(Some)) {
            let execution = self.execute(&nothing, seed);
            let execution = self.without_endless_loop(execution, seed);
            self.absorb(&execution, None);
            if self.told_to_stop(observer) {
                return self.stopped(observer);
            }
        }
        loop {
            let (input, flip) = match self.next_input(observer) {
                Next::Input(input, flip) => (input, flip),
                Next::End(End::Stopped) => return self.stopped(observer),
                Next::End(end) => {
                    self.prove_at_end(end, observer);
                    if self.goals_decided() || self.longer_execution().is_none() {
                        return end;
                    }
                    if self.told_to_stop(observer) {
                        return self.stopped(observer);
                    }
                    self.execute_longer();
                    continue;
                }
            };
            if let Some(execution) = self.execute_for(&input, flip) {
                self.absorb(&execution, flip);
            }
            self.go_on_where_limited();
            self.try_patterns();
            self.fuzz_in_turn();
            self.prove_in_turn();
            if self.told_to_stop(observer) {
                self.prove_at_end(End::Stopped, observer);
                return self.stopped(observer);
            }
        }
    }

    /// Executes an input. The seed, if there is one, gives the values that the input leaves open.
    fn execute(&mut self, vector: &InputVector, seed: Option<&dyn Defaults>) -> Execution {
        self.execute_input(&Input {
            vector,
            seed,
            recorded: 0,
            unrecorded: 0,
        })
    }

    fn execute_input(&mut self, input: &Input<'_>) -> Execution {
        self.found.progress.iterations += 1;
        self.engine
            .execute(input, self.limited.more_steps, self.options)
    }

    /// Records the results of an execution. `flip` is the one that its input was solved for.
    fn absorb(&mut self, execution: &Execution, flip: Option<Flip>) {
        self.found.steps += execution.steps;
        let calls = execution.calls.values().map(|&count| u64::from(count));
        self.found.calls += calls.sum::<u64>();
        let alternatives = execution.path.iter().map(|it| it.alternatives.len() as u64);
        self.found.alternatives += alternatives.sum::<u64>();
        self.check_own_path(execution);
        self.check_proofs(execution);
        self.record_losses(execution);
        self.note_labels(execution);
        self.note_limited(execution);
        let (inserted, flipped) = self.insert(execution, flip);
        self.watch(execution, &inserted);
        let surroundings = Surroundings {
            space: &mut self.engine.space,
            terms: &mut self.engine.terms,
            view: View::of(&self.tree, &self.open_goals),
        };
        let (places, whole) = self.lazy.joined(execution, &inserted, &surroundings);
        let taken = self.note_abstract_path(execution, &inserted, flip);
        let covered = self.found.collector.covered();
        let news = match execution.abstracted {
            0 => self.record_real(execution, &places, taken),
            _ => 0,
        };
        self.open_goals
            .update(&self.found.collector, self.engine.machine.contexts());
        self.count_edges(execution, flip, covered);
        self.fuzzing
            .executed(&self.engine.space, execution, (flip, news));
        let goals = self.open_goals(execution);
        self.sources.provisional.note(&inserted.path, &goals);
        let sorted = self.sort_out(execution, &inserted);
        let run = JoinedRun {
            pending: &sorted.real,
            path: &inserted.path,
            news,
            flipped,
        };
        let view = View::of(&self.tree, &self.open_goals);
        self.sources.strategy.executed(&run, &view);
        let joined = Joined {
            execution,
            path: &inserted.path,
            places: &places,
            whole: &whole,
            goals: &goals,
        };
        let flips = NewFlips {
            leading: &sorted.lead_to_abstract,
            concretising: &sorted.waiting,
        };
        self.expand(joined, flips, run);
        if let Some(search) = &mut self.abstract_search {
            search.evict(&self.tree);
        }
        self.evict(&inserted.pending);
    }

    /// Adds the path of an execution to the tree, with the place of the flip that it took.
    fn insert(
        &mut self,
        execution: &Execution,
        flip: Option<Flip>,
    ) -> (Inserted, Option<BranchSite>) {
        let flip = flip.filter(|&flip| !self.tree.displace(flip, &execution.path));
        let diverged = flip.filter(|&flip| !self.tree.follows(&execution.path, flip));
        if let Some(flip) = diverged {
            self.diverged(flip, execution);
        }
        let flipped = flip.filter(|&flip| self.tree.is_pending(flip));
        if let Some(flip) = flipped {
            self.count_try(flip, |tries| &mut tries.taken);
        }
        let flipped = flipped.map(|flip| BranchSite::of(flip, &self.tree));
        let source = Arc::new(execution.inputs.clone());
        let inserted = self.tree.insert(&execution.path, &source, flip);
        if inserted.new_path || execution.needs.ended_by.is_some() {
            self.taken.add(&source);
        }
        if let Some(at) = inserted.conflict {
            let site = execution.path[at].site;
            let detail = "two executions disagree here".to_owned();
            self.lost(LossKind::Divergence, site, detail);
        }
        (inserted, flipped)
    }

    /// Passes an execution to lazy expansion.
    fn expand(&mut self, joined: Joined<'_>, flips: NewFlips<'_>, run: JoinedRun<'_>) {
        if !self.lazy.is_on() {
            return;
        }
        if !flips.leading.is_empty() || !joined.goals.is_empty() {
            self.sources.abstract_leftovers.added();
        }
        let view = View::of(&self.tree, &self.open_goals);
        let pending = flips.leading;
        self.lazy.ready(&JoinedRun { pending, ..run }, &view);
        let is_covered = |goal| self.found.collector.covers(goal);
        let mut surroundings = Surroundings {
            space: &mut self.engine.space,
            terms: &mut self.engine.terms,
            view,
        };
        self.lazy
            .executed(joined, flips, is_covered, &mut surroundings);
    }

    /// The sources of flips, and the part of the search that they may read.
    fn sources(&mut self) -> (&mut Sources, Situation<'_>) {
        let situation = Situation {
            tree: &self.tree,
            open_goals: &self.open_goals,
            collector: &self.found.collector,
        };
        (&mut self.sources, situation)
    }
}
