//! Random functions whose decisions lie in each other's conditions, in loops and behind jumps. Each
//! condition has a line of its own, so that goals are told apart by their lines.
//!
//! `D(id, …)` is a decision, `C(id, …)` a condition, and `LT(a, b)` a comparison. For attest they are
//! what is inside; a native run of the judge records the values of conditions and the differences of
//! sides.

use std::collections::BTreeMap;

use fastrand::Rng;

/// What the judge records of all 64 inputs, and prints: the conditions of evaluations with their values,
/// and the differences from -1 to 1 of the sides in a line.
pub const JUDGE: &str = r#"
#include <stdio.h>
#include <string.h>
static struct { int decision; char values[64]; } open[4096];
static int depth, known;
static char seen[20000][80];
static void record(const char *what)
{
    for (int at = 0; at < known; at++)
        if (strcmp(seen[at], what) == 0)
            return;
    strcpy(seen[known++], what);
}
static int begin(int decision)
{
    open[depth].decision = decision;
    open[depth++].values[0] = 0;
    return 0;
}
static int end(int decision, int value)
{
    char line[80];
    while (open[--depth].decision != decision)
        continue;
    snprintf(line, sizeof line, "decision %d%s", decision, open[depth].values);
    record(line);
    return value;
}
static int evaluated(int condition, int value)
{
    char *values = open[depth - 1].values;
    snprintf(values + strlen(values), 16, " %d%c", condition, value ? 'T' : 'F');
    return value;
}
static void compared(int line, int left, int right)
{
    char text[80];
    snprintf(text, sizeof text, "sides %d %d", line, left - right);
    if (left - right >= -1 && left - right <= 1)
        record(text);
}
#define D(id, e) end(id, (begin(id), !!(e)))
#define C(id, e) evaluated(id, !!(e))
#define LT(line, a, b) ({ int left = (a), right = (b); compared(line, left, right); left < right; })
#include "judged.c"
int main(void)
{
    for (int input = 0; input < 64; input++) {
        depth = 0;
        f(input & 3, input >> 2 & 3, input >> 4);
    }
    for (int at = 0; at < known; at++)
        puts(seen[at]);
    return 0;
}
"#;

/// A random function `f` of three parameters from 0 to 3.
pub struct Function {
    /// The text for attest.
    pub plain: String,
    /// The text for the judge.
    pub judged: String,
    /// The conditions of the decision that begins in a line, from left to right.
    pub decisions: BTreeMap<u64, (u32, Vec<u32>)>,
    /// The lines with comparisons.
    pub comparisons: Vec<u64>,
}

const BEFORE: [&str; 4] = [
    "static int g(int v) { return v > 1 ? v - 1 : v + 1; }",
    "int f_precond(int a, int b, int c)",
    "{ return a >= 0 && a < 4 && b >= 0 && b < 4 && c >= 0 && c < 4; }",
    "int f(int a, int b, int c) { int x = 0, y = 1;",
];

/// A random function.
pub fn function(rng: &mut Rng) -> Function {
    let mut maker = Maker {
        rng,
        plain: BEFORE.map(str::to_owned).to_vec(),
        judged: BEFORE.map(str::to_owned).to_vec(),
        decisions: BTreeMap::new(),
        comparisons: Vec::new(),
        conditions: 0,
    };
    for _ in 0..maker.rng.usize(2..4) {
        maker.statement(2);
    }
    maker.line("out: ; return x + y; }");
    Function {
        plain: maker.plain.join("\n") + "\n",
        judged: maker.judged.join("\n") + "\n",
        decisions: maker.decisions,
        comparisons: maker.comparisons,
    }
}

struct Maker<'r> {
    rng: &'r mut Rng,
    plain: Vec<String>,
    judged: Vec<String>,
    decisions: BTreeMap<u64, (u32, Vec<u32>)>,
    comparisons: Vec<u64>,
    conditions: u32,
}

impl Maker<'_> {
    fn line(&mut self, line: &str) {
        self.both(line.to_owned(), line.to_owned());
    }

    fn both(&mut self, plain: String, judged: String) {
        self.plain.push(plain);
        self.judged.push(judged);
    }

    fn next_line(&self) -> u64 {
        self.plain.len() as u64 + 1
    }

    fn value(&mut self) -> &'static str {
        const VALUES: [&str; 14] = [
            "a", "b", "c", "x", "y", "(a + 1)", "(b ^ c)", "(x & 3)", "0", "2", "3", "g(a)",
            "g(x)", "(c - 1)",
        ];
        VALUES[self.rng.usize(..VALUES.len())]
    }

    /// A decision with so many conditions, on lines of its own, between two pieces of text.
    fn decision(&mut self, before: &str, behind: &str, conditions: usize, depth: u32) {
        let id = self.decisions.len() as u32 + 1;
        let line = self.next_line();
        self.decisions.insert(line, (id, Vec::new()));
        self.both(format!("{before}("), format!("{before}D({id}, "));
        self.formula(conditions, line, depth);
        self.line(&format!("){behind}"));
    }

    fn formula(&mut self, conditions: usize, decision: u64, depth: u32) {
        if conditions == 1 {
            return self.condition(decision, depth);
        }
        let on_left = self.rng.usize(1..conditions);
        let begin = if self.rng.u8(..6) == 0 { "!(" } else { "(" };
        self.line(begin);
        self.formula(on_left, decision, depth);
        let connective = if self.rng.bool() { "&&" } else { "||" };
        self.line(connective);
        self.formula(conditions - on_left, decision, depth);
        self.line(")");
    }

    fn condition(&mut self, decision: u64, depth: u32) {
        self.conditions += 1;
        let id = self.conditions;
        let of_decision = self.decisions.get_mut(&decision);
        of_decision.expect("it has begun").1.push(id);
        let (one, other) = (self.value(), self.value());
        match self.rng.u8(..8) {
            0 if depth < 3 => {
                let conditions = self.rng.usize(1..4);
                self.both("((".to_owned(), format!("C({id}, ("));
                self.decision("", &format!(" ? {one} : {other}))"), conditions, depth + 1);
            }
            1 if depth < 3 => {
                let conditions = self.rng.usize(1..3);
                let begin = format!("({{ int t = {one};");
                self.both(format!("({begin}"), format!("C({id}, {begin}"));
                self.decision("if (", ") t++; t > 1; }))", conditions, depth + 1);
            }
            2..6 => {
                let line = self.next_line();
                self.comparisons.push(line);
                let plain = format!("({one} < {other})");
                self.both(plain, format!("C({id}, LT({line}, {one}, {other}))"));
            }
            _ => self.both(
                format!("({one} == {other})"),
                format!("C({id}, {one} == {other})"),
            ),
        }
    }

    fn statement(&mut self, depth: u32) {
        let conditions = self.rng.usize(1..6);
        match self.rng.u8(..7) {
            kind if kind < 3 || depth == 0 => {
                self.decision("if (", ")", conditions, 0);
                self.line("x += y; else y ^= 1;");
            }
            3 => {
                self.line("for (int i = 0; i != 2; i++) {");
                self.statement(depth - 1);
                self.line("}");
            }
            4 => {
                let (one, other) = (self.value(), self.value());
                self.decision("y = ", &format!(" ? {one} : {other};"), conditions, 0);
            }
            5 => {
                let value = self.value();
                self.line(&format!("switch ({value}) {{ case 1:"));
                self.statement(depth - 1);
                self.line("case 2: y++; break; default: x--; }");
            }
            _ => self.decision("if (", ") goto out;", conditions, 0),
        }
    }
}
