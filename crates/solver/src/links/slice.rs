//! Removes independent constraints: CUTE's third optimisation, incremental solving (section 3.5),
//! also called slicing by independence.

use expr::{Evaluator, Model, SeenParts, Term, Terms, Var, Variables};

use crate::marks::Marks;
use crate::{Answer, Query, Solver};

/// Asks only about constraints that the current model violates, and those that share variables with
/// them, directly or through others. The model of the rest stays the current one: the next links
/// see the values of the slice's own variables only.
pub struct Slice<S> {
    next: S,
    evaluator: Evaluator,
    groups: Groups,
    /// The parts that constraints share, so that a growing sum of many inputs is not traversed
    /// again each time.
    seen: SeenParts,
    /// The groups of variables of violated constraints.
    violated: Marks,
    /// Positions of the constraints in the slice, and the constraints.
    inside: Vec<usize>,
    constraints: Vec<Term>,
}

impl<S: Solver> Slice<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Slice<S> {
        Slice {
            next,
            evaluator: Evaluator::default(),
            groups: Groups::default(),
            seen: SeenParts::default(),
            violated: Marks::default(),
            inside: Vec::new(),
            constraints: Vec::new(),
        }
    }

    /// The constraints that the current model violates. A false one without variables counts too.
    fn violated(&mut self, terms: &Terms, query: &Query<'_>) -> Vec<Term> {
        let mut evaluation = self.evaluator.under(terms, query.current);
        debug_assert!(
            query.constraints[..query.held]
                .iter()
                .all(|&c| evaluation.holds(c)),
            "a constraint that is said to hold does not"
        );
        let unsure = query.constraints[query.held..].iter().copied();
        unsure.filter(|&c| !evaluation.holds(c)).collect()
    }

    /// Chooses the constraints that depend on the violated ones.
    fn choose(&mut self, terms: &Terms, constraints: &[Term], violated: &[Term]) {
        self.groups.clear();
        self.seen.clear();
        for &constraint in constraints {
            self.groups
                .join(terms.variables(constraint), &mut self.seen);
        }
        self.violated.clear();
        for &constraint in violated {
            if let Some(var) = terms.variables(constraint).first() {
                self.violated.insert(self.groups.of(var));
            }
        }
        self.inside.clear();
        self.constraints.clear();
        for (at, &constraint) in constraints.iter().enumerate() {
            let inside = match terms.variables(constraint).first() {
                Some(var) => self.violated.contains(self.groups.of(var)),
                None => terms.as_bool(constraint) != Some(true),
            };
            if inside {
                self.inside.push(at);
                self.constraints.push(constraint);
            }
        }
    }

    /// The current values of the slice's variables.
    fn own_values(&self, query: &Query<'_>) -> Model {
        let own = |&(var, _): &(Var, u128)| self.violated.contains(self.groups.known(var));
        query.current.iter().filter(own).collect()
    }
}

impl<S: Solver> Solver for Slice<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        let violated = self.violated(terms, query);
        if violated.is_empty() {
            return Answer::Sat(query.current.clone());
        }
        self.choose(terms, query.constraints, &violated);
        let slice = Query {
            constraints: &self.constraints,
            current: &self.own_values(query),
            held: self.inside.partition_point(|&at| at < query.held),
        };
        match self.next.check(terms, &slice) {
            Answer::Sat(values) => {
                let mut model = query.current.clone();
                model.extend(values.iter());
                Answer::Sat(model)
            }
            Answer::Unsat(core) => {
                Answer::Unsat(core.into_iter().map(|at| self.inside[at]).collect())
            }
            unknown => unknown,
        }
    }
}

/// Groups of variables that depend on each other: a union-find structure over their numbers.
#[derive(Default)]
struct Groups {
    /// For each variable, another of its group, or itself if it stands for the group. Counts only
    /// for those that are marked.
    towards: Vec<u32>,
    marked: Marks,
}

impl Groups {
    fn clear(&mut self) {
        self.marked.clear();
    }

    /// Makes one group of all these variables' groups.
    fn join(&mut self, variables: Variables<'_>, seen: &mut SeenParts) {
        let mut group = None;
        variables.each_unseen(seen, |var| {
            let other = self.of(var);
            let mine = *group.get_or_insert(other);
            if other != mine {
                // The smaller number stands for both: variables come in order, so chains stay
                // short.
                let (low, high) = (mine.min(other), mine.max(other));
                self.towards[high as usize] = low;
                group = Some(low);
            }
        });
    }

    /// The variable that stands for a variable's group; paths to it are halved on the way.
    fn of(&mut self, var: Var) -> u32 {
        let mut at = var.0;
        if self.marked.insert(at) {
            if self.towards.len() <= at as usize {
                self.towards.resize(at as usize + 1, 0);
            }
            self.towards[at as usize] = at;
            return at;
        }
        loop {
            let next = self.towards[at as usize];
            if next == at {
                return at;
            }
            let after = self.towards[next as usize];
            self.towards[at as usize] = after;
            at = after;
        }
    }

    /// The same without halving; a variable that no constraint has stands alone.
    fn known(&self, var: Var) -> u32 {
        let mut at = var.0;
        if !self.marked.contains(at) {
            return at;
        }
        while self.towards[at as usize] != at {
            at = self.towards[at as usize];
        }
        at
    }
}
