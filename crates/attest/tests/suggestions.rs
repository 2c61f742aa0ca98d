//! Options that reports propose: they are taken from the output, and rule out what they are
//! proposed for.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;
use serde_json::Value;

/// A parser with an initialiser, and functions that misbehave in states that it never has.
const PARSER: &str = "#include <stdlib.h>
struct parser { int state; int kind; size_t seen; };
void parser_init(struct parser *p, int kind)
{
    p->state = 0;
    p->kind = kind;
    p->seen = 0;
}
int parser_execute(struct parser *p, const char *text, size_t n)
{
    static const int next[3] = { 1, 2, 0 };
    if (n > 2)
        return -1;
    for (size_t i = 0; i < n; i++) {
        switch (p->state) {
        case 0: case 1: case 2: p->state = next[p->state] & (text[i] == 'a'); break;
        default: abort();
        }
    }
    return p->state;
}
int parser_ready(struct parser *p)
{
    static const int ready[3] = { 0, 1, 1 };
    return ready[p->state] ? 1 : p->kind == 3;
}
";

/// A record in another one, which nothing sets up as a whole.
const OUTER: &str = "#include <stdlib.h>
struct list { int mode; int length; struct list *next; };
struct outer { int depth; struct list list; };
static void list_init(struct list *l)
{
    l->mode = 1;
    l->length = 0;
    l->next = NULL;
}
int outer_mode(struct outer *o, int n)
{
    if (!o)
        return n;
    switch (o->list.mode) {
    case 1:
        o->list.mode = 5;
        return 1;
    case 5:
        return 5;
    default:
        abort();
    }
}
int list_mode(struct list *l)
{
    if (l->mode != 1 && l->mode != 5)
        abort();
    return l->mode;
}
";

fn folder(text: &str) -> Folder {
    Folder::with("x.c", text)
}

/// What covering a function prints, which is to end with no defect that fails it.
fn covered(folder: &Folder, function: &str) -> String {
    let run = folder.attest(&["cover", "x.c", "-f", function, "--check-time", "0"]);
    run.ends_with(0).output
}

/// The sequences that a report proposes, as a shell reads them.
fn proposed(report: &str) -> Vec<String> {
    let lines = report.lines();
    let options = lines.filter_map(|line| line.strip_prefix("  to rule it out: --sequence '"));
    options
        .filter_map(|option| option.split_once("' instead of -f"))
        .map(|(option, _)| option.to_owned())
        .collect()
}

fn suite(folder: &Folder) -> Value {
    let text = std::fs::read_to_string(folder.path("attest-out/suite.json")).expect("a suite");
    serde_json::from_str(&text).expect("JSON")
}

/// The kinds of assumptions about objects that the defects of the last run rest on.
fn about_objects(folder: &Folder) -> Vec<String> {
    let suite = suite(folder);
    let defects = suite["defects"].as_array().expect("defects").clone();
    let all = defects.iter().flat_map(|defect| {
        let kinds = defect["assumptions"].as_array().cloned();
        kinds.unwrap_or_default()
    });
    let kinds = all.filter_map(|kind| kind.as_str().map(str::to_owned));
    kinds
        .filter(|kind| matches!(kind.as_str(), "state" | "caller"))
        .collect()
}

#[test]
fn the_proposed_sequence_rules_out_odd_states() {
    let folder = folder(PARSER);
    // A goal that a sequence leaves out is unreachable within a bound, or for all inputs.
    for (function, status) in [("parser_execute", 3), ("parser_ready", 0)] {
        let report = covered(&folder, function);
        assert!(!about_objects(&folder).is_empty(), "{report}");
        let options = proposed(&report);
        assert_eq!(options, [format!("parser_init;{function}")], "{report}");
        let suggestion = &suite(&folder)["suggestions"][0];
        let option = format!("--sequence 'parser_init;{function}'");
        assert_eq!(suggestion["option"], option.as_str());
        assert_eq!(suggestion["subjects"][0], "p->state");
        assert_eq!(suggestion["code"], Value::Null);
        let told = folder.attest(&["explain", "attest-out"]).ends_with(0);
        told.says(&[&format!("to rule out odd values of p->state: {option}")]);
        let run = folder
            .attest(&["cover", "x.c", "--sequence", &options[0]])
            .ends_with(status);
        assert_eq!(about_objects(&folder), [""; 0], "{}", run.output);
        assert_eq!(proposed(&run.output), [""; 0]);
        assert_eq!(suite(&folder)["suggestions"], Value::Null);
    }
}

#[test]
fn a_sequence_takes_the_place_of_a_function() {
    let folder = folder(PARSER);
    let both = [
        "-f",
        "parser_ready",
        "--sequence",
        "parser_init;parser_ready",
    ];
    let arguments: Vec<&str> = ["cover", "x.c"].into_iter().chain(both).collect();
    let run = folder.attest(&arguments).ends_with(2);
    run.complains(&["cannot be used with"]);
}

