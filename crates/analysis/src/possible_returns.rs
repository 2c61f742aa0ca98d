//! Which values a function can still return, from each of its blocks on.
//!
//! Backwards from where it returns, constants are followed through copies of locals, and results of
//! calls; all else may be anything, what a local holds whose lifetime started again too. What is left out is never returned, so that a search for a path
//! through a call on which it returns one value need not look where only others come from.
//! Functions in which a constant stands for more than the code knows (`__builtin_constant_p`,
//! models that are narrower than what they model), or that may be others than the program has,
//! return anything.

use std::cell::RefCell;
use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{
    Block, Body, Callee, CastKind, CodeBlock, CodeIndex, Constant, ConstantValue, ControlFlow,
    FunctionId, Local, LocalKind, NARROW_MODEL, Operand, Place, PlaceBase, Program, Rvalue,
    StatementKind, Terminator,
};

use crate::data_flow::{Direction, Problem, solve};
use crate::renewed::{follow, renewed};

/// More constants, calls and locals than these together count as anything, so that the cost of a
/// function is linear in its blocks.
const MOST: usize = 128;

/// Values that something may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// One of these, as bits of its type's width; none if it has no value at all.
    Of(BTreeSet<u128>),
    /// Any.
    Any,
}

impl Values {
    fn add(&mut self, other: &Values) {
        match (&mut *self, other) {
            (Values::Of(values), Values::Of(more)) => values.extend(more),
            _ => *self = Values::Any,
        }
    }
}

/// Where a value comes from: any of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sources {
    constants: BTreeSet<u128>,
    /// Results of the calls that end these blocks.
    calls: BTreeSet<CodeBlock>,
    /// What locals hold.
    locals: BTreeSet<Local>,
    /// Anything else.
    is_any: bool,
}

impl Sources {
    fn any() -> Sources {
        Sources {
            is_any: true,
            ..Sources::default()
        }
    }

    fn add(&mut self, other: &Sources) {
        if self.is_any || other.is_any {
            *self = Sources::any();
            return;
        }
        self.constants.extend(&other.constants);
        self.calls.extend(&other.calls);
        self.locals.extend(&other.locals);
        if self.constants.len() + self.calls.len() + self.locals.len() > MOST {
            *self = Sources::any();
        }
    }

    /// Anything, if one of the locals is among the renewed ones.
    fn unless_renewed(self, renewed: &FixedBitSet) -> Sources {
        let mut locals = self.locals.iter();
        match locals.any(|local| renewed.contains(local.index())) {
            true => Sources::any(),
            false => self,
        }
    }

    /// Before a local was given a value from elsewhere.
    fn before(&mut self, local: Local, value: &Sources) {
        if self.locals.remove(&local) {
            self.add(value);
        }
    }
}

/// The values that the functions of a program may return.
#[derive(Debug)]
pub struct PossibleReturns {
    /// For each block what its function may return from its start on.
    from: IndexVec<CodeBlock, Sources>,
    /// What each function's locals hold at any time.
    held: IndexVec<FunctionId, IndexVec<Local, Sources>>,
    owners: IndexVec<CodeBlock, FunctionId>,
    /// The function that each block calls by name.
    callees: IndexVec<CodeBlock, Option<FunctionId>>,
    /// The local that the result of each block's call goes to.
    results: IndexVec<CodeBlock, Option<Local>>,
    entries: IndexVec<FunctionId, Option<CodeBlock>>,
    /// Whether a function may return what its code does not tell.
    is_narrow: IndexVec<FunctionId, bool>,
    /// What each function returns, once it was asked for; meanwhile anything.
    known: RefCell<IndexVec<FunctionId, Option<Values>>>,
}

