//! Mutants of operators and constants: which of them have another value at their place, held to native
//! runs over all inputs.

#[path = "support/attest.rs"]
#[expect(dead_code)] // nothing is refused here
mod attest;
#[path = "support/native.rs"]
mod native;
#[path = "support/suite.rs"]
mod suite;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use attest::Folder;
use fastrand::Rng;

/// How many random functions are searched.
const FUNCTIONS: u64 = 30;

/// Prints for each line whose mutants have another value for some input: the line and the position of
/// the mutant.
const JUDGE: &str = r#"
#include <stdio.h>
static char differs[256][8];
#define J(line, value, ...) \
    do { \
        long long others[] = {__VA_ARGS__}; \
        for (unsigned at = 0; at < sizeof others / sizeof *others; at++) \
            differs[line][at] |= others[at] != (long long)(value); \
    } while (0);
#include "x.c"
int main(void)
{
    for (int input = 0; input < 64; input++)
        f(input & 3, input >> 2 & 3, input >> 4);
    for (int line = 0; line < 256; line++)
        for (int at = 0; at < 8; at++)
            if (differs[line][at])
                printf("%d %d\n", line, at);
    return 0;
}
"#;

const BEFORE: &str = "#ifndef J
#define J(...)
#endif
int f_precond(int a, int b, int c)
{
    return a >= 0 && a < 4 && b >= 0 && b < 4 && c >= 0 && c < 4;
}
int f(int a, int b, int c)
{
    int x = 1;
    unsigned u = 1;
";

struct Maker<'r> {
    rng: &'r mut Rng,
    text: String,
    lines: usize,
    /// For each line with an operation, how many mutants that has.
    mutants: BTreeMap<usize, usize>,
}

/// The operators in the place of one.
fn others(op: &str) -> &'static [&'static str] {
    match op {
        "+" => &["-", "*"],
        "-" => &["+", "*"],
        "*" => &["+", "-"],
        "/" => &["%", "*"],
        "%" => &["/", "*"],
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["&", "|"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        "==" => &["<=", ">="],
        "!=" => &["<", ">"],
        "<" => &["<=", "!="],
        "<=" => &["<", "=="],
        ">" => &[">=", "!="],
        _ => &[">", "=="],
    }
}

impl Maker<'_> {
    fn line(&mut self, line: &str) {
        self.lines += 1;
        let _ = writeln!(self.text, "{line}");
    }

    fn one<'t>(&mut self, among: &[&'t str]) -> &'t str {
        among[self.rng.usize(..among.len())]
    }

    /// An operation, with what the judge gets to know of it.
    fn operation(&mut self, left: &str, op: &str, right: &str) -> String {
        let mut mutants: Vec<String> = others(op)
            .iter()
            .map(|other| format!("{left} {other} {right}"))
            .collect();
        mutants.extend(match op {
            "==" | "<" | ">" => Some("0".to_owned()),
            "!=" | "<=" | ">=" => Some("1".to_owned()),
            _ => None,
        });
        if let Ok(constant) = right.parse::<i32>() {
            let divides = matches!(op, "/" | "%");
            let changed = [constant + 1, constant - 1].into_iter();
            let changed = changed.filter(|it| !(divides && *it == 0));
            let changed = changed.filter(|it| !(matches!(op, "<<" | ">>") && *it < 0));
            mutants.extend(changed.map(|constant| format!("{left} {op} {constant}")));
        }
        self.mutants.insert(self.lines + 1, mutants.len());
        let line = self.lines + 1;
        format!("J({line}, {left} {op} {right}, {})", mutants.join(", "))
    }

    fn side(&mut self) -> &'static str {
        self.one(&["a", "b", "c", "x", "1", "3", "5"])
    }

    fn statement(&mut self, depth: u32) {
        let (mut left, right) = (self.one(&["a", "b", "c", "x"]), self.side());
        match self.rng.u8(..7) {
            0 if depth > 0 => {
                let op = self.one(&["==", "!=", "<", "<=", ">", ">="]);
                let judged = self.operation(left, op, right);
                self.line(&format!("{judged} if ({left} {op} {right}) {{"));
                self.statement(depth - 1);
                self.line("} else {");
                self.statement(depth - 1);
                self.line("}");
            }
            1 if depth > 0 => {
                self.line("for (int i = 0; i < 2; i++) {");
                self.statement(depth - 1);
                self.statement(depth - 1);
                self.line("}");
            }
            2 => {
                left = "u";
                let op = self.one(&["+", "-", "*", "&", "|", "^"]);
                let right = self.one(&["7u", "u", "1u"]);
                // The constants of the judge have no suffix: the sides are without sign anyway.
                let right_number = right.trim_end_matches("u");
                let right = if right == "u" { "u" } else { right_number };
                let judged = self.operation(left, op, right);
                self.line(&format!("{judged} u {op}= {right};"));
            }
            3 => {
                let op = self.one(&["<<", ">>"]);
                let count = self.one(&["1", "2", "3"]);
                let judged = self.operation(left, op, count);
                self.line(&format!("{judged} x = {left} {op} {count};"));
                self.line("x = x & 15;");
            }
            4 => {
                let op = self.one(&["/", "%"]);
                let by = self.one(&["2", "3", "1"]);
                let judged = self.operation(left, op, by);
                self.line(&format!("{judged} x = {left} {op} {by};"));
            }
            _ => {
                let op = self.one(&["+", "-", "*", "&", "|", "^"]);
                let judged = self.operation(left, op, right);
                self.line(&format!("{judged} x = {left} {op} {right};"));
                self.line("x = x & 15;");
            }
        }
    }
}

