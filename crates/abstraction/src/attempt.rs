//! The provers in turns on one model of the code.
//!
//! ```text
//! build the segments
//! while a goal is open and a prover is not through: let the next one have its turn
//! ```

use std::collections::{BTreeSet, VecDeque};

use index_vec::IndexVec;
use ir::{CodeEdge, CodeIndex, OrderedTrace};
use solver::{Effort, Stop};

use crate::dead_ends::DeadEnds;
use crate::exclusion::Exclusion;
use crate::formulas::arena::Arena;
use crate::formulas::model::{Bounds, Model};
use crate::formulas::segment::CodePlace;
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;
use crate::graph::unfolding::Unfolding;
use crate::implications::Implications;
use crate::invariants::ByInvariants;
use crate::k_induction::KInduction;
use crate::monitor::prover::Monitoring;
use crate::monitor::{Monitor, Position, Watching};
use crate::prover::{Goals, Progress, Prover, ProverName};
use crate::reachability::Reachability;
use crate::relations::Relations;
use crate::relations::phases::ByPhases;
use crate::relations::products::ByProducts;
use crate::steering::Steering;
use crate::values::Values;

/// The effort of a prover's turn.
pub const TURN: u64 = 10_000_000;

impl Turn {
    /// A turn of a prover. Invariants serve all others; steering covers what no proof decides; the
    /// monitor only orders what is tried; implications decide nothing before they are through, and take
    /// long where nothing else decides much.
    fn of(name: ProverName) -> Turn {
        let left = match name {
            ProverName::Invariants | ProverName::Phases => 3 * TURN,
            ProverName::Steering => 2 * TURN,
            ProverName::Implications => 10 * TURN,
            ProverName::Monitor => TURN / 4,
            _ => TURN,
        };
        Turn {
            left,
            has_decided: false,
        }
    }
}

/// A turn of a prover.
struct Turn {
    /// How much effort is left.
    left: u64,
    /// Whether it decided a goal, or proposed inputs.
    has_decided: bool,
}

/// An attempt to prove goals, with or without call backs.
pub struct Attempt<'p> {
    formulas: Formulas<'p>,
    /// The cuts whose segments are to be built, the next one last.
    unbuilt: Vec<CutId>,
    /// The provers that are not through yet, the next one first.
    provers: VecDeque<(ProverName, Box<dyn Prover + Send>)>,
    /// The turn of the next prover, if it has begun.
    turn: Option<Turn>,
    /// The effort that the attempt has spent.
    pub spent: u64,
    /// The goals, and what was found out about them.
    pub goals: Goals,
    /// Watches executions, once that is of use.
    monitor: Option<Monitor>,
}

impl<'p> Attempt<'p> {
    /// An attempt without provers.
    pub fn new(
        (unfolding, index, bounds): (Unfolding<'p>, &CodeIndex, Bounds),
        open: BTreeSet<CodePlace>,
        (effort, stop): (Effort, Option<Stop>),
    ) -> Attempt<'p> {
        let mut arena = Arena::default();
        let model = Model::new(unfolding, index, bounds, &mut arena);
        let mut unbuilt: Vec<CutId> = model.cuts.iter().collect();
        unbuilt.reverse();
        let mut formulas = Formulas::new(model, arena, effort, stop);
        let axioms = formulas.axioms();
        let invariants: Invariants = IndexVec::from_vec(vec![axioms; unbuilt.len()]);
        Attempt {
            formulas,
            unbuilt,
            provers: VecDeque::new(),
            turn: None,
            spent: 0,
            goals: Goals::new(open.into_iter().collect(), invariants),
            monitor: None,
        }
    }

    /// Adds provers.
    pub fn add(&mut self, names: &[ProverName]) {
        let provers = names
            .iter()
            .filter_map(|&name| Some((name, prover(name, names)?)));
        self.provers.extend(provers);
    }

    /// Proposes no inputs from now on.
    pub fn propose_no_inputs(&mut self) {
        self.provers.retain(|(known, _)| !known.is_for_search());
        self.goals.are_inputs_wanted = false;
    }

    /// Whether it is known that call backs make a difference.
    pub fn depends_on_call_backs(&self) -> bool {
        let mut segments = self.formulas.segments.iter();
        self.unbuilt.is_empty() && segments.any(|segment| segment.is_called_back)
    }

    /// Whether its provers have nothing left to do.
    pub fn is_through(&self) -> bool {
        self.goals.open.is_empty() || self.unbuilt.is_empty() && self.provers.is_empty()
    }

    /// Works until so much effort is spent in all, or there are inputs to be tried.
    pub fn step(&mut self, until: u64) {
        let before = self.formulas.spent();
        self.formulas.go_on_until(until);
        self.work();
        self.spent += self.formulas.spent() - before;
    }

