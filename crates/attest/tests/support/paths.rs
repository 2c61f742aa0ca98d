//! Random functions whose paths a native run counts, over all inputs.
//!
//! Each decision is `D(id, …)`, each condition `C(…)` and each switch `S(id, …)`: attest reads them as
//! what is inside, and the judge records it.

use std::fmt::Write as _;

use fastrand::Rng;

/// The most rounds of a loop that the judge counts a path with.
pub const ROUNDS: u32 = 2;

/// What the judge records, and how it counts. With `EACH` it prints three lines for each input: the
/// outcomes of decisions, the whole path, and the values of conditions.
pub const JUDGE: &str = r#"
#include <stdio.h>
#include <string.h>
static char decisions[4096], all[4096], conditions[4096];
static int depth, is_beyond, rounds[64];
static void note(char *where, int id, int value)
{
    size_t length = strlen(where);
    snprintf(where + length, 4096 - length, "%d:%d ", id, value);
}
static int decided(int id, int value)
{
    if (depth == 0)
        note(decisions, id, value);
    return value;
}
static int evaluated(int id, int value)
{
    note(all, 0, value);
    if (depth == 0)
        note(conditions, id, value);
    return value;
}
static int switched(int id, int value)
{
    note(decisions, id, value < 2 ? value : 2);
    return note(all, id, value < 2 ? value : 2), value;
}
static int round_of(int id, int value)
{
    if (value && ++rounds[id] > ROUNDS)
        is_beyond = 1;
    return value;
}
#define D(id, value) decided(id, !!(value))
#define C(value) evaluated(__COUNTER__, !!(value))
#define S(id, value) switched(id, value)
#define L(id, value) round_of(id, value)
#define BEGIN(id) (rounds[id] = 0)
#define CALL(call) (depth++, call_result = (call), depth--, call_result)
static int call_result;
#include "x.c"
static char seen[3][64][4096];
static int counts[3];
static void count(int kind, const char *path)
{
    for (int at = 0; at < counts[kind]; at++)
        if (strcmp(seen[kind][at], path) == 0)
            return;
    strcpy(seen[kind][counts[kind]++], path);
}
int main(void)
{
    for (int input = 0; input < 64; input++) {
        decisions[0] = all[0] = conditions[0] = 0;
        is_beyond = 0;
        f(input & 3, input >> 2 & 3, input >> 4);
#ifdef EACH
        printf("%s\n%s\n%s\n", decisions, all, conditions);
        continue;
#endif
        count(0, all);
        count(1, decisions);
        if (!is_beyond)
            count(2, all);
    }
#ifndef EACH
    printf("%d %d %d\n", counts[0], counts[1], counts[2]);
#endif
    return 0;
}
"#;

/// What stands before a function: the macros, unless the judge has its own, and a callee.
const BEFORE: &str = r"#ifndef D
#define D(id, value) (value)
#define C(value) (value)
#define S(id, value) (value)
#define L(id, value) (value)
#define BEGIN(id) ((void)0)
#define CALL(call) (call)
#endif
static int callee(int a)
{
    if (D(0, C(a > 1) && C(a < 4)))
        return a - 2;
    return a + 1;
}
int f_precond(int a, int b, int c)
{
    return a >= 0 && a < 4 && b >= 0 && b < 4 && c >= 0 && c < 4;
}
";

/// A random function `f` with three parameters from 0 to 3.
pub fn function(rng: &mut Rng) -> String {
    let mut maker = Maker {
        rng,
        text: String::from(BEFORE),
        decisions: 0,
        loops: 0,
    };
    maker.text += "int f(int a, int b, int c)\n{\n    int x = 0;\n";
    for _ in 0..3 {
        maker.statement(1, 2);
    }
    maker.text += "    return x;\n}\n";
    maker.text
}

struct Maker<'r> {
    rng: &'r mut Rng,
    text: String,
    decisions: u32,
    loops: u32,
}

