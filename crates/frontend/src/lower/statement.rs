//! Statements other than `switch`.

use ir::{DecisionKind, HeadKind, Rvalue, Terminator, Type};

use super::function::{Exits, FunctionLowering};
use super::mentions::Mentions;
use crate::ast::{Declared, Expr, Stmt, StmtKind};

impl<'a> FunctionLowering<'_, 'a> {
    pub(super) fn stmt(&mut self, stmt: &'a Stmt) {
        let span = self.span(stmt.span);
        match &stmt.kind {
            StmtKind::Null => {}
            StmtKind::Barrier => self.barrier(span),
            StmtKind::Compound(statements) => {
                self.open_scope(stmt.span);
                for statement in statements {
                    self.stmt(statement);
                }
                self.close_scope(span);
            }
            StmtKind::Declaration(locals) => self.declaration(locals, stmt),
            StmtKind::Expression(expr) => {
                self.source_statement(span);
                self.effect(expr);
                self.source_statement_ran(span);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.if_stmt(condition, then, otherwise.as_deref(), stmt.span),
            StmtKind::While { condition, body } => self.while_stmt(condition, body, stmt.span),
            StmtKind::Do { body, condition } => self.do_stmt(body, condition, stmt.span),
            StmtKind::For {
                init,
                condition,
                increment,
                body,
            } => {
                self.open_scope(stmt.span);
                if let Some(init) = init {
                    self.stmt(init);
                }
                self.for_loop(condition.as_ref(), increment.as_ref(), body, stmt.span);
                self.close_scope(span);
            }
            StmtKind::Switch { condition, body } => self.switch_stmt(condition, body, stmt.span),
            StmtKind::Case {
                low,
                high,
                label,
                body,
            } => {
                self.case_label(low, high.as_deref(), *label);
                self.stmt(body);
            }
            StmtKind::Default { label, body } => {
                self.default_label(*label);
                self.stmt(body);
            }
            StmtKind::Break => {
                self.source_statement(span);
                self.break_out(stmt.span);
            }
            StmtKind::Continue => {
                self.source_statement(span);
                self.continue_loop(stmt.span);
            }
            StmtKind::Return(value) => {
                self.source_statement(span);
                self.return_stmt(value.as_ref(), stmt.span);
            }
            StmtKind::Goto(label) => {
                self.source_statement(span);
                self.goto(*label, stmt.span);
            }
            StmtKind::Label { label, body } => {
                if let Some(&block) = self.label_blocks.get(*label) {
                    self.place_label(block, span);
                    if is_without_label(body) {
                        let labelled = self.span(body.span);
                        self.head(HeadKind::Label, block, labelled);
                    }
                }
                self.stmt(body);
            }
            StmtKind::Unsupported(unknown) => {
                self.source_statement(span);
                self.unsupported_stmt(&unknown.construct, stmt.span);
                self.settle(&Mentions::of_unknown(unknown));
            }
        }
        // What a statement has beside expressions mentions nothing.
        self.unsettled.clear();
    }

    fn declaration(&mut self, all: &'a [Declared], stmt: &Stmt) {
        let span = self.span(stmt.span);
        let initializes = all.iter().any(|declared| declared.init.is_some());
        if initializes {
            self.source_statement(span);
        }
        for declared in all {
            self.evaluate_lengths(&declared.lengths);
            let Some(local) = declared.local.and_then(|local| self.local(local)) else {
                continue;
            };
            self.in_scope.push(local);
            let ty = self.locals[local].ty;
            if let Type::Unsupported(spelling) = self.types().kind(ty) {
                let construct = format!("an object of type `{spelling}`");
                self.unsupported(&construct, span);
                if let Some(init) = &declared.init {
                    self.mention(init);
                }
                continue;
            }
            let written = self.decl.locals[local.index()].ty;
            if self.is_variable(written) {
                self.declare_array(local, written, span);
                continue;
            }
            // A scalar that is given its value at once, and lives in a register, has no lifetime to
            // tell of.
            let in_register =
                self.types().is_scalar(ty) && !self.in_memory.contains(&local.index());
            if declared.init.is_none() || !in_register {
                self.declare_storage(local, span);
            }
            if let Some(init) = &declared.init {
                let place = self.local_place(local);
                self.initialize(&place, init);
            }
        }
        if initializes {
            self.source_statement_ran(span);
        }
    }

    fn if_stmt(
        &mut self,
        condition: &'a Expr,
        then: &'a Stmt,
        otherwise: Option<&'a Stmt>,
        span: usize,
    ) {
        let span = self.span(span);
        let around = self.begin_region(self.next_decision());
        let then_block = self.new_block();
        let end = self.new_block_in(around);
        let otherwise_block = match otherwise {
            Some(_) => self.new_block(),
            None => end,
        };
        let whole = self.decide(DecisionKind::If, condition, then_block, otherwise_block);
        self.current = then_block;
        self.stmt(then);
        if let Some(otherwise) = otherwise {
            self.end_block(Terminator::Goto(end), span, otherwise_block);
            self.stmt(otherwise);
        }
        self.source.mapped.extend(whole);
        self.end_region(around);
        self.continue_at(end, span);
    }

    fn while_stmt(&mut self, condition: &'a Expr, body: &'a Stmt, span: usize) {
        let span = self.span(span);
        let around = self.begin_region(self.next_decision());
        let head = self.new_block();
        let inside = self.new_block();
        let end = self.new_block_in(around);
        self.continue_at(head, span);
        self.head(HeadKind::While, head, span);
        let listed = self.source.mapped.len();
        let whole = self.loop_condition(DecisionKind::While, condition, inside, end);
        // The coverage mapping visits the body first.
        let inside_condition = self.source.mapped.split_off(listed);
        self.current = inside;
        self.loop_body(body, end, head);
        self.source.mapped.extend(inside_condition);
        self.source.mapped.extend(whole);
        self.end_region(around);
        self.end_block(Terminator::Goto(head), span, end);
    }

    fn do_stmt(&mut self, body: &'a Stmt, condition: &'a Expr, span: usize) {
        let span = self.span(span);
        let around = self.begin_region(None);
        let inside = self.new_block();
        let test = self.new_block();
        let end = self.new_block_in(around);
        self.continue_at(inside, span);
        self.head(HeadKind::Do, inside, span);
        self.loop_body(body, end, test);
        self.continue_at(test, span);
        self.loop_is_decided_next();
        let whole = self.loop_condition(DecisionKind::DoWhile, condition, inside, end);
        self.source.mapped.extend(whole);
        self.end_region(around);
        self.current = end;
    }

    fn for_loop(
        &mut self,
        condition: Option<&'a Expr>,
        increment: Option<&'a Expr>,
        body: &'a Stmt,
        span: usize,
    ) {
        let span = self.span(span);
        let around = self.begin_region(None);
        let head = self.new_block();
        let step = self.new_block();
        let end = self.new_block_in(around);
        self.continue_at(head, span);
        self.head(HeadKind::For, head, span);
        let listed = self.source.mapped.len();
        let mut whole = None;
        if let Some(condition) = condition {
            self.loop_is_decided_next();
            let inside = self.new_block();
            whole = self.loop_condition(DecisionKind::For, condition, inside, end);
            self.current = inside;
        }
        // The coverage mapping visits the body and the increment first.
        let inside_condition = self.source.mapped.split_off(listed);
        self.loop_body(body, end, step);
        self.continue_at(step, span);
        if let Some(increment) = increment {
            self.exits.push(Exits::Header { end });
            self.effect(increment);
            self.exits.pop();
        }
        self.source.mapped.extend(inside_condition);
        self.source.mapped.extend(whole);
        self.end_region(around);
        self.end_block(Terminator::Goto(head), span, end);
    }

    /// The decision that is evaluated next is that of the loop whose region is open.
    fn loop_is_decided_next(&mut self) {
        if let Some(region) = self.region {
            self.source.regions[region].decision = self.next_decision();
        }
    }

    /// Starts the block of a label.
    pub(super) fn place_label(&mut self, block: ir::Block, span: ir::SpanId) {
        self.blocks[block].region = self.region;
        self.continue_at(block, span);
    }

    fn loop_body(&mut self, body: &'a Stmt, break_to: ir::Block, continue_to: ir::Block) {
        self.exits.push(Exits::Loop {
            break_to,
            continue_to,
            scopes: self.scopes.len(),
        });
        self.stmt(body);
        self.exits.pop();
    }

    /// Lowers the condition of a loop, which is followed by one block or the other.
    fn loop_condition(
        &mut self,
        kind: DecisionKind,
        condition: &'a Expr,
        inside: ir::Block,
        end: ir::Block,
    ) -> Option<ir::ConditionId> {
        self.exits.push(Exits::Header { end });
        let whole = self.decide(kind, condition, inside, end);
        self.exits.pop();
        whole
    }

    fn break_out(&mut self, span: usize) {
        match self.exits.last() {
            Some(
                &Exits::Loop {
                    break_to, scopes, ..
                }
                | &Exits::Switch { break_to, scopes },
            ) => {
                self.jump(break_to, scopes, span);
            }
            Some(Exits::Header { .. }) => self.ambiguous_jump(span),
            None => {}
        }
    }

    fn continue_loop(&mut self, span: usize) {
        let mut loops = self.exits.iter().rev();
        let around = loops.find(|exits| !matches!(exits, Exits::Switch { .. }));
        match around {
            Some(&Exits::Loop {
                continue_to,
                scopes,
                ..
            }) => self.jump(continue_to, scopes, span),
            Some(Exits::Header { .. }) => self.ambiguous_jump(span),
            Some(Exits::Switch { .. }) | None => {}
        }
    }

    /// A jump in the header of a loop, which compilers have go to different places.
    fn ambiguous_jump(&mut self, span: usize) {
        let span = self.span(span);
        let behind = self.new_block();
        let mut next = vec![behind];
        next.extend(self.exits.iter().flat_map(Exits::blocks));
        let construct = "break or continue in the condition or increment of a loop";
        self.unsupported_with(construct, span, next);
        self.current = behind;
    }

    fn jump(&mut self, target: ir::Block, scopes: usize, span: usize) {
        let span = self.span(span);
        self.leave_scopes(scopes, span);
        self.end_path(Terminator::Goto(target), span);
    }

    fn goto(&mut self, label: usize, span: usize) {
        let Some(&target) = self.label_blocks.get(label) else {
            return;
        };
        let scopes = self.scopes_around_label(label);
        self.jump(target, scopes, span);
    }

    fn return_stmt(&mut self, value: Option<&'a Expr>, span: usize) {
        let span = self.span(span);
        let result = self.result_type();
        let value = match value {
            // `return f();` in a function that returns nothing.
            Some(value) if *self.types().kind(result) == Type::Void => {
                self.effect(value);
                None
            }
            Some(value) => {
                let value = self.value(value);
                Some(self.convert(value, result, span))
            }
            None => None,
        };
        self.end_path(Terminator::Return(value), span);
    }

    /// Inline assembly, `goto *p` and their like, which may go on at any label.
    fn unsupported_stmt(&mut self, construct: &str, span: usize) {
        let span = self.span(span);
        let behind = self.new_block();
        let mut next = vec![behind];
        next.extend(self.label_blocks.iter().copied());
        self.unsupported_with(construct, span, next);
        self.current = behind;
    }

    /// Assigns a value to a place of the same type, or of one that it converts to.
    pub(super) fn store(&mut self, place: ir::Place, value: ir::Operand, span: ir::SpanId) {
        let value = self.convert(value, place.ty, span);
        self.emit(ir::StatementKind::Assign(place, Rvalue::Use(value)), span);
    }
}

/// Whether control can come to a statement only by what comes to the place before it.
fn is_without_label(stmt: &Stmt) -> bool {
    !matches!(
        stmt.kind,
        StmtKind::Label { .. } | StmtKind::Case { .. } | StmtKind::Default { .. }
    )
}
