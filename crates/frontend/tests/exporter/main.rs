//! The exporter's document, on small C files: one construct a test.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

mod constants;
mod coverage;
mod errors;
mod expressions;
mod statements;
mod types;

use std::path::{Path, PathBuf};
use std::time::Duration;

use frontend::ast::{Expr, ExprKind, FunctionDecl, Span, Stmt, StmtKind, TranslationUnit};
use frontend::export::{ExportError, ExportOptions, export};

/// The options that name this package's exporter.
fn options() -> ExportOptions {
    ExportOptions {
        exporter: Some(PathBuf::from(env!("CARGO_BIN_EXE_attest-export"))),
        time_limit: Duration::from_secs(300),
        ..ExportOptions::default()
    }
}

/// Exports a C text, in a file of its own.
fn try_unit(source: &str, flags: &[&str]) -> Result<TranslationUnit, ExportError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("unit.c");
    std::fs::write(&path, source).unwrap();
    let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
    export(&path, &flags, &options())
}

fn unit(source: &str) -> TranslationUnit {
    try_unit(source, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn function<'a>(unit: &'a TranslationUnit, name: &str) -> &'a FunctionDecl {
    let found = unit.functions.iter().find(|each| each.name == name);
    found.unwrap_or_else(|| panic!("no function {name}"))
}

/// The statements of a function's body.
fn body(function: &FunctionDecl) -> &[Stmt] {
    match function.body.as_ref().map(|body| &body.kind) {
        Some(StmtKind::Compound(statements)) => statements,
        other => panic!("{} has the body {other:?}", function.name),
    }
}

/// What the last statement of the function `f` returns.
fn returned(unit: &TranslationUnit) -> &Expr {
    match body(function(unit, "f")).last().map(|last| &last.kind) {
        Some(StmtKind::Return(Some(value))) => value,
        other => panic!("f ends with {other:?}"),
    }
}

/// An expression without the conversions around it.
fn bare(expression: &Expr) -> &Expr {
    match &expression.kind {
        ExprKind::Cast { operand, .. } => bare(operand),
        _ => expression,
    }
}

/// A span as `line:column-line:column`.
fn place(span: &Span) -> String {
    let (begin, end) = (span.begin, span.end);
    format!("{}:{}-{}:{}", begin.1, begin.2, end.1, end.2)
}

fn file_name(path: &str) -> &str {
    Path::new(path)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(path)
}
