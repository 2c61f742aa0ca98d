//! `attest bench` and its programs.

#[path = "support/attest.rs"]
mod attest;
#[path = "support/gcov.rs"]
mod gcov;

use attest::Folder;
use serde_json::Value;

const PL0: &str = include_str!("../../../bench/programs/pl0.c");
const PL0_TEXTS: &str = include_str!("../../../bench/programs/pl0.texts");

/// Gives each of the program's arguments to the parser as its input.
const PL0_MAIN: &str = "#include <string.h>
static const char *input;
int pl0(void);
void __attest_input(void *object, unsigned long size, const char *name)
{
    (void)name;
    strncpy(object, input, size);
}
int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        input = arguments[i];
        pl0();
    }
}
";

fn empty() -> Folder {
    Folder::with("nothing.c", "")
}

#[test]
fn a_table_is_printed_as_markdown() {
    let run = empty().attest(&["bench", "search", "--only", "fig1"]);
    run.ends_with(0).says(&[
        "## Time for all paths",
        "| latest_fig1: two strings |   720 |",
    ]);
}

#[test]
fn a_table_is_valid_json() {
    let arguments = ["bench", "latest", "--only", "figure 1", "--format", "json"];
    let run = empty().attest(&arguments).ends_with(0);
    let table: Value = serde_json::from_str(&run.output).expect("JSON");
    let schema = include_str!("../../../schema/bench.schema.json");
    let schema = serde_json::from_str(schema).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let errors: Vec<_> = validator
        .iter_errors(&table)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    let rows = table["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["met"], &rows[0]["complete"]),
        (&Value::Bool(true), &Value::from("yes"))
    );
}

#[test]
fn sorts_and_trees_have_the_paths_that_they_say() {
    let arguments = ["bench", "search", "--only", ": 5 in", "--format", "json"];
    let run = empty().attest(&arguments).ends_with(0);
    let table: Value = serde_json::from_str(&run.output).expect("JSON");
    let rows = table["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!(row["paths"], row["found_paths"], "{row}");
    }
}

#[test]
fn coverage_over_time_is_drawn() {
    let folder = empty();
    let rows = ["bench", "nsichneu", "--only", " 2 rounds", "--time", "1s"];
    let picture = ["--svg", "curves.svg"];
    folder
        .attest(&[&rows[..], &picture[..]].concat())
        .ends_with(0)
        .says(&["of 1802"]);
    let picture = std::fs::read_to_string(folder.path("curves.svg")).expect("a picture");
    assert!(picture.contains("nsichneu: 2 rounds: 1802 goals"));
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = empty();
    folder
        .attest(&["bench", "growth", "--only", "no such row"])
        .ends_with(2)
        .complains(&["no row of this table has `no such row` in its name"]);
    let mut command = folder.command(&["bench", "search", "--against", "klee"]);
    let run = command.env("PATH", "").output().expect("a run of attest");
    attest::Run::of(&run)
        .ends_with(2)
        .complains(&["cannot run `klee`", "leave out"]);
}

#[test]
fn texts_reach_every_branch_of_the_parser() {
    let texts: Vec<&str> = PL0_TEXTS.lines().chain(["a\n."]).collect();
    assert!(texts.iter().all(|text| text.len() <= 20));
    assert_eq!(
        gcov::untaken_branches(PL0, PL0_MAIN, &texts),
        Vec::<String>::new()
    );
}

#[test]
fn data_structures_and_their_defects() {
    for (row, says) in [
        ("queue", "|      34 of 34 |"),
        ("sorted_list", "|      44 of 44 |"),
        ("concatenate_empty", "|       1 |"),
        ("hash_twice", "|       1 |"),
        ("leak_early_return", "|       1 |"),
    ] {
        let run = empty().attest(&["bench", "structures", "--only", row]);
        run.ends_with(0).says(&[row, says]);
    }
}
