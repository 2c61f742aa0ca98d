//! Types, layouts and declarations.

use frontend::ast::{Nonnull, TypeKind, VariableKind};

use crate::{function, try_unit, unit};

#[test]
fn layouts_are_the_targets() {
    let source = "struct __attribute__((packed)) p { char c; int i; short s : 5, t : 11; };\n\
                  struct bits { unsigned a : 3, b : 7; int : 0; signed c : 20; };\n\
                  struct p x; struct bits y;\n";
    let unit = unit(source);
    let offsets = |name: &str| -> Vec<(u64, Option<u32>)> {
        let record = unit
            .records
            .iter()
            .find(|r| r.name.as_deref() == Some(name));
        let fields = &record.unwrap().fields;
        fields
            .iter()
            .map(|f| (f.offset_bits, f.bit_width))
            .collect()
    };
    assert_eq!(
        offsets("struct p"),
        [(0, None), (8, None), (40, Some(5)), (45, Some(11))]
    );
    let bits = offsets("struct bits");
    assert_eq!(
        bits,
        [(0, Some(3)), (3, Some(7)), (32, Some(0)), (32, Some(20))]
    );
}

#[test]
fn the_data_model_follows_the_flags() {
    let source = "long x; void *p; long long l;\n";
    let narrow = try_unit(source, &["-m32", "-fwrapv"]).unwrap();
    assert_eq!(narrow.target.pointer_width, 32);
    assert!(narrow.target.signed_overflow_wraps);
    let sizes = |unit: &frontend::ast::TranslationUnit| -> Vec<u64> {
        let types = unit.variables.iter().map(|variable| variable.ty);
        types.map(|ty| unit.types[ty].size).collect()
    };
    assert_eq!(sizes(&narrow), [4, 4, 8]);
    assert_eq!(sizes(&unit(source)), [8, 8, 8]);
}

#[test]
fn names_of_records_and_enums() {
    let unit = unit(
        "typedef struct { int a; } T; struct S { T t; union { int u; }; };\n\
                     enum E { A = -1, B } e; struct S s; struct opaque *o;\n",
    );
    let named = |name: &str| unit.records.iter().any(|r| r.name.as_deref() == Some(name));
    assert!(named("T") && named("struct S"));
    assert!(
        unit.records
            .iter()
            .any(|record| record.name.is_none() && record.union)
    );
    let opaque = unit
        .records
        .iter()
        .find(|r| r.name.as_deref() == Some("struct opaque"));
    assert!(!opaque.unwrap().complete);
    assert_eq!(unit.enums[0].name.as_deref(), Some("enum E"));
    let values: Vec<&str> = unit.enums[0]
        .enumerators
        .iter()
        .map(|e| e.1.as_str())
        .collect();
    assert_eq!(values, ["-1", "0"]);
}

#[test]
fn equal_types_are_one() {
    let unit = unit("typedef int T; const int *p; const T *q; volatile T x; int y; int *r;\n");
    let types: Vec<usize> = unit.variables.iter().map(|variable| variable.ty).collect();
    assert_eq!(types[0], types[1]);
    assert_eq!(types[2], types[3]);
    assert_ne!(types[0], types[4]);
    assert!(unit.variables[2].volatile);
}

#[test]
fn only_what_is_used_is_there() {
    let source = "#include <stdio.h>\nint unused(int); int used(int); extern int gone; \n\
                  static inline int leaf(int x) { return used(x); }\n\
                  int f(int x) { puts(\"a\"); return leaf(x); }\n";
    let unit = unit(source);
    let mut names: Vec<&str> = unit.functions.iter().map(|f| f.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["f", "leaf", "puts", "used"]);
    assert!(function(&unit, "puts").body.is_none());
    assert!(function(&unit, "leaf").internal && function(&unit, "leaf").body.is_some());
    assert_eq!(unit.variables.len(), 1);
}

#[test]
fn kinds_of_variables() {
    let source = "static int inner; int tentative; int tentative; extern int elsewhere;\n\
                  int *f(void) { static int kept = 2; extern int elsewhere; \n\
                  return elsewhere ? &kept : &inner; }\n";
    let unit = unit(source);
    let find = |name: &str| {
        let found: Vec<_> = unit.variables.iter().filter(|v| v.name == name).collect();
        assert_eq!(found.len(), 1, "{name}");
        found[0]
    };
    assert!(matches!(find("inner").kind, VariableKind::Internal));
    assert!(find("tentative").defined && find("tentative").init.is_none());
    assert!(!find("elsewhere").defined);
    assert!(matches!(find("kept").kind, VariableKind::StaticLocal(0)));
}

#[test]
fn functions_say_how_they_are_called() {
    let source = "_Noreturn void stop(void); int old(); int kr(a, c) int a; char c; { return a + c; }\n\
                  int n(int a[static 3], int *p) __attribute__((nonnull(2)));\n\
                  int n(int a[static 3], int *p) { if (!*a) stop(); return old(*p) + kr(1, 2); }\n\
                  int v(const char *s, ...) { return 0; }\n\
                  int *_Nonnull m(int *_Nonnull p, int *q) { return p; }\n";
    let unit = unit(source);
    assert!(function(&unit, "stop").attributes.noreturn);
    let promises = |name: &str| {
        let parameters = function(&unit, name).parameters.iter();
        let promises: Vec<&Nonnull> = parameters.map(|it| &it.nonnull).collect();
        promises
    };
    assert_eq!(promises("n"), [&Nonnull::Demanded, &Nonnull::Demanded]);
    assert_eq!(promises("m"), [&Nonnull::Meant, &Nonnull::No]);
    let of_result = &function(&unit, "m").attributes.result_nonnull;
    assert_eq!(of_result, &Nonnull::Meant);
    assert_eq!(function(&unit, "kr").parameters.len(), 2);
    let shape = |name: &str| match &unit.types[function(&unit, name).ty].kind {
        TypeKind::Function {
            parameters,
            variadic,
            prototyped,
            ..
        } => (parameters.len(), *variadic, *prototyped),
        other => panic!("{other:?}"),
    };
    assert_eq!(shape("old"), (0, false, false));
    assert_eq!(shape("kr"), (2, false, true));
    assert_eq!(shape("v"), (1, true, true));
}

#[test]
fn an_inline_definition_without_a_symbol_is_the_units_own() {
    let unit = unit(
        "inline int i(int x) { return x; }\nextern inline int e(int x) { return x; }\n\
                     int f(int x) { return i(x) + e(x); }\n",
    );
    assert!(function(&unit, "i").internal);
    assert!(!function(&unit, "e").internal);
}
