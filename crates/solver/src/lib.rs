//! Decides whether a conjunction of terms is satisfiable, and gives a model.
//!
//! The answer comes from a chain of links, built by [`chain()`]: each answers what it can and asks
//! the next about the rest, or about less. This is the only crate that knows SAT and SMT solvers.
//! What it deliberately does not know: programs, paths, inputs, the clock.

mod chain;
mod effort;
mod links;
mod marks;
mod measured;
mod sat;
mod smt;
mod stop;

use std::fmt;

use expr::{Model, Term, Terms};

pub use chain::{Chain, ChainOptions, LinkName, chain};
pub use effort::Effort;
pub use links::*;
pub use measured::{Clock, LinkStatistics};
pub use sat::Sat;
pub use smt::{Smt, SmtCommand, script};
pub use stop::Stop;

/// The question whether all constraints can hold at once.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The constraints: terms of sort Bool.
    pub constraints: &'a [Term],
    /// A model that satisfies most of them, typically all but the last: that of the execution whose
    /// path is to be changed. Answers change as little of it as they need to.
    pub current: &'a Model,
    /// How many constraints, from the first, are known to hold under the current model: they are
    /// not evaluated again.
    pub held: usize,
}

impl<'a> Query<'a> {
    /// A query of which no constraint is known to hold.
    pub fn new(constraints: &'a [Term], current: &'a Model) -> Query<'a> {
        Query {
            constraints,
            current,
            held: 0,
        }
    }
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All constraints hold under this model, which is the query's current one with changes.
    Sat(Model),
    /// No model satisfies all constraints.
    Unsat(Core),
    /// No answer, for this reason: a loss.
    Unknown(Reason),
}

/// Positions of constraints in a query that cannot hold together, in increasing order. There may
/// be smaller sets.
pub type Core = Vec<usize>;

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The limit on conflicts or on time was reached.
    Budget,
    /// The query is too large to be translated.
    TooLarge,
    /// The search is told to stop.
    Stopped,
    /// A solver gave a model that does not satisfy the constraints: a defect of attest or of the
    /// solver.
    InvalidModel,
    /// A solver failed, with this message.
    Failed(String),
    /// Several solvers were asked, and each has a reason of its own.
    All(Vec<Reason>),
}

impl Reason {
    /// Both reasons, each once.
    #[must_use]
    pub fn and(self, other: Reason) -> Reason {
        let mut all = self.into_list();
        for reason in other.into_list() {
            if !all.contains(&reason) {
                all.push(reason);
            }
        }
        match <[Reason; 1]>::try_from(all) {
            Ok([only]) => only,
            Err(all) => Reason::All(all),
        }
    }

    fn into_list(self) -> Vec<Reason> {
        match self {
            Reason::All(reasons) => reasons,
            reason => vec![reason],
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Budget => f.write_str("the solver reached its limit"),
            Reason::TooLarge => f.write_str("the query is too large for the solver"),
            Reason::Stopped => f.write_str("the search was stopped meanwhile"),
            Reason::InvalidModel => f.write_str("the solver gave a model that is none"),
            Reason::Failed(message) => write!(f, "the solver failed: {message}"),
            Reason::All(reasons) => {
                let texts: Vec<String> = reasons.iter().map(Reason::to_string).collect();
                f.write_str(&texts.join("; "))
            }
        }
    }
}

/// Something that answers queries.
pub trait Solver: Send {
    /// Answers a query about terms of this arena. One solver must be asked about one arena only.
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        (**self).check(terms, query)
    }
}
