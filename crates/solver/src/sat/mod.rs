//! The back-end in process: bits, gates, clauses, CaDiCaL.

mod blast;
mod circuits;
mod gates;

use expr::{Model, Term, Terms};
use rustsat::solvers::{LimitConflicts, PhaseLit, Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit, TernaryVal};
use rustsat_cadical::CaDiCaL;

use self::blast::Blaster;
use self::gates::Bit;
use crate::{Answer, Query, Reason, Solver};

/// Answers queries with a SAT solver, a fresh one each time. Each constraint is an assumption, so
/// that an unsatisfiable query names its core; the solver tries the current values first, so that
/// what nothing constrains stays as it is.
pub struct Sat {
    conflict_limit: u64,
    blaster: Blaster,
}

impl Sat {
    /// A solver that may spend this many conflicts on one query.
    pub fn new(conflict_limit: u64) -> Sat {
        Sat {
            conflict_limit,
            blaster: Blaster::default(),
        }
    }

    /// The constraints as bits with their positions, or the position of one that is false.
    fn assumptions(
        &mut self,
        terms: &Terms,
        constraints: &[Term],
    ) -> Result<Vec<(Bit, usize)>, usize> {
        self.blaster.clear();
        let mut assumptions = Vec::with_capacity(constraints.len());
        for (at, &constraint) in constraints.iter().enumerate() {
            let bit = self.blaster.bool(terms, constraint);
            match bit.known() {
                Some(true) => {}
                Some(false) => return Err(at),
                None => assumptions.push((bit, at)),
            }
        }
        Ok(assumptions)
    }

    fn solve(&self, assumptions: &[(Bit, usize)], current: &Model) -> anyhow::Result<Answer> {
        let mut solver = CaDiCaL::default();
        // Lucky guesses ignore the phases, and so change more than needed.
        solver.set_option("lucky", 0)?;
        // Preprocessing costs more than most queries; hard ones are simplified as they go on.
        solver.set_option("preprocesslight", 0)?;
        solver.limit_conflicts(u32::try_from(self.conflict_limit).ok())?;
        let mut clause = Vec::new();
        for bits in self.blaster.gates.clauses() {
            clause.clear();
            clause.extend(bits.iter().copied().map(literal));
            solver.add_clause_ref(Cl::new(&clause))?;
        }
        for (var, bits) in self.blaster.variables() {
            let value = current.get(*var).unwrap_or(0);
            for (at, &bit) in bits.iter().enumerate() {
                let is_set = value >> at & 1 == 1;
                solver.phase_lit(literal(if is_set { bit } else { !bit }))?;
            }
        }
        let assumed: Vec<Lit> = assumptions.iter().map(|&(bit, _)| literal(bit)).collect();
        Ok(match solver.solve_assumps(&assumed)? {
            SolverResult::Sat => Answer::Sat(self.model(&solver, current)?),
            SolverResult::Unsat => {
                let failed = solver.core()?;
                let in_core = |bit| failed.contains(&!literal(bit));
                let core = assumptions.iter().filter(|&&(bit, _)| in_core(bit));
                Answer::Unsat(core.map(|&(_, at)| at).collect())
            }
            SolverResult::Interrupted => Answer::Unknown(Reason::Budget),
        })
    }

    fn model(&self, solver: &CaDiCaL<'_, '_>, current: &Model) -> anyhow::Result<Model> {
        let mut model = current.clone();
        for (var, bits) in self.blaster.variables() {
            let before = current.get(*var).unwrap_or(0);
            let mut value = 0;
            for (at, &bit) in bits.iter().enumerate() {
                let is_set = match solver.lit_val(literal(bit))? {
                    TernaryVal::True => true,
                    TernaryVal::False => false,
                    TernaryVal::DontCare => before >> at & 1 == 1,
                };
                value |= u128::from(is_set) << at;
            }
            model.set(*var, value);
        }
        Ok(model)
    }
}

impl Solver for Sat {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match self.assumptions(terms, query.constraints) {
            Err(at) => Answer::Unsat(vec![at]),
            Ok(assumptions) => self
                .solve(&assumptions, query.current)
                .unwrap_or_else(|error| Answer::Unknown(Reason::Failed(error.to_string()))),
        }
    }
}

/// A bit as a literal of the SAT solver, whose variables count from 0; never a constant's.
fn literal(bit: Bit) -> Lit {
    Lit::new(bit.variable().saturating_sub(1), bit.is_negated())
}
