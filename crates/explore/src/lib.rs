//! The search: from a program and a criterion to a suite.
//!
//! It joins the machine (`vm`), the solver and the goals (`coverage`) in one loop ([`explore`]):
//! execute an input, add its path to the [`path_tree::PathTree`], flip a pending branch, ask the
//! solver for an input that takes it. A strategy chooses the next branch ([`StrategyName`]). When
//! no branch is left and nothing was lost, goals that were not reached are unreachable.
//!
//! What it deliberately does not know: C, files, the clock, and how tests are written down.

mod abstract_search;
mod acceleration;
mod approach;
mod assumed;
mod auto;
mod beyond;
mod branch_site;
mod called_back;
pub mod callers;
mod code;
mod collect;
mod defect_search;
mod edge_rarity;
mod edge_search;
mod flip;
mod fuzzing;
mod given;
mod guide;
mod lazy;
mod log;
mod needs;
mod open_goals;
mod options;
mod order;
pub mod path_tree;
mod plausible;
mod proof_share;
mod proofs;
mod rules;
mod scripted;
mod search;
pub mod sequence;
mod sources;
mod strategy;
mod taken_paths;
mod tries;
mod unit;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use analysis::{Reach, World};
use coverage::{FoundDefect, GoalId, Goals, InfeasiblePath, Scope, Statistics, Suite, SuiteGoal};
use expr::Terms;
use fixedbitset::FixedBitSet;
use ir::certificate::GoalProof;
use ir::certificate::paths::SearchPaths;
use ir::input::InputSpace;
use ir::test::{Bound, Frame};
use ir::{
    CastKind, CodeIndex, FunctionId, Operand, Origin, Program, Rvalue, StatementKind, TestId, Type,
    TypeId, UNSUPPORTED_CONSTRUCT,
};
use solver::Stop;
use vm::{CallPolicy, Machine, Random, ZeroDefaults};

pub use crate::acceleration::Acceleration;
use crate::approach::Approaches;
use crate::called_back::called_back;
use crate::code::Code;
use crate::collect::Collector;
use crate::fuzzing::{Frontier, Fuzzer};
pub use crate::given::observe_given;
use crate::log::Log;
use crate::open_goals::OpenGoals;
pub use crate::options::{
    DEFAULT_DEPTH, DefectSearch, Lazy, NullObserver, Observer, Options, Outside, Progress,
    StrategyName,
};
pub use crate::order::depend_on_order;
use crate::path_tree::PathTree;
use crate::plausible::ObjectsOfTheirOwn;
pub use crate::proof_share::ProofShare;
use crate::proofs::Proofs;
pub use crate::rules::{ExecutionRules, execution_rules};
use crate::search::{End, Engine, Eviction, Found, Fuzzing, Guesses, Limited, Provers, Search};
use crate::sources::Sources;
use crate::taken_paths::PathInputs;
use crate::tries::TryCounts;
use crate::unit::{abstract_search, edge_search, goals_outside, lazy_expansion, policies, unit};
use crate::verdict::Grounds;
pub use abstraction::ProverName;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The suite.
    pub suite: Suite,
    /// The space that the inputs of its tests are numbered in.
    pub space: InputSpace,
    /// Places that were proved to be unreachable and executed nevertheless: defects of attest.
    pub contradictions: Vec<String>,
    /// The proofs of goals that are proved to be unreachable, as others can check them.
    pub proofs: Vec<GoalProof>,
    /// If the search took all paths, these.
    pub paths: Option<SearchPaths>,
}

/// Searches for tests of the entry function that cover the goals of the criterion, and for proofs
/// that the rest cannot be covered.
pub fn explore(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut found = match options.lazy {
        Lazy::Auto => auto::explore(program, options, outside, observer),
        Lazy::Off | Lazy::Functions(_) => search(program, options, outside, observer),
    };
    if options.beyond_defects {
        beyond::look_beyond(program, options, outside, observer, &mut found);
    }
    defect_search::look_for_defects(program, options, outside, observer, &mut found);
    observer.explains_defects();
    assumed::find_assumptions(program, options, outside, &mut found);
    assumed::prefer_usual_inputs(program, options, outside, &mut found);
    assumed::find_odd_states(program, options, outside, &mut found);
    found
}