#[test]
fn the_summary_of_several_functions_names_the_option() {
    let folder = folder(PARSER);
    let run = folder.attest(&["cover", "x.c", "--check-time", "0", "--no-replay"]);
    run.ends_with(0)
        .says(&["p->state, in 2 functions; --sequence 'parser_init;parser_execute'"]);
}

#[test]
fn without_a_function_that_sets_it_up_nothing_is_proposed() {
    let folder = folder(
        &PARSER
            .replace("parser_init(struct parser *p, int kind)", "none(void)")
            .replace("p->state = 0;\n    p->kind = kind;\n    p->seen = 0;", ""),
    );
    let report = covered(&folder, "parser_ready");
    assert_eq!(proposed(&report), [""; 0]);
    assert!(
        report.contains("to rule it out: --precondition"),
        "{report}"
    );
}

#[test]
fn of_two_initialisers_the_one_of_most_fields_is_proposed() {
    let two = "void parser_set(struct parser *p, int kind) { p->state = 0; p->kind = kind; }
void parser_reset(struct parser *p) { p->seen = p->seen + 1; p->state = 1; p->kind = 0; }
struct parser *parser_new(void)
{
    struct parser *p = malloc(sizeof *p);
    if (p)
        parser_init(p, 0);
    return p;
}
";
    let both = folder(&format!("{PARSER}{two}"));
    let report = covered(&both, "parser_ready");
    assert_eq!(proposed(&report), ["parser_init;parser_ready"]);
    // The parameter of the other one makes it no initialiser of this record.
    let made = PARSER
        .replace(
            "void parser_init(struct parser *p, int kind)\n",
            "static struct parser *make(struct parser *p, struct parser *q, int kind)\n",
        )
        .replace("p->seen = 0;\n", "p->seen = 0;\n    return q;\n");
    let two = two.replace("parser_init(p, 0);", "make(p, p, 0);");
    let made = folder(&format!("{made}{two}"));
    let report = covered(&made, "parser_ready");
    assert_eq!(proposed(&report), ["parser_new;parser_ready"]);
    made.attest(&["cover", "x.c", "--sequence", "parser_new;parser_ready"])
        .ends_with(3);
    assert_eq!(about_objects(&made), [""; 0]);
}

#[test]
fn a_static_initialiser_of_the_file_is_proposed() {
    let folder = folder(OUTER);
    let report = covered(&folder, "list_mode");
    assert_eq!(proposed(&report), ["list_init;list_mode"], "{report}");
    folder
        .attest(&["cover", "x.c", "--sequence", "list_init;list_mode"])
        .ends_with(3);
    assert_eq!(about_objects(&folder), [""; 0]);
}

#[test]
fn a_precondition_is_proposed_where_no_function_sets_up_the_whole_object() {
    let folder = folder(OUTER);
    let report = covered(&folder, "outer_mode");
    assert_eq!(proposed(&report), [""; 0]);
    let option = "-f outer_mode --precondition outer_mode_precond";
    assert!(
        report.contains(&format!("to rule it out: {option}\n")),
        "{report}"
    );
    let suggestion = &suite(&folder)["suggestions"][0];
    assert_eq!(suggestion["option"], option);
    let code = suggestion["code"].as_str().expect("code");
    assert!(report.contains(code), "{report}");
    folder.write("x.c", &format!("{OUTER}{code}"));
    let arguments: Vec<&str> = ["cover", "x.c"]
        .into_iter()
        .chain(option.split(' '))
        .collect();
    let run = folder.attest(&arguments).ends_with(0);
    run.says(&["0 defects"]);
    assert_eq!(suite(&folder)["suggestions"], Value::Null);
}

#[test]
fn other_assumptions_have_no_proposal() {
    let folder = folder("int first(const int *p) { return p[0] == 3; }\n");
    let report = covered(&folder, "first");
    assert!(report.contains("p may be NULL"), "{report}");
    assert_eq!(suite(&folder)["suggestions"], Value::Null);
}

#[test]
fn goals_that_odd_states_reach_have_a_proposal() {
    let text = OUTER.replace(
        "        abort();\n    return l->mode",
        "        return 0;\n    return l->mode",
    );
    let folder = folder(&text);
    let report = covered(&folder, "list_mode");
    let assumed = "assumed: values that no code stores in l->mode: 1 goal\n";
    assert!(report.contains(assumed), "{report}");
    assert_eq!(proposed(&report), ["list_init;list_mode"], "{report}");
    let suggestion = &suite(&folder)["suggestions"][0];
    let goals = suggestion["goals"].as_array().expect("goals").clone();
    let [goal] = goals.as_slice() else {
        panic!("{suggestion}");
    };
    let goal = goal.to_string();
    let told = folder
        .attest(&["explain", "attest-out", &goal])
        .ends_with(0);
    told.says(&["by values that no code stores; without: --sequence 'list_init;list_mode'"]);
}
