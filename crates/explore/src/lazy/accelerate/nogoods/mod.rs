//! Nogoods: conditions that no path through a call meets together (LATEST, section 4.3).
//!
//! Where all paths of a call in a state are known, and none of them agrees with an abstract path,
//! some of the path's conditions are to blame. No execution takes another path on which they hold
//! too, where the call sees the same state. The evidence is an unsatisfiable core for each path
//! through the call.
//!
//! This applies to paths on which only the unit's own branches, checks and assumptions decide.

mod call_summary;
mod conditions;

use expr::{Term, Terms, Var};
use ir::input::{InputSpace, Root};
use ir::{CellId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::Execution;

use self::call_summary::{CallState, CallSummaries, Through};
use self::conditions::Conditions;
use super::{Pruning, Refutation};
use crate::acceleration::Acceleration;
use crate::lazy::facts::Facts;
use crate::lazy::partial_path::PathId;
use crate::lazy::surroundings::Surroundings;
use crate::lazy::target::Target;
use crate::path_tree::{Flip, Inserted, NodeId, PathTree};
use crate::strategy::View;

/// The most nogoods of a call in one state.
const MOST: usize = 256;

/// Whether a call can meet the demands of a path: it cannot if each of the cases contradicts the
/// path's own conditions.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    state: CallState,
    /// The path's conditions.
    pub own: Vec<Term>,
    /// The further conditions of each path through the call.
    pub cases: Vec<Vec<Term>>,
    /// Those of its conditions that other paths through the call contradict.
    needed: FxHashSet<Term>,
}

/// The nogoods; see the module.
#[derive(Debug, Default)]
pub(super) struct Nogoods {
    known: FxHashMap<CallState, Vec<Vec<Term>>>,
    summaries: CallSummaries,
    /// Those of the abstract paths that may become the target.
    conditions: FxHashMap<PathId, Conditions>,
}

impl Pruning for Nogoods {
    fn joined(
        &mut self,
        execution: &Execution,
        inserted: &Inserted,
        facts: &Facts,
        terms: &Terms,
        view: &View<'_>,
    ) {
        self.summaries
            .joined(execution, inserted, &facts.nodes, terms, view);
    }

    fn met(&mut self, target: &Target, execution: &Execution, view: &View<'_>) {
        if let Some(conditions) = Conditions::of(execution, view) {
            self.conditions.insert(target.path.partial.id, conditions);
        }
    }

    fn infeasible(&mut self, flip: Flip, blamed: &[NodeId], tree: &PathTree) {
        self.summaries.infeasible(flip, blamed, tree);
    }

    fn refutes_target(&self, target: &Target) -> Option<Refutation> {
        let conditions = self.conditions.get(&target.path.partial.id)?;
        self.refute(conditions)
    }

    fn refutes_flip(&self, flip: Flip, facts: &Facts, view: &View<'_>) -> Option<Refutation> {
        if self.known.is_empty() {
            return None;
        }
        let conditions = Conditions::before(flip, &self.summaries, facts, view)?;
        self.refute(&conditions)
    }

    fn question(
        &mut self,
        target: &Target,
        facts: &Facts,
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Question> {
        let conditions = self.conditions.get(&target.path.partial.id)?;
        question(conditions, target, &self.summaries, facts, surroundings)
    }

    fn learn(&mut self, question: &Question, contradicted: &FxHashSet<Term>) {
        let known = self.known.entry(question.state).or_default();
        if known.len() < MOST {
            let all = question.needed.union(contradicted);
            known.push(all.copied().collect());
        }
    }

    fn forget(&mut self, path: PathId) {
        self.conditions.remove(&path);
    }
}

impl Nogoods {
    /// The number of edges after which no execution follows an abstract path.
    fn refute(&self, conditions: &Conditions) -> Option<Refutation> {
        let known = conditions.calls.iter().filter_map(|&(state, edges)| {
            let nogoods = self.known.get(&state)?.iter();
            let last = nogoods.filter_map(|nogood| conditions.last(nogood)).min();
            last.map(|last| last.max(edges))
        });
        let edges = known.min()?;
        Some(Refutation::new(Acceleration::Nogoods, edges + 1))
    }
}

/// The question whether some call on a target, on which these conditions hold, cannot meet the
/// guards on its result.
fn question(
    conditions: &Conditions,
    target: &Target,
    summaries: &CallSummaries,
    facts: &Facts,
    surroundings: &mut Surroundings<'_>,
) -> Option<Question> {
    let Surroundings { space, terms, view } = surroundings;
    let (guards, edges) = (&target.path.partial.guards, target.length);
    let own = conditions.terms.iter().filter(|(_, at)| *at < edges);
    let own: Vec<Term> = own.map(|&(term, _)| term).collect();
    let calls = conditions.calls.iter().filter(|(_, at)| *at < edges);
    let known = calls.flat_map(|&(state, _)| summaries.of(state).map(move |known| (state, known)));
    for (state, summary) in known {
        let Some(paths) = summary.paths() else {
            continue;
        };
        let mut refutes = |(call, place)| {
            let values = facts.returns.of(call, place, view.open_goals);
            guards.refuted(state.call, &values, edges, terms).is_some()
        };
        let context = summary.context();
        if !context.iter().all(|term| own.contains(term)) || !summary.open().all(&mut refutes) {
            continue;
        }
        let mut needed = context.clone();
        if summary.open().next().is_some() {
            needed.extend(guards.alone(state.call, edges));
        }
        let through = |path: &Through| case(path, state.call, &own, space, terms);
        return Some(Question {
            state,
            cases: paths.iter().map(through).collect(),
            needed,
            own,
        });
    }
    None
}

/// The conditions of a path through a call, over the values that the caller sees.
fn case(
    path: &Through,
    call: ObjectId,
    own: &[Term],
    space: &InputSpace,
    terms: &mut Terms,
) -> Vec<Term> {
    let mut holds = path.conditions.clone();
    let Some(result) = path.result else {
        return holds;
    };
    let variables = own.iter().flat_map(|&term| terms.variables(term));
    let variables: FxHashSet<Var> = variables.collect();
    for var in variables {
        let cell = *space.cell_data(CellId::from_raw(var.0));
        let is_result = space.object_data(cell.object).root == Root::Returned(call);
        if is_result && cell.offset_bits == 0 && cell.width <= terms.width(result) {
            let returned = terms.extract(cell.width - 1, 0, result);
            let seen = terms.var(var, cell.width);
            holds.push(terms.eq(seen, returned));
        }
    }
    holds
}
