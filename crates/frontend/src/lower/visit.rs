//! Questions about clang's tree that are answered before code is written.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Declared, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

/// The expressions right below an expression.
pub(super) fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Local(_)
        | ExprKind::Variable(_)
        | ExprKind::Function(_)
        | ExprKind::Opaque(_)
        | ExprKind::ImplicitZero
        | ExprKind::SizeOf(_)
        | ExprKind::Unsupported(_)
        | ExprKind::Statement(_) => Vec::new(),
        ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => vec![operand],
        ExprKind::Binary { left, right, .. } | ExprKind::CompoundAssign { left, right, .. } => {
            vec![left, right]
        }
        ExprKind::Conditional {
            condition,
            then,
            otherwise,
        } => vec![condition, then, otherwise],
        ExprKind::BinaryConditional {
            common,
            condition,
            then,
            otherwise,
            ..
        } => vec![common, condition, then, otherwise],
        ExprKind::Call { callee, arguments } => {
            std::iter::once(&**callee).chain(arguments).collect()
        }
        ExprKind::Member { base, .. } => vec![base],
        ExprKind::Subscript { base, index, .. } => vec![base, index],
        ExprKind::CompoundLiteral { init, .. } => vec![init],
        ExprKind::InitRecord { fields, .. } => fields.iter().map(|field| &field.value).collect(),
        ExprKind::InitArray { elements, filler } => {
            elements.iter().chain(filler.as_deref()).collect()
        }
        ExprKind::VaArg { list } => vec![list],
        ExprKind::Sized { lengths, value } => {
            let lengths = lengths.iter().map(|length| &length.value);
            lengths.chain([&**value]).collect()
        }
    }
}

/// The expressions and statements right below a statement.
pub(super) fn parts<'a>(stmt: &'a Stmt) -> (Vec<&'a Expr>, Vec<&'a Stmt>) {
    match &stmt.kind {
        StmtKind::Null
        | StmtKind::Barrier
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Unsupported(_) => (Vec::new(), Vec::new()),
        StmtKind::Compound(statements) => (Vec::new(), statements.iter().collect()),
        StmtKind::Declaration(declared) => {
            let of_each = |declared: &'a Declared| {
                let lengths = declared.lengths.iter().map(|length| &length.value);
                lengths.chain(&declared.init)
            };
            (declared.iter().flat_map(of_each).collect(), Vec::new())
        }
        StmtKind::Expression(expr) => (vec![expr], Vec::new()),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => (
            vec![condition],
            std::iter::once(&**then)
                .chain(otherwise.as_deref())
                .collect(),
        ),
        StmtKind::While { condition, body }
        | StmtKind::Do { body, condition }
        | StmtKind::Switch { condition, body } => (vec![condition], vec![body]),
        StmtKind::For {
            init,
            condition,
            increment,
            body,
        } => (
            condition.iter().chain(increment).collect(),
            init.as_deref().into_iter().chain([&**body]).collect(),
        ),
        StmtKind::Case { body, .. }
        | StmtKind::Default { body, .. }
        | StmtKind::Label { body, .. } => (Vec::new(), vec![body]),
        StmtKind::Return(value) => (value.iter().collect(), Vec::new()),
    }
}

/// Calls the visitor for every expression of a statement, those of statement expressions included.
fn each_expr<'a>(stmt: &'a Stmt, visitor: &mut impl FnMut(&'a Expr)) {
    let (exprs, statements) = parts(stmt);
    for expr in exprs {
        each_below(expr, visitor);
    }
    for statement in statements {
        each_expr(statement, visitor);
    }
}

fn each_below<'a>(expr: &'a Expr, visitor: &mut impl FnMut(&'a Expr)) {
    visitor(expr);
    if let ExprKind::Statement(stmt) = &expr.kind {
        each_expr(stmt, visitor);
    }
    for child in children(expr) {
        each_below(child, visitor);
    }
}

