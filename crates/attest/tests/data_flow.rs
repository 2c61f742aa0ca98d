//! `all-uses` and `call-pairs`: which definitions of variables reach which uses, held to native runs over
//! all inputs.

#[path = "support/attest.rs"]
#[expect(dead_code)] // nothing is refused here
mod attest;
#[path = "support/native.rs"]
mod native;
#[path = "support/small_inputs.rs"]
mod small_inputs;
#[path = "support/suite.rs"]
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use attest::Folder;
use fastrand::Rng;

/// How many random functions are searched.
const FUNCTIONS: u64 = 40;

/// Prints each use of a variable that some input reaches: its line, the variable, and the line of the
/// definition, which is negative for the result of a call and 0 for what a parameter is passed.
const JUDGE: &str = r#"
#include <stdio.h>
#include <string.h>
static int last[256];
static char seen[256][256][256];
static int used(char name, int line)
{
    int from = last[(int)name];
    if (!seen[line][(int)name][from < 0 ? 128 - from : from]++)
        printf("%d %c %d\n", line, name, from);
    return 0;
}
#define U(name, line) used(#name[0], line),
#define D(name, line) last[#name[0]] = line;
#include "x.c"
int main(void)
{
    for (int input = 0; input < 64; input++) {
        memset(last, 0, sizeof last);
        f(input & 3, input >> 2 & 3, input >> 4);
    }
    return 0;
}
"#;

const BEFORE: &str = "#ifndef U
#define U(name, line)
#define D(name, line)
#endif
static int next(int v)
{
    return v ^ 1;
}
int f_precond(int a, int b, int c)
{
    return a >= 0 && a < 4 && b >= 0 && b < 4 && c >= 0 && c < 4;
}
int f(int a, int b, int c)
{
    int x = 1; D(x, 15)
";

struct Maker<'r> {
    rng: &'r mut Rng,
    text: String,
    lines: usize,
    loops: usize,
}

impl Maker<'_> {
    fn line(&mut self, line: &str) {
        self.lines += 1;
        let _ = writeln!(self.text, "{line}");
    }

    fn variable(&mut self) -> char {
        ['a', 'b', 'c', 'x'][self.rng.usize(..4)]
    }

    /// A condition on the line that is written next.
    fn condition(&mut self) -> String {
        let (one, other, line) = (self.variable(), self.variable(), self.lines + 1);
        let number = self.rng.u8(1..4);
        match self.rng.u8(..3) {
            0 => format!("(U({one}, {line}) {one} < {number})"),
            1 => format!("(U({one}, {line}) U({other}, {line}) {one} == {other})"),
            _ => format!("(U({one}, {line}) {one} > 1) && (U({other}, {line}) {other} < {number})"),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..self.rng.u32(1..3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let (to, from, other) = (self.variable(), self.variable(), self.variable());
        let line = self.lines + 1;
        match self.rng.u8(..8) {
            0 | 1 if depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.rng.bool() {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            2 if depth > 0 => {
                self.loops += 1;
                let counter = self.loops;
                let condition = self.condition();
                self.line(&format!(
                    "for (int n{counter} = 0; n{counter} < 2 && ({condition}); n{counter}++) {{"
                ));
                self.block(depth - 1);
                self.line("}");
            }
            3 => self.line(&format!(
                "{to} = (U({from}, {line}) next({from})); D({to}, -{line})"
            )),
            4 => {
                let number = self.rng.u8(..4);
                self.line(&format!("{to} = {number}; D({to}, {line})"));
            }
            5 => self.line(&format!(
                "(U({to}, {line}) U({from}, {line}) {to} ^= {from}); D({to}, {line})"
            )),
            _ => self.line(&format!(
                "{to} = (U({from}, {line}) U({other}, {line}) ({from} + {other}) & 3); D({to}, {line})"
            )),
        }
    }
}

fn function(rng: &mut Rng) -> String {
    let mut maker = Maker {
        rng,
        text: String::from(BEFORE),
        lines: BEFORE.lines().count(),
        loops: 0,
    };
    for _ in 0..4 {
        maker.statement(2);
    }
    let line = maker.lines + 1;
    maker.line(&format!("    return (U(x, {line}) U(a, {line}) x + a);"));
    maker.text += "}\n";
    maker.text
}

/// A use: its line, and what `side` of `suite.json` says.
type Use = (usize, String);

/// The uses that some input reaches, each with whether it uses the result of a call.
fn judged(folder: &Folder) -> BTreeMap<Use, bool> {
    let text = native::judged(folder, JUDGE, &[]);
    let uses = text.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [line, name, from] = words[..] else {
            panic!("three words: {words:?}");
        };
        let from: i32 = from.parse().expect("a line");
        let side = match from {
            0 => format!("{name} as passed"),
            _ => format!("{name} of line {}", from.abs()),
        };
        ((line.parse().expect("a line"), side), from < 0)
    });
    uses.collect()
}

#[test]
fn uses_are_covered_that_some_input_reaches_and_others_are_unreachable() {
    let mut rng = Rng::with_seed(1985);
    let mut counts = [0, 0, 0];
    for number in 0..FUNCTIONS {
        let text = function(&mut rng);
        let folder = Folder::with("x.c", &text);
        let reached = judged(&folder);
        for criterion in ["all-uses", "call-pairs"] {
            let told = format!("{criterion} of function {number}:\n{text}");
            let wanted: BTreeSet<&Use> = reached
                .iter()
                .filter(|(_, of_call)| **of_call || criterion == "all-uses")
                .map(|(it, _)| it)
                .collect();
            let (_, suite, _) = small_inputs::search(&folder, criterion);
            let mut covered: BTreeSet<Use> = BTreeSet::new();
            for goal in suite["goals"].as_array().expect("goals") {
                let side = goal["side"].as_str().expect("a side");
                // Counters of loops have names of two letters.
                if side.starts_with('n') {
                    continue;
                }
                let at = (
                    goal["line"].as_u64().expect("a line") as usize,
                    side.to_owned(),
                );
                match goal["status"].as_str().expect("a status") {
                    "covered" => {
                        assert!(wanted.contains(&at), "{at:?} is not reached, {told}");
                        covered.insert(at);
                    }
                    status => {
                        assert_eq!(status, "unreachable", "{at:?}, {told}");
                        counts[2] += 1;
                    }
                }
            }
            let missing: Vec<_> = wanted.iter().filter(|it| !covered.contains(**it)).collect();
            assert!(missing.is_empty(), "{missing:?} are missing, {told}");
            counts[usize::from(criterion == "call-pairs")] += covered.len();
        }
    }
    let [uses, results, unreachable] = counts;
    assert!(
        uses > 300 && results > 30 && unreachable > 30,
        "{uses} uses, {results} of results, {unreachable} unreachable"
    );
}
