//! What C becomes: snapshots of small functions, and the rules that they cannot show.

mod common;

use common::{load_text, load_texts, options, repository};
use frontend::load;
use ir::{BranchTag, DecisionKind, Formula, StatementKind, Terminator};

/// The IR of the user's functions, without the places that statements come from.
fn code(program: &ir::Program) -> String {
    let text = ir::text::print(program);
    let functions = text.split("\nfn ").skip(1);
    let mut code = String::new();
    for function in functions.filter(|function| {
        let head = function.lines().next().unwrap_or_default();
        head.ends_with('{') && !head.contains(" in unit")
    }) {
        code.push_str("fn ");
        for line in function.lines() {
            let is_span = line
                .trim_start()
                .strip_prefix("at")
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
            if !is_span {
                code.push_str(line.split("  at").next().unwrap_or(line));
                code.push('\n');
            }
        }
    }
    code
}

#[test]
fn small_functions() {
    insta::glob!("functions/*.c", |path| {
        let mut options = options(&[]);
        options.directory = path.parent().map(Into::into);
        let name = path.file_name().expect("a file name");
        let loaded = load(&[name.into()], &options).expect("the file to load");
        let said: Vec<String> = loaded
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.message.clone())
            .collect();
        insta::assert_snapshot!(format!("{}{}", code(&loaded.program), said.join("\n")));
    });
}

/// Fixtures and examples are read by the tests that search them.
#[test]
fn programs_of_the_benchmarks_lower_and_verify() {
    let directory = repository().join("bench/programs");
    let mut read = 0;
    for entry in std::fs::read_dir(&directory).expect("the directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let head = text.lines().next().unwrap_or_default();
        let flags = head.split_once(" -- ").map_or("", |(_, flags)| flags);
        let flags: Vec<&str> = flags.split_whitespace().collect();
        if let Err(error) = load(std::slice::from_ref(&path), &options(&flags)) {
            panic!("{}: {error}", path.display());
        }
        read += 1;
    }
    assert!(read > 10, "only {read} files were found");
}

/// The tags of a function's branches, in the order of the conditions.
fn tags(program: &ir::Program, function: &str) -> Vec<BranchTag> {
    let id = program.function(function).expect("the function");
    let body = program.functions[id].body.as_ref().expect("a body");
    let mut tags: Vec<BranchTag> = body
        .blocks
        .iter()
        .filter_map(|block| match block.terminator {
            Terminator::Branch { tag, .. } => tag,
            _ => None,
        })
        .collect();
    tags.sort_by_key(|tag| tag.condition);
    tags
}

#[test]
fn outcomes_are_told_as_soon_as_they_are_settled() {
    for (condition, expected) in [
        ("a", vec![(Some(true), Some(false))]),
        ("!a", vec![(Some(true), Some(false))]),
        (
            "a && b",
            vec![(None, Some(false)), (Some(true), Some(false))],
        ),
        (
            "a || b",
            vec![(Some(true), None), (Some(true), Some(false))],
        ),
        (
            "!(a && b)",
            vec![(None, Some(true)), (Some(false), Some(true))],
        ),
        ("a && 1", vec![(Some(true), Some(false))]),
        ("a && 0", vec![(Some(false), Some(false))]),
        ("a || 1", vec![(Some(true), Some(true))]),
        (
            "(a && 0) || b",
            vec![(None, None), (Some(true), Some(false))],
        ),
        (
            "a && (1 || b)",
            vec![(Some(true), Some(false)), (Some(true), Some(false))],
        ),
        (
            "__builtin_expect(!!(a && b), 1)",
            vec![(None, Some(false)), (Some(true), Some(false))],
        ),
        ("__builtin_expect(!!a, 1)", vec![(Some(true), Some(false))]),
    ] {
        let text = format!("int f(int a, int b) {{ if ({condition}) return 1; return 0; }}");
        let loaded = load_text(&text);
        let outcomes: Vec<_> = tags(&loaded.program, "f")
            .iter()
            .map(|tag| (tag.then_outcome, tag.otherwise_outcome))
            .collect();
        assert_eq!(outcomes, expected, "{condition}");
    }
}

#[test]
fn folded_conditions_have_no_branch() {
    let loaded = load_text("int f(int x) { while (1) { if (x++ > 3) return x; } }");
    let id = loaded.program.function("f").expect("the function");
    let body = loaded.program.functions[id].body.as_ref().expect("a body");
    assert_eq!(body.decisions[0].formula, Formula::Constant(true));
    assert_eq!(body.conditions.len(), 1);
    assert_eq!(tags(&loaded.program, "f").len(), 1);
    assert_eq!(body.folds.len(), 1);
    assert_eq!(body.folds[0].outcome, Some(true));
}

