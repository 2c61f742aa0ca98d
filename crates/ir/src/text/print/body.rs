//! Function bodies in the text form.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::labels::{label_text, operation_text};
use super::{Printer, defaults, name_text, names, put, span_text};
use crate::{
    Block, Body, Callee, Condition, ConditionId, Constant, CoverageLabelKind, Decision, DecisionId,
    DecisionKind, Formula, FunctionId, IntName, Local, LocalDecl, LocalKind, Operand, Place,
    PlaceBase, Projection, Rvalue, Span, SpanId, Statement, StatementKind, SwitchSide, Terminator,
    Type, TypeId, Typing, UnaryOp,
};

impl Printer<'_> {
    pub(super) fn body(&mut self, function: FunctionId, body: &Body) {
        let program = self.program;
        BodyPrinter {
            typing: Typing {
                types: &program.types,
                globals: &program.globals,
                locals: &body.locals,
            },
            printer: self,
            body,
            function,
        }
        .print();
    }
}

struct BodyPrinter<'a, 'p> {
    printer: &'a mut Printer<'p>,
    body: &'a Body,
    typing: Typing<'a>,
    function: FunctionId,
}

impl BodyPrinter<'_, '_> {
    fn print(&mut self) {
        self.locals();
        self.spans();
        self.decisions();
        let body = self.body;
        for fold in &body.folds {
            put!(
                self.printer,
                "  fold of {} in {} {}",
                fold.decision,
                fold.block,
                outcome_text(fold.outcome)
            );
            if let Some(instead) = fold.instead {
                put!(self.printer, " not {instead}");
            }
            put!(self.printer, "\n");
        }
        for (id, statement) in body.source_statements.iter_enumerated() {
            put!(self.printer, "  {id} in {}", statement.block);
            self.span(&statement.span);
            put!(self.printer, "\n");
        }
        for head in &body.heads {
            let kind = names::word(&names::HEADS, head.kind);
            put!(self.printer, "  head {kind} in {}", head.block);
            self.span(&head.span);
            let in_scope: Vec<String> = head.in_scope.iter().map(Local::to_string).collect();
            put!(self.printer, " [{}]\n", in_scope.join(", "));
        }
        self.regions();
        for (id, operation) in body.operations.iter_enumerated() {
            put!(self.printer, "  {id} {}\n", operation_text(operation));
        }
        for (id, label) in body.coverage_labels.iter_enumerated() {
            put!(self.printer, "  {id} {}", label_text(label));
            if let CoverageLabelKind::User { span, .. } = &label.kind {
                self.span(span);
            }
            put!(self.printer, "\n");
        }
        for (copy, of) in &body.copies {
            put!(self.printer, "  copy {copy} of {of}\n");
        }
        for (id, block) in body.blocks.iter_enumerated() {
            put!(self.printer, "  {id}:\n");
            for statement in &block.statements {
                self.statement(statement);
            }
            let text = self.terminator(&block.terminator);
            self.line(&text, block.span);
        }
    }

    fn regions(&mut self) {
        for (id, region) in self.body.regions.iter_enumerated() {
            put!(self.printer, "  {id}");
            if let Some(decision) = region.decision {
                put!(self.printer, " of {decision}");
            }
            if let Some(head) = region.head {
                put!(self.printer, " from {head}");
            }
            if let Some(parent) = region.parent {
                put!(self.printer, " in {parent}");
            }
            let blocks: Vec<String> = region.blocks.iter().map(Block::to_string).collect();
            put!(self.printer, " [{}]\n", blocks.join(", "));
        }
    }

    fn line(&mut self, text: &str, span: SpanId) {
        if span.raw() == 0 {
            put!(self.printer, "    {text}\n");
        } else {
            put!(self.printer, "    {text}  {span}\n");
        }
    }

    fn locals(&mut self) {
        let function = &self.printer.program.functions[self.function];
        let declared = &function.parameters;
        let types = match self.typing.types.get(function.ty).map(|info| &info.kind) {
            Some(Type::Function(function)) => function.parameters.as_slice(),
            _ => &[],
        };
        for (id, local) in self.body.locals.iter_enumerated() {
            let position = id.index();
            let usual = declared.get(position).zip(types.get(position));
            let usual = usual.map(|(parameter, &ty)| LocalDecl {
                name: parameter.name.clone(),
                ty,
                kind: LocalKind::Parameter,
                constant: false,
                address_taken: false,
                volatile: false,
            });
            if usual.as_ref() != Some(local) {
                let text = self.local(local);
                put!(self.printer, "  {id}{text}\n");
            }
        }
    }

