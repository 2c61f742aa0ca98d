//! Expressions.

use frontend::ast::{ExprKind, UnaryOp};

use crate::{bare, place, returned, try_unit, unit};

/// The kind of what `f` returns, without conversions, by the first word of its debug form.
fn returned_kind(source: &str) -> String {
    let unit = unit(source);
    let kind = format!("{:?}", bare(returned(&unit)).kind);
    let end = kind.find([' ', '(', '{']).unwrap_or(kind.len());
    kind[..end].to_owned()
}

#[test]
fn each_expression_by_its_kind() {
    let cases = [
        ("int f(int a) { return a; }", "Local"),
        ("int g; int f(void) { return g; }", "Variable"),
        (
            "int (*f(void))(void) { extern int h(void); return h; }",
            "Function",
        ),
        ("const char *f(void) { return __func__; }", "String"),
        ("double f(void) { return 1.5; }", "Float"),
        ("int f(int a) { return -a; }", "Unary"),
        ("int f(int a) { return a, 3; }", "Binary"),
        ("int f(int a) { return a += 3; }", "CompoundAssign"),
        ("int f(int a) { return a ? 1 : 2; }", "Conditional"),
        ("int f(int a) { return a ?: 2; }", "BinaryConditional"),
        ("int f(int a) { return f(a); }", "Call"),
        (
            "struct s { int m; }; int f(struct s *p) { return p->m; }",
            "Member",
        ),
        ("int f(int *p) { return 2[p]; }", "Subscript"),
        (
            "struct s { int m; }; struct s f(void) { return (struct s){2}; }",
            "CompoundLiteral",
        ),
        (
            "int f(int a) { return ({ int t = a; t + 1; }); }",
            "Statement",
        ),
        (
            "int f(__builtin_va_list v) { return __builtin_va_arg(v, int); }",
            "VaArg",
        ),
        (
            "union u { int i; float g; }; union u f(int a) { return (union u)a; }",
            "InitRecord",
        ),
        (
            "int f(int a) { return _Generic(a, long: 1, int: a); }",
            "Local",
        ),
        (
            "int f(int a) { return __builtin_choose_expr(1, a, 1.0); }",
            "Local",
        ),
        ("int f(int a) { return __extension__ (a); }", "Local"),
        (
            "int f(int *p) { return __atomic_load_n(p, 5); }",
            "Unsupported",
        ),
        ("_Atomic int g; int f(void) { return g; }", "Unsupported"),
        (
            "unsigned long f(int n) { int a[n]; return sizeof a; }",
            "SizeOf",
        ),
        (
            "typedef int v4 __attribute__((vector_size(16))); v4 f(v4 a) { return a + a; }",
            "Unsupported",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(returned_kind(source), expected, "{source}");
    }
}

#[test]
fn questions_about_what_is_no_constant_stay_calls() {
    for call in ["__builtin_constant_p(a)", "__builtin_object_size(p, 0)"] {
        let source = format!("int f(int a, void *p) {{ return {call}; }}\n");
        let unit = unit(&source);
        let kind = &bare(returned(&unit)).kind;
        assert!(matches!(kind, ExprKind::Call { .. }), "{call}: {kind:?}");
    }
}

#[test]
fn constants_are_integers() {
    let cases = [
        ("return 3000000000u;", "3000000000"),
        ("return 'a';", "97"),
        ("return '\\xff';", "-1"),
        ("enum { E = -4 }; return E;", "-4"),
        ("return sizeof(long[3]);", "24"),
        ("return _Alignof(long);", "8"),
        (
            "struct s { int a, b[4]; }; return __builtin_offsetof(struct s, b[2]);",
            "12",
        ),
        ("return __builtin_types_compatible_p(int, signed);", "1"),
        ("return __builtin_constant_p(3);", "1"),
        ("int b[2]; return __builtin_object_size(b, 0);", "8"),
    ];
    for (statements, expected) in cases {
        let unit = unit(&format!("__int128 f(int a, void *p) {{ {statements} }}\n"));
        match &bare(returned(&unit)).kind {
            ExprKind::Integer(value) => assert_eq!(value, expected, "{statements}"),
            other => panic!("{statements}: {other:?}"),
        }
    }
}

#[test]
fn builtins_are_called_like_functions() {
    let unit = unit("int f(int a) { return __builtin_popcount(a) + __builtin_expect(a, 0); }\n");
    for name in ["__builtin_popcount", "__builtin_expect"] {
        let builtin = crate::function(&unit, name);
        assert!(builtin.builtin && builtin.body.is_none() && builtin.span.is_none());
    }
}

#[test]
fn initialisers_are_in_semantic_form() {
    let source = "struct s { int a; int : 4; int b; }; struct s f(int n) {\n\
                  return (struct s){.b = n}; }\n";
    let unit = unit(source);
    let ExprKind::CompoundLiteral { init, .. } = &bare(returned(&unit)).kind else {
        panic!("no compound literal");
    };
    let ExprKind::InitRecord { fields, .. } = &init.kind else {
        panic!("no initialiser");
    };
    let indices: Vec<usize> = fields.iter().map(|field| field.field).collect();
    assert_eq!(indices, [0, 2]);
    assert!(matches!(fields[0].value.kind, ExprKind::ImplicitZero));
}

#[test]
fn compound_assignments_say_where_they_compute() {
    let unit = unit("char f(char c) { return c += 300; }\n");
    let ExprKind::CompoundAssign {
        left,
        computation_left,
        ..
    } = &bare(returned(&unit)).kind
    else {
        panic!("no compound assignment");
    };
    assert_eq!(unit.types[left.ty].size, 1);
    assert_eq!(unit.types[*computation_left].size, 4);
}

#[test]
fn conditions_are_folded_as_the_coverage_mapping_does() {
    let unit = unit("int f(int a) { return (sizeof(int) == 4) && a || !(0 && a); }\n");
    let ExprKind::Binary { left, right, .. } = &bare(returned(&unit)).kind else {
        panic!("no operator");
    };
    assert_eq!(left.folded, None);
    let ExprKind::Binary {
        left: size,
        right: a,
        ..
    } = &left.kind
    else {
        panic!("no operator");
    };
    assert_eq!(size.folded.as_deref(), Some("1"));
    assert_eq!(a.folded, None);
    assert_eq!(right.folded.as_deref(), Some("1"));
    let ExprKind::Unary {
        op: UnaryOp::LogicalNot,
        operand,
    } = &right.kind
    else {
        panic!("no negation");
    };
    assert_eq!(operand.folded.as_deref(), Some("0"));
}

#[test]
fn places_know_their_macros() {
    let source = "#define INNER(x) ((x) + 1)\n#define OUTER(y) INNER(y)\nint f(int a) {\n  return OUTER(a);\n}\n";
    let unit = unit(source);
    let sum = bare(returned(&unit));
    let span = &unit.spans[sum.span];
    assert_eq!(place(span), "1:19-1:26");
    let names: Vec<&str> = span.expansions.iter().map(|each| each.0.as_str()).collect();
    assert_eq!(names, ["OUTER", "INNER"]);
    let places: Vec<(u32, u32)> = span.expansions.iter().map(|e| (e.1.1, e.1.2)).collect();
    assert_eq!(places, [(4, 10), (2, 18)]);
}

#[test]
fn macros_of_the_command_line_stand_where_they_are_used() {
    let unit = try_unit(
        "int f(int a) {\n  return TWICE(a);\n}\n",
        &["-DTWICE(x)=(x)*2"],
    )
    .unwrap();
    let span = &unit.spans[bare(returned(&unit)).span];
    assert_eq!(place(span), "2:10-2:15");
    assert!(span.expansions.is_empty());
}
