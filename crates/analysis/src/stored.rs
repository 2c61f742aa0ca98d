//! The values that code stores in fields of records and in globals, and passes to functions, whatever the order in which it
//! runs. They say what is plausible; nothing is concluded from a value that is missing.

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    Body, Callee, ConstantValue, FunctionId, Global, GlobalId, Local, Operand, Origin, Place,
    PlaceBase, Program, Projection, RecordId, Rvalue, Statement, StatementKind, Terminator, Type,
    TypeId, Types, Typing,
};

/// How many copies from local to local are followed to a constant.
const MOST_COPIES: u32 = 4;

/// A scalar that code stores to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// A field of a record, by its index, in whichever object.
    Field(RecordId, u32),
    /// A global.
    Global(GlobalId),
    /// A parameter of a function, by its index, to which calls pass values.
    Parameter(FunctionId, u32),
}

/// The values that are stored in a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// These constants, and no other values.
    Constants(BTreeSet<u128>),
    /// Values that are computed.
    Anything,
}

/// The values that the user's code stores.
#[derive(Clone, Debug, Default)]
pub struct StoredValues {
    values: BTreeMap<Variable, Stored>,
    /// Whether code fills objects with zeros, whichever these are.
    fills: bool,
}

/// Functions that fill objects with zeros.
const FILLERS: [&str; 4] = ["memset", "calloc", "bzero", "__builtin_memset"];

impl StoredValues {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        let mut stored = StoredValues::default();
        let of_user = |unit: ir::UnitId| program.units[unit].origin == Origin::User;
        for (id, global) in program.globals.iter_enumerated() {
            if of_user(global.unit) {
                stored.initial_value(program, id, global);
            }
        }
        for (id, function) in program.functions.iter_enumerated() {
            if let Some(body) = &function.body
                && program.origin(id) == Origin::User
            {
                Writes::of(program, body).record(&mut stored);
            }
        }
        stored
    }

    /// What is stored in a variable; no constant if nothing is.
    pub fn of(&self, variable: Variable) -> Stored {
        let known = self.values.get(&variable).cloned();
        let mut stored = known.unwrap_or_else(|| Stored::Constants(BTreeSet::new()));
        if let (Stored::Constants(constants), Variable::Field(..)) = (&mut stored, variable)
            && self.fills
        {
            constants.insert(0);
        }
        stored
    }

    fn add(&mut self, variable: Variable, value: Option<BTreeSet<u128>>) {
        let none = Stored::Constants(BTreeSet::new());
        let known = self.values.entry(variable).or_insert(none);
        match (&mut *known, value) {
            (Stored::Anything, _) => {}
            (Stored::Constants(known), Some(values)) => known.extend(values),
            (Stored::Constants(_), None) => *known = Stored::Anything,
        }
    }

    fn initial_value(&mut self, program: &Program, id: GlobalId, global: &Global) {
        let Some(initializer) = &global.initializer else {
            return;
        };
        let types = &program.types;
        if types.int(global.ty).is_some() {
            let value = bits_at(&initializer.bytes, 0, types.size(global.ty));
            self.add(Variable::Global(id), Some(BTreeSet::from([value])));
        }
        self.initial_fields(types, global.ty, 0, &initializer.bytes);
    }

    /// The values of the fields of an initial value, whose parts of the type lie at the offset.
    fn initial_fields(&mut self, types: &Types, ty: TypeId, offset: u64, bytes: &[u8]) {
        match types.kind(ty) {
            Type::Record(record) => {
                for (index, field) in types.records[*record].fields.iter().enumerate() {
                    let at = offset + field.offset_bits / 8;
                    if types.int(field.ty).is_some() && field.bit_width.is_none() {
                        let value = bits_at(bytes, at, types.size(field.ty));
                        let variable = Variable::Field(*record, index as u32);
                        self.add(variable, Some(BTreeSet::from([value])));
                    }
                    self.initial_fields(types, field.ty, at, bytes);
                }
            }
            Type::Array { element, length } => {
                let size = types.size(*element).max(1);
                let end = (bytes.len() as u64).saturating_sub(offset).div_ceil(size);
                for index in 0..length.unwrap_or(0).min(end) {
                    self.initial_fields(types, *element, offset + index * size, bytes);
                }
            }
            _ => {}
        }
    }
}

/// The innermost field that a scalar at an offset in an object of a type is.
pub fn field_at(types: &Types, ty: TypeId, offset_bits: u64) -> Option<Variable> {
    match types.kind(ty) {
        Type::Record(record) => {
            let fields = &types.records[*record].fields;
            let holds = |field: &&ir::Field| {
                let bits = u64::from(field.bit_width.unwrap_or(0));
                let bits = if bits > 0 {
                    bits
                } else {
                    types.size(field.ty) * 8
                };
                field.offset_bits <= offset_bits && offset_bits < field.offset_bits + bits
            };
            let index = fields.iter().position(|field| holds(&field))?;
            let field = &fields[index];
            let own = Variable::Field(*record, index as u32);
            let inner = field_at(types, field.ty, offset_bits - field.offset_bits);
            Some(inner.unwrap_or(own))
        }
        Type::Array { element, .. } => {
            let stride = types.size(*element) * 8;
            field_at(types, *element, offset_bits.checked_rem(stride)?)
        }
        _ => None,
    }
}

