//! The options of a search, as the command line gives them.

use std::time::Duration;

use coverage::Criterion;
use explore::{DefectSearch, Options, ProofShare, StrategyName};
use ir::test::{Bound, BoundKind};
use ir::{FunctionId, Program, Type};

use crate::cli::cover::{CoverArguments, Switch};
use crate::cli::defects::DefectArguments;
use crate::commands::goals::scope;
use crate::entry;
use crate::failure::Failure;
use crate::lazy;
use crate::native;

/// The options of the search for one function.
pub fn options(
    arguments: &CoverArguments,
    program: &Program,
    entry: FunctionId,
) -> Result<Options, Failure> {
    let search = &arguments.search;
    let mut options = Options::new(entry);
    options.precondition = entry::precondition(program, entry, search.precondition.as_deref())?;
    options.criteria = arguments.criterion.criteria.clone();
    options.scope = scope(program, entry, arguments.scope);
    let own = || StrategyName::of(&options.criteria);
    options.strategy = search.strategy.unwrap_or_else(own);
    options.seed = search.seed;
    options.random_values = search.random_values;
    options.depth = search.depth.or(options
        .strategy
        .is_bounded()
        .then_some(explore::DEFAULT_DEPTH));
    if search.depth.is_some() {
        options.accepted_bounds.push(BoundKind::Depth);
    }
    let mut criteria = options.criteria.all().iter();
    if criteria.any(|criterion| matches!(criterion, Criterion::KPath(_))) {
        options.accepted_bounds.push(BoundKind::Rounds);
    }
    if let Some(steps) = search.step_limit {
        options.machine.step_limit = steps;
    }
    options.longer_executions = arguments.time.is_some() && search.step_limit.is_none();
    options.machine.choice_limit = search.choice_limit;
    options.machine.patience = search.patience;
    // A byte has flags, and to grow is to copy.
    options.machine.touched_limit = arguments.memory / 4;
    if let Some(elements) = search.max_array {
        options.machine.max_array = elements;
        options.accepted_bounds.push(BoundKind::ArrayExtent);
    }
    let natives = native::functions(&search.native, program)?;
    options
        .machine
        .policies
        .extend(native::policies(program, &natives));
    if search.closed_world {
        close_world(&mut options, program);
    }
    if search.no_allocation_failures {
        options.machine.allocation_failures = false;
        options.accepted_bounds.push(BoundKind::AllocationFailures);
    }
    take_for_granted(&mut options, &arguments.defects, program);
    options.stop_on_defect = search.stop_on_defect;
    options.defect_search = match arguments.defects.check_time {
        None => DefectSearch::Adapted,
        Some(Duration::ZERO) => DefectSearch::None,
        Some(_) => DefectSearch::Patient,
    };
    options.beyond_defects = !search.strict;
    options.usual_inputs = !search.inputs_as_found;
    options.lazy = lazy::lazy(&search.lazy, program, entry, &options.criteria)?;
    options.without = search.without.clone();
    options.audit = search.audit;
    options.proofs = share(search.prove, search.prove_share);
    options.fuzzing = share(search.fuzz, search.fuzz_share);
    options.patient_proofs = arguments.time.is_some();
    options.without_provers = search.without_prover.clone();
    options.solver = arguments.solver.chain();
    options.iteration_limit = search.iterations.unwrap_or(u64::MAX);
    Ok(options)
}

/// The share of a part of the search that is switched on or off.
fn share(switch: Switch, percent: Option<u8>) -> ProofShare {
    match (switch, percent) {
        (Switch::Off, _) => ProofShare::None,
        (Switch::On, Some(percent)) => ProofShare::Percent(percent),
        (Switch::On, None) => ProofShare::Adapted,
    }
}

/// Takes the program to be whole. That is a bound unless it is.
pub fn close_world(options: &mut Options, program: &Program) {
    options.closed_world = true;
    if !explore::is_whole(program, options) {
        options.assumed.push(Bound {
            kind: BoundKind::ClosedWorld,
            detail: "the files are taken to be the whole program".to_owned(),
            stack: Vec::new(),
        });
        options.accepted_bounds.push(BoundKind::ClosedWorld);
    }
}

/// What the user says of the inputs that callers pass.
fn take_for_granted(options: &mut Options, arguments: &DefectArguments, program: &Program) {
    let function = &program.functions[options.entry];
    let parameters = match program.types.kind(function.ty) {
        Type::Function(ty) => ty.parameters.as_slice(),
        _ => &[],
    };
    let parameters = parameters.iter().enumerate();
    let pointers = parameters.filter(|(_, ty)| program.types.pointee(**ty).is_some());
    let pointers: Vec<usize> = pointers.map(|(index, _)| index).collect();
    let is_named = |index: usize| {
        let name = function.parameter_name(index);
        name.is_some_and(|name| arguments.nonnull.iter().any(|named| named == name))
    };
    let taken = pointers.iter().copied();
    let taken = taken.filter(|&index| arguments.assume_nonnull || is_named(index));
    options.machine.assumed_nonnull = taken.map(|index| index as u32).collect();
    if !options.machine.assumed_nonnull.is_empty() {
        options.accepted_bounds.push(BoundKind::AssumedNonnull);
    }
    if arguments.assume_disjoint {
        options.machine.disjoint_inputs = true;
        let kinds = [BoundKind::AssumedDisjoint, BoundKind::SharedMemory];
        options.accepted_bounds.extend(kinds);
    }
}
