//! The search for the least fixed point of the equations at the cuts, in each phase apart.

use std::collections::VecDeque;
use std::sync::Arc;

use expr::{CmpOp, Model as Values, Node, Term, Terms};
use index_vec::IndexVec;
use solver::Answer;

use crate::formulas::execution::Sample;
use crate::formulas::linear::{Cases, Linear, equation};
use crate::formulas::nodes::variable;
use crate::formulas::segment::Exit;
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;
use crate::invariants::guesses::Guesser;
use crate::prover::Progress;
use crate::relations::Shape;
use crate::relations::affine::Row;
use crate::relations::related::{Related, of_no_point, sampled};

/// How many cases of an equation are looked at one by one. Beyond, the solver has all at once.
const MOST_CASES: usize = 64;

/// Some of the states at a cut, and the equations between their values.
struct Phase {
    /// The states.
    condition: Term,
    /// The equations, those of each width apart.
    groups: Vec<Related>,
}

/// A phase at a cut, by its position.
type PhaseId = (CutId, usize);

/// A way from a phase to one behind an exit.
#[derive(Clone, Copy)]
struct Way<'a> {
    from: PhaseId,
    exit: &'a Exit,
    to: PhaseId,
}

/// An equation of a phase: its group, and its row.
type Equation = (usize, Row);

/// See the module.
pub(super) struct Fixpoint {
    at: IndexVec<CutId, Vec<Phase>>,
    /// The phases behind which equations are to be checked.
    open: VecDeque<PhaseId>,
    /// The next exit of the first of them.
    exit: usize,
    /// The next phase behind it.
    phase: usize,
    /// The equations of that one that are not checked yet, once it has begun.
    unchecked: Option<Vec<Equation>>,
}

/// What is known of an equation behind an exit.
enum Checked {
    /// It holds.
    Holds,
    /// It does not hold in a state.
    Broken(Values),
    /// The solver gave up.
    Unknown,
}

impl Fixpoint {
    /// Begins with the equations of sampled states. States are split where all is known that the
    /// conditions are about.
    pub fn new(formulas: &mut Formulas<'_>, guesser: &Guesser, shape: &Shape) -> Fixpoint {
        let cuts: Vec<CutId> = formulas.segments.indices().collect();
        let at: IndexVec<CutId, Vec<Phase>> = cuts
            .iter()
            .map(|&cut| phases(formulas, guesser, cut, shape))
            .collect();
        let all = at.iter_enumerated();
        let all = all.flat_map(|(cut, phases)| (0..phases.len()).map(move |phase| (cut, phase)));
        Fixpoint {
            open: all.collect(),
            at,
            exit: 0,
            phase: 0,
            unchecked: None,
        }
    }

    /// Checks exits until the work is interrupted, or nothing is lost any more.
    ///
    /// Equations that are too large for terms serve on the way, since they are often lost later. In
    /// the end none may be left: what others follow from has to be known.
    pub fn step(&mut self, formulas: &mut Formulas<'_>, known: &Invariants) -> Progress {
        loop {
            if self.lose_some(formulas, known) == Progress::Working {
                return Progress::Working;
            }
            if !self.forget_large() {
                return Progress::Finished;
            }
        }
    }

    /// Loses equations with coefficients that are too large. Returns whether there were any.
    fn forget_large(&mut self) -> bool {
        let mut is_any = false;
        for (cut, phases) in self.at.iter_mut_enumerated() {
            for (at, phase) in phases.iter_mut().enumerate() {
                let groups = phase.groups.iter_mut();
                if groups
                    .filter_map(|it| it.forget_large().then_some(()))
                    .count()
                    > 0
                {
                    is_any = true;
                    self.open.push_back((cut, at));
                }
            }
        }
        is_any
    }

