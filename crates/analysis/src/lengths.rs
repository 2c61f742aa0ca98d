//! Which inputs say how many elements there are behind others: found where code bounds one by the
//! other.
//!
//! A function that compares `i < n` and accesses `p[i]`, or counts `n` down while it walks along
//! `p`, has `n` elements behind `p` in mind. Where both are parameters of the entry, or members of
//! one record, such pairs are what [`LengthOf`] says; such pairs of a callee's parameters also hold
//! for its arguments. It is a guess, by form alone, so a pointer with two lengths is left alone
//! unless one bounds the other.

use std::collections::{BTreeMap, BTreeSet};

use index_vec::IndexVec;
use ir::lengths::{LengthOf, LengthOperand};
use ir::{
    BinaryOp, Body, Callee, ConstantValue, FunctionId, Local, Operand, Place, PlaceBase, Program,
    Projection, Rvalue, StatementKind, Terminator, Type, TypeId,
};

/// How many calls deep a callee's pairs are heard of.
const ROUNDS: usize = 5;

/// How far operands are followed to where they come from.
const DEPTH: u32 = 16;

/// What names of numbers of elements have in them.
const COUNTS: [&str; 9] = [
    "count", "len", "size", "num", "cnt", "total", "cap", "alloc", "used",
];

/// What names of capacities have in them.
const CAPACITIES: [&str; 5] = ["size", "cap", "alloc", "max", "limit"];

/// Functions known to the machine: the pointer's and the length's position, which is in bytes.
const PRIMITIVES: [(&str, u32, u32); 3] = [
    ("__attest_copy", 0, 2),
    ("__attest_copy", 1, 2),
    ("__attest_fill", 0, 2),
];

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    /// A local that is written more than once, or a parameter.
    Local(Local),
    /// What a member of an object behind a pointer holds: the pointer, the record, the member.
    Member(Box<Value>, TypeId, u32),
    /// Anything else.
    Other,
}

/// A pointer and its length, as values of a function, and what the length counts.
type Pair = (Value, Value, u64);

/// The same for the parameters of a function.
type Fact = (u32, u32, u64);

/// The inputs of an entry that say how many elements there are behind others.
pub fn lengths(program: &Program, entry: FunctionId, reached: &[FunctionId]) -> Vec<LengthOf> {
    let mut facts: BTreeMap<FunctionId, BTreeSet<Fact>> = BTreeMap::new();
    for (id, function) in program.functions.iter_enumerated() {
        let known = PRIMITIVES
            .iter()
            .filter(|(name, ..)| *name == function.name);
        facts.insert(id, known.map(|&(_, p, n)| (p, n, 1)).collect());
    }
    let bodies: Vec<(FunctionId, Function<'_>)> = reached
        .iter()
        .filter_map(|&id| {
            let body = program.functions[id].body.as_ref()?;
            Some((id, Function::new(program, body)))
        })
        .collect();
    let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for (id, function) in &bodies {
        for callee in function.callees() {
            callers.entry(callee).or_default().insert(*id);
        }
    }
    let mut members = BTreeSet::new();
    // Only new facts about what a function calls tell something new of it.
    let mut due: BTreeSet<FunctionId> = bodies.iter().map(|(id, _)| *id).collect();
    for _ in 0..ROUNDS {
        if due.is_empty() {
            break;
        }
        for (id, function) in &bodies {
            if !due.remove(id) {
                continue;
            }
            let found = function.pairs(&facts);
            let own = found.iter().filter_map(|pair| function.fact(pair));
            let known = facts.entry(*id).or_default();
            let before = known.len();
            known.extend(own);
            if known.len() > before {
                due.extend(callers.get(id).into_iter().flatten());
            }
            let pairs = found.into_iter().filter_map(member_pair);
            members.extend(pairs.filter(|pair| is_capacity(program, pair)));
        }
    }
    let parameters = facts.get(&entry).into_iter().flatten();
    let parameters = parameters.map(|&(pointer, length, element)| LengthOf {
        pointer: LengthOperand::Parameter(pointer),
        length: LengthOperand::Parameter(length),
        element,
    });
    only(parameters.chain(members).collect())
}

/// A pair of members of one object.
fn member_pair((pointer, length, element): Pair) -> Option<LengthOf> {
    let (Value::Member(a, record, field), Value::Member(b, other, count)) = (pointer, length)
    else {
        return None;
    };
    let part = |field| LengthOperand::Member { record, field };
    (a == b && *a != Value::Other && record == other).then_some(LengthOf {
        pointer: part(field),
        length: part(count),
        element,
    })
}

/// Whether the length of a pair of members is as far as the array goes, as far as names tell: of an
/// object that has its capacity beside the number of elements in use, it is the capacity.
fn is_capacity(program: &Program, pair: &LengthOf) -> bool {
    let LengthOperand::Member { record, field } = pair.length else {
        return true;
    };
    let fields = program.types.record(record).map(|record| &record.fields);
    let numbers = fields.into_iter().flatten().enumerate();
    let mut others = numbers.filter(|(index, other)| {
        let is_number = program.types.int(other.ty).is_some();
        *index != field as usize && is_number && names_one_of(other.name.as_deref(), &COUNTS)
    });
    let own = fields.and_then(|fields| fields.get(field as usize));
    let name = own.and_then(|field| field.name.as_deref());
    others.next().is_none() || names_one_of(name, &CAPACITIES)
}

/// Whether a name has one of these words in it.
fn names_one_of(name: Option<&str>, words: &[&str]) -> bool {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    words.iter().any(|word| name.contains(word))
}

/// The pairs whose pointer has no other length.
fn only(pairs: BTreeSet<LengthOf>) -> Vec<LengthOf> {
    let lengths = |pointer: LengthOperand| {
        let own = pairs.iter().filter(move |pair| pair.pointer == pointer);
        own.count()
    };
    pairs
        .iter()
        .copied()
        .filter(|pair| lengths(pair.pointer) == 1)
        .collect()
}

/// A function with where its locals are written.
struct Function<'a> {
    program: &'a Program,
    body: &'a Body,
    writes: IndexVec<Local, Vec<&'a Rvalue>>,
    /// How often each local is written, by calls too; parameters once more.
    count: IndexVec<Local, usize>,
}

