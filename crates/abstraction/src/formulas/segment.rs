//! Formulas of segments: what control does between one cut and the next ones, as terms over the
//! locations at the segment's start ("large blocks": Beyer, Cimatti, Griggio, Keremoglu, Sebastiani
//! 2009, "Software model checking via large-block encoding").
//!
//! ```text
//! state[start] := reach true, nothing changed
//! for each point of the segment, before its successors:
//!     state := join of what came along its edges     // if-then-else by how control came
//!     execute its statements on state                // semantics::Code over terms
//!     for each edge: send state and the edge's condition to its block; at a cut, an exit
//! ```
//!
//! A loop that is known to end after few rounds is executed round by round:
//!
//! ```text
//! while something came to its head:       // no more than 16 times
//!     execute its points once
//!     stop if no test for its end is decided        // it is a cut then
//! ```
//!
//! Where C leaves something undefined, the path ends: each requirement is a check, and what comes
//! behind it may assume that it held. Checks stay apart from the formulas, so that an answer names
//! those that it needed.

use std::collections::BTreeSet;

use expr::Term;
use fixedbitset::FixedBitSet;
use ir::{CodeBlock, CodeEdge, DefectKind, FunctionId, Span};

use crate::formulas::arrays::Arrays;
use crate::formulas::state::State;
use crate::graph::cuts::CutId;
use crate::graph::unfolding::{ContextId, Point};

/// A place that an execution may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodePlace {
    /// An edge out of a branch or a switch.
    Edge(CodeEdge),
    /// The end of a block.
    Block(CodeBlock),
}

/// What is the matter where a check does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The execution has a defect.
    Defect(DefectKind),
    /// An allocation fails, which is taken not to happen: a bound.
    Allocation,
}

/// A requirement at a place of a segment: of C, or of a bound.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is the matter where it does not hold.
    pub failure: Failure,
    /// The function that it lies in.
    pub function: FunctionId,
    /// Its place.
    pub span: Option<Span>,
    /// Whether it holds, or control does not get there.
    pub holds: Term,
}

/// How a segment reaches a cut.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The cut.
    pub to: CutId,
    /// How control gets there, and the locations then.
    pub state: State,
}

/// How a segment reaches a place.
#[derive(Clone, Debug)]
pub struct ReachedPlace {
    /// The place.
    pub place: CodePlace,
    /// Whether control gets there.
    pub reach: Term,
    /// The checks before it.
    pub checks: FixedBitSet,
}

/// An edge out of a branch or a switch in a segment.
#[derive(Clone, Copy, Debug)]
pub struct TakenEdge {
    /// The context of its block.
    pub context: ContextId,
    /// The edge.
    pub edge: CodeEdge,
    /// Whether control takes it.
    pub reach: Term,
}

/// A call in a segment whose result is an input.
#[derive(Clone, Debug)]
pub struct CallResult {
    /// The function, which has no body.
    pub function: FunctionId,
    /// Whether control gets there.
    pub reach: Term,
    /// The result.
    pub value: Term,
}

/// The formulas of a segment.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The cut at which it starts.
    pub from: CutId,
    /// The cuts that it leads to, each once.
    pub exits: Vec<Exit>,
    /// The places in it, once for each context.
    pub places: Vec<ReachedPlace>,
    /// Its checks.
    pub checks: Vec<Check>,
    /// Conditions of branches in it, over the locations at its start and inputs.
    pub conditions: Vec<Term>,
    /// The edges of branches in it, once for each round of a loop that is executed in it.
    pub edges: Vec<TakenEdge>,
    /// What it does to arrays, and reads of them.
    pub arrays: Arrays,
    /// Its calls whose results are inputs, in the order of their execution.
    pub results: Vec<CallResult>,
    /// The addresses that its allocations return.
    pub addresses: Vec<Term>,
    /// The values of pointers that it moves, of which nothing else is known: hardly any is NULL.
    pub moved: Vec<Term>,
    /// Heads of loops in it that are not through after few rounds. If there are any, it lacks what is
    /// behind these rounds.
    pub unfinished: BTreeSet<Point>,
    /// Whether functions without a body may change something in it by calls of the program.
    pub is_called_back: bool,
}

impl Segment {
    /// The terms of its formulas.
    pub fn terms(&self) -> Vec<Term> {
        let checks = self.checks.iter().map(|check| check.holds);
        let places = self.places.iter().map(|reached| reached.reach);
        let exits = self.exits.iter().flat_map(|exit| {
            let values = exit.state.changed.values().copied();
            values.chain([exit.state.reach])
        });
        checks.chain(places).chain(exits).collect()
    }

    /// What holds where some of its checks were passed.
    pub fn passed<'a>(
        &'a self,
        checks: &'a FixedBitSet,
    ) -> impl Iterator<Item = (usize, Term)> + 'a {
        checks.ones().map(|at| (at, self.checks[at].holds))
    }
}
