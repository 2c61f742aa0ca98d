//! Random functions whose native runs say which paths dominate others, over all inputs.
//!
//! ```text
//! 3+ 3-           condition 3 is true, false
//! [ 3+ | … ]      an `if` without `else`: its conditions, then what its true side does
//! (2 3+ 4+ 3- )   a loop whose rounds are identical, with two conditions
//! ```

use std::fmt::Write as _;

use fastrand::Rng;

/// Prints a line for each input: what conditions and parts of the source the run passed.
pub const JUDGE: &str = r#"
#include <stdio.h>
static int evaluated(int id, int value)
{
    printf("%d%c ", id, value ? '+' : '-');
    return value;
}
#define C(id, value) evaluated(id, !!(value))
#define NOTE(text) printf("%s ", text)
#include "x.c"
int main(void)
{
    for (int input = 0; input < 64; input++) {
        f(input & 3, input >> 2 & 3, input >> 4);
        printf("\n");
    }
    return 0;
}
"#;

const BEFORE: &str = "#ifndef C
#define C(id, value) (value)
#define NOTE(text)
#endif
int f_precond(int a, int b, int c)
{
    return a >= 0 && a < 4 && b >= 0 && b < 4 && c >= 0 && c < 4;
}
";

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Condition(String),
    /// An `if` without `else`; its true side if that is taken.
    If(Vec<String>, Option<Vec<Part>>),
    /// A loop: the conditions of a round, how many rounds there are, and how it ends.
    Loop(Vec<String>, usize, Vec<String>),
}

/// A path that an input takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<Part>);

/// In what paths may differ of which one dominates the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    EmptyElse,
    MaxIterations,
}

impl Path {
    /// Reads a line of the judge.
    pub fn read(line: &str) -> Path {
        let mut words: Vec<&str> = line.split_whitespace().rev().collect();
        let parts = parts(&mut words);
        assert!(words.is_empty(), "{line}");
        Path(parts)
    }

    /// Whether this path need not be covered where the other one is.
    pub fn is_dominated_by(&self, other: &Path, order: Order) -> bool {
        self != other && is_below(&self.0, &other.0, order)
    }
}

/// Reads parts up to the end, or to the end of the part around them. The last word is the next one.
fn parts(words: &mut Vec<&str>) -> Vec<Part> {
    let mut parts = Vec::new();
    while let Some(word) = words.pop_if(|word| *word != "]") {
        parts.push(match word.strip_prefix('(') {
            Some(conditions) => a_loop(words, conditions.parse().expect("a number")),
            None if word == "[" => an_if(words),
            None => Part::Condition(word.to_owned()),
        });
    }
    parts
}

fn conditions(words: &mut Vec<&str>) -> Vec<String> {
    let mut all = Vec::new();
    let is_condition = |word: &mut &str| word.ends_with(['+', '-']);
    while let Some(word) = words.pop_if(is_condition) {
        all.push(word.to_owned());
    }
    all
}

fn an_if(words: &mut Vec<&str>) -> Part {
    let conditions = conditions(words);
    let body = words.pop_if(|word| *word == "|").map(|_| parts(words));
    assert_eq!(words.pop(), Some("]"));
    Part::If(conditions, body)
}

fn a_loop(words: &mut Vec<&str>, conditions_of_round: usize) -> Part {
    let all = conditions(words);
    assert_eq!(words.pop(), Some(")"));
    let is_round = |round: &&[String]| round.iter().all(|it| it.ends_with('+'));
    let rounds = all.chunks_exact(conditions_of_round);
    let rounds: Vec<&[String]> = rounds.take_while(is_round).collect();
    let round = rounds.first().map_or_else(Vec::new, |round| round.to_vec());
    let end = all[rounds.len() * conditions_of_round..].to_vec();
    Part::Loop(round, rounds.len(), end)
}

fn is_below(these: &[Part], others: &[Part], order: Order) -> bool {
    let pairs = these.iter().zip(others);
    these.len() == others.len()
        && pairs.into_iter().all(|pair| match pair {
            (Part::If(_, None), Part::If(_, Some(_))) if order == Order::EmptyElse => true,
            (Part::If(one, Some(body)), Part::If(other, Some(other_body))) => {
                one == other && is_below(body, other_body, order)
            }
            (Part::Loop(_, fewer, end), Part::Loop(_, more, other))
                if order == Order::MaxIterations =>
            {
                fewer <= more && end == other
            }
            (one, other) => one == other,
        })
}

