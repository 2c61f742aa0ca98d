//! Lifetimes of locals: where blocks of the source start and end them.

use ir::{Local, SpanId, StatementKind};

use super::function::FunctionLowering;

/// Braces, or a `for`, that may declare locals.
pub(super) struct Scope {
    /// Clang's span of it, by which [`super::visit::Labels`] knows it.
    compound: usize,
    /// What it declared so far.
    locals: Vec<Local>,
    /// How many locals were in scope before it.
    outside: usize,
}

impl FunctionLowering<'_, '_> {
    /// The local with clang's number.
    pub(super) fn local(&self, index: usize) -> Option<Local> {
        (index < self.decl.locals.len()).then(|| Local::from_usize(index))
    }

    pub(super) fn open_scope(&mut self, compound: usize) {
        self.scopes.push(Scope {
            compound,
            locals: Vec::new(),
            outside: self.in_scope.len(),
        });
    }

    /// Ends the innermost scope where control leaves it at its end.
    pub(super) fn close_scope(&mut self, span: SpanId) {
        let outside = self.scopes.len().saturating_sub(1);
        self.leave_scopes(outside, span);
        if let Some(closed) = self.scopes.pop() {
            self.in_scope.truncate(closed.outside);
        }
    }

    /// Starts the lifetime of a local at its declaration. In the function's outermost braces
    /// it is live already, unless a jump can come back.
    pub(super) fn declare_storage(&mut self, local: Local, span: SpanId) {
        if self.scopes.len() > 1 || self.labels.any() {
            self.emit(StatementKind::StorageLive(local), span);
        }
        self.keep_in_scope(local);
    }

    /// Has the innermost scope end the lifetime of a local.
    pub(super) fn keep_in_scope(&mut self, local: Local) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.locals.push(local);
        }
    }

    /// Ends the lifetimes of what the scopes beyond the first `outside` declared, where control
    /// leaves them. Braces that can be entered in the middle keep their locals alive: control may
    /// come back behind the declarations. So do the outermost, which the return ends anyway.
    pub(super) fn leave_scopes(&mut self, outside: usize, span: SpanId) {
        let mut ended = Vec::new();
        for scope in self.scopes.iter().skip(outside.max(1)).rev() {
            if !self.labels.enters(scope.compound) {
                ended.extend(scope.locals.iter().rev().copied());
            }
        }
        for local in ended {
            self.emit(StatementKind::StorageDead(local), span);
        }
    }

    /// How many of the open scopes are still open at a label.
    pub(super) fn scopes_around_label(&self, label: usize) -> usize {
        let around = |scope: &&Scope| self.labels.inside(label, scope.compound);
        self.scopes.iter().take_while(around).count()
    }
}
