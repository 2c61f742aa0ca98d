//! What was asked before.

use std::collections::VecDeque;

use expr::{Evaluator, Model, Term, Terms, Var};
use rustc_hash::FxHashMap;

use crate::{Answer, LinkStatistics, Query, Reason, Solver};

/// Answers queries whose constraints, as a set, were asked before; those that a recent model
/// satisfies; and those that contain a set known to be unsatisfiable.
pub struct Cache<S> {
    next: S,
    statistics: LinkStatistics,
    evaluator: Evaluator,
    /// Answers by their constraints in order of the terms.
    answers: FxHashMap<Box<[Term]>, Known>,
    /// Sets without a model, in order of the terms, by their last.
    cores: FxHashMap<Term, Vec<Box<[Term]>>>,
    /// Recent solutions, the newest first.
    recent: VecDeque<Solution>,
    key: Vec<Term>,
}

/// The values that a query's own variables were given.
type Solution = Vec<(Var, u128)>;

enum Known {
    Sat(Solution),
    /// The constraints of the core.
    Unsat(Box<[Term]>),
    Unknown(Reason),
}

/// How many solutions are tried on a new query.
const RECENT: usize = 8;
/// How many answers are kept; when there are more, all are forgotten.
const CAPACITY: usize = 1 << 17;

impl<S: Solver> Cache<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Cache<S> {
        Cache {
            next,
            statistics: LinkStatistics::of("cache"),
            evaluator: Evaluator::default(),
            answers: FxHashMap::default(),
            cores: FxHashMap::default(),
            recent: VecDeque::new(),
            key: Vec::new(),
        }
    }

    fn known(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Answer> {
        if let Some(known) = self.answers.get(self.key.as_slice()) {
            return Some(match known {
                Known::Sat(solution) => Answer::Sat(with(query.current, solution)),
                Known::Unsat(core) => Answer::Unsat(positions(query.constraints, core)),
                Known::Unknown(reason) => Answer::Unknown(reason.clone()),
            });
        }
        if let Some(core) = self.core_inside() {
            return Some(Answer::Unsat(positions(query.constraints, core)));
        }
        self.reused(terms, query)
    }

    /// A set without a model that the key contains.
    fn core_inside(&self) -> Option<&[Term]> {
        let ending_here = self.key.iter().filter_map(|term| self.cores.get(term));
        let cores = ending_here.flatten().map(|core| &**core);
        cores
            .into_iter()
            .find(|core| core.iter().all(|term| self.key.binary_search(term).is_ok()))
    }

    /// The current model with the values that a recent solution gave to the query's variables, if
    /// that satisfies all. Other variables must stay: what depends on them is not in the query.
    fn reused(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Answer> {
        let variables = variables(terms, query.constraints);
        for solution in &self.recent {
            let own = |entry: &&(Var, u128)| variables.binary_search(&entry.0).is_ok();
            let mut model = query.current.clone();
            model.extend(solution.iter().filter(own).copied());
            let mut evaluation = self.evaluator.under(terms, &model);
            if query.constraints.iter().rev().all(|&c| evaluation.holds(c)) {
                return Some(Answer::Sat(model));
            }
        }
        None
    }

    fn remember(&mut self, terms: &Terms, query: &Query<'_>, answer: &Answer) {
        if self.answers.len() >= CAPACITY {
            self.answers.clear();
            self.cores.clear();
        }
        let known = match answer {
            Answer::Sat(model) => {
                let solution = solution(terms, query, model);
                self.recent.truncate(RECENT - 1);
                self.recent.push_front(solution.clone());
                Known::Sat(solution)
            }
            Answer::Unsat(core) => {
                let mut core: Vec<Term> = core.iter().map(|&at| query.constraints[at]).collect();
                core.sort_unstable();
                let core = core.into_boxed_slice();
                if let Some(&last) = core.last() {
                    self.cores.entry(last).or_default().push(core.clone());
                }
                Known::Unsat(core)
            }
            Answer::Unknown(reason) => Known::Unknown(reason.clone()),
        };
        self.answers.insert(self.key.as_slice().into(), known);
    }
}

impl<S: Solver> Solver for Cache<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.key.clear();
        self.key.extend(query.constraints);
        self.key.sort_unstable();
        if let Some(answer) = self.known(terms, query) {
            self.statistics.answered += 1;
            return answer;
        }
        let answer = self.next.check(terms, query);
        self.remember(terms, query, &answer);
        answer
    }

    fn statistics(&self) -> Vec<LinkStatistics> {
        self.statistics.before(&self.next)
    }
}

fn with(current: &Model, solution: &Solution) -> Model {
    let mut model = current.clone();
    model.extend(solution.iter().copied());
    model
}

fn solution(terms: &Terms, query: &Query<'_>, model: &Model) -> Solution {
    let variables = variables(terms, query.constraints).into_iter();
    // What has no value counts as 0 here, but may have another value when this is used again.
    variables
        .map(|var| (var, model.get(var).unwrap_or(0)))
        .collect()
}

fn variables(terms: &Terms, constraints: &[Term]) -> Vec<Var> {
    let mut variables: Vec<Var> = constraints
        .iter()
        .flat_map(|&c| terms.variables(c))
        .copied()
        .collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

fn positions(constraints: &[Term], core: &[Term]) -> Vec<usize> {
    let inside = |constraint: &Term| core.binary_search(constraint).is_ok();
    (0..constraints.len())
        .filter(|&at| inside(&constraints[at]))
        .collect()
}
