//! The unit: the functions whose paths and goals count, the calls in it that may be replaced, and the
//! paths through it that are told apart.

use std::collections::{BTreeMap, BTreeSet};

use analysis::{CallEffects, PossibleReturns, Reach};
use coverage::{AbstractPaths, Abstraction, GoalId, Goals, Paths, Scope};
use ir::{CodeIndex, FunctionId, GlobalId, Program};
use vm::{CallPolicy, TestedUnit};

use crate::abstract_search::AbstractSearch;
use crate::acceleration::Acceleration;
use crate::edge_search::EdgeSearch;
use crate::lazy::{LazyExpansion, LazyOptions, UnitPaths};
use crate::options::{Lazy, Options, StrategyName};
use crate::{reached, strategy};

/// The functions through which paths count; none where no criterion asks for their paths, which may
/// be long.
pub(crate) fn unit(program: &Program, options: &Options) -> TestedUnit {
    if options.lazy == Lazy::Off && options.criteria.paths() != Some(Paths::Unit) {
        return TestedUnit::default();
    }
    let mut functions = options.scope.functions(program, &options.tested);
    functions.insert(options.entry);
    if let Lazy::Functions(lazy) = &options.lazy {
        functions.retain(|function| !lazy.contains(function));
    }
    TestedUnit {
        functions,
        recursive: options.scope != Scope::Function,
    }
}

/// How calls are executed: those of some functions may be replaced by inputs.
pub(crate) fn policies(
    program: &Program,
    reach: &Reach,
    unit: &TestedUnit,
    changing: &[GlobalId],
    options: &Options,
) -> BTreeMap<FunctionId, CallPolicy> {
    let mut policies = options.machine.policies.clone();
    let lazy = lazy_functions(program, reach, unit, options);
    if !lazy.is_empty() {
        let effects = CallEffects::new(program, reach);
        policies.extend(lazy.into_iter().map(|function| {
            let effects = effects.of(function, changing);
            (function, CallPolicy::Abstract(effects))
        }));
    }
    policies
}

/// The functions whose calls may be replaced by inputs.
pub(crate) fn lazy_functions(
    program: &Program,
    reach: &Reach,
    unit: &TestedUnit,
    options: &Options,
) -> Vec<FunctionId> {
    match &options.lazy {
        // Where every path counts, replacing calls saves nothing.
        _ if matches!(options.criteria.paths(), Some(Paths::Abstract(_))) => Vec::new(),
        Lazy::Off => Vec::new(),
        Lazy::Auto => {
            let mut dear =
                analysis::costly(program, reach, &unit.functions, &reached(reach, options));
            // The choice of a pointer is a matter of bounds, and proves nothing. Whether a
            // precondition holds has to be known first.
            let before = options.precondition.iter();
            let before: BTreeSet<FunctionId> = before
                .flat_map(|&precondition| reach.functions_from(precondition))
                .collect();
            let effects = CallEffects::new(program, reach);
            dear.retain(|&function| {
                let effects = effects.of(function, &[]);
                !before.contains(&function) && !effects.give_addresses(program, function)
            });
            dear
        }
        Lazy::Functions(functions) => functions.clone(),
    }
}

/// Lazy expansion with nothing expanded yet.
pub(crate) fn lazy_expansion(
    program: &Program,
    index: &CodeIndex,
    reach: &Reach,
    config: &vm::Config,
    options: &Options,
) -> LazyExpansion {
    let is_lazy = |policy: &CallPolicy| matches!(policy, CallPolicy::Abstract(_));
    let may_end = options.criteria.paths() == Some(Paths::Unit)
        && may_end_in_calls((program, reach), &config.unit.functions, options);
    // Of the strategies that hand out only flips that they were given: the tree has real flips too.
    let strategy = match options.criteria.paths() {
        Some(_) => StrategyName::DepthFirst,
        None => StrategyName::Cfg,
    };
    let determined = analysis::determined(program, index, reach);
    let mut units = UnitPaths::new(index, &determined, may_end);
    if options.audit || options.without.contains(&Acceleration::DeterminedBranches) {
        units = units.checking_determined(index);
    }
    // Beyond a defect, values that were never written decide too.
    if reach.chooses_among(&config.unit.functions) || config.beyond_defects {
        units = units.with_chosen_branches();
    }
    let lazy = LazyOptions {
        is_on: config.policies.values().any(is_lazy),
        paths: options.criteria.paths(),
        patience: options.lazy_patience,
        without: options.without.clone(),
        audit: options.audit,
    };
    LazyExpansion::new(
        lazy,
        units,
        PossibleReturns::new(program, index),
        strategy::named(strategy, options.seed),
    )
}

/// The goals that executions may reach in other places than on paths through the unit: those of
/// functions outside, and of functions that are called from there, or that run by themselves where
/// that does not count.
pub(crate) fn goals_outside(
    goals: &Goals,
    reach: &Reach,
    unit: &TestedUnit,
    reached: &[FunctionId],
) -> Vec<GoalId> {
    let beyond = reached.iter().filter(|id| !unit.functions.contains(*id));
    let mut outside: BTreeSet<FunctionId> = beyond
        .flat_map(|&function| reach.functions_from(function))
        .collect();
    let recur = unit.functions.iter().copied();
    outside.extend(recur.filter(|&function| !unit.recursive && reach.calls_itself(function)));
    let goals = goals
        .iter()
        .filter(|(_, goal)| outside.contains(&goal.function));
    goals.map(|(id, _)| id).collect()
}

/// The search for abstract paths, if the criterion asks for these. Paths that calls end are told apart
/// from others, so that nothing is left out where calls may do so, or where the code does not say which
/// decision comes next.
pub(crate) fn abstract_search<'a>(
    (program, index, reach): (&'a Program, &'a CodeIndex, &Reach),
    options: &Options,
) -> Option<AbstractSearch<'a>> {
    let Some(Paths::Abstract(abstraction)) = options.criteria.paths() else {
        return None;
    };
    let has_order = options.criteria.paths().is_some_and(Paths::have_order);
    let mut functions = options.scope.functions(program, &options.tested);
    functions.insert(options.entry);
    if has_order {
        functions.extend(reached(reach, options));
    }
    let may_end = may_end_in_calls((program, reach), &functions, options);
    let is_recursive = has_order || options.scope != Scope::Function;
    let paths = AbstractPaths::new((program, index), abstraction, functions, is_recursive);
    let is_determined = !may_end && paths.is_determined();
    let most_events = options.recorded_events();
    Some(AbstractSearch::new(paths, is_determined, most_events))
}

/// The counts of a search for single edges, if the criterion is one of those of PathCrawler.
pub(crate) fn edge_search<'a>(
    code: (&'a Program, &'a CodeIndex),
    options: &Options,
) -> Option<EdgeSearch<'a>> {
    let is_counted = StrategyName::of(&options.criteria) == StrategyName::TwoPass;
    let paths = || AbstractPaths::new(code, Abstraction::Nothing, BTreeSet::new(), false);
    is_counted.then(|| EdgeSearch::new(paths()))
}

/// Whether an execution may end in a call that functions make.
fn may_end_in_calls(
    (program, reach): (&Program, &Reach),
    unit: &BTreeSet<FunctionId>,
    options: &Options,
) -> bool {
    let effects = CallEffects::new(program, reach);
    let mut called = reached(reach, options).into_iter();
    analysis::may_end_at_calls(program, unit)
        || called.any(|function| {
            let is_outside = !unit.contains(&function);
            let may_return = !program.functions[function].noreturn;
            is_outside && may_return && effects.of(function, &[]).may_end
        })
}
