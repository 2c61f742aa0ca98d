//! From formulas to proofs: places that no execution reaches, with the invariants that say so.

use std::collections::{BTreeMap, BTreeSet};

use analysis::Reach;
use expr::{Node, Term, Terms, Var};
use index_vec::IndexVec;
use ir::{CodeBlock, CodeIndex, DefectKind, FunctionId, Program, Span};
use rustc_hash::FxHashSet;
use solver::{Answer, Sat, Stop};

use crate::arena::Arena;
use crate::candidates::{Variable, candidates};
use crate::cuts::CutId;
use crate::houdini::{Formulas, Invariants, inductive};
use crate::model::{CallBacks, Model};
use crate::names;
use crate::print::print;
use crate::samples::{sample_states, variable};
use crate::segment::{CodePlace, Segment};
use crate::unfolding::Unfolding;

/// The limits of a proof attempt.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many blocks the unfolded graph may have.
    pub blocks: usize,
    /// How many queries may be asked.
    pub queries: u64,
    /// How many conflicts the solver may spend on one of them.
    pub conflicts: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            blocks: 4_000,
            queries: 4_000,
            conflicts: 4_000,
        }
    }
}

/// What holds whenever control is at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invariant {
    /// The function.
    pub function: FunctionId,
    /// The place.
    pub span: Option<Span>,
    /// The condition, as a C expression.
    pub text: String,
}

/// A proof that no execution free of undefined behaviour reaches a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The invariants that exclude it.
    pub invariants: Vec<Invariant>,
    /// The defects that would lead there: executions end with them.
    pub defects: Vec<(DefectKind, FunctionId, Option<Span>)>,
    /// Whether it holds if functions without a body call functions of the program.
    pub call_backs: CallBacks,
}

/// The code in which places lie, with the limits of proofs.
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
    /// The limits.
    pub limits: &'p Limits,
    /// Ends the attempt before its limits.
    pub stop: Option<&'p Stop>,
}

/// Tries to prove that executions of the entry function reach none of some places, each with the
/// function that it lies in. What cannot be proved otherwise is tried once more under the bound
/// that functions without a body call nothing back.
pub fn prove(task: Task<'_>, places: &[(CodePlace, FunctionId)]) -> Vec<(CodePlace, Proof)> {
    let mut proofs = attempt(task, places, CallBacks::Possible);
    let is_open = |(place, _): &&(CodePlace, FunctionId)| !proofs.iter().any(|it| it.0 == *place);
    let open: Vec<(CodePlace, FunctionId)> = places.iter().filter(is_open).copied().collect();
    proofs.extend(attempt(task, &open, CallBacks::Excluded));
    proofs
}