/// A random function `f` with three parameters from 0 to 3.
pub fn function(rng: &mut Rng) -> String {
    let mut maker = Maker {
        rng,
        text: String::from(BEFORE),
        conditions: 0,
        may_return: true,
    };
    maker.text += "static int callee(int a)\n{\n    int b = a, c = 1, x = 2;\n";
    maker.may_return = false;
    maker.choice(1, 1);
    maker.text += "    return x + b + c;\n}\nint f(int a, int b, int c)\n{\n    int x = 0;\n";
    maker.may_return = true;
    for _ in 0..3 {
        maker.statement(1, 2);
    }
    maker.text += "    return x;\n}\n";
    maker.text
}

struct Maker<'r> {
    rng: &'r mut Rng,
    text: String,
    conditions: u32,
    /// Whether a `return` may stand here: none leaves a part that the judge tells.
    may_return: bool,
}

impl Maker<'_> {
    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * indent);
    }

    fn value(&mut self) -> String {
        let numbers = ["a", "b", "c", "x"];
        let (one, other) = (numbers[self.rng.usize(..4)], numbers[self.rng.usize(..4)]);
        match self.rng.u8(..4) {
            0 => format!("((({one}) + {other}) & 7)"),
            1 => format!("(({one}) ^ {other})"),
            _ => one.to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        self.conditions += 1;
        let (id, value) = (self.conditions, self.value());
        match self.rng.u8(..3) {
            0 => format!("C({id}, {value} == {})", self.rng.u8(..4)),
            1 => format!("C({id}, {value} < {})", self.rng.u8(1..4)),
            _ => format!("C({id}, {value} > {})", self.rng.u8(..3)),
        }
    }

    fn decision(&mut self) -> String {
        let one = self.condition();
        match self.rng.u8(..4) {
            0 => format!("{one} && {}", self.condition()),
            1 => format!("{one} || {}", self.condition()),
            _ => one,
        }
    }

    fn block(&mut self, indent: usize, depth: u32) {
        for _ in 0..self.rng.u32(1..3) {
            self.statement(indent, depth);
        }
    }

    fn statement(&mut self, indent: usize, depth: u32) {
        match self.rng.u8(..10) {
            0..3 if depth > 0 => self.choice(indent, depth),
            3 if depth > 0 => {
                let decision = self.decision();
                self.line(indent, &format!("if ({decision}) {{"));
                self.block(indent + 1, depth - 1);
                self.line(indent, "} else {");
                self.block(indent + 1, depth - 1);
                self.line(indent, "}");
            }
            4..6 => self.identical_rounds(indent),
            6 if depth > 0 => self.different_rounds(indent, depth),
            7 if self.may_return => {
                let decision = self.decision();
                self.line(indent, &format!("if ({decision})"));
                self.line(indent + 1, "return x;");
            }
            8 if self.text.contains("int f(") => self.line(indent, "x = callee(x & 3) & 7;"),
            _ => {
                let value = self.value();
                self.line(indent, &format!("x = {value};"));
            }
        }
    }

    /// An `if` without `else`.
    fn choice(&mut self, indent: usize, depth: u32) {
        let may_return = std::mem::replace(&mut self.may_return, false);
        let decision = self.decision();
        self.line(indent, "NOTE(\"[\");");
        self.line(indent, &format!("if ({decision}) {{"));
        self.line(indent + 1, "NOTE(\"|\");");
        self.block(indent + 1, depth.saturating_sub(1));
        self.line(indent, "}");
        self.line(indent, "NOTE(\"]\");");
        self.may_return = may_return;
    }

    /// A loop without a condition in its body.
    fn identical_rounds(&mut self, indent: usize) {
        let most = ["a", "b", "c"][self.rng.usize(..3)];
        self.conditions += 1;
        let counter = self.conditions;
        let mut test = format!("C({counter}, n{counter} < {most})");
        let both = self.rng.bool();
        if both {
            let second = self.condition();
            test = format!("{test} && {second}");
        }
        let step = self.value();
        self.line(indent, &format!("int n{counter} = 0;"));
        self.line(indent, &format!("NOTE(\"({}\");", if both { 2 } else { 1 }));
        self.line(
            indent,
            &format!("while ({test}) {{ x = {step}; n{counter}++; }}"),
        );
        self.line(indent, "NOTE(\")\");");
    }

    /// A loop whose rounds may differ.
    fn different_rounds(&mut self, indent: usize, depth: u32) {
        let most = ["a", "b", "c"][self.rng.usize(..3)];
        self.conditions += 1;
        let counter = self.conditions;
        let test = format!("C({counter}, n{counter} < {most})");
        self.line(
            indent,
            &format!("for (int n{counter} = 0; {test}; n{counter}++) {{"),
        );
        self.choice(indent + 1, depth - 1);
        self.line(indent, "}");
    }
}
