//! Mutants of operators and constants, as labels: weak mutation ("Weak mutation testing and completeness
//! of test sets", Howden, 1982).
//!
//! A binary operation of integers gets a label for each of its mutants: that the mutant has another
//! value at this place. Whether that changes what the function does is not asked.
//!
//! ```text
//! t = a + b;  …            t = a + b;  m = a - b;  d = t != m
//!                     ⇒    branch d ? next : next
//!                          next: …
//! ```
//!
//! Mutants wrap around where the operation does not, and none of them has undefined behaviour where
//! the operation has none.
//!
//! | Operation | Mutants |
//! |:--|:--|
//! | `+` `-` `*` | the other two |
//! | `/` `%` | the other one, and `*` |
//! | `&` `|` `^` | the other two |
//! | `<<` `>>` | the other one |
//! | comparisons | those that subsume all others |
//! | a constant side | one more and one less |
//!
//! Those of comparisons are from "Better predicate testing", Kaminski, Ammann and Offutt, 2011.

use ir::{
    BinaryOp, Block, Body, CastKind, Change, Constant, ConstantValue, CoverageLabel,
    CoverageLabelKind, IntType, LocalKind, Mutant, Operand, OperationId, Program, Rvalue, SpanId,
    StatementKind, TypeId, Types, Typing,
};

use crate::Criteria;
use crate::label_code::Code;
use crate::labels::{each_body_of_user, split_with_label};

/// Adds labels to the operations of the user's functions, if criteria ask for mutants.
pub(crate) fn add_mutants(program: &mut Program, criteria: &Criteria) {
    if !criteria.ask_for_mutants() {
        return;
    }
    each_body_of_user(program, |body, types, globals| {
        let typing = Typing {
            types,
            globals,
            locals: &body.locals,
        };
        // Later ones come first: what stands behind a label moves to another block.
        for site in sites(body, &typing).into_iter().rev() {
            site.label(body, types);
        }
    });
}

/// An operation of integers.
struct Site {
    operation: OperationId,
    block: Block,
    /// The position of its statement.
    at: usize,
    span: SpanId,
    op: BinaryOp,
    sides: [Operand; 2],
    /// The types of the sides, which differ for shifts.
    ints: [IntType; 2],
    /// The type of the left side.
    left: TypeId,
}

fn sites(body: &Body, typing: &Typing<'_>) -> Vec<Site> {
    let blocks = body.blocks.iter_enumerated();
    let statements = blocks.flat_map(|(block, data)| {
        let statements = data.statements.iter().enumerate();
        statements.map(move |(at, statement)| (block, at, statement))
    });
    let found = statements.filter_map(|(block, at, statement)| {
        let StatementKind::Assign(_, Rvalue::Binary(op, left, right)) = &statement.kind else {
            return None;
        };
        let (of_left, of_right) = (typing.operand(left)?, typing.operand(right)?);
        let is_constant = |side: &Operand| constant(side).is_some();
        if is_constant(left) && is_constant(right) {
            return None;
        }
        Some(Site {
            operation: statement.operation?,
            block,
            at,
            span: statement.span,
            op: *op,
            sides: [left.clone(), right.clone()],
            ints: [typing.types.int(of_left)?, typing.types.int(of_right)?],
            left: of_left,
        })
    });
    found.collect()
}

fn constant(side: &Operand) -> Option<u128> {
    match side {
        Operand::Constant(Constant {
            value: ConstantValue::Int(bits),
            ..
        }) => Some(*bits),
        _ => None,
    }
}

impl Site {
    /// Adds the labels.
    fn label(&self, body: &mut Body, types: &mut Types) {
        let changes = self.changes();
        if changes.is_empty() {
            return;
        }
        // The operation may write a variable that it reads.
        let mut code = Code::new(body, types, self.span);
        let sides = [0, 1].map(|side| match self.sides[side] {
            Operand::Copy(local) if code.kind(local) != LocalKind::Temporary => {
                let ty = code.type_of(local);
                code.assign(Rvalue::Use(self.sides[side].clone()), ty)
            }
            ref operand => operand.clone(),
        });
        let before = code.statements;
        let mut code = Code::new(body, types, self.span);
        let value = self.value(&mut code, self.op, &sides);
        let differ: Vec<Operand> = changes
            .iter()
            .map(|&change| {
                let mutant = self.mutant(&mut code, change, &sides);
                let int = code.int();
                code.binary(BinaryOp::Ne, value.clone(), mutant, int)
            })
            .collect();
        let after = code.statements;
        let behind = self.at + 1 + before.len();
        let statements = &mut body.blocks[self.block].statements;
        statements.splice(self.at + 1..self.at + 1, after.iter().cloned());
        statements.splice(self.at..self.at, before);
        let mut end = (self.block, behind + after.len());
        for (change, operand) in changes.into_iter().zip(differ) {
            let block = end.0;
            end = (split_with_label(body, block, end.1, operand), 0);
            body.coverage_labels.push(CoverageLabel {
                kind: CoverageLabelKind::Mutant(Mutant {
                    operation: self.operation,
                    change,
                }),
                block,
            });
        }
    }

