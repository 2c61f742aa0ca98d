//! C text with probes: places whose outcome a native run notes down.
//!
//! One text has two renderings. The plain one is for attest and has no trace of the probes but
//! their places; the judged one calls a function at each probe, and is compiled and run.

use std::fmt::Write as _;

const OPEN: char = '\u{1}';
const MIDDLE: char = '\u{2}';
const CLOSE: char = '\u{3}';

/// What a probe looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole decision.
    Decision,
    /// One of its conditions.
    Condition,
    /// The operand of a switch.
    Switch,
}

/// Where a probe is in the plain rendering, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    pub kind: Kind,
    pub number: u32,
    pub line: u32,
    pub column: u32,
}

/// An expression that is a whole decision.
pub fn decision(number: u32, expression: &str) -> String {
    format!("{OPEN}d{number}{MIDDLE}{expression}{CLOSE}")
}

/// An expression that is a condition.
pub fn condition(number: u32, expression: &str) -> String {
    format!("{OPEN}c{number}{MIDDLE}{expression}{CLOSE}")
}

/// The operand of a switch with labels of these values.
pub fn switched(number: u32, labels: &[i64], expression: &str) -> String {
    let labels: Vec<String> = labels.iter().map(i64::to_string).collect();
    format!(
        "{OPEN}s{number},{}{MIDDLE}{expression}{CLOSE}",
        labels.join(",")
    )
}

/// A read of a volatile `int`: another value each time where it is judged.
pub fn volatile(expression: &str) -> String {
    format!("{OPEN}v{MIDDLE}{expression}{CLOSE}")
}

/// The text for attest, and where its probes are.
pub fn plain(marked: &str) -> (String, Vec<Probe>) {
    let (mut text, mut probes) = (String::new(), Vec::new());
    let (mut line, mut column) = (1, 1);
    let mut rest = marked.chars();
    while let Some(next) = rest.next() {
        match next {
            OPEN => {
                let head: String = rest.by_ref().take_while(|&c| c != MIDDLE).collect();
                probes.extend(probe(&head, line, column));
            }
            CLOSE => {}
            '\n' => {
                text.push(next);
                (line, column) = (line + 1, 1);
            }
            _ => {
                text.push(next);
                column += 1;
            }
        }
    }
    (text, probes)
}

fn probe(head: &str, line: u32, column: u32) -> Option<Probe> {
    let (kind, number) = head.split_at(1);
    let kind = match kind {
        "d" => Kind::Decision,
        "c" => Kind::Condition,
        "s" => Kind::Switch,
        _ => return None,
    };
    let number = number.split(',').next()?.parse().ok()?;
    Some(Probe {
        kind,
        number,
        line,
        column,
    })
}

/// The text that is compiled and run.
pub fn judged(marked: &str) -> String {
    let mut text = String::new();
    let mut ends = Vec::new();
    let mut rest = marked.chars();
    while let Some(next) = rest.next() {
        match next {
            OPEN => {
                let head: String = rest.by_ref().take_while(|&c| c != MIDDLE).collect();
                ends.push(begin(&head, &mut text));
            }
            CLOSE => text.push_str(&ends.pop().unwrap_or_default()),
            _ => text.push(next),
        }
    }
    text
}

/// Begins a probe; gives what ends it.
fn begin(head: &str, text: &mut String) -> String {
    let (kind, rest) = head.split_at(1);
    match kind {
        "v" => {
            text.push_str("judge_anew(");
            ")".to_owned()
        }
        "s" => {
            let (number, labels) = rest.split_once(',').unwrap_or((rest, ""));
            let _ = write!(text, "judge_switch({number}, ");
            let count = labels.split(',').count();
            format!(", (const long long[]){{{labels}}}, {count})")
        }
        _ => {
            let _ = write!(text, "judge({rest}, !!(");
            "))".to_owned()
        }
    }
}
