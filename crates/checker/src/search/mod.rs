//! Checks that a search took all paths, and that none of them reaches a goal.
//!
//! ```text
//! certificate: inputs ─► machine ─► paths ─► tree ─► what no execution did ─► solver: unsat?
//!                           │                              │
//!                           ▼                              ▼ control-flow graph
//!                   reached, losses, bounds        goals that lie behind it
//! ```
//!
//! The certificate is believed nothing: an input that is missing or damaged leaves a side of the tree
//! open that another input takes. What is trusted is the machine: what an execution does, which
//! conditions and which alternatives it records, and where it says that precision was lost.

mod reach;
mod replay;
mod session;
mod sides;
mod tree;

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use ir::certificate::CodePlace;
use ir::certificate::paths::TakenPaths;
use ir::test::{Bound, BoundKind, Frame};
use ir::{Block, CodeIndex, FunctionId, Program, Trace};

use self::reach::{Place, Reach, Reached};
use self::replay::{Replayed, replay};
use self::session::Session;
use self::sides::Sides;
use crate::process::Process;
use crate::refusal::Refusal;

/// A search, as far as it says what executions are.
#[derive(Clone, Debug)]
pub struct SearchRun<'p> {
    /// The program.
    pub program: &'p Program,
    /// The numbers of its blocks and edges.
    pub index: &'p CodeIndex,
    /// The function that executions begin in.
    pub entry: FunctionId,
    /// The function that has to accept the input first.
    pub precondition: Option<FunctionId>,
    /// How the machine executes the program.
    pub machine: vm::Config,
    /// The bounds within which all claims hold.
    pub assumed: Vec<BoundKind>,
    /// The functions that others may call too; claims about them have a bound.
    pub called_by_others: BTreeSet<FunctionId>,
}

/// What is claimed of a goal: that no execution of the search reaches any of some places.
#[derive(Clone, Debug)]
pub struct GoalClaim {
    /// The places.
    pub places: Vec<CodePlace>,
    /// The names of the bounds within which it is claimed.
    pub bounds: BTreeSet<String>,
}

/// What was shown for all claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// How many paths were executed.
    pub paths: usize,
    /// How many questions were answered.
    pub sides: usize,
}

/// Checks claims by the paths of a search. The result has an entry for each claim.
///
/// # Errors
/// The paths are refused, and so are all claims.
pub fn check_search(
    run: &SearchRun<'_>,
    paths: &TakenPaths,
    claims: &[GoalClaim],
    solver: &mut Process,
) -> Result<Vec<Result<Shown, Refusal>>, Refusal> {
    let mut found = replay(run, paths)?;
    let reach = Reach::new(run.program, run.index, run.entry);
    let executed = Executed {
        run,
        reach: &reach,
        found: &found,
    };
    let refused = claims.iter().map(|claim| executed.refuses(claim).err());
    let refused = refused.collect();
    let doubtful = claims.iter().enumerate();
    let doubtful = doubtful.filter(|(_, claim)| executed.is_in(&found.rejected, claim));
    let mut doubtful: FixedBitSet = doubtful.map(|(at, _)| at).collect();
    doubtful.grow(claims.len());
    let mut sides = Sides::new(run, claims, &reach, &mut found, doubtful, refused);
    sides.ask(&mut Session::new(solver));
    let shown = Shown {
        paths: paths.inputs.len(),
        sides: sides.shown,
    };
    let results = sides.refused.into_iter();
    Ok(results
        .map(|refused| refused.map_or(Ok(shown), Err))
        .collect())
}

/// The paths of a search without those that reach the places of a claim. Tests of the checker demand
/// that it refuses the claim with these paths.
///
/// # Errors
/// The paths are refused.
pub fn paths_beside(
    run: &SearchRun<'_>,
    paths: &TakenPaths,
    claim: &GoalClaim,
) -> Result<TakenPaths, Refusal> {
    let mut beside = TakenPaths {
        inputs: Vec::new(),
        ..paths.clone()
    };
    for input in &paths.inputs {
        let one = TakenPaths {
            inputs: vec![input.clone()],
            ..beside.clone()
        };
        let found = replay(run, &one)?;
        let is_in = |trace: &Trace| claim.places.iter().any(|it| visits(run, trace, it));
        if !is_in(&found.reached) && !is_in(&found.rejected) {
            beside.inputs.push(input.clone());
        }
    }
    Ok(beside)
}

