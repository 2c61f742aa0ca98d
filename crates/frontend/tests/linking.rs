//! Several units, and models, as one program.

mod common;

use common::{load_text, load_texts};
use frontend::{Error, LinkError};
use ir::{Callee, Origin, Program, Terminator};

fn calls(program: &Program, function: &str) -> Vec<String> {
    let id = program.function(function).expect("the function");
    let body = program.functions[id].body.as_ref().expect("a body");
    let called = body
        .blocks
        .iter()
        .filter_map(|block| match &block.terminator {
            Terminator::Call {
                callee: Callee::Direct(callee),
                ..
            } => Some(program.functions[*callee].name.clone()),
            _ => None,
        });
    called.collect()
}

#[test]
fn a_definition_wins_over_declarations() {
    let program = load_texts(
        &[
            "extern int table[]; int g(int); int f(int x) { return g(x) + table[1]; }",
            "int table[3] = {1, 2, 3}; int g(int x) { return x; }",
        ],
        &[],
    )
    .expect("the units to link")
    .program;
    let g = program.function("g").expect("g");
    assert!(program.functions[g].body.is_some());
    assert_eq!(
        program.functions.iter().filter(|f| f.name == "g").count(),
        1
    );
    let table = program.globals.iter().find(|global| global.name == "table");
    let table = table.expect("table");
    assert!(table.initializer.is_some());
    assert_eq!(program.types.size(table.ty), 12);
}

#[test]
fn internal_names_stay_apart() {
    let unit = "static int n; static int g(void) { return n; } int NAME(void) { return g(); }";
    let (first, second) = (unit.replace("NAME", "a"), unit.replace("NAME", "b"));
    let program = load_texts(&[&first, &second], &[])
        .expect("the units to link")
        .program;
    assert_eq!(
        program.functions.iter().filter(|f| f.name == "g").count(),
        2
    );
    assert_eq!(program.globals.iter().filter(|g| g.name == "n").count(), 2);
}

#[test]
fn two_definitions_are_an_error_that_names_both() {
    let error = load_texts(
        &["int f(void) { return 1; }", "\nint f(void) { return 2; }"],
        &[],
    );
    match error {
        Err(Error::Link(LinkError::Duplicate {
            name,
            first,
            second,
        })) => {
            assert_eq!(name, "f");
            assert_eq!(first.to_string(), "0.c:1:5");
            assert_eq!(second.to_string(), "1.c:2:5");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn objects_of_different_types_are_an_error() {
    let error = load_texts(
        &[
            "int x; int *f(void) { return &x; }",
            "extern long x; long g(void) { return x; }",
        ],
        &[],
    );
    assert!(matches!(
        error,
        Err(Error::Link(LinkError::Conflict { .. }))
    ));
}

#[test]
fn other_names_of_objects_have_their_types() {
    let alias = |other: &str| {
        let text = format!("static int x; extern {other} __attribute__((alias(\"x\")));");
        load_texts(
            &[&format!("{text} int f(void) {{ x = -1; return y > 5; }}")],
            &[],
        )
    };
    assert!(alias("const int y").is_ok());
    assert!(matches!(
        alias("unsigned y"),
        Err(Error::Link(LinkError::Conflict { .. }))
    ));
}

#[test]
fn records_are_merged_by_name_and_structure() {
    let program = load_texts(
        &[
            "struct s; struct s *make(void); struct s *f(void) { return make(); }",
            "struct s { int a; struct s *next; }; static struct s one; struct s *make(void) { return &one; }",
            "struct s { int a; struct s *next; }; int g(struct s *p) { return p->a; }",
            "struct s { char other; }; int h(struct s *p) { return p->other; }",
        ],
        &[],
    )
    .expect("the units to link")
    .program;
    let named = program.types.records.iter();
    let sizes: Vec<u64> = named
        .filter(|record| record.name.as_deref() == Some("struct s"))
        .map(|record| record.size)
        .collect();
    assert_eq!(sizes, [16, 1]);
}

#[test]
fn units_know_the_types_that_they_define() {
    let program = load_texts(
        &[
            "struct both { int x; }; struct opaque; struct both b; struct opaque *o;",
            "enum only { LOW = 3 }; struct both { int x; }; struct opaque { enum only level; };
             struct both *p; struct opaque q;",
        ],
        &[],
    )
    .expect("the units to link")
    .program;
    let unknown = |unit: usize| {
        let unit = &program.units[ir::UnitId::from_usize(unit)];
        let records = unit.unknown_records.iter();
        let enums = unit.unknown_enums.iter();
        let records = records.map(|&id| program.types.records[id].name.clone());
        let enums = enums.map(|&id| program.types.enums[id].name.clone());
        records.chain(enums).flatten().collect::<Vec<_>>()
    };
    assert_eq!(unknown(0), ["struct opaque", "enum only"]);
    assert_eq!(unknown(1), [""; 0]);
}

#[test]
fn a_call_by_another_type_is_converted_or_refused() {
    let loaded = load_texts(
        &[
            "long *g(unsigned *p); long *f(unsigned *p) { return g(p); }",
            "int *g(int *p) { return p; }",
        ],
        &[],
    )
    .expect("the units to link");
    assert_eq!(calls(&loaded.program, "f"), ["g"]);
    assert!(loaded.diagnostics.is_empty());
    let loaded = load_texts(
        &[
            "int g(int, int); int f(int x) { return g(x, x); }",
            "int g(long x) { return (int)x; }",
        ],
        &[],
    )
    .expect("the units to link");
    assert!(calls(&loaded.program, "f").is_empty());
    assert_eq!(loaded.diagnostics.len(), 1);
}

#[test]
fn models_are_linked_where_they_are_used() {
    let text = "#include <string.h>\n#include <stdlib.h>\n
        char *f(const char *s) { return strdup(s); }
        int g(unsigned x) { return __builtin_popcount(x); }";
    let program = load_text(text).program;
    for name in ["strdup", "malloc", "__attest_model_popcount"] {
        let id = program.function(name).expect(name);
        assert!(program.functions[id].body.is_some(), "{name}");
        assert_eq!(program.origin(id), Origin::Model);
    }
    assert!(program.function("strtok").is_none());
    // A place in a model does not tell where it was unpacked.
    for unit in program
        .units
        .iter()
        .filter(|unit| unit.origin == Origin::Model)
    {
        assert!(unit.path.starts_with("<attest>/"), "{}", unit.path);
        assert!(program.files.iter().any(|file| file.path == unit.path));
    }
}

#[test]
fn a_users_definition_wins_over_a_model() {
    let text = "unsigned long strlen(const char *s) { return s[0]; }
        unsigned long f(const char *s) { return __builtin_strlen(s); }";
    let program = load_text(text).program;
    let id = program.function("strlen").expect("strlen");
    assert_eq!(program.origin(id), Origin::User);
    assert_eq!(calls(&program, "f"), ["strlen"]);
}

#[test]
fn an_inline_function_of_a_header_belongs_to_each_unit() {
    let header = "inline int twice(int x) { return 2 * x; }\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("h.h"), header).expect("a writable directory");
    let include = format!("-I{}", directory.path().display());
    let program = load_texts(
        &[
            "#include \"h.h\"\nint f(int x) { return twice(x); }",
            "#include \"h.h\"\nint g(int x) { return twice(x); }",
        ],
        &[&include],
    )
    .expect("the units to link")
    .program;
    let twice = program.functions.iter().filter(|f| f.name == "twice");
    assert!(twice.clone().all(|function| function.body.is_some()));
    assert_eq!(twice.count(), 2);
}
