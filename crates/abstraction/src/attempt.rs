//! The provers in turns on one model of the code.
//!
//! ```text
//! build the segments
//! while a goal is open and a prover is not through:
//!     let the next one have its turn; twice as long as the one before, up to a limit
//!     it has the next turn, too, if it decided a goal
//! ```

use std::collections::{BTreeSet, VecDeque};

use index_vec::IndexVec;
use ir::CodeIndex;
use solver::{Effort, Stop};

use crate::arena::Arena;
use crate::cuts::CutId;
use crate::exclusion::Exclusion;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::ByInvariants;
use crate::k_induction::KInduction;
use crate::model::{CallBacks, Model};
use crate::prover::{Goals, Progress, Prover, ProverName};
use crate::reachability::Reachability;
use crate::relations::Relations;
use crate::segment::CodePlace;
use crate::steering::Steering;
use crate::unfolding::Unfolding;

/// The effort of a prover's longest turn.
pub const TURN: u64 = 10_000_000;

/// How many times longer the longest turn is than the first one, as a power of two.
const DOUBLINGS: u32 = 2;

/// A prover at work.
struct Working {
    name: ProverName,
    prover: Box<dyn Prover + Send>,
    /// How many turns it has had.
    turns: u32,
    /// Whether it decided a goal in its last one.
    has_decided: bool,
}

impl Working {
    /// The effort of its next turn: invariants serve all others.
    fn turn(&self) -> u64 {
        let longest = match self.name {
            ProverName::Invariants => 3 * TURN,
            _ => TURN,
        };
        longest >> DOUBLINGS.saturating_sub(self.turns)
    }
}

/// An attempt to prove goals, with or without call backs.
pub struct Attempt<'p> {
    formulas: Formulas<'p>,
    /// The cuts whose segments are to be built, the next one last.
    unbuilt: Vec<CutId>,
    /// The provers that are not through yet, the next one first.
    provers: VecDeque<Working>,
    /// How much effort is left in the turn of the next prover, if it has begun.
    left_in_turn: Option<u64>,
    /// Whether it decided a goal in this turn.
    has_decided: bool,
    /// The effort that the attempt has spent.
    pub spent: u64,
    /// The goals, and what was found out about them.
    pub goals: Goals,
}

impl<'p> Attempt<'p> {
    /// An attempt without provers.
    pub fn new(
        (unfolding, index, call_backs): (Unfolding<'p>, &CodeIndex, CallBacks),
        open: BTreeSet<CodePlace>,
        (effort, stop): (Effort, Option<Stop>),
    ) -> Attempt<'p> {
        let mut arena = Arena::default();
        let model = Model::new(unfolding, index, call_backs, &mut arena);
        let mut unbuilt: Vec<CutId> = model.cuts.iter().collect();
        unbuilt.reverse();
        let mut invariants: Invariants = IndexVec::from_vec(vec![Vec::new(); unbuilt.len()]);
        let start = model.cuts.start();
        let mut formulas = Formulas::new(model, arena, effort, stop);
        invariants[start] = formulas.axioms();
        Attempt {
            formulas,
            unbuilt,
            provers: VecDeque::new(),
            left_in_turn: None,
            has_decided: false,
            spent: 0,
            goals: Goals {
                open: open.into_iter().collect(),
                proved: Vec::new(),
                scripts: Vec::new(),
                invariants,
                guesser: None,
            },
        }
    }

    /// Adds provers.
    pub fn add(&mut self, names: &[ProverName]) {
        let provers = names.iter().map(|&name| Working {
            name,
            prover: prover(name),
            turns: 0,
            has_decided: false,
        });
        self.provers.extend(provers);
    }

    /// Leaves a prover out from now on.
    pub fn leave_out(&mut self, name: ProverName) {
        self.provers.retain(|known| known.name != name);
    }

    /// Whether its prover decided a goal in the turn under way, or in the one that led to this.
    pub fn has_decided(&self) -> bool {
        let first = self.provers.front();
        self.has_decided || first.is_some_and(|first| first.has_decided)
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
            && let Some(mut working) = self.provers.pop_front()
        {
            let before = self.formulas.spent();
            let turn = self.left_in_turn.take().unwrap_or_else(|| working.turn());
            self.formulas.begin_turn(turn);
            let decided = self.goals.decided();
            let progress = working.prover.step(&mut self.formulas, &mut self.goals);
            self.has_decided |= self.goals.decided() > decided;
            let left = turn.saturating_sub(self.formulas.spent() - before);
            if progress == Progress::Finished {
                self.has_decided = false;
                continue;
            }
            if left > 0 {
                self.left_in_turn = Some(left);
                self.provers.push_front(working);
                continue;
            }
            working.turns += 1;
            working.has_decided = std::mem::take(&mut self.has_decided);
            match working.has_decided {
                true => self.provers.push_front(working),
                false => self.provers.push_back(working),
            }
        }
    }
}

fn prover(name: ProverName) -> Box<dyn Prover + Send> {
    match name {
        ProverName::Segments => Box::new(Exclusion::default()),
        ProverName::Relations => Box::new(Relations::default()),
        ProverName::Invariants => Box::new(ByInvariants::new()),
        ProverName::Reachability => Box::new(Reachability::default()),
        ProverName::KInduction => Box::new(KInduction::default()),
        ProverName::Steering => Box::new(Steering::default()),
    }
}
