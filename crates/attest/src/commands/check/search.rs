//! Goals that are unreachable because a search took all paths: the claims, and what executions are.

use std::collections::BTreeSet;

use checker::{GoalClaim, Process, Refusal, SearchRun, Shown};
use coverage::Criteria;
use emit::SuiteRecord;
use emit::record::{PathsRecord, StatusRecord};
use explore::Options;
use ir::certificate::paths::{ExecutionLimits, SearchPaths, TakenPaths};
use ir::sequence::Sequence;
use ir::test::{Bound, BoundKind};
use ir::{FunctionId, Program};

use super::Checked;
use crate::commands::cover::close_world;
use crate::commands::replay::folder::Folder;
use crate::entry;
use crate::failure::Failure;
use crate::sequence;

/// The paths in the folder, if there are any.
pub fn paths(folder: &Folder) -> Result<Option<SearchPaths>, Failure> {
    let Some(name) = &folder.suite.files.paths else {
        return Ok(None);
    };
    let (text, unusable) = super::read(folder, name)?;
    let read = PathsRecord::parse(&text).map_err(|error| unusable(error.to_string()))?;
    let read = read.ok_or_else(|| unusable("it has another format".to_owned()))?;
    Ok(Some(read.paths))
}

/// What was searched.
pub struct Searched<'a> {
    pub entry: FunctionId,
    pub tested: Vec<FunctionId>,
    pub sequence: Option<&'a Sequence>,
    pub criteria: Criteria,
}

/// The options of the search that took some paths, as far as they say what executions are.
pub fn options(
    program: &Program,
    suite: &SuiteRecord,
    searched: &Searched<'_>,
    limits: &ExecutionLimits,
) -> Result<Options, Failure> {
    let mut options = Options::new(searched.entry);
    let precondition = limits.precondition.as_deref();
    options.precondition = entry::precondition(program, searched.entry, precondition)?;
    options.criteria = searched.criteria.clone();
    options.scope = suite.scope;
    options.tested.clone_from(&searched.tested);
    options.machine.step_limit = limits.steps;
    options.machine.choice_limit = limits.choices;
    options.machine.patience = limits.patience;
    options.machine.touched_limit = limits.touched;
    options.machine.max_array = limits.elements;
    options.machine.allocation_failures = limits.allocation_failures;
    options.machine.assumed_nonnull.clone_from(&limits.nonnull);
    options.machine.disjoint_inputs = limits.disjoint;
    if limits.closed_world {
        close_world(&mut options, program);
    }
    if let Some(sequence) = searched.sequence {
        options.machine.observe_calls = true;
        options.machine.known_kept_globals.extend(sequence.variable);
        let left_out = sequence::left_out(program, sequence).into_iter();
        options.assumed.extend(left_out.map(|detail| Bound {
            kind: BoundKind::Sequence,
            detail,
            stack: Vec::new(),
        }));
    }
    Ok(options)
}

/// The result for a goal that the paths are to show unreachable.
pub type Found = Result<Shown, Refusal>;

impl Checked<'_> {
    /// Checks by the paths of a search the goals at some positions of the suite.
    pub fn check_search(
        &self,
        suite: &SuiteRecord,
        goals: &[usize],
        (paths, options): (&TakenPaths, &Options),
        solver: &mut Process,
    ) -> Vec<Found> {
        let run = self.run(options);
        let claims: Vec<GoalClaim> = goals.iter().map(|&at| self.claim(suite, at)).collect();
        match checker::check_search(&run, paths, &claims, solver) {
            Ok(results) => results,
            Err(refusal) => vec![Err(refusal); goals.len()],
        }
    }

    /// What executions of a search with these options are.
    fn run(&self, options: &Options) -> SearchRun<'_> {
        let rules = explore::execution_rules(self.program, options);
        SearchRun {
            program: self.program,
            index: self.index,
            entry: self.entry,
            precondition: options.precondition,
            machine: rules.machine,
            assumed: rules.assumed,
            called_by_others: rules.called_by_others,
        }
    }

    /// The covered goals that the paths of a search would show unreachable, within all bounds, if those
    /// were missing that reach them: there must be none.
    pub fn wrongly_shown(
        &self,
        suite: &SuiteRecord,
        (paths, options): (&TakenPaths, &Options),
        solver: &mut Process,
    ) -> Vec<usize> {
        let run = self.run(options);
        let bounds = suite.bounds.iter().map(|bound| bound.kind.clone());
        let bounds = bounds.chain(run.assumed.iter().map(|kind| kind.name().to_owned()));
        let unknown = BoundKind::UnknownCall.name().to_owned();
        let bounds: BTreeSet<String> = bounds.chain([unknown]).collect();
        let goals = suite.goals.iter().enumerate();
        let own = goals.filter(|(at, _)| !self.derived.contains_key(at));
        let covered = own.filter(|(_, goal)| matches!(goal.status, StatusRecord::Covered { .. }));
        let mut shown = Vec::new();
        for (at, goal) in covered {
            let claim = GoalClaim {
                bounds: bounds.clone(),
                ..self.claim(suite, at)
            };
            let found = checker::paths_beside(&run, paths, &claim).and_then(|beside| {
                let claims = std::slice::from_ref(&claim);
                checker::check_search(&run, &beside, claims, solver)
            });
            if found.is_ok_and(|results| results.iter().any(Result::is_ok)) {
                shown.push(goal.id);
            }
        }
        shown
    }

    /// What the suite claims of the goal at a position.
    fn claim(&self, suite: &SuiteRecord, at: usize) -> GoalClaim {
        let status = suite.goals.get(at).map(|goal| &goal.status);
        let bounds = match status {
            Some(StatusRecord::UnreachableWithin { bounds }) => bounds.as_slice(),
            _ => &[],
        };
        let bounds: BTreeSet<String> = bounds.iter().map(|bound| bound.kind.clone()).collect();
        let places = self.of_kept.get(&at).map(|&goal| self.places(goal));
        GoalClaim {
            places: places.unwrap_or_default(),
            bounds,
        }
    }
}
