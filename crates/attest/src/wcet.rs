//! How near the tests come to the longest path that the code could have (`--wcet`).

use std::collections::BTreeMap;

use analysis::{PathPart, Rounds, Unbounded};
use coverage::{LongestTold, LoopBound, Paths, Suite, Timing, condition_label};
use ir::{Block, Body, CodeIndex, FunctionId, Program, Terminator, TestId};

use crate::cli::cover::CoverArguments;
use crate::failure::Failure;

/// How long a path's text becomes at most, in bytes.
const MOST: usize = 2_000;

/// Refuses `--wcet` with criteria that do not ask for whole paths.
///
/// # Errors
/// The criteria ask for none.
pub fn check(arguments: &CoverArguments) -> Result<(), Failure> {
    let paths = arguments.criterion.criteria.paths();
    match paths {
        Some(Paths::Abstract(_)) => Ok(()),
        _ if !arguments.wcet => Ok(()),
        _ => Err(Failure::bad_input(
            "--wcet times the tests of whole paths, which these criteria do not ask for",
            "add --criterion empty-else or --criterion max-iterations",
        )),
    }
}

/// Adds the lengths of the tests' paths, and the longest path with as many rounds of loops as they have.
pub fn add_paths(program: &Program, suite: &Suite, timing: &mut Timing) {
    let index = CodeIndex::new(program);
    let mut rounds = Rounds::new();
    let mut lengths: BTreeMap<TestId, u64> = BTreeMap::new();
    for test in &suite.tests {
        let Some(trace) = &test.trace else {
            continue;
        };
        let executed = analysis::executed(program, &index, trace);
        lengths.insert(test.id, executed.instructions);
        for (head, times) in executed.rounds {
            let most = rounds.entry(head).or_default();
            *most = times.max(*most);
        }
    }
    timing.lengths = lengths;
    let longest = analysis::longest_path(program, suite.function, &rounds);
    let writer = Writer { program };
    timing.longest = match longest {
        Ok(longest) => Ok(LongestTold {
            length: longest.instructions,
            path: writer.text(&longest.parts),
            loops: writer.loops(&rounds),
        }),
        Err(reason) => Err(writer.reason(reason)),
    };
}

struct Writer<'a> {
    program: &'a Program,
}

impl Writer<'_> {
    fn text(&self, parts: &[PathPart]) -> String {
        let mut text = String::new();
        self.write(parts, &mut text);
        text
    }

    fn write(&self, parts: &[PathPart], text: &mut String) {
        for part in parts {
            if text.len() > MOST {
                if !text.ends_with('…') {
                    text.push('…');
                }
                return;
            }
            if !text.is_empty() && !text.ends_with(['(', '{']) {
                text.push(' ');
            }
            match part {
                &PathPart::Edge(function, block, position) => {
                    let edge = self.edge(function, block, position);
                    text.push_str(&edge.unwrap_or_default());
                }
                PathPart::Rounds(times, round) => {
                    text.push('(');
                    self.write(round, text);
                    text.push_str(&format!(")*{times}"));
                }
                PathPart::Call(_, inside) => {
                    text.push('{');
                    self.write(inside, text);
                    text.push('}');
                }
            }
        }
    }

    /// A condition with its value, or a switch with its side.
    fn edge(&self, function: FunctionId, block: Block, position: usize) -> Option<String> {
        let body = self.program.functions[function].body.as_ref()?;
        let decision = &body.decisions[body.decided_by(block)?];
        let side = decision.sides.get(position).map(|side| side.values);
        let Some(values) = side else {
            let line = condition(body, block)?;
            return Some(format!("{line}{}", if position == 0 { '+' } else { '-' }));
        };
        let line = decision.span.place().line;
        Some(match values {
            None => format!("{line}:default"),
            Some((low, high)) if low == high => format!("{line}:{low}"),
            Some((low, high)) => format!("{line}:{low}…{high}"),
        })
    }

    /// The loops that tests came to, by their lines.
    fn loops(&self, rounds: &Rounds) -> Vec<LoopBound> {
        let bounds = rounds.iter().filter_map(|(&(function, head), &times)| {
            let body = self.program.functions[function].body.as_ref()?;
            let line = body.spans[body.blocks[head].span].place().line;
            Some(LoopBound { line, times })
        });
        bounds.collect()
    }

    fn reason(&self, reason: Unbounded) -> String {
        let name = |function: FunctionId| &self.program.functions[function].name;
        match reason {
            Unbounded::Recursion(function) => format!("`{}` calls itself", name(function)),
            Unbounded::Unknown(function) => {
                format!(
                    "`{}` calls a function by a pointer, or cannot be followed",
                    name(function)
                )
            }
            Unbounded::Irregular(function) => {
                format!("a loop of `{}` has several entries", name(function))
            }
            Unbounded::Endless(function) => format!("`{}` never returns", name(function)),
        }
    }
}

/// The condition that a block evaluates, by its line.
fn condition(body: &Body, block: Block) -> Option<String> {
    match &body.blocks[block].terminator {
        Terminator::Branch { tag, .. } => Some(condition_label(body, tag.as_ref()?.condition)),
        _ => None,
    }
}
