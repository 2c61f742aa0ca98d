//! Boundary values of relational conditions, as labels.
//!
//! A condition `a < b` gets a label for each of `a == b - 1`, `a == b` and `a == b + 1`, and so do
//! those with `<=`, `>` and `>=`. The sides are compared as C compares them, after the usual
//! conversions, and the difference is that of the numbers, without wrap: where `b` is the least number
//! of its type, nothing is one below it.
//!
//! ```text
//! t = a < b                       t = a < b;  e = a == b;  …
//! branch t ? then : otherwise ⇒   branch e ? next : next
//!                                 next: branch t ? then : otherwise
//! ```

use ir::{
    BinaryOp, Block, Body, CastKind, ConditionId, Constant, ConstantValue, CoverageLabel,
    CoverageLabelKind, IntType, Operand, Program, Rvalue, StatementKind, Terminator, TypeId, Types,
    Typing,
};

use crate::Criteria;
use crate::label_code::Code;
use crate::labels::{each_body_of_user, end_with_label};

/// The differences of the sides that labels ask for.
const DIFFERENCES: [i8; 3] = [-1, 0, 1];

/// Adds labels to the relational conditions of the user's functions, if criteria ask for their boundary
/// values.
pub fn add_boundaries(program: &mut Program, criteria: &Criteria) {
    if !criteria.ask_for_boundaries() {
        return;
    }
    each_body_of_user(program, |body, types, globals| {
        for comparison in comparisons(body, types, globals) {
            comparison.label(body, types);
        }
    });
}

/// A relational condition of integers.
struct Comparison {
    condition: ConditionId,
    block: Block,
    /// The position of the statement that compares.
    at: usize,
    /// The type of the result.
    result: TypeId,
    left: Operand,
    right: Operand,
    /// The type of the sides.
    int: IntType,
}

fn comparisons(
    body: &Body,
    types: &Types,
    globals: &index_vec::IndexVec<ir::GlobalId, ir::Global>,
) -> Vec<Comparison> {
    let typing = Typing {
        types,
        globals,
        locals: &body.locals,
    };
    let conditions = body.blocks.indices().filter_map(|block| {
        let Terminator::Branch {
            operand,
            tag: Some(tag),
            ..
        } = &body.blocks[block].terminator
        else {
            return None;
        };
        body.conditions[tag.condition].operands.as_ref()?;
        let (at, result, (left, right)) = compared(body, block, operand)?;
        Some(Comparison {
            condition: tag.condition,
            block,
            at,
            result,
            int: types.int(typing.operand(&left)?)?,
            left,
            right,
        })
    });
    conditions.collect()
}

/// The statement of a block that compares two values, if it gives an operand, and what it compares.
fn compared(
    body: &Body,
    block: Block,
    operand: &Operand,
) -> Option<(usize, TypeId, (Operand, Operand))> {
    let Operand::Copy(local) = operand else {
        return None;
    };
    let mut statements = body.blocks[block].statements.iter().enumerate().rev();
    statements.find_map(|(at, statement)| match &statement.kind {
        StatementKind::Assign(
            place,
            Rvalue::Binary(BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, left, right),
        ) if place.as_local() == Some(*local) => {
            Some((at, place.ty, (left.clone(), right.clone())))
        }
        _ => None,
    })
}

impl Comparison {
    /// Adds the labels: their conditions are evaluated where the sides are compared.
    fn label(&self, body: &mut Body, types: &mut Types) {
        let span = body.blocks[self.block].span;
        let mut code = Code::new(body, types, span);
        let holds = DIFFERENCES.map(|difference| self.differs_by(difference, &mut code));
        let statements = code.statements;
        let behind = self.at + 1..self.at + 1;
        body.blocks[self.block]
            .statements
            .splice(behind, statements);
        let mut block = self.block;
        for (difference, operand) in DIFFERENCES.into_iter().zip(holds) {
            let next = end_with_label(body, block, operand);
            body.coverage_labels.push(CoverageLabel {
                kind: CoverageLabelKind::Boundary(self.condition, difference),
                block,
            });
            block = next;
        }
    }

    /// Whether the left side less the right one is a number from -1 to 1.
    fn differs_by(&self, difference: i8, code: &mut Code<'_>) -> Operand {
        let (left, right) = (self.left.clone(), self.right.clone());
        let (less, more, op) = match difference {
            0 => return code.binary(BinaryOp::Eq, left, right, self.result),
            1 => (right, left, BinaryOp::Gt),
            _ => (left, right, BinaryOp::Lt),
        };
        let is_ordered = code.binary(op, self.left.clone(), self.right.clone(), self.result);
        // The difference of two numbers in this order is one of the unsigned type.
        let unsigned = code.unsigned(self.int);
        let less = code.assign(Rvalue::Cast(CastKind::IntToInt, less, unsigned), unsigned);
        let more = code.assign(Rvalue::Cast(CastKind::IntToInt, more, unsigned), unsigned);
        let distance = code.binary(BinaryOp::Sub, more, less, unsigned);
        let one = Operand::Constant(Constant {
            ty: unsigned,
            value: ConstantValue::Int(1),
        });
        let is_one = code.binary(BinaryOp::Eq, distance, one, self.result);
        code.binary(BinaryOp::And, is_ordered, is_one, self.result)
    }
}
