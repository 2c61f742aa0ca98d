//! The result of a search as plain data.

use std::collections::{BTreeMap, BTreeSet};

use index_vec::IndexVec;
use ir::test::{Bound, BoundKind, Defect, Frame, Loss, TestCase};
use ir::{FunctionId, TestId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timing::Timing;
use crate::{Approach, Criteria, Derivation, DerivedGoal, GoalId, GoalStatus, Scope, TestGoal};

/// A goal and its status.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteGoal {
    /// The goal.
    pub goal: TestGoal,
    /// Its status.
    pub status: GoalStatus,
    /// Whether the native replay reached it; `None` without a replay, or if no test claims it.
    pub confirmed: Option<bool>,
    /// A test that reaches it only beyond a defect to which compilers give a meaning, which does
    /// not affect its status.
    pub beyond_defect: Option<TestId>,
}

/// A defect and the test that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundDefect {
    /// The defect.
    pub defect: Defect,
    /// The test whose execution ends in it.
    pub test: TestId,
    /// Whether the native replay shows it under sanitizers; `None` without a replay, and for
    /// kinds that none shows.
    pub confirmed: Option<bool>,
}

/// The cost of a search, as in `suite.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// Executions of the machine.
    pub iterations: u64,
    /// Distinct paths.
    pub paths: u64,
    /// Questions to the solver chain.
    pub solver_queries: u64,
    /// Branches of the path tree that were left out: no open goal lies after them, or a bound or a
    /// loss names the reason.
    #[serde(default)]
    pub dropped_branches: u64,
    /// IR statements and terminators executed.
    pub steps: u64,
    /// Executions that looked for further defects once every goal was decided.
    #[serde(default)]
    pub defect_iterations: u64,
    /// Wall-clock seconds of the search, front-end and replay excluded; the caller, who has a
    /// clock, fills it in.
    #[schemars(range(min = 0.0))]
    pub seconds: f64,
    /// Those of them that looked for further defects once every goal was decided.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub defect_seconds: f64,
    /// Peak memory of attest's process; the caller, who can ask the system, fills it in.
    pub peak_memory_bytes: u64,
    /// The counts of each link of the solver chain, outermost first.
    #[serde(default)]
    pub solver_links: Vec<LinkStatistics>,
    /// The counts of lazy expansion; absent where no call could be replaced by inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lazy: Option<LazyStatistics>,
    /// The counts of proofs by invariants; absent where none were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proofs: Option<ProofStatistics>,
    /// The counts of paths; absent where the criterion asks for none, or where lazy expansion counts
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstract_paths: Option<PathStatistics>,
}

/// The counts of a search for paths (PathCrawler, section 5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathStatistics {
    /// Paths that are covered, as far as the criterion tells them apart.
    pub covered: u64,
    /// Executions that cover a path which another one covered before.
    pub redundant: u64,
    /// Partial paths that no input takes, and that might have led to a path which was not covered:
    /// those that the solver refutes, and those that constants exclude. These are counted in the order
    /// of a depth-first search.
    pub infeasible: u64,
}

/// The beginning of abstract paths that no execution took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfeasiblePath {
    /// In words of the criterion.
    pub path: String,
    /// The goals that lie on it.
    pub goals: Vec<GoalId>,
}

/// The counts of proofs by invariants. Work is counted in the units of the SAT solver, about 30
/// nanoseconds each, so that it is the same on every machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProofStatistics {
    /// Goals that were proved to be unreachable.
    pub goals: u64,
    /// How often the provers had their turn.
    pub turns: u64,
    /// The work of the provers.
    pub work: u64,
    /// The work of executions and their queries.
    pub search_work: u64,
    /// Whether the provers had nothing left to try.
    pub is_through: bool,
    /// Flips that were put off because the monitor says that they lead to no open goal.
    #[serde(default)]
    pub put_off: u64,
}

/// The counts of lazy expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LazyStatistics {
    /// Paths with calls replaced by inputs that were to be made real.
    pub abstract_paths: u64,
    /// Those of them that were made real.
    pub concretised: u64,
    /// Those that no execution takes.
    pub spurious: u64,
    /// Those, and branches that lead to them, that were left out because a nogood shows that no
    /// call can meet their guards.
    #[serde(default)]
    pub learned: u64,
    /// Executions with all such calls replaced.
    pub iterations_outside: u64,
    /// Executions with some of these calls expanded.
    pub iterations_inside: u64,
    /// Known paths of functions that were used again.
    #[serde(default)]
    pub summaries_used: u64,
    /// How often each acceleration was used, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accelerations: BTreeMap<String, u64>,
}

/// The counts of one link of the solver chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkStatistics {
    /// Its name.
    pub name: String,
    /// Queries that reached it.
    pub queries: u64,
    /// Constraints of all these queries together.
    #[serde(default)]
    pub constraints: u64,
    /// Queries that it answered itself.
    pub answered: u64,
    /// Its own time, the next links excluded; 0 where it is not measured.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub seconds: f64,
}

