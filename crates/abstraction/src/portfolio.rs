//! The provers, in turns and in steps that the caller limits.
//!
//! ```text
//! for functions without a body that may call back, and then for such that do not:
//!     unfold the control flow, build the segments
//!     while a goal is open and a prover is not through: let the next one have its turn
//! ```

use std::collections::{BTreeSet, VecDeque};

use analysis::Reach;
use index_vec::IndexVec;
use ir::{CodeBlock, CodeIndex, FunctionId, Program};
use solver::{Effort, Stop};

use crate::arena::Arena;
use crate::cuts::CutId;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::ByInvariants;
use crate::k_induction::KInduction;
use crate::model::{CallBacks, Model};
use crate::proof::Proof;
use crate::prover::{Goals, Progress, Prover, ProverName};
use crate::reachability::Reachability;
use crate::segment::CodePlace;
use crate::unfolding::Unfolding;

/// The effort of a prover's turn.
const TURN: u64 = 10_000_000;

/// The limits of proofs, and what is left out.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many blocks the unfolded graph may have.
    pub blocks: usize,
    /// Provers that are left out.
    pub without: Vec<ProverName>,
    /// Ends the work before its limit.
    pub stop: Option<Stop>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            blocks: 4_000,
            without: Vec::new(),
            stop: None,
        }
    }
}

/// The code in which places lie.
#[derive(Clone, Copy)]
pub struct Task<'p> {
    /// The program.
    pub program: &'p Program,
    /// Numbers its blocks and edges.
    pub index: &'p CodeIndex,
    /// Its control flow.
    pub reach: &'p Reach,
    /// The function that executions start with.
    pub entry: FunctionId,
}

/// Tries to prove that executions of the entry function reach none of some places. What cannot be
/// proved otherwise is tried once more under the bound that functions without a body call nothing
/// back.
pub struct Portfolio<'p> {
    task: Task<'p>,
    options: Options,
    effort: Effort,
    /// The places, each with the function that it lies in.
    places: Vec<(CodePlace, FunctionId)>,
    stage: Stage<'p>,
}

enum Stage<'p> {
    /// An attempt is to begin.
    Next(CallBacks),
    /// An attempt is under way.
    Attempt(Box<Attempt<'p>>),
    /// There is nothing left to try.
    Over,
}

/// One attempt, with or without call backs.
struct Attempt<'p> {
    formulas: Formulas<'p>,
    /// The cuts whose segments are to be built, the next one last.
    unbuilt: Vec<CutId>,
    /// The provers that are not through yet, the next one first.
    provers: VecDeque<Box<dyn Prover + Send>>,
    goals: Goals,
}

impl<'p> Portfolio<'p> {
    /// Begins with places that are not reached yet, each with the function that it lies in.
    pub fn new(
        task: Task<'p>,
        options: Options,
        places: Vec<(CodePlace, FunctionId)>,
    ) -> Portfolio<'p> {
        let stage = match places.is_empty() {
            true => Stage::Over,
            false => Stage::Next(CallBacks::Possible),
        };
        Portfolio {
            task,
            options,
            effort: Effort::default(),
            places,
            stage,
        }
    }

    /// The effort that it has spent.
    pub fn effort(&self) -> u64 {
        self.effort.spent()
    }

    /// Whether there is nothing left to try.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Works until it has spent so much effort in all, or a little more. Returns what it proved.
    /// `is_reached` says of a place whether an execution reached it.
    pub fn step(
        &mut self,
        until: u64,
        is_reached: &dyn Fn(CodePlace) -> bool,
    ) -> Vec<(CodePlace, Proof)> {
        self.places.retain(|&(place, _)| !is_reached(place));
        let mut proved = Vec::new();
        while self.effort.spent() < until {
            match &mut self.stage {
                Stage::Over => break,
                Stage::Next(call_backs) => {
                    let call_backs = *call_backs;
                    self.stage = match self.attempt(call_backs) {
                        Some(attempt) => Stage::Attempt(Box::new(attempt)),
                        None => Stage::Over,
                    };
                }
                Stage::Attempt(attempt) => {
                    attempt.goals.open.retain(|&place| !is_reached(place));
                    attempt.formulas.go_on_until(until);
                    let is_through = attempt.step();
                    let new = std::mem::take(&mut attempt.goals.proved);
                    self.places
                        .retain(|(place, _)| !new.iter().any(|(proved, _)| proved == place));
                    proved.extend(new);
                    if is_through {
                        self.stage = attempt.next();
                    }
                    if self.options.stop.as_ref().is_some_and(Stop::is_requested) {
                        break;
                    }
                }
            }
        }
        proved
    }

    /// Prepares an attempt; `None` if it can prove nothing.
    fn attempt(&self, call_backs: CallBacks) -> Option<Attempt<'p>> {
        let Task { program, index, .. } = self.task;
        let blocks = self.options.blocks;
        let unfolding = Unfolding::new(program, index, self.task.reach, self.task.entry, blocks)?;
        let open = provable(&unfolding, index, &self.places);
        if open.is_empty() {
            return None;
        }
        let mut arena = Arena::default();
        let model = Model::new(unfolding, index, call_backs, &mut arena);
        let mut unbuilt: Vec<CutId> = model.cuts.iter().collect();
        unbuilt.reverse();
        let mut invariants: Invariants = IndexVec::from_vec(vec![Vec::new(); unbuilt.len()]);
        let start = model.cuts.start();
        let stop = self.options.stop.clone();
        let without = &self.options.without;
        let names = ProverName::ALL.into_iter();
        let provers = names.filter(|name| !without.contains(name)).map(prover);
        let mut formulas = Formulas::new(model, arena, self.effort.clone(), stop);
        invariants[start] = formulas.axioms();
        Some(Attempt {
            formulas,
            unbuilt,
            provers: provers.collect(),
            goals: Goals {
                open: open.into_iter().collect(),
                proved: Vec::new(),
                invariants,
                guesser: None,
            },
        })
    }
}

