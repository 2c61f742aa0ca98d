//! Which executions become tests.
//!
//! An execution is kept as a candidate when it covers a goal that no earlier one covered, or, where
//! paths count, when its path is new. An execution that returns is a better test than one that ends
//! in a defect, so the first execution that returns replaces the latter for a goal. At the end,
//! redundant candidates are dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coverage::{Abstraction, GoalId, Goals, Paths, minimise};
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::input::{InputSpace, InputVector};
use ir::test::{Defect, Observation, Outcome, TestCase};
use ir::{FunctionId, ObjectId, OrderedTrace, TestId, Trace};
use vm::{Execution, Site};

use crate::approach::Route;

/// An execution that may become a test.
#[derive(Clone, Debug)]
struct Candidate {
    inputs: InputVector,
    outcome: Outcome,
    observations: Vec<Observation>,
    calls: BTreeMap<FunctionId, u32>,
    freed: BTreeSet<ObjectId>,
    allocates_shared: bool,
    outgrown: Option<ObjectId>,
    moved: BTreeMap<ObjectId, Vec<i64>>,
    unsure: bool,
    beyond: Option<Defect>,
    goals: Vec<GoalId>,
    path: Option<String>,
    trace: Option<Arc<OrderedTrace>>,
    /// Whether its path was new, and the number of the path, if another one may dominate it.
    is_path: bool,
    path_number: Option<usize>,
    /// What it visited, if it may have come nearest to some goal.
    route: Option<Arc<Route>>,
}

impl Candidate {
    fn new(goals: &Goals, execution: &Execution) -> Self {
        let mut covered: Vec<GoalId> = goals.covered_by(&execution.visited.trace).collect();
        if let Some(beyond) = &execution.defects.beyond {
            let within: BTreeSet<GoalId> = goals.covered_by(&beyond.within).collect();
            covered.retain(|goal| !within.contains(goal));
        }
        covered.sort_unstable();
        covered.dedup();
        Candidate {
            inputs: execution.inputs.clone(),
            outcome: execution.outcome.clone(),
            observations: execution.observations.clone(),
            calls: execution.calls.clone(),
            freed: execution.needs.freed.clone(),
            allocates_shared: execution.needs.allocates_shared,
            outgrown: execution.needs.outgrown,
            moved: execution.needs.moved.clone(),
            unsure: execution.unsure,
            beyond: execution
                .defects
                .beyond
                .as_ref()
                .map(|beyond| beyond.defect.clone()),
            goals: covered,
            path: None,
            trace: trace(goals, execution),
            is_path: false,
            path_number: None,
            route: None,
        }
    }

    /// A test that shows a defect which its execution met and went on beyond.
    fn showing(&self, defect: &Defect) -> Self {
        Candidate {
            outcome: Outcome::Defect(defect.clone()),
            observations: Vec::new(),
            goals: Vec::new(),
            path: None,
            is_path: false,
            path_number: None,
            route: None,
            ..self.clone()
        }
    }

    fn into_test(self, id: TestId, space: &InputSpace) -> TestCase {
        let mut inputs = self.inputs;
        inputs.keep_within_extents(space);
        TestCase {
            trace: self.trace,
            path_confirmed: None,
            assumptions: Vec::new(),
            id,
            inputs,
            outcome: self.outcome,
            observations: self.observations,
            given: None,
            calls: self.calls,
            freed: self.freed,
            allocates_shared: self.allocates_shared,
            outgrown: self.outgrown,
            moved: self.moved,
            beyond: self.beyond,
            unsure: self.unsure,
            path: self.path,
        }
    }
}

/// A test of an execution that shows a defect.
pub(crate) fn test_of(
    goals: &Goals,
    execution: &Execution,
    defect: &Defect,
    id: TestId,
    space: &InputSpace,
) -> TestCase {
    let candidate = Candidate::new(goals, execution);
    candidate.showing(defect).into_test(id, space)
}

/// A test of an execution that reaches goals.
pub(crate) fn test_of_goals(
    goals: &Goals,
    execution: &Execution,
    id: TestId,
    space: &InputSpace,
) -> TestCase {
    Candidate::new(goals, execution).into_test(id, space)
}

/// The tests of a search and what they claim to cover.
#[derive(Debug, Default)]
pub(crate) struct Tests {
    pub tests: IndexVec<TestId, TestCase>,
    pub claims: IndexVec<TestId, Vec<GoalId>>,
    /// What they visited, as far as it is known.
    pub routes: IndexVec<TestId, Option<Arc<Route>>>,
    /// The defects with the tests that show them.
    pub defects: Vec<(Defect, TestId)>,
}

