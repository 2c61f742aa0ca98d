//! Summaries: known paths of functions, which are taken again elsewhere (LATEST, section 4.3).
//!
//! A summary is the conditions of a path through a call, and its result, over the inputs that
//! decided there. It is moved to the place where another call of the function begins to look at
//! inputs: each condition on an input at some distance from the first one becomes a condition on
//! the input at the same distance from the new first one. That is a guess, like all conditions of a
//! summary on memory, which the path may have changed or not read: an execution has to show that it
//! is right.

use expr::{Substitution, Term, Terms, Var};
use ir::input::{CallMode, Expands, InputCell, InputSpace, Root};
use ir::{CellId, FunctionId, ObjectId};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use vm::{Constraint, ConstraintKind, Execution, MadeCall};

use super::{Ordering, Proposal};
use crate::acceleration::Acceleration;
use crate::lazy::Joined;
use crate::lazy::facts::Facts;
use crate::lazy::partial_path::{PartialPath, PathId};
use crate::lazy::surroundings::Surroundings;
use crate::lazy::target::Target;
use crate::path_tree::{Flip, NodeId};

/// The most nodes of a summary's terms after it is moved.
const LIMIT: usize = 4_096;

/// The most summaries of one function with the same result.
const MOST: u32 = 16;

/// A path through a call; see the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Summary {
    /// Its conditions, over inputs counted from the first that it looks at.
    conditions: Vec<Term>,
    /// Its result, if it is a number.
    result: Option<Term>,
}

/// A summary with what is known of it.
#[derive(Clone, Debug)]
struct Known {
    summary: Summary,
    /// The distance in bits from the first input that the path looks at to the first one that the
    /// next call looks at, where it is known.
    leads: Option<i64>,
}

/// The summaries of the functions whose calls can be replaced.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    known: FxHashMap<FunctionId, Vec<Known>>,
    numbers: FxHashMap<(FunctionId, Summary), usize>,
    /// The number of summaries with the same result.
    counts: FxHashMap<(FunctionId, Option<Term>), u32>,
    /// The calls with a known first input that they look at, by their nodes.
    occasions: SecondaryMap<NodeId, Occasion>,
    /// The attempts for each path that is followed.
    attempts: FxHashMap<PathId, Attempts>,
}

/// A call of a function with a known first input that decides in it.
#[derive(Clone, Copy, Debug)]
struct Occasion {
    call: ObjectId,
    function: FunctionId,
    /// That input.
    anchor: CellId,
}

impl Occasion {
    /// The calls of an execution, each with the position of its constraint.
    fn all<'a>(
        execution: &'a Execution,
        terms: &'a Terms,
    ) -> impl Iterator<Item = (usize, Occasion)> + 'a {
        execution.made.iter().filter_map(|made| {
            let mut inside = execution.path.get(made.at + 1..)?.iter();
            let is_call = |kind: ConstraintKind| matches!(kind, ConstraintKind::Call(_));
            let first = || inside.find(|constraint| !is_call(constraint.kind));
            let is_entered = made.mode == CallMode::Entered;
            let entered = is_entered.then(first).flatten();
            let first = made.first.or(entered.map(|constraint| constraint.term))?;
            let occasion = Occasion {
                call: made.call,
                function: made.function,
                anchor: anchor(first, terms)?,
            };
            Some((made.at, occasion))
        })
    }
}

/// Known paths through calls, one after the other.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// Their demands on inputs.
    demands: Vec<Term>,
    /// The calls.
    calls: Vec<ObjectId>,
}

/// The attempts to use known paths for the first call that is replaced on some path.
#[derive(Clone, Debug)]
struct Attempts {
    /// The node of that call, and its occasion.
    next_call: (NodeId, Occasion),
    /// How many known paths were looked at.
    looked: usize,
    /// How many of them fitted.
    fitted: u32,
    /// Whether the last attempt also had paths for the next calls, and not for this call alone.
    is_chained: bool,
    /// The next plan to try.
    plan: Option<Plan>,
}