fn prover(name: ProverName) -> Box<dyn Prover + Send> {
    match name {
        ProverName::Invariants => Box::new(ByInvariants::new()),
        ProverName::Reachability => Box::new(Reachability::default()),
        ProverName::KInduction => Box::new(KInduction::default()),
    }
}

impl<'p> Attempt<'p> {
    /// What comes after it: another attempt, if the bound could make a difference.
    fn next(&self) -> Stage<'p> {
        let is_possible = self.formulas.model.call_backs == CallBacks::Possible;
        let mut segments = self.formulas.segments.iter();
        match is_possible && segments.any(|segment| segment.is_called_back) {
            true => Stage::Next(CallBacks::Excluded),
            false => Stage::Over,
        }
    }

    /// Works until effort is spent. Returns whether nothing is left to do.
    fn step(&mut self) -> bool {
        while let Some(&cut) = self.unbuilt.last() {
            if self.formulas.is_over() {
                return false;
            }
            self.unbuilt.pop();
            let goals = &self.goals.open;
            if !self.formulas.build(cut, &|place| goals.contains(&place)) {
                self.goals.open.clear();
                return true;
            }
        }
        while let Some(mut prover) = self.provers.pop_front() {
            if self.goals.open.is_empty() {
                return true;
            }
            self.formulas.begin_turn(TURN);
            match prover.step(&mut self.formulas, &mut self.goals) {
                Progress::Working if self.formulas.is_over() => {
                    self.provers.push_front(prover);
                    return false;
                }
                Progress::Working => self.provers.push_back(prover),
                Progress::Finished => {}
            }
        }
        true
    }
}

/// Those of some places of which the unfolded graph has all executions.
fn provable(
    unfolding: &Unfolding<'_>,
    index: &CodeIndex,
    places: &[(CodePlace, FunctionId)],
) -> BTreeSet<CodePlace> {
    let contexts = unfolding.contexts();
    let functions: BTreeSet<FunctionId> = contexts.map(|(_, context)| context.function).collect();
    let unfaithful = unfolding.unfaithful();
    let unfaithful: BTreeSet<CodeBlock> = unfaithful
        .map(|(function, block)| index.block(function, block))
        .collect();
    let begins: Vec<CodeBlock> = index.begins().collect();
    let is_provable = |&(place, function): &(CodePlace, FunctionId)| {
        let block = match place {
            CodePlace::Block(block) => Some(block),
            CodePlace::Edge(edge) => begins.get(edge.index()).copied(),
        };
        functions.contains(&function)
            && !unfolding.is_hidden(function)
            && block.is_some_and(|block| !unfaithful.contains(&block))
    };
    let provable = places.iter().copied().filter(is_provable);
    provable.map(|(place, _)| place).collect()
}
