//! The back-end in process: bits, gates, clauses, CaDiCaL.

mod blast;
mod circuits;
mod gates;
mod session;

use expr::Terms;

use self::session::Session;
use crate::{Answer, Effort, Query, Reason, Solver, Stop};

/// Answers queries with a SAT solver. Each constraint is an assumption, so that an unsatisfiable
/// query names its core; the solver tries the current values first, so that unconstrained variables
/// keep them.
///
/// Consecutive queries share terms, so the solver is kept, with its gates and what it learned,
/// until it has grown: it assigns all its variables for every model. Microseconds per query with a
/// fresh solver each time, and with one kept up to 1,500 and 20,000 SAT variables: a word against
/// constants 148, 20, 23; digits of numbers 393, 131, 117; orders of 5 words 1,179, 785, 723; pairs
/// of unrelated words 256, 229, 898; unrelated bytes 45, 49, 94; slices of up to 20 thresholds
/// 1,678, 2,060, 2,630. (`examples/bench` measures them.)
pub struct Sat {
    conflict_limit: u64,
    largest: u32,
    stop: Option<Stop>,
    session: Option<Session>,
    effort: Effort,
}

/// How many SAT variables a solver may have to be kept.
const LARGEST: u32 = 2_000;

/// The effort that a query takes at least.
const QUERY: u64 = 300;

impl Sat {
    /// A solver that may spend this many conflicts on one query, and fewer on a large one.
    pub fn new(conflict_limit: u64) -> Sat {
        Sat::keeping(conflict_limit, LARGEST)
    }

    /// The same, kept for the next query while it has no more than so many variables; with 0, each
    /// query has a solver of its own.
    pub fn keeping(conflict_limit: u64, largest: u32) -> Sat {
        Sat {
            conflict_limit,
            largest,
            stop: None,
            session: None,
            effort: Effort::default(),
        }
    }

    /// The same, which also stops when it is told to.
    #[must_use]
    pub fn until(self, stop: Option<Stop>) -> Sat {
        Sat { stop, ..self }
    }

    /// The same, which adds its work to a count.
    #[must_use]
    pub fn counted(self, effort: Effort) -> Sat {
        Sat { effort, ..self }
    }

    fn answer(&mut self, terms: &Terms, query: &Query<'_>) -> anyhow::Result<Answer> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => Session::new(self.stop.clone())?,
        };
        let variables = terms.all_variables(query.constraints);
        let before = session.effort();
        let answer = session.answer(terms, query, &variables, self.conflict_limit)?;
        self.effort.add(QUERY + session.effort() - before);
        if session.size() <= self.largest {
            self.session = Some(session);
        }
        Ok(answer)
    }
}

impl Solver for Sat {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.answer(terms, query)
            .unwrap_or_else(|error| Answer::Unknown(Reason::Failed(error.to_string())))
    }
}
