//! One function: its signature, its tables, and then its code, statement by statement.

use super::agreement::agree;
use super::globals::is_object;
use super::types::span_in_range;
use super::{Invariant, Violation, decisions, temporaries};
use crate::{
    Block, BlockData, Body, CoverageLabelKind, Function, FunctionId, FunctionType, Local,
    LocalKind, OPEN_ARRAY_BYTES, Operand, Program, Span, SpanId, StatementKind, Type, TypeId,
    Typing,
};

/// Checks a function.
pub(super) fn check(program: &Program, id: FunctionId, function: &Function) -> Vec<Violation> {
    let empty = Body::default();
    let mut checker = BodyChecker::new(program, id, function.body.as_ref().unwrap_or(&empty));
    let Type::Function(ty) = program.types.kind(function.ty) else {
        checker.fail(
            Invariant::Signatures,
            "its type is no function type".to_owned(),
        );
        return checker.violations;
    };
    if function.body.is_some() {
        checker.ty = Some(ty);
        checker.signature(function, ty);
        checker.tables();
        if checker.violations.is_empty() {
            checker.code();
            checker.block = None;
            checker.statement = None;
            decisions::check(&mut checker);
        }
        // Reads before writes matter only where all ids are known to be good.
        if checker.violations.is_empty() {
            temporaries::check(&mut checker);
        }
    }
    checker.violations
}

/// The facts that are known while a body is checked.
pub(super) struct BodyChecker<'p> {
    pub program: &'p Program,
    pub body: &'p Body,
    pub typing: Typing<'p>,
    /// The type of the function.
    pub ty: Option<&'p FunctionType>,
    pub block: Option<Block>,
    pub statement: Option<usize>,
    id: FunctionId,
    violations: Vec<Violation>,
}

impl<'p> BodyChecker<'p> {
    fn new(program: &'p Program, id: FunctionId, body: &'p Body) -> Self {
        BodyChecker {
            program,
            body,
            typing: Typing {
                types: &program.types,
                globals: &program.globals,
                locals: &body.locals,
            },
            ty: None,
            block: None,
            statement: None,
            id,
            violations: Vec::new(),
        }
    }

    pub fn fail(&mut self, invariant: Invariant, message: String) {
        self.violations.push(Violation {
            invariant,
            function: Some(self.id),
            block: self.block,
            statement: self.statement,
            message,
        });
    }

    /// Fails unless the condition holds; the message is made only then.
    pub fn demand(&mut self, holds: bool, invariant: Invariant, message: impl FnOnce() -> String) {
        if !holds {
            self.fail(invariant, message());
        }
    }

    pub fn agree(&self, a: TypeId, b: TypeId) -> bool {
        agree(self.typing.types, a, b)
    }

    /// A type as C writes it, for messages.
    pub fn name(&self, ty: TypeId) -> String {
        format!("`{}`", self.typing.types.declare(ty, ""))
    }

    fn signature(&mut self, function: &Function, ty: &FunctionType) {
        let count = ty.parameters.len();
        self.demand(
            function.parameters.len() == count,
            Invariant::Signatures,
            || {
                format!(
                    "{} parameter names for {count} parameters",
                    function.parameters.len()
                )
            },
        );
        for (position, &parameter) in ty.parameters.iter().enumerate() {
            let local = self.body.locals.get(Local::from_usize(position));
            let fits = local.is_some_and(|local| {
                local.kind == LocalKind::Parameter
                    && self.program.types.get(local.ty).is_some()
                    && self.agree(local.ty, parameter)
            });
            self.demand(fits, Invariant::Signatures, || {
                format!("_{position} is not the parameter of the function's type")
            });
        }
        self.demand(!self.body.blocks.is_empty(), Invariant::Signatures, || {
            "its body has no block".to_owned()
        });
    }

    fn tables(&mut self) {
        let body = self.body;
        let parameters = self.ty.map_or(0, |ty| ty.parameters.len());
        for (id, local) in body.locals.iter_enumerated() {
            if self.typing.types.get(local.ty).is_none() {
                self.fail(Invariant::Ids, format!("the type of {id} does not exist"));
                continue;
            }
            self.demand(
                is_object(self.typing.types, local.ty),
                Invariant::Signatures,
                || format!("{id} has no object type"),
            );
            let misplaced = local.kind == LocalKind::Parameter && id.index() >= parameters;
            self.demand(!misplaced, Invariant::Signatures, || {
                format!("{id} is a parameter that the function's type does not have")
            });
        }
        for span in &body.spans {
            self.span(span);
        }
        for (id, decision) in body.decisions.iter_enumerated() {
            self.span(&decision.span);
            for side in &decision.sides {
                self.span(&side.span);
            }
            decisions::check_ids(self, id, &decision.formula);
        }
        for (id, condition) in body.conditions.iter_enumerated() {
            self.span(&condition.span);
            condition
                .operands
                .iter()
                .flatten()
                .for_each(|span| self.span(span));
            let exists = condition.decision.index() < body.decisions.len();
            self.demand(exists, Invariant::Ids, || {
                format!("the decision of {id} does not exist")
            });
        }
        for fold in &body.folds {
            let exists = fold.decision.index() < body.decisions.len();
            self.demand(exists, Invariant::Ids, || {
                "the decision of a fold does not exist".to_owned()
            });
            for block in [Some(fold.block), fold.instead].into_iter().flatten() {
                self.target(block, "a fold");
            }
        }
        for (id, statement) in body.source_statements.iter_enumerated() {
            self.span(&statement.span);
            self.target(statement.block, &id.to_string());
        }
        for head in &body.heads {
            self.span(&head.span);
            self.target(head.block, "a head");
            let known = |local: &Local| local.index() < body.locals.len();
            self.demand(head.in_scope.iter().all(known), Invariant::Ids, || {
                "a local in scope at a head does not exist".to_owned()
            });
        }
        self.regions(body);
        self.operations(body);
        for (id, label) in body.coverage_labels.iter_enumerated() {
            self.target(label.block, &id.to_string());
            if let CoverageLabelKind::Boundary(condition, _) = label.kind {
                let exists = condition.index() < body.conditions.len();
                self.demand(exists, Invariant::Ids, || {
                    format!("the condition of {id} does not exist")
                });
            }
            if let CoverageLabelKind::Mutant(mutant) = &label.kind {
                let exists = mutant.operation.index() < body.operations.len();
                self.demand(exists, Invariant::Ids, || {
                    format!("the operation of {id} does not exist")
                });
            }
            let block = body.blocks.get(label.block);
            let is_probe = block.is_none_or(|block| block.terminator.is_probe());
            self.demand(is_probe, Invariant::Ids, || {
                format!("the block of {id} does not end with its condition")
            });
        }
        for (&copy, &of) in &body.copies {
            self.target(copy, "a copy");
            self.target(of, "a copy");
            self.demand(!body.copies.contains_key(&of), Invariant::Ids, || {
                format!("{copy} is a copy of {of}, which is a copy itself")
            });
        }
    }