    /// Checks exits until the work is interrupted, or all is checked.
    fn lose_some(&mut self, formulas: &mut Formulas<'_>, known: &Invariants) -> Progress {
        let segments = Arc::clone(&formulas.segments);
        while let Some(&from) = self.open.front() {
            let Some(exit) = segments[from.0].exits.get(self.exit) else {
                self.open.pop_front();
                self.exit = 0;
                continue;
            };
            if self.phase == self.at[exit.to].len() {
                self.exit += 1;
                self.phase = 0;
                continue;
            }
            if formulas.is_spent() {
                return Progress::Working;
            }
            let to = (exit.to, self.phase);
            let way = Way { from, exit, to };
            let unchecked = self.unchecked.take();
            let mut unchecked = unchecked.unwrap_or_else(|| self.enter(formulas, known, way));
            let Some(equation) = unchecked.pop() else {
                self.phase += 1;
                continue;
            };
            match self.check(formulas, known, way, &equation) {
                Checked::Holds => self.unchecked = Some(unchecked),
                Checked::Broken(values) => {
                    self.lose(formulas, way, &values);
                    // A model that does not break the equation answers another question.
                    self.forget(to, &equation);
                }
                Checked::Unknown => {
                    self.forget(to, &equation);
                    self.unchecked = Some(unchecked);
                }
            }
        }
        Progress::Finished
    }

    /// The equations to be checked behind a way: none, if no execution takes it.
    fn enter(
        &mut self,
        formulas: &mut Formulas<'_>,
        known: &Invariants,
        way: Way<'_>,
    ) -> Vec<Equation> {
        let (cut, phase) = way.to;
        let is_split = self.at[cut].len() > 1;
        if is_split {
            match self.ask(formulas, known, way, &[]) {
                Answer::Unsat(_) => return Vec::new(),
                Answer::Sat(values) => self.lose(formulas, way, &values),
                Answer::Unknown(_) => {}
            }
        }
        let groups = self.at[cut][phase].groups.iter().enumerate();
        groups
            .flat_map(|(group, related)| related.rows.iter().map(move |row| (group, row.clone())))
            .collect()
    }

    /// Whether an equation holds behind a way.
    fn check(
        &self,
        formulas: &mut Formulas<'_>,
        known: &Invariants,
        way: Way<'_>,
        of: &Equation,
    ) -> Checked {
        let Some((width, behind)) = self.behind(formulas, way, of) else {
            return Checked::Unknown;
        };
        let replaced = behind.iter();
        let replaced = replaced.map(|&(it, times)| (formulas.without_products(it), times));
        let replaced: Vec<(Term, u128)> = replaced.collect();
        let mut waiting = vec![Cases::default()];
        let mut left = MOST_CASES;
        while let Some(cases) = waiting.pop() {
            let mut sum = Linear::zero(width);
            let terms = &formulas.arena.terms;
            let mut summands = replaced.iter();
            let added =
                summands.try_for_each(|&(it, times)| sum.add(terms, it, times, Some(&cases)));
            left = left.saturating_sub(1);
            match added {
                Err(choice) if left > 0 => {
                    for value in [true, false] {
                        let mut case = cases.clone();
                        case.insert(choice, value);
                        waiting.push(case);
                    }
                    continue;
                }
                Ok(()) if self.follows(way.from, width, &sum) => continue,
                _ => {}
            }
            let cases = match left {
                0 => {
                    waiting.clear();
                    Cases::default()
                }
                _ => cases,
            };
            let terms = &mut formulas.arena.terms;
            let broken = breaks(terms, &cases, &behind);
            match self.ask(formulas, known, way, &broken) {
                Answer::Unsat(_) => {}
                Answer::Sat(values) => return Checked::Broken(values),
                Answer::Unknown(_) => return Checked::Unknown,
            }
        }
        Checked::Holds
    }

