//! What the executions of a search are, for those who execute its paths again.

use std::collections::BTreeSet;

use analysis::Reach;
use coverage::Goals;
use ir::test::BoundKind;
use ir::{CodeIndex, FunctionId, Program};

use crate::called_back::called_back;
use crate::code::Code;
use crate::options::Options;
use crate::{machine_config, reached};

/// What the executions of a search are.
#[derive(Clone, Debug)]
pub struct ExecutionRules {
    /// How the machine executes the program.
    pub machine: vm::Config,
    /// The bounds within which all verdicts of the search hold.
    pub assumed: Vec<BoundKind>,
    /// The functions that are executed in more ways than the search executes them, because others may
    /// call them: verdicts on their goals have the bound [`BoundKind::UnknownCall`].
    pub called_by_others: BTreeSet<FunctionId>,
}

/// The rules of a search with these options.
pub fn execution_rules(program: &Program, options: &Options) -> ExecutionRules {
    let index = CodeIndex::new(program);
    let reach = Reach::new(program, &index);
    let Options {
        ref tested,
        ref criteria,
        scope,
        ..
    } = *options;
    let goals = Goals::new(program, &index, tested, criteria, scope);
    let code = Code {
        program,
        entry: options.entry,
        index: &index,
        goals: &goals,
        reach: &reach,
    };
    let shared = analysis::shared_object_bound(program, &reached(&reach, options));
    let assumed = options.assumed.iter().chain(&shared);
    let called = called_back(&code, options);
    let functions = called.iter().flat_map(|called| called.functions.ones());
    ExecutionRules {
        machine: machine_config(program, &index, options),
        assumed: assumed.map(|bound| bound.kind).collect(),
        called_by_others: functions.map(FunctionId::from_usize).collect(),
    }
}
