//! `switch` and its labels, wherever in its body they stand.

use ir::{
    Block, Decision, DecisionKind, EnumDef, EnumId, Formula, IntType, SpanId, SwitchArm,
    SwitchSide, Terminator, Type,
};

use super::function::{Exits, FunctionLowering};
use super::types::{extend, parse_decimal, truncate};
use super::visit::may_be_left;
use crate::ast::{Expr, ExprKind, Stmt};

/// The labels of an open `switch` as far as they were met.
pub(super) struct SwitchDraft {
    int: IntType,
    /// The enumerated type of the value before its promotion, if it has one.
    enumeration: Option<EnumId>,
    arms: Vec<SwitchArm>,
    sides: Vec<SwitchSide>,
    default: Option<(Block, SpanId)>,
}

impl<'a> FunctionLowering<'_, 'a> {
    pub(super) fn switch_stmt(&mut self, condition: &'a Expr, body: &'a Stmt, span: usize) {
        let span = self.span(span);
        let condition_span = self.span(condition.span);
        let decision = self.source.decisions.push(Decision {
            kind: DecisionKind::Switch,
            span: self.spans.spans[condition_span].clone(),
            formula: Formula::Constant(true),
            sides: Vec::new(),
            may_be_left: may_be_left(condition),
        });
        let operand = self.value(condition);
        let Some(int) = self.types().int(self.operand_type(&operand)) else {
            self.unsupported("a switch on a value that is no integer", span);
            return;
        };
        let head = self.current;
        let end = self.new_block();
        let around = self.begin_region(Some(decision));
        self.current = self.new_block();
        self.switches.push(SwitchDraft {
            int,
            enumeration: self.enumeration(condition),
            arms: Vec::new(),
            sides: Vec::new(),
            default: None,
        });
        self.exits.push(Exits::Switch {
            break_to: end,
            scopes: self.scopes.len(),
        });
        self.stmt(body);
        self.exits.pop();
        self.end_region(around);
        self.continue_at(end, span);
        let Some(mut draft) = self.switches.pop() else {
            return;
        };
        let (default, default_span) = draft.default.unwrap_or((end, condition_span));
        draft.sides.push(SwitchSide {
            values: None,
            names: None,
            span: self.spans.spans[default_span].clone(),
        });
        self.source.decisions[decision].sides = draft.sides;
        let terminator = Terminator::Switch {
            operand,
            arms: draft.arms,
            default,
            decision,
        };
        self.blocks[head].end = Some((terminator, condition_span));
    }

    /// The enumerated type of an expression, seen through what C converts by itself.
    fn enumeration(&self, expr: &Expr) -> Option<EnumId> {
        match (&expr.kind, self.types().kind(self.unit.ty(expr.ty))) {
            (_, Type::Enum(id)) => Some(*id),
            (
                ExprKind::Cast {
                    operand,
                    explicit: false,
                    ..
                },
                _,
            ) => self.enumeration(operand),
            _ => None,
        }
    }

    /// Starts the block of a `case` label. A range without values gets no arm, as in C.
    pub(super) fn case_label(&mut self, low: &str, high: Option<&str>, label: usize) {
        let span = self.span(label);
        let target = self.new_block();
        self.continue_at(target, span);
        let label_span = self.spans.spans[span].clone();
        let Some(draft) = self.switches.last() else {
            return;
        };
        let (int, enumeration) = (draft.int, draft.enumeration);
        let bits = |text| parse_decimal(text).map(|value| truncate(value, int.width));
        let (Some(low), Some(high)) = (bits(low), bits(high.unwrap_or(low))) else {
            return;
        };
        let (first, last) = (extend(low, int), extend(high, int));
        let empty = if int.signed { first > last } else { low > high };
        let names = enumeration.and_then(|id| names(&self.types().enums[id], (first, last)));
        let draft = self.switches.last_mut().filter(|_| !empty);
        if let Some(draft) = draft {
            draft.arms.push(SwitchArm { low, high, target });
            draft.sides.push(SwitchSide {
                values: Some((first, last)),
                names,
                span: label_span,
            });
        }
    }

    /// Starts the block of the `default` label.
    pub(super) fn default_label(&mut self, label: usize) {
        let span = self.span(label);
        let target = self.new_block();
        self.continue_at(target, span);
        if let Some(draft) = self.switches.last_mut() {
            draft.default = Some((target, span));
        }
    }
}

/// The first and the last value of a label by the names of enumerators, if one of them has one.
fn names(def: &EnumDef, (first, last): (i128, i128)) -> Option<(String, String)> {
    let name = |value| def.enumerator(value);
    let told = |value: i128| name(value).map_or_else(|| value.to_string(), str::to_owned);
    let is_named = name(first).is_some() || name(last).is_some();
    is_named.then(|| (told(first), told(last)))
}
