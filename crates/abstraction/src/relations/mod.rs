//! The prover that finds all linear equations between locations at the cuts.
//!
//! It computes the least fixed point of the equations modulo `2^w` (see [`crate::relations::affine`]): from
//! below, where solvers give the points (Reps, Sagiv and Yorsh 2004, "Symbolic implementation of
//! the best transformer"; King and Søndergaard 2010, for these equations).
//!
//! ```text
//! equations[cut] := those of the sampled states
//! repeat until nothing is lost:
//!     for each segment from a cut a, each cut b that it leads to, and each of equations[b]:
//!         for each case of the choices in it:
//!             it follows if it is a sum of multiples of equations[a]            linear.rs
//!             else ask the solver for a state that satisfies equations[a] and breaks it:
//!                 equations[b] loses all that do not hold of it
//!                 if the solver gives up, it loses this one
//! try what the rest excludes
//! ```
//!
//! Each model makes the equations fewer: their module has at most `w` times the number of variables
//! steps below it, and in practice one or two for each variable. Locals keep their values when they
//! are not read any more, so that `k == i + j` holds in a later loop that reads `k` only.

pub mod affine;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use expr::{BvOp, Model as Values, Term, Terms, mask, to_signed};
use index_vec::IndexVec;
use solver::Answer;

use crate::exclusion::Exclusion;
use crate::formulas::execution::Sample;
use crate::formulas::linear::{Cases, Linear, equation};
use crate::formulas::segment::Exit;
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;
use crate::prover::{Goals, Progress, Prover};
use crate::relations::affine::{Equations, Row};

/// How many terms of one width take part.
const MOST_SUMMANDS: usize = 32;

/// How large coefficients may be, or their distance to 0 modulo `2^w`: larger ones cost more than
/// they ever proved.
const LARGEST_COEFFICIENT: u128 = 1 << 16;

/// Equations between some terms of one width.
struct Related {
    width: u32,
    /// What is related: locations, and their remainders.
    summands: Vec<Term>,
    equations: Equations,
    /// Those of them that say all.
    rows: Vec<Row>,
}

/// Equations at a cut, those of each width apart.
type AtCut = Vec<Related>;

/// See the module.
#[derive(Default)]
pub(crate) struct Relations {
    stage: Stage,
}

#[derive(Default)]
enum Stage {
    /// Nothing is done yet.
    #[default]
    Waiting,
    /// Equations are lost.
    Losing(Losing),
    /// It tries what is known excludes.
    Excluding(Exclusion),
}

/// The search for the fixed point.
struct Losing {
    at: IndexVec<CutId, AtCut>,
    /// The cuts behind which equations are to be checked.
    open: VecDeque<CutId>,
    /// The next exit of the first of them.
    exit: usize,
    /// The equations behind it that are not checked yet, each with its group, once it has begun.
    unchecked: Option<Vec<(usize, Row)>>,
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

/// How many cases of an equation are looked at one by one. Beyond, the solver has all at once.
const MOST_CASES: usize = 64;

impl Prover for Relations {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        while !goals.open.is_empty() {
            if formulas.is_spent() {
                return Progress::Working;
            }
            match &mut self.stage {
                Stage::Waiting => self.stage = Stage::Losing(Losing::new(formulas, goals)),
                Stage::Losing(losing) => {
                    if losing.step(formulas, &goals.invariants) == Progress::Finished {
                        let found = losing.found(formulas);
                        let guesser = goals.guesser(formulas);
                        guesser.relate(&formulas.arena.terms, &found);
                        goals.learn(found);
                        self.stage = Stage::Excluding(Exclusion::default());
                    }
                }
                Stage::Excluding(exclusion) => return exclusion.step(formulas, goals),
            }
        }
        Progress::Finished
    }
}

impl Losing {
    fn new(formulas: &mut Formulas<'_>, goals: &mut Goals) -> Losing {
        let guesser = goals.guesser(formulas);
        let start = formulas.model.cuts.start();
        let cuts: Vec<CutId> = formulas.segments.indices().collect();
        let at = cuts.iter().map(|&cut| {
            let summands = match cut == start {
                true => Vec::new(),
                false => guesser.integers(formulas, cut),
            };
            let terms = &formulas.arena.terms;
            let mut at = of_no_point(terms, summands);
            for sample in guesser.states(cut) {
                for related in &mut at {
                    if let Some(point) = sampled(terms, &related.summands, sample) {
                        related.add(&point);
                    }
                }
            }
            at
        });
        Losing {
            at: at.collect(),
            open: cuts.iter().copied().collect(),
            exit: 0,
            unchecked: None,
        }
    }

