//! Conditions stand where clang's coverage mapping puts them: the judge's output can be looked up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use frontend::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, TranslationUnit, UnaryOp};
use frontend::export::{CLANG_VERSION, export};

use crate::{file_name, options};

/// File, first line and column, last line and column; how often.
type Branches = BTreeMap<(String, [u64; 4]), usize>;

const FLAG: &str = "-DFLAG=(a && b)";

#[test]
fn branches_are_those_of_the_coverage_mapping() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exporter/conditions.c");
    let unit = export(&source, &[FLAG.to_owned()], &options()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let report = llvm_cov(&source, directory.path());
    for (function, mut theirs) in branches_of(&report) {
        let mut ours = Collector::of(&unit, &function);
        // glibc's `assert` has its condition once more, in an operand of `sizeof`, with no counts.
        let asserted = |(_, place): &(String, [u64; 4]), _: &mut usize| place[..2] != place[2..];
        ours.retain(asserted);
        theirs.retain(asserted);
        assert_eq!(ours, theirs, "{function}");
    }
}

#[test]
fn profiles_are_read_as_the_tools_of_llvm_read_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exporter/conditions.c");
    let directory = tempfile::tempdir().unwrap();
    let theirs = llvm_cov(&source, directory.path());
    let file = |name: &str| directory.path().join(name);
    std::fs::write(file("empty"), "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_attest-export"))
        .arg(frontend::PROFILES_ARGUMENT)
        .args(["program", "raw", "empty", "missing"].map(file))
        .output()
        .unwrap();
    let ours: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let (runs, all) = (ours["runs"].as_array().unwrap(), functions(&theirs));
    assert_eq!(functions(&ours["all"]), all);
    let did_run = |function: &[serde_json::Value; 4]| {
        let regions = function[2].as_array().unwrap();
        regions.iter().any(|region| region[4] != 0)
    };
    let ran: Vec<_> = all.into_iter().filter(did_run).collect();
    assert_eq!(functions(&runs[0]), ran);
    assert!(!ran.is_empty() && runs[1].is_null() && runs[2].is_null());
    assert_eq!(runs.len(), 3);
}

#[test]
fn a_profile_that_is_none_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    std::fs::write(file("raw"), "no profile").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_attest-export"))
        .arg(frontend::PROFILES_ARGUMENT)
        .args([std::env::current_exe().unwrap(), file("raw")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("profile"), "{said}");
}

/// The functions of a report, with what is read of them.
fn functions(report: &serde_json::Value) -> Vec<[serde_json::Value; 4]> {
    let all = report["data"][0]["functions"].as_array().unwrap();
    let keys = ["name", "filenames", "regions", "branches"];
    let read = |function: &serde_json::Value| keys.map(|key| function[key].clone());
    all.iter().map(read).collect()
}

/// What `llvm-cov export` says of a run of the program.
fn llvm_cov(source: &Path, directory: &Path) -> serde_json::Value {
    let file = |name: &str| directory.join(name);
    let run = |program: &str, arguments: &[&std::ffi::OsStr]| {
        let output = Command::new(program)
            .args(arguments)
            .env("LLVM_PROFILE_FILE", file("raw"))
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{program}: {said}");
        output.stdout
    };
    let (binary, raw, merged): (PathBuf, PathBuf, PathBuf) =
        (file("program"), file("raw"), file("merged"));
    let flags = [
        "-w",
        "-fprofile-instr-generate",
        "-fcoverage-mapping",
        FLAG,
        "-o",
    ];
    let mut compile: Vec<&std::ffi::OsStr> = flags.iter().map(|flag| flag.as_ref()).collect();
    compile.extend([binary.as_os_str(), source.as_os_str()]);
    run(&format!("clang-{CLANG_VERSION}"), &compile);
    run(&binary.to_string_lossy(), &[]);
    let merge: [&std::ffi::OsStr; 4] = [
        "merge".as_ref(),
        "-o".as_ref(),
        merged.as_ref(),
        raw.as_ref(),
    ];
    run(&format!("llvm-profdata-{CLANG_VERSION}"), &merge);
    let export: [&std::ffi::OsStr; 4] = [
        "export".as_ref(),
        binary.as_ref(),
        "-instr-profile".as_ref(),
        merged.as_ref(),
    ];
    serde_json::from_slice(&run(&format!("llvm-cov-{CLANG_VERSION}"), &export)).unwrap()
}

/// The branches of each function.
fn branches_of(report: &serde_json::Value) -> Vec<(String, Branches)> {
    let functions = report["data"][0]["functions"].as_array().unwrap();
    functions.iter().map(branches_of_function).collect()
}