/// Picks tests among executions.
#[derive(Debug)]
pub(crate) struct Collector {
    /// The trace of all executions that ended well; `None` before the first.
    ended_well: Option<Trace>,
    /// The trace of all executions that were not rejected.
    visited: Option<Trace>,
    /// Whether a precondition has to hold, and whether some input was accepted.
    has_precondition: bool,
    accepts: bool,
    /// The place of the rejection that happened after the most constraints, and how many these are.
    rejected: Option<(usize, Option<Site>)>,
    covered: FixedBitSet,
    /// The goals that executions covered which ended well.
    settled: FixedBitSet,
    /// Those among them that only executions with very many values covered.
    only_long: FixedBitSet,
    /// Executions that ended well.
    candidates: Vec<Candidate>,
    /// Executions that ended at a limit or at something unsupported, and covered something new.
    cut_short: Vec<Candidate>,
    /// Executions that ended in a new defect, or covered something new.
    defects: Vec<Candidate>,
}

/// What is new about an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    /// Its path, or its path through the unit where those count.
    pub path: bool,
    /// The text of its path, if that is new and the criterion asks for paths.
    pub path_text: Option<String>,
    /// The number of its path, if that is new and a later one may dominate it.
    pub path_number: Option<usize>,
    /// The defect that it ended in.
    pub defect: bool,
    /// Defects that it met and went on beyond.
    pub reported: Vec<Defect>,
}

/// How an execution ended, as far as it matters for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    EndsWell,
    Defect,
    CutShort,
    Rejected,
}

impl Kind {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Return | Outcome::Exit(_) => Kind::EndsWell,
            Outcome::Defect(_) => Kind::Defect,
            Outcome::Unsupported | Outcome::LimitReached | Outcome::AddressDependent => {
                Kind::CutShort
            }
            Outcome::Rejected => Kind::Rejected,
        }
    }
}

impl Collector {
    /// A collector for that many goals.
    pub fn new(goals: usize, has_precondition: bool) -> Self {
        Collector {
            ended_well: None,
            visited: None,
            has_precondition,
            accepts: false,
            rejected: None,
            covered: FixedBitSet::with_capacity(goals),
            settled: FixedBitSet::with_capacity(goals),
            only_long: FixedBitSet::with_capacity(goals),
            candidates: Vec::new(),
            cut_short: Vec::new(),
            defects: Vec::new(),
        }
    }

    /// The collector where these goals count as covered, and as settled.
    pub fn counting_as_covered(mut self, goals: &[GoalId]) -> Self {
        let goals = || goals.iter().map(|goal| goal.index());
        self.covered.extend(goals());
        self.settled.extend(goals());
        self
    }

    /// How many goals some execution covered.
    pub fn covered(&self) -> usize {
        self.covered.count_ones(..)
    }

    /// How many goals an execution covered that ended well.
    pub fn settled(&self) -> usize {
        self.settled.count_ones(..)
    }

    /// Whether an execution that ended well covered the goal: there is no better test of it.
    pub fn settles(&self, goal: GoalId) -> bool {
        self.settled.contains(goal.index())
    }

    /// Whether some execution covered the goal.
    pub fn covers(&self, goal: GoalId) -> bool {
        self.covered.contains(goal.index())
    }

    /// If no input was accepted: the place of the rejection that happened last on a path, as far as
    /// it is known.
    pub fn rejects_all(&self) -> Option<Option<Site>> {
        let (_, site) = self.rejected.filter(|_| !self.accepts)?;
        Some(site)
    }

    /// Whether some execution ended well.
    pub fn ended_well(&self) -> bool {
        self.ended_well.is_some()
    }

    /// Records an execution's coverage and keeps it if it adds something. Returns how many
    /// blocks and edges it visited that none before it did.
    pub fn consider(&mut self, goals: &Goals, execution: &Execution, news: News) -> usize {
        let kind = Kind::of(&execution.outcome);
        if kind == Kind::Rejected {
            let site = execution.path.last().map(|constraint| constraint.site);
            let length = execution.path.len();
            if self.rejected.is_none_or(|(most, _)| length > most) {
                self.rejected = Some((length, site));
            }
            return 0;
        }
        // No test calls the precondition: what was visited there, it does not reach.
        let in_precondition = self.has_precondition && execution.visited.precondition.is_none();
        if kind == Kind::CutShort && in_precondition {
            return 0;
        }
        if in_precondition {
            let mut visits_nothing = execution.clone();
            visits_nothing.visited.trace.clear();
            return self.consider_visits(goals, &visits_nothing, news);
        }
        self.consider_visits(goals, execution, news)
    }

