//! The evidence of a proof: the invariants and checks that it rests on, as few as are found.

pub mod certificate;
pub mod names;
pub mod proof;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use expr::Term;
use ir::{DefectKind, FunctionId, Span};
use solver::Answer;

use crate::evidence::certificate::certificate;
use crate::evidence::proof::{Invariant, Proof};
use crate::formulas::model::Allocations;
use crate::formulas::segment::{CodePlace, Failure};
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;

/// The effort that may be spent beyond a limit on making the evidence of a proof smaller.
pub(crate) const EVIDENCE: u64 = 200_000;

/// What a check looks for, with its function and place.
pub(crate) type CheckedFailure = (Failure, FunctionId, Option<Span>);

/// A defect with its function and place.
pub(crate) type PlacedDefect = (DefectKind, FunctionId, Option<Span>);

/// What holds at a cut.
pub(crate) type HeldAtCut = (CutId, Term);

/// What a proof uses.
#[derive(Default)]
pub(crate) struct UsedFacts {
    /// What holds at cuts.
    pub invariants: BTreeSet<HeldAtCut>,
    /// Those of them that exclude the place.
    pub excluding: BTreeSet<HeldAtCut>,
    /// Those that each of them follows from.
    pub premises: BTreeMap<HeldAtCut, BTreeSet<HeldAtCut>>,
    /// Checks of segments.
    pub checks: BTreeSet<(CutId, usize)>,
    /// What other checks look for.
    pub failures: Vec<CheckedFailure>,
    /// How many segments in a row it looks at before the one with the goal: more than 0 for
    /// k-induction.
    pub rounds: usize,
}

impl UsedFacts {
    /// What holds at a cut, in order.
    pub fn at(&self, cut: CutId) -> impl Iterator<Item = &HeldAtCut> {
        self.invariants.iter().filter(move |&&(at, _)| at == cut)
    }

    /// Adds what says that a segment cannot do something, and returns the invariants among it; `None` if
    /// it can, or the solver gives up.
    pub fn refute(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        cut: CutId,
        checks: &[(usize, Term)],
        others: &[Term],
    ) -> Option<BTreeSet<HeldAtCut>> {
        let mut given: Vec<(Fact, Term)> = Vec::new();
        for &invariant in &invariants[cut] {
            let instances = formulas.instances(cut, invariant).into_iter();
            given.extend(instances.map(|holds| (Fact::Invariant(invariant), holds)));
        }
        let checked = checks.iter();
        given.extend(checked.map(|&(check, holds)| (Fact::Check(check), holds)));
        let segments = Arc::clone(&formulas.segments);
        let is_bound = |fact: &Fact| match *fact {
            Fact::Check(check) => segments[cut].checks[check].failure == Failure::Allocation,
            Fact::Invariant(_) => false,
        };
        let mut unbounded = given.clone();
        unbounded.retain(|(fact, _)| !is_bound(fact));
        let mut found = needed(formulas, cut, given, others)?;
        // A proof rests on a bound only where it needs it.
        if found.iter().any(is_bound)
            && let Some(without) = needed(formulas, cut, unbounded, others)
        {
            found = without;
        }
        let mut invariants = BTreeSet::new();
        for given in found {
            match given {
                Fact::Invariant(term) => invariants.insert((cut, term)),
                Fact::Check(check) => self.checks.insert((cut, check)),
            };
        }
        self.invariants.extend(&invariants);
        Some(invariants)
    }
}

/// Something that a refutation may rest on.
#[derive(Clone, Copy)]
enum Fact {
    Invariant(Term),
    Check(usize),
}

/// Those of some given facts without which some terms could hold together, as few as is found by
/// leaving out one after the other, the last one first; `None` if they can hold together.
fn needed(
    formulas: &mut Formulas<'_>,
    segment: CutId,
    given: Vec<(Fact, Term)>,
    others: &[Term],
) -> Option<Vec<Fact>> {
    let mut kept = refuting(formulas, segment, &given, others)?;
    let mut at = kept.len();
    while let Some(last) = at.checked_sub(1) {
        if formulas.is_spent() {
            break;
        }
        at = last;
        let mut fewer = kept.clone();
        fewer.remove(at);
        if let Some(core) = refuting(formulas, segment, &fewer, others) {
            at = at.min(core.len());
            kept = core;
        }
    }
    Some(kept.into_iter().map(|(given, _)| given).collect())
}

