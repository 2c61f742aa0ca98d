//! What all provers have in common.

use rustc_hash::FxHashMap;

use crate::dead_ends::DeadEnds;
use crate::evidence::proof::Proof;
use crate::formulas::script::Script;
use crate::formulas::segment::CodePlace;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::guesses::Guesser;
use crate::steering::exploration::Exploration;

/// The provers, in the order of their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProverName {
    /// What segments exclude without invariants.
    Segments,
    /// The values of each location by itself.
    Values,
    /// Executions of the formulas: it proposes inputs, and proves nothing.
    Steering,
    /// The distance to a goal, by which some of these choose inputs.
    Distance,
    /// Dead ends of all goals, for the monitor of executions: it proves nothing.
    Monitor,
    /// Linear equations between locations.
    Relations,
    /// Those that hold in some of the states at a cut only.
    Phases,
    /// Those with products of locations, and the laws of rings in all questions to the solver.
    Products,
    /// Invariants from samples and templates.
    Invariants,
    /// Those about two elements of an array: it proves nothing by itself.
    Pairs,
    /// Implications between predicates.
    Implications,
    /// Property-directed reachability.
    Reachability,
    /// Predicates for it from counterexamples that are spurious, and inputs from others: it proves
    /// nothing.
    Refinement,
    /// k-induction.
    KInduction,
}

impl ProverName {
    /// All of them.
    pub const ALL: [ProverName; 14] = [
        ProverName::Segments,
        ProverName::Values,
        ProverName::Steering,
        ProverName::Distance,
        ProverName::Monitor,
        ProverName::Relations,
        ProverName::Invariants,
        ProverName::Pairs,
        ProverName::Implications,
        ProverName::Products,
        ProverName::Phases,
        ProverName::Reachability,
        ProverName::Refinement,
        ProverName::KInduction,
    ];

    /// Whether it serves the search only, and proves nothing.
    pub fn is_for_search(self) -> bool {
        matches!(
            self,
            ProverName::Steering | ProverName::Distance | ProverName::Monitor
        )
    }

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            ProverName::Segments => "segments",
            ProverName::Values => "values",
            ProverName::Relations => "relations",
            ProverName::Implications => "implications",
            ProverName::Phases => "phases",
            ProverName::Products => "products",
            ProverName::Invariants => "invariants",
            ProverName::Pairs => "pairs",
            ProverName::Reachability => "reachability",
            ProverName::Refinement => "refinement",
            ProverName::KInduction => "k-induction",
            ProverName::Steering => "steering",
            ProverName::Distance => "distance",
            ProverName::Monitor => "monitor",
        }
    }
}

/// The goals of provers, and what they found out.
pub(crate) struct Goals {
    /// The places of which nothing is proved yet, and which no execution reached.
    pub open: Vec<CodePlace>,
    /// The proofs.
    pub proved: Vec<(CodePlace, Proof)>,
    /// Inputs that seem to lead to goals, with these.
    pub scripts: Vec<(CodePlace, Script)>,
    /// Whether inputs are of any use.
    pub are_inputs_wanted: bool,
    /// What is known to hold at each cut.
    pub invariants: Invariants,
    /// Makes candidates and predicates, once it is needed.
    pub guesser: Option<Guesser>,
    /// Executions that have no goal, once they are needed.
    pub exploration: Option<Exploration>,
    /// The dead ends of goals, as far as they are known.
    pub dead: FxHashMap<CodePlace, DeadEnds>,
    /// Whether all of these are known that a monitor needs.
    pub are_dead_ends_known: bool,
    /// The predicates that may be dead ends, once they are needed.
    predicates: Option<Invariants>,
}

impl Goals {
    /// Goals with what is known of each cut.
    pub fn new(open: Vec<CodePlace>, invariants: Invariants) -> Goals {
        Goals {
            open,
            proved: Vec::new(),
            scripts: Vec::new(),
            are_inputs_wanted: true,
            invariants,
            guesser: None,
            exploration: None,
            dead: FxHashMap::default(),
            are_dead_ends_known: false,
            predicates: None,
        }
    }

    /// The dead ends of a goal, to be put back into [`Goals::dead`].
    pub fn take_dead_ends(&mut self, formulas: &mut Formulas<'_>, goal: CodePlace) -> DeadEnds {
        if let Some(known) = self.dead.remove(&goal) {
            return known;
        }
        let predicates = match self.predicates.take() {
            Some(known) => known,
            None => self.guesser(formulas).many_atoms(formulas),
        };
        let dead = DeadEnds::new(formulas, goal, &predicates);
        self.predicates = Some(predicates);
        dead
    }

    /// What makes candidates and predicates.
    pub fn guesser(&mut self, formulas: &mut Formulas<'_>) -> &mut Guesser {
        self.guesser.get_or_insert_with(|| Guesser::new(formulas))
    }

    /// Adds invariants that are inductive together with some of those that are known. Returns whether
    /// any is new.
    pub fn learn(&mut self, invariants: Invariants) -> bool {
        let mut has_new = false;
        for (cut, new) in invariants.into_iter_enumerated() {
            let known = &mut self.invariants[cut];
            let new: Vec<_> = new.into_iter().filter(|it| !known.contains(it)).collect();
            has_new |= !new.is_empty();
            known.extend(new);
        }
        has_new
    }

    /// Records a proof.
    pub fn close(&mut self, place: CodePlace, proof: Proof) {
        self.open.retain(|&open| open != place);
        self.dead.remove(&place);
        self.proved.push((place, proof));
    }
}

/// Whether a prover has more to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It was interrupted.
    Working,
    /// It is through.
    Finished,
}

/// A method that decides goals, with evidence. It works in steps, so that other work has its turn.
pub(crate) trait Prover {
    /// Works until effort is spent ([`Formulas::is_spent`]), or there is nothing left to try.
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress;
}
