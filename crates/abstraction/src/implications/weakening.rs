//! The strongest implications between predicates that are inductive together.
//!
//! ```text
//! repeat until nothing changes:
//!     for each segment from a cut a, and each cut b that it leads to:
//!         for some of clauses[b] at a time:
//!             while a model has clauses[a], the segment's formula, and not all of them behind it:
//!                 add the state behind it to those of b, and states next to it; tell clauses[b] anew
//! ```
//!
//! It is [`crate::invariants::houdini`] for all clauses of two literals, of which only those are told
//! that others do not follow from. Clauses that are told anew follow from those that were told
//! before: so what held behind a segment goes on to do so. Where the solver gives up, one of the
//! predicates is left out.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use expr::{Model as Values, Term, Terms};
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::Answer;

use crate::formulas::segment::Exit;
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;
use crate::implications::order::{Clause, Literal, Table};
use crate::implications::walker::Walker;
use crate::invariants::neighbours::{Neighbours, TRIED};

/// How many clauses the solver is asked about at once. Models that break one of few are found sooner.
const AT_ONCE: usize = 12;

/// The effort of queries that the solver gives up on before the search for clauses is given up, if that
/// is more than half of all.
const PATIENCE: u64 = 8_000_000;

/// The effort of executions from the state behind a model on, as a part of the model's.
const WALKS: u64 = 3;

/// What is known of a cut.
#[derive(Clone, Debug)]
struct AtCut {
    predicates: Vec<Term>,
    table: Table,
    /// The clauses that hold in all states that are known.
    clauses: Vec<Clause>,
    /// Whether executions start there.
    is_start: bool,
}

impl AtCut {
    /// A clause, with other terms in place of the predicates.
    fn term(terms: &mut Terms, of: &[Option<Term>], clause: Clause) -> Option<Term> {
        let literal = |terms: &mut Terms, literal: Literal| {
            let predicate = (*of.get(literal.predicate)?)?;
            Some(match literal.is_negated {
                true => terms.bool_not(predicate),
                false => predicate,
            })
        };
        Some(match clause {
            Clause::Never => terms.bool(false),
            Clause::One(it) => literal(terms, it)?,
            Clause::Either(a, b) => {
                let (a, b) = (literal(terms, a)?, literal(terms, b)?);
                terms.bool_or(a, b)
            }
        })
    }

    /// The clauses as terms over the state at the cut.
    fn terms(&self, terms: &mut Terms) -> Vec<Term> {
        let of: Vec<Option<Term>> = self.predicates.iter().map(|&it| Some(it)).collect();
        let all = self.clauses.iter();
        all.filter_map(|&clause| AtCut::term(terms, &of, clause))
            .collect()
    }
}

/// The search, which can be interrupted between queries.
pub struct Weakening {
    /// What is known already: it is inductive.
    known: Invariants,
    at: IndexVec<CutId, AtCut>,
    /// The cuts behind which clauses are to be checked.
    open: VecDeque<CutId>,
    /// The next exit of the first of them.
    exit: usize,
    /// What is known of the clauses behind that exit.
    behind: Option<Behind>,
    /// Predicates behind exits.
    later: FxHashMap<(CutId, usize), Vec<Option<Term>>>,
    /// How many clauses are asked about at once behind exits where the solver gave up.
    most: FxHashMap<(CutId, usize), usize>,
    walker: Walker,
    /// The effort of queries, and of those that the solver gave up on.
    effort: u64,
    in_vain: u64,
}

/// The clauses behind an exit.
struct Behind {
    /// What holds where the segment takes the exit.
    before: Term,
    /// Those that hold.
    kept: FxHashSet<Clause>,
    /// Whether those of the cut have changed.
    has_changed: bool,
    /// Makes further models from those that the solver finds.
    neighbours: Neighbours,
}

impl Weakening {
    /// Begins with the predicates of each cut, and states that executions came to.
    pub fn new(
        formulas: &mut Formulas<'_>,
        (known, predicates): (Invariants, Invariants),
        (states, walker): (&IndexVec<CutId, Vec<Values>>, Walker),
    ) -> Weakening {
        let start = formulas.model.cuts.start();
        let mut at = IndexVec::new();
        for (cut, predicates) in predicates.into_iter_enumerated() {
            let mut at_cut = AtCut {
                table: Table::new(predicates.len()),
                predicates,
                clauses: Vec::new(),
                is_start: cut == start,
            };
            for state in &states[cut] {
                at_cut.add(formulas, state);
            }
            at_cut.tell();
            at.push(at_cut);
        }
        Weakening {
            known,
            open: at.indices().collect(),
            at,
            exit: 0,
            behind: None,
            later: FxHashMap::default(),
            most: FxHashMap::default(),
            walker,
            effort: 0,
            in_vain: 0,
        }
    }