/// One attempt, with or without call backs.
fn attempt(
    task: Task<'_>,
    places: &[(CodePlace, FunctionId)],
    call_backs: CallBacks,
) -> Vec<(CodePlace, Proof)> {
    let Task { program, index, .. } = task;
    let unfolding = Unfolding::new(program, index, task.reach, task.entry, task.limits.blocks);
    let Some(unfolding) = unfolding else {
        return Vec::new();
    };
    let wanted = provable(&unfolding, index, places);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut arena = Arena::default();
    let model = Model::new(unfolding, index, call_backs, &mut arena);
    if call_backs == CallBacks::Excluded && !model.has_call_backs() {
        return Vec::new();
    }
    let is_wanted = |place| wanted.contains(&place);
    let cuts = model.cuts.iter();
    let segments: IndexVec<CutId, Segment> = cuts
        .map(|cut| model.segment(cut, &is_wanted, &mut arena))
        .collect();
    let found = guesses(&model, &segments, &mut arena);
    let mut solver = Sat::keeping(task.limits.conflicts, u32::MAX).until(task.stop.cloned());
    let mut formulas = Formulas {
        arena: &mut arena,
        solver: &mut solver,
        segments: &segments,
        at_start: &model.at_start,
        queries: task.limits.queries,
    };
    let invariants = inductive(&mut formulas, found);
    let mut proofs = Vec::new();
    for place in wanted {
        if let Some(mut used) = excluded(&mut formulas, &invariants, place) {
            add_dependencies(&mut formulas, &invariants, &mut used);
            proofs.push((place, described(&model, &formulas, &used)));
        }
    }
    proofs
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

/// The candidates at each cut.
fn guesses(
    model: &Model<'_>,
    segments: &IndexVec<CutId, Segment>,
    arena: &mut Arena,
) -> Invariants {
    let constants = constants(&arena.terms, segments);
    let read = read_from(&arena.terms, segments);
    let samples = sample_states(&arena.terms, segments, &model.at_start, &constants, 1);
    let mut found = IndexVec::new();
    for (cut, segment) in segments.iter_enumerated() {
        let point = model.cuts.point(cut);
        let read = &read[cut];
        let variables: Vec<Variable> = model
            .locations
            .iter()
            .filter(|&(location, _)| model.is_live(point, location))
            .filter_map(|(location, _)| {
                let term = model.at_start[location];
                let var = variable(&arena.terms, term)?;
                let width = arena.terms.width(term);
                read.contains(&var).then_some(Variable { var, term, width })
            })
            .collect();
        let known: BTreeSet<Var> = variables.iter().map(|variable| variable.var).collect();
        let mut conditions = segment.conditions.clone();
        conditions.retain(|&it| {
            arena
                .terms
                .variables(it)
                .iter()
                .all(|var| known.contains(&var))
        });
        found.push(match cut == model.cuts.start() {
            true => Vec::new(),
            false if samples[cut].is_empty() => vec![arena.terms.bool(false)],
            false => candidates(
                &mut arena.terms,
                &variables,
                &conditions,
                &constants,
                &samples[cut],
            ),
        });
    }
    found
}

/// The terms of a segment's formulas.
fn terms_of(segment: &Segment) -> Vec<Term> {
    let checks = segment.checks.iter().map(|check| check.holds);
    let places = segment.places.iter().map(|reached| reached.reach);
    let exits = segment.exits.iter().flat_map(|exit| {
        let values = exit.state.changed.values().copied();
        values.chain([exit.state.reach])
    });
    checks.chain(places).chain(exits).collect()
}

/// The variables that the formulas of all segments read that follow a cut.
fn read_from(terms: &Terms, segments: &IndexVec<CutId, Segment>) -> IndexVec<CutId, BTreeSet<Var>> {
    let own = segments.iter().map(|segment| {
        let read = terms.all_variables(&terms_of(segment));
        read.into_iter().collect()
    });
    let mut read: IndexVec<CutId, BTreeSet<Var>> = own.collect();
    loop {
        let mut has_grown = false;
        for (cut, segment) in segments.iter_enumerated() {
            for exit in &segment.exits {
                let later = read[exit.to].clone();
                let before = read[cut].len();
                read[cut].extend(later);
                has_grown |= read[cut].len() > before;
            }
        }
        if !has_grown {
            return read;
        }
    }
}

/// The constants in formulas, by their widths.
fn constants(terms: &Terms, segments: &IndexVec<CutId, Segment>) -> BTreeMap<u32, Vec<u128>> {
    let mut waiting: Vec<Term> = segments.iter().flat_map(terms_of).collect();
    let mut seen = FxHashSet::default();
    let mut found: BTreeMap<u32, BTreeSet<u128>> = BTreeMap::new();
    while let Some(term) = waiting.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Const { width, value } => {
                found.entry(width).or_default().insert(value);
            }
            node => waiting.extend(node.operands()),
        }
    }
    let found = found.into_iter();
    found
        .map(|(width, values)| (width, values.into_iter().collect()))
        .collect()
}

/// What a proof uses.
#[derive(Default)]
struct UsedFacts {
    invariants: BTreeSet<(CutId, Term)>,
    checks: BTreeSet<(CutId, usize)>,
}

/// What excludes a place wherever it may be reached; `None` if nothing does.
fn excluded(
    formulas: &mut Formulas<'_>,
    invariants: &Invariants,
    place: CodePlace,
) -> Option<UsedFacts> {
    let mut used = UsedFacts::default();
    for (cut, segment) in formulas.segments.iter_enumerated() {
        for reached in segment
            .places
            .iter()
            .filter(|reached| reached.place == place)
        {
            let checks: Vec<(usize, Term)> = segment.passed(&reached.checks).collect();
            used.refute(formulas, invariants, cut, &checks, &[reached.reach])?;
        }
    }
    Some(used)
}

