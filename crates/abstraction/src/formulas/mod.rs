//! The formulas of a program, and what asks the solver about them: shared by all provers.

pub mod arena;
pub mod arrays;
pub mod builder;
pub mod constants;
mod elimination;
pub mod execution;
pub mod heap;
pub mod instances;
pub mod jumps;
pub mod linear;
pub mod memory;
pub mod model;
pub mod nodes;
pub mod products;
pub mod records;
pub mod script;
pub mod segment;
pub mod state;
pub mod writes;

use std::sync::Arc;

use expr::{Evaluation, Evaluator, Model as Values, Substitution, Term};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use solver::{Answer, Effort, Query, Reason, Sat, Solver, Stop};

use crate::formulas::arena::Arena;
use crate::formulas::linear::Canonical;
use crate::formulas::model::{CallBacks, Model};
use crate::formulas::nodes::variable;
use crate::formulas::products::Products;
use crate::formulas::segment::{CodePlace, Exit, Segment};
use crate::graph::cuts::CutId;
use crate::invariants::samples::EVALUATION;
use crate::objects::location::AtIndex;
use crate::objects::locations::INDEX_WIDTH;

/// The effort that a term takes: to build it, and later to build its gates.
const TERM: u64 = 100;

/// How many conflicts the solver may spend on one query.
const CONFLICTS: u64 = 2_000;

/// How many operators a term may have after a substitution.
pub const LARGEST: usize = 20_000;

/// What holds at each cut.
pub type Invariants = IndexVec<CutId, Vec<Term>>;

/// The formulas of a program, and solvers to ask about them.
pub struct Formulas<'p> {
    /// The code that they are built of.
    pub model: Model<'p>,
    /// The terms.
    pub arena: Arena,
    /// The segments, by the cut from which they start.
    pub segments: Arc<IndexVec<CutId, Segment>>,
    /// A solver for each segment: all its queries share the segment's formula.
    solvers: IndexVec<CutId, Sat>,
    /// What is given to new solvers.
    stop: Option<Stop>,
    effort: Effort,
    /// The effort at which the work is interrupted.
    until: u64,
    /// The effort at which a prover's turn ends.
    turn: u64,
    /// How many terms there were when their effort was counted.
    counted: usize,
    /// Puts sums in one order.
    canonical: Canonical,
    /// Takes products for any values, if that is wanted.
    products: Option<Products>,
    /// Evaluates terms. It has a slot for each term, so that new ones take long to make.
    evaluator: Evaluator,
    /// What invariants say of the elements that a segment reads.
    instances: FxHashMap<(CutId, Term), Vec<Term>>,
}

