//! The prover that finds all implications between predicates which are inductive together: the
//! states of a device, and what its flags and counters are in each of them.
//!
//! ```text
//! states     := those that executions of the formulas came to       steering/exploration.rs
//! add states that executions with the same inputs come to                       sampling.rs
//! predicates := comparisons that the program makes, and values of locations     literals.rs
//! clauses    := the implications between predicates that hold in all states        order.rs
//! weaken the clauses until they are inductive                         weakening.rs, walker.rs
//! try what they exclude
//! ```

pub mod literals;
pub mod order;
pub mod sampling;
pub mod walker;
pub mod weakening;

use expr::Model as Values;
use index_vec::IndexVec;

use crate::exclusion::Exclusion;
use crate::formulas::Formulas;
use crate::graph::cuts::CutId;
use crate::implications::sampling::Sampling;
use crate::implications::walker::Walker;
use crate::implications::weakening::Weakening;
use crate::prover::{Goals, Progress, Prover};
use crate::steering::exploration::Exploration;

/// Some for each cut.
type AtCuts<T> = IndexVec<CutId, Vec<T>>;

/// The effort of executions that ask the solver for inputs.
const EXPLORED: u64 = 1_500_000;

/// What the prover does.
#[derive(Default)]
enum Stage {
    /// It looks for states that are unlike others.
    #[default]
    Exploring,
    /// It looks for more.
    Sampling(Box<Sampling>),
    /// It is to make predicates.
    Beginning(Kind),
    /// It weakens clauses.
    Weakening(Kind, Box<Weakening>),
    /// It tries what is known excludes.
    Excluding(Kind, Exclusion),
    /// There is nothing left to try.
    Through,
}

/// The predicates that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Those about states and flags, which have few values, and bits.
    Control,
    /// All, those about counters too.
    All,
}

impl Kind {
    /// What comes after clauses of these are known.
    fn next(self) -> Stage {
        match self {
            Kind::Control => Stage::Beginning(Kind::All),
            Kind::All => Stage::Through,
        }
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct Implications {
    stage: Stage,
    /// The states that were found at each cut.
    states: AtCuts<Values>,
    /// What executes, while nothing else has it.
    walker: Option<Walker>,
}

impl Prover for Implications {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        loop {
            self.stage = match std::mem::take(&mut self.stage) {
                Stage::Exploring if !goals.guesser(formulas).has_variables(formulas) => {
                    return Progress::Finished;
                }
                Stage::Exploring => match explored(formulas, goals) {
                    Some(sampling) => Stage::Sampling(Box::new(sampling)),
                    None => return Progress::Working,
                },
                Stage::Sampling(mut sampling) => {
                    if sampling.step(formulas) == Progress::Working {
                        self.stage = Stage::Sampling(sampling);
                        return Progress::Working;
                    }
                    self.states = sampling.states;
                    self.walker = Some(sampling.walker);
                    Stage::Beginning(Kind::Control)
                }
                Stage::Beginning(kind) => {
                    let guesser = goals.guesser(formulas);
                    let predicates = guesser.literals(formulas, &self.states, kind);
                    let Some(walker) = self.walker.take() else {
                        return Progress::Finished;
                    };
                    let known = (goals.invariants.clone(), predicates);
                    let weakening = Weakening::new(formulas, known, (&self.states, walker));
                    Stage::Weakening(kind, Box::new(weakening))
                }
                Stage::Weakening(kind, mut weakening) => match weakening.step(formulas) {
                    Some(found) => {
                        self.walker = Some(weakening.into_walker());
                        match goals.learn(found) {
                            true => Stage::Excluding(kind, Exclusion::default()),
                            false => kind.next(),
                        }
                    }
                    None if weakening.is_in_vain() => Stage::Through,
                    None => {
                        self.stage = Stage::Weakening(kind, weakening);
                        return Progress::Working;
                    }
                },
                Stage::Excluding(kind, mut exclusion) => match exclusion.step(formulas, goals) {
                    Progress::Working => {
                        self.stage = Stage::Excluding(kind, exclusion);
                        return Progress::Working;
                    }
                    Progress::Finished => kind.next(),
                },
                Stage::Through => return Progress::Finished,
            };
        }
    }
}

/// States at each cut that are unlike others, and inputs that lead somewhere; `None` if the work is
/// interrupted.
fn explored(formulas: &mut Formulas<'_>, goals: &mut Goals) -> Option<Sampling> {
    let mut exploration = Exploration::take(formulas, goals);
    while !exploration.has_taken(EXPLORED) && !formulas.is_spent() {
        exploration.step(formulas, &[]);
    }
    let is_through = exploration.has_taken(EXPLORED);
    let walks = &exploration.walks;
    let cuts = || formulas.model.cuts.iter();
    let states = cuts().map(|cut| walks.states(cut)).collect();
    let moves = cuts().map(|cut| walks.moves(cut)).collect();
    goals.exploration = Some(exploration);
    if !is_through {
        return None;
    }
    let constants = goals.guesser(formulas).constants().clone();
    let walker = Walker::new(formulas, &constants, moves);
    Some(Sampling::new(formulas, states, walker))
}