/// The state in which a search begins.
#[derive(Default)]
struct Start {
    /// The inputs that have numbers already.
    space: InputSpace,
    /// The goals that count as covered.
    covered: Vec<GoalId>,
}

/// The goals of a search.
fn goals_of(program: &Program, index: &CodeIndex, options: &Options) -> Goals {
    let (criteria, scope) = (&options.criteria, options.scope);
    Goals::new(program, index, &options.tested, criteria, scope)
}

/// How the machine executes a program for a search.
fn machine_config(program: &Program, index: &CodeIndex, options: &Options) -> vm::Config {
    let reach = Reach::new(program, index);
    let reached = reached(&reach, options);
    let roles = analysis::global_roles(program, options.entry, &reached, world(program, options));
    let unit = unit(program, options);
    vm::Config {
        input_globals: roles.inputs.clone(),
        kept_globals: roles.kept.clone(),
        known_kept_globals: [
            options.machine.known_kept_globals.clone(),
            roles.known_kept.clone(),
        ]
        .concat(),
        constants: [
            roles.constants.clone(),
            analysis::literals(program, options.entry),
        ]
        .concat(),
        changing_globals: roles.changing.clone(),
        called_back_globals: roles.called_back.clone(),
        looked_at_back_globals: roles.looked_at_back.clone(),
        unaddressed_globals: roles.unaddressed.clone(),
        lengths: analysis::lengths(program, options.entry, &reached),
        policies: policies(program, &reach, &unit, &roles.changing, options),
        unit,
        recorded_events: options.recorded_events(),
        ..options.machine.clone()
    }
}

/// One search, with lazy expansion or without it.
fn search(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    observer: &mut dyn Observer,
) -> Exploration {
    search_from(program, options, outside, observer, Start::default())
}

/// One search that begins from a given state.
fn search_from(
    program: &Program,
    options: &Options,
    outside: Outside<'_>,
    observer: &mut dyn Observer,
    start: Start,
) -> Exploration {
    let index = CodeIndex::new(program);
    let goals = goals_of(program, &index, options);
    let reach = Reach::new(program, &index);
    let reached = reached(&reach, options);
    let config = machine_config(program, &index, options);
    let mut space = start.space;
    space.lengths.clone_from(&config.lengths);
    let lazy = lazy_expansion(program, &index, &reach, &config, options);
    let abstract_search = abstract_search((program, &index, &reach), options);
    let goals_outside = goals_outside(&goals, &reach, &config.unit, &reached);
    let stop = options.solver.stop.as_ref();
    let is_stopped = || stop.is_some_and(Stop::is_requested);
    let machine = Machine::new(program, &index, config)
        .with_natives(outside.natives)
        .until(&is_stopped);
    let open_goals = OpenGoals::new(Code {
        program,
        entry: options.entry,
        index: &index,
        goals: &goals,
        reach: &reach,
    });
    let strategy = strategy::named(options.strategy, options.seed);
    let mut search = Search {
        options,
        engine: Engine {
            machine,
            space,
            terms: Terms::default(),
            solver: solver::chain(&options.solver),
            guesses: Guesses::new(options.seed),
            defaults: match (options.random_values, options.only_defects) {
                (true, _) => Box::new(Random { seed: options.seed }),
                (false, true) => Box::new(ObjectsOfTheirOwn { program }),
                (false, false) => Box::new(ZeroDefaults),
            },
        },
        keeps_all_paths: search::assumes_behind_labels(open_goals.code()),
        tree: PathTree::default(),
        taken: PathInputs::new(options),
        open_goals,
        sources: Sources::new(strategy, options.alias_probes),
        lazy,
        abstract_search,
        edge_search: edge_search((program, &index), options),
        unit_proof: None,
        provers: Provers::new(options.proofs, options.patient_proofs),
        fuzzing: Fuzzing::new(
            Fuzzer::new(program, options.seed),
            Frontier::new(program, &index),
            options,
        ),
        proofs: Proofs::default(),
        outside: goals_outside,
        found: Found {
            collector: Collector::new(goals.len(), options.precondition.is_some())
                .counting_as_covered(&start.covered),
            log: Log::default(),
            progress: Progress {
                goals: goals.len(),
                ..Progress::default()
            },
            steps: 0,
            calls: 0,
            alternatives: 0,
            tries: TryCounts::default(),
            all_covered_at: None,
        },
        eviction: Eviction::new(options.tree_limit),
        limited: Limited::default(),
    };
    let shared = analysis::shared_object_bound(program, &reached);
    let assumed: Vec<Bound> = options.assumed.iter().cloned().chain(shared).collect();
    assumed
        .iter()
        .for_each(|bound| search.found.log.bound(bound));
    search.proofs = Proofs::within(assumed);
    let end = search.run(outside.seeds, observer);
    let open_labels = search.open_labels();
    let dominated = search.dominated_paths();
    let statistics = search.statistics();
    let infeasible = search.infeasible_paths();
    let no_input = search.no_input(end);
    if end == End::Stopped {
        search.count_pending();
    }
    let Search {
        open_goals,
        engine,
        found:
            Found {
                collector,
                log,
                tries,
                ..
            },
        lazy,
        unit_proof,
        proofs,
        outside,
        taken,
        ..
    } = search;
    let space = engine.space;
    let all_taken = end == End::Exhausted;
    let paths = all_taken.then(|| taken.certificate(program, &space, options));
    let prunings = lazy.prunings();
    let finished = Finished {
        code: open_goals.code(),
        options,
        space: &space,
        end,
        collector,
        dominated: &dominated,
        infeasible: &infeasible,
        log,
        tries: &tries,
        statistics,
        no_input,
        rejected: open_goals.rejected(),
        unneeded: open_goals.needs().unneeded(),
        open_labels: &open_labels,
        prunings: &prunings,
        proofs: &proofs,
        open: unit_proof.as_ref().map(|_| outside),
    };
    let suite = finished.suite();
    Exploration {
        suite,
        space,
        contradictions: [lazy.contradictions(), proofs.contradictions()].concat(),
        proofs: proofs.certificates(),
        paths,
    }
}

