//! The meaning of right sides of assignments, and of the ends of blocks, over any domain.
//!
//! ```text
//! int x, y;        requires                          value
//! x / y            y != 0, !(x == MIN && y == -1)    x sdiv y
//! (char)x          nothing                           the low 8 bits of x
//! *p, &x, p + i    these are of memory: the source answers loads, and the others are `None`
//! ```

use ir::{
    BinaryOp, Body, CastKind, ConstantValue, DefectKind, Local, Operand, Place, Program, Rvalue,
    SwitchArm, Terminator, Type, TypeId, UnaryOp,
};

use crate::{
    Domain, Integer, amount_is_safe, binary, branches, checks, compare, convert, is_true,
    negation_check, operands_are_safe, shift_check, switch, unary,
};

/// The values that code reads.
pub trait Source<D: Domain> {
    /// The value of a whole local, in the width of its type; `None` if the domain has none for it.
    fn local(&mut self, domain: &mut D, local: Local) -> Option<D::Value>;

    /// The value that a place in memory holds, in the width of its type; `None` if the domain has
    /// none for it.
    fn load(&mut self, domain: &mut D, place: &Place) -> Option<D::Value>;
}

/// What the right side of an assignment is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated<D: Domain> {
    /// Its value, in the width of its type, where the requirements hold.
    pub value: D::Value,
    /// The conditions under which C defines it, in the order in which an execution checks them,
    /// each with the defect where it does not hold.
    pub requirements: Vec<(DefectKind, D::Truth)>,
}

/// The code of a function, whose types say what its operations mean.
#[derive(Clone, Copy, Debug)]
pub struct Code<'p> {
    program: &'p Program,
    body: &'p Body,
}

