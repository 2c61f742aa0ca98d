//! Answers of earlier queries.

use std::collections::VecDeque;
use std::sync::Arc;

use expr::{Evaluator, Model, Term, Terms, Var};
use rustc_hash::FxHashMap;

use crate::{Answer, Query, Reason, Solver};

/// Answers queries from earlier ones: the same set of constraints; a set that contains one without
/// a model; one that is contained in a set with a model; one that a recent model satisfies. Memory
/// is bounded: of two generations of answers, the older one is forgotten when the younger one is
/// full.
pub struct Cache<S> {
    next: S,
    evaluator: Evaluator,
    young: Generation,
    old: Generation,
    /// Recent solutions, the newest first.
    recent: VecDeque<Arc<Solution>>,
    key: Vec<Term>,
}

/// Constraints in order of the terms, each once.
type Key = Arc<[Term]>;

/// Values for a query's own variables, in their order, that satisfy its constraints.
struct Solution {
    constraints: Key,
    values: Vec<(Var, u128)>,
}

impl Solution {
    /// The values of some variables: its own, and those of a model for others.
    fn over(&self, others: &Model, variables: &[Var]) -> Model {
        let value = |&var: &Var| {
            let own = self.values.binary_search_by_key(&var, |entry| entry.0);
            let own = own.ok().map(|at| self.values[at].1);
            Some((var, own.or_else(|| others.get(var))?))
        };
        variables.iter().filter_map(value).collect()
    }
}

enum Known {
    Sat(Arc<Solution>),
    /// The constraints of the core.
    Unsat(Key),
    Unknown(Reason),
}

/// Answers that are forgotten together.
#[derive(Default)]
struct Generation {
    answers: FxHashMap<Key, Known>,
    /// Sets without a model, by the constraint that was to change, and small ones by each of theirs.
    cores: FxHashMap<Term, Vec<Key>>,
    /// Small sets with a model, by each constraint.
    solutions: FxHashMap<Term, Vec<Arc<Solution>>>,
    /// The constraints in all keys.
    size: usize,
}

/// How many solutions are tried on a new query.
const RECENT: usize = 8;
/// How many constraints the keys of a generation have; each takes some 30 bytes in all.
const CAPACITY: usize = 1 << 20;
/// The most cores, and the most solutions, with a constraint in common.
const IN_COMMON: usize = 16;
/// The largest core that is found by each of its constraints.
const SMALL_CORE: usize = 4;
/// The largest set with a model in which subsets are looked for.
const LARGEST_SUPERSET: usize = 64;

impl<S: Solver> Cache<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Cache<S> {
        Cache {
            next,
            evaluator: Evaluator::default(),
            young: Generation::default(),
            old: Generation::default(),
            recent: VecDeque::new(),
            key: Vec::new(),
        }
    }

    fn known(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Answer> {
        let generations = [&self.young, &self.old];
        let same = generations.iter().find_map(|g| g.answers.get(&*self.key));
        match same {
            Some(Known::Sat(solution)) => return Some(Answer::Sat(with(query.current, solution))),
            Some(Known::Unsat(core)) => {
                return Some(Answer::Unsat(positions(query.constraints, core)));
            }
            Some(Known::Unknown(reason)) => return Some(Answer::Unknown(reason.clone())),
            None => {}
        }
        // The input that is to change satisfies all constraints but the last one, so that no core is
        // without it.
        let last = *query.constraints.last()?;
        let core = generations
            .iter()
            .find_map(|g| g.core_inside(last, &self.key));
        if let Some(core) = core {
            return Some(Answer::Unsat(positions(query.constraints, core)));
        }
        if let Some(solution) = generations.iter().find_map(|g| g.solution_of(&self.key)) {
            let variables = terms.all_variables(query.constraints);
            return Some(Answer::Sat(restricted(&variables, query.current, solution)));
        }
        self.reused(terms, query)
    }

    /// The current model with the values that a recent solution gave to the query's variables, if
    /// that satisfies all.
    fn reused(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Answer> {
        // The constraint that is to change stands last. Few solutions satisfy it, and its variables
        // are few: all others are looked at only behind it.
        let last = *query.constraints.last()?;
        let own = terms.all_variables(&[last]);
        let mut variables = None;
        for solution in &self.recent {
            let model = solution.over(query.current, &own);
            if !self.evaluator.under(terms, &model).holds(last) {
                continue;
            }
            let variables = variables.get_or_insert_with(|| terms.all_variables(query.constraints));
            let model = restricted(variables, query.current, solution);
            let mut evaluation = self.evaluator.under(terms, &model);
            if query.constraints.iter().rev().all(|&c| evaluation.holds(c)) {
                return Some(Answer::Sat(model));
            }
        }
        None
    }

    fn remember(&mut self, terms: &Terms, query: &Query<'_>, answer: &Answer) {
        if self.young.size > CAPACITY {
            self.old = std::mem::take(&mut self.young);
        }
        let key: Key = self.key.as_slice().into();
        let known = match answer {
            Answer::Sat(model) => {
                let solution = Arc::new(Solution {
                    values: values(terms, query, model),
                    constraints: Arc::clone(&key),
                });
                self.recent.truncate(RECENT - 1);
                self.recent.push_front(Arc::clone(&solution));
                self.young.add_solution(&solution);
                Known::Sat(solution)
            }
            Answer::Unsat(core) => {
                let mut core: Vec<Term> = core.iter().map(|&at| query.constraints[at]).collect();
                core.sort_unstable();
                let core: Key = core.into();
                if let Some(&last) = query.constraints.last() {
                    self.young.add_core(last, &core);
                }
                Known::Unsat(core)
            }
            Answer::Unknown(reason) => Known::Unknown(reason.clone()),
        };
        self.young.size += key.len() + 1;
        self.young.answers.insert(key, known);
    }
}

impl<S: Solver> Solver for Cache<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.key.clear();
        self.key.extend(query.constraints);
        self.key.sort_unstable();
        self.key.dedup();
        if let Some(answer) = self.known(terms, query) {
            return answer;
        }
        let answer = self.next.check(terms, query);
        self.remember(terms, query, &answer);
        answer
    }
}