/// Whether other units may use the globals: not if the user says so, and not in a whole program.
fn world(program: &Program, options: &Options) -> World {
    match options.closed_world || is_whole(program, options) {
        true => World::Closed,
        false => World::Open,
    }
}

/// Whether the given units are a whole program that uses nothing unknown: each function has a body
/// or a model, or is called for real, each object is defined or is the C library's, and no caller
/// passes pointers to others.
pub fn is_whole(program: &Program, options: &Options) -> bool {
    let is_program =
        options.scope == Scope::Program || program.functions[options.entry].name == "main";
    let mut globals = program.globals.iter();
    is_program
        && !takes_pointers(program, options.entry)
        && globals
            .all(|global| global.initializer.is_some() || program.is_object_of_library(global))
        && calls_only_known(program, &options.machine)
}

/// Whether callers pass pointers to a function, which may lead to any object and function, or
/// numbers that may be such addresses. The strings that `main` is given do not.
fn takes_pointers(program: &Program, entry: FunctionId) -> bool {
    let types = &program.types;
    let Type::Function(ty) = types.kind(program.functions[entry].ty) else {
        return true;
    };
    let is_main = program.functions[entry].name == "main";
    let makes_pointers = makes_pointers_of_numbers(program);
    let address_size = u64::from(program.target.pointer_width / 8);
    let holds_address = |ty| {
        let is_float = matches!(types.kind(ty), Type::Float(_));
        makes_pointers && !is_float && types.size(ty) >= address_size
    };
    let may_point = |&ty: &TypeId| types.has_pointers(ty) || holds_address(ty);
    !is_main && ty.parameters.iter().any(may_point)
}

fn makes_pointers_of_numbers(program: &Program) -> bool {
    let functions = program.functions.iter_enumerated();
    let of_user = functions.filter(|(id, _)| program.origin(*id) == Origin::User);
    let blocks = of_user.flat_map(|(_, function)| function.body.iter().flat_map(|it| &it.blocks));
    let mut statements = blocks.flat_map(|block| &block.statements);
    statements.any(|statement| {
        matches!(
            statement.kind,
            StatementKind::Assign(_, Rvalue::Cast(CastKind::IntToPointer, Operand::Copy(_), _))
        )
    })
}

