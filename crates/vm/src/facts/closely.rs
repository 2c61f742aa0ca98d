//! How closely code looks at what functions of the C library return.
//!
//! C says of `strcmp` only what the sign of its result is, and of `isalpha` only whether it is
//! zero. Code that uses no more than this behaves alike with every library. A call whose result is
//! used more precisely gives a fact about one library only, so it is a bound. Such calls are found
//! by form: values flow from local to local, and through what functions return, without regard to
//! order.

use ir::{
    BinaryOp, Block, Body, Callee, CastKind, Constant, ConstantValue, FunctionId, Local, Operand,
    Origin, Place, PlaceBase, Program, Rvalue, StatementKind, Terminator,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of a result that C defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Whether it is negative, zero or positive.
    Sign,
    /// Whether it is zero.
    Truth,
    /// Whether it is -1, and else that it is not negative.
    Failure,
}

/// The part that C defines of a function's result, if C leaves the number open.
fn says(name: &str) -> Option<Says> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    Some(match name {
        "memcmp" | "strcmp" | "strncmp" | "strcoll" | "strcasecmp" | "strncasecmp"
        | "strverscmp" | "wcscmp" | "wcsncmp" | "wcscoll" | "wcscasecmp" | "wcsncasecmp"
        | "wmemcmp" => Says::Sign,
        "bcmp" | "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph"
        | "islower" | "isprint" | "ispunct" | "isspace" | "isupper" | "isxdigit" | "iswalnum"
        | "iswalpha" | "iswblank" | "iswcntrl" | "iswdigit" | "iswgraph" | "iswlower"
        | "iswprint" | "iswpunct" | "iswspace" | "iswupper" | "iswxdigit" => Says::Truth,
        "fputs" | "puts" => Says::Failure,
        _ => return None,
    })
}

/// Whether C leaves open what number a function returns, by its name.
pub(crate) fn leaves_open(name: &str) -> bool {
    says(name).is_some()
}

/// glibc's bits for decimal and hexadecimal digits, the classes that no locale changes.
const DIGITS: u128 = 0x1800;

/// A place in the code: of a call, the block that it ends.
pub(crate) type At = (FunctionId, Block, usize);

/// The calls and reads that were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closely {
    /// The calls whose results are looked at more closely than C says what they are.
    calls: FxHashSet<(FunctionId, Block)>,
    /// The reads of memory of which only the bits of digits are looked at.
    digits: FxHashSet<At>,
}

impl Closely {
    /// Whether the result of the call at the end of a block is looked at more closely than C says.
    pub fn is_call(&self, function: FunctionId, block: Block) -> bool {
        self.calls.contains(&(function, block))
    }

    /// Whether only the bits of digits are looked at of what a statement reads.
    pub fn is_digits(&self, at: At) -> bool {
        self.digits.contains(&at)
    }
}

/// Looks at all code of the user.
pub(crate) fn closely(program: &Program) -> Closely {
    let mut found = Closely::default();
    let is_wanted = |function: &ir::Function| {
        says(&function.name).is_some() || function.name == "__ctype_b_loc"
    };
    if !program.functions.iter().any(is_wanted) {
        return found;
    }
    let values = ValueUses::new(program);
    for (id, function) in program.functions.iter_enumerated() {
        let Some(body) = function
            .body
            .as_ref()
            .filter(|_| program.origin(id) == Origin::User)
        else {
            continue;
        };
        for (block, data) in body.blocks.iter_enumerated() {
            if let Terminator::Call {
                callee,
                destination: Some(place),
                ..
            } = &data.terminator
                && values
                    .called(callee)
                    .any(|says| values.asks_more(id, place.as_local(), says))
            {
                found.calls.insert((id, block));
            }
            for (at, statement) in data.statements.iter().enumerate() {
                let StatementKind::Assign(to, Rvalue::Load(from)) = &statement.kind else {
                    continue;
                };
                let is_behind = matches!(from.base, PlaceBase::Deref(_));
                if is_behind
                    && let Some(local) = to.as_local()
                    && values.is_masked(id, local, DIGITS)
                {
                    found.digits.insert((id, block, at));
                }
            }
        }
    }
    found
}

/// One use of the value of a local.
#[derive(Clone, Copy, Debug)]
enum ValueUse {
    /// It goes to another local.
    Goes(Local),
    /// It is tested for zero.
    Tested,
    /// It is compared with a number.
    Compared(BinaryOp, i128),
    /// Some of its bits are taken.
    Masked(u128),
    Returned,
    /// Anything else.
    Other,
}