    /// The summands of an equation behind an exit, as terms over the state before, with their width;
    /// `None` if they are too large.
    fn behind(
        &self,
        formulas: &mut Formulas<'_>,
        way: Way<'_>,
        (group, row): &Equation,
    ) -> Option<(u32, Vec<(Term, u128)>)> {
        let (cut, phase) = way.to;
        let related = self.at[cut].get(phase)?.groups.get(*group)?;
        let mut substitution = formulas.substitution(way.exit);
        let terms = &mut formulas.arena.terms;
        let one = terms.constant(related.width, 1);
        let mut behind = vec![(one, *row.first()?)];
        for (&summand, &times) in related.summands.iter().zip(row.iter().skip(1)) {
            if times != 0 {
                behind.push((substitution.apply(terms, summand, LARGEST)?, times));
            }
        }
        Some((related.width, behind))
    }

    /// Whether a sum is 0 by the equations of a phase.
    fn follows(&self, (cut, phase): PhaseId, width: u32, sum: &Linear) -> bool {
        let mut groups = self.at[cut][phase].groups.iter();
        match groups.find(|related| related.width == width) {
            Some(related) => related.make_zero(sum),
            None => sum.is_zero(),
        }
    }

    /// Asks for an execution that takes a way, and satisfies further terms.
    fn ask(
        &self,
        formulas: &mut Formulas<'_>,
        known: &Invariants,
        Way { from, exit, to }: Way<'_>,
        further: &[Term],
    ) -> Answer {
        let segments = Arc::clone(&formulas.segments);
        let mut held = formulas.taken(&segments[from.0], exit);
        held.extend(formulas.all_instances(from.0, &known[from.0]));
        let before = &self.at[from.0][from.1];
        held.extend(before.terms(formulas));
        held.push(before.condition);
        let behind = self.at[to.0][to.1].condition;
        let mut substitution = formulas.substitution(exit);
        let terms = &mut formulas.arena.terms;
        held.extend(substitution.apply(terms, behind, LARGEST));
        held.extend_from_slice(further);
        formulas.check(from.0, &held)
    }

    /// Loses an equation of a phase, if it is not lost yet.
    fn forget(&mut self, (cut, phase): PhaseId, (group, row): &Equation) {
        let at = self.at[cut].get_mut(phase);
        if let Some(related) = at.and_then(|at| at.groups.get_mut(*group)) {
            related.forget(row);
        }
        self.open_again((cut, phase));
    }

    fn open_again(&mut self, phase: PhaseId) {
        if !self.open.iter().skip(1).any(|&it| it == phase) {
            self.open.push_back(phase);
        }
    }

    /// Loses the equations that do not hold behind a way in a model.
    fn lose(&mut self, formulas: &mut Formulas<'_>, way: Way<'_>, values: &Values) {
        let mut substitution = formulas.substitution(way.exit);
        let mut is_lost = false;
        for related in &mut self.at[way.to.0][way.to.1].groups {
            let terms = &mut formulas.arena.terms;
            let behind = related
                .summands
                .iter()
                .map(|&it| substitution.apply(terms, it, LARGEST));
            let Some(behind) = behind.collect::<Option<Vec<Term>>>() else {
                continue;
            };
            let mut evaluation = formulas.under(values);
            let point: Vec<u128> = behind.into_iter().map(|it| evaluation.eval(it)).collect();
            is_lost |= related.add(&point);
        }
        if is_lost {
            self.open_again(way.to);
        }
    }

    /// The equations at each cut.
    pub fn found(&self, formulas: &mut Formulas<'_>) -> Invariants {
        let all = self.at.iter().map(|phases| match phases.as_slice() {
            [only] => only.terms(formulas),
            _ => split_terms(formulas, phases),
        });
        all.collect()
    }
}

/// Whether a split may have equations in one of its phases that do not hold in the others: it does in
/// the sampled states, or these are too few to tell.
pub(super) fn is_promising(formulas: &mut Formulas<'_>, guesser: &Guesser, shape: &Shape) -> bool {
    let cuts: Vec<CutId> = formulas.segments.indices().collect();
    cuts.into_iter().any(|cut| {
        let split = phases(formulas, guesser, cut, shape);
        let all = phases(formulas, guesser, cut, &Shape::default());
        let count = |phase: &Phase| -> usize { phase.groups.iter().map(|it| it.rows.len()).sum() };
        let known = all.iter().map(count).max().unwrap_or(0);
        split.len() > 1
            && split.iter().any(|phase| {
                let node = formulas.arena.terms.node(phase.condition);
                let own = usize::from(matches!(node, Node::Compare(CmpOp::Eq, ..)));
                count(phase) > known + own
            })
    })
}

