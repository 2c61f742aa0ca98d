//! Executions of the inputs of a certificate, and what they say: their tree, what they reached, where
//! precision was lost, and which bounds they hit.

use expr::{Model, Term, Terms, Var};
use fixedbitset::FixedBitSet;
use ir::certificate::paths::TakenPaths;
use ir::input::{InputSpace, InputValue, InputVector};
use ir::logical::Addresses;
use ir::test::{Bound, BoundKind, Frame, Loss, LossKind, Outcome};
use ir::{CellId, FunctionId, Program, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{Contexts, Defaults, Execution, InputProvider, Machine, Site};

use super::SearchRun;
use super::tree::{Conflict, SlotId, Tree};
use crate::refusal::Refusal;

/// What the executions say.
pub struct Replayed<'a> {
    run: &'a SearchRun<'a>,
    paths: &'a TakenPaths,
    machine: Machine<'a>,
    space: InputSpace,
    seen_losses: FxHashSet<(LossKind, Stack)>,
    seen_bounds: FxHashSet<(BoundKind, Stack)>,
    /// The terms of the tree.
    pub terms: Terms,
    /// The tree of their paths.
    pub tree: Tree,
    /// What was reached by executions that no assumption rejected.
    pub reached: Trace,
    /// What was reached by the others.
    pub rejected: Trace,
    /// What they reached before a call that need not return.
    pub before_calls: Trace,
    /// Where precision was lost.
    pub losses: Vec<Loss>,
    /// Which bounds were hit.
    pub bounds: Vec<Bound>,
}

/// A place in the program, without its place in the source.
type Stack = Vec<(FunctionId, ir::Block)>;

/// The values of one input, by the addresses of its cells.
struct Values<'a> {
    program: &'a Program,
    values: FxHashMap<&'a str, &'a str>,
}

impl Defaults for Values<'_> {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let program = self.program;
        let addresses = Addresses { program, space };
        addresses.read(self.values.get(addresses.cell(cell).as_str())?)
    }
}

/// Executes all inputs.
///
/// # Errors
/// They are no paths of the program, or executions that the path condition does not describe.
pub fn replay<'a>(run: &'a SearchRun<'a>, paths: &'a TakenPaths) -> Result<Replayed<'a>, Refusal> {
    if !run.machine.policies.is_empty() || run.machine.beyond_defects {
        return Err(Refusal::needs(
            "executions of all calls, up to the first defect",
        ));
    }
    if paths.inputs.is_empty() {
        return Err(Refusal::bad("there is no path"));
    }
    let mut replayed = Replayed::new(run, paths);
    for number in 0..paths.inputs.len() {
        let execution = replayed.execute(number, &InputVector::default())?;
        replayed.record(number, &execution)?;
    }
    Ok(replayed)
}

fn values<'a>(
    program: &'a Program,
    paths: &'a TakenPaths,
    input: &'a [(u32, String)],
) -> Result<Values<'a>, Refusal> {
    let mut values = FxHashMap::default();
    for (cell, value) in input {
        let cell = paths.cells.get(*cell as usize);
        let cell = cell.ok_or_else(|| Refusal::bad("an input has a value for no cell"))?;
        values.insert(cell.as_str(), value.as_str());
    }
    Ok(Values { program, values })
}

impl<'a> Replayed<'a> {
    fn new(run: &'a SearchRun<'a>, paths: &'a TakenPaths) -> Self {
        Replayed {
            run,
            paths,
            machine: Machine::new(run.program, run.index, run.machine.clone()),
            space: InputSpace::default(),
            seen_losses: FxHashSet::default(),
            seen_bounds: FxHashSet::default(),
            terms: Terms::default(),
            tree: Tree::default(),
            reached: Trace::new(run.index),
            rejected: Trace::new(run.index),
            before_calls: Trace::new(run.index),
            losses: Vec::new(),
            bounds: Vec::new(),
        }
    }

    /// The calls under way at the nodes of the tree.
    pub fn contexts(&self) -> &Contexts {
        self.machine.contexts()
    }

    /// Executes the input of a number, with other values for some cells.
    fn execute(&mut self, number: usize, other: &InputVector) -> Result<Execution, Refusal> {
        let input = self.paths.inputs.get(number);
        let input = input.ok_or_else(|| Refusal::bad("there is no such path"))?;
        let values = values(self.run.program, self.paths, input)?;
        let provider = InputProvider {
            vector: other,
            defaults: &values,
            recorded: usize::MAX,
            unrecorded: 0,
            more_steps: 0,
        };
        let SearchRun {
            precondition,
            entry,
            ..
        } = *self.run;
        let (space, terms) = (&mut self.space, &mut self.terms);
        let machine = &mut self.machine;
        Ok(machine.execute_if(precondition, entry, provider, space, terms))
    }

