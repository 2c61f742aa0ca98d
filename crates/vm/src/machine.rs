//! The machine: executions of a prepared program, one after another.

use std::sync::Arc;

use expr::Terms;
use ir::input::{InputSpace, InputVector, Root};
use ir::test::{LossKind, Observation, Outcome};
use ir::{Assumption, AssumptionKind, CodeBlock, CodeIndex, FunctionId, Nonnull, Program, Trace};

use crate::at_exit::outcome;
use crate::code::{BodyCode, FunctionCode, ParameterCode, Prepared};
use crate::config::Config;
use crate::context::Contexts;
use crate::execution::{Execution, PassedDefects, Probe, Visited};
use crate::ids::AllocationId;
use crate::input_provider::InputProvider;
use crate::leaves::{Leaf, has_union};
use crate::memory::{INITIALISED, Kind, Memory, UNSEEN, write_bits};
use crate::native_call::{Natives, NoNatives};
use crate::passed::Passed;
use crate::prepare::prepare;
use crate::run::Run;
use crate::state::{FrameState, State, Trial};
use crate::steps::Steps;
use crate::stop::Flow;
use crate::switches::Switches;
use crate::value::{Scalar, Shadow, Value};

/// The least number of choices that an execution records before it ends, unless the limit is lower.
const FEWEST_CHOICES: usize = 800;

/// A program that is ready to be executed many times.
pub struct Machine<'p> {
    /// Shared with other machines for the same program.
    pub(crate) code: Arc<Prepared<'p>>,
    pub(crate) memory: Memory,
    pub(crate) stack: Vec<Value>,
    pub(crate) contexts: Contexts,
    pub(crate) switches: Switches,
    /// How many executions made more choices than are recorded.
    limited: u32,
    pub(crate) natives: &'p dyn Natives,
    pub(crate) is_interrupted: &'p (dyn Fn() -> bool + Sync),
}

impl<'p> Machine<'p> {
    /// Prepares a program, which must satisfy the verifier.
    pub fn new(program: &'p Program, index: &CodeIndex, config: Config) -> Machine<'p> {
        let code = Arc::new(prepare(program, index, config));
        Machine::of(code, &NoNatives, &|| false)
    }

    /// A machine for another worker, which shares the prepared program and nothing else. It numbers
    /// contexts afresh.
    pub fn another(&self) -> Machine<'p> {
        Machine::of(Arc::clone(&self.code), self.natives, self.is_interrupted)
    }