    fn local(&self, local: &LocalDecl) -> String {
        let name = local.name.as_deref();
        let mut text = name.map_or(String::new(), |name| format!(" {}", name_text(name)));
        let _ = write!(text, ": {}", self.printer.ty(local.ty));
        match (local.kind, name) {
            (LocalKind::Parameter, _) => text.push_str(" param"),
            (LocalKind::Variable, None) => text.push_str(" var"),
            (LocalKind::Temporary, Some(_)) => text.push_str(" temp"),
            (LocalKind::Variable, Some(_)) | (LocalKind::Temporary, None) => {}
        }
        if local.constant {
            text.push_str(" const");
        }
        if local.address_taken {
            text.push_str(" taken");
        }
        if local.volatile {
            text.push_str(" volatile");
        }
        text
    }

    fn spans(&mut self) {
        let spans = &self.body.spans;
        if spans.is_empty() {
            put!(self.printer, "  spans none\n");
        } else if spans.as_raw_slice() != [defaults::span()] {
            for (id, span) in spans.iter_enumerated() {
                put!(self.printer, "  {id} {}\n", span_text(span));
            }
        }
    }

    /// A span after something; nothing for the one that is assumed.
    fn span(&mut self, span: &Span) {
        if *span != defaults::span() {
            put!(self.printer, " {}", span_text(span));
        }
    }

    fn decisions(&mut self) {
        let body = self.body;
        for (id, decision) in body.decisions.iter_enumerated() {
            put!(
                self.printer,
                "  {id} {}",
                names::word(&names::DECISIONS, decision.kind)
            );
            if decision.may_be_left {
                put!(self.printer, " left");
            }
            self.span(&decision.span);
            let switch = decision.kind == DecisionKind::Switch;
            if !switch || decision.formula != Formula::Constant(true) {
                put!(self.printer, " = {}", formula_text(&decision.formula, 0));
            }
            self.sides(id, decision);
            put!(self.printer, "\n");
        }
        let implied = implied_conditions(body.decisions.iter_enumerated());
        for (id, condition) in body.conditions.iter_enumerated() {
            let default = implied.get(&id).map(|&decision| Condition {
                decision,
                span: defaults::span(),
                operands: None,
            });
            if default.as_ref() != Some(condition) {
                put!(self.printer, "  {id} of {}", condition.decision);
                self.span(&condition.span);
                if let Some([left, right]) = &condition.operands {
                    put!(self.printer, " <");
                    self.span(left);
                    put!(self.printer, ",");
                    self.span(right);
                    put!(self.printer, " >");
                }
                put!(self.printer, "\n");
            }
        }
    }

    fn sides(&mut self, id: DecisionId, decision: &Decision) {
        let usual = match decision.kind {
            DecisionKind::Switch => defaults::switch_sides(self.body, id, &self.typing),
            _ => Vec::new(),
        };
        if decision.sides == usual {
            return;
        }
        let sides: Vec<String> = decision.sides.iter().map(side_text).collect();
        put!(self.printer, " {{ {} }}", sides.join(", "));
    }

    fn statement(&mut self, statement: &Statement) {
        let mut text = match &statement.kind {
            StatementKind::Assign(place, rvalue) => {
                format!("{} = {}", self.place(place), self.rvalue(rvalue, place.ty))
            }
            StatementKind::StorageLive(local) => format!("live {local}"),
            StatementKind::StorageLiveArray(local, length) => {
                format!("live {local}[{}]", self.operand(length, None))
            }
            StatementKind::StorageDead(local) => format!("dead {local}"),
        };
        if let Some(operation) = statement.operation {
            let _ = write!(text, " {operation}");
        }
        self.line(&text, statement.span);
    }

