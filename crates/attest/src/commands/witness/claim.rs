//! What a witness claims: that no call of `reach_error` is reached, of the program or of a harness.

use std::collections::BTreeSet;

use ::witness::{Excluded, Harness, Side};
use coverage::{Evidence, GoalId, GoalKind, Goals};
use emit::record::{GoalRecord, StatusRecord};
use ir::certificate::PlaceProof;
use ir::certificate::paths::SearchPaths;
use ir::{CodeIndex, DecisionKind, Origin, Program, Terminator};

use super::whole::WholeProgram;
use crate::commands::check::{proofs, search};
use crate::commands::goal_places::goal_places;
use crate::commands::replay::folder::Folder;
use crate::failure::Failure;

/// The function of which verifiers show that it is not called.
const ERROR: &str = "reach_error";

/// A claim about a program.
pub struct Claim {
    /// The program that calls `reach_error` at goals; `None` if the program itself calls it.
    pub harness: Option<Harness>,
    /// The goals that the claim is about, by their numbers.
    pub goals: Vec<usize>,
    /// Unreachable goals that it is not about, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
    /// The proofs whose formulas hold.
    pub proofs: Vec<PlaceProof>,
    /// The defects behind which nothing is claimed.
    pub checks: BTreeSet<String>,
}

/// A goal that no execution reaches.
struct Unreachable<'a> {
    record: &'a GoalRecord,
    evidence: &'a Evidence,
    /// The goal in the program as it is now.
    goal: GoalId,
}

impl Claim {
    /// The claim that the goals of a suite amount to.
    pub fn new(folder: &Folder, whole: &WholeProgram) -> Result<Claim, Failure> {
        let program = &whole.loaded.program;
        let suite = &folder.suite;
        let Some(criteria) = suite.criteria() else {
            return Err(folder.unusable());
        };
        let index = CodeIndex::new(program);
        let goals = Goals::new(program, &index, &[whole.entry], &criteria, suite.scope);
        let matched = suite.matched(program, whole.entry, &goals, suite.scope);
        let takes_all = has_all_paths(folder)?;
        let kept = matched.kept.iter_enumerated();
        let own = kept.filter(|(goal, _)| !matched.suite.derivations.contains_key(goal));
        let kept = own.filter_map(|(goal, at)| Some((goal, suite.goals.get((*at)?)?)));
        let unreachable = kept.filter_map(|(goal, record)| match &record.status {
            StatusRecord::Unreachable { evidence } => Some(Unreachable {
                record,
                evidence,
                goal,
            }),
            // Nothing is said of inputs beyond a bound.
            _ => None,
        });
        let is_usable = |it: &Unreachable<'_>| {
            takes_all || !matches!(it.evidence, Evidence::ExhaustedSearch { .. })
        };
        let unreachable: Vec<Unreachable<'_>> = unreachable.filter(is_usable).collect();
        let by_goal = proofs(folder)?;
        let used = unreachable.iter();
        let used = used.filter_map(|it| by_goal.get(&it.record.id)).flatten();
        let mut claim = Claim {
            harness: None,
            goals: Vec::new(),
            left_out: Vec::new(),
            proofs: used.cloned().collect(),
            checks: checks(&unreachable),
        };
        match calls_error(program) {
            true => {
                let places = unreachable.iter();
                let places = places.flat_map(|it| goal_places(program, &index, &goals, it.goal));
                claim.never_calls(whole, &places.collect())?;
                claim.goals = unreachable.iter().map(|it| it.record.id).collect();
            }
            false => claim.add_harness(whole, &goals, &unreachable)?,
        }
        Ok(claim)
    }

    /// Demands that the program does not come to its own calls of `reach_error`.
    fn never_calls(&self, whole: &WholeProgram, excluded: &Excluded) -> Result<(), Failure> {
        let program = &whole.loaded.program;
        let open = ::witness::open_calls(program, whole.entry, excluded, ERROR);
        let Some(call) = open.first() else {
            return Ok(());
        };
        let place = match call {
            Some(span) => format!("the call of {ERROR} in line {}", span.place().line),
            None => format!("a call of {ERROR} by a pointer"),
        };
        Err(Failure::bad_input(
            format!("there is no witness of this suite: {place} is not shown to be unreachable"),
            "cover the program until each goal in front of such a call is unreachable",
        ))
    }

    /// Makes the program that calls `reach_error` at goals.
    fn add_harness(
        &mut self,
        whole: &WholeProgram,
        goals: &Goals,
        unreachable: &[Unreachable<'_>],
    ) -> Result<(), Failure> {
        let program = &whole.loaded.program;
        let has_assumptions = assumes(program);
        let mut sides = Vec::new();
        let mut numbers = Vec::new();
        for it in unreachable {
            match side(whole, goals, it, has_assumptions) {
                Ok(side) => {
                    sides.push(side);
                    numbers.push(it.record.id);
                }
                Err(why) => self.left_out.push((it.record.id, why)),
            }
        }
        let harness = ::witness::harness(&whole.text, &sides);
        for (&number, &is_called) in numbers.iter().zip(&harness.is_called) {
            match is_called {
                true => self.goals.push(number),
                false => self.left_out.push((number, "it is in a macro")),
            }
        }
        let none = |why: &str| {
            Failure::bad_input(
                format!("there is no witness of this suite: {why}"),
                "witnesses are about sides of decisions that are unreachable for all inputs",
            )
        };
        if self.goals.is_empty() {
            let first = self
                .left_out
                .first()
                .map(|(goal, why)| format!("goal {goal}: {why}"));
            return Err(none(&first.unwrap_or_else(|| {
                "no goal is shown to be unreachable for all inputs".to_owned()
            })));
        }
        if whole.read(&harness.text)?.is_none() {
            return Err(none("the program with calls of reach_error is no valid C"));
        }
        self.harness = Some(harness);
        Ok(())
    }
}

