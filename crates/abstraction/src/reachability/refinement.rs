//! Predicates from abstract counterexamples that are spurious ("Newton": Dietsch, Heizmann, Musa,
//! Nutz, Podelski 2017, "Craig vs. Newton in software model checking").
//!
//! ```text
//! the counterexample: segments from the start to the goal, each with values that take it there
//! for each segment, the last one first:                                          way.rs
//!     its way := the conditions that its values meet, and what the locations behind it hold there
//!     wanted  := its way's conditions, and what was wanted behind it, in terms of its start
//! core := conditions that cannot hold together at the start
//! predicates of each cut := what the core wants there, and bounds in place of equalities
//! ```
//!
//! Conditions on inputs are no predicates of a cut: the core is to have few of them, and inputs have
//! the values of the counterexample in these.

use std::collections::BTreeSet;
use std::sync::Arc;

use expr::{CmpOp, Model as Values, Node, Substitution, Term, Terms, Var};
use rustc_hash::FxHashSet;
use solver::{Answer, Sat};

use crate::formulas::arena::Arena;
use crate::formulas::nodes::{variable, variables_of};
use crate::formulas::segment::Exit;
use crate::formulas::{Formulas, LARGEST};
use crate::graph::cuts::CutId;
use crate::reachability::way::Way;

/// How many conditions of a core are tried to be left out.
const MOST_TRIES: usize = 30;

/// A segment of a counterexample.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    /// Where it starts.
    pub cut: CutId,
    /// The exit that it takes, by its number; `None` in the last one, which leads to the goal.
    pub exit: Option<usize>,
    /// The values that take it there.
    pub values: Values,
}

/// What became of a counterexample.
pub(crate) enum Refined {
    /// Predicates, each at its cut.
    Predicates(Vec<(CutId, Term)>),
    /// It is none: the values of inputs in each segment that take it there, and those of locations at
    /// the start.
    Feasible(Vec<Values>),
    /// The solver does not tell, or terms grow too large.
    Unknown,
}

/// A condition of a counterexample: its number, and what it says of some state before it.
type Wanted = Vec<(usize, Term)>;

/// Finds out why segments do not lead from the start to what the last of them is asked to reach.
pub(crate) fn refine(
    formulas: &mut Formulas<'_>,
    start: &[Term],
    passages: &[Passage],
    reached: &[Term],
) -> Refined {
    let locations: BTreeSet<Var> = {
        let at_start = formulas.model.at_start.iter();
        let variables = at_start.filter_map(|&term| variable(&formulas.arena.terms, term));
        variables.collect()
    };
    let mut backward = Backward {
        locations,
        behind: Wanted::new(),
        count: 0,
        inputs: Substitution::default(),
        renamed: Vec::new(),
    };
    let mut wanted: Vec<(CutId, Wanted)> = Vec::new();
    for passage in passages.iter().rev() {
        if backward.pass(formulas, passage, reached).is_none() {
            return Refined::Unknown;
        }
        wanted.push((passage.cut, backward.behind.clone()));
    }
    let core = match backward.conflict(formulas, start) {
        Answer::Unsat(core) => backward.shrunk(formulas, start, &core),
        Answer::Sat(values) => return Refined::Feasible(backward.values(&values)),
        Answer::Unknown(_) => return Refined::Unknown,
    };
    // The start has no predicates: it is known.
    wanted.pop();
    let terms = &mut formulas.arena.terms;
    let mut found = Vec::new();
    for (cut, wanted) in wanted {
        let needed = wanted
            .into_iter()
            .filter(|(number, _)| core.contains(number));
        for (_, term) in needed {
            let of_state = backward.inputs.apply(terms, term, LARGEST);
            let term = of_state.map(|term| positive(terms, term));
            if let Some(term) = term.filter(|&term| terms.as_bool(term).is_none()) {
                found.push((cut, term));
                found.extend(bounds(terms, term).into_iter().map(|bound| (cut, bound)));
            }
        }
    }
    Refined::Predicates(found)
}

/// The way back from the goal to the start.
struct Backward {
    /// The variables of locations.
    locations: BTreeSet<Var>,
    /// What is wanted so that the way to the goal is taken, in terms of the state that it begins in.
    behind: Wanted,
    /// How many conditions there are.
    count: usize,
    /// The values of inputs, each of one passage.
    inputs: Substitution,
    /// The inputs of each passage, the last one first: what they are in its segment, and here.
    renamed: Vec<Vec<(Var, Var)>>,
}

impl Backward {
    /// Goes back through a segment. `None` if terms grow too large.
    fn pass(
        &mut self,
        formulas: &mut Formulas<'_>,
        passage: &Passage,
        reached: &[Term],
    ) -> Option<()> {
        let segments = Arc::clone(&formulas.segments);
        let segment = &segments[passage.cut];
        let exit = passage.exit.map(|number| &segment.exits[number]);
        let asked = match exit {
            Some(exit) => formulas.taken(segment, exit),
            None => reached.to_vec(),
        };
        let values = exit.map_or_else(Vec::new, |exit| self.values_behind(formulas, exit));
        let all = asked.iter().chain(values.iter().map(|(_, value)| value));
        let all: Vec<Term> = all.copied().collect();
        let mut way = Way::new(formulas, &all, &passage.values);
        let terms = &mut formulas.arena.terms;
        for condition in asked {
            way.demand(terms, condition);
        }
        let values: Vec<(Var, Term)> = values
            .into_iter()
            .map(|(var, value)| (var, way.value(terms, value)))
            .collect();
        let conditions = way.conditions(terms);
        let all = conditions
            .iter()
            .chain(values.iter().map(|(_, value)| value));
        let all: Vec<Term> = all.copied().collect();
        let mut own = self.renamed(&mut formulas.arena, all, &passage.values);
        let terms = &mut formulas.arena.terms;
        let mut substitution = Substitution::default();
        for (var, value) in values {
            substitution.insert(var, own.apply(terms, value, LARGEST)?);
        }
        let mut wanted = Wanted::new();
        for condition in conditions {
            wanted.push((self.count, own.apply(terms, condition, LARGEST)?));
            self.count += 1;
        }
        for &(number, term) in &self.behind {
            wanted.push((number, substitution.apply(terms, term, LARGEST)?));
        }
        wanted.retain(|&(_, term)| terms.as_bool(term) != Some(true));
        self.behind = wanted;
        Some(())
    }