impl UsedFacts {
    /// Adds what says that a segment cannot do something; `None` if it can.
    fn refute(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        cut: CutId,
        checks: &[(usize, Term)],
        others: &[Term],
    ) -> Option<()> {
        let held = invariants[cut]
            .iter()
            .map(|&term| (Fact::Invariant(term), term));
        let checked = checks
            .iter()
            .map(|&(check, holds)| (Fact::Check(check), holds));
        let given: Vec<(Fact, Term)> = held.chain(checked).collect();
        for given in needed(formulas, given, others)? {
            match given {
                Fact::Invariant(term) => self.invariants.insert((cut, term)),
                Fact::Check(check) => self.checks.insert((cut, check)),
            };
        }
        Some(())
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
    given: Vec<(Fact, Term)>,
    others: &[Term],
) -> Option<Vec<Fact>> {
    let mut kept = refuting(formulas, &given, others)?;
    let mut at = kept.len();
    while let Some(last) = at.checked_sub(1) {
        at = last;
        let mut fewer = kept.clone();
        fewer.remove(at);
        if let Some(core) = refuting(formulas, &fewer, others) {
            at = at.min(core.len());
            kept = core;
        }
    }
    Some(kept.into_iter().map(|(given, _)| given).collect())
}

/// Those of some given facts that refute some terms; `None` if they do not.
fn refuting(
    formulas: &mut Formulas<'_>,
    given: &[(Fact, Term)],
    others: &[Term],
) -> Option<Vec<(Fact, Term)>> {
    let asked: Vec<Term> = given
        .iter()
        .map(|&(_, term)| term)
        .chain(others.iter().copied())
        .collect();
    let Answer::Unsat(core) = formulas.check(&asked) else {
        return None;
    };
    Some(
        core.into_iter()
            .filter_map(|at| given.get(at).copied())
            .collect(),
    )
}

/// Adds the invariants that the used ones rest on.
fn add_dependencies(formulas: &mut Formulas<'_>, invariants: &Invariants, used: &mut UsedFacts) {
    let mut open: Vec<(CutId, Term)> = used.invariants.iter().copied().collect();
    while let Some((to, invariant)) = open.pop() {
        for (from, segment) in formulas.segments.iter_enumerated() {
            for exit in segment.exits.iter().filter(|exit| exit.to == to) {
                let mut substitution = formulas.substitution(exit);
                let terms = &mut formulas.arena.terms;
                let behind = substitution.apply(terms, invariant, usize::MAX);
                let broken = terms.bool_not(behind.unwrap_or(invariant));
                let checks: Vec<(usize, Term)> = segment.passed(&exit.state.checks).collect();
                let before = used.invariants.clone();
                let others = [exit.state.reach, broken];
                if used
                    .refute(formulas, invariants, from, &checks, &others)
                    .is_none()
                {
                    // The solver gave up: all that is known at the cut is inductive, too.
                    let all = invariants[from].iter().map(|&term| (from, term));
                    used.invariants.extend(all);
                }
                open.extend(used.invariants.difference(&before));
            }
        }
    }
}

/// A proof for people to read.
fn described(model: &Model<'_>, formulas: &Formulas<'_>, used: &UsedFacts) -> Proof {
    let names = names::of_locations(model, formulas.arena);
    let invariants = used.invariants.iter().map(|&(cut, term)| {
        let point = model.cuts.point(cut);
        let context = model.unfolding.data(model.unfolding.context(point));
        let span = context.body.spans.get(model.unfolding.block(point).span);
        let text = print(&formulas.arena.terms, &names, term);
        Invariant {
            function: context.function,
            span: span.cloned(),
            text: text.unwrap_or_else(|| "(over temporary values)".to_owned()),
        }
    });
    let invariants: BTreeSet<Invariant> = invariants.collect();
    let mut defects: Vec<(DefectKind, FunctionId, Option<Span>)> = Vec::new();
    for &(cut, at) in &used.checks {
        let check = &formulas.segments[cut].checks[at];
        let defect = (check.kind, check.function, check.span.clone());
        if !defects.contains(&defect) {
            defects.push(defect);
        }
    }
    Proof {
        invariants: invariants.into_iter().collect(),
        defects,
        call_backs: model.call_backs,
    }
}