impl PossibleReturns {
    /// The values that a program's functions may return.
    pub fn new(program: &Program, index: &CodeIndex) -> PossibleReturns {
        let functions = program.functions.len();
        let mut returned = PossibleReturns {
            from: IndexVec::with_capacity(index.blocks()),
            held: IndexVec::with_capacity(functions),
            owners: IndexVec::with_capacity(index.blocks()),
            callees: IndexVec::with_capacity(index.blocks()),
            results: IndexVec::with_capacity(index.blocks()),
            entries: IndexVec::from_vec(vec![None; functions]),
            is_narrow: IndexVec::with_capacity(functions),
            known: RefCell::new(IndexVec::from_vec(vec![None; functions])),
        };
        for (id, function) in program.functions.iter_enumerated() {
            let nothing = Body::default();
            let body = function.body.as_ref().unwrap_or(&nothing);
            if !body.blocks.is_empty() {
                returned.entries[id] = Some(index.block(id, Block::from_raw(0)));
            }
            let code = Code {
                body,
                function: id,
                index,
            };
            let flow = ControlFlow::new(body);
            let renewed = renewed(body, &flow);
            returned.held.push(code.held(&renewed));
            returned.is_narrow.push(is_narrow(program, id, body));
            for data in &body.blocks {
                returned.owners.push(id);
                returned.callees.push(callee(&data.terminator));
                returned.results.push(result(&data.terminator));
            }
            let from = solve(&flow, &code).into_iter().zip(&renewed);
            returned
                .from
                .extend(from.map(|(sources, renewed)| sources.unless_renewed(renewed)));
        }
        returned
    }

    /// What the function of a block may return when control is at its start; `unfinished` is a call
    /// from which control comes back there, with what that may return.
    pub fn from(&self, block: CodeBlock, unfinished: Option<(CodeBlock, &Values)>) -> Values {
        if self.is_narrow[self.owners[block]] {
            return Values::Any;
        }
        let mut sources = self.from[block].clone();
        let result = unfinished.and_then(|(call, result)| {
            let is_used = sources.locals.remove(&self.results[call]?);
            is_used.then_some(result)
        });
        for local in std::mem::take(&mut sources.locals) {
            sources.add(&self.held[self.owners[block]][local]);
        }
        if sources.is_any {
            return Values::Any;
        }
        let mut values = Values::Of(sources.constants);
        let calls = sources.calls.iter().map(|&call| self.of_call(call));
        calls.for_each(|result| values.add(&result));
        result.into_iter().for_each(|result| values.add(result));
        values
    }

    /// The values that a call that ends a block may return.
    fn of_call(&self, call: CodeBlock) -> Values {
        let Some(callee) = self.callees[call] else {
            return Values::Any;
        };
        let Some(entry) = self.entries[callee] else {
            return Values::Any;
        };
        if let Some(known) = &self.known.borrow()[callee] {
            return known.clone();
        }
        self.known.borrow_mut()[callee] = Some(Values::Any);
        let values = self.from(entry, None);
        self.known.borrow_mut()[callee] = Some(values.clone());
        values
    }
}

/// Whether a function may return what its body does not tell.
fn is_narrow(program: &Program, function: FunctionId, body: &Body) -> bool {
    let is_note = |callee: FunctionId| program.functions[callee].name == NARROW_MODEL;
    let mut callees = body
        .blocks
        .iter()
        .filter_map(|data| callee(&data.terminator));
    program.has_another_definition(function) || callees.any(is_note)
}

/// The body of a function.
struct Code<'a> {
    body: &'a Body,
    function: FunctionId,
    index: &'a CodeIndex,
}