fn branches_of_function(function: &serde_json::Value) -> (String, Branches) {
    let mut branches = Branches::new();
    for branch in function["branches"].as_array().unwrap() {
        let number = |index: usize| branch[index].as_u64().unwrap();
        let file = function["filenames"][number(6) as usize].as_str().unwrap();
        let place = [number(0), number(1), number(2), number(3)];
        *branches
            .entry((file_name(file).to_owned(), place))
            .or_default() += 1;
    }
    let name = function["name"].as_str().unwrap();
    (name.rsplit(':').next().unwrap_or(name).to_owned(), branches)
}

/// Finds the leaves of decisions in a document.
struct Collector<'a> {
    unit: &'a TranslationUnit,
    found: Branches,
}

impl<'a> Collector<'a> {
    fn of(unit: &'a TranslationUnit, function: &str) -> Branches {
        let mut collector = Collector {
            unit,
            found: Branches::new(),
        };
        let body = crate::function(unit, function).body.as_ref().unwrap();
        collector.statement(body);
        collector.found
    }

    fn add(&mut self, span: usize) {
        let span = &self.unit.spans[span];
        let file = file_name(&self.unit.files[span.begin.0]).to_owned();
        let place = [span.begin.1, span.begin.2, span.end.1, span.end.2].map(u64::from);
        *self.found.entry((file, place)).or_default() += 1;
    }

    /// A controlling expression or an operand of `&&` or `||`.
    fn condition(&mut self, expression: &Expr) {
        if expression.folded.is_none() && !is_logical(expression) {
            self.add(expression.span);
        }
        self.expression(expression);
    }

    fn expression(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Binary { op, left, right } => {
                if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
                    self.condition(left);
                    self.condition(right);
                } else {
                    self.expression(left);
                    self.expression(right);
                }
            }
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.condition(condition);
                self.expression(then);
                self.expression(otherwise);
            }
            ExprKind::BinaryConditional {
                common,
                condition,
                otherwise,
                ..
            } => {
                self.expression(common);
                self.condition(condition);
                self.expression(otherwise);
            }
            ExprKind::CompoundAssign { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Subscript { base, index, .. } => {
                self.expression(base);
                self.expression(index);
            }
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => {
                self.expression(operand);
            }
            ExprKind::Call { callee, arguments } => {
                self.expression(callee);
                arguments.iter().for_each(|each| self.expression(each));
            }
            ExprKind::Statement(statement) => self.statement(statement),
            _ => {}
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Compound(statements) => {
                statements.iter().for_each(|each| self.statement(each));
            }
            StmtKind::Declaration(locals) => {
                let inits = locals.iter().filter_map(|local| local.init.as_ref());
                inits.for_each(|init| self.expression(init));
            }
            StmtKind::Expression(expression) | StmtKind::Return(Some(expression)) => {
                self.expression(expression);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.condition(condition);
                self.statement(then);
                otherwise.iter().for_each(|each| self.statement(each));
            }
            StmtKind::While { condition, body } | StmtKind::Do { condition, body } => {
                self.condition(condition);
                self.statement(body);
            }
            StmtKind::For {
                init,
                condition,
                increment,
                body,
            } => {
                init.iter().for_each(|each| self.statement(each));
                condition.iter().for_each(|each| self.condition(each));
                increment.iter().for_each(|each| self.expression(each));
                self.statement(body);
            }
            StmtKind::Switch { condition, body } => {
                self.expression(condition);
                if !has_default(body) {
                    self.add(condition.span);
                }
                self.statement(body);
            }
            StmtKind::Case { label, body, .. } | StmtKind::Default { label, body } => {
                self.add(*label);
                self.statement(body);
            }
            StmtKind::Label { body, .. } => self.statement(body),
            _ => {}
        }
    }
}

/// Whether `&&` or `||` stands there, seen through `!`: its operands are the leaves then.
fn is_logical(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Unary {
            op: UnaryOp::LogicalNot,
            operand,
        } => is_logical(operand),
        ExprKind::Binary { op, .. } => matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
        _ => false,
    }
}

/// Whether a switch's body has a `default` of its own; the fixture nests no switch.
fn has_default(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Default { .. } => true,
        StmtKind::Compound(statements) => statements.iter().any(has_default),
        StmtKind::Case { body, .. } | StmtKind::Label { body, .. } => has_default(body),
        StmtKind::If { then, .. } => has_default(then),
        _ => false,
    }
}
