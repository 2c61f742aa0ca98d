//! Tests have the inputs that callers most likely pass, and say where their goals need others.

use serde_json::Value;

use crate::attest::Folder;
use crate::json_of;

const TEXT: &str = "#include <stddef.h>
enum level { LOW, HIGH };
struct parser { int state; int count; };
void parser_init(struct parser *p) { p->state = 1; p->count = 0; }
void parser_stop(struct parser *p) { p->state = 2; }
int spaces(const char *text, int limit)
{
    int given = text != NULL;
    if (limit > 3)
        return given;
    return -1;
}
int weigh(enum level level, int weight) { return weight > 4 && level != HIGH ? 2 : 1; }
int step(struct parser *p, int by)
{
    if (!p)
        return -1;
    if (by > 7)
        return 3;
    if (p->state == 97)
        return 4;
    return p->state == 2;
}
int same(const int *a, const int *b, int level)
{
    if (level == 2)
        return 5;
    return a == b ? 1 : 0;
}
";

/// The suite of a function.
fn suite(function: &str, options: &[&str]) -> Value {
    let folder = Folder::with("x.c", TEXT);
    let words = ["cover", "x.c", "-f", function, "-o", "out"];
    folder.attest(&[&words, options].concat()).ends_with(0);
    let suite = json_of(&folder, "out/suite.json");
    let goals = suite["goals"].as_array().expect("goals");
    assert!(
        goals.iter().all(|goal| goal["confirmed"] == true),
        "{goals:?}"
    );
    suite
}

/// The test that covers a side of the decision on a line.
fn test_of<'s>(suite: &'s Value, line: u64, side: &str) -> &'s Value {
    let goals = suite["goals"].as_array().expect("goals");
    let is_it = |goal: &&Value| goal["line"] == line && goal["side"] == side;
    let goal = goals.iter().find(is_it).expect("a goal");
    &suite["tests"][goal["test"].as_u64().expect("a test") as usize]
}

/// What a test takes for granted.
fn rests_on(test: &Value) -> Vec<&str> {
    let all = test["rests_on"].as_array().into_iter().flatten();
    all.filter_map(|it| it["text"].as_str()).collect()
}

#[test]
fn pointers_are_null_where_goals_need_that() {
    let suite = suite("step", &[]);
    let of = |line, side| test_of(&suite, line, side);
    assert_eq!(rests_on(of(16, "true")), ["p may be NULL"]);
    assert_eq!(rests_on(of(18, "true")), Vec::<&str>::new());
}

#[test]
fn a_pointer_that_no_goal_asks_for_leads_to_an_object() {
    let found = suite("spaces", &[]);
    assert_ne!(test_of(&found, 9, "true")["inputs"]["text"], "NULL");
    let found = suite("spaces", &["--inputs-as-found"]);
    assert_eq!(test_of(&found, 9, "true")["inputs"]["text"], "NULL");
}

#[test]
fn states_and_enumerators_are_those_that_code_stores() {
    let found = suite("step", &[]);
    let odd = rests_on(test_of(&found, 20, "true"));
    assert_eq!(odd, ["p->state may be 97, which no code stores there"]);
    assert_eq!(rests_on(test_of(&found, 20, "false")), Vec::<&str>::new());
    let found = suite("weigh", &[]);
    let tests = found["tests"].as_array().expect("tests");
    assert!(
        tests.iter().all(|test| rests_on(test).is_empty()),
        "{tests:?}"
    );
}

#[test]
fn both_pointers_are_null_where_a_goal_needs_them_equal() {
    let found = suite("same", &[]);
    let equal = rests_on(test_of(&found, 28, "true"));
    assert_eq!(equal, ["a may be NULL", "b may be NULL"]);
    assert_eq!(rests_on(test_of(&found, 28, "false")), Vec::<&str>::new());
}
