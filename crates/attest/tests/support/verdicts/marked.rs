//! C text with probes: places whose outcome a native run notes down.
//!
//! One text has two renderings. The plain one is for attest and has no trace of the probes but
//! their places; the judged one calls a function at each probe, and is compiled and run.

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
    /// Of a decision, how many conditions are marked right inside of it.
    pub conditions: u32,
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
    let mut open: Vec<Option<usize>> = Vec::new();
    let (mut line, mut column) = (1, 1);
    let mut rest = marked.chars();
    while let Some(next) = rest.next() {
        match next {
            OPEN => {
                let head: String = rest.by_ref().take_while(|&c| c != MIDDLE).collect();
                let probe = probe(&head, line, column);
                let around = open.last().copied().flatten();
                if let (Some(Kind::Condition), Some(around)) = (probe.map(|it| it.kind), around) {
                    let around: &mut Probe = &mut probes[around];
                    around.conditions += 1;
                }
                open.push(probe.map(|_| probes.len()));
                probes.extend(probe);
            }
            CLOSE => {
                open.pop();
            }
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
        conditions: 0,
    })
}

/// The text that is compiled and run.
pub fn judged(marked: &str) -> String {
    let mut text = String::new();
    let mut open: Vec<Open> = Vec::new();
    let mut rest = marked.chars();
    while let Some(next) = rest.next() {
        match next {
            OPEN => {
                let head: String = rest.by_ref().take_while(|&c| c != MIDDLE).collect();
                let opened = Open::new(&head, open.last_mut());
                text.push_str(&opened.begin());
                open.push(opened);
            }
            CLOSE => text.push_str(&open.pop().map_or(String::new(), |opened| opened.end())),
            _ => text.push(next),
        }
    }
    text
}

/// A probe that has begun.
struct Open {
    kind: char,
    /// Its number; of a switch with the labels behind it.
    number: String,
    /// Of a condition, the number of the decision and its position there.
    within: Option<(String, usize)>,
    /// Of a decision, how many conditions have begun.
    conditions: usize,
}

impl Open {
    /// A probe that begins inside of another one.
    fn new(head: &str, around: Option<&mut Open>) -> Open {
        let (kind, number) = head.split_at(1);
        let decision = around.filter(|around| around.kind == 'd' && kind == "c");
        let within = decision.map(|decision| {
            decision.conditions += 1;
            (decision.number.clone(), decision.conditions - 1)
        });
        Open {
            kind: kind.chars().next().unwrap_or('v'),
            number: number.to_owned(),
            within,
            conditions: 0,
        }
    }

    fn begin(&self) -> String {
        let number = &self.number;
        match (self.kind, &self.within) {
            ('v', _) => "judge_anew(".to_owned(),
            ('s', _) => format!(
                "judge_switch({}, ",
                number.split(',').next().unwrap_or(number)
            ),
            ('d', _) => format!("judge_decision({number}, (judge_begin({number}), !!("),
            (_, Some((decision, position))) => {
                format!("judge_condition({number}, {decision}, {position}, !!(")
            }
            (_, None) => format!("judge({number}, !!("),
        }
    }

    fn end(&self) -> String {
        match self.kind {
            'v' => ")".to_owned(),
            's' => {
                let labels = self.number.split_once(',').map_or("", |(_, labels)| labels);
                let count = labels.split(',').count();
                format!(", (const long long[]){{{labels}}}, {count})")
            }
            'd' => format!(")), {})", self.conditions),
            _ => "))".to_owned(),
        }
    }
}