/// Where values go.
struct ValueUses<'p> {
    program: &'p Program,
    uses: FxHashMap<(FunctionId, Local), Vec<ValueUse>>,
    /// Where the results of functions go; to no local of its own is none.
    results: FxHashMap<FunctionId, Vec<(FunctionId, Option<Local>)>>,
    /// Where the results of calls through pointers go.
    indirect: Vec<(FunctionId, Option<Local>)>,
    /// The functions whose address is taken.
    pointed_to: FxHashSet<FunctionId>,
}

impl<'p> ValueUses<'p> {
    fn new(program: &'p Program) -> Self {
        let mut values = ValueUses {
            program,
            uses: FxHashMap::default(),
            results: FxHashMap::default(),
            indirect: Vec::new(),
            pointed_to: FxHashSet::default(),
        };
        for global in &program.globals {
            let relocations = global.initializer.iter().flat_map(|data| &data.relocations);
            let functions = relocations.filter_map(|relocation| match relocation.target {
                ConstantValue::Function(function) => Some(function),
                _ => None,
            });
            values.pointed_to.extend(functions);
        }
        for (id, function) in program.functions.iter_enumerated() {
            if let Some(body) = &function.body {
                values.add(id, body);
            }
        }
        values
    }

    /// The part that C defines of a call's result, for each function that may be called.
    fn called<'a>(&'a self, callee: &'a Callee) -> impl Iterator<Item = Says> + 'a {
        let (direct, others) = match callee {
            Callee::Direct(function) => (Some(function), None),
            Callee::Indirect(_) => (None, Some(&self.pointed_to)),
        };
        let functions = direct.into_iter().chain(others.into_iter().flatten());
        functions.filter_map(|&function| says(&self.program.functions[function].name))
    }

