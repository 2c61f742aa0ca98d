//! What was learned of demands that no path through a call meets (LATEST, section 4.3).
//!
//! Where all is known that a call may do in a state, and none of it agrees with an abstract path, some of
//! the path's conditions are to blame. No path on which they hold too is taken, where the call sees the
//! same state.

use expr::{Term, Terms, Var};
use ir::input::{CallMode, InputSpace, Root};
use ir::{CellId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{ConstraintKind, Execution};

use super::behaviours::{Behaviours, State, Through};
use super::demands::Demands;
use super::regions::Stations;
use super::within::Results;
use crate::path_tree::{self, Flip};
use crate::strategy::{Place, View};

/// The most that is learned of a call in one state.
const MOST: usize = 256;

/// The conditions of an abstract path on which only the unit itself decides, and the calls that are
/// replaced there, each with the number of edges of the unit before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    terms: Vec<(Term, usize)>,
    calls: Vec<(State, usize)>,
}

impl Conditions {
    /// Those of an execution; nothing if there are others: the same path through the unit may go
    /// without them.
    pub fn of(execution: &Execution, view: &View<'_>) -> Option<Conditions> {
        let mut conditions = Conditions::default();
        for (constraint, at) in execution.path.iter().zip(&execution.unit.places) {
            if let ConstraintKind::Call(_) = constraint.kind {
                continue;
            }
            let place = Place {
                site: constraint.site,
                kind: constraint.kind,
                context: constraint.context,
                repeats: constraint.repeats,
                way: constraint.taken,
            };
            if !at.inside || !is_decided_by_path(place, view) {
                return None;
            }
            conditions.terms.push((constraint.term, at.edges as usize));
        }
        let made = execution.made.iter();
        let replaced = made.filter(|made| made.mode == CallMode::Abstract);
        conditions.calls = replaced
            .filter_map(|made| {
                let at = execution.unit.places.get(made.at)?;
                Some((State::of(made)?, at.edges as usize))
            })
            .collect();
        Some(conditions)
    }

    /// Those on the way to a flip, its own included.
    fn before(
        flip: Flip,
        (behaviours, stations): (&Behaviours, &Stations),
        view: &View<'_>,
    ) -> Option<Conditions> {
        let mut conditions = Conditions::default();
        for step in view.tree.prefix(flip) {
            match &view.tree.way(step).demands {
                path_tree::Demands::Call(_, CallMode::Abstract) => {
                    let state = behaviours.state(step.node);
                    conditions.calls.extend(state.map(|state| (state, 0)));
                }
                path_tree::Demands::Call(..) => {}
                path_tree::Demands::Terms(terms) => {
                    let inside = stations.of(step.node).is_some_and(|at| at.inside);
                    if !inside || !is_decided_by_path(Place::of(step, view.tree), view) {
                        return None;
                    }
                    conditions.terms.extend(terms.iter().map(|&term| (term, 0)));
                }
                path_tree::Demands::Pointer(_) | path_tree::Demands::Exact(..) => return None,
            }
        }
        Some(conditions)
    }

    /// Behind how many edges the last of some terms comes, if all are among the conditions.
    fn last(&self, terms: &[Term]) -> Option<usize> {
        let edges = |term: &Term| {
            let mut own = self.terms.iter();
            own.find(|(own, _)| own == term).map(|&(_, edges)| edges)
        };
        let all: Option<Vec<usize>> = terms.iter().map(edges).collect();
        Some(all?.into_iter().max().unwrap_or(0))
    }
}

/// Whether the path through the unit says which way a constraint goes.
fn is_decided_by_path(place: Place, view: &View<'_>) -> bool {
    match place.kind {
        ConstraintKind::Branch => view.targets.edge(place).is_some(),
        ConstraintKind::Check(_) | ConstraintKind::Assumption => true,
        _ => false,
    }
}

/// Whether a call can do what a path demands: it cannot if each of the cases contradicts the path's own
/// conditions.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    state: State,
    /// The path's conditions.
    pub own: Vec<Term>,
    /// What holds, beside them, on each path through the call.
    pub cases: Vec<Vec<Term>>,
    /// Those of its conditions that other paths through the call contradict.
    needed: FxHashSet<Term>,
}

/// What was learned; see the module.
#[derive(Debug, Default)]
pub(crate) struct Lemmas(FxHashMap<State, Vec<Vec<Term>>>);

impl Lemmas {
    /// Records that no case of a question agrees with these of the path's conditions.
    pub fn learn(&mut self, question: Question, contradicted: FxHashSet<Term>) {
        let known = self.0.entry(question.state).or_default();
        if known.len() < MOST {
            let all = question.needed.union(&contradicted);
            known.push(all.copied().collect());
        }
    }

    /// Behind how many edges it is known that no execution follows an abstract path.
    pub fn refute(&self, conditions: &Conditions) -> Option<usize> {
        let known = conditions.calls.iter().filter_map(|&(state, edges)| {
            let lemmas = self.0.get(&state)?.iter();
            let last = lemmas.filter_map(|lemma| conditions.last(lemma)).min();
            last.map(|last| last.max(edges))
        });
        known.min().map(|edges| edges + 1)
    }

    /// Whether it is known that nothing behind a flip can be made real.
    pub fn forbid(&self, flip: Flip, known: (&Behaviours, &Stations), view: &View<'_>) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let conditions = Conditions::before(flip, known, view);
        conditions.is_some_and(|conditions| self.refute(&conditions).is_some())
    }
}

/// Asks whether some call on an abstract path cannot do what is demanded of it up to so many edges.
pub(crate) fn question(
    (conditions, edges): (&Conditions, usize),
    demands: &Demands,
    (behaviours, results): (&Behaviours, &mut Results),
    (space, terms): (&InputSpace, &mut Terms),
    view: &View<'_>,
) -> Option<Question> {
    let own = conditions.terms.iter().filter(|(_, at)| *at < edges);
    let own: Vec<Term> = own.map(|&(term, _)| term).collect();
    let calls = conditions.calls.iter().filter(|(_, at)| *at < edges);
    let known = calls.flat_map(|&(state, _)| behaviours.of(state).map(move |known| (state, known)));
    for (state, behaviour) in known {
        let Some(paths) = behaviour.paths() else {
            continue;
        };
        let mut refutes = |(call, place)| {
            let values = results.of(call, place, view.targets);
            demands.refuted(state.call, values, edges, terms).is_some()
        };
        let context = behaviour.context();
        if !context.iter().all(|term| own.contains(term)) || !behaviour.open().all(&mut refutes) {
            continue;
        }
        let mut needed = context.clone();
        if behaviour.open().next().is_some() {
            needed.extend(demands.alone(state.call, edges));
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

/// What holds on a path through a call, said of what the caller sees of it.
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
