//! One SAT solver with the gates that it knows.

use anyhow::Result;
use expr::{Model, Term, Terms, Var};
use rustsat::solvers::{
    ControlSignal, LimitConflicts, PhaseLit, Solve, SolveIncremental, SolverResult, Terminate,
};
use rustsat::types::{Cl, Lit, TernaryVal};
use rustsat_cadical::{CaDiCaL, Statistic};

use super::blast::Blaster;
use super::gates::Bit;
use crate::{Answer, Query, Reason, Stop};

/// A SAT solver that answers one query after another. It gets the clauses of each gate once; the
/// constraints of a query are assumptions.
pub(super) struct Session {
    solver: CaDiCaL<'static, 'static>,
    blaster: Blaster,
    stop: Option<Stop>,
    /// How many literals of clauses it was told.
    told: u64,
    /// The work that the solver does not count, and that of solvers in whose place it came.
    uncounted: u64,
    /// Whether the solver simplifies its clauses during searches.
    is_simplifying: bool,
}

/// How many SAT variables a query may have. Each takes about two kilobytes.
const MOST: u32 = 1_000_000;

/// The effort that a literal of a new clause takes.
const LITERAL: u64 = 6;

/// How many SAT variables take one unit of effort for each conflict, and the number of variables from
/// which on a conflict takes no more: restarts, phases and simplification are work that the solver
/// does not count.
const PER_CONFLICT: u64 = 8;
const MOST_PER_CONFLICT: u64 = 5_000;

/// How many SAT variables take one unit of effort for each query: nearly all are assigned.
const PER_QUERY: u64 = 2;

/// The number of SAT variables up to which the solver simplifies during searches.
const SMALL: u32 = 5_000;

/// The number of SAT variables up to which a query may spend all conflicts. The time for a conflict
/// grows with it.
const LARGE: u32 = 100_000;

impl Session {
    pub(super) fn new(stop: Option<Stop>) -> Result<Session> {
        let mut solver = CaDiCaL::default();
        // Lucky guesses ignore the phases, and so change more than needed.
        solver.set_option("lucky", 0)?;
        // Preprocessing costs more than most queries; hard ones are simplified during the search.
        solver.set_option("preprocesslight", 0)?;
        if let Some(stop) = stop.clone() {
            solver.attach_terminator(move || match stop.is_requested() {
                true => ControlSignal::Terminate,
                false => ControlSignal::Continue,
            });
        }
        Ok(Session {
            solver,
            blaster: Blaster::default(),
            stop,
            told: 0,
            uncounted: 0,
            is_simplifying: true,
        })
    }

    /// The work so far, as [`crate::Effort`] counts it, apart from queries.
    pub(super) fn effort(&self) -> u64 {
        let ticks = self.solver.get_statistic(Statistic::Ticks);
        ticks + ticks / 4 + LITERAL * self.told + self.uncounted
    }

    /// How many SAT variables there are.
    pub(super) fn size(&self) -> u32 {
        self.blaster.gates.variables()
    }

    /// Answers a query about the variables given, with this many conflicts at most.
    pub(super) fn answer(
        &mut self,
        terms: &Terms,
        query: &Query<'_>,
        variables: &[Var],
        conflict_limit: u64,
    ) -> Result<Answer> {
        let mut assumptions = match self.assumptions(terms, query.constraints) {
            Ok(assumptions) => assumptions,
            Err(answer) => return Ok(answer),
        };
        if self.is_simplifying && self.size() > SMALL {
            self.begin_without_simplification()?;
            assumptions = match self.assumptions(terms, query.constraints) {
                Ok(assumptions) => assumptions,
                Err(answer) => return Ok(answer),
            };
        }
        self.tell_gates()?;
        self.prefer(query.current, variables)?;
        self.solver.limit_conflicts(self.limit(conflict_limit))?;
        let assumed: Vec<Lit> = assumptions.iter().map(|&(bit, _)| literal(bit)).collect();
        let before = self.solver.get_statistic(Statistic::Conflicts);
        let result = self.solver.solve_assumps(&assumed)?;
        let conflicts = self.solver.get_statistic(Statistic::Conflicts) - before;
        let size = u64::from(self.size());
        let for_conflicts = conflicts * size.min(MOST_PER_CONFLICT) / PER_CONFLICT;
        self.uncounted += size / PER_QUERY + for_conflicts;
        Ok(match result {
            SolverResult::Sat => Answer::Sat(self.model(query.current, variables)?),
            SolverResult::Unsat => {
                let failed = self.solver.core()?;
                let in_core = |bit| failed.contains(&!literal(bit));
                let core = assumptions.iter().filter(|&&(bit, _)| in_core(bit));
                Answer::Unsat(core.map(|&(_, at)| at).collect())
            }
            SolverResult::Interrupted => Answer::Unknown(self.reason()),
        })
    }

