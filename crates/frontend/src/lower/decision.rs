//! Decisions and conditions: controlling expressions as branches.
//!
//! A decision is a whole controlling expression, or an `&&` or `||` whose value is used as a
//! number. Its conditions are the leaves of its `&&`, `||` and `!`, delimited as clang's coverage
//! mapping does: a `!` that no `&&` or `||` stands under belongs to its leaf.

use ir::{
    Block, BranchTag, Condition, ConditionId, Decision, DecisionId, DecisionKind, Fold, Formula,
    Rvalue, Terminator,
};

use super::builder::Typed;
use super::builtin;
use super::function::FunctionLowering;
use super::visit::may_be_left;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The shape of a decision, before code is written.
enum Shape<'a> {
    Leaf(&'a Expr),
    /// A leaf that clang folds.
    Constant(bool),
    Not(Box<Shape<'a>>),
    And(Box<Shape<'a>>, Box<Shape<'a>>),
    Or(Box<Shape<'a>>, Box<Shape<'a>>),
}

/// The block that follows for one value of a subformula, and the outcome of the whole decision, if
/// it is settled there.
#[derive(Clone, Copy)]
struct Exit {
    block: Block,
    outcome: Option<bool>,
}

impl Shape<'_> {
    /// The formula of a shape without leaves.
    fn constant(&self) -> Option<Formula> {
        Some(match self {
            Shape::Leaf(_) => return None,
            Shape::Constant(value) => Formula::Constant(*value),
            Shape::Not(inner) => Formula::Not(Box::new(inner.constant()?)),
            Shape::And(left, right) => {
                Formula::And(Box::new(left.constant()?), Box::new(right.constant()?))
            }
            Shape::Or(left, right) => {
                Formula::Or(Box::new(left.constant()?), Box::new(right.constant()?))
            }
        })
    }

    /// The value, if it is the same whatever the leaves are and no leaf is evaluated to find it.
    fn settled(&self) -> Option<bool> {
        match self {
            Shape::Leaf(_) => None,
            Shape::Constant(value) => Some(*value),
            Shape::Not(inner) => inner.settled().map(|value| !value),
            Shape::And(left, right) => match left.settled()? {
                false => Some(false),
                true => right.settled(),
            },
            Shape::Or(left, right) => match left.settled()? {
                true => Some(true),
                false => right.settled(),
            },
        }
    }
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Evaluates a controlling expression and goes to one of two blocks. The current block is dead
    /// afterwards. Gives the condition that the whole decision is, if it is one, for
    /// [`SourceParts::mapped`](super::function::SourceParts::mapped): clang's coverage mapping lists it when it leaves the statement.
    pub(super) fn decide(
        &mut self,
        kind: DecisionKind,
        expr: &'a Expr,
        then: Block,
        otherwise: Block,
    ) -> Option<ConditionId> {
        let span = self.span(expr.span);
        let decision = self.source.decisions.push(Decision {
            kind,
            span: self.spans.spans[span].clone(),
            formula: Formula::Constant(true),
            sides: Vec::new(),
            may_be_left: may_be_left(expr),
        });
        let shape = self.shape(expr);
        let then = Exit {
            block: then,
            outcome: Some(true),
        };
        let otherwise = Exit {
            block: otherwise,
            outcome: Some(false),
        };
        let formula = self.branch(decision, &shape, expr, then, otherwise);
        let leaf = leaf(&formula);
        self.source.decisions[decision].formula = formula;
        leaf
    }

    /// The value of an `&&` or `||` as a number.
    pub(super) fn logical_value(&mut self, expr: &'a Expr) -> Typed {
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        let value = self.temporary(ty);
        let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
        self.decide(DecisionKind::Logical, expr, yes, no);
        for (block, bits) in [(yes, 1), (no, 0)] {
            self.current = block;
            let constant = self.constant(ty, bits);
            self.assign_local(value, Rvalue::Use(constant), span);
            self.continue_at(end, span);
        }
        (Rvalue::Use(ir::Operand::Copy(value)), ty)
    }

    /// The leaves and connectives of an expression.
    fn shape(&self, expr: &'a Expr) -> Shape<'a> {
        let inner = self.connective(expr).unwrap_or(expr);
        match &inner.kind {
            ExprKind::Binary {
                op: BinaryOp::LogicalAnd,
                left,
                right,
            } => Shape::And(Box::new(self.shape(left)), Box::new(self.shape(right))),
            ExprKind::Binary {
                op: BinaryOp::LogicalOr,
                left,
                right,
            } => Shape::Or(Box::new(self.shape(left)), Box::new(self.shape(right))),
            ExprKind::Unary {
                op: UnaryOp::LogicalNot,
                operand,
            } if self.connective(operand).is_some() => Shape::Not(Box::new(self.shape(operand))),
            _ => match expr.folded.as_deref() {
                Some(value) => Shape::Constant(super::types::parse_decimal(value) != Some(0)),
                None => Shape::Leaf(expr),
            },
        }
    }

    /// The `&&`, `||`, or `!` above one, that an expression is when seen through casts that keep
    /// the truth and through `__builtin_expect`.
    fn connective(&self, expr: &'a Expr) -> Option<&'a Expr> {
        match &expr.kind {
            ExprKind::Binary {
                op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr,
                ..
            } => Some(expr),
            ExprKind::Unary {
                op: UnaryOp::LogicalNot,
                operand,
            } => self.connective(operand).map(|_| expr),
            // The value underneath is 0 or 1, which every integer type holds.
            ExprKind::Cast { kind, operand, .. } => match kind.as_str() {
                "IntegralCast" | "IntegralToBoolean" | "NoOp" => self.connective(operand),
                _ => None,
            },
            ExprKind::Call { callee, arguments } => {
                let name = self.builtin_name(callee)?;
                let seen_through = builtin::is_expectation(name);
                arguments
                    .first()
                    .filter(|_| seen_through)
                    .and_then(|argument| self.connective(argument))
            }
            _ => None,
        }
    }

    fn branch(
        &mut self,
        decision: DecisionId,
        shape: &Shape<'a>,
        whole: &'a Expr,
        then: Exit,
        otherwise: Exit,
    ) -> Formula {
        match shape {
            Shape::Leaf(leaf) => {
                let condition = self.condition(decision, leaf, then, otherwise);
                Formula::Condition(condition)
            }
            Shape::Constant(value) => {
                let span = self.span(whole.span);
                let (exit, other) = match value {
                    true => (then, otherwise),
                    false => (otherwise, then),
                };
                self.source.folds.push(Fold {
                    decision,
                    block: self.current,
                    outcome: exit.outcome,
                    instead: Some(other.block),
                });
                self.end_path(Terminator::Goto(exit.block), span);
                Formula::Constant(*value)
            }
            Shape::Not(inner) => {
                let inner = self.branch(decision, inner, whole, otherwise, then);
                Formula::Not(Box::new(inner))
            }
            Shape::And(left, right) => {
                let middle = self.new_block();
                let on_true = self.exit_into(decision, right, middle, then, otherwise);
                let left = self.branch(decision, left, whole, on_true, otherwise);
                let right = self.right_side(decision, right, whole, middle, then, otherwise);
                self.source
                    .mapped
                    .extend([&left, &right].into_iter().filter_map(leaf));
                Formula::And(Box::new(left), Box::new(right))
            }
            Shape::Or(left, right) => {
                let middle = self.new_block();
                let on_false = self.exit_into(decision, right, middle, then, otherwise);
                let left = self.branch(decision, left, whole, then, on_false);
                let right = self.right_side(decision, right, whole, middle, then, otherwise);
                self.source
                    .mapped
                    .extend([&left, &right].into_iter().filter_map(leaf));
                Formula::Or(Box::new(left), Box::new(right))
            }
        }
    }

    /// The right side of a connective. A constant has no code.
    fn right_side(
        &mut self,
        decision: DecisionId,
        right: &Shape<'a>,
        whole: &'a Expr,
        block: Block,
        then: Exit,
        otherwise: Exit,
    ) -> Formula {
        right.constant().unwrap_or_else(|| {
            self.current = block;
            self.branch(decision, right, whole, then, otherwise)
        })
    }

    /// The exit to the right side of a connective: to its block, or, where its value is settled,
    /// straight on.
    fn exit_into(
        &mut self,
        decision: DecisionId,
        right: &Shape,
        block: Block,
        then: Exit,
        otherwise: Exit,
    ) -> Exit {
        let (exit, other) = match right.settled() {
            Some(true) => (then, otherwise),
            Some(false) => (otherwise, then),
            None => {
                return Exit {
                    block,
                    outcome: None,
                };
            }
        };
        let without_code = right.constant().is_some();
        self.source.folds.push(Fold {
            decision,
            block: self.current,
            outcome: None,
            instead: Some(if without_code { other.block } else { block }),
        });
        exit
    }

    /// The sides of a comparison.
    fn operands(&mut self, leaf: &'a Expr) -> Option<[ir::Span; 2]> {
        let ExprKind::Binary { op, left, right } = &leaf.kind else {
            return None;
        };
        let is_comparison = matches!(
            op,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
        );
        is_comparison.then(|| {
            [left, right].map(|side| {
                let span = self.span(side.span);
                self.spans.spans[span].clone()
            })
        })
    }

    fn condition(
        &mut self,
        decision: DecisionId,
        leaf: &'a Expr,
        then: Exit,
        otherwise: Exit,
    ) -> ConditionId {
        let span = self.span(leaf.span);
        let operands = self.operands(leaf);
        let condition = self.source.conditions.push(Condition {
            decision,
            span: self.spans.spans[span].clone(),
            operands,
        });
        let operand = self.truth(leaf);
        let tag = BranchTag {
            condition,
            then_outcome: then.outcome,
            otherwise_outcome: otherwise.outcome,
        };
        let branch = Terminator::Branch {
            operand,
            then: then.block,
            otherwise: otherwise.block,
            tag: Some(tag),
        };
        self.end_path(branch, span);
        condition
    }

    /// A value that is zero exactly when the leaf is false.
    pub(super) fn truth(&mut self, leaf: &'a Expr) -> ir::Operand {
        if let ExprKind::Cast { kind, operand, .. } = &leaf.kind
            && matches!(kind.as_str(), "IntegralToBoolean" | "PointerToBoolean")
        {
            return self.truth(operand);
        }
        let span = self.span(leaf.span);
        let value = self.value(leaf);
        let ty = self.operand_type(&value);
        match self.types().kind(ty) {
            ir::Type::Int(_) | ir::Type::Enum(_) | ir::Type::Pointer { .. } => value,
            ir::Type::Float(_) => {
                self.unsupported("a floating-point value as a condition", span);
                self.int_constant(0)
            }
            _ => {
                self.unsupported("a condition that is no scalar", span);
                self.int_constant(0)
            }
        }
    }
}

/// The condition that a formula is, seen through negations.
fn leaf(formula: &Formula) -> Option<ConditionId> {
    match formula {
        Formula::Condition(condition) => Some(*condition),
        Formula::Not(inner) => leaf(inner),
        Formula::Constant(_) | Formula::And(..) | Formula::Or(..) => None,
    }
}