    fn add(&mut self, function: FunctionId, body: &Body) {
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    self.add_place(function, place);
                    self.add_value(function, body, place.as_local(), value);
                }
            }
            self.add_end(function, &block.terminator);
        }
    }

    fn add_value(&mut self, function: FunctionId, body: &Body, to: Option<Local>, value: &Rvalue) {
        let goes = to.map_or(ValueUse::Other, ValueUse::Goes);
        match value {
            Rvalue::Use(operand) => self.add_use(function, operand, goes),
            Rvalue::Load(place) => match place.as_local() {
                Some(local) => self.add_local(function, local, goes),
                None => self.add_place(function, place),
            },
            Rvalue::AddressOf(place) => {
                if let PlaceBase::Local(local) = place.base {
                    self.add_local(function, local, ValueUse::Other);
                }
                self.add_place(function, place);
            }
            Rvalue::Cast(kind, operand, ty) => {
                let types = &self.program.types;
                let from = match operand {
                    Operand::Copy(local) => body.locals[*local].ty,
                    Operand::Constant(constant) => constant.ty,
                };
                let widens = types.size(*ty) >= types.size(from);
                let how = match kind {
                    CastKind::IntToBool => ValueUse::Tested,
                    CastKind::IntToInt if widens => goes,
                    _ => ValueUse::Other,
                };
                self.add_use(function, operand, how);
            }
            Rvalue::Binary(op, left, right) => {
                let (of_left, of_right) = (
                    self.compared(*op, right),
                    self.compared(mirrored(*op), left),
                );
                self.add_use(function, left, of_left);
                self.add_use(function, right, of_right);
            }
            Rvalue::Unary(_, operand) => self.add_use(function, operand, ValueUse::Other),
            Rvalue::PointerOffset { pointer, index, .. } => {
                self.add_use(function, pointer, ValueUse::Other);
                self.add_use(function, index, ValueUse::Other);
            }
            Rvalue::PointerDifference { left, right, .. } => {
                self.add_use(function, left, ValueUse::Other);
                self.add_use(function, right, ValueUse::Other);
            }
            Rvalue::Zero(_) => {}
        }
    }

    /// The use that an operator makes of one operand, given the other one.
    fn compared(&self, op: BinaryOp, other: &Operand) -> ValueUse {
        let Operand::Constant(Constant {
            ty,
            value: ConstantValue::Int(bits),
        }) = other
        else {
            return ValueUse::Other;
        };
        let int = self.program.types.int(*ty);
        match (op, int) {
            (BinaryOp::And, _) => ValueUse::Masked(*bits),
            (op, Some(int)) if op.is_comparison() => {
                ValueUse::Compared(op, crate::value::number(*bits, int.width, int.signed))
            }
            _ => ValueUse::Other,
        }
    }

    fn add_end(&mut self, function: FunctionId, terminator: &Terminator) {
        match terminator {
            Terminator::Branch { operand, .. } => self.add_use(function, operand, ValueUse::Tested),
            Terminator::Switch { operand, .. } => self.add_use(function, operand, ValueUse::Other),
            Terminator::Return(Some(operand)) => {
                self.add_use(function, operand, ValueUse::Returned)
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                for argument in arguments {
                    self.add_use(function, argument, ValueUse::Other);
                }
                let to = destination.as_ref().map(Place::as_local);
                match callee {
                    Callee::Direct(callee) => {
                        let results = self.results.entry(*callee).or_default();
                        results.extend(to.map(|local| (function, local)));
                    }
                    Callee::Indirect(pointer) => {
                        self.add_use(function, pointer, ValueUse::Other);
                        self.indirect.extend(to.map(|local| (function, local)));
                    }
                }
                if let Some(place) = destination {
                    self.add_place(function, place);
                }
            }
            _ => {}
        }
    }

    /// Adds the locals that a place is computed from.
    fn add_place(&mut self, function: FunctionId, place: &Place) {
        if let PlaceBase::Deref(pointer) = &place.base {
            self.add_use(function, pointer, ValueUse::Other);
        }
        for projection in &place.projections {
            if let ir::Projection::Index(index) = projection {
                self.add_use(function, index, ValueUse::Other);
            }
        }
    }

    fn add_use(&mut self, function: FunctionId, operand: &Operand, how: ValueUse) {
        match operand {
            Operand::Copy(local) => self.add_local(function, *local, how),
            Operand::Constant(constant) => {
                if let ConstantValue::Function(target) = constant.value {
                    self.pointed_to.insert(target);
                }
            }
        }
    }

    fn add_local(&mut self, function: FunctionId, local: Local, how: ValueUse) {
        self.uses.entry((function, local)).or_default().push(how);
    }

    /// Whether the code asks more of a value than C says of it, wherever the value goes.
    fn asks_more(&self, function: FunctionId, local: Option<Local>, says: Says) -> bool {
        let mut waiting = vec![(function, local)];
        let mut seen = FxHashSet::default();
        let mut returned = FxHashSet::default();
        while let Some((function, local)) = waiting.pop() {
            let Some(local) = local else { return true };
            if !seen.insert((function, local)) {
                continue;
            }
            for &how in self.uses.get(&(function, local)).into_iter().flatten() {
                match how {
                    ValueUse::Goes(next) => waiting.push((function, Some(next))),
                    ValueUse::Returned if returned.insert(function) => {
                        waiting.extend(self.results.get(&function).into_iter().flatten());
                        if self.pointed_to.contains(&function) {
                            waiting.extend(&self.indirect);
                        }
                    }
                    ValueUse::Returned => {}
                    ValueUse::Tested if says != Says::Failure => {}
                    ValueUse::Compared(op, number) if is_within(says, op, number) => {}
                    _ => return true,
                }
            }
        }
        false
    }

    /// Whether nothing but these bits of a value is looked at, in the same function.
    fn is_masked(&self, function: FunctionId, local: Local, bits: u128) -> bool {
        let mut waiting = vec![local];
        let mut seen = FxHashSet::default();
        while let Some(local) = waiting.pop() {
            if !seen.insert(local) {
                continue;
            }
            for &how in self.uses.get(&(function, local)).into_iter().flatten() {
                match how {
                    ValueUse::Goes(next) => waiting.push(next),
                    ValueUse::Masked(mask) if mask & !bits == 0 => {}
                    _ => return false,
                }
            }
        }
        true
    }
}

/// Whether a comparison asks no more than C says of a value.
fn is_within(says: Says, op: BinaryOp, number: i128) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match says {
        Says::Truth => matches!((op, number), (Eq | Ne, 0)),
        Says::Sign => matches!((op, number), (_, 0) | (Ge | Lt, 1) | (Gt | Le, -1)),
        Says::Failure => matches!((op, number), (Lt | Ge, 0) | (Eq | Ne | Gt | Le, -1)),
    }
}

/// A comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}