    /// The conflicts that may be spent, at most so many.
    fn limit(&self, conflicts: u64) -> Option<u32> {
        let share = u64::from(self.size().max(LARGE)) / u64::from(LARGE);
        u32::try_from(conflicts / share).ok()
    }

    /// The reason why the solver was interrupted.
    fn reason(&self) -> Reason {
        match self.stop.as_ref().is_some_and(Stop::is_requested) {
            true => Reason::Stopped,
            false => Reason::Budget,
        }
    }

    /// The constraints as bits with their positions, or the answer if one is false or all are too
    /// large.
    fn assumptions(
        &mut self,
        terms: &Terms,
        constraints: &[Term],
    ) -> Result<Vec<(Bit, usize)>, Answer> {
        let mut assumptions = Vec::with_capacity(constraints.len());
        for (at, &constraint) in constraints.iter().enumerate() {
            let bit = self.blaster.bool(terms, constraint, MOST);
            let bit = bit.ok_or(Answer::Unknown(Reason::TooLarge))?;
            match bit.known() {
                Some(true) => {}
                Some(false) => return Err(Answer::Unsat(vec![at])),
                None => assumptions.push((bit, at)),
            }
        }
        Ok(assumptions)
    }

    /// Begins with a new solver that does not simplify: large queries have few conflicts, and up to
    /// seconds of simplification between them. A solver that has answered cannot be told so.
    fn begin_without_simplification(&mut self) -> Result<()> {
        let done = self.effort();
        *self = Session::new(self.stop.take())?;
        self.solver.set_option("inprocessing", 0)?;
        self.is_simplifying = false;
        self.uncounted = done;
        Ok(())
    }

    /// Adds the clauses of new gates to the solver.
    fn tell_gates(&mut self) -> Result<()> {
        let mut clause = Vec::new();
        for bits in self.blaster.gates.clauses() {
            clause.clear();
            clause.extend(bits.iter().copied().map(literal));
            self.told += clause.len() as u64;
            self.solver.add_clause_ref(Cl::new(&clause))?;
        }
        self.blaster.gates.forget_clauses();
        Ok(())
    }

    /// Has the solver try the current values first.
    fn prefer(&mut self, current: &Model, variables: &[Var]) -> Result<()> {
        for &var in variables {
            let value = current.get(var).unwrap_or(0);
            for (at, &bit) in self.blaster.variable_bits(var).iter().enumerate() {
                let is_set = value >> at & 1 == 1;
                let preferred = if is_set { bit } else { !bit };
                self.solver.phase_lit(literal(preferred))?;
            }
        }
        Ok(())
    }

    fn model(&self, current: &Model, variables: &[Var]) -> Result<Model> {
        let mut model = current.clone();
        for &var in variables {
            let before = current.get(var).unwrap_or(0);
            let mut value = 0;
            for (at, &bit) in self.blaster.variable_bits(var).iter().enumerate() {
                let is_set = match self.solver.lit_val(literal(bit))? {
                    TernaryVal::True => true,
                    TernaryVal::False => false,
                    TernaryVal::DontCare => before >> at & 1 == 1,
                };
                value |= u128::from(is_set) << at;
            }
            model.set(var, value);
        }
        Ok(model)
    }
}

/// A bit as a literal of the SAT solver, whose variables count from 0; never a constant's.
fn literal(bit: Bit) -> Lit {
    Lit::new(bit.variable().saturating_sub(1), bit.is_negated())
}
