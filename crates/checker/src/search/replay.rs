//! Executions of the inputs of a certificate, and what they say: their tree, what they reached, where
//! precision was lost, and which bounds they hit.

use expr::{Model, Term, Terms, Var};
use ir::certificate::paths::TakenPaths;
use ir::input::{InputSpace, InputValue, InputVector};
use ir::logical::Addresses;
use ir::test::{Bound, BoundKind, Frame, Loss, LossKind, Outcome};
use ir::{CellId, CodeIndex, FunctionId, Program, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use vm::{Contexts, Defaults, Execution, InputProvider, Machine, Site};

use super::SearchRun;
use super::tree::{Conflict, Tree};
use crate::refusal::Refusal;

/// What the executions say.
pub struct Replayed {
    /// The terms of the tree.
    pub terms: Terms,
    /// The tree of their paths.
    pub tree: Tree,
    /// The calls under way at its nodes.
    pub contexts: Contexts,
    /// What was reached by executions that no assumption rejected.
    pub reached: Trace,
    /// What was reached by the others.
    pub rejected: Trace,
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

/// The executions so far.
struct Replay<'a> {
    run: &'a SearchRun<'a>,
    space: InputSpace,
    found: Replayed,
    seen_losses: FxHashSet<(LossKind, Stack)>,
    seen_bounds: FxHashSet<(BoundKind, Stack)>,
}

/// Executes all inputs.
///
/// # Errors
/// They are no paths of the program, or executions that the path condition does not describe.
pub fn replay(run: &SearchRun<'_>, paths: &TakenPaths) -> Result<Replayed, Refusal> {
    if !run.machine.policies.is_empty() || run.machine.beyond_defects {
        return Err(Refusal::needs(
            "executions of all calls, up to the first defect",
        ));
    }
    if paths.inputs.is_empty() {
        return Err(Refusal::bad("there is no path"));
    }
    let mut machine = Machine::new(run.program, run.index, run.machine.clone());
    let mut replay = Replay {
        run,
        space: InputSpace::default(),
        found: Replayed::new(run.index),
        seen_losses: FxHashSet::default(),
        seen_bounds: FxHashSet::default(),
    };
    for input in &paths.inputs {
        let values = values(run.program, paths, input)?;
        let execution = replay.execute(&mut machine, &values);
        replay.record(&execution)?;
    }
    replay.found.contexts = machine.contexts().clone();
    Ok(replay.found)
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

impl Replayed {
    fn new(index: &CodeIndex) -> Replayed {
        Replayed {
            terms: Terms::default(),
            tree: Tree::default(),
            contexts: Contexts::default(),
            reached: Trace::new(index),
            rejected: Trace::new(index),
            losses: Vec::new(),
            bounds: Vec::new(),
        }
    }
}

impl Replay<'_> {
    fn execute(&mut self, machine: &mut Machine<'_>, values: &Values<'_>) -> Execution {
        let nothing = InputVector::default();
        let input = InputProvider {
            vector: &nothing,
            defaults: values,
            recorded: usize::MAX,
            unrecorded: 0,
        };
        let SearchRun {
            precondition,
            entry,
            ..
        } = *self.run;
        let (space, terms) = (&mut self.space, &mut self.found.terms);
        machine.execute_if(precondition, entry, input, space, terms)
    }

    fn record(&mut self, execution: &Execution) -> Result<(), Refusal> {
        self.holds(execution)?;
        let trace = match execution.outcome {
            Outcome::Rejected => &mut self.found.rejected,
            _ => &mut self.found.reached,
        };
        trace.blocks.union_with(&execution.visited.trace.blocks);
        trace.edges.union_with(&execution.visited.trace.edges);
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
                self.found.losses.push(loss.clone());
            }
        }
        for bound in &found.bounds {
            if self.seen_bounds.insert((bound.kind, stack(&bound.stack))) {
                self.found.bounds.push(bound.clone());
            }
        }
        let (path, ended_by) = (&execution.path, execution.needs.ended_by);
        let joined = self.found.tree.insert(path, ended_by);
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
        match self.found.terms.first_violated(&path, &model) {
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
