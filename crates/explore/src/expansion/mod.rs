//! Lazy expansion: test the function, not everything that it calls (LATEST).
//!
//! Calls that an input decides in are replaced by inputs first, which gives abstract paths through the
//! unit. One that reaches something open becomes a [`Target`]: the calls on it are expanded, one after
//! the other, until an execution takes the path and nothing on it is replaced. Abstract and real
//! executions share the path tree, where each such call is a node with a way for either. What no
//! abstract path leads to, no real one does: that is how most of the paths of the callees are never
//! looked at.
//!
//! It executes nothing and solves nothing: the search does, which asks it for flips, and for questions to
//! the solver.

mod ahead;
mod aim;
mod behaviours;
mod beside;
mod demands;
mod drive;
mod focus;
mod further;
mod inside;
mod learning;
mod lemmas;
mod regions;
mod summaries;
mod target;
mod trails;
mod units;
mod within;

use std::collections::VecDeque;

use analysis::Returned;
use coverage::{Criterion, LazyStatistics};
use expr::Terms;
use ir::input::{CallMode, InputSpace, InputVector};
use ir::test::Outcome;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use vm::Execution;

use self::aim::Ground;
use self::behaviours::Behaviours;
use self::beside::Beside;
pub(crate) use self::drive::{Joined, Step};
use self::further::Further;
use self::inside::Inside;
use self::lemmas::Lemmas;
pub(crate) use self::lemmas::Question;
use self::regions::{Region, Stations, first_replaced};
pub(crate) use self::summaries::Plan;
use self::summaries::{Occasion, Summaries};
use self::target::Target;
use self::trails::{Trail, Trails};
use self::units::Ending;
pub(crate) use self::units::{UnitNode, Units};
use self::within::Results;
use crate::path_tree::{Demands, Flip, Inserted, NodeId, PathTree};
use crate::strategy::{Place, SearchStrategy, View};

/// Lazy expansion at work; see the module.
pub(crate) struct Expansion {
    /// Whether there are calls that may be replaced.
    is_on: bool,
    criterion: Criterion,
    units: Units,
    ground: Ground,
    /// Picks among the flips that lead to further abstract paths.
    strategy: Box<dyn SearchStrategy>,
    /// See [`crate::Options::lazy_patience`].
    patience: Option<u32>,
    /// The same, where executions are rejected.
    further: Further,
    is_turn_of_strategy: bool,
    /// Flips to goals inside calls.
    inside: Inside,
    /// Ways to paths beside those that were made real.
    beside: Beside,
    /// The pending flips that may make an abstract path real, by their places.
    waiting: FxHashMap<UnitNode, Vec<Flip>>,
    target: Option<Target>,
    /// What is to be executed next.
    input: Option<Box<InputVector>>,
    summaries: Summaries,
    behaviours: Behaviours,
    lemmas: Lemmas,
    /// What is to be asked next, of the target or of one that was given up.
    question: Option<Box<Question>>,
    /// Calls for which it is known where they begin to look at inputs, by their nodes.
    occasions: SecondaryMap<NodeId, Occasion>,
    /// The last target that nothing takes.
    given_up: Option<Target>,
    /// Targets that took too long.
    put_aside: VecDeque<Target>,
    /// Whether executions were rejected.
    are_rejected: bool,
    /// Whether abstract paths stand for all that there are, and each was made real or is known to be
    /// none.
    is_exact: bool,
    statistics: LazyStatistics,
}

impl Expansion {
    /// Nothing so far.
    pub fn new(
        is_on: bool,
        criterion: Criterion,
        units: Units,
        returned: Returned,
        strategy: Box<dyn SearchStrategy>,
        patience: Option<u32>,
    ) -> Expansion {
        Expansion {
            is_on,
            criterion,
            units,
            ground: Ground {
                trails: Trails::default(),
                stations: Stations::default(),
                results: Results::new(returned),
            },
            strategy,
            patience,
            further: Further::default(),
            is_turn_of_strategy: true,
            inside: Inside::default(),
            beside: Beside::default(),
            waiting: FxHashMap::default(),
            target: None,
            input: None,
            summaries: Summaries::default(),
            behaviours: Behaviours::default(),
            lemmas: Lemmas::default(),
            question: None,
            occasions: SecondaryMap::new(),
            given_up: None,
            put_aside: VecDeque::new(),
            are_rejected: false,
            is_exact: true,
            statistics: LazyStatistics::default(),
        }
    }

    /// Whether there are calls that may be replaced.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether what abstract paths do not lead to is unreachable.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Records that precision was lost where calls were replaced.
    pub fn lose(&mut self) {
        self.is_exact = false;
    }