    /// The same for the visits of an execution that no assumption rejects.
    fn consider_visits(&mut self, goals: &Goals, execution: &Execution, news: News) -> usize {
        let kind = Kind::of(&execution.outcome);
        // Without a precondition, an assumption of the code may be the fault.
        let is_past = !self.has_precondition && kind != Kind::Defect;
        self.accepts |= is_past || execution.visited.precondition.is_some();
        let visited = merge(&mut self.visited, &execution.visited.trace);
        let visits_more = match kind {
            Kind::EndsWell => merge(&mut self.ended_well, &execution.visited.trace),
            _ => visited,
        };
        let is_shorter = kind == Kind::EndsWell && self.shortens(goals, execution);
        let counts_as_path = goals.paths().is_some() && news.path && kind == Kind::EndsWell;
        if !news.reported.is_empty() {
            let candidate = Candidate::new(goals, execution);
            let shown = news.reported.iter().map(|defect| candidate.showing(defect));
            self.defects.extend(shown);
        }
        if visits_more > 0 || counts_as_path || news.defect || is_shorter {
            let tells_route = visits_more > 0 || goals.paths().is_none();
            let route = tells_route.then(|| Route::of(execution).map(Arc::new));
            self.keep(goals, execution, (kind, route.flatten()), &news);
        }
        visited
    }

    /// Whether an execution covers with few values a goal that only ones with very many values
    /// covered.
    fn shortens(&self, goals: &Goals, execution: &Execution) -> bool {
        let is_open = |goal: GoalId| self.only_long.contains(goal.index());
        self.only_long.count_ones(..) > 0
            && execution.inputs.values.len() <= LONG
            && goals.covered_by(&execution.visited.trace).any(is_open)
    }

    fn keep(
        &mut self,
        goals: &Goals,
        execution: &Execution,
        (kind, route): (Kind, Option<Arc<Route>>),
        news: &News,
    ) {
        let mut candidate = Candidate::new(goals, execution);
        candidate.route = route;
        candidate.path.clone_from(&news.path_text);
        candidate.is_path = news.path;
        candidate.path_number = news.path_number;
        let adds = candidate.goals.iter().any(|goal| !self.covers(*goal));
        self.covered
            .extend(candidate.goals.iter().map(|goal| goal.index()));
        if kind == Kind::EndsWell {
            let is_long = candidate.inputs.values.len() > LONG;
            for goal in candidate.goals.iter().map(|goal| goal.index()) {
                let is_new = !self.settled.contains(goal);
                if is_new || !is_long {
                    self.only_long.set(goal, is_long);
                }
            }
            self.settled
                .extend(candidate.goals.iter().map(|goal| goal.index()));
        }
        match kind {
            Kind::Defect if adds || news.defect => self.defects.push(candidate),
            // Further blocks of callees make no path of their own.
            Kind::EndsWell if tells_few_apart(goals) && !news.path && !adds => {}
            Kind::EndsWell => self.candidates.push(candidate),
            Kind::CutShort if adds => self.cut_short.push(candidate),
            Kind::Defect | Kind::CutShort | Kind::Rejected => {}
        }
    }

    /// The suite's tests: those that cover goals, each adding something, then one for each defect.
    /// Those whose paths, by their numbers, are dominated by others are left out.
    pub fn finish(self, goals: &Goals, space: &InputSpace, dominated: &BTreeSet<usize>) -> Tests {
        let mut tests = Tests::default();
        for candidate in self.chosen(goals, dominated) {
            tests.claims.push(candidate.goals.clone());
            tests.routes.push(candidate.route.clone());
            let id = tests.tests.next_idx();
            tests.tests.push(candidate.into_test(id, space));
        }
        for candidate in self.defects {
            let id = tests.tests.next_idx();
            if let Outcome::Defect(defect) = &candidate.outcome {
                tests.defects.push((defect.clone(), id));
            }
            tests.claims.push(candidate.goals.clone());
            tests.routes.push(candidate.route.clone());
            tests.tests.push(candidate.into_test(id, space));
        }
        tests
    }