    /// What executes, for others.
    pub fn into_walker(self) -> Walker {
        self.walker
    }

    /// Whether the solver gives up too often.
    pub fn is_in_vain(&self) -> bool {
        self.in_vain > PATIENCE.max(self.effort / 2)
    }

    /// Weakens clauses until the work is interrupted. Returns those that are left once they are
    /// inductive.
    pub fn step(&mut self, formulas: &mut Formulas<'_>) -> Option<Invariants> {
        let segments = Arc::clone(&formulas.segments);
        while let Some(&from) = self.open.front() {
            let Some(exit) = segments[from].exits.get(self.exit) else {
                self.open.pop_front();
                self.exit = 0;
                continue;
            };
            if self.pass(formulas, from, exit)? {
                self.reopen(exit.to);
            }
            self.exit += 1;
        }
        let terms = &mut formulas.arena.terms;
        Some(self.at.iter().map(|at| at.terms(terms)).collect())
    }

    /// Weakens the clauses behind an exit until they hold there; `None` if the work is interrupted.
    /// Returns whether they have changed.
    fn pass(&mut self, formulas: &mut Formulas<'_>, from: CutId, exit: &Exit) -> Option<bool> {
        let mut behind = match self.behind.take() {
            Some(behind) => behind,
            None => self.behind(formulas, from, exit),
        };
        loop {
            let clauses = self.at[exit.to].clauses.iter().copied();
            let open: Vec<Clause> = clauses.filter(|it| !behind.kept.contains(it)).collect();
            if open.is_empty() {
                return Some(behind.has_changed);
            }
            if formulas.is_spent() || self.is_in_vain() {
                self.behind = Some(behind);
                return None;
            }
            self.try_some(formulas, (from, exit), &mut behind, open);
        }
    }

    /// What says that a segment takes an exit, and predicates behind it. Those that are too large
    /// there are left out.
    fn behind(&mut self, formulas: &mut Formulas<'_>, from: CutId, exit: &Exit) -> Behind {
        let segments = Arc::clone(&formulas.segments);
        let mut held = formulas.taken(&segments[from], exit);
        let mut invariants = self.known[from].clone();
        invariants.extend(self.at[from].terms(&mut formulas.arena.terms));
        held.extend(formulas.all_instances(from, &invariants));
        let before = formulas.all(&held);
        let predicates = &self.at[exit.to].predicates;
        let later = self.later.entry((from, self.exit)).or_insert_with(|| {
            let mut substitution = formulas.substitution(exit);
            let terms = &mut formulas.arena.terms;
            let later = predicates.iter();
            later
                .map(|&predicate| substitution.apply(terms, predicate, LARGEST))
                .collect()
        });
        let mut all: Vec<Term> = later.iter().flatten().copied().collect();
        all.push(before);
        let terms = &formulas.arena.terms;
        let neighbours = Neighbours::new(terms, &all);
        let mut has_changed = false;
        let too_large = later.iter().enumerate().filter(|(_, it)| it.is_none());
        let too_large: Vec<usize> = too_large.map(|(predicate, _)| predicate).collect();
        for predicate in too_large {
            has_changed |= self.at[exit.to].leave_out(predicate);
        }
        Behind {
            before,
            kept: FxHashSet::default(),
            has_changed,
            neighbours,
        }
    }

