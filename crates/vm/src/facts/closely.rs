//! How closely code looks at what functions of the C library return.
//!
//! C says of `strcmp` only what the sign of its result is, and of `isalpha` only whether it is
//! zero. Where code asks no more, one library's numbers stand for all; a call whose result the code
//! looks at more closely holds for that library only. This is found by form: values flow from local
//! to local, and through what functions return, without regard to order.

use ir::{
    BinaryOp, Block, Body, Callee, CastKind, Constant, ConstantValue, FunctionId, Local, Operand,
    Origin, Place, PlaceBase, Program, Rvalue, StatementKind, Terminator,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What C says of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Whether it is negative, zero or positive.
    Sign,
    /// Whether it is zero.
    Truth,
    /// Whether it is -1, and else that it is not negative.
    Failure,
}

/// What C says of the result of a function, if that leaves numbers open.
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

/// glibc's bits of the classes that are the same in all locales: digits, of either kind.
const DIGITS: u128 = 0x1800;

/// A place in the code: of a call, the block that it ends.
pub(crate) type At = (FunctionId, Block, usize);

/// What was found.
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
    let flow = Flow::new(program);
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
                && flow
                    .called(callee)
                    .any(|says| flow.asks_more(id, whole_local(place), says))
            {
                found.calls.insert((id, block));
            }
            for (at, statement) in data.statements.iter().enumerate() {
                let StatementKind::Assign(to, Rvalue::Load(from)) = &statement.kind else {
                    continue;
                };
                let is_behind = matches!(from.base, PlaceBase::Deref(_));
                if is_behind
                    && let Some(local) = whole_local(to)
                    && flow.is_masked(id, local, DIGITS)
                {
                    found.digits.insert((id, block, at));
                }
            }
        }
    }
    found
}

/// What is done with the value of a local.
#[derive(Clone, Copy, Debug)]
enum Use {
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
struct Flow<'p> {
    program: &'p Program,
    uses: FxHashMap<(FunctionId, Local), Vec<Use>>,
    /// Where the results of functions go; to no local of its own is none.
    results: FxHashMap<FunctionId, Vec<(FunctionId, Option<Local>)>>,
    /// Where the results of calls through pointers go.
    indirect: Vec<(FunctionId, Option<Local>)>,
    /// The functions whose address is taken.
    pointed_to: FxHashSet<FunctionId>,
}

impl<'p> Flow<'p> {
    fn new(program: &'p Program) -> Self {
        let mut flow = Flow {
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
            flow.pointed_to.extend(functions);
        }
        for (id, function) in program.functions.iter_enumerated() {
            if let Some(body) = &function.body {
                flow.add(id, body);
            }
        }
        flow
    }

    /// What C says of the result of a call, for each function that may be called.
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
                    self.add_value(function, body, whole_local(place), value);
                }
            }
            self.add_end(function, &block.terminator);
        }
    }

    fn add_value(&mut self, function: FunctionId, body: &Body, to: Option<Local>, value: &Rvalue) {
        let goes = to.map_or(Use::Other, Use::Goes);
        match value {
            Rvalue::Use(operand) => self.add_use(function, operand, goes),
            Rvalue::Load(place) => match whole_local(place) {
                Some(local) => self.add_local(function, local, goes),
                None => self.add_place(function, place),
            },
            Rvalue::AddressOf(place) => {
                if let PlaceBase::Local(local) = place.base {
                    self.add_local(function, local, Use::Other);
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
                    CastKind::IntToBool => Use::Tested,
                    CastKind::IntToInt if widens => goes,
                    _ => Use::Other,
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
            Rvalue::Unary(_, operand) => self.add_use(function, operand, Use::Other),
            Rvalue::PointerOffset { pointer, index, .. } => {
                self.add_use(function, pointer, Use::Other);
                self.add_use(function, index, Use::Other);
            }
            Rvalue::PointerDifference { left, right, .. } => {
                self.add_use(function, left, Use::Other);
                self.add_use(function, right, Use::Other);
            }
            Rvalue::Zero(_) => {}
        }
    }

    /// What an operator does with one operand, given the other one.
    fn compared(&self, op: BinaryOp, other: &Operand) -> Use {
        let Operand::Constant(Constant {
            ty,
            value: ConstantValue::Int(bits),
        }) = other
        else {
            return Use::Other;
        };
        let int = self.program.types.int(*ty);
        match (op, int) {
            (BinaryOp::And, _) => Use::Masked(*bits),
            (op, Some(int)) if op.is_comparison() => {
                Use::Compared(op, crate::value::number(*bits, int.width, int.signed))
            }
            _ => Use::Other,
        }
    }

    fn add_end(&mut self, function: FunctionId, terminator: &Terminator) {
        match terminator {
            Terminator::Branch { operand, .. } => self.add_use(function, operand, Use::Tested),
            Terminator::Switch { operand, .. } => self.add_use(function, operand, Use::Other),
            Terminator::Return(Some(operand)) => self.add_use(function, operand, Use::Returned),
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                for argument in arguments {
                    self.add_use(function, argument, Use::Other);
                }
                let to = destination.as_ref().map(whole_local);
                match callee {
                    Callee::Direct(callee) => {
                        let results = self.results.entry(*callee).or_default();
                        results.extend(to.map(|local| (function, local)));
                    }
                    Callee::Indirect(pointer) => {
                        self.add_use(function, pointer, Use::Other);
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
            self.add_use(function, pointer, Use::Other);
        }
        for projection in &place.projections {
            if let ir::Projection::Index(index) = projection {
                self.add_use(function, index, Use::Other);
            }
        }
    }

    fn add_use(&mut self, function: FunctionId, operand: &Operand, how: Use) {
        match operand {
            Operand::Copy(local) => self.add_local(function, *local, how),
            Operand::Constant(constant) => {
                if let ConstantValue::Function(target) = constant.value {
                    self.pointed_to.insert(target);
                }
            }
        }
    }

    fn add_local(&mut self, function: FunctionId, local: Local, how: Use) {
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
                    Use::Goes(next) => waiting.push((function, Some(next))),
                    Use::Returned if returned.insert(function) => {
                        waiting.extend(self.results.get(&function).into_iter().flatten());
                        if self.pointed_to.contains(&function) {
                            waiting.extend(&self.indirect);
                        }
                    }
                    Use::Returned => {}
                    Use::Tested if says != Says::Failure => {}
                    Use::Compared(op, number) if is_within(says, op, number) => {}
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
                    Use::Goes(next) => waiting.push(next),
                    Use::Masked(mask) if mask & !bits == 0 => {}
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

/// The local that a place is the whole of.
fn whole_local(place: &Place) -> Option<Local> {
    match place.base {
        PlaceBase::Local(local) if place.projections.is_empty() => Some(local),
        _ => None,
    }
}
