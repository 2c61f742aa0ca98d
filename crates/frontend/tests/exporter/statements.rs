//! Statements.

use frontend::ast::{Stmt, StmtKind};

use crate::{body, function, place, unit};

/// The first statement of `f`, by the first word of its debug form.
fn first_kind(statement: &str) -> String {
    let source = format!("void g(int *p); void f(int n, void *p) {{ {statement} ; }}\n");
    let unit = unit(&source);
    let kind = format!("{:?}", body(function(&unit, "f"))[0].kind);
    let end = kind.find([' ', '(', '{']).unwrap_or(kind.len());
    kind[..end].to_owned()
}

#[test]
fn each_statement_by_its_kind() {
    let cases = [
        (";", "Null"),
        ("{}", "Compound"),
        ("int x = 3", "Declaration"),
        ("static int x = 3", "Declaration"),
        ("n = 3", "Expression"),
        ("if (n) {}", "If"),
        ("while (n) {}", "While"),
        ("do {} while (n)", "Do"),
        ("for (;;) break", "For"),
        ("switch (n) {}", "Switch"),
        ("return", "Return"),
        ("l: goto l", "Label"),
        ("goto l; l:", "Goto"),
        ("__asm__ volatile(\"\")", "Null"),
        ("__asm__ volatile(\"\" ::: \"memory\")", "Barrier"),
        ("__asm__(\"nop\" : \"+r\"(n))", "Unsupported"),
        ("goto *p; l: p = &&l", "Unsupported"),
        ("int x[n]", "Declaration"),
        ("__attribute__((cleanup(g))) int x", "Unsupported"),
        ("__attribute__((unused)) int x", "Declaration"),
    ];
    for (statement, expected) in cases {
        assert_eq!(first_kind(statement), expected, "{statement}");
    }
}

#[test]
fn locals_start_with_the_parameters() {
    let unit = unit("int f(int a, int b) { int c = a; { int c = b; return c; } }\n");
    let f = function(&unit, "f");
    let names: Vec<_> = f.locals.iter().map(|local| local.name.as_deref()).collect();
    assert_eq!(names, [Some("a"), Some("b"), Some("c"), Some("c")]);
}

#[test]
fn cases_have_values_ranges_and_labels() {
    let source = "void f(unsigned char n) {\n  switch (n) {\n  case 1:\n  case 'a' ... 'z': break;\n  default:;\n  }\n}\n";
    let unit = unit(source);
    let StmtKind::Switch { body: switch, .. } = &body(function(&unit, "f"))[0].kind else {
        panic!("no switch");
    };
    let StmtKind::Compound(arms) = &switch.kind else {
        panic!("no arms");
    };
    let StmtKind::Case {
        low,
        high: None,
        label,
        body: inner,
    } = &arms[0].kind
    else {
        panic!("no case: {:?}", arms[0]);
    };
    assert_eq!(low, "1");
    assert_eq!(place(&unit.spans[*label]), "3:3-3:9");
    let Stmt {
        kind:
            StmtKind::Case {
                low,
                high: Some(high),
                ..
            },
        ..
    } = &**inner
    else {
        panic!("no range: {inner:?}");
    };
    assert_eq!((low.as_str(), high.as_str()), ("97", "122"));
    assert!(matches!(arms[1].kind, StmtKind::Default { .. }));
}

#[test]
fn labels_are_shared_by_jumps_and_targets() {
    let unit = unit("void f(int n) { if (n) goto end; again: n--; goto again; end:; }\n");
    assert_eq!(function(&unit, "f").labels, ["end", "again"]);
}
