//! One execution under way: its state, and what it borrows.

use expr::{Term, Terms};
use ir::input::InputSpace;
use ir::test::{Bound, BoundKind, Defect, Frame, Loss, LossKind};
use ir::{Assumption, CellId, DefectKind, FunctionId, Origin};

use crate::code::{Prepared, Source};
use crate::concrete::Watch;
use crate::context::Contexts;
use crate::execution::{Alternative, Constraint, ConstraintKind, Demand};
use crate::ids::{AllocationId, Pc};
use crate::input_provider::InputProvider;
use crate::memory::OutOfMemory;
use crate::native_call::Natives;
use crate::site::Site;
use crate::state::{FrameState, State, Trial};
use crate::stop::{Flow, Stop};
use crate::switches::Switches;
use crate::value::Value;

/// The alternatives where a number is limited: not more than that, or more, which is a bound that the
/// search tries to hit.
const WITHIN: u32 = 1;
const BEYOND: u32 = 2;

/// An execution under way.
pub(crate) struct Run<'a, 'p> {
    pub state: State,
    /// The call that is tried, if one is.
    pub trial: Option<Box<Trial>>,
    pub code: &'a Prepared<'p>,
    /// The function that is tested.
    pub entry: FunctionId,
    pub inputs: InputProvider<'a>,
    pub space: &'a mut InputSpace,
    pub terms: &'a mut Terms,
    pub numbering: &'a mut Contexts,
    /// Conditions of switches that executions met.
    pub switches: &'a mut Switches,
    /// Executes calls of functions of the host.
    pub natives: &'a dyn Natives,
    /// Whether to end the execution now: asked every so many steps.
    pub is_interrupted: &'a (dyn Fn() -> bool + Sync),
    /// How many choices are recorded.
    pub choice_limit: usize,
    /// How many more may be made.
    pub unrecorded: u64,
    /// How many steps the execution may take.
    pub step_limit: u64,
    /// Whether a defect that is reported ends the execution: a run of the program without inputs.
    pub ends_at_reports: bool,
    /// Who looks at the states of an execution of concrete values alone.
    pub watch: Option<Watch<'a>>,
}