/// Whether each function that the program uses has a body or a model, or is called for real.
fn calls_only_known(program: &Program, config: &vm::Config) -> bool {
    let mut functions = program.functions.iter_enumerated();
    functions.all(|(id, function)| {
        let is_native = matches!(config.policies.get(&id), Some(CallPolicy::Native(_)));
        let is_caller = program.origin(id) == Origin::Caller;
        let is_construct = function.name == UNSUPPORTED_CONSTRUCT;
        let is_known = is_construct || ir::library::is_known(&program.types, function);
        function.body.is_some() || is_native || is_caller || is_known
    })
}

/// The functions that an execution may reach.
fn reached(reach: &Reach, options: &Options) -> Vec<FunctionId> {
    let entries = [Some(options.entry), options.precondition]
        .into_iter()
        .flatten();
    entries
        .flat_map(|entry| reach.functions_from(entry))
        .collect()
}

/// A search that has ended.
struct Finished<'a> {
    code: &'a Code<'a>,
    options: &'a Options,
    space: &'a InputSpace,
    end: End,
    collector: Collector,
    /// The paths that need no test, since others dominate them.
    dominated: &'a BTreeSet<usize>,
    /// Beginnings of abstract paths that no execution took.
    infeasible: &'a [InfeasiblePath],
    log: Log,
    tries: &'a TryCounts,
    statistics: Statistics,
    no_input: Option<Vec<Frame>>,
    rejected: &'a [GoalId],
    unneeded: &'a FixedBitSet,
    open_labels: &'a FixedBitSet,
    prunings: &'a [String],
    proofs: &'a Proofs,
    /// The goals that a stopped search leaves open, if not all.
    open: Option<Vec<GoalId>>,
}

impl Finished<'_> {
    /// The findings, as a suite.
    fn suite(self) -> Suite {
        let Finished {
            code,
            options,
            space,
            end,
            collector,
            dominated,
            infeasible,
            log,
            tries,
            statistics,
            no_input,
            rejected,
            unneeded,
            open_labels,
            prunings,
            proofs,
            open,
        } = self;
        let tests = collector.finish(code.goals, space, dominated);
        let defects: Vec<_> = tests
            .defects
            .iter()
            .map(|(defect, _)| defect.clone())
            .collect();
        let grounds = Grounds {
            code,
            entry: options.entry,
            precondition: options.precondition,
            end,
            no_input: no_input.is_some(),
            rejected,
            unneeded,
            open_labels,
            proofs,
            open: open.as_deref(),
            paths: statistics.paths,
            prunings,
            losses: &log.losses,
            bounds: &log.bounds,
            rejected_executions: &log.rejected,
            defects: &defects,
            called_back: called_back(code, options),
        };
        let mut first: BTreeMap<GoalId, TestId> = BTreeMap::new();
        for (test, claims) in tests.claims.iter_enumerated() {
            for &goal in claims {
                first.entry(goal).or_insert(test);
            }
        }
        let verdicts = grounds.verdicts(|goal| first.get(&goal).copied());
        let approaches = Approaches::new(code, &tests.tests, &tests.routes, tries).of(&verdicts);
        let mut losses = log.losses;
        if end == End::Stopped && !approaches.is_empty() {
            losses.extend(log.fixed);
        }
        let goals = code.goals.iter().zip(verdicts);
        let goals = goals.map(|((_, goal), (status, _))| SuiteGoal {
            goal: goal.clone(),
            status,
            confirmed: None,
            beyond_defect: None,
        });
        let found = tests.defects.into_iter();
        let mut suite = Suite {
            function: options.entry,
            criteria: options.criteria.clone(),
            scope: options.scope,
            exhausted: end == End::Exhausted,
            no_input,
            goals: goals.collect(),
            derivations: BTreeMap::new(),
            approaches,
            tests: tests.tests,
            claims: tests.claims,
            defects: found
                .map(|(defect, test)| FoundDefect {
                    defect,
                    test,
                    confirmed: None,
                })
                .collect(),
            losses,
            bounds: log.bounds,
            accepted_bounds: options.accepted_bounds.clone(),
            infeasible: infeasible.to_vec(),
            timing: None,
            odd_states: BTreeMap::new(),
            suggestions: Vec::new(),
            statistics,
        };
        suite.add_derived(code.goals.derived());
        suite
    }
}