impl Generation {
    /// A set without a model that the key contains, and that has a constraint in it.
    fn core_inside(&self, last: Term, key: &[Term]) -> Option<&[Term]> {
        let mut candidates = self.cores.get(&last)?.iter().map(|core| &**core);
        candidates.find(|core| is_subset(core, key))
    }

    /// A solution of a set that contains the key.
    fn solution_of(&self, key: &[Term]) -> Option<&Solution> {
        let candidates = self.solutions.get(key.last()?)?;
        let mut candidates = candidates.iter().map(|solution| &**solution);
        candidates.find(|solution| is_subset(key, &solution.constraints))
    }

    /// Adds a set without a model. The constraint was to change.
    fn add_core(&mut self, last: Term, core: &Key) {
        let by: &[Term] = match core.len() {
            ..=SMALL_CORE => core,
            _ => &[last],
        };
        for &constraint in by {
            let with_it = self.cores.entry(constraint).or_default();
            push_bounded(with_it, Arc::clone(core));
            self.size += core.len();
        }
    }

    fn add_solution(&mut self, solution: &Arc<Solution>) {
        if solution.constraints.len() > LARGEST_SUPERSET {
            return;
        }
        for &constraint in &*solution.constraints {
            let with_it = self.solutions.entry(constraint).or_default();
            push_bounded(with_it, Arc::clone(solution));
        }
    }
}

/// Adds to a list in which the newest take the place of the oldest.
fn push_bounded<T>(list: &mut Vec<T>, entry: T) {
    if list.len() >= IN_COMMON {
        list.remove(0);
    }
    list.push(entry);
}

fn is_subset(part: &[Term], whole: &[Term]) -> bool {
    part.len() <= whole.len() && part.iter().all(|term| whole.binary_search(term).is_ok())
}

fn with(current: &Model, solution: &Solution) -> Model {
    let mut model = current.clone();
    model.extend(solution.values.iter().copied());
    model
}

/// The current model with a solution's values of the query's variables. Other variables must stay:
/// constraints on them are not in the query.
fn restricted(variables: &[Var], current: &Model, solution: &Solution) -> Model {
    let own = |entry: &&(Var, u128)| variables.binary_search(&entry.0).is_ok();
    let mut model = current.clone();
    model.extend(solution.values.iter().filter(own).copied());
    model
}

fn values(terms: &Terms, query: &Query<'_>, model: &Model) -> Vec<(Var, u128)> {
    let variables = terms.all_variables(query.constraints).into_iter();
    // A variable without a value counts as 0 here, but may have another value when the solution is
    // used again.
    variables
        .map(|var| (var, model.get(var).unwrap_or(0)))
        .collect()
}

fn positions(constraints: &[Term], core: &[Term]) -> Vec<usize> {
    let inside = |constraint: &Term| core.binary_search(constraint).is_ok();
    (0..constraints.len())
        .filter(|&at| inside(&constraints[at]))
        .collect()
}