    /// Asks for a model that breaks one of the first clauses.
    fn try_some(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, exit): (CutId, &Exit),
        behind: &mut Behind,
        mut open: Vec<Clause>,
    ) {
        let start = formulas.spent();
        let to = exit.to;
        let most = self.most.get(&(from, self.exit)).copied();
        open.truncate(most.unwrap_or(AT_ONCE));
        let later = &self.later[&(from, self.exit)];
        let terms = &mut formulas.arena.terms;
        let mut asked = Vec::new();
        for &clause in &open {
            let Some(term) = AtCut::term(terms, later, clause) else {
                self.at[to].leave_out_one_of(&[clause]);
                behind.has_changed = true;
                return;
            };
            asked.push(term);
        }
        let all = formulas.all(&asked);
        let broken = formulas.arena.terms.bool_not(all);
        let answer = formulas.check(from, &[behind.before, broken]);
        let spent = formulas.spent() - start;
        self.effort += spent;
        if matches!(answer, Answer::Unknown(_)) {
            self.in_vain += spent;
        }
        match answer {
            Answer::Unsat(_) => behind.kept.extend(open.iter().copied()),
            Answer::Sat(values) => {
                let before = self.at[to].clauses.clone();
                self.add_states(formulas, (from, to), behind, &values);
                self.walk(formulas, (from, exit), (&values, spent));
                self.at[to].tell();
                if self.at[to].clauses == before {
                    // A model that breaks nothing answers another question.
                    self.at[to].leave_out_one_of(&open);
                }
                behind.has_changed = true;
            }
            Answer::Unknown(_) if open.len() > 1 => {
                self.most.insert((from, self.exit), open.len() / 4 + 1);
            }
            Answer::Unknown(_) => {
                self.at[to].leave_out_one_of(&open);
                behind.has_changed = true;
            }
        }
    }

    /// Adds the state behind a model, and behind others next to it.
    fn add_states(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, to): (CutId, CutId),
        behind: &mut Behind,
        values: &Values,
    ) {
        let later = &self.later[&(from, self.exit)];
        let at = &mut self.at[to];
        let mut current = values.clone();
        for tried in 0..=TRIED {
            let next = match tried {
                0 => current.clone(),
                _ => behind.neighbours.next(&current),
            };
            let mut evaluation = formulas.under(&next);
            if tried == 0 || evaluation.holds(behind.before) {
                let numbered = later.iter().enumerate();
                let holds = numbered.filter(|(_, it)| it.is_some_and(|it| evaluation.holds(it)));
                at.table
                    .add(holds.map(|(predicate, _)| predicate).collect());
                current = next;
            }
            formulas.count_evaluated();
        }
    }

    /// Adds states of executions from the state behind a model on, which took so much effort.
    fn walk(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, exit): (CutId, &Exit),
        (values, effort): (&Values, u64),
    ) {
        self.walker.learn(from, values);
        let before = formulas.spent();
        while formulas.spent() < before + effort / WALKS {
            let states = self.walker.walk_behind(formulas, exit, values);
            if states.is_empty() {
                break;
            }
            let mut grown = BTreeSet::new();
            for (cut, state) in states {
                if self.at[cut].add(formulas, &state) {
                    grown.insert(cut);
                }
            }
            grown.remove(&exit.to);
            for cut in grown {
                self.at[cut].tell();
                self.reopen(cut);
            }
        }
    }

    /// Has the segment from a cut looked at again, whose clauses have changed.
    fn reopen(&mut self, cut: CutId) {
        if !self.open.iter().skip(1).any(|&open| open == cut) {
            self.open.push_back(cut);
        }
    }
}

impl AtCut {
    /// Adds a state. Returns whether none was like it.
    fn add(&mut self, formulas: &mut Formulas<'_>, state: &Values) -> bool {
        let mut evaluation = formulas.under(state);
        let numbered = self.predicates.iter().enumerate();
        let holds = numbered.filter(|&(_, &it)| evaluation.holds(it));
        let holds = holds.map(|(predicate, _)| predicate).collect();
        formulas.count_evaluated();
        self.table.add(holds)
    }

    /// Tells the clauses anew. None is told of the start, since executions begin there in any state.
    fn tell(&mut self) {
        if !self.is_start {
            self.clauses = self.table.clauses();
        }
    }

    /// Leaves out a predicate. Returns whether it was there.
    fn leave_out(&mut self, predicate: usize) -> bool {
        let was_there = self.table.predicates().any(|it| it == predicate);
        self.table.leave_out(predicate);
        self.tell();
        was_there
    }

    /// Leaves out one of the predicates of some clauses.
    fn leave_out_one_of(&mut self, clauses: &[Clause]) {
        match clauses.first() {
            Some(Clause::One(literal) | Clause::Either(_, literal)) => {
                self.leave_out(literal.predicate);
            }
            // Any state may be there.
            Some(Clause::Never) | None => {
                let all: Vec<usize> = self.table.predicates().collect();
                for predicate in all {
                    self.table.leave_out(predicate);
                }
                self.table.add(FixedBitSet::new());
                self.tell();
            }
        }
    }
}