    /// Checks exits until the work is interrupted, or nothing is lost any more.
    fn step(&mut self, formulas: &mut Formulas<'_>, known: &Invariants) -> Progress {
        let segments = Arc::clone(&formulas.segments);
        while let Some(&from) = self.open.front() {
            let Some(exit) = segments[from].exits.get(self.exit) else {
                self.open.pop_front();
                self.exit = 0;
                continue;
            };
            if formulas.is_spent() {
                return Progress::Working;
            }
            let unchecked = self.unchecked.take();
            let mut unchecked = unchecked.unwrap_or_else(|| self.rows(exit.to));
            let Some((group, row)) = unchecked.pop() else {
                self.exit += 1;
                continue;
            };
            match self.check(formulas, known, (from, exit), (group, &row)) {
                Checked::Holds => self.unchecked = Some(unchecked),
                Checked::Broken(values) => {
                    self.lose(formulas, exit, &values);
                    // A model that does not break the equation answers another question.
                    self.forget(exit.to, group, &row);
                }
                Checked::Unknown => {
                    self.forget(exit.to, group, &row);
                    self.unchecked = Some(unchecked);
                }
            }
        }
        Progress::Finished
    }

    fn rows(&self, cut: CutId) -> Vec<(usize, Row)> {
        let groups = self.at[cut].iter().enumerate();
        groups
            .flat_map(|(group, related)| related.rows.iter().map(move |row| (group, row.clone())))
            .collect()
    }

    /// Whether an equation holds behind an exit.
    fn check(
        &self,
        formulas: &mut Formulas<'_>,
        known: &Invariants,
        (from, exit): (CutId, &Exit),
        (group, row): (usize, &Row),
    ) -> Checked {
        let Some(behind) = self.behind(formulas, exit, (group, row)) else {
            return Checked::Unknown;
        };
        let width = self.at[exit.to][group].width;
        let mut waiting = vec![Cases::default()];
        let mut left = MOST_CASES;
        while let Some(cases) = waiting.pop() {
            let mut sum = Linear::zero(width);
            let terms = &formulas.arena.terms;
            let mut summands = behind.iter();
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
                Ok(()) if self.follows(from, width, &sum) => continue,
                _ => {}
            }
            let cases = match left {
                0 => {
                    waiting.clear();
                    Cases::default()
                }
                _ => cases,
            };
            match self.ask(formulas, known, (from, exit), (&cases, &behind)) {
                Answer::Unsat(_) => {}
                Answer::Sat(values) => return Checked::Broken(values),
                Answer::Unknown(_) => return Checked::Unknown,
            }
        }
        Checked::Holds
    }

    /// The summands of an equation behind an exit, as terms over the state before; `None` if they are
    /// too large.
    fn behind(
        &self,
        formulas: &mut Formulas<'_>,
        exit: &Exit,
        (group, row): (usize, &Row),
    ) -> Option<Vec<(Term, u128)>> {
        let related = self.at[exit.to].get(group)?;
        let mut substitution = formulas.substitution(exit);
        let terms = &mut formulas.arena.terms;
        let one = terms.constant(related.width, 1);
        let mut behind = vec![(one, *row.first()?)];
        for (&summand, &times) in related.summands.iter().zip(row.iter().skip(1)) {
            if times != 0 {
                behind.push((substitution.apply(terms, summand, LARGEST)?, times));
            }
        }
        Some(behind)
    }

    /// Whether a sum is 0 by the equations at a cut.
    fn follows(&self, cut: CutId, width: u32, sum: &Linear) -> bool {
        let mut groups = self.at[cut].iter();
        let Some(related) = groups.find(|related| related.width == width) else {
            return sum.is_zero();
        };
        let is_known = |it: &Term| related.summands.contains(it);
        let coefficient = |it: &Term| sum.coefficients.get(it).copied().unwrap_or(0);
        let row = [sum.constant].into_iter();
        let row: Row = row
            .chain(related.summands.iter().map(coefficient))
            .collect();
        sum.coefficients.keys().all(is_known) && related.equations.imply(&row)
    }

    /// Asks for a state in which a sum behind an exit is not 0.
    fn ask(
        &self,
        formulas: &mut Formulas<'_>,
        known: &Invariants,
        (from, exit): (CutId, &Exit),
        (cases, behind): (&Cases, &[(Term, u128)]),
    ) -> Answer {
        let segments = Arc::clone(&formulas.segments);
        let mut held = formulas.taken(&segments[from], exit);
        held.extend(formulas.all_instances(from, &known[from]));
        held.extend(self.terms(formulas, from));
        let terms = &mut formulas.arena.terms;
        held.extend(cases.iter().map(|(&condition, &value)| match value {
            true => condition,
            false => terms.bool_not(condition),
        }));
        let width = behind.first().map_or(0, |&(term, _)| terms.width(term));
        let is_zero = equation(terms, width, behind.iter().copied());
        held.push(terms.bool_not(is_zero));
        formulas.check(from, &held)
    }

    /// Loses an equation, if it is not lost yet.
    fn forget(&mut self, cut: CutId, group: usize, row: &Row) {
        if let Some(related) = self.at[cut].get_mut(group)
            && related.rows.contains(row)
        {
            related.equations.forget(row);
            related.rows.retain(|it| it != row);
        }
        self.open_again(cut);
    }

    fn open_again(&mut self, cut: CutId) {
        if !self.open.iter().skip(1).any(|&it| it == cut) {
            self.open.push_back(cut);
        }
    }

    /// Loses the equations that do not hold behind an exit in a model.
    fn lose(&mut self, formulas: &mut Formulas<'_>, exit: &Exit, values: &Values) {
        let mut substitution = formulas.substitution(exit);
        for related in &mut self.at[exit.to] {
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
            related.add(&point);
        }
    }

    /// The equations at a cut as terms.
    fn terms(&self, formulas: &mut Formulas<'_>, cut: CutId) -> Vec<Term> {
        let mut terms = Vec::new();
        for related in &self.at[cut] {
            for row in &related.rows {
                terms.extend(related.equation(&mut formulas.arena.terms, row));
            }
        }
        terms
    }

    /// The equations at each cut that are worth knowing.
    fn found(&self, formulas: &mut Formulas<'_>) -> Invariants {
        let cuts: Vec<CutId> = self.at.indices().collect();
        let all = cuts.iter().map(|&cut| self.terms(formulas, cut));
        all.collect()
    }
}