    fn of(
        code: Arc<Prepared<'p>>,
        natives: &'p dyn Natives,
        is_interrupted: &'p (dyn Fn() -> bool + Sync),
    ) -> Machine<'p> {
        let memory = code.statics.image.clone();
        Machine {
            code,
            memory,
            stack: Vec::new(),
            contexts: Contexts::default(),
            switches: Switches::default(),
            limited: 0,
            natives,
            is_interrupted,
        }
    }

    /// The machine with someone to execute calls of functions of the host.
    pub fn with_natives(self, natives: &'p dyn Natives) -> Machine<'p> {
        Machine { natives, ..self }
    }

    /// The machine with someone who may end an execution before its limits do. Such an execution
    /// has the loss [`LossKind::TimeLimit`].
    pub fn until(self, is_interrupted: &'p (dyn Fn() -> bool + Sync)) -> Machine<'p> {
        Machine {
            is_interrupted,
            ..self
        }
    }

    /// The contexts of the constraints so far.
    pub fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Has executions record as few choices as after many that made more than are recorded.
    pub fn record_few_choices(&mut self) {
        self.limited = u32::MAX;
    }

    /// Executes a function on an input. Each execution starts afresh.
    pub fn execute(
        &mut self,
        entry: FunctionId,
        inputs: &InputVector,
        space: &mut InputSpace,
        terms: &mut Terms,
    ) -> Execution {
        self.execute_if(None, entry, inputs.into(), space, terms)
    }

    /// Executes a function on an input that satisfies a precondition: a function with the same
    /// parameters, which runs first and rejects the input by returning 0.
    pub fn execute_if(
        &mut self,
        precondition: Option<FunctionId>,
        entry: FunctionId,
        inputs: InputProvider<'_>,
        space: &mut InputSpace,
        terms: &mut Terms,
    ) -> Execution {
        let choice_limit = choice_limit(&self.code, self.limited);
        let least = self.code.config.choice_limit.min(inputs.recorded);
        let choice_limit = choice_limit.max(least);
        let mut run = self.begin(entry, inputs, space, terms);
        run.choice_limit = choice_limit;
        run.make_global_inputs();
        let ended = run.entry(precondition, entry);
        run.settle_unspecified();
        run.settle_nonnull();
        let is_sure =
            !run.state.record.unspecified.unsure && run.state.record.findings.beyond.is_none();
        let mut observations = match &ended {
            Ok(result) if run.state.calls.replaced == 0 && is_sure => run.observe(entry, result),
            _ => Vec::new(),
        };
        let given = match is_sure {
            true => run.observe_given(),
            false => Vec::new(),
        };
        let outcome = run.end(ended);
        if outcome != Outcome::Return {
            observations.clear();
        }
        run.record_extents();
        run.record_pages();
        run.complete_trace();
        let outcome = run.certain(outcome, &mut observations);
        let is_rejected = outcome == Outcome::Rejected;
        let is_abstract = run.state.calls.replaced > 0;
        let covers_nothing = is_rejected || is_abstract && matches!(outcome, Outcome::Defect(_));
        let before_call = run
            .state
            .record
            .visited
            .before_call
            .filter(|_| covers_nothing);
        let is_ordered = run.code.config.recorded_events > 0;
        let had_precondition = run.state.record.visited.precondition.is_some();
        let (ordered_precondition, ordered) = run.state.record.order.into_traces();
        let probes = run.state.record.probes.into_iter();
        let probes = probes.map(|((edge, condition), at)| Probe {
            edge,
            condition,
            at,
        });
        let execution = Execution {
            outcome,
            observations,
            given,
            inputs: run.state.record.inputs,
            visited: Visited {
                trace: run.state.record.visited.all,
                precondition: run.state.record.visited.precondition,
                before_call: before_call.map(|trace| *trace),
                ordered: is_ordered.then_some(ordered),
                ordered_precondition: (is_ordered && had_precondition)
                    .then_some(ordered_precondition),
            },
            path: run.state.record.path.into_vec(),
            probes: probes.collect(),
            unit: run.state.unit.into_path(),
            abstracted: run.state.calls.replaced,
            made: run.state.record.made,
            imprecision: run.state.record.imprecision.found,
            calls: run.state.record.calls,
            needs: run.state.record.needs,
            unsure: run.state.record.unspecified.unsure
                || run.state.record.findings.beyond.is_some(),
            defects: PassedDefects {
                reported: run.state.record.findings.reported,
                beyond: run.state.record.findings.beyond,
            },
            steps: run.state.record.steps,
        };
        (self.memory, self.stack) = (run.state.memory, run.state.stack);
        let is_limited = execution.path.len() >= choice_limit;
        self.limited = self.limited.saturating_add(u32::from(is_limited));
        execution
    }

    /// An execution that has not done anything yet. Its memory and its slots are the machine's again
    /// when it is over.
    pub(crate) fn begin<'r>(
        &'r mut self,
        entry: FunctionId,
        inputs: InputProvider<'r>,
        space: &'r mut InputSpace,
        terms: &'r mut Terms,
    ) -> Run<'r, 'p> {
        let mut memory = std::mem::take(&mut self.memory);
        memory.reset();
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        let code = &*self.code;
        let step_limit = code.config.step_limit.saturating_add(inputs.more_steps);
        let steps = Steps::new(step_limit);
        let mut state = State::new(memory, stack, steps, Trace::new(&code.index));
        // What is decided before anything runs is decided where the entry function begins.
        state.pc = match &code.functions[entry] {
            FunctionCode::Body(body) => body.entry,
            _ => 0,
        };
        Run {
            state,
            trial: None,
            code,
            entry,
            inputs,
            space,
            terms,
            numbering: &mut self.contexts,
            switches: &mut self.switches,
            natives: self.natives,
            is_interrupted: self.is_interrupted,
            step_limit,
            choice_limit: code.config.choice_limit,
            unrecorded: inputs.unrecorded,
            ends_at_reports: false,
            watch: None,
        }
    }
}

/// How many choices of an execution are recorded where so many executions before it made more. An
/// endless loop makes any number; its later executions are short, so that there are more of them.
fn choice_limit(code: &Prepared<'_>, limited: u32) -> usize {
    let limit = code.config.choice_limit;
    match code.may_replace() {
        true => limit,
        false => (limit >> limited.min(usize::BITS - 1)).max(limit.min(FEWEST_CHOICES)),
    }
}

impl Run<'_, '_> {
    /// Adds the blocks that were run through without a jump. While the program runs only the last
    /// of them is noted; where it stopped, all before that block.
    pub fn complete_trace(&mut self) {
        let run_through = self.blocks_run_through();
        self.state.record.visited.all.blocks.extend(run_through);
    }

    /// What was visited up to here, with the blocks that were run through without a jump.
    pub fn trace_until_here(&self) -> Trace {
        let mut trace = self.state.record.visited.all.clone();
        trace.blocks.extend(self.blocks_run_through());
        trace
    }