    /// The pieces of source of operations, and the statements that evaluate these.
    fn operations(&mut self, body: &Body) {
        for (id, operation) in body.operations.iter_enumerated() {
            let [left, right] = operation.sides;
            let mut spans = [operation.span, left, right].into_iter();
            let exist = spans.all(|span| span.index() < body.spans.len());
            self.demand(exist, Invariant::Ids, || {
                format!("a piece of source of {id} does not exist")
            });
        }
        let statements = body.blocks.iter().flat_map(|block| &block.statements);
        for operation in statements.filter_map(|statement| statement.operation) {
            let exists = operation.index() < body.operations.len();
            self.demand(exists, Invariant::Ids, || {
                format!("{operation} does not exist")
            });
        }
    }

    fn regions(&mut self, body: &Body) {
        let mut of_block = vec![None; body.blocks.len()];
        for (id, region) in body.regions.iter_enumerated() {
            let decision = region.decision;
            let exists = decision.is_none_or(|it| it.index() < body.decisions.len());
            self.demand(exists, Invariant::Ids, || {
                format!("the decision of {id} does not exist")
            });
            let is_known = region.parent.is_none_or(|parent| parent < id);
            self.demand(is_known, Invariant::Ids, || {
                format!("the region around {id} does not come before it")
            });
            for &block in region.blocks.iter().chain(&region.head) {
                self.target(block, &id.to_string());
            }
            for &block in &region.blocks {
                if let Some(of_block) = of_block.get_mut(block.index()) {
                    let other = of_block.replace(id);
                    self.demand(other.is_none(), Invariant::Ids, || {
                        format!("{block} is a block of two regions")
                    });
                }
            }
        }
    }

    fn span(&mut self, span: &Span) {
        self.demand(span_in_range(self.program, span), Invariant::Ids, || {
            "a span is in a file that does not exist".to_owned()
        });
    }

    fn span_id(&mut self, id: SpanId) {
        let exists = id.index() < self.body.spans.len();
        self.demand(exists, Invariant::Ids, || {
            format!("the span {id} does not exist")
        });
    }

    fn storage_of_array(&mut self, local: Local, length: &Operand) {
        self.integer(length);
        if let Some(ty) = self.local(local) {
            let kind = self.typing.types.kind(ty);
            let is_open = matches!(kind, Type::Array { element, length: Some(length) }
                if *length == OPEN_ARRAY_BYTES / self.typing.types.size(*element).max(1));
            self.demand(is_open, Invariant::Signatures, || {
                format!("{local} is no array of open length")
            });
        }
    }

    /// A block that something refers to.
    pub fn target(&mut self, block: Block, user: &str) {
        let exists = block.index() < self.body.blocks.len();
        self.demand(exists, Invariant::Ids, || {
            format!("{user} refers to {block}, which does not exist")
        });
    }

    /// The type of a local that something refers to, if it exists.
    pub fn local(&mut self, local: Local) -> Option<TypeId> {
        let ty = self.body.locals.get(local).map(|decl| decl.ty);
        self.demand(ty.is_some(), Invariant::Ids, || {
            format!("{local} does not exist")
        });
        ty
    }

    fn code(&mut self) {
        for (id, block) in self.body.blocks.iter_enumerated() {
            self.block = Some(id);
            self.block(block);
        }
    }

    fn block(&mut self, block: &BlockData) {
        for (position, statement) in block.statements.iter().enumerate() {
            self.statement = Some(position);
            self.span_id(statement.span);
            match &statement.kind {
                StatementKind::Assign(place, rvalue) => self.assign(place, rvalue),
                StatementKind::StorageLiveArray(local, length) => {
                    self.storage_of_array(*local, length);
                }
                StatementKind::StorageLive(local) | StatementKind::StorageDead(local) => {
                    self.local(*local);
                }
            }
        }
        self.statement = Some(block.statements.len());
        self.span_id(block.span);
        self.terminator(&block.terminator);
    }
}