    /// What its mutants change.
    fn changes(&self) -> Vec<Change> {
        let (operators, outcome): (&[BinaryOp], Option<bool>) = match self.op {
            BinaryOp::Add => (&[BinaryOp::Sub, BinaryOp::Mul], None),
            BinaryOp::Sub => (&[BinaryOp::Add, BinaryOp::Mul], None),
            BinaryOp::Mul => (&[BinaryOp::Add, BinaryOp::Sub], None),
            BinaryOp::Div => (&[BinaryOp::Rem, BinaryOp::Mul], None),
            BinaryOp::Rem => (&[BinaryOp::Div, BinaryOp::Mul], None),
            BinaryOp::And => (&[BinaryOp::Or, BinaryOp::Xor], None),
            BinaryOp::Or => (&[BinaryOp::And, BinaryOp::Xor], None),
            BinaryOp::Xor => (&[BinaryOp::And, BinaryOp::Or], None),
            BinaryOp::Shl => (&[BinaryOp::Shr], None),
            BinaryOp::Shr => (&[BinaryOp::Shl], None),
            BinaryOp::Eq => (&[BinaryOp::Le, BinaryOp::Ge], Some(false)),
            BinaryOp::Ne => (&[BinaryOp::Lt, BinaryOp::Gt], Some(true)),
            BinaryOp::Lt => (&[BinaryOp::Le, BinaryOp::Ne], Some(false)),
            BinaryOp::Le => (&[BinaryOp::Lt, BinaryOp::Eq], Some(true)),
            BinaryOp::Gt => (&[BinaryOp::Ge, BinaryOp::Ne], Some(false)),
            BinaryOp::Ge => (&[BinaryOp::Gt, BinaryOp::Eq], Some(true)),
        };
        let operators = operators.iter().copied().map(Change::Operator);
        let constants = [1, -1].into_iter().filter(|&more| self.may_be_more(more));
        operators
            .chain(outcome.map(Change::Outcome))
            .chain(constants.map(Change::Constant))
            .collect()
    }

    /// Whether one side is a constant that may be more by this, without undefined behaviour.
    fn may_be_more(&self, more: i8) -> bool {
        let Some((side, bits)) = self.constant() else {
            return false;
        };
        let changed = self.changed(side, bits, more);
        let width = self.ints[0].width;
        match self.op {
            BinaryOp::Shl | BinaryOp::Shr if side == 1 => changed < u128::from(width),
            // The least number divided by -1 overflows.
            BinaryOp::Div | BinaryOp::Rem if side == 1 => {
                changed != 0 && (!self.ints[1].signed || changed != mask(width))
            }
            _ => true,
        }
    }

    /// The side that is a constant, and its bits.
    fn constant(&self) -> Option<(usize, u128)> {
        let mut sides = self.sides.iter().enumerate();
        sides.find_map(|(side, operand)| Some((side, constant(operand)?)))
    }

    fn changed(&self, side: usize, bits: u128, more: i8) -> u128 {
        bits.wrapping_add_signed(i128::from(more)) & mask(self.ints[side].width)
    }

    /// The value of a mutant.
    fn mutant(&self, code: &mut Code<'_>, change: Change, sides: &[Operand; 2]) -> Operand {
        match change {
            Change::Operator(op) => self.value(code, op, sides),
            Change::Outcome(outcome) => {
                let ty = code.int();
                let value = ConstantValue::Int(u128::from(outcome));
                Operand::Constant(Constant { ty, value })
            }
            Change::Constant(more) => {
                let mut sides = sides.clone();
                if let Some((side, bits)) = self.constant()
                    && let Operand::Constant(constant) = &mut sides[side]
                {
                    constant.value = ConstantValue::Int(self.changed(side, bits, more));
                }
                self.value(code, self.op, &sides)
            }
        }
    }

    /// The value of an operation on its sides, as a number without sign, or that of a comparison.
    fn value(&self, code: &mut Code<'_>, op: BinaryOp, sides: &[Operand; 2]) -> Operand {
        let [left, right] = sides.clone();
        if op.is_comparison() {
            let int = code.int();
            return code.binary(op, left, right, int);
        }
        let unsigned = code.unsigned(self.ints[0]);
        let cast = |code: &mut Code<'_>, operand| {
            code.assign(
                Rvalue::Cast(CastKind::IntToInt, operand, unsigned),
                unsigned,
            )
        };
        match op {
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr => {
                let value = code.binary(op, left, right, self.left);
                cast(code, value)
            }
            BinaryOp::Shl => {
                let left = cast(code, left);
                code.binary(op, left, right, unsigned)
            }
            _ => {
                let (left, right) = (cast(code, left), cast(code, right));
                code.binary(op, left, right, unsigned)
            }
        }
    }
}

/// The bits of a type of this width.
fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}

/// A mutant in words: `- instead of +`, `10 instead of 9`, `true instead of <=`.
pub(crate) fn side(types: &Types, body: &Body, mutant: Mutant) -> String {
    let mut statements = body.blocks.iter().flat_map(|block| &block.statements);
    let statement = statements.find(|it| it.operation == Some(mutant.operation));
    let Some(StatementKind::Assign(_, Rvalue::Binary(op, left, right))) =
        statement.map(|statement| &statement.kind)
    else {
        return String::new();
    };
    match mutant.change {
        Change::Operator(other) => format!("{other} instead of {op}"),
        Change::Outcome(outcome) => format!("{outcome} instead of {op}"),
        Change::Constant(more) => {
            let mut sides = [left, right].into_iter();
            let number = sides
                .find_map(|side| number(types, side))
                .unwrap_or_default();
            format!(
                "{} instead of {number}",
                number.wrapping_add(i128::from(more))
            )
        }
    }
}

/// The number that a constant is.
fn number(types: &Types, side: &Operand) -> Option<i128> {
    let bits = constant(side)?;
    let Operand::Constant(constant) = side else {
        return None;
    };
    let int = types.int(constant.ty)?;
    let unused = 128 - int.width.clamp(1, 128);
    Some(match int.signed {
        true => (bits << unused) as i128 >> unused,
        false => bits as i128,
    })
}