    /// Executions that ended well, without redundant ones, then those cut short that still add a
    /// goal. A goal that only executions with a defect cover needs no test beside the defect's.
    fn chosen(&self, goals: &Goals, dominated: &BTreeSet<usize>) -> Vec<Candidate> {
        let mut chosen = match goals.paths() {
            Some(paths) if paths.have_order() => with_maximal_paths(&self.candidates, dominated),
            Some(_) => self.candidates.clone(),
            None => thin_out(&self.candidates, goals),
        };
        if goals.is_empty() && chosen.is_empty() {
            chosen.extend(self.candidates.first().cloned());
        }
        let mut covered = FixedBitSet::with_capacity(goals.len());
        covered.extend(
            chosen
                .iter()
                .flat_map(|test| &test.goals)
                .map(|goal| goal.index()),
        );
        for candidate in &self.cut_short {
            if candidate
                .goals
                .iter()
                .any(|goal| !covered.contains(goal.index()))
            {
                covered.extend(candidate.goals.iter().map(|goal| goal.index()));
                chosen.push(candidate.clone());
            }
        }
        chosen
    }
}

/// What an execution did in order, if goals or paths follow from that, and all of it was recorded.
fn trace(goals: &Goals, execution: &Execution) -> Option<Arc<OrderedTrace>> {
    let trace = execution.visited.ordered.as_ref()?;
    let is_kept = goals.criteria().follow_from_paths() && trace.len() < LONG_TRACE;
    is_kept.then(|| Arc::new(trace.clone()))
}

/// Traces with more events are not kept.
const LONG_TRACE: usize = 10_000;

/// A test with more values than this is the last choice.
const LONG: usize = 4096;

/// The candidates that are needed; long ones only for goals that no short one covers.
fn thin_out(candidates: &[Candidate], goals: &Goals) -> Vec<Candidate> {
    let claimed = candidates.iter().flat_map(|candidate| &candidate.goals);
    let wanted = goals.wanted(claimed.copied());
    let is_long = |candidate: &&Candidate| candidate.inputs.values.len() > LONG;
    let (long, short): (Vec<&Candidate>, Vec<&Candidate>) = candidates.iter().partition(is_long);
    let claims = |candidates: &[&Candidate], done: &BTreeSet<GoalId>| -> Vec<Vec<GoalId>> {
        let open = |candidate: &&Candidate| {
            let goals = candidate.goals.iter().copied();
            let wanted = goals.filter(|goal| wanted.contains(goal));
            wanted.filter(|goal| !done.contains(goal)).collect()
        };
        candidates.iter().map(open).collect()
    };
    let by_short = claims(&short, &BTreeSet::new());
    let mut chosen: Vec<&Candidate> = minimise(&by_short)
        .into_iter()
        .map(|kept| short[kept])
        .collect();
    let done: BTreeSet<GoalId> = by_short.into_iter().flatten().collect();
    let kept = minimise(&claims(&long, &done));
    chosen.extend(kept.into_iter().map(|kept| long[kept]));
    chosen.into_iter().cloned().collect()
}

/// The candidates with paths that no other one dominates, then those that add a goal.
fn with_maximal_paths(candidates: &[Candidate], dominated: &BTreeSet<usize>) -> Vec<Candidate> {
    let is_maximal = |candidate: &&Candidate| {
        let number = candidate.path_number;
        candidate.is_path && number.is_none_or(|number| !dominated.contains(&number))
    };
    let (mut chosen, others): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(is_maximal);
    let goals = |candidate: &&Candidate| candidate.goals.clone();
    let mut covered: BTreeSet<GoalId> = chosen.iter().flat_map(goals).collect();
    for candidate in others {
        let added: Vec<GoalId> = goals(&candidate);
        let before = covered.len();
        covered.extend(added);
        chosen.extend((covered.len() > before).then_some(candidate));
    }
    chosen.into_iter().cloned().collect()
}

/// Whether the criterion leaves out executions that go on a path of others in its own way.
fn tells_few_apart(goals: &Goals) -> bool {
    match goals.paths() {
        Some(Paths::Unit) => true,
        Some(Paths::Abstract(abstraction)) => abstraction != Abstraction::Nothing,
        None => false,
    }
}

/// Adds a trace to the visits. Returns how many blocks and edges of it are new.
fn merge(visited: &mut Option<Trace>, trace: &Trace) -> usize {
    let Some(visited) = visited else {
        *visited = Some(trace.clone());
        return trace.blocks.count_ones(..) + trace.edges.count_ones(..);
    };
    let new = trace.blocks.difference_count(&visited.blocks)
        + trace.edges.difference_count(&visited.edges);
    if new > 0 {
        visited.edges.union_with(&trace.edges);
        visited.blocks.union_with(&trace.blocks);
    }
    new
}
