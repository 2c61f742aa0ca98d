//! Functions that set up objects of a record type, by the form of their code.
//!
//! A function *sets* a scalar of an object if it writes it and does not read it before. An
//! initialiser takes a pointer to the object, a constructor returns one. This is a guess: what is
//! written on some path counts, and so does what called functions write. Nothing is concluded from
//! it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use ir::{
    Block, BlockData, Body, Callee, ConstantValue, ControlFlow, FunctionId, FunctionType, Local,
    Operand, Origin, Place, PlaceBase, Program, Projection, RecordKind, Rvalue, StatementKind,
    Terminator, Type, TypeId, Types,
};

use crate::data_flow::{Direction, Problem, solve};

/// Calls that are followed into each other.
const MOST_DEEP: usize = 4;

/// Parts of names of functions that set up objects. They only order what the code says.
const HINTS: [&str; 6] = ["init", "new", "create", "open", "alloc", "setup"];

/// A function that sets up an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUp {
    /// The function.
    pub function: FunctionId,
    /// How it does.
    pub kind: SetUpKind,
    /// How many scalars of the object it sets, an array or a union being one.
    pub scalars: usize,
}

/// How a function sets up an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetUpKind {
    /// It is given a pointer to the object.
    Initialiser,
    /// It returns a pointer to the object.
    Constructor,
}

/// The functions of the user that set at least half of the scalars of an object of a record type,
/// the likeliest first: of most scalars, initialisers, with few parameters and few pointers.
pub fn set_up(program: &Program, ty: TypeId) -> Vec<SetUp> {
    let mut scalars = Vec::new();
    add_scalars(&program.types, ty, 0, &mut scalars);
    if !matches!(program.types.kind(ty), Type::Record(_)) || scalars.is_empty() {
        return Vec::new();
    }
    let mut finder = Finder {
        program,
        ty,
        scalars,
        known: BTreeMap::new(),
        open: Vec::new(),
    };
    let all = program.functions.indices();
    let mut found: Vec<_> = all.filter_map(|id| finder.candidate(id)).collect();
    found.sort_by_key(|(_, rank)| *rank);
    found.into_iter().map(|(set_up, _)| set_up).collect()
}

/// What orders candidates, the least first.
type Rank = (Reverse<usize>, SetUpKind, usize, usize, bool, FunctionId);

/// Adds the scalars of a type, each as the bits from its first to behind its last.
fn add_scalars(types: &Types, ty: TypeId, at: u64, scalars: &mut Vec<(u64, u64)>) {
    match types.record(ty) {
        Some(record) if record.kind == RecordKind::Struct => {
            for field in &record.fields {
                let at = at + field.offset_bits;
                match field.bit_width {
                    Some(0) => {}
                    Some(width) => scalars.push((at, at + u64::from(width))),
                    None => add_scalars(types, field.ty, at, scalars),
                }
            }
        }
        _ if types.size(ty) > 0 => scalars.push((at, at + types.size(ty) * 8)),
        _ => {}
    }
}

/// What a function does to an object.
#[derive(Clone, Debug)]
struct Effect {
    /// The scalars that it may read before it writes them.
    read: FixedBitSet,
    /// The scalars that it writes on some path.
    written: FixedBitSet,
}

/// How code leads to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// By a parameter that points so many bits behind its start.
    Parameter(usize, u64),
    /// By the result.
    Result,
}

struct Finder<'p> {
    program: &'p Program,
    ty: TypeId,
    scalars: Vec<(u64, u64)>,
    known: BTreeMap<(FunctionId, Way), Effect>,
    /// The functions that are being looked at, outermost first.
    open: Vec<FunctionId>,
}

