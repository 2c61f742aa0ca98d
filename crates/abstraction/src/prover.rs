//! What all provers have in common.

use crate::evidence::proof::Proof;
use crate::formulas::script::Script;
use crate::formulas::segment::CodePlace;
use crate::formulas::{Formulas, Invariants};
use crate::invariants::guesses::Guesser;

/// The provers, in the order of their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProverName {
    /// What segments exclude without invariants.
    Segments,
    /// Executions of the formulas: it proposes inputs, and proves nothing.
    Steering,
    /// Linear equations between locations.
    Relations,
    /// Invariants from samples and templates.
    Invariants,
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
    pub const ALL: [ProverName; 7] = [
        ProverName::Segments,
        ProverName::Steering,
        ProverName::Relations,
        ProverName::Invariants,
        ProverName::Reachability,
        ProverName::Refinement,
        ProverName::KInduction,
    ];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            ProverName::Segments => "segments",
            ProverName::Relations => "relations",
            ProverName::Invariants => "invariants",
            ProverName::Reachability => "reachability",
            ProverName::Refinement => "refinement",
            ProverName::KInduction => "k-induction",
            ProverName::Steering => "steering",
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
}

impl Goals {
    /// What makes candidates and predicates.
    pub fn guesser(&mut self, formulas: &mut Formulas<'_>) -> &mut Guesser {
        self.guesser.get_or_insert_with(|| Guesser::new(formulas))
    }

    /// Adds invariants that are inductive together with some of those that are known.
    pub fn learn(&mut self, invariants: Invariants) {
        for (cut, new) in invariants.into_iter_enumerated() {
            let known = &mut self.invariants[cut];
            let new: Vec<_> = new.into_iter().filter(|it| !known.contains(it)).collect();
            known.extend(new);
        }
    }

    /// Records a proof.
    pub fn close(&mut self, place: CodePlace, proof: Proof) {
        self.open.retain(|&open| open != place);
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