impl Code<'_> {
    /// What its locals hold at any time, unless they are renewed.
    fn held(&self, renewed: &IndexVec<Block, FixedBitSet>) -> IndexVec<Local, Sources> {
        let locals = self.body.locals.iter();
        let mut held: IndexVec<Local, Sources> = locals
            .map(|local| match local.kind {
                LocalKind::Parameter => Sources::any(),
                _ => Sources::default(),
            })
            .collect();
        for (block, data) in self.body.blocks.iter_enumerated() {
            let mut renewed = renewed[block].clone();
            for statement in &data.statements {
                if let Some((local, value)) = self.assigned(&statement.kind) {
                    held[local].add(&value.unless_renewed(&renewed));
                }
                follow(&statement.kind, &mut renewed);
            }
            if let Some(local) = result(&data.terminator) {
                held[local].add(&self.of_local(local, self.result(block)));
            }
        }
        self.follow_copies(&mut held);
        held.iter_mut().for_each(|sources| sources.locals.clear());
        held
    }

    /// Adds what locals hold that are copied to others, until nothing is new.
    fn follow_copies(&self, held: &mut IndexVec<Local, Sources>) {
        let mut copies: IndexVec<Local, Vec<Local>> =
            IndexVec::from_vec(vec![Vec::new(); held.len()]);
        for (to, sources) in held.iter_enumerated() {
            sources
                .locals
                .iter()
                .for_each(|&from| copies[from].push(to));
        }
        let mut open: BTreeSet<Local> = held.indices().collect();
        while let Some(from) = open.pop_first() {
            for &to in &copies[from] {
                let mut sources = held[to].clone();
                sources.add(&held[from]);
                if sources != held[to] {
                    held[to] = sources;
                    open.insert(to);
                }
            }
        }
    }

    fn number(&self, block: Block) -> CodeBlock {
        self.index.block(self.function, block)
    }

    /// The result of the call that ends a block.
    fn result(&self, block: Block) -> Sources {
        Sources {
            calls: [self.number(block)].into(),
            ..Sources::default()
        }
    }

    /// The local that a statement changes, and where its new value comes from.
    fn assigned(&self, statement: &StatementKind) -> Option<(Local, Sources)> {
        let StatementKind::Assign(place, value) = statement else {
            return None;
        };
        let PlaceBase::Local(local) = place.base else {
            return None;
        };
        let value = match value {
            _ if !place.projections.is_empty() => Sources::any(),
            Rvalue::Use(operand) => self.operand(operand),
            Rvalue::Cast(CastKind::IntToBool | CastKind::PointerToBool, ..) => truth(),
            Rvalue::Binary(op, ..) if op.is_comparison() => truth(),
            _ => Sources::any(),
        };
        Some((local, self.of_local(local, value)))
    }

    fn operand(&self, operand: &Operand) -> Sources {
        match operand {
            Operand::Copy(local) => {
                let value = Sources {
                    locals: [*local].into(),
                    ..Sources::default()
                };
                self.of_local(*local, value)
            }
            Operand::Constant(constant) => of_constant(constant),
        }
    }

    /// What a local holds, unless others may change it.
    fn of_local(&self, local: Local, value: Sources) -> Sources {
        match self.body.locals[local].address_taken {
            true => Sources::any(),
            false => value,
        }
    }
}

/// The sources of the returned values, from the start of each block on.
impl Problem for Code<'_> {
    type Fact = Sources;

    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> Sources {
        Sources::default()
    }

    fn join(&self, fact: &mut Sources, other: &Sources) {
        fact.add(other);
    }

    fn transfer(&self, block: Block, mut sources: Sources) -> Sources {
        let data = &self.body.blocks[block];
        match &data.terminator {
            Terminator::Return(Some(value)) => sources.add(&self.operand(value)),
            // Nothing is known of a construct that is not executed.
            Terminator::Return(None) | Terminator::Unsupported { .. } => sources = Sources::any(),
            _ => {}
        }
        if let Some(local) = result(&data.terminator) {
            sources.before(local, &self.result(block));
        }
        for statement in data.statements.iter().rev() {
            if let StatementKind::StorageLive(local) | StatementKind::StorageLiveArray(local, _) =
                &statement.kind
            {
                sources.before(*local, &Sources::any());
            }
            if let Some((local, value)) = self.assigned(&statement.kind) {
                sources.before(local, &value);
            }
        }
        sources
    }
}

fn callee(terminator: &Terminator) -> Option<FunctionId> {
    match terminator {
        Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        } => Some(*callee),
        _ => None,
    }
}

/// The local that a call's result goes to.
fn result(terminator: &Terminator) -> Option<Local> {
    match terminator {
        Terminator::Call {
            destination:
                Some(Place {
                    base: PlaceBase::Local(local),
                    projections,
                    ..
                }),
            ..
        } if projections.is_empty() => Some(*local),
        _ => None,
    }
}

/// Zero or one.
fn truth() -> Sources {
    Sources {
        constants: [0, 1].into(),
        ..Sources::default()
    }
}

fn of_constant(constant: &Constant) -> Sources {
    match constant.value {
        ConstantValue::Int(bits) => Sources {
            constants: [bits].into(),
            ..Sources::default()
        },
        _ => Sources::any(),
    }
}