impl Finder<'_> {
    /// Whether a function sets up the object, and its rank.
    fn candidate(&mut self, id: FunctionId) -> Option<(SetUp, Rank)> {
        let program = self.program;
        let (types, function) = (&program.types, &program.functions[id]);
        let ty = function_type(program, id)?;
        if function.body.is_none() || program.origin(id) != Origin::User || ty.variadic {
            return None;
        }
        let parameters = ty.parameters.iter().enumerate();
        let takes: Vec<usize> = parameters
            .filter(|(_, ty)| types.pointee(**ty) == Some(self.ty))
            .map(|(index, _)| index)
            .collect();
        let returns = types.pointee(ty.result) == Some(self.ty);
        let (kind, way) = match takes.as_slice() {
            [] if returns => (SetUpKind::Constructor, Way::Result),
            &[index] => (SetUpKind::Initialiser, Way::Parameter(index, 0)),
            _ => return None,
        };
        let effect = self.effect(id, way);
        let mut set = effect.written;
        set.difference_with(&effect.read);
        let scalars = set.count_ones(..);
        let takes_apart = || !effect.read.is_clear() && frees(program, id);
        if scalars * 2 < self.scalars.len() || takes_apart() {
            return None;
        }
        let is_pointer = |ty: &&TypeId| types.pointee(**ty).is_some();
        let pointers = ty.parameters.iter().filter(is_pointer).count();
        let name = function.name.to_lowercase();
        let is_hinted = HINTS.iter().any(|hint| name.contains(hint));
        let count = ty.parameters.len();
        let rank = (Reverse(scalars), kind, count, pointers, !is_hinted, id);
        let set_up = SetUp {
            function: id,
            kind,
            scalars,
        };
        Some((set_up, rank))
    }

    fn nothing(&self) -> Effect {
        let none = FixedBitSet::with_capacity(self.scalars.len());
        Effect {
            read: none.clone(),
            written: none,
        }
    }

    /// What a function with a body does to the object.
    fn effect(&mut self, id: FunctionId, way: Way) -> Effect {
        if let Some(known) = self.known.get(&(id, way)) {
            return known.clone();
        }
        let body = self.program.functions[id].body.as_ref();
        let Some(body) = body.filter(|_| !self.open.contains(&id) && self.open.len() < MOST_DEEP)
        else {
            return self.nothing();
        };
        self.open.push(id);
        let pointers = Pointers::new(self.program, body, way);
        let blocks = body.blocks.iter();
        let steps = blocks.map(|block| self.steps(&pointers, block)).collect();
        let effect = self.effect_of(body, steps);
        self.open.pop();
        self.known.insert((id, way), effect.clone());
        effect
    }

    /// What the steps of a body's blocks do together.
    fn effect_of(&self, body: &Body, steps: Vec<Vec<Effect>>) -> Effect {
        let flow = ControlFlow::new(body);
        let problem = Written {
            steps: &steps,
            scalars: self.scalars.len(),
        };
        let at_ends = solve(&flow, &problem);
        let mut all = self.nothing();
        for block in body.blocks.indices() {
            let mut written = problem.bottom();
            for &before in flow.predecessors(block) {
                problem.join(&mut written, &at_ends[before]);
            }
            let mut written = problem.at_start(block, written);
            for step in &steps[block.index()] {
                let mut read = step.read.clone();
                read.difference_with(&written);
                all.read.union_with(&read);
                all.written.union_with(&step.written);
                written.union_with(&step.written);
            }
        }
        all
    }

    /// What a block does, in order.
    fn steps(&mut self, pointers: &Pointers<'_>, block: &BlockData) -> Vec<Effect> {
        let mut steps = Vec::new();
        for statement in &block.statements {
            let StatementKind::Assign(place, value) = &statement.kind else {
                continue;
            };
            let mut step = self.nothing();
            if let Rvalue::Load(place) = value
                && let Some(range) = pointers.range(place)
            {
                step.read = self.touched(range);
            }
            if let Some(range) = pointers.range(place) {
                step.written = self.touched(range);
            }
            steps.push(step);
        }
        if let Terminator::Call {
            callee,
            arguments,
            destination,
            ..
        } = &block.terminator
        {
            let mut made = destination.iter().filter_map(Place::as_local);
            let is_made = made.any(|local| pointers.made.contains(&local));
            steps.extend(self.call(pointers, callee, arguments, is_made));
            let stored = destination.iter().filter_map(|place| pointers.range(place));
            steps.extend(stored.map(|range| Effect {
                written: self.touched(range),
                ..self.nothing()
            }));
        }
        steps
    }

    /// What a call does to the object, a step for each pointer to it that the call is given.
    fn call(
        &mut self,
        pointers: &Pointers<'_>,
        callee: &Callee,
        arguments: &[Operand],
        is_made: bool,
    ) -> Vec<Effect> {
        let Callee::Direct(callee) = *callee else {
            return Vec::new();
        };
        let program = self.program;
        let is_user = program.origin(callee) == Origin::User;
        let has_body = is_user && program.functions[callee].body.is_some();
        let mut steps = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let Some(at) = pointers.operand(argument) else {
                continue;
            };
            steps.push(match has_body {
                true => self.effect(callee, Way::Parameter(index, at)),
                false => self.of_library(callee, arguments, index, at),
            });
        }
        if is_made && has_body {
            steps.push(self.effect(callee, Way::Result));
        } else if is_made && program.functions[callee].name == "calloc" {
            let mut step = self.nothing();
            step.written.insert_range(..);
            steps.push(step);
        }
        steps
    }

    /// What a function whose code is not the user's does to what an argument leads to.
    fn of_library(
        &self,
        callee: FunctionId,
        arguments: &[Operand],
        index: usize,
        at: u64,
    ) -> Effect {
        let mut step = self.nothing();
        let name = self.program.functions[callee].name.as_str();
        let size = match name.trim_start_matches("__builtin_") {
            "memset" | "memcpy" | "memmove" => arguments.get(2),
            "bzero" => arguments.get(1),
            _ => None,
        };
        let bytes = match size {
            Some(Operand::Constant(size)) => match size.value {
                ConstantValue::Int(bytes) => u64::try_from(bytes).unwrap_or(u64::MAX),
                _ => return step,
            },
            // Others write what they are given a pointer to, as far as the type says how much.
            _ => self.pointed_to(callee, index),
        };
        let range = (at, at.saturating_add(bytes.saturating_mul(8)));
        if size.is_some() && index > 0 {
            step.read = self.touched(range);
        } else {
            step.written = self.touched(range);
        }
        step
    }

    /// The bytes of what a parameter points to, if the function may write it.
    fn pointed_to(&self, callee: FunctionId, index: usize) -> u64 {
        let types = &self.program.types;
        let parameter = function_type(self.program, callee).and_then(|ty| ty.parameters.get(index));
        match parameter.map(|&ty| types.kind(ty)) {
            Some(Type::Pointer {
                pointee,
                constant: false,
                ..
            }) if types.record(*pointee).is_some() => types.size(*pointee),
            _ => 0,
        }
    }

    /// The scalars that lie in a range of bits.
    fn touched(&self, (from, to): (u64, u64)) -> FixedBitSet {
        let mut touched = FixedBitSet::with_capacity(self.scalars.len());
        for (number, &(start, end)) in self.scalars.iter().enumerate() {
            touched.set(number, start < to && from < end);
        }
        touched
    }
}