fn bits_at(bytes: &[u8], offset: u64, size: u64) -> u128 {
    let at = |index: u64| bytes.get((offset + index) as usize).copied().unwrap_or(0);
    (0..size.min(16)).fold(0, |bits, index| bits | u128::from(at(index)) << (index * 8))
}

/// What one function stores.
struct Writes<'p> {
    program: &'p Program,
    body: &'p Body,
    /// The right sides that each whole local is assigned; `None` for what else writes it.
    assigned: BTreeMap<Local, Vec<Option<&'p Rvalue>>>,
}

impl<'p> Writes<'p> {
    fn of(program: &'p Program, body: &'p Body) -> Self {
        let mut writes = Writes {
            program,
            body,
            assigned: BTreeMap::new(),
        };
        for block in &body.blocks {
            for Statement { kind, .. } in &block.statements {
                let StatementKind::Assign(place, value) = kind else {
                    continue;
                };
                let known = place.as_local().map(|local| (local, Some(value)));
                let taken = match value {
                    Rvalue::AddressOf(taken) => match taken.base {
                        PlaceBase::Local(local) => Some((local, None)),
                        _ => None,
                    },
                    _ => None,
                };
                for (local, value) in known.into_iter().chain(taken) {
                    writes.assigned.entry(local).or_default().push(value);
                }
            }
            if let Terminator::Call {
                destination: Some(place),
                ..
            } = &block.terminator
                && let Some(local) = place.as_local()
            {
                writes.assigned.entry(local).or_default().push(None);
            }
        }
        writes
    }

    fn record(&self, stored: &mut StoredValues) {
        for block in &self.body.blocks {
            for Statement { kind, .. } in &block.statements {
                let StatementKind::Assign(place, value) = kind else {
                    continue;
                };
                if let Some(variable) = self.variable(place) {
                    stored.add(variable, self.constants(value, MOST_COPIES));
                }
                if let Rvalue::Zero(ty) = value {
                    let kind = self.program.types.kind(*ty);
                    stored.fills |= matches!(kind, Type::Record(_) | Type::Array { .. });
                }
                if let Rvalue::AddressOf(taken) = value
                    && let Some(variable) = self.variable(taken)
                {
                    stored.add(variable, None);
                }
            }
            let Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } = &block.terminator
            else {
                continue;
            };
            let variable = destination.as_ref().and_then(|place| self.variable(place));
            if let Some(variable) = variable {
                stored.add(variable, None);
            }
            if let Callee::Direct(callee) = callee {
                let name = self.program.functions[*callee].name.as_str();
                stored.fills |= FILLERS.contains(&name);
                for (index, argument) in (0..).zip(arguments) {
                    let values = self.constants(&Rvalue::Use(argument.clone()), MOST_COPIES);
                    stored.add(Variable::Parameter(*callee, index), values);
                }
            }
        }
    }

    /// The field or global that a place is, if it is a scalar.
    fn variable(&self, place: &Place) -> Option<Variable> {
        let typing = Typing {
            types: &self.program.types,
            globals: &self.program.globals,
            locals: &self.body.locals,
        };
        let mut ty = typing.base(&place.base);
        let mut found = match place.base {
            PlaceBase::Global(global) if place.projections.is_empty() => {
                Some(Variable::Global(global))
            }
            _ => None,
        };
        for step in &place.projections {
            if let (Projection::Field(index), Some(from)) = (step, ty)
                && let Type::Record(record) = self.program.types.kind(from)
            {
                found = Some(Variable::Field(*record, *index));
            }
            ty = ty.and_then(|from| typing.step(from, step));
        }
        found
    }

    /// The constants that a right side may be, if it is nothing else.
    fn constants(&self, value: &Rvalue, copies: u32) -> Option<BTreeSet<u128>> {
        match value {
            Rvalue::Use(Operand::Constant(constant))
            | Rvalue::Cast(_, Operand::Constant(constant), _) => match constant.value {
                ConstantValue::Int(bits) => Some(BTreeSet::from([bits])),
                _ => None,
            },
            Rvalue::Use(Operand::Copy(local)) | Rvalue::Cast(_, Operand::Copy(local), _)
                if copies > 0 =>
            {
                let mut all = BTreeSet::new();
                for value in self.assigned.get(local)? {
                    all.extend(self.constants((*value)?, copies - 1)?);
                }
                Some(all)
            }
            _ => None,
        }
    }
}