/// The executions, beside claims.
struct Executed<'a> {
    run: &'a SearchRun<'a>,
    reach: &'a Reach<'a>,
    found: &'a Replayed<'a>,
}

impl Executed<'_> {
    /// Refuses a claim that the executions contradict, or that they do not show.
    fn refuses(&self, claim: &GoalClaim) -> Result<(), Refusal> {
        if claim.places.is_empty() {
            return Err(Refusal::bad("the goal has no place in the code"));
        }
        self.is_not_reached(claim)?;
        let names = |kind: BoundKind| claim.bounds.contains(kind.name());
        let unnamed = |kind: BoundKind| {
            let why = format!("the claim does not name the bound {}", kind.name());
            Refusal::bad(why)
        };
        let mut places = claim.places.iter();
        let is_others = places.any(|place| {
            let function = FunctionId::from_raw(place.function);
            self.run.called_by_others.contains(&function)
        });
        if is_others && !names(BoundKind::UnknownCall) {
            return Err(unnamed(BoundKind::UnknownCall));
        }
        if let Some(&kind) = self.run.assumed.iter().find(|&&kind| !names(kind)) {
            return Err(unnamed(kind));
        }
        let may_not_return = self.is_in(&self.found.before_calls, claim);
        if may_not_return && !names(BoundKind::UnknownCall) {
            return Err(unnamed(BoundKind::UnknownCall));
        }
        let losses = self.found.losses.iter();
        for loss in losses.filter(|loss| loss.kind.is_about_goals()) {
            if self.leads_to(&loss.stack, claim) {
                let why = format!("an execution has the loss {}", loss.kind.name());
                let span = loss.stack.first().map(|frame| frame.span.clone());
                return Err(Refusal::bad(why).at(span));
            }
        }
        let unnamed_bound =
            |bound: &&Bound| !names(bound.kind) && self.leads_to(&bound.stack, claim);
        match self.found.bounds.iter().find(unnamed_bound) {
            Some(bound) => {
                let span = bound.stack.first().map(|frame| frame.span.clone());
                Err(unnamed(bound.kind).at(span))
            }
            None => Ok(()),
        }
    }

    fn is_not_reached(&self, claim: &GoalClaim) -> Result<(), Refusal> {
        match self.is_in(&self.found.reached, claim) {
            true => Err(Refusal::bad("an execution reaches the goal")),
            false => Ok(()),
        }
    }

    /// Whether a trace has a place of a claim.
    fn is_in(&self, trace: &Trace, claim: &GoalClaim) -> bool {
        claim.places.iter().any(|it| visits(self.run, trace, it))
    }

    /// Whether control can go from inside some calls, innermost first, to the places of a claim. What
    /// happens anywhere may be why an execution is rejected behind the places.
    fn leads_to(&self, stack: &[Frame], claim: &GoalClaim) -> bool {
        if self.is_in(&self.found.rejected, claim) {
            return true;
        }
        let reached: Reached = match Place::of_stack(stack) {
            Some(place) => self.reach.behind(&place),
            None => self.reach.everything(),
        };
        let mut places = claim.places.iter();
        places.any(|place| self.reach.has(&reached, place))
    }
}

/// Whether a trace has a place.
fn visits(run: &SearchRun<'_>, trace: &Trace, place: &CodePlace) -> bool {
    let function = FunctionId::from_raw(place.function);
    let block = Block::from_raw(place.block);
    match place.successor {
        Some(successor) => {
            let edge = run.index.edge(function, block, successor as usize);
            trace.edge(edge)
        }
        None => trace.block(run.index.block(function, block)),
    }
}
