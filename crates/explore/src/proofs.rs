//! The goals that are proved to be unreachable, with the evidence.

use abstraction::{Allocations, CallBacks, Proof};
use coverage::{Evidence, GoalId, Invariant, PassedCheck};
use ir::certificate::{GoalProof, PlaceProof};
use ir::test::{Bound, BoundKind};
use ir::{Program, Span};

/// The proofs of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proofs {
    /// The bounds on which all of them rest.
    bounds: Vec<Bound>,
    /// The goals that are proved to be unreachable.
    found: Vec<ProvedGoal>,
    /// Proved goals that an execution reached.
    contradictions: Vec<String>,
}

/// A goal that is proved to be unreachable.
#[derive(Clone, Debug)]
pub(crate) struct ProvedGoal {
    goal: GoalId,
    /// The proof.
    pub evidence: Evidence,
    /// Whether it holds if functions without a body call back.
    pub call_backs: CallBacks,
    /// Whether it holds if allocations fail.
    pub allocations: Allocations,
    /// The proofs of its edges and blocks, as others can check them; none if one cannot be written
    /// down.
    certificate: Vec<PlaceProof>,
}

impl Proofs {
    /// No proofs yet; all will rest on some bounds.
    pub fn within(bounds: Vec<Bound>) -> Proofs {
        Proofs {
            bounds,
            ..Proofs::default()
        }
    }

    /// Whether nothing is proved yet.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds a goal that is proved, by the proofs of all its edges and blocks.
    pub fn add(&mut self, goal: GoalId, program: &Program, proofs: &[&Proof]) {
        self.found.push(ProvedGoal {
            goal,
            evidence: evidence(program, proofs),
            call_backs: call_backs(proofs),
            allocations: allocations(proofs),
            certificate: certificate(proofs),
        });
    }

    /// Records that an execution reached a proved goal.
    pub fn contradict(&mut self, what: String) {
        self.contradictions.push(what);
    }

    /// The goals that are proved.
    pub fn goals(&self) -> impl Iterator<Item = GoalId> {
        self.found.iter().map(|proved| proved.goal)
    }

    /// The bounds on which a proof rests.
    pub fn bounds(&self, proof: &ProvedGoal) -> Vec<Bound> {
        let call_backs = (proof.call_backs == CallBacks::Excluded).then(|| Bound {
            kind: BoundKind::UnknownCall,
            detail: "a function without a body is taken not to call back, and others not to write \
                     at a barrier"
                .to_owned(),
            stack: Vec::new(),
        });
        let allocations = (proof.allocations == Allocations::NeverFail).then(|| Bound {
            kind: BoundKind::AllocationFailures,
            detail: "allocations are taken never to fail".to_owned(),
            stack: Vec::new(),
        });
        let own = call_backs.into_iter().chain(allocations);
        self.bounds.iter().cloned().chain(own).collect()
    }

    /// The proof of a goal.
    pub fn of(&self, goal: GoalId) -> Option<&ProvedGoal> {
        self.found.iter().find(|proved| proved.goal == goal)
    }

    /// The proofs as others can check them.
    pub fn certificates(&self) -> Vec<GoalProof> {
        let found = self.found.iter().map(|proved| GoalProof {
            goal: proved.goal.index(),
            places: proved.certificate.clone(),
        });
        found.collect()
    }

    /// Proved goals that an execution reached: defects of attest.
    pub fn contradictions(&self) -> &[String] {
        &self.contradictions
    }
}

fn certificate(proofs: &[&Proof]) -> Vec<PlaceProof> {
    let all = proofs.iter().map(|proof| proof.certificate.clone());
    all.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Whether all proofs hold if functions without a body call back.
fn call_backs(proofs: &[&Proof]) -> CallBacks {
    let mut all = proofs.iter().map(|proof| proof.call_backs);
    all.find(|&it| it == CallBacks::Excluded)
        .unwrap_or(CallBacks::Possible)
}

/// Whether all proofs hold if allocations fail.
fn allocations(proofs: &[&Proof]) -> Allocations {
    let mut all = proofs.iter().map(|proof| proof.allocations);
    all.find(|&it| it == Allocations::NeverFail)
        .unwrap_or(Allocations::MayFail)
}

/// The evidence of a goal: all that the proofs of its edges and blocks rest on.
fn evidence(program: &Program, proofs: &[&Proof]) -> Evidence {
    let mut invariants: Vec<Invariant> = Vec::new();
    let mut checks: Vec<PassedCheck> = Vec::new();
    for proof in proofs {
        for invariant in &proof.invariants {
            let (file, line, column) = place(program, invariant.span.as_ref());
            let invariant = Invariant {
                function: program.functions[invariant.function].name.clone(),
                file,
                line,
                column,
                condition: invariant.text.clone(),
            };
            if !invariants.contains(&invariant) {
                invariants.push(invariant);
            }
        }
        for (kind, function, span) in &proof.defects {
            let (file, line, column) = place(program, span.as_ref());
            let check = PassedCheck {
                defect: kind.name().to_owned(),
                function: program.functions[*function].name.clone(),
                file,
                line,
                column,
            };
            if !checks.contains(&check) {
                checks.push(check);
            }
        }
    }
    let rounds = proofs.iter().map(|proof| proof.rounds as u64).max();
    Evidence::Invariants {
        invariants,
        checks,
        rounds: rounds.unwrap_or(0),
    }
}

fn place(program: &Program, span: Option<&Span>) -> (String, u32, u32) {
    span.map_or_else(Default::default, |span| {
        let place = span.place();
        let file = program.files[place.file].path.clone();
        (file, place.line, place.column)
    })
}