impl Maker<'_> {
    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * indent);
    }

    fn number(&mut self) -> &'static str {
        ["a", "b", "c", "x"][self.rng.usize(..4)]
    }

    fn value(&mut self) -> String {
        let (one, other) = (self.number(), self.number());
        match self.rng.u8(..6) {
            5 if self.rng.bool() => {
                let decision = self.decision(0);
                format!("({decision} ? {one} : {other})")
            }
            0 => format!("{one} + {other}"),
            1 => format!("{one} ^ {other}"),
            2 => format!("CALL(callee({one}))"),
            3 => one.to_owned(),
            _ => format!("({one} & 1) + {}", self.rng.u8(..3)),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.rng.bool() {
            let (one, other) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.rng.u8(..5) {
                0 | 1 => format!("({one} && {other})"),
                2 | 3 => format!("({one} || {other})"),
                _ => format!("!({one} && {other})"),
            };
        }
        let value = self.value();
        match self.rng.u8(..3) {
            0 => format!("C({value} == {})", self.number()),
            1 => format!("C({value} < {})", self.rng.u8(1..4)),
            _ => format!("C({value} > {})", self.rng.u8(..3)),
        }
    }

    fn decision(&mut self, depth: u32) -> String {
        self.decisions += 1;
        let id = self.decisions;
        format!("D({id}, {})", self.condition(depth))
    }

    fn block(&mut self, indent: usize, depth: u32) {
        for _ in 0..self.rng.u32(1..3) {
            self.statement(indent, depth);
        }
    }

    fn statement(&mut self, indent: usize, depth: u32) {
        if depth == 0 {
            let value = self.value();
            return self.line(indent, &format!("x = {value};"));
        }
        match self.rng.u8(..8) {
            0 | 1 => self.choice(indent, depth),
            2 => {
                let condition = self.decision(2);
                self.line(indent, &format!("if ({condition})"));
                self.line(indent + 1, "return x + 1;");
            }
            3 => {
                let condition = self.decision(1);
                let (one, other) = (self.value(), self.value());
                self.line(indent, &format!("x = {condition} ? {one} : {other};"));
            }
            4 => self.switch(indent, depth),
            5 => self.counted(indent, depth),
            6 => {
                self.line(indent, "for (int i = 0; D(99, C(i < 2)); i++) {");
                self.block(indent + 1, depth - 1);
                self.line(indent, "}");
            }
            _ => {
                let value = self.value();
                self.line(indent, &format!("x = {value};"));
            }
        }
    }

    fn choice(&mut self, indent: usize, depth: u32) {
        let condition = self.decision(2);
        self.line(indent, &format!("if ({condition}) {{"));
        self.block(indent + 1, depth - 1);
        if self.rng.bool() {
            self.line(indent, "} else {");
            self.block(indent + 1, depth - 1);
        }
        self.line(indent, "}");
    }

    fn switch(&mut self, indent: usize, depth: u32) {
        self.decisions += 1;
        let (id, value) = (self.decisions, self.number());
        self.line(indent, &format!("switch (S({id}, {value} & 3)) {{"));
        for label in ["case 0:", "case 1:", "default:"] {
            self.line(indent, label);
            self.statement(indent + 1, depth - 1);
            if self.rng.bool() {
                self.line(indent + 1, "break;");
            }
        }
        self.line(indent, "}");
    }

    /// A loop whose number of rounds depends on the input.
    fn counted(&mut self, indent: usize, depth: u32) {
        self.loops += 1;
        self.decisions += 1;
        let (id, decision) = (self.loops, self.decisions);
        let most = ["a", "b", "c"][self.rng.usize(..3)];
        let test = format!("L({id}, D({decision}, C(n{id} < {most})))");
        self.line(indent, &format!("int n{id} = 0; BEGIN({id});"));
        if self.rng.bool() {
            self.line(indent, &format!("while ({test}) {{"));
            self.block(indent + 1, depth - 1);
            if self.rng.bool() {
                let condition = self.decision(1);
                self.line(indent + 1, &format!("if ({condition})"));
                self.line(indent + 2, "break;");
            }
            self.line(indent + 1, &format!("n{id}++;"));
            self.line(indent, "}");
        } else {
            self.line(indent, &format!("for (; {test}; n{id}++) {{"));
            self.block(indent + 1, depth - 1);
            self.line(indent, "}");
        }
    }
}
