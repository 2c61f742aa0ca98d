//! The chain as a whole.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use expr::Terms;

use crate::links::*;
use crate::measured::{Measured, Meter};
use crate::{Answer, Clock, Effort, LinkStatistics, Query, Sat, Smt, SmtCommand, Solver, Stop};

/// The links, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkName {
    /// [`Trivial`].
    Trivial,
    /// [`Conjuncts`].
    Conjuncts,
    /// [`Slice`].
    Slice,
    /// [`Cache`].
    Cache,
    /// [`Validate`].
    Validate,
    /// [`Intervals`].
    Intervals,
    /// [`Invert`].
    Invert,
    /// [`Substitute`].
    Substitute,
    /// [`Order`].
    Order,
    /// [`Bounds`].
    Bounds,
    /// [`Sat`].
    Sat,
    /// [`Smt`].
    Smt,
}

impl LinkName {
    /// The links that a chain can do without: its answers stay correct, and take longer.
    pub const OPTIONAL: [LinkName; 9] = [
        LinkName::Trivial,
        LinkName::Conjuncts,
        LinkName::Slice,
        LinkName::Cache,
        LinkName::Intervals,
        LinkName::Invert,
        LinkName::Substitute,
        LinkName::Order,
        LinkName::Bounds,
    ];

    /// Its name for users.
    pub fn name(self) -> &'static str {
        match self {
            LinkName::Trivial => "trivial",
            LinkName::Conjuncts => "conjuncts",
            LinkName::Slice => "slice",
            LinkName::Cache => "cache",
            LinkName::Validate => "validate",
            LinkName::Intervals => "intervals",
            LinkName::Invert => "invert",
            LinkName::Substitute => "substitute",
            LinkName::Order => "order",
            LinkName::Bounds => "bounds",
            LinkName::Sat => "sat",
            LinkName::Smt => "smt",
        }
    }

    /// The effort that it takes for each constraint of a query, apart from what the solvers at the end
    /// count. Measured on long paths of comparisons.
    pub(crate) fn effort_per_constraint(self) -> u64 {
        match self {
            LinkName::Order | LinkName::Bounds => 30,
            LinkName::Slice | LinkName::Intervals => 3,
            LinkName::Cache => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for LinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The parts and limits of a chain.
#[derive(Clone, Debug)]
pub struct ChainOptions {
    /// Conflicts that the SAT solver may spend on one query.
    pub conflict_limit: u64,
    /// SMT solvers that are asked where the SAT solver gives up.
    pub smt: Vec<SmtCommand>,
    /// How long they may take for one query.
    pub smt_time_limit: Duration,
    /// Links to leave out, among [`LinkName::OPTIONAL`]; others stay.
    pub without: Vec<LinkName>,
    /// Times the links.
    pub clock: Option<Clock>,
    /// Ends the solvers' work on a query before its limit.
    pub stop: Option<Stop>,
}

impl Default for ChainOptions {
    /// All links, no SMT solvers.
    fn default() -> ChainOptions {
        ChainOptions {
            conflict_limit: 20_000,
            smt: Vec::new(),
            smt_time_limit: Duration::from_secs(5),
            without: Vec::new(),
            clock: None,
            stop: None,
        }
    }
}

/// A chain of links, with counts of their work.
pub struct Chain {
    first: Box<dyn Solver>,
    meter: Arc<Meter>,
    effort: Effort,
}

impl Chain {
    /// The work of its links so far.
    pub fn effort(&self) -> u64 {
        self.effort.spent()
    }

    /// The counts of each link so far, outermost first.
    pub fn statistics(&self) -> Vec<LinkStatistics> {
        self.meter.statistics()
    }
}

impl Solver for Chain {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.first.check(terms, query)
    }
}

/// The chain of links, built from its end: cheap links stand before expensive ones, and links that
/// use known answers before both. The first links remove from a query what does not matter.
pub fn chain(options: &ChainOptions) -> Chain {
    Links::new(options)
        .then(LinkName::Bounds, Bounds::new)
        .then(LinkName::Order, Order::new)
        .then(LinkName::Substitute, Substitute::new)
        .then(LinkName::Invert, Invert::new)
        .then(LinkName::Intervals, Intervals::new)
        .then(LinkName::Validate, Validate::new)
        .then(LinkName::Cache, Cache::new)
        .then(LinkName::Slice, Slice::new)
        .then(LinkName::Conjuncts, Conjuncts::new)
        .then(LinkName::Trivial, Trivial::new)
        .finish()
}

/// A chain while it is built.
struct Links<'a> {
    options: &'a ChainOptions,
    meter: Arc<Meter>,
    effort: Effort,
    first: Box<dyn Solver>,
}

impl Links<'_> {
    /// The solvers at the end.
    fn new(options: &ChainOptions) -> Links<'_> {
        let meter = Meter::new(options.clock.clone());
        let effort = Effort::default();
        let sat = Sat::new(options.conflict_limit)
            .until(options.stop.clone())
            .counted(effort.clone());
        let sat = Measured::new(LinkName::Sat, sat, (&meter, &effort));
        let first: Box<dyn Solver> = if options.smt.is_empty() {
            Box::new(sat)
        } else {
            let smt = Smt::new(options.smt.clone(), options.smt_time_limit)
                .until(options.stop.clone())
                .counted(effort.clone());
            let smt = Measured::new(LinkName::Smt, smt, (&meter, &effort));
            Box::new(Fallback::new(sat, smt))
        };
        Links {
            options,
            meter,
            effort,
            first,
        }
    }

    /// Puts a link in front, unless it is to be left out.
    fn then<S: Solver + 'static>(mut self, name: LinkName, link: fn(Box<dyn Solver>) -> S) -> Self {
        let is_optional = LinkName::OPTIONAL.contains(&name);
        if !(is_optional && self.options.without.contains(&name)) {
            let counted = (&self.meter, &self.effort);
            self.first = Box::new(Measured::new(name, link(self.first), counted));
        }
        self
    }

    fn finish(self) -> Chain {
        Chain {
            first: self.first,
            meter: self.meter,
            effort: self.effort,
        }
    }
}