/// A random function, and how many mutants its lines have.
fn function(rng: &mut Rng) -> (String, BTreeMap<usize, usize>) {
    let mut maker = Maker {
        rng,
        text: String::from(BEFORE),
        lines: BEFORE.lines().count(),
        mutants: BTreeMap::new(),
    };
    for _ in 0..4 {
        maker.statement(2);
    }
    maker.text += "    return x + (u != 0);\n}\n";
    (maker.text, maker.mutants)
}

/// The mutants that some input gives another value, by the line and the position.
fn judged(folder: &Folder) -> Vec<(usize, usize)> {
    let text = native::judged(folder, JUDGE, &["-fwrapv"]);
    let pairs = text.lines().map(|line| {
        let (line, at) = line.split_once(' ').expect("two numbers");
        let number = |text: &str| text.parse().expect("a number");
        (number(line), number(at))
    });
    pairs.collect()
}

#[test]
fn mutants_with_another_value_are_those_that_all_inputs_show() {
    let mut rng = Rng::with_seed(1982);
    let (mut covered, mut unreachable) = (0, 0);
    for number in 0..FUNCTIONS {
        let (text, mutants) = function(&mut rng);
        let folder = Folder::with("x.c", &text);
        let expected = judged(&folder);
        let mut words = vec![
            "cover",
            "x.c",
            "-f",
            "f",
            "--criterion",
            "weak-mutation",
            "-o",
            "out",
        ];
        // Compiled tests tell the sides of operations: some functions are enough.
        if number % 3 > 0 {
            words.push("--no-replay");
        }
        folder.attest(&words).ends_with(0).says(&[" covered"]);
        let suite = suite::read(&folder);
        let mut found: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for goal in suite["goals"].as_array().expect("goals") {
            let line = goal["line"].as_u64().expect("a line") as usize;
            let status = goal["status"].as_str().expect("a status");
            found.entry(line).or_default().push(status);
            if number % 3 == 0 && status == "covered" {
                assert_eq!(
                    goal["confirmed"], true,
                    "{goal} of function {number}:\n{text}"
                );
            }
        }
        for (line, count) in mutants {
            let statuses = &found[&line];
            let told = format!("line {line} of function {number}:\n{text}");
            assert_eq!(statuses.len(), count, "{told}");
            for (at, status) in statuses.iter().enumerate() {
                let differs = expected.contains(&(line, at));
                let wanted = if differs { "covered" } else { "unreachable" };
                assert_eq!(*status, wanted, "mutant {at} of {told}");
                covered += u32::from(differs);
                unreachable += u32::from(!differs);
            }
        }
    }
    assert!(
        covered > 500 && unreachable > 50,
        "{covered} covered, {unreachable} unreachable"
    );
}