/// Whether the paths of the search are all that there are without a precondition.
fn has_all_paths(folder: &Folder) -> Result<bool, Failure> {
    Ok(match search::paths(folder)? {
        Some(SearchPaths::Taken(taken)) => taken.limits.precondition.is_none(),
        Some(SearchPaths::LeftOut { .. }) | None => false,
    })
}

/// The defects behind which proofs claim nothing.
fn checks(unreachable: &[Unreachable<'_>]) -> BTreeSet<String> {
    let evidence = unreachable.iter().map(|it| it.evidence);
    let checks = evidence.flat_map(|evidence| match evidence {
        Evidence::Invariants { checks, .. } => checks.as_slice(),
        _ => &[],
    });
    let told = checks.map(|check| format!("{} at {}:{}", check.defect, check.file, check.line));
    told.collect()
}

/// Whether code of the program calls `reach_error`.
fn calls_error(program: &Program) -> bool {
    calls(program, &|name| name == ERROR)
}

/// Whether it assumes something of inputs.
fn assumes(program: &Program) -> bool {
    calls(program, &|name| name == "__VERIFIER_assume")
}

fn calls(program: &Program, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    let functions = program.functions.iter_enumerated();
    let users = functions.filter(|&(id, _)| program.origin(id) == Origin::User);
    let mut blocks =
        users.flat_map(|(_, function)| function.body.iter().flat_map(|body| &body.blocks));
    blocks.any(|block| match &block.terminator {
        Terminator::Call { callee, .. } => {
            let callee = callee
                .direct()
                .map(|it| program.functions[it].name.as_str());
            callee.is_some_and(is_wanted)
        }
        _ => false,
    })
}

/// The side of an expression that a goal is, and that no execution takes.
fn side(
    whole: &WholeProgram,
    goals: &Goals,
    unreachable: &Unreachable<'_>,
    has_assumptions: bool,
) -> Result<Side, &'static str> {
    match unreachable.evidence {
        Evidence::Invariants { .. } | Evidence::NoPath => {}
        // A search may take executions there that come to a false assumption later.
        Evidence::ExhaustedSearch { .. } if !has_assumptions => {}
        Evidence::ExhaustedSearch { .. } | Evidence::Rejected => {
            return Err("what is assumed behind it may be why");
        }
        Evidence::Pairs => return Err("it follows from other goals"),
        Evidence::Folded => return Err("its condition is a constant"),
    }
    let goal = goals.goal(unreachable.goal);
    let body = whole.loaded.program.functions[goal.function].body.as_ref();
    let body = body.ok_or("it has no code")?;
    let (decision, span, outcome) = match goal.kind {
        GoalKind::Decision(id, outcome) => (id, &body.decisions[id].span, outcome),
        GoalKind::Condition(id, outcome) => {
            let condition = &body.conditions[id];
            (condition.decision, &condition.span, outcome)
        }
        GoalKind::Switch(..)
        | GoalKind::Statement(_)
        | GoalKind::Call(_)
        | GoalKind::Combination(..)
        | GoalKind::Boundary(..)
        | GoalKind::Mutant(_)
        | GoalKind::Use(_)
        | GoalKind::Label(_)
        | GoalKind::Independence(..)
        | GoalKind::AllCombinations(_) => {
            return Err("it is no side of a condition");
        }
    };
    if span.begin.file != whole.file {
        return Err("it is in a header of the system");
    }
    match body.decisions[decision].kind {
        DecisionKind::BinaryConditional => Err("the value of its condition is used"),
        DecisionKind::Switch => Err("it is no side of a condition"),
        _ => Ok(Side {
            span: span.clone(),
            outcome,
        }),
    }
}