/// Whether a jump out of a statement expression may end the evaluation of an expression. A jump
/// within one counts too.
pub(super) fn may_be_left(expr: &Expr) -> bool {
    let mut found = false;
    each_below(expr, &mut |expr| {
        if let ExprKind::Statement(stmt) = &expr.kind {
            found |= has_jump(stmt);
        }
    });
    found
}

fn has_jump(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue
    ) || parts(stmt).1.into_iter().any(has_jump)
}

/// The locals, by clang's number, that are operands of `&` themselves.
pub(super) fn address_taken(body: &Stmt) -> FxHashSet<usize> {
    let mut found = FxHashSet::default();
    each_expr(body, &mut |expr| {
        if let ExprKind::Unary {
            op: UnaryOp::AddressOf,
            operand,
        } = &expr.kind
            && let ExprKind::Local(local) = operand.kind
        {
            found.insert(local);
        }
    });
    found
}

/// Whether evaluating the expression can assign to a variable of the function.
pub(super) fn assigns(expr: &Expr) -> bool {
    use UnaryOp::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
    match &expr.kind {
        ExprKind::CompoundAssign { .. } | ExprKind::Statement(_) => true,
        ExprKind::Binary {
            op: crate::ast::BinaryOp::Assign,
            ..
        } => true,
        ExprKind::Unary {
            op: PreIncrement | PreDecrement | PostIncrement | PostDecrement,
            ..
        } => true,
        _ => children(expr).into_iter().any(assigns),
    }
}

/// Which braces each label stands in, and which braces can be entered past their start.
#[derive(Default)]
pub(super) struct Labels {
    /// For each label, the spans of the compound statements around it, outermost first.
    scopes: FxHashMap<usize, Vec<usize>>,
    /// The spans of the compound statements that a `goto` or `switch` may enter in the middle.
    entered: FxHashSet<usize>,
    any: bool,
}

impl Labels {
    pub(super) fn of(body: &Stmt) -> Self {
        let mut labels = Labels::default();
        labels.walk(body, &mut Vec::new(), 0);
        labels
    }

    /// Whether the function has any labels, so that control may come back to a declaration.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// Whether control can come into these braces other than at their start.
    pub(super) fn enters(&self, compound: usize) -> bool {
        self.entered.contains(&compound)
    }

    /// Whether the label stands in these braces.
    pub(super) fn inside(&self, label: usize, compound: usize) -> bool {
        let scopes = self.scopes.get(&label);
        scopes.is_some_and(|scopes| scopes.contains(&compound))
    }

    /// `since_switch` is how many of the open braces are outside the nearest switch.
    fn walk(&mut self, stmt: &Stmt, open: &mut Vec<usize>, since_switch: usize) {
        let (exprs, statements) = parts(stmt);
        match &stmt.kind {
            StmtKind::Label { label, .. } => {
                self.any = true;
                self.entered.extend(open.iter().copied());
                self.scopes.insert(*label, open.clone());
            }
            StmtKind::Case { .. } | StmtKind::Default { .. } => {
                let inner = open.get(since_switch..).unwrap_or_default();
                self.entered.extend(inner.iter().copied());
            }
            _ => {}
        }
        let is_compound = matches!(stmt.kind, StmtKind::Compound(_));
        let since_switch = match stmt.kind {
            StmtKind::Switch { .. } => open.len(),
            _ => since_switch,
        };
        if is_compound {
            open.push(stmt.span);
        }
        for expr in exprs {
            each_statement_expression(expr, &mut |inner| self.walk(inner, open, since_switch));
        }
        for statement in statements {
            self.walk(statement, open, since_switch);
        }
        if is_compound {
            open.pop();
        }
    }
}

/// Calls the visitor for the outermost statement expressions in an expression.
fn each_statement_expression<'a>(expr: &'a Expr, visitor: &mut impl FnMut(&'a Stmt)) {
    if let ExprKind::Statement(stmt) = &expr.kind {
        visitor(stmt);
    }
    for child in children(expr) {
        each_statement_expression(child, visitor);
    }
}