/// All equations over some terms, those of each width apart.
fn of_no_point(terms: &Terms, summands: Vec<Term>) -> AtCut {
    let mut by_width: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
    for summand in summands {
        let same = by_width.entry(terms.width(summand)).or_default();
        if same.len() < MOST_SUMMANDS {
            same.push(summand);
        }
    }
    let groups = by_width.into_iter().map(|(width, summands)| {
        let equations = Equations::of_no_point(width, summands.len());
        Related {
            width,
            rows: equations.rows(),
            equations,
            summands,
        }
    });
    groups.collect()
}

/// The values of some terms in a state, if it has all of their variables.
fn sampled(terms: &Terms, summands: &[Term], sample: &Sample) -> Option<Vec<u128>> {
    let values: Values = sample.iter().map(|(&var, &value)| (var, value)).collect();
    let read = terms.all_variables(summands);
    if read.iter().any(|var| !sample.contains_key(var)) {
        return None;
    }
    Some(summands.iter().map(|&it| terms.eval(it, &values)).collect())
}

impl Related {
    /// Loses the equations that do not hold of a point.
    fn add(&mut self, point: &[u128]) {
        if self.equations.add(point) {
            self.rows = self.equations.rows();
        }
    }

    /// What a row says. Where all coefficients are multiples of a power of two, only the low bits have
    /// to be 0. `None` if a coefficient is too large.
    fn equation(&self, terms: &mut Terms, row: &Row) -> Option<Term> {
        let width = self.width;
        let coefficients = row.iter().filter(|&&it| it != 0);
        let factors = coefficients.map(|it| it.trailing_zeros()).min()?;
        let wanted = width.checked_sub(factors).filter(|&wanted| wanted > 0)?;
        let scaled = row.iter().map(|it| (it >> factors) & mask(wanted));
        let scaled: Row = scaled.collect();
        let size = |it: &u128| to_signed(wanted, *it).unsigned_abs();
        if scaled
            .iter()
            .skip(1)
            .any(|it| size(it) > LARGEST_COEFFICIENT)
        {
            return None;
        }
        if factors == 0 {
            let one = terms.constant(width, 1);
            let all = [one].into_iter().chain(self.summands.iter().copied());
            return Some(equation(terms, width, all.zip(scaled)));
        }
        let zero = terms.constant(width, 0);
        let products = self.summands.iter().zip(scaled.iter().skip(1));
        let sum = products.fold(zero, |sum, (&term, &times)| {
            let times = terms.constant(width, times);
            let product = terms.binary(BvOp::Mul, times, term);
            terms.binary(BvOp::Add, sum, product)
        });
        let low = terms.constant(width, mask(wanted));
        let rest = terms.binary(BvOp::And, sum, low);
        let constant = scaled.first().copied().unwrap_or(0);
        let constant = terms.constant(width, constant.wrapping_neg() & mask(wanted));
        Some(terms.eq(rest, constant))
    }
}