/// Those of some given facts that refute some terms; `None` if they do not.
fn refuting(
    formulas: &mut Formulas<'_>,
    segment: CutId,
    given: &[(Fact, Term)],
    others: &[Term],
) -> Option<Vec<(Fact, Term)>> {
    let asked: Vec<Term> = given
        .iter()
        .map(|&(_, term)| term)
        .chain(others.iter().copied())
        .collect();
    let Answer::Unsat(core) = formulas.check(segment, &asked) else {
        return None;
    };
    Some(
        core.into_iter()
            .filter_map(|at| given.get(at).copied())
            .collect(),
    )
}

/// Adds the invariants that the used ones rest on. What holds of memory in any state rests on none.
pub(crate) fn add_dependencies(
    formulas: &mut Formulas<'_>,
    invariants: &Invariants,
    used: &mut UsedFacts,
) {
    let segments = Arc::clone(&formulas.segments);
    let axioms = formulas.axioms();
    used.excluding = used.invariants.clone();
    let mut open: Vec<HeldAtCut> = used.invariants.iter().copied().collect();
    while let Some((to, invariant)) = open.pop() {
        if axioms.contains(&invariant) {
            continue;
        }
        for (from, segment) in segments.iter_enumerated() {
            for exit in segment.exits.iter().filter(|exit| exit.to == to) {
                let mut substitution = formulas.substitution(exit);
                let terms = &mut formulas.arena.terms;
                let behind = substitution.apply(terms, invariant, usize::MAX);
                let broken = terms.bool_not(behind.unwrap_or(invariant));
                let checks: Vec<(usize, Term)> = segment.passed(&exit.state.checks).collect();
                let before = used.invariants.clone();
                let others = [exit.state.reach, broken];
                let refuted = used.refute(formulas, invariants, from, &checks, &others);
                let premises = refuted.unwrap_or_else(|| {
                    // The solver gave up: all that is known at the cut is inductive, too.
                    used.checks
                        .extend(checks.iter().map(|&(check, _)| (from, check)));
                    let all = invariants[from].iter().map(|&term| (from, term));
                    all.collect()
                });
                used.invariants.extend(&premises);
                open.extend(used.invariants.difference(&before));
                let known = used.premises.entry((to, invariant)).or_default();
                known.extend(premises);
            }
        }
    }
}

/// A proof for people to read.
pub(crate) fn described(formulas: &mut Formulas<'_>, place: CodePlace, used: &UsedFacts) -> Proof {
    let axioms = formulas.axioms();
    let model = &formulas.model;
    let names = names::of_locations(model, &formulas.arena);
    let told = used.invariants.iter();
    let told = told.filter(|(_, term)| !axioms.contains(term));
    let invariants = told.map(|&(cut, term)| {
        let point = model.cuts.point(cut);
        let context = model.unfolding.data(model.unfolding.context(point));
        let span = context.body.spans.get(model.unfolding.block(point).span);
        let text = formulas.arena.terms.c_text(&names, term);
        Invariant {
            function: context.function,
            span: span.cloned(),
            text: text.unwrap_or_else(|| "(over temporary values)".to_owned()),
        }
    });
    let invariants: BTreeSet<Invariant> = invariants.collect();
    let checks = used.checks.iter().map(|&(cut, at)| {
        let check = &formulas.segments[cut].checks[at];
        (check.failure, check.function, check.span.clone())
    });
    let mut defects: Vec<PlacedDefect> = Vec::new();
    let mut allocations = Allocations::MayFail;
    for (failure, function, span) in checks.chain(used.failures.iter().cloned()) {
        match failure {
            Failure::Allocation => allocations = Allocations::NeverFail,
            Failure::Defect(kind) => {
                let defect = (kind, function, span);
                if !defects.contains(&defect) {
                    defects.push(defect);
                }
            }
        }
    }
    let certificate = certificate(formulas, place, used, (&defects, allocations));
    Proof {
        certificate,
        invariants: invariants.into_iter().collect(),
        defects,
        rounds: used.rounds,
        call_backs: model.bounds.call_backs,
        allocations,
    }
}