    fn rvalue(&self, rvalue: &Rvalue, target: TypeId) -> String {
        let mut text = match rvalue {
            Rvalue::Use(operand) => self.operand(operand, Some(target)),
            Rvalue::Load(place) => format!("load {}", self.place(place)),
            Rvalue::AddressOf(place) => format!("addr {}", self.place(place)),
            Rvalue::Unary(op, operand) => {
                let word = match op {
                    UnaryOp::Negate => "neg",
                    UnaryOp::Complement => "not",
                };
                format!("{word} {}", self.operand(operand, Some(target)))
            }
            Rvalue::Binary(op, left, right) => {
                let word = names::word(&names::BINARY, *op);
                let own = [left, right].map(|side| defaults::own_type(side, &self.typing));
                let hints = defaults::binary_hints(*op, target, own[0], own[1]);
                let left = self.operand(left, hints[0]);
                format!("{word} {left}, {}", self.operand(right, hints[1]))
            }
            Rvalue::Cast(kind, operand, _) => {
                let word = names::word(&names::CASTS, *kind);
                format!("{word} {}", self.operand(operand, None))
            }
            Rvalue::PointerOffset {
                pointer,
                index,
                element,
                negative,
            } => {
                let word = if *negative { "ptr_sub" } else { "ptr_add" };
                let pointer = self.operand(pointer, Some(target));
                let index = self.operand(index, None);
                format!("{word} {pointer}, {index} x {element}")
            }
            Rvalue::PointerDifference {
                left,
                right,
                element,
                ..
            } => {
                let left = self.operand(left, None);
                let right = self.operand(right, None);
                format!("ptr_diff {left}, {right} x {element}")
            }
            Rvalue::Zero(_) => "zero".to_owned(),
        };
        if let Some(ty) = defaults::explicit_type(rvalue).filter(|&ty| ty != target) {
            let _ = write!(text, " as {}", self.printer.ty(ty));
        }
        text
    }

    fn operand(&self, operand: &Operand, hint: Option<TypeId>) -> String {
        match operand {
            Operand::Copy(local) => local.to_string(),
            Operand::Constant(constant) => self.constant(constant, hint),
        }
    }

    fn constant(&self, constant: &Constant, hint: Option<TypeId>) -> String {
        let types = self.typing.types;
        let text = self
            .printer
            .constant_value(&constant.value, Some(constant.ty));
        let int = defaults::int(IntName::Int, &self.printer.program.target);
        let assumed = defaults::constant_type(hint, types).or_else(|| types.find(&Type::Int(int)));
        if assumed == Some(constant.ty) {
            text
        } else {
            format!("{text}:{}", self.printer.ty(constant.ty))
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut ty = self.typing.base(&place.base);
        let mut arrow = false;
        let mut text = match &place.base {
            PlaceBase::Local(local) => local.to_string(),
            PlaceBase::Global(global) => self.printer.global_name(*global),
            PlaceBase::Deref(Operand::Copy(local)) => {
                arrow = matches!(place.projections.first(), Some(Projection::Field(_)));
                format!("{}{local}", if arrow { "" } else { "*" })
            }
            PlaceBase::Deref(operand) => format!("*({})", self.operand(operand, None)),
        };
        for step in &place.projections {
            match step {
                Projection::Field(index) => {
                    text.push_str(if arrow { "->" } else { "." });
                    text.push_str(&self.field(ty, *index));
                }
                Projection::Index(index) => {
                    let _ = write!(text, "[{}]", self.operand(index, None));
                }
            }
            arrow = false;
            ty = ty.and_then(|ty| self.typing.step(ty, step));
        }
        if ty != Some(place.ty) {
            let _ = write!(text, ": {}", self.printer.ty(place.ty));
        }
        text
    }

    /// A member by its name if that is enough to find it, else by its index.
    fn field(&self, ty: Option<TypeId>, index: u32) -> String {
        let types = self.typing.types;
        let name = ty
            .filter(|&ty| types.get(ty).is_some())
            .and_then(|ty| types.record(ty))
            .and_then(|record| {
                let name = record.fields.get(index as usize)?.name.as_deref()?;
                let same = record
                    .fields
                    .iter()
                    .filter(|f| f.name.as_deref() == Some(name));
                (same.count() == 1 && names::is_identifier(name)).then_some(name)
            });
        name.map_or(index.to_string(), str::to_owned)
    }

    fn terminator(&self, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Goto(block) => format!("goto {block}"),
            Terminator::Branch {
                operand,
                then,
                otherwise,
                tag,
            } => {
                let operand = self.operand(operand, None);
                let mut text = format!("branch {operand} ? {then} : {otherwise}");
                if let Some(tag) = tag {
                    let (yes, no) = (tag.then_outcome, tag.otherwise_outcome);
                    let (yes, no) = (outcome_text(yes), outcome_text(no));
                    let _ = write!(text, " tag {} {yes}/{no}", tag.condition);
                }
                text
            }
            Terminator::Switch {
                operand,
                arms,
                default,
                decision,
            } => {
                let ty = self.typing.operand(operand);
                let number = |bits| self.printer.int_constant(bits, ty);
                let mut text = format!("switch {} {decision} {{", self.operand(operand, None));
                for arm in arms {
                    let _ = write!(text, " {}", number(arm.low));
                    if arm.low != arm.high {
                        let _ = write!(text, "..{}", number(arm.high));
                    }
                    let _ = write!(text, " => {},", arm.target);
                }
                let _ = write!(text, " else => {default} }}");
                text
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                next,
            } => {
                let destination = destination.as_ref();
                let mut text =
                    destination.map_or(String::new(), |d| format!("{} = ", self.place(d)));
                let _ = write!(text, "call {}", self.call(callee, arguments));
                text.push_str(&next_text(next.as_slice()));
                text
            }
            Terminator::Return(None) => "return".to_owned(),
            Terminator::Return(Some(operand)) => {
                let ty = self.printer.program.functions[self.function].ty;
                let result = defaults::function_type(ty, self.typing.types).map(|ty| ty.result);
                format!("return {}", self.operand(operand, result))
            }
            Terminator::Unreachable => "unreachable".to_owned(),
            Terminator::Unsupported { construct, next } => {
                format!(
                    "unsupported {}{}",
                    super::quote(construct),
                    next_text(next.as_slice())
                )
            }
        }
    }