/// A suite: goals with their status, tests, defects, and what precision was lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The function under test.
    pub function: FunctionId,
    /// The criteria.
    pub criteria: Criteria,
    /// Whose goals count.
    pub scope: Scope,
    /// Whether the search exhausted the tree of paths.
    pub exhausted: bool,
    /// If no input satisfies the assumptions of the code: the place of the rejection that happened
    /// last on a path, innermost call first.
    pub no_input: Option<Vec<Frame>>,
    /// The goals, in source order; those whose status follows from others come last.
    pub goals: IndexVec<GoalId, SuiteGoal>,
    /// How the status of those goals follows.
    pub derivations: BTreeMap<GoalId, Derivation>,
    /// How far the search came towards goals that it leaves undecided.
    pub approaches: BTreeMap<GoalId, Approach>,
    /// The tests; each adds something: a goal, a path where paths count, or a defect.
    pub tests: IndexVec<TestId, TestCase>,
    /// For each test, the goals that its execution reached, in order.
    pub claims: IndexVec<TestId, Vec<GoalId>>,
    /// The defects.
    pub defects: Vec<FoundDefect>,
    /// The losses.
    pub losses: Vec<Loss>,
    /// The bounds that executions hit.
    pub bounds: Vec<Bound>,
    /// The kinds of bounds that the user set himself: a verdict within them is what he asked for.
    pub accepted_bounds: Vec<BoundKind>,
    /// Beginnings of abstract paths that no execution took, if the criterion tells such paths apart: they
    /// are infeasible where the search has all paths.
    pub infeasible: Vec<InfeasiblePath>,
    /// How long its tests take, if they were timed.
    pub timing: Option<Timing>,
    /// For goals that their tests reach by values which no code stores where they are, and do not
    /// with others: the names of these inputs.
    pub odd_states: BTreeMap<GoalId, Vec<String>>,
    /// Options that rule out such values, and assumptions that defects rest on.
    pub suggestions: Vec<Suggestion>,
    /// Its cost.
    pub statistics: Statistics,
}

/// An option for another run, ready to copy, that rules out what defects of this one rest on. It is
/// a proposal alone: it affects no verdict and no test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suggestion {
    /// The option with its value, quoted for a shell: `--sequence 'init;parse'`.
    pub option: String,
    /// The C function that the option names, to be added to the file of the tested function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The subjects of the assumptions that it rules out, as in `rests_on`.
    pub subjects: Vec<String>,
    /// The goals that their tests reach by values of these subjects which no code stores, and do not
    /// with others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<usize>,
}

impl Suite {
    /// Adds goals whose status follows from that of those before.
    pub fn add_derived(&mut self, derived: &[DerivedGoal]) {
        for goal in derived {
            let id = self.goals.push(SuiteGoal {
                goal: goal.goal.clone(),
                status: GoalStatus::Open,
                confirmed: None,
                beyond_defect: None,
            });
            self.derivations.insert(id, goal.derivation.clone());
        }
        self.follow_derivations();
    }

    /// Gives the goals whose status follows from others the status that does.
    pub fn follow_derivations(&mut self) {
        for (&id, derivation) in &self.derivations {
            let (status, confirmed) = derivation.follow(&self.goals);
            self.goals[id].status = status;
            self.goals[id].confirmed = confirmed;
        }
    }

    /// The goals that the criteria ask for.
    pub fn asked_for(&self) -> impl Iterator<Item = &SuiteGoal> {
        let goals = self.goals.iter();
        goals.filter(|goal| self.criteria.ask_for(goal.goal.kind))
    }

    /// Takes tests away that cover no goal and show no defect; those after them get new numbers.
    pub fn withdraw(&mut self, tests: &BTreeSet<TestId>) {
        let renumbered = |test: TestId| {
            let before = tests.range(..test).count();
            TestId::from_usize(test.index() - before)
        };
        let kept = |id: TestId| !tests.contains(&id);
        let all = std::mem::take(&mut self.tests).into_iter();
        let all = all.filter(|test| kept(test.id));
        self.tests = all
            .map(|test| TestCase {
                id: renumbered(test.id),
                ..test
            })
            .collect();
        let claims = std::mem::take(&mut self.claims).into_iter_enumerated();
        let claims = claims.filter(|(id, _)| kept(*id));
        self.claims = claims.map(|(_, claims)| claims).collect();
        if let Some(timing) = &mut self.timing {
            timing.withdraw(tests);
        }
        for goal in &mut self.goals {
            if let GoalStatus::Covered(test) = &mut goal.status {
                *test = renumbered(*test);
            }
        }
        for found in &mut self.defects {
            found.test = renumbered(found.test);
        }
        for approach in self.approaches.values_mut() {
            approach.nearest.take_if(|nearest| !kept(nearest.test));
            if let Some(nearest) = &mut approach.nearest {
                nearest.test = renumbered(nearest.test);
            }
        }
    }

    /// Whether every goal is decided, for all inputs: none undecided, and none within bounds that
    /// the user did not set.
    pub fn complete(&self) -> bool {
        let decided = self.asked_for().all(|goal| match &goal.status {
            GoalStatus::Covered(_) | GoalStatus::Unreachable(_) => true,
            GoalStatus::UnreachableWithin(bounds) => self.accepts(bounds),
            GoalStatus::Open | GoalStatus::Undecided(_) => false,
        });
        decided && (self.criteria.paths().is_none() || self.has_all_paths())
    }

    /// Whether each feasible path of the criteria is covered, within bounds that the user set: the search
    /// came to its end, and lost nothing.
    pub fn has_all_paths(&self) -> bool {
        self.exhausted && self.losses.is_empty() && self.accepts(&self.bounds)
    }

    fn accepts(&self, bounds: &[Bound]) -> bool {
        bounds
            .iter()
            .all(|bound| self.accepted_bounds.contains(&bound.kind))
    }
}
