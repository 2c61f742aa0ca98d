//! The evidence of proofs by k-induction: the invariants and checks that they rest on.

use expr::Term;
use solver::Answer;

use crate::evidence::{EVIDENCE, UsedFacts, add_dependencies, described};
use crate::formulas::Formulas;
use crate::formulas::segment::CodePlace;
use crate::graph::cuts::CutId;
use crate::k_induction::unrolling::{UnrolledCheck, Unrolling};
use crate::prover::Goals;

/// The induction step: segments from any cut.
pub(crate) struct StepCase {
    /// The segments.
    pub unrolling: Unrolling,
    /// The invariants at the first level: each with its cut, and that it holds if control is there.
    pub held: Vec<(CutId, Term, Term)>,
}

impl StepCase {
    /// That none of some places is reached before the last segments.
    pub fn not_before(&self, formulas: &mut Formulas<'_>, places: &[CodePlace]) -> Vec<Term> {
        let before = 0..self.unrolling.steps.len() - 1;
        let not_reached = before.map(|level| {
            let any = self.unrolling.any_reached(formulas, level, places);
            formulas.arena.terms.bool_not(any)
        });
        not_reached.collect()
    }
}

/// Records the proofs of goals for which both cases hold, together.
pub(crate) fn prove(
    formulas: &mut Formulas<'_>,
    goals: &mut Goals,
    (base, step): (&mut Unrolling, &mut StepCase),
    places: &[CodePlace],
) {
    let k = step.unrolling.steps.len() - 1;
    let not_before = step.not_before(formulas, places);
    let not_before = formulas.all(&not_before);
    for &place in places {
        formulas.allow(EVIDENCE);
        let mut used = UsedFacts {
            rounds: k,
            ..UsedFacts::default()
        };
        for level in 0..k {
            add_base(formulas, base, level, place, &mut used);
        }
        add_step(formulas, step, not_before, place, &mut used);
        add_dependencies(formulas, &goals.invariants, &mut used);
        goals.close(place, described(formulas, place, &used));
    }
}

/// Adds the checks without which segments from the start might reach a place.
fn add_base(
    formulas: &mut Formulas<'_>,
    base: &mut Unrolling,
    level: usize,
    place: CodePlace,
    used: &mut UsedFacts,
) {
    let reached = base.any_reached(formulas, level, &[place]);
    let checks: Vec<UnrolledCheck> = base.checks_before(level).cloned().collect();
    let own = base.own_checks(level, place);
    let mut asked: Vec<Term> = checks.iter().map(|check| check.holds).collect();
    asked.push(reached);
    let core = match base.ask(formulas, &asked) {
        Answer::Unsat(core) => core,
        // It is known to be so; the solver does not say why.
        Answer::Sat(_) | Answer::Unknown(_) => (0..checks.len()).collect(),
    };
    let needed = core.into_iter().filter_map(|at| checks.get(at));
    let failures = needed.chain(&own).map(|check| check.failure.clone());
    used.failures.extend(failures);
}

/// Adds the invariants and checks without which the induction step might reach a place.
fn add_step(
    formulas: &mut Formulas<'_>,
    step: &mut StepCase,
    not_before: Term,
    place: CodePlace,
    used: &mut UsedFacts,
) {
    let k = step.unrolling.steps.len() - 1;
    let reached = step.unrolling.any_reached(formulas, k, &[place]);
    let checks: Vec<UnrolledCheck> = step.unrolling.checks_before(k).cloned().collect();
    let own = step.unrolling.own_checks(k, place);
    let held = step.held.iter().map(|&(_, _, holds)| holds);
    let mut asked: Vec<Term> = held.chain(checks.iter().map(|check| check.holds)).collect();
    asked.extend([not_before, reached]);
    let core = match step.unrolling.ask(formulas, &asked) {
        Answer::Unsat(core) => core,
        // It is known to be so; the solver does not say why.
        Answer::Sat(_) | Answer::Unknown(_) => (0..asked.len()).collect(),
    };
    for at in core {
        match step.held.get(at) {
            Some(&(cut, invariant, _)) => {
                used.invariants.insert((cut, invariant));
            }
            None => {
                let check = checks.get(at - step.held.len());
                used.failures
                    .extend(check.map(|check| check.failure.clone()));
            }
        }
    }
    used.failures
        .extend(own.into_iter().map(|check| check.failure));
}