    /// The blocks that were run through without a jump, up to here.
    fn blocks_run_through(&self) -> Vec<usize> {
        let code = self.code;
        let ends = self
            .state
            .record
            .visited
            .all
            .blocks
            .ones()
            .map(CodeBlock::from_usize);
        // Where the entry function has returned, nothing stopped before its end.
        let is_inside = !self.state.frames.is_empty();
        let stopped = code.sites.get(self.state.pc as usize).filter(|_| is_inside);
        let stopped = stopped.map(|site| code.index.block(site.function, site.block));
        let ends = ends.chain(stopped);
        let blocks = ends.flat_map(|block| code.runs_into(block));
        blocks.map(CodeBlock::index).collect()
    }

    /// Removes what depends on where objects lie, since natively they lie elsewhere: the
    /// observations, and the outcome unless an assumption rejects the input. A defect stays, with
    /// an assumption and with the visits before the first such dependence.
    fn certain(&mut self, outcome: Outcome, observations: &mut Vec<Observation>) -> Outcome {
        let Some(before) = self.state.record.visited.before_addresses.take() else {
            return outcome;
        };
        observations.clear();
        match outcome {
            Outcome::Defect(mut defect) => {
                self.state.record.visited.all = *before;
                self.state.record.order.keep_certain();
                let text = "objects lie in memory as they do in this execution";
                defect.assume(Assumption::new(AssumptionKind::Apart, "addresses", text));
                Outcome::Defect(defect)
            }
            Outcome::Rejected => outcome,
            _ => Outcome::AddressDependent,
        }
    }

    /// Executes the precondition and the entry function with the same inputs.
    pub(crate) fn entry(
        &mut self,
        precondition: Option<FunctionId>,
        entry: FunctionId,
    ) -> Flow<Passed> {
        self.start_options()?;
        if let Some(precondition) = precondition {
            self.state.counters.of_precondition = true;
            let result = self.call_entry(precondition)?;
            if let Passed::Scalar(value, _) = result {
                self.assume(value)?;
            }
            self.complete_trace();
            let nothing = Trace::new(&self.code.index);
            self.state.record.visited.precondition = Some(std::mem::replace(
                &mut self.state.record.visited.all,
                nothing,
            ));
            self.state.record.order.precondition_holds();
            self.number_inputs_of_entry();
        }
        self.call_entry(entry)
    }

    /// Ends the program after the entry function, and says how it ended.
    pub(crate) fn end(&mut self, ended: Flow<Passed>) -> Outcome {
        let (ended, result) = match ended {
            Ok(result) => (Ok(()), Some(result)),
            Err(stop) => (Err(stop), None),
        };
        let ended = self.run_at_exit(ended);
        let leaks = match (&ended, result) {
            (Ok(()), Some(result)) if self.state.calls.replaced == 0 => self.check_leaks(&result),
            _ => Ok(()),
        };
        outcome(ended.and(leaks))
    }

    /// Calls a function with parameters that are inputs.
    fn call_entry(&mut self, function: FunctionId) -> Flow<Passed> {
        let code = self.code;
        let FunctionCode::Body(body) = &code.functions[function] else {
            return Err(self.unsupported("a function without a body"));
        };
        self.push_frame(function, body)?;
        self.begin(function, body);
        for (index, parameter) in body.parameters.iter().enumerate() {
            let root = Root::Parameter(index as u32);
            // A precondition may have parameters with other qualifiers.
            let ty = match code.program.functions[self.entry].body.as_ref() {
                Some(body) => body.locals[index].ty,
                None => continue,
            };
            self.input_parameter(*parameter, root, ty)?;
            // The precondition and the entry function may read different members of a union.
            let has_precondition =
                function != self.entry || self.state.record.visited.precondition.is_some();
            if let (ParameterCode::Memory(local), true) = (*parameter, has_precondition)
                && has_union(&code.program.types, ty)
                && let Shadow::Pointer(id, _) =
                    self.state.stack[self.state.base + local.slot as usize].shadow
            {
                self.materialise(id, 0, local.size, None)?;
            }
        }
        self.restrict_argument_count()?;
        self.execute_frame()
    }

    fn input_parameter(
        &mut self,
        parameter: ParameterCode,
        root: Root,
        ty: ir::TypeId,
    ) -> Flow<()> {
        match parameter {
            ParameterCode::Register(slot, scalar) => {
                let object = self.space.object(root, ty);
                let value = self.scalar_input(object, (ty, scalar), None);
                self.check_signalling(value, scalar)?;
                let slot = self.state.base + slot as usize;
                self.state.stack[slot] = value;
            }
            ParameterCode::Memory(local) => {
                let id = self.unseen_local(local.size, local.align)?;
                let allocation = self.state.memory.get_mut(id);
                allocation.declaration.padded = local.padded;
                allocation.constant = local.constant;
                allocation.declaration.guarded = local.guarded;
                allocation.declaration.ty = Some(ty).filter(|_| local.guarded);
                self.make_input(id, root, ty);
                let slot = self.state.base + local.slot as usize;
                let address = self.pointer_into(id, 0);
                self.state.stack[slot] = address;
                // A parameter is copied where it is passed.
                let scalar = Scalar::of(&self.code.program.types, ty);
                if let Some(scalar) = scalar.filter(|&scalar| self.may_be_quieted(scalar)) {
                    self.load(address.into(), scalar)?;
                }
            }
        }
        Ok(())
    }