/// The phases of a cut, with the equations of sampled states.
fn phases(formulas: &mut Formulas<'_>, guesser: &Guesser, cut: CutId, shape: &Shape) -> Vec<Phase> {
    let mut summands = match cut == formulas.model.cuts.start() {
        true => Vec::new(),
        false => guesser.integers(formulas, cut),
    };
    let always = formulas.arena.terms.bool(true);
    let conditions = match shape.split.is_about(&formulas.arena.terms, &summands) {
        true => shape.split.conditions.clone(),
        false => vec![always],
    };
    let is_known = |product: &&Term| {
        let mut factors = formulas.arena.terms.variables(**product).iter();
        factors.all(|var| {
            let known = summands.iter();
            let mut known = known.filter_map(|&it| variable(&formulas.arena.terms, it));
            known.any(|it| it == var)
        })
    };
    let products: Vec<Term> = shape.products.iter().filter(is_known).copied().collect();
    summands.extend(products);
    let groups = of_no_point(formulas, summands, shape.largest_coefficient);
    let terms = &formulas.arena.terms;
    let phases = conditions.into_iter().map(|condition| Phase {
        condition,
        groups: groups.clone(),
    });
    let mut phases: Vec<Phase> = phases.collect();
    for sample in guesser.states(cut) {
        for phase in &mut phases {
            if sampled(terms, &[phase.condition], sample).is_some_and(|it| it == [1]) {
                phase.add(terms, sample);
            }
        }
    }
    phases
}

impl Phase {
    /// Loses the equations that do not hold in a state.
    fn add(&mut self, terms: &Terms, sample: &Sample) {
        for related in &mut self.groups {
            if let Some(point) = sampled(terms, &related.summands, sample) {
                related.add(&point);
            }
        }
    }

    /// The equations as terms.
    fn terms(&self, formulas: &mut Formulas<'_>) -> Vec<Term> {
        let mut terms = Vec::new();
        for related in &self.groups {
            for row in &related.rows {
                terms.extend(related.equation(&mut formulas.arena.terms, row));
            }
        }
        terms
    }
}

/// What breaks an equation between some summands, in some cases.
fn breaks(terms: &mut Terms, cases: &Cases, behind: &[(Term, u128)]) -> Vec<Term> {
    let conditions = cases.iter().map(|(&condition, &value)| match value {
        true => condition,
        false => terms.bool_not(condition),
    });
    let mut broken: Vec<Term> = conditions.collect();
    let width = behind.first().map_or(0, |&(term, _)| terms.width(term));
    let is_zero = equation(terms, width, behind.iter().copied());
    broken.push(terms.bool_not(is_zero));
    broken
}

/// The equations of phases, each under its condition if it does not hold in the others, too.
fn split_terms(formulas: &mut Formulas<'_>, phases: &[Phase]) -> Vec<Term> {
    let mut found = Vec::new();
    for (at, phase) in phases.iter().enumerate() {
        for (group, related) in phase.groups.iter().enumerate() {
            for row in &related.rows {
                let others = phases.iter().enumerate().filter(|&(other, _)| other != at);
                let mut others = others.filter_map(|(_, other)| other.groups.get(group));
                let is_everywhere = others.all(|other| other.imply(row));
                let terms = &mut formulas.arena.terms;
                let is_other = match is_everywhere {
                    true => terms.bool(false),
                    false => terms.bool_not(phase.condition),
                };
                let equation = related.equation(terms, row);
                found.extend(equation.map(|equation| terms.bool_or(is_other, equation)));
            }
        }
    }
    found
}