fn function_type(program: &Program, id: FunctionId) -> Option<&FunctionType> {
    match program.types.kind(program.functions[id].ty) {
        Type::Function(ty) => Some(ty),
        _ => None,
    }
}

/// Whether a function calls `free`, also through others.
fn frees(program: &Program, id: FunctionId) -> bool {
    let called = program.with_callees(vec![id]).into_iter();
    let mut names = called.map(|id| program.functions[id].name.as_str());
    names.any(|name| name == "free")
}

/// The locals of a body that lead to the object.
struct Pointers<'p> {
    program: &'p Program,
    body: &'p Body,
    /// Where in the object each points, in bits from its start.
    at: BTreeMap<Local, u64>,
    /// Those that become the result.
    made: BTreeSet<Local>,
}

impl<'p> Pointers<'p> {
    fn new(program: &'p Program, body: &'p Body, way: Way) -> Self {
        let mut pointers = Pointers {
            program,
            body,
            at: BTreeMap::new(),
            made: BTreeSet::new(),
        };
        match way {
            Way::Parameter(index, at) => {
                pointers.at.insert(Local::from_usize(index), at);
            }
            Way::Result => {
                pointers.made = returned(body);
                let made = pointers.made.iter();
                pointers.at = made.map(|&local| (local, 0)).collect();
            }
        }
        loop {
            let known = pointers.at.len();
            for (local, value) in assigned(body) {
                if let Some(at) = pointers.value(value) {
                    pointers.at.entry(local).or_insert(at);
                }
            }
            if pointers.at.len() == known {
                return pointers;
            }
        }
    }