    /// Whether all inputs that take a side of the node at a slot are rejected there: one is, which a
    /// model gives, and its execution makes no further choice, so that others do the same; and it has
    /// no loss and no bound that is not known.
    pub fn rejects(&mut self, slot: SlotId, side: Term, model: &Model) -> bool {
        let Some(source) = self.tree.slot(slot).node.as_ref().map(|node| node.source) else {
            return false;
        };
        let values = model.iter().filter_map(|(var, bits)| {
            let cell = CellId::from_raw(var.0);
            let mut cells = self.space.cells();
            let is_known = cells.any(|(known, _)| known == cell);
            is_known.then_some((cell, InputValue::Bits(bits)))
        });
        let other = InputVector {
            values: values.collect(),
            ..InputVector::default()
        };
        let Ok(execution) = self.execute(source, &other) else {
            return false;
        };
        let path = &execution.path;
        let found = &execution.imprecision;
        let mut losses = found.losses.iter();
        let mut bounds = found.bounds.iter();
        let Some((last, before)) = path.split_last() else {
            return false;
        };
        execution.outcome == Outcome::Rejected
            && last.term == side
            && self.tree.find(before) == Some(slot)
            && losses.all(|it| self.seen_losses.contains(&(it.kind, stack(&it.stack))))
            && bounds.all(|it| self.seen_bounds.contains(&(it.kind, stack(&it.stack))))
            && self.knows_calls_before(&execution)
            && self.holds(&execution).is_ok()
    }

    /// Whether what a rejected execution reached before a call that need not return is known to be
    /// reached so, as far as rejected executions reach it.
    fn knows_calls_before(&self, execution: &Execution) -> bool {
        let is_known = |before: &FixedBitSet, rejected: &FixedBitSet, known: &FixedBitSet| {
            before
                .intersection(rejected)
                .all(|number| known.contains(number))
        };
        let mut before = execution.visited.before_call.iter();
        before.all(|before| {
            let (rejected, known) = (&self.rejected, &self.before_calls);
            is_known(&before.blocks, &rejected.blocks, &known.blocks)
                && is_known(&before.edges, &rejected.edges, &known.edges)
        })
    }

    /// Records what an execution says, that of the input of a number.
    fn record(&mut self, number: usize, execution: &Execution) -> Result<(), Refusal> {
        self.holds(execution)?;
        let trace = match execution.outcome {
            Outcome::Rejected => &mut self.rejected,
            _ => &mut self.reached,
        };
        trace.blocks.union_with(&execution.visited.trace.blocks);
        trace.edges.union_with(&execution.visited.trace.edges);
        if let Some(before) = &execution.visited.before_call {
            self.before_calls.blocks.union_with(&before.blocks);
            self.before_calls.edges.union_with(&before.edges);
        }
        let is_cut_short = matches!(
            execution.outcome,
            Outcome::LimitReached | Outcome::Unsupported | Outcome::AddressDependent
        );
        let found = &execution.imprecision;
        if execution.abstracted > 0 || !found.fixed.is_empty() {
            return Err(Refusal::needs("executions of all calls, by their code"));
        }
        if is_cut_short && found.losses.is_empty() && found.bounds.is_empty() {
            return Err(Refusal::bad(
                "an execution ends early, and does not say why",
            ));
        }
        for loss in &found.losses {
            if self.seen_losses.insert((loss.kind, stack(&loss.stack))) {
                self.losses.push(loss.clone());
            }
        }
        for bound in &found.bounds {
            if self.seen_bounds.insert((bound.kind, stack(&bound.stack))) {
                self.bounds.push(bound.clone());
            }
        }
        let (path, ended_by) = (&execution.path, execution.needs.ended_by);
        let joined = self.tree.insert(path, number, ended_by);
        joined.map_err(|Conflict(site)| {
            let why = "two executions make the same choices and then differ";
            Refusal::bad(why).at(site.and_then(|site| span(self.run.program, site)))
        })
    }

    /// Sees to it that an input satisfies the conditions of its own path.
    fn holds(&self, execution: &Execution) -> Result<(), Refusal> {
        let values = execution.inputs.values.iter();
        let model: Model = values
            .filter_map(|(cell, value)| match value {
                InputValue::Bits(bits) => Some((Var(cell.raw()), *bits)),
                _ => None,
            })
            .collect();
        let path: Vec<Term> = execution.path.iter().map(|it| it.term).collect();
        match self.terms.first_violated(&path, &model) {
            None => Ok(()),
            Some(at) => {
                let site = execution.path.get(at).map(|it| it.site);
                let why = "an input does not satisfy the conditions of its own path";
                Err(Refusal::bad(why).at(site.and_then(|site| span(self.run.program, site))))
            }
        }
    }
}

fn stack(frames: &[Frame]) -> Stack {
    let frames = frames.iter();
    frames.map(|frame| (frame.function, frame.block)).collect()
}

/// Where a site is in the source.
pub fn span(program: &Program, site: Site) -> Option<ir::Span> {
    let body = program.functions.get(site.function)?.body.as_ref()?;
    let block = body.blocks.get(site.block)?;
    let statement = block.statements.get(site.statement as usize);
    let span = statement.map_or(block.span, |statement| statement.span);
    body.spans.get(span).cloned()
}