    /// What locations hold behind an exit that are wanted to hold something there.
    fn values_behind(&self, formulas: &Formulas<'_>, exit: &Exit) -> Vec<(Var, Term)> {
        let terms = &formulas.arena.terms;
        let wanted: Vec<Term> = self.behind.iter().map(|&(_, term)| term).collect();
        let read: BTreeSet<Var> = terms.all_variables(&wanted).into_iter().collect();
        let changed = exit.state.changed.iter();
        let changed = changed.filter_map(|(&location, &value)| {
            let var = variable(terms, formulas.model.at_start[location])?;
            read.contains(&var).then_some((var, value))
        });
        changed.collect()
    }

    /// What renames the inputs in terms of a passage: each passage has its own.
    fn renamed(&mut self, arena: &mut Arena, of: Vec<Term>, values: &Values) -> Substitution {
        let mut own = Substitution::default();
        let mut renamed = Vec::new();
        for (var, width) in variables_of(&arena.terms, of) {
            if !self.locations.contains(&var) {
                let fresh = arena.fresh(width);
                own.insert(var, fresh);
                let value = arena.terms.constant(width, values.get(var).unwrap_or(0));
                if let Some(fresh) = variable(&arena.terms, fresh) {
                    self.inputs.insert(fresh, value);
                    renamed.push((var, fresh));
                }
            }
        }
        self.renamed.push(renamed);
        own
    }

    /// Whether the conditions can hold together at the start.
    fn conflict(&self, formulas: &mut Formulas<'_>, start: &[Term]) -> Answer {
        let mut solver = formulas.solver();
        check(&mut solver, formulas, &self.behind, start)
    }

    /// The numbers of few conditions that cannot hold together, given the positions of some.
    fn shrunk(
        &self,
        formulas: &mut Formulas<'_>,
        start: &[Term],
        core: &[usize],
    ) -> FxHashSet<usize> {
        let part = |of: &Wanted, at: &[usize]| -> Wanted {
            at.iter().filter_map(|&at| of.get(at)).copied().collect()
        };
        let mut core = part(&self.behind, core);
        let terms = &formulas.arena.terms;
        core.sort_by_key(|&(_, term)| !self.reads_input(terms, term));
        let mut solver = formulas.solver();
        let mut at = 0;
        for _ in 0..MOST_TRIES {
            if at >= core.len() || formulas.is_spent() {
                break;
            }
            let mut fewer = core.clone();
            fewer.remove(at);
            match check(&mut solver, formulas, &fewer, start) {
                Answer::Unsat(smaller) => core = part(&fewer, &smaller),
                Answer::Sat(_) | Answer::Unknown(_) => at += 1,
            }
        }
        core.into_iter().map(|(number, _)| number).collect()
    }

    /// The values of the inputs of each passage, the first one first, beside those of locations at the
    /// start.
    fn values(&self, found: &Values) -> Vec<Values> {
        let at_start = found.iter().filter(|(var, _)| self.locations.contains(var));
        let at_start: Vec<(Var, u128)> = at_start.collect();
        let passages = self.renamed.iter().rev();
        let all = passages.map(|renamed| {
            let inputs = renamed.iter();
            let inputs = inputs.filter_map(|&(var, here)| Some((var, found.get(here)?)));
            inputs.chain(at_start.iter().copied()).collect()
        });
        all.collect()
    }

    fn reads_input(&self, terms: &Terms, term: Term) -> bool {
        let mut read = terms.variables(term).iter();
        read.any(|var| !self.locations.contains(&var))
    }
}

/// Whether conditions, and what else holds at the start, can hold together.
fn check(solver: &mut Sat, formulas: &mut Formulas<'_>, wanted: &Wanted, start: &[Term]) -> Answer {
    let terms = wanted.iter().map(|&(_, term)| term);
    let asked: Vec<Term> = terms.chain(start.iter().copied()).collect();
    formulas.check_by(solver, &asked)
}

/// A condition without its negation.
fn positive(terms: &Terms, condition: Term) -> Term {
    match terms.node(condition) {
        Node::BoolNot(of) => of,
        _ => condition,
    }
}

/// Bounds in place of an equality with a constant: counters seldom need each of their values.
fn bounds(terms: &mut Terms, predicate: Term) -> Vec<Term> {
    let Node::Compare(CmpOp::Eq, a, b) = terms.node(predicate) else {
        return Vec::new();
    };
    let (x, constant) = match (terms.as_constant(a), terms.as_constant(b)) {
        (None, Some(_)) => (a, b),
        (Some(_), None) => (b, a),
        _ => return Vec::new(),
    };
    let width = terms.width(x);
    match width {
        1 => Vec::new(),
        _ => vec![
            terms.compare(CmpOp::Ule, x, constant),
            terms.compare(CmpOp::Ult, x, constant),
        ],
    }
}