    /// Where in the object a right side points, if it does.
    fn value(&self, value: &Rvalue) -> Option<u64> {
        match value {
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => self.operand(operand),
            Rvalue::AddressOf(place) => self.range(place).map(|(start, _)| start),
            _ => None,
        }
    }

    fn operand(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Copy(local) => self.at.get(local).copied(),
            Operand::Constant(_) => None,
        }
    }

    /// The bits of the object that a place is, if it lies in it. An element stands for its array.
    fn range(&self, place: &Place) -> Option<(u64, u64)> {
        let types = &self.program.types;
        let PlaceBase::Deref(pointer) = &place.base else {
            return None;
        };
        let mut at = self.operand(pointer)?;
        let mut ty = match pointer {
            Operand::Copy(local) if !place.projections.is_empty() => {
                types.pointee(self.body.locals[*local].ty)?
            }
            _ => place.ty,
        };
        let mut bits = types.size(ty) * 8;
        for step in &place.projections {
            let Projection::Field(index) = step else {
                break;
            };
            let field = types.record(ty)?.fields.get(*index as usize)?;
            at += field.offset_bits;
            ty = field.ty;
            bits = field.bit_width.map_or(types.size(ty) * 8, u64::from);
        }
        Some((at, at + bits))
    }
}

/// The whole locals that are assigned, with the right sides.
fn assigned(body: &Body) -> impl Iterator<Item = (Local, &Rvalue)> {
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(place, value) => Some((place.as_local()?, value)),
        _ => None,
    })
}

/// The locals whose values become the result.
fn returned(body: &Body) -> BTreeSet<Local> {
    let ends = body.blocks.iter().map(|block| &block.terminator);
    let mut found: BTreeSet<Local> = ends
        .filter_map(|end| match end {
            Terminator::Return(Some(Operand::Copy(local))) => Some(*local),
            _ => None,
        })
        .collect();
    loop {
        let before = assigned(body).filter_map(|(local, value)| match value {
            Rvalue::Use(Operand::Copy(from)) | Rvalue::Cast(_, Operand::Copy(from), _) => {
                (found.contains(&local) && !found.contains(from)).then_some(*from)
            }
            _ => None,
        });
        let before: Vec<Local> = before.collect();
        if before.is_empty() {
            return found;
        }
        found.extend(before);
    }
}

/// The scalars that are written on each path.
struct Written<'a> {
    steps: &'a [Vec<Effect>],
    scalars: usize,
}

impl Written<'_> {
    /// Nothing is written where the function begins.
    fn at_start(&self, block: Block, written: FixedBitSet) -> FixedBitSet {
        match block.index() {
            0 => FixedBitSet::with_capacity(self.scalars),
            _ => written,
        }
    }
}

impl Problem for Written<'_> {
    type Fact = FixedBitSet;

    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.scalars);
        all.insert_range(..);
        all
    }

    fn join(&self, fact: &mut FixedBitSet, other: &FixedBitSet) {
        fact.intersect_with(other);
    }

    fn transfer(&self, block: Block, fact: FixedBitSet) -> FixedBitSet {
        let mut written = self.at_start(block, fact);
        for step in &self.steps[block.index()] {
            written.union_with(&step.written);
        }
        written
    }
}