#[test]
fn conditions_of_one_macro_stand_in_the_order_of_the_coverage_mapping() {
    let text = "#define ID(x) x
        int f(int a, int b, int c) { return ID(a == 1 ? (b == 2 ? 3 : 4) : (c == 5 && b)); }";
    let loaded = load_text(text);
    let id = loaded.program.function("f").expect("the function");
    let body = loaded.program.functions[id].body.as_ref().expect("a body");
    let formulas: Vec<&Formula> = body.decisions.iter().map(|each| &each.formula).collect();
    let condition = |id: u32| Formula::Condition(id.into());
    let both = Formula::And(Box::new(condition(1)), Box::new(condition(2)));
    assert_eq!(formulas, [&condition(3), &condition(0), &both]);
}

#[test]
fn decisions_stand_in_the_order_of_the_source() {
    let text = "int f(int a, int b) {
        for (int i = 0; i < a; i += a > b ? 2 : 1)
            if (a && b) b--;
        return (a || b) + !a + (a ?: b);
    }";
    let loaded = load_text(text);
    let id = loaded.program.function("f").expect("the function");
    let body = loaded.program.functions[id].body.as_ref().expect("a body");
    let kinds: Vec<DecisionKind> = body
        .decisions
        .iter()
        .map(|decision| decision.kind)
        .collect();
    use DecisionKind::{BinaryConditional, Conditional, For, If, Logical};
    assert_eq!(kinds, [For, Conditional, If, Logical, BinaryConditional]);
}

#[test]
fn dead_code_keeps_its_goals() {
    let loaded = load_text("int f(int x) { return x; if (x) x = 1; goto out; out: return 2; }");
    let id = loaded.program.function("f").expect("the function");
    let body = loaded.program.functions[id].body.as_ref().expect("a body");
    assert_eq!(body.conditions.len(), 1);
    assert_eq!(body.source_statements.len(), 4);
}

#[test]
fn what_follows_an_unsupported_construct_is_not_unreachable() {
    let text = "int f(int x) { asm volatile (\"nop\"); if (x) return 1; return 0; }";
    let loaded = load_text(text);
    assert_eq!(loaded.diagnostics.len(), 1, "{:?}", loaded.diagnostics);
    let id = loaded.program.function("f").expect("the function");
    let body = loaded.program.functions[id].body.as_ref().expect("a body");
    let Terminator::Unsupported { next, .. } = &body.blocks[0].terminator else {
        panic!("{:?}", body.blocks[0].terminator);
    };
    assert_eq!(next.len(), 1);
    assert!(matches!(
        body.blocks[next[0]].terminator,
        Terminator::Branch { .. }
    ));
}

#[test]
fn each_construct_not_handled_is_told() {
    for (text, construct) in [
        (
            "double f(double x) { return x + 1; }",
            "floating-point arithmetic",
        ),
        (
            "int f(int n) { int a[n][n]; return sizeof a[n++]; }",
            "size of an expression with effects",
        ),
        ("int f(void *p) { return setjmp(p); }", "setjmp"),
        (
            "int f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); return 0; }",
            "va_start",
        ),
        (
            "int f(int *p) { return __sync_fetch_and_add(p, 1); }",
            "__sync",
        ),
        (
            "int f(void) { void *p = &&l; goto *p; l: return 1; }",
            "label",
        ),
    ] {
        let loaded = load_texts(
            &[text],
            &["-Wno-implicit-function-declaration", "-std=gnu89"],
        )
        .expect("the text to load");
        let told = loaded
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.message.contains(construct) && diagnostic.place.is_some());
        assert!(told, "{text}: {:?}", loaded.diagnostics);
    }
}

#[test]
fn lifetimes_end_where_pointers_could_dangle() {
    let text = "int *f(int n) { int *p = 0; while (n--) { int x = n; int y = n; p = &x; if (y) break; } return p; }";
    let loaded = load_text(text);
    let id = loaded.program.function("f").expect("the function");
    let body = loaded.program.functions[id].body.as_ref().expect("a body");
    let dead = body.blocks.iter().flat_map(|block| &block.statements);
    let dead = dead.filter(|statement| matches!(statement.kind, StatementKind::StorageDead(_)));
    // At the `break` and at the end of the braces, and of `x` alone.
    assert_eq!(dead.count(), 2);
}