impl<'p> Formulas<'p> {
    /// The formulas of a model, of which no segment is built.
    pub fn new(model: Model<'p>, arena: Arena, effort: Effort, stop: Option<Stop>) -> Formulas<'p> {
        Formulas {
            model,
            arena,
            segments: Arc::default(),
            solvers: IndexVec::new(),
            stop,
            until: effort.spent(),
            turn: u64::MAX,
            effort,
            counted: 0,
            canonical: Canonical::default(),
            products: None,
            evaluator: Evaluator::default(),
            instances: FxHashMap::default(),
        }
    }

    /// Whether what segments do depends on what functions without a body may call.
    pub fn are_changed_by_call_backs(&self) -> bool {
        let mut segments = self.segments.iter();
        let are_possible = self.model.bounds.call_backs == CallBacks::Possible;
        are_possible && segments.any(|segment| segment.is_called_back)
    }

    /// A solver of its own for queries that no segment's formula is in.
    pub fn solver(&self) -> Sat {
        Sat::keeping(CONFLICTS, u32::MAX)
            .until(self.stop.clone())
            .counted(self.effort.clone())
    }

    /// Builds the next segment, with the places that are wanted. Returns whether it is complete.
    pub fn build(&mut self, cut: CutId, wanted: &dyn Fn(CodePlace) -> bool) -> bool {
        let segment = self.model.segment(cut, wanted, &mut self.arena);
        let is_complete = segment.unfinished.is_empty();
        let solver = self.solver();
        self.solvers.push(solver);
        Arc::make_mut(&mut self.segments).push(segment);
        is_complete
    }

    /// Lets work go on until so much effort is spent in all.
    pub fn go_on_until(&mut self, effort: u64) {
        self.until = effort;
    }

    /// Begins a prover's turn of so much effort.
    pub fn begin_turn(&mut self, effort: u64) {
        self.turn = self.effort.spent() + effort;
    }

    /// Lets work go on for so much effort from now on at least.
    pub fn allow(&mut self, effort: u64) {
        let least = self.effort.spent() + effort;
        self.until = self.until.max(least);
        self.turn = self.turn.max(least);
    }

    /// Whether the work of the prover whose turn it is, is to be interrupted.
    pub fn is_spent(&mut self) -> bool {
        self.is_over() || self.effort.spent() >= self.turn
    }

    /// Whether the work of all provers is to be interrupted.
    pub fn is_over(&mut self) -> bool {
        self.count_terms();
        let is_stopped = self.stop.as_ref().is_some_and(Stop::is_requested);
        is_stopped || self.effort.spent() >= self.until
    }

    /// The effort that was spent so far.
    pub fn spent(&mut self) -> u64 {
        self.count_terms();
        self.effort.spent()
    }

    /// Adds effort that no solver counts.
    pub fn count(&mut self, effort: u64) {
        self.effort.add(effort);
    }

    fn count_terms(&mut self) {
        let terms = self.arena.terms.len();
        self.effort.add((terms - self.counted) as u64 * TERM);
        self.counted = terms;
    }

    /// From now on, questions with products are first asked without multiplication, if segments have
    /// any.
    pub fn know_products(&mut self) {
        let segments = Arc::clone(&self.segments);
        let mut products = Products::default();
        let mut terms = segments.iter().flat_map(Segment::terms);
        if terms.any(|term| products.replace(&mut self.arena, term) != term) {
            self.products = Some(products);
        }
    }

    /// What is known of products, with the arena, if it is wanted.
    pub fn products(&mut self) -> Option<(&mut Products, &mut Arena)> {
        let products = self.products.as_mut();
        products.map(|products| (products, &mut self.arena))
    }

    /// A term with its products taken for any values, if that is wanted.
    pub fn without_products(&mut self, term: Term) -> Term {
        match self.products() {
            Some((products, arena)) => products.replace(arena, term),
            None => term,
        }
    }

    /// Whether constraints over a segment's formula can hold together.
    pub fn check(&mut self, segment: CutId, constraints: &[Term]) -> Answer {
        if let Some(core) = self.refuted_without_products(segment, constraints) {
            return Answer::Unsat(core);
        }
        self.check_with_products(segment, constraints)
    }

    /// Those of some constraints with products that cannot hold together, whatever products are.
    fn refuted_without_products(
        &mut self,
        segment: CutId,
        constraints: &[Term],
    ) -> Option<Vec<usize>> {
        let (products, arena) = self.products()?;
        let replaced = constraints.iter().map(|&it| products.replace(arena, it));
        let mut replaced: Vec<Term> = replaced.collect();
        if replaced == constraints {
            return None;
        }
        if let Some(core) = elimination::refuted(&arena.terms, &replaced) {
            return Some(core);
        }
        let axioms = products.axioms(arena, replaced.clone());
        replaced.extend(axioms);
        match self.check_with_products(segment, &replaced) {
            Answer::Unsat(mut core) => {
                core.retain(|&at| at < constraints.len());
                Some(core)
            }
            Answer::Sat(_) | Answer::Unknown(_) => None,
        }
    }

    /// The same, with products as they are.
    fn check_with_products(&mut self, segment: CutId, constraints: &[Term]) -> Answer {
        let constraints = self.canonical(constraints);
        match self.solvers.get_mut(segment) {
            Some(solver) => ask(solver, &mut self.arena, &constraints),
            None => Answer::Unknown(Reason::Budget),
        }
    }

    /// The same, by a solver that is not shared.
    pub fn check_by(&mut self, solver: &mut Sat, constraints: &[Term]) -> Answer {
        let constraints = self.canonical(constraints);
        ask(solver, &mut self.arena, &constraints)
    }

    /// Evaluates terms with these values. What they have in common is evaluated once.
    pub fn under<'a>(&'a mut self, values: &'a Values) -> Evaluation<'a> {
        self.evaluator.under(&self.arena.terms, values)
    }

    /// Counts the terms that were evaluated since [`Formulas::under`] was called last.
    pub fn count_evaluated(&mut self) {
        let evaluated = self.evaluator.evaluated() as u64;
        self.count(evaluated * EVALUATION);
    }

    /// Constraints with their sums in one order.
    fn canonical(&mut self, constraints: &[Term]) -> Vec<Term> {
        let terms = &mut self.arena.terms;
        let canonical = constraints.iter().map(|&it| self.canonical.of(terms, it));
        canonical.collect()
    }

    /// Whether a constraint implies a term, for all that the solver says.
    pub fn implied(&mut self, segment: CutId, constraint: Term, term: Term) -> bool {
        let broken = self.arena.terms.bool_not(term);
        matches!(self.check(segment, &[constraint, broken]), Answer::Unsat(_))
    }

    /// What holds of memory in any state: where the index is that of an element which is known apart,
    /// the two are one; and so are the elements at both indices where these are equal.
    pub fn axioms(&mut self) -> Vec<Term> {
        let Formulas { model, arena, .. } = self;
        let locations = &model.locations;
        let mut axioms = Vec::new();
        let indices = [AtIndex::First, AtIndex::Second].map(|at| locations.index_at(at));
        if let [Some(k), Some(l)] = indices.map(|it| it.map(|it| model.at_start[it])) {
            let terms = &mut arena.terms;
            let is_same = terms.eq(k, l);
            let is_other = terms.bool_not(is_same);
            for (first, second) in locations.pairs() {
                let equal = terms.eq(model.at_start[first], model.at_start[second]);
                axioms.push(terms.bool_or(is_other, equal));
            }
        }
        let second = locations.pairs().map(|(_, second)| second);
        for array in locations.elements().iter().copied().chain(second) {
            let data = locations.get(array);
            let index = locations.index_at(data.at);
            let Some(k) = index.filter(|_| !model.has_union(data.object)) else {
                continue;
            };
            for (location, other) in locations.iter() {
                let is_same = other.object == data.object && other.ty == data.ty;
                let elements = data.of.filter(|_| is_same && other.of.is_none());
                let index = elements.and_then(|elements| elements.index_of(other.offset));
                if let Some(index) = index {
                    let terms = &mut arena.terms;
                    let index = terms.constant(INDEX_WIDTH, u128::from(index));
                    let is_here = terms.eq(model.at_start[k], index);
                    let is_other = terms.bool_not(is_here);
                    let equal = terms.eq(model.at_start[array], model.at_start[location]);
                    axioms.push(terms.bool_or(is_other, equal));
                }
            }
        }
        axioms
    }

    /// That all constraints hold.
    pub fn all<'a>(&mut self, constraints: impl IntoIterator<Item = &'a Term>) -> Term {
        let terms = &mut self.arena.terms;
        let none = terms.bool(true);
        let constraints = constraints.into_iter();
        constraints.fold(none, |all, &it| terms.bool_and(all, it))
    }

    /// What says that a segment takes an exit: that control gets there, and its checks hold.
    pub fn taken(&self, segment: &Segment, exit: &Exit) -> Vec<Term> {
        let checks = segment.passed(&exit.state.checks).map(|(_, holds)| holds);
        [exit.state.reach].into_iter().chain(checks).collect()
    }

    /// What puts the locations behind an exit in place of those at the start of the segment.
    pub fn substitution(&self, exit: &Exit) -> Substitution {
        let mut substitution = Substitution::default();
        for (&location, &value) in &exit.state.changed {
            if let Some(var) = variable(&self.arena.terms, self.model.at_start[location]) {
                substitution.insert(var, value);
            }
        }
        substitution
    }
}

fn ask(solver: &mut Sat, arena: &mut Arena, constraints: &[Term]) -> Answer {
    let nothing = Values::default();
    solver.check(&mut arena.terms, &Query::new(constraints, &nothing))
}