impl<'a> Function<'a> {
    fn new(program: &'a Program, body: &'a Body) -> Self {
        let mut writes = IndexVec::from_vec(vec![Vec::new(); body.locals.len()]);
        let mut count = IndexVec::from_vec(vec![0; body.locals.len()]);
        for (local, data) in body.locals.iter_enumerated() {
            count[local] = usize::from(data.kind == ir::LocalKind::Parameter) * 2;
        }
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(place, rvalue) = &statement.kind
                    && let Some(local) = place.as_local()
                {
                    writes[local].push(rvalue);
                    count[local] += 1;
                }
            }
            if let Terminator::Call {
                destination: Some(place),
                ..
            } = &block.terminator
                && let Some(local) = place.as_local()
            {
                count[local] += 2;
            }
        }
        Function {
            program,
            body,
            writes,
            count,
        }
    }

    /// The pairs that the function has in mind, of which one length bounds no other of the same
    /// pointer.
    fn pairs(&self, facts: &BTreeMap<FunctionId, BTreeSet<Fact>>) -> BTreeSet<Pair> {
        let bounds = self.bounds();
        let mut found = BTreeSet::new();
        for (pointer, index, element) in self.accesses() {
            let is_parameter_counted_down =
                matches!(&index, Value::Local(local) if self.is_counted(*local, BinaryOp::Sub));
            if is_parameter_counted_down {
                found.insert((pointer.clone(), index.clone(), element));
            }
            for (_, length) in bounds.iter().filter(|(bounded, _)| *bounded == index) {
                found.insert((pointer.clone(), length.clone(), element));
            }
        }
        found.extend(self.told(facts));
        found.retain(|(pointer, length, element)| {
            let is_counted = |value: &Value| {
                matches!(value, Value::Local(local) if self.is_counted(*local, BinaryOp::Sub))
            };
            let is_kept = self.is_kept(length) || is_counted(length);
            self.is_kept(pointer) && is_kept && *element > 0
        });
        found.extend(self.walks());
        let smaller: Vec<Pair> = found
            .iter()
            .filter(|(pointer, length, _)| {
                bounds.iter().any(|(bounded, other)| {
                    bounded == length && found.iter().any(|(p, n, _)| p == pointer && n == other)
                })
            })
            .cloned()
            .collect();
        found.retain(|pair| !smaller.contains(pair));
        found
    }

    /// What a pair says of the function's parameters, if it is of those.
    fn fact(&self, (pointer, length, element): &Pair) -> Option<Fact> {
        let is_parameter =
            |local: &Local| self.body.locals[*local].kind == ir::LocalKind::Parameter;
        match (pointer, length) {
            (Value::Local(p), Value::Local(n)) if is_parameter(p) && is_parameter(n) => {
                Some((p.raw(), n.raw(), *element))
            }
            _ => None,
        }
    }

    /// The functions that it calls by name.
    fn callees(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let blocks = self.body.blocks.iter();
        blocks.filter_map(|block| match block.terminator {
            Terminator::Call {
                callee: Callee::Direct(callee),
                ..
            } => Some(callee),
            _ => None,
        })
    }

    /// Whether a value is what it was when the function was called.
    fn is_kept(&self, value: &Value) -> bool {
        match value {
            Value::Local(local) => {
                let is_parameter = self.body.locals[*local].kind == ir::LocalKind::Parameter;
                !is_parameter || self.writes[*local].is_empty()
            }
            Value::Member(pointer, ..) => self.is_kept(pointer),
            Value::Other => false,
        }
    }

    /// Where an operand comes from.
    fn value(&self, operand: &Operand, depth: u32) -> Value {
        let Operand::Copy(local) = operand else {
            return Value::Other;
        };
        if self.count[*local] != 1 || depth == 0 {
            return Value::Local(*local);
        }
        match self.writes[*local].first() {
            Some(Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => {
                self.value(operand, depth - 1)
            }
            Some(Rvalue::Load(place)) => self.loaded(place, depth - 1),
            _ => Value::Local(*local),
        }
    }

    /// Where a value comes from that is read from memory.
    fn loaded(&self, place: &Place, depth: u32) -> Value {
        match (&place.base, place.projections.as_slice()) {
            (PlaceBase::Local(local), []) => Value::Local(*local),
            (PlaceBase::Deref(pointer), [Projection::Field(field)]) => {
                match self.pointee(pointer) {
                    Some(record) => {
                        let pointer = self.value(pointer, depth);
                        Value::Member(Box::new(pointer), record, *field)
                    }
                    None => Value::Other,
                }
            }
            _ => Value::Other,
        }
    }

    /// The record that an operand points to.
    fn pointee(&self, operand: &Operand) -> Option<TypeId> {
        let ty = match operand {
            Operand::Copy(local) => self.body.locals.get(*local)?.ty,
            Operand::Constant(_) => return None,
        };
        let pointee = self.program.types.pointee(ty)?;
        matches!(self.program.types.kind(pointee), Type::Record(_)).then_some(pointee)
    }

    /// The comparisons: what is bounded, and by what.
    fn bounds(&self) -> Vec<(Value, Value)> {
        let mut found = Vec::new();
        for rvalue in self.rvalues() {
            let Rvalue::Binary(op, left, right) = rvalue else {
                continue;
            };
            let (left, right) = (self.value(left, DEPTH), self.value(right, DEPTH));
            // `i <= n` bounds by a number of elements too: that goes one too far.
            let is_count = |value: &Value| self.is_count(value);
            match op {
                BinaryOp::Lt | BinaryOp::Ge if is_count(&left) => {
                    found.push((left.clone(), right.clone()));
                    found.push((right, left));
                }
                BinaryOp::Gt | BinaryOp::Le if is_count(&right) => {
                    found.push((left.clone(), right.clone()));
                    found.push((right, left));
                }
                BinaryOp::Lt | BinaryOp::Ge => found.push((left, right)),
                BinaryOp::Gt | BinaryOp::Le => found.push((right, left)),
                BinaryOp::Ne => {
                    found.push((left.clone(), right.clone()));
                    found.push((right, left));
                }
                _ => {}
            }
        }
        found.retain(|(bounded, length)| *bounded != Value::Other && *length != Value::Other);
        found
    }

    /// Whether the name of a value says that it counts elements.
    fn is_count(&self, value: &Value) -> bool {
        let name = match value {
            Value::Local(local) => self.body.locals[*local].name.as_deref(),
            Value::Member(_, record, field) => {
                let record = self.program.types.record(*record);
                let field = record.and_then(|record| record.fields.get(*field as usize));
                field.and_then(|field| field.name.as_deref())
            }
            Value::Other => None,
        };
        name == Some("n") || names_one_of(name, &COUNTS)
    }

    /// The accesses behind pointers: the pointer, the index, and the size of an element.
    fn accesses(&self) -> Vec<(Value, Value, u64)> {
        let mut found = Vec::new();
        for place in self.places() {
            let PlaceBase::Deref(Operand::Copy(local)) = &place.base else {
                continue;
            };
            if let Some((pointer, index, element)) = self.offset(*local, DEPTH) {
                found.push((pointer, index, element));
            }
        }
        found
    }

    /// The pointer, the index and the size of an element that an address is made of.
    fn offset(&self, local: Local, depth: u32) -> Option<(Value, Value, u64)> {
        if self.count[local] != 1 || depth == 0 {
            return None;
        }
        match *self.writes[local].first()? {
            Rvalue::PointerOffset {
                pointer,
                index,
                element,
                negative: false,
            } => Some((
                self.value(pointer, DEPTH),
                self.value(index, DEPTH),
                *element,
            )),
            Rvalue::Use(Operand::Copy(other)) | Rvalue::Cast(_, Operand::Copy(other), _) => {
                self.offset(*other, depth - 1)
            }
            _ => None,
        }
    }

    /// The pointers that are moved on one by one while a parameter is counted down.
    fn walks(&self) -> Vec<Pair> {
        let parameters = self.body.locals.iter_enumerated();
        let parameters: Vec<Local> = parameters
            .filter(|(_, data)| data.kind == ir::LocalKind::Parameter)
            .map(|(local, _)| local)
            .collect();
        let counted = parameters.iter().copied();
        let counted: Vec<Local> = counted
            .filter(|&local| self.is_counted(local, BinaryOp::Sub))
            .collect();
        let mut found = Vec::new();
        for &pointer in &parameters {
            let Some(element) = self.walked(pointer) else {
                continue;
            };
            for &length in &counted {
                found.push((Value::Local(pointer), Value::Local(length), element));
            }
        }
        found
    }

    /// Whether a parameter is counted up or down by 1.
    fn is_counted(&self, local: Local, by: BinaryOp) -> bool {
        let is_parameter = self.body.locals[local].kind == ir::LocalKind::Parameter;
        let minus_one = self.program.types.int(self.body.locals[local].ty);
        let minus_one = minus_one.map(|int| u128::MAX >> (128 - int.width.clamp(1, 128)));
        is_parameter
            && self.writes[local].iter().any(|rvalue| match rvalue {
                Rvalue::Binary(op, left, right) => {
                    let one = number(right);
                    let is_step = (*op == by && one == Some(1))
                        || (*op == BinaryOp::Add && one.is_some() && one == minus_one);
                    is_step && self.value(left, DEPTH) == Value::Local(local)
                }
                _ => false,
            })
    }

    /// The size of an element, if a parameter is a pointer that is moved on one by one.
    fn walked(&self, local: Local) -> Option<u64> {
        self.writes[local].iter().find_map(|rvalue| match rvalue {
            Rvalue::PointerOffset {
                pointer,
                index,
                element,
                negative: false,
            } if number(index) == Some(1) && self.value(pointer, DEPTH) == Value::Local(local) => {
                Some(*element)
            }
            _ => None,
        })
    }

    /// What callees tell of the values that they are given.
    fn told(&self, facts: &BTreeMap<FunctionId, BTreeSet<Fact>>) -> Vec<Pair> {
        let mut found = Vec::new();
        for block in &self.body.blocks {
            let Terminator::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } = &block.terminator
            else {
                continue;
            };
            for &(pointer, length, element) in facts.get(callee).into_iter().flatten() {
                let argument = |index: u32| {
                    let argument = arguments.get(index as usize);
                    argument.map_or(Value::Other, |operand| self.value(operand, DEPTH))
                };
                found.push((argument(pointer), argument(length), element));
            }
        }
        found
    }

    fn rvalues(&self) -> impl Iterator<Item = &'a Rvalue> {
        let statements = self.body.blocks.iter().flat_map(|block| &block.statements);
        statements.filter_map(|statement| match &statement.kind {
            StatementKind::Assign(_, rvalue) => Some(rvalue),
            _ => None,
        })
    }

    /// The places that are read or written.
    fn places(&self) -> Vec<&'a Place> {
        let statements = self.body.blocks.iter().flat_map(|block| &block.statements);
        let mut found = Vec::new();
        for statement in statements {
            if let StatementKind::Assign(place, rvalue) = &statement.kind {
                found.push(place);
                if let Rvalue::Load(place) = rvalue {
                    found.push(place);
                }
            }
        }
        found
    }
}

/// A constant number.
fn number(operand: &Operand) -> Option<u128> {
    match operand {
        Operand::Constant(constant) => match constant.value {
            ConstantValue::Int(bits) => Some(bits),
            _ => None,
        },
        Operand::Copy(_) => None,
    }
}
