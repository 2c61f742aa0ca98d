//! Tests are named after what they are for.

use crate::attest::Folder;

const TEXT: &str = "#include <stdbool.h>
#include <stddef.h>
enum color { RED, GREEN };
int parse_date(int year, int month, int day)
{
    if (year < 1583)
        return -1;
    if (month < 1 || month > 12)
        return -2;
    return year * 10000 + month * 100 + day;
}
int sign(int number) { return number < 0 ? -1 : 1; }
int paint(enum color color)
{
    switch (color) {
    case GREEN:
        return 4;
    default:
        return 7;
    }
}
bool accepts(unsigned short size)
{
    if (size > 512)
        return false;
    return true;
}
int counted(int from)
{
    from += 2;
    if (from == 9)
        return -1;
    return 0;
}
int steps(int from)
{
    int at = from;
    do
        at = at + 1;
    while (at < 9);
    return at;
}
int both(int a, int b)
{
    if (a == b)
        return -1;
    return 0;
}
int first(const char *text)
{
    if (*text == 'x')
        return -1;
    return 0;
}
";

/// The names of the tests of a function, without its own.
fn names(function: &str) -> Vec<String> {
    let folder = Folder::with("x.c", TEXT);
    let words = ["cover", "x.c", "-f", function, "-o", "out"];
    folder.attest(&words).says(&[" goals: "]);
    let path = folder.path(&format!("out/tests/test_{function}.c"));
    let text = std::fs::read_to_string(path).expect("a file of tests");
    let start = format!("static void test_{function}_");
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix(&start)?;
        Some(name.strip_suffix("(void)")?.to_owned())
    });
    names.collect()
}

/// Checks the beginnings of the names of a function's tests, in any order.
fn are_named(function: &str, expected: &[&str]) {
    let names = names(function);
    assert_eq!(names.len(), expected.len(), "{names:?}");
    for start in expected {
        assert!(
            names.iter().any(|name| name.starts_with(start)),
            "{start}: {names:?}"
        );
    }
}

#[test]
fn a_value_that_is_turned_away_at_once_is_rejected() {
    are_named("parse_date", &["rejects_year_", "rejects_month_", "month_"]);
    are_named("accepts", &["rejects_size_", "size_0"]);
}

#[test]
fn other_values_are_named() {
    are_named("sign", &["number_minus_", "number_0"]);
    are_named("paint", &["color_GREEN", "color_RED"]);
}

#[test]
fn decisions_about_more_than_a_parameter_are_named_by_their_lines() {
    for function in ["counted", "steps", "both", "first"] {
        let names = names(function);
        assert!(
            names.iter().all(|name| name.starts_with("line_")),
            "{names:?}"
        );
    }
}