    /// Watches an execution, if the dead ends of goals are known, or if only its way is to be checked,
    /// in debug builds.
    pub fn watch(&mut self, trace: &OrderedTrace) -> Watching {
        if !self.unbuilt.is_empty() {
            return Watching::Waits;
        }
        if self.goals.are_dead_ends_known {
            self.goals.are_dead_ends_known = false;
            let none = DeadEnds::none(&self.formulas);
            let dead = |goal| self.goals.dead.get(goal).unwrap_or(&none).clone();
            let goals = self.goals.open.iter().map(|goal| (*goal, dead(goal)));
            self.monitor = Some(Monitor::new(&self.formulas, goals.collect()));
        } else if cfg!(debug_assertions) && self.monitor.is_none() {
            self.monitor = Some(Monitor::new(&self.formulas, Vec::new()));
        }
        let invariants = &self.goals.invariants;
        let monitor = self.monitor.as_mut();
        let watched = monitor.map(|it| it.watch(&mut self.formulas, invariants, trace));
        let mut left = self.provers.iter();
        match watched {
            Some(watched) if watched.is_impossible => Watching::Watched(watched),
            _ if left.any(|&(name, _)| name == ProverName::Monitor) => Watching::Waits,
            Some(watched) if self.is_monitoring() => Watching::Watched(watched),
            _ => Watching::Never,
        }
    }

    /// Whether it watches executions for the search, or is about to.
    pub fn is_monitoring(&self) -> bool {
        let is_of_use = |monitor: &Monitor| monitor.is_of_use();
        self.goals.are_dead_ends_known || self.monitor.as_ref().is_some_and(is_of_use)
    }

    /// See [`Monitor::may_lead_to_goal`].
    pub fn may_lead_to_goal(&mut self, branch: (Position, CodeEdge)) -> bool {
        let goals = &self.goals.open;
        let is_open = |place| goals.contains(&place);
        let invariants = &self.goals.invariants;
        self.monitor.as_mut().is_none_or(|monitor| {
            monitor.may_lead_to_goal(&mut self.formulas, invariants, branch, &is_open)
        })
    }

    /// See [`Monitor::is_dead_end`].
    pub fn is_dead_end(&self, position: Position) -> bool {
        let is_open = |place| self.goals.open.contains(&place);
        let monitor = self.monitor.as_ref();
        monitor.is_some_and(|monitor| monitor.is_dead_end(position, &is_open))
    }

    fn work(&mut self) {
        while let Some(&cut) = self.unbuilt.last() {
            if self.formulas.is_over() {
                return;
            }
            self.unbuilt.pop();
            let goals = &self.goals.open;
            if !self.formulas.build(cut, &|place| goals.contains(&place)) {
                self.goals.open.clear();
                return;
            }
        }
        while !self.goals.open.is_empty()
            && self.goals.scripts.is_empty()
            && !self.formulas.is_over()
            && let Some((name, mut prover)) = self.provers.pop_front()
        {
            let before = self.formulas.spent();
            let mut turn = self.turn.take().unwrap_or_else(|| Turn::of(name));
            self.formulas.begin_turn(turn.left);
            let proved = self.goals.proved.len();
            let progress = prover.step(&mut self.formulas, &mut self.goals);
            let spent = self.formulas.spent() - before;
            turn.left = turn.left.saturating_sub(spent);
            turn.has_decided |= self.goals.proved.len() > proved || !self.goals.scripts.is_empty();
            match progress {
                Progress::Working if turn.left > 0 => {
                    self.turn = Some(turn);
                    self.provers.push_front((name, prover));
                }
                Progress::Working if turn.has_decided => self.provers.push_front((name, prover)),
                Progress::Working => self.provers.push_back((name, prover)),
                Progress::Finished => {}
            }
        }
    }
}

/// A prover, beside others; `None` if it is a part of one of these.
fn prover(name: ProverName, others: &[ProverName]) -> Option<Box<dyn Prover + Send>> {
    Some(match name {
        ProverName::Segments => Box::new(Exclusion::default()),
        ProverName::Values => Box::new(Values::default()),
        ProverName::Relations => Box::new(Relations::default()),
        ProverName::Phases => Box::new(ByPhases::default()),
        ProverName::Products => Box::new(ByProducts::default()),
        ProverName::Implications => Box::new(Implications::default()),
        ProverName::Invariants => Box::new(ByInvariants::new()),
        ProverName::Reachability => {
            let is_refined = others.contains(&ProverName::Refinement);
            Box::new(Reachability::new(is_refined))
        }
        ProverName::Pairs | ProverName::Refinement | ProverName::Distance => return None,
        ProverName::KInduction => Box::new(KInduction::default()),
        ProverName::Steering => {
            let knows_distance = others.contains(&ProverName::Distance);
            Box::new(Steering::new(knows_distance))
        }
        ProverName::Monitor => Box::new(Monitoring::default()),
    })
}