impl<'p> Run<'_, 'p> {
    /// The value of an operand.
    #[inline(always)]
    pub fn read(&self, source: Source) -> Value {
        match source.as_constant() {
            Some(index) => self.code.tables.constants[index],
            None => self.state.stack[self.state.base + source.raw()],
        }
    }

    /// Where control is.
    pub fn site(&self) -> Site {
        self.code.sites[self.state.pc as usize]
    }

    /// Where control is, in each function under way, innermost first.
    pub fn sites(&self) -> Vec<Site> {
        self.sites_of(self.state.pc, &self.state.frames)
    }

    /// The positions in the functions of these frames, innermost first.
    pub fn sites_of(&self, pc: Pc, frames: &[FrameState]) -> Vec<Site> {
        let callers = frames.iter().skip(1).rev().map(|frame| frame.caller);
        std::iter::once(pc)
            .chain(callers)
            .filter_map(|pc| self.code.sites.get(pc as usize).copied())
            .collect()
    }

    /// The calls under way, innermost first.
    pub fn frames(&self) -> Vec<Frame> {
        self.sites()
            .into_iter()
            .map(|site| self.frame(site))
            .collect()
    }

    /// A call as reports show it.
    pub fn frame(&self, site: Site) -> Frame {
        Frame {
            function: site.function,
            block: site.block,
            span: self.code.span(site),
        }
    }

    /// A stack as a defect shows it. It starts in the user's code, not in the model of a library
    /// function: the call of that function is wrong, not the function.
    pub fn seen_by_user(&self, mut stack: Vec<Frame>) -> Vec<Frame> {
        let is_user = |frame: &Frame| self.code.program.origin(frame.function) == Origin::User;
        let first = stack.iter().position(is_user).unwrap_or(0);
        stack.drain(..first);
        stack
    }

    /// Ends the execution with a defect.
    pub fn defect(&self, kind: DefectKind, message: impl Into<String>) -> Stop {
        self.assumed_defect(kind, message, [])
    }

    /// Ends the execution with a defect that rests on assumptions.
    pub fn assumed_defect(
        &self,
        kind: DefectKind,
        message: impl Into<String>,
        assumptions: impl IntoIterator<Item = Assumption>,
    ) -> Stop {
        self.defect_at(&self.sites(), kind, message, assumptions)
    }

    /// Ends the execution with a defect of the functions under way at these sites.
    pub fn defect_at(
        &self,
        sites: &[Site],
        kind: DefectKind,
        message: impl Into<String>,
        assumptions: impl IntoIterator<Item = Assumption>,
    ) -> Stop {
        let stack = sites.iter().map(|&site| self.frame(site)).collect();
        let mut defect = Defect {
            kind,
            message: message.into(),
            stack: self.seen_by_user(stack),
            assumptions: Vec::new(),
        };
        let failure = self.assumed_failure();
        let all = assumptions.into_iter().chain(failure);
        all.for_each(|assumption| defect.assume(assumption));
        Stop::Defect(Box::new(defect))
    }

    /// What a defect rests on if an allocation failed before it.
    pub fn assumed_failure(&self) -> Option<Assumption> {
        let nth = self.state.record.findings.failed?;
        Some(Assumption::failure(nth))
    }

    /// Records a loss here, once for each place and kind.
    pub fn lose(&mut self, kind: LossKind, detail: impl Into<String>) {
        if kind == LossKind::AddressDependence
            && self.state.record.visited.before_addresses.is_none()
        {
            self.state.record.visited.before_addresses = Some(Box::new(self.trace_until_here()));
            self.state.record.order.depends_on_addresses();
        }
        if self
            .state
            .record
            .imprecision
            .is_new_loss(kind, self.state.pc)
        {
            let stack = self.frames();
            self.state.record.imprecision.found.losses.push(Loss {
                kind,
                detail: detail.into(),
                stack,
            });
        }
    }

    /// Whether a loss of a kind was recorded anywhere.
    pub fn has_lost(&self, kind: LossKind) -> bool {
        self.state
            .record
            .imprecision
            .found
            .losses
            .iter()
            .any(|loss| loss.kind == kind)
    }

    /// Records that a bound was hit here, once for each place and kind.
    pub fn hit(&mut self, kind: BoundKind, detail: impl Into<String>) {
        if self
            .state
            .record
            .imprecision
            .is_new_bound(kind, self.state.pc)
        {
            let stack = self.frames();
            self.state.record.imprecision.found.bounds.push(Bound {
                kind,
                detail: detail.into(),
                stack,
            });
        }
    }

    /// Ends the execution at a limit, with its loss.
    pub fn limit(&mut self, kind: LossKind, detail: impl Into<String>) -> Stop {
        self.lose(kind, detail);
        Stop::Limit
    }

    /// Ends the execution at something that attest cannot execute.
    pub fn unsupported(&mut self, what: impl Into<String>) -> Stop {
        self.lose(LossKind::Unsupported, what);
        Stop::Unsupported
    }

    /// Ends the execution because the tested program holds too much memory.
    pub fn out_of_memory(&mut self, _: OutOfMemory) -> Stop {
        let limit = self.code.config.memory_limit;
        self.limit(
            LossKind::MemoryLimit,
            format!("the program holds more than {limit} bytes"),
        )
    }

    /// Makes the bytes of an object exist up to the end of an access.
    #[inline(always)]
    pub fn reach(&mut self, id: AllocationId, end: u64) -> Flow<()> {
        let limit = self.code.config.touched_limit;
        if end > limit {
            let detail = format!("more than {limit} bytes of one object are accessed");
            return Err(self.limit(LossKind::MemoryLimit, detail));
        }
        self.state.memory.reach(id, end);
        Ok(())
    }

    /// Adds a constraint at the current position, if its term is new on the path.
    pub fn constrain(
        &mut self,
        kind: ConstraintKind,
        term: Term,
        taken: u32,
        alternatives: Vec<Alternative>,
    ) {
        let pointer = matches!(kind, ConstraintKind::PointerChoice(_));
        if pointer || self.is_news(term) {
            self.constrain_anew(kind, term, taken, alternatives);
        }
    }

    /// Adds a constraint at the current position, also if its term is known.
    pub fn constrain_anew(
        &mut self,
        kind: ConstraintKind,
        term: Term,
        taken: u32,
        alternatives: Vec<Alternative>,
    ) {
        if self.has_recorded_all() {
            return self.choose_unrecorded();
        }
        let callers = self.state.frames.iter().map(|frame| frame.caller);
        let sites = &self.code.sites;
        let (context, repeats) =
            self.state
                .contexts
                .at(self.state.pc, callers, sites, self.numbering);
        self.state.unit.constrained();
        self.note_decision(kind, term);
        self.state.record.path.push(Constraint {
            kind,
            site: self.site(),
            context,
            repeats,
            events: self.state.record.order.events.len(),
            term,
            taken,
            alternatives,
        });
        if self.has_recorded_all() && self.unrecorded == 0 {
            // The next block ends the execution.
            self.state.steps.end();
        }
    }

    /// Whether the execution has made as many choices as are recorded.
    pub fn has_recorded_all(&self) -> bool {
        self.state.record.path.len() >= self.choice_limit
    }

    /// Goes on behind a choice that is not recorded, so that nothing flips it. It is a loss.
    #[cold]
    pub fn choose_unrecorded(&mut self) {
        if !self.has_lost(LossKind::ChoiceLimit) {
            let limit = self.choice_limit;
            let detail = format!("more than {limit} choices of the input");
            self.lose(LossKind::ChoiceLimit, detail);
        }
        match self.unrecorded.checked_sub(1) {
            Some(left) => self.unrecorded = left,
            // The next block ends the execution.
            None => self.state.steps.end(),
        }
    }

    /// Whether a term is neither true nor on the path already.
    fn is_news(&mut self, term: Term) -> bool {
        if self.terms.as_bool(term) == Some(true) {
            return false;
        }
        let is_new = self.state.record.known.insert(term);
        if !is_new {
            self.note_relied(term);
        }
        is_new
    }

    /// Whether a term is one of the path's.
    pub fn knows(&mut self, term: Term) -> bool {
        let knows = self.state.record.known.contains(&term);
        if knows {
            self.note_relied(term);
        }
        knows
    }

    /// Adds a two-way constraint: the condition, which `holds` or not; alternative 1 is where it
    /// holds.
    pub fn decide(&mut self, kind: ConstraintKind, condition: Term, holds: bool) {
        let negated = self.terms.bool_not(condition);
        let (term, other) = if holds {
            (condition, negated)
        } else {
            (negated, condition)
        };
        let alternative = Alternative {
            number: u32::from(!holds),
            demand: Demand::Term(other),
        };
        self.constrain(kind, term, u32::from(holds), vec![alternative]);
    }

    /// Checks an operation with symbolic operands: where the condition does not hold, it is a
    /// defect.
    pub fn check(
        &mut self,
        kind: DefectKind,
        safe: Term,
        holds: bool,
        message: impl FnOnce() -> String,
    ) -> Flow<()> {
        self.decide(ConstraintKind::Check(kind), safe, holds);
        if holds {
            Ok(())
        } else {
            let defect = self.defect(kind, message());
            Err(self.blamed(defect, safe))
        }
    }

    /// A defect that rests on a condition: on what functions without a body returned or wrote, if
    /// that takes part in it.
    pub fn blamed(&self, mut stop: Stop, condition: Term) -> Stop {
        let variables = self.terms.variables(condition).iter();
        let mut cells = variables.map(|var| CellId::from_raw(var.0));
        if let Stop::Defect(defect) = &mut stop
            && let Some(function) = cells.find_map(|cell| self.guessed_of(cell))
        {
            defect.assume(self.assumes_result(function));
        }
        stop
    }

    /// The function without a body that gave the value of a cell, or a pointer that leads to the
    /// cell, unless the function stands for an input.
    pub fn guessed_of(&self, cell: CellId) -> Option<FunctionId> {
        let function = self.space.function_behind(cell)?;
        let program = self.code.program;
        let data = &program.functions[function];
        (!ir::library::only_gives_input(&program.types, data)).then_some(function)
    }

    /// Fixes a term to the value that it has; other values can be reached by flipping.
    pub fn concretise(&mut self, term: Term, bits: u128) {
        let width = self.terms.width(term);
        let constant = self.terms.constant(width, bits);
        let equal = self.terms.eq(term, constant);
        self.decide(ConstraintKind::Concretisation, equal, true);
    }

    /// The concrete bits of a number of a width, which the path fixes if they depend on inputs. The
    /// execution ends at a bound if it is larger than the most.
    pub fn fixed_within(
        &mut self,
        number: Value,
        width: u32,
        most: u64,
        (kind, detail): (BoundKind, String),
    ) -> Flow<u64> {
        let holds = number.bits <= u128::from(most);
        let term = self.term_of(number, width);
        let limit = self.terms.constant(width, u128::from(most));
        let within = self.terms.ule(term, limit);
        let beyond = self.terms.bool_not(within);
        let ((term, taken), (other, number_of_other)) = match holds {
            true => ((within, WITHIN), (beyond, BEYOND)),
            false => ((beyond, BEYOND), (within, WITHIN)),
        };
        let demand = Demand::Term(other);
        let others = vec![Alternative {
            number: number_of_other,
            demand,
        }];
        self.constrain(ConstraintKind::Assumption, term, taken, others);
        if !holds {
            self.hit(kind, detail);
            return Err(Stop::Limit);
        }
        Ok(self.fixed(number) as u64)
    }

    /// The concrete bits of a value, which the path fixes if they depend on inputs.
    pub fn fixed(&mut self, value: Value) -> u128 {
        if let Some(term) = value.term() {
            self.concretise(term, value.bits);
        }
        if value.is_address() {
            self.depends_on_address("a number");
        }
        value.bits
    }
}