impl<'p> Code<'p> {
    /// The code of a function of a program.
    pub fn new(program: &'p Program, body: &'p Body) -> Code<'p> {
        Code { program, body }
    }

    /// What a right side is. `None` if it is about memory (addresses and distances of objects),
    /// about floating values, or reads what the source does not know.
    pub fn rvalue<D: Domain>(
        self,
        domain: &mut D,
        source: &mut impl Source<D>,
        rvalue: &Rvalue,
    ) -> Option<Evaluated<D>> {
        match rvalue {
            Rvalue::Use(operand) => self.operand(domain, source, operand).map(plain),
            Rvalue::Load(place) => source.load(domain, place).map(plain),
            Rvalue::Zero(ty) => {
                let width = self.integer(*ty)?.width;
                Some(plain(domain.constant(width, 0)))
            }
            Rvalue::Unary(op, operand) => {
                let ty = self.integer(self.type_of(operand))?;
                let a = self.operand(domain, source, operand)?;
                Some(self.unary(domain, *op, ty, a))
            }
            Rvalue::Binary(op, left, right) => {
                let ty = self.integer(self.type_of(left))?;
                let amount = self.integer(self.type_of(right))?;
                if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                    // C orders pointers into one object only.
                    self.program.types.int(self.type_of(left))?;
                }
                let a = self.operand(domain, source, left)?;
                let b = self.operand(domain, source, right)?;
                Some(match op {
                    BinaryOp::Shl | BinaryOp::Shr => self.shift(domain, *op, ty, a, (b, amount)),
                    op if op.is_comparison() => {
                        let holds = compare(domain, *op, ty, a, b);
                        plain(domain.number(COMPARED, holds))
                    }
                    _ => self.arithmetic(domain, *op, ty, a, b),
                })
            }
            Rvalue::Cast(kind, operand, to) => {
                let (from, to) = (self.integer(self.type_of(operand))?, self.integer(*to)?);
                if *kind == CastKind::PointerToInt && to.width > from.width {
                    // Compilers differ in how they extend pointers.
                    return None;
                }
                let a = self.operand(domain, source, operand)?;
                Some(plain(cast(domain, *kind, from, to.width, a)))
            }
            Rvalue::AddressOf(_)
            | Rvalue::PointerOffset { .. }
            | Rvalue::PointerDifference { .. } => None,
        }
    }

    /// The conditions of the edges to the successors of a terminator, in the order of
    /// [`Terminator::successors`]; exactly one of them holds. `None` if the source does not know
    /// the operand, or the end is not a jump.
    pub fn edges<D: Domain>(
        self,
        domain: &mut D,
        source: &mut impl Source<D>,
        terminator: &Terminator,
    ) -> Option<Vec<D::Truth>> {
        match terminator {
            Terminator::Goto(_) => Some(vec![domain.truth(true)]),
            Terminator::Branch { operand, .. } => {
                let ty = self.integer(self.type_of(operand))?;
                let operand = self.operand(domain, source, operand)?;
                let then = branches(domain, ty.width, operand);
                Some(vec![then, domain.not(then)])
            }
            Terminator::Switch { operand, arms, .. } => {
                let ty = self.integer(self.type_of(operand))?;
                let operand = self.operand(domain, source, operand)?;
                let ranges = arms.iter().map(|arm| range(ty, arm));
                Some(switch(domain, ty, operand, ranges))
            }
            Terminator::Call { .. }
            | Terminator::Return(_)
            | Terminator::Unreachable
            | Terminator::Unsupported { .. } => None,
        }
    }

    /// The value of an operand, in the width of its type.
    pub fn operand<D: Domain>(
        self,
        domain: &mut D,
        source: &mut impl Source<D>,
        operand: &Operand,
    ) -> Option<D::Value> {
        match operand {
            Operand::Copy(local) => source.local(domain, *local),
            Operand::Constant(constant) => {
                let width = self.integer(constant.ty)?.width;
                match constant.value {
                    ConstantValue::Int(bits) => Some(domain.constant(width, bits)),
                    _ => None,
                }
            }
        }
    }

    fn type_of(self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Copy(local) => self.body.locals[*local].ty,
            Operand::Constant(constant) => constant.ty,
        }
    }

    /// How values of a type are held: integers, and pointers as the numbers of their addresses.
    fn integer(self, ty: TypeId) -> Option<Integer> {
        let types = &self.program.types;
        if let Some(int) = types.int(ty) {
            let (width, signed) = (int.width, int.signed);
            return Some(Integer { width, signed });
        }
        let is_pointer = matches!(types.kind(ty), Type::Pointer { .. });
        is_pointer.then(|| Integer {
            width: types.size(ty) as u32 * 8,
            signed: false,
        })
    }

    fn wraps(self) -> bool {
        self.program.target.signed_overflow_wraps
    }

    fn unary<D: Domain>(
        self,
        domain: &mut D,
        op: UnaryOp,
        ty: Integer,
        a: D::Value,
    ) -> Evaluated<D> {
        let check = match op {
            UnaryOp::Negate => negation_check(ty, self.wraps()),
            UnaryOp::Complement => None,
        };
        let required = check.map(|check| {
            let safe = operands_are_safe(domain, check, ty.width, a, a);
            (check.kind(), safe)
        });
        Evaluated {
            requirements: required.into_iter().collect(),
            value: unary(domain, op, ty.width, a),
        }
    }

    fn arithmetic<D: Domain>(
        self,
        domain: &mut D,
        op: BinaryOp,
        ty: Integer,
        a: D::Value,
        b: D::Value,
    ) -> Evaluated<D> {
        let checks = checks(op, ty, self.wraps());
        let requirements = checks
            .map(|check| {
                let safe = operands_are_safe(domain, check, ty.width, a, b);
                (check.kind(), safe)
            })
            .collect();
        Evaluated {
            requirements,
            value: binary(domain, op, ty, a, b),
        }
    }

    /// A shift, whose amount has a type of its own.
    fn shift<D: Domain>(
        self,
        domain: &mut D,
        op: BinaryOp,
        ty: Integer,
        a: D::Value,
        (amount, of): (D::Value, Integer),
    ) -> Evaluated<D> {
        let safe = amount_is_safe(domain, (amount, of.width), ty.width);
        let mut requirements = vec![(DefectKind::BadShift, safe)];
        let unsigned = Integer {
            signed: false,
            ..of
        };
        let b = convert(domain, unsigned, ty.width, amount);
        if let Some(check) = shift_check(op, ty, self.wraps()) {
            let safe = operands_are_safe(domain, check, ty.width, a, b);
            requirements.push((check.kind(), safe));
        }
        Evaluated {
            requirements,
            value: binary(domain, op, ty, a, b),
        }
    }
}

/// The width of `int`, the type of comparisons.
const COMPARED: u32 = 32;

fn plain<D: Domain>(value: D::Value) -> Evaluated<D> {
    Evaluated {
        value,
        requirements: Vec::new(),
    }
}

fn cast<D: Domain>(
    domain: &mut D,
    kind: CastKind,
    from: Integer,
    to: u32,
    a: D::Value,
) -> D::Value {
    match kind {
        CastKind::IntToBool | CastKind::PointerToBool => {
            let holds = is_true(domain, from.width, a);
            domain.number(to, holds)
        }
        CastKind::IntToInt | CastKind::IntToPointer => convert(domain, from, to, a),
        CastKind::PointerToInt | CastKind::PointerToPointer => {
            let unsigned = Integer {
                signed: false,
                ..from
            };
            convert(domain, unsigned, to, a)
        }
    }
}

/// The bounds of an arm as numbers.
fn range(ty: Integer, arm: &SwitchArm) -> (i128, i128) {
    let value = |bits| match ty.signed {
        true => expr::to_signed(ty.width, bits),
        false => bits as i128,
    };
    (value(arm.low), value(arm.high))
}