    /// An input object that is one scalar; a number has the given default.
    pub fn scalar_input(
        &mut self,
        object: ir::ObjectId,
        (ty, scalar): (ir::TypeId, Scalar),
        usual: Option<u128>,
    ) -> Value {
        let width = if scalar.boolean { 1 } else { scalar.bits() };
        let leaf = Leaf {
            offset: 0,
            ty,
            width,
            storage: scalar.bits(),
            bit_field: false,
        };
        let value = self.leaf_value_or(object, 0, leaf, usual);
        if let Shadow::Lazy(cell) = value.shadow
            && self.nonnull(cell) == Nonnull::Demanded
        {
            self.state.record.noted.nonnull.push(cell);
        }
        value
    }

    /// A new local whose contents are inputs.
    pub fn unseen_local(&mut self, size: u64, align: u64) -> Flow<AllocationId> {
        self.state
            .memory
            .allocate(Kind::Local, size, align, UNSEEN)
            .map_err(|error| self.out_of_memory(error))
    }

    /// Starts a call: its slots are indeterminate.
    pub fn push_frame(&mut self, function: FunctionId, body: &BodyCode) -> Flow<()> {
        let limit = self.code.config.stack_limit;
        if self.state.frames.len() >= limit as usize {
            let detail = format!("more than {limit} nested calls");
            return Err(self.limit(LossKind::StackLimit, detail));
        }
        let base = self.state.stack.len();
        let unit = &self.code.config.unit;
        self.state
            .unit
            .entered(function, self.state.frames.len(), unit);
        self.state.frames.push(FrameState {
            function,
            base,
            caller: self.state.pc,
        });
        self.state
            .stack
            .resize(base + body.slots as usize, Value::UNINITIALISED);
        self.state.base = base;
        self.settle_noted_edges();
        Ok(())
    }

    /// Runs `main`.
    pub(crate) fn main(&mut self, main: FunctionId, arguments: &[String]) -> Flow<Passed> {
        self.start_options()?;
        let code = self.code;
        let FunctionCode::Body(body) = &code.functions[main] else {
            return Err(self.unsupported("a function without a body"));
        };
        let argv = self.argument_vector(arguments)?;
        self.push_frame(main, body)?;
        let values = [Value::concrete(arguments.len() as u128), argv];
        for (index, parameter) in body.parameters.iter().enumerate() {
            let value = values.get(index).copied().unwrap_or(Value::ZERO);
            self.set_parameter(*parameter, Passed::Scalar(value, Scalar::unsigned(64)))?;
        }
        self.begin(main, body);
        self.execute_frame()
    }

    /// `argv` as an object of the program.
    fn argument_vector(&mut self, arguments: &[String]) -> Flow<Value> {
        let size = u64::from(self.code.pointer_width / 8);
        let count = arguments.len() as u64 + 1;
        let vector = self.initialised_object(count * size)?;
        for (index, argument) in arguments.iter().enumerate() {
            let text = self.initialised_object(argument.len() as u64 + 1)?;
            let bytes = &mut self.state.memory.get_mut(text).bytes;
            bytes[..argument.len()].copy_from_slice(argument.as_bytes());
            let value = self.pointer_into(text, 0);
            let at = index as u64 * size;
            let target = self.state.memory.get_mut(vector);
            write_bits(
                &mut target.bytes[at as usize..(at + size) as usize],
                value.bits,
            );
            target.put_entry(at, size, value.shadow);
        }
        Ok(self.pointer_into(vector, 0))
    }

    fn initialised_object(&mut self, size: u64) -> Flow<AllocationId> {
        self.state
            .memory
            .allocate(Kind::Local, size, 8, INITIALISED)
            .map_err(|error| self.out_of_memory(error))
    }
}

/// What one worker owns can be moved to another thread, and what all share can be read there.
const _: () = {
    const fn is_send<T: Send>() {}
    const fn is_sync<T: Sync>() {}
    is_send::<State>();
    is_send::<Trial>();
    is_send::<InputVector>();
    is_send::<Contexts>();
    is_send::<Switches>();
    is_send::<Machine<'static>>();
    is_sync::<Prepared<'static>>();
};