    fn call(&self, callee: &Callee, arguments: &[Operand]) -> String {
        let ty = defaults::callee_type(callee, &self.printer.program.functions, &self.typing);
        let parameters = ty.map_or(&[][..], |ty| &ty.parameters);
        let arguments: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(position, operand)| self.operand(operand, parameters.get(position).copied()))
            .collect();
        let callee = match callee {
            Callee::Direct(function) => self.printer.function_name(*function),
            Callee::Indirect(operand) => format!("*{}", self.operand(operand, None)),
        };
        format!("{callee}({})", arguments.join(", "))
    }
}

/// For each condition that a formula mentions, the first decision that does.
pub(in crate::text) fn implied_conditions<'d>(
    decisions: impl Iterator<Item = (DecisionId, &'d Decision)>,
) -> BTreeMap<ConditionId, DecisionId> {
    let mut implied = BTreeMap::new();
    for (id, decision) in decisions {
        let mut open = vec![&decision.formula];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Condition(condition) => {
                    implied.entry(*condition).or_insert(id);
                }
                Formula::Constant(_) => {}
                Formula::Not(inner) => open.push(inner),
                Formula::And(left, right) | Formula::Or(left, right) => {
                    open.push(left);
                    open.push(right);
                }
            }
        }
    }
    implied
}

/// A formula inside an operator of the given strength: 1 for `||`, 2 for `&&`, 3 for `!`.
fn formula_text(formula: &Formula, outer: u8) -> String {
    let (text, strength) = match formula {
        Formula::Condition(condition) => (condition.to_string(), 4),
        Formula::Constant(value) => (value.to_string(), 4),
        Formula::Not(inner) => (format!("!{}", formula_text(inner, 3)), 3),
        Formula::And(left, right) => {
            let (left, right) = (formula_text(left, 2), formula_text(right, 3));
            (format!("{left} && {right}"), 2)
        }
        Formula::Or(left, right) => {
            let (left, right) = (formula_text(left, 1), formula_text(right, 2));
            (format!("{left} || {right}"), 1)
        }
    };
    if strength < outer {
        format!("({text})")
    } else {
        text
    }
}

fn side_text(side: &SwitchSide) -> String {
    let mut text = match side.values {
        None => "else".to_owned(),
        Some((low, high)) if low == high => low.to_string(),
        Some((low, high)) => format!("{low}..{high}"),
    };
    if let Some((low, high)) = &side.names {
        let _ = write!(text, " {} {}", super::quote(low), super::quote(high));
    }
    if side.span != defaults::span() {
        let _ = write!(text, " {}", span_text(&side.span));
    }
    text
}

fn next_text(next: &[Block]) -> String {
    if next.is_empty() {
        return " -> never".to_owned();
    }
    let next: Vec<String> = next.iter().map(Block::to_string).collect();
    format!(" -> {}", next.join(", "))
}

fn outcome_text(outcome: Option<bool>) -> &'static str {
    match outcome {
        Some(true) => "true",
        Some(false) => "false",
        None => "-",
    }
}