/// The most known paths that fit and are tried for one call.
const ATTEMPTS: u32 = 8;

impl Ordering for Summaries {
    fn name(&self) -> Acceleration {
        Acceleration::Summaries
    }

    fn executed(
        &mut self,
        joined: Joined<'_>,
        _: &[Flip],
        _: &Facts,
        surroundings: &mut Surroundings<'_>,
    ) {
        let Surroundings { space, terms, .. } = surroundings;
        for (at, occasion) in Occasion::all(joined.execution, terms) {
            if let Some(flip) = joined.path.get(at) {
                self.occasions.insert(flip.node, occasion);
            }
        }
        self.learn(joined.execution, space, terms);
    }

    fn followed(&mut self, path: &PartialPath) {
        let first = path.first.map(|(node, _)| node);
        let occasion = first.and_then(|node| Some((node, *self.occasions.get(node)?)));
        let Some(next_call) = occasion else { return };
        let attempts = Attempts {
            next_call,
            looked: 0,
            fitted: 0,
            is_chained: false,
            plan: None,
        };
        self.attempts.insert(path.id, attempts);
    }

    /// Known paths for the calls that are replaced on the innermost layer. Paths that leave calls
    /// open come after other candidates that lead on.
    fn propose(
        &mut self,
        target: Option<&Target>,
        _: &Facts,
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Proposal> {
        let path = target?.partial();
        let mut attempts = self.attempts.remove(&path.id)?;
        let flip = surroundings.view.tree.expansion(attempts.next_call.0);
        let plan = flip.and_then(|_| {
            let kept = attempts.plan.take();
            kept.or_else(|| self.plan(path, &mut attempts, surroundings))
        });
        let leaves_open = |plan: &Plan| plan.calls.len() < path.replaced.len();
        let mut proposed = None;
        match plan {
            Some(plan) if leaves_open(&plan) && path.leads_on() => attempts.plan = Some(plan),
            plan => proposed = plan,
        }
        self.attempts.insert(path.id, attempts);
        let Plan { demands, calls } = proposed?;
        Some(Proposal {
            by: Acceleration::Summaries,
            flip: flip?,
            source: None,
            further: demands,
            expands: Expands::Calls(calls.into_iter().collect()),
        })
    }

    fn forget(&mut self, path: PathId) {
        self.attempts.remove(&path);
    }
}

impl Summaries {
    /// A known path through the first call that is replaced on the innermost layer and that may
    /// lead on; where the first inputs of the next calls are known, first along with paths through
    /// these.
    fn plan(
        &self,
        path: &PartialPath,
        tried: &mut Attempts,
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Plan> {
        let (_, occasion) = tried.next_call;
        let of_result = path.guards.on(occasion.call);
        loop {
            let is_alone = std::mem::take(&mut tried.is_chained);
            if !is_alone {
                let is_over =
                    tried.fitted >= ATTEMPTS || tried.looked >= self.len(occasion.function);
                if is_over {
                    return None;
                }
                tried.looked += 1;
            }
            let summary = (tried.looked - 1, occasion);
            let Some(plan) = self.plan_of(summary, &of_result, surroundings) else {
                continue;
            };
            if is_alone {
                return Some(plan);
            }
            tried.fitted += 1;
            let plan = self.chained(plan, summary, path, surroundings);
            tried.is_chained = plan.calls.len() > 1;
            return Some(plan);
        }
    }

    /// Records the paths through the calls that an execution expanded.
    fn learn(&mut self, execution: &Execution, space: &mut InputSpace, terms: &mut Terms) {
        let occasions: Vec<_> = Occasion::all(execution, terms).collect();
        for made in &execution.made {
            let Some((end, _)) = made.returned else {
                continue;
            };
            let Some(summary) = summary(made, execution, space, terms) else {
                continue;
            };
            let known = self.known.entry(made.function).or_default();
            let number = match self.numbers.get(&(made.function, summary.clone())) {
                Some(&number) => number,
                None => {
                    let alike = (made.function, summary.result);
                    let alike = self.counts.entry(alike).or_default();
                    if *alike >= MOST {
                        continue;
                    }
                    *alike += 1;
                    self.numbers
                        .insert((made.function, summary.clone()), known.len());
                    known.push(Known {
                        summary,
                        leads: None,
                    });
                    known.len() - 1
                }
            };
            let at = |at: usize| occasions.iter().find(|(position, _)| *position == at);
            let next = execution.made.iter().map(|made| made.at);
            let next = next.filter(|&at| at >= end).min().and_then(at);
            if let Some(((_, here), (_, next))) = at(made.at).zip(next) {
                let leads = distance(here.anchor, next.anchor, space);
                known[number].leads = known[number].leads.or(leads);
            }
        }
    }

    /// The number of known paths of a function.
    fn len(&self, function: FunctionId) -> usize {
        self.known.get(&function).map_or(0, Vec::len)
    }

    /// The demands of a known path of a function on inputs for a call, with the conditions on its
    /// result. `None` if it cannot be moved there.
    fn plan_of(
        &self,
        (number, occasion): (usize, Occasion),
        of_result: &[Term],
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Plan> {
        let known = self.known.get(&occasion.function)?.get(number)?;
        Some(Plan {
            demands: known.summary.demands(occasion, of_result, surroundings)?,
            calls: vec![occasion.call],
        })
    }

    /// A plan for the first call that is replaced on a path with known paths for the next calls,
    /// each the first that fits, as far as the first inputs of these are known.
    fn chained(
        &self,
        mut plan: Plan,
        (mut number, mut here): (usize, Occasion),
        path: &PartialPath,
        surroundings: &mut Surroundings<'_>,
    ) -> Plan {
        for &(call, function) in path.replaced.get(1..).unwrap_or_default() {
            let known = self.known.get(&here.function).and_then(|it| it.get(number));
            let Some(leads) = known.and_then(|known| known.leads) else {
                break;
            };
            let anchor = *surroundings.space.cell_data(here.anchor);
            let offset_bits = anchor.offset_bits + leads;
            let anchor = surroundings.space.cell(InputCell {
                offset_bits,
                ..anchor
            });
            here = Occasion {
                call,
                function,
                anchor,
            };
            let of_result = path.guards.on(call);
            let next = self.known.get(&function).into_iter().flatten();
            let fits = next.enumerate().find_map(|(at, known)| {
                let demands = known.summary.demands(here, &of_result, surroundings)?;
                Some((at, demands))
            });
            let Some((at, demands)) = fits else { break };
            number = at;
            plan.demands.extend(demands);
            plan.calls.push(call);
        }
        plan
    }
}

impl Summary {
    /// Its demands on inputs for a call, with the conditions on its result. `None` if it cannot be
    /// moved there.
    fn demands(
        &self,
        occasion: Occasion,
        of_result: &[Term],
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Vec<Term>> {
        let Surroundings { space, terms, .. } = surroundings;
        let mut moved = Moved::to(occasion.anchor, space);
        let mut demands = Vec::new();
        if let Some(result) = self.result {
            let result = moved.term(result, space, terms)?;
            demands = with_result(occasion.call, result, of_result, space, terms)?;
        }
        let is_false = |&term: &Term| terms.as_bool(term) == Some(false);
        if demands.iter().any(is_false) {
            return None;
        }
        for &condition in &self.conditions {
            demands.push(moved.term(condition, space, terms)?);
        }
        Some(demands)
    }
}

/// The distance in bits of an input from another of the same object.
fn distance(from: CellId, to: CellId, space: &InputSpace) -> Option<i64> {
    let (from, to) = (space.cell_data(from), space.cell_data(to));
    (from.object == to.object).then_some(to.offset_bits - from.offset_bits)
}

/// The path through a call, if it can be taken again.
fn summary(
    made: &MadeCall,
    execution: &Execution,
    space: &mut InputSpace,
    terms: &mut Terms,
) -> Option<Summary> {
    let (end, result) = made.returned?;
    let inside = execution.path.get(made.at + 1..end)?;
    let entered = CallMode::Entered as u32;
    let is_plain = |constraint: &Constraint| match constraint.kind {
        ConstraintKind::Branch | ConstraintKind::Check(_) | ConstraintKind::Assumption => true,
        ConstraintKind::Call(_) => constraint.taken == entered,
        ConstraintKind::PointerChoice(_) | ConstraintKind::Concretisation => false,
    };
    if !inside.iter().all(is_plain) {
        return None;
    }
    let conditions = inside.iter().map(|constraint| constraint.term);
    let conditions: Vec<Term> = conditions
        .filter(|&term| terms.as_bool(term).is_none())
        .collect();
    let anchor = anchor(*conditions.first()?, terms)?;
    let mut moved = Moved::from(anchor, space);
    let conditions = conditions.into_iter();
    let conditions: Option<Vec<Term>> = conditions
        .map(|term| moved.term(term, space, terms))
        .collect();
    let result = match result {
        Some(result) => Some(moved.term(result, space, terms)?),
        None => None,
    };
    Some(Summary {
        conditions: conditions?,
        result,
    })
}

/// The first input of a term.
fn anchor(term: Term, terms: &Terms) -> Option<CellId> {
    let var = terms.variables(term).first()?;
    Some(CellId::from_raw(var.0))
}

/// A condition on a call's result, with a term in place of the result.
fn with_result(
    call: ObjectId,
    result: Term,
    of_result: &[Term],
    space: &InputSpace,
    terms: &mut Terms,
) -> Option<Vec<Term>> {
    let mut replaced = Substitution::default();
    for &term in of_result {
        for var in terms.variables(term).iter().collect::<Vec<_>>() {
            let cell = space.cell_data(CellId::from_raw(var.0));
            if space.object_data(cell.object).root == Root::Returned(call) {
                let narrow = match terms.width(result) > cell.width {
                    true => terms.extract(cell.width - 1, 0, result),
                    false => result,
                };
                replaced.insert(var, narrow);
            }
        }
    }
    let demands = of_result.iter();
    demands
        .map(|&term| replaced.apply(terms, term, LIMIT))
        .collect()
}

/// Terms with the cells of one object in place of those of another, at the same distances.
struct Moved {
    from: ObjectId,
    to: ObjectId,
    /// The distance in bits.
    distance: i64,
    cells: Substitution,
}

impl Moved {
    /// From the inputs of an execution to the object of summaries.
    fn from(anchor: CellId, space: &mut InputSpace) -> Moved {
        let cell = *space.cell_data(anchor);
        Moved {
            from: cell.object,
            to: place_of_summaries(space, cell),
            distance: -cell.offset_bits,
            cells: Substitution::default(),
        }
    }

    /// From the object of summaries to other inputs.
    fn to(anchor: CellId, space: &mut InputSpace) -> Moved {
        let cell = *space.cell_data(anchor);
        Moved {
            from: place_of_summaries(space, cell),
            to: cell.object,
            distance: cell.offset_bits,
            cells: Substitution::default(),
        }
    }

    fn term(&mut self, term: Term, space: &mut InputSpace, terms: &mut Terms) -> Option<Term> {
        for var in terms.variables(term).iter().collect::<Vec<_>>() {
            let cell = *space.cell_data(CellId::from_raw(var.0));
            if cell.object != self.from || self.cells.get(var).is_some() {
                continue;
            }
            let there = space.cell(InputCell {
                object: self.to,
                offset_bits: cell.offset_bits + self.distance,
                ..cell
            });
            let there = terms.var(Var(there.raw()), cell.width);
            self.cells.insert(var, there);
        }
        self.cells.apply(terms, term, LIMIT)
    }
}

/// The object with the cells of summaries that begin with such a cell.
fn place_of_summaries(space: &mut InputSpace, cell: InputCell) -> ObjectId {
    space.object(Root::Summary, cell.ty)
}
