//! Whether a conjunction of terms can be satisfied, and by what.
//!
//! The answer comes from a chain of links ([`standard_chain`]), each of which answers what it can
//! and asks the next about the rest, or about less. This is the only room that knows SAT and SMT
//! solvers. What it deliberately does not know: programs, paths, inputs.

mod blast;
mod byte_domains;
mod cache;
mod circuits;
mod conjuncts;
mod fallback;
mod gates;
mod guess;
mod sat;
mod slice;
mod smt;
mod smtlib;
mod trivial;
mod validate;

use std::fmt;

use expr::{Model, Term, Terms};

pub use byte_domains::ByteDomains;
pub use cache::Cache;
pub use conjuncts::Conjuncts;
pub use fallback::Fallback;
pub use guess::Guess;
pub use sat::Sat;
pub use slice::Slice;
pub use smt::{Smt, SmtCommand};
pub use smtlib::script;
pub use trivial::Trivial;
pub use validate::Validate;

/// Whether all constraints can hold at once.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The constraints: terms of sort Bool.
    pub constraints: &'a [Term],
    /// A model that satisfies most of them, typically all but the last: that of the execution
    /// which is to go another way. Answers change as little of it as they need to.
    pub current: &'a Model,
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

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The limit on conflicts or on time was reached.
    Budget,
    /// A solver gave a model that does not satisfy the constraints: a defect of attest or of the
    /// solver.
    InvalidModel,
    /// A solver failed, with this message.
    Failed(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Budget => f.write_str("the solver reached its limit"),
            Reason::InvalidModel => f.write_str("the solver gave a model that is none"),
            Reason::Failed(message) => write!(f, "the solver failed: {message}"),
        }
    }
}

/// Something that answers queries.
pub trait Solver {
    /// Answers a query about terms of this arena. One solver must be asked about one arena only.
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer;

    /// What each link did so far, this one first.
    fn statistics(&self) -> Vec<LinkStatistics>;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        (**self).check(terms, query)
    }

    fn statistics(&self) -> Vec<LinkStatistics> {
        (**self).statistics()
    }
}

/// Counts of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkStatistics {
    /// The link's name.
    pub link: &'static str,
    /// Queries that reached it.
    pub queries: u64,
    /// Queries that it answered itself.
    pub answered: u64,
}

impl LinkStatistics {
    /// Nothing counted yet.
    pub(crate) fn of(link: &'static str) -> LinkStatistics {
        LinkStatistics {
            link,
            queries: 0,
            answered: 0,
        }
    }

    /// These counts, then those of the links behind.
    pub(crate) fn before(self, next: &impl Solver) -> Vec<LinkStatistics> {
        let mut all = vec![self];
        all.extend(next.statistics());
        all
    }
}

/// The chain that attest uses, in process: a query may spend this many conflicts of the SAT solver.
pub fn standard_chain(conflict_limit: u64) -> Box<dyn Solver> {
    chain(Sat::new(conflict_limit))
}

/// The standard chain with an SMT solver behind it, which is asked where the SAT solver gives up.
pub fn chain_with_smt(conflict_limit: u64, command: SmtCommand) -> Box<dyn Solver> {
    chain(Fallback::new(Sat::new(conflict_limit), Smt::new(command)))
}

/// The links in front of a solver, outermost first: the text, then less, then what is known, then
/// what is cheap.
#[rustfmt::skip]
fn chain(last: impl Solver + 'static) -> Box<dyn Solver> {
    Box::new(
        Trivial::new(
        Conjuncts::new(
        Slice::new(
        Cache::new(
        Validate::new(
        ByteDomains::new(
        Guess::new(
        last))))))),
    )
}