    /// Whether too many executions were spent on one abstract path, or nothing can be proved any more.
    pub fn is_out_of_patience(&self) -> bool {
        let executions = self.target.as_ref().map_or(0, |target| target.executions);
        let is_spent = |patience| executions >= patience || !self.is_exact;
        self.patience.is_some_and(is_spent)
    }

    /// What it cost, and what for.
    pub fn statistics(&self) -> Option<LazyStatistics> {
        self.is_on.then_some(self.statistics)
    }

    /// Records an execution that has joined the tree. Gives the places on its path through the
    /// unit, and on its whole path.
    pub fn note(
        &mut self,
        execution: &Execution,
        Inserted { path, pending, .. }: &Inserted,
        (space, terms): (&InputSpace, &Terms),
        view: &View<'_>,
    ) -> (Vec<UnitNode>, Vec<Trail>) {
        let places = self.units.walk(&execution.unit.edges);
        let trail = self.ground.trails.walk(&execution.unit.whole, space);
        self.ground
            .stations
            .note(execution, path, &places, &trail, terms);
        if self.is_on {
            let known = (&self.ground.stations, terms);
            self.behaviours.note(execution, path, pending, known, view);
        }
        let real = match first_replaced(execution) {
            None => places.len(),
            Some(first) => execution.unit.places[first].edges as usize + 1,
        };
        let expanded = match region_at_end(execution) {
            Region::Abstract => {
                self.statistics.iterations_outside += 1;
                real
            }
            Region::Mixed | Region::Real => {
                self.statistics.iterations_inside += 1;
                places.len()
            }
            Region::Start => places.len(),
        };
        self.units.reached(&places, real, expanded);
        (places, trail)
    }

    /// Records that a real execution ended well. Returns whether its path through the unit is new.
    pub fn ended(&mut self, execution: &Execution, places: &[UnitNode]) -> bool {
        let (Some(ending), Some(&last)) = (ending(&execution.outcome), places.last()) else {
            return false;
        };
        self.units.ended(last, ending)
    }

    /// What a pending way is good for.
    pub fn sort(&self, flip: Flip, tree: &PathTree) -> Use {
        let Some(station) = self.ground.stations.of(flip.node) else {
            return Use::Real;
        };
        match (tree.way(flip).demands.clone(), station.region) {
            (Demands::Call(_, CallMode::Entered), Region::Start | Region::Real) => Use::Real,
            (Demands::Call(_, CallMode::Ends), Region::Start | Region::Abstract)
                if self.criterion.paths().is_some() =>
            {
                Use::Abstract
            }
            (Demands::Call(..), _) => Use::None,
            (_, Region::Start) if self.is_on => Use::Both,
            (_, Region::Start | Region::Real) => Use::Real,
            (_, Region::Abstract) => Use::Abstract,
            (_, Region::Mixed) => Use::Mixed,
        }
    }

    /// Whether a flip is of a path on which no call was replaced before.
    pub fn is_real(&self, flip: Flip) -> bool {
        let station = self.ground.stations.of(flip.node);
        station.is_none_or(|station| station.region.is_real())
    }

    /// What is known of paths through the unit behind a pending way.
    pub fn outlook(&self, flip: Flip, view: &View<'_>) -> Outlook {
        let Some(station) = self.ground.stations.of(flip.node) else {
            return Outlook::Open;
        };
        let edge = view.targets.edge(Place::of(flip, view.tree));
        let behind = edge.filter(|_| station.inside);
        let behind = behind.and_then(|edge| self.units.behind(station.place, edge));
        let place = behind.unwrap_or(station.place);
        match (
            self.units.is_ruled_out(place),
            self.units.is_finished(place),
        ) {
            (true, _) => Outlook::Infeasible,
            (false, true) => Outlook::Known,
            (false, false) => Outlook::Open,
        }
    }
}

/// What is known of paths through the unit from some place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// Some may not have been taken.
    Open,
    /// All were taken that there are.
    Known,
    /// There are none.
    Infeasible,
}

/// What a pending way is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// For real executions.
    Real,
    /// For abstract ones.
    Abstract,
    /// For either.
    Both,
    /// To make the rest of an abstract path agree with what calls that were expanded did.
    Mixed,
    /// For nothing.
    None,
}

fn region_at_end(execution: &Execution) -> Region {
    let calls = execution.inputs.calls.values();
    calls.fold(Region::Start, |region, &mode| region.behind(mode))
}

/// How an execution ended, if it ended well.
fn ending(outcome: &Outcome) -> Option<Ending> {
    match outcome {
        Outcome::Return => Some(Ending::Returned),
        Outcome::Exit(_) => Some(Ending::InCallee),
        _ => None,
    }
}
