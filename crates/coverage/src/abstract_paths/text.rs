//! The printed form of paths, nearly that of PathCrawler (section 5).
//!
//! ```text
//! 11+  11b-   the first condition on line 11 is true; the second one is false
//! <…>+ «…»-   a disjunction is true; a conjunction is false
//! 20:3 20:RED a switch on line 20 goes to `case 3`, to the case of an enumerator
//! […] (…)     a decision with what it chooses among; a loop
//! {…}         a call
//! ```

use std::fmt::{Display, Write as _};

use ir::{
    Body, CodeEdge, ConditionId, DecisionId, Formula, FunctionId, OrderedTrace, Origin, RegionId,
    SourceEvent,
};

use super::{AbstractEdge, AbstractPaths, AbstractStep};

/// How many bytes of a path are printed.
const MOST: usize = 2_000;

/// What stands for the rest of a path.
const REST: char = '…';

impl AbstractPaths<'_> {
    fn label(&self, function: FunctionId, condition: ConditionId) -> String {
        let body = self.program.functions[function].body.as_ref();
        body.map_or_else(String::new, |body| condition_label(body, condition))
    }

    /// The path of an execution, as far as paths are told apart.
    pub fn text(&self, trace: &OrderedTrace) -> String {
        match self.tells_all_apart() || self.has_order() {
            true => self.whole_text(trace),
            false => self.text_of(&self.walk(trace).path),
        }
    }

    /// A whole execution.
    fn whole_text(&self, trace: &OrderedTrace) -> String {
        let mut writer = Writer {
            of: self,
            frames: vec![Frame::new(None)],
        };
        for event in self.reader.read(trace) {
            writer.read(event);
        }
        writer.finish()
    }

    /// The steps of an abstract path, or of the beginning of one.
    pub fn text_of(&self, path: &[AbstractStep]) -> String {
        let mut text = String::new();
        for &step in path {
            let piece = match step {
                AbstractStep::Decision(edge) => self.edge_text(edge),
                AbstractStep::Edge(edge) => self.code_edge_text(edge),
                AbstractStep::Enter(function, region) => self.border(function, region, 0),
                AbstractStep::Leave(function, region) => self.border(function, region, 1),
            };
            put(&mut text, &piece);
        }
        text
    }

    /// A condition with its value, or a switch with its side.
    fn code_edge_text(&self, edge: CodeEdge) -> String {
        let Some(meaning) = self.meanings[edge] else {
            return String::new();
        };
        match meaning.condition {
            Some((condition, value)) => {
                let label = self.label(meaning.function, condition);
                format!("{label}{}", sign(value))
            }
            None => self.edge_text(AbstractEdge {
                function: meaning.function,
                decision: meaning.decision,
                side: meaning.side.unwrap_or_default(),
            }),
        }
    }

    /// The begin or the end of a region.
    fn border(&self, function: FunctionId, region: RegionId, end: usize) -> String {
        let body = self.program.functions[function].body.as_ref();
        let region = body.and_then(|body| body.regions.get(region));
        let borders = match region.is_some_and(|region| region.head.is_some()) {
            true => ["(", ")"],
            false => ["[", "]"],
        };
        borders[end].to_owned()
    }

    fn edge_text(&self, edge: AbstractEdge) -> String {
        let AbstractEdge {
            function,
            decision,
            side,
        } = edge;
        let body = self.program.functions[function].body.as_ref();
        let Some(data) = body.and_then(|body| body.decisions.get(decision)) else {
            return String::new();
        };
        let line = data.span.place().line;
        match data.sides.get(side as usize) {
            None => format!("{line}{}", sign(side == 1)),
            Some(side) => match (&side.names, side.values) {
                (Some((low, high)), _) => values(line, low, high),
                (None, Some((low, high))) => values(line, low, high),
                (None, None) => format!("{line}:default"),
            },
        }
    }
}

/// The values of a side of a switch.
fn values<V: Display + PartialEq>(line: u32, low: V, high: V) -> String {
    match low == high {
        true => format!("{line}:{low}"),
        false => format!("{line}:{low}…{high}"),
    }
}

/// The line of a condition, with a letter if it is not the first one there.
pub fn condition_label(body: &Body, condition: ConditionId) -> String {
    let line = |condition: ConditionId| body.conditions[condition].span.place().line;
    let here = line(condition);
    let mut before = body.conditions.indices().take_while(|&it| it != condition);
    let nth = before.by_ref().filter(|&it| line(it) == here).count();
    match nth {
        0 => here.to_string(),
        1..26 => format!("{here}{}", char::from(b'a' + nth as u8)),
        _ => format!("{here}.{nth}"),
    }
}

fn sign(value: bool) -> char {
    match value {
        true => '+',
        false => '-',
    }
}

/// Adds a piece of a path.
fn put(text: &mut String, piece: &str) {
    if piece.is_empty() || text.ends_with(REST) {
        return;
    }
    if text.len() > MOST {
        text.push(REST);
        return;
    }
    let is_first = text.is_empty() || text.ends_with(['[', '(', '{', '<', '«']);
    if !is_first && !piece.starts_with([']', ')', '}', '>', '»']) {
        text.push(' ');
    }
    text.push_str(piece);
}

/// A call under way; the first frame is what is around the entry.
struct Frame {
    function: Option<FunctionId>,
    text: String,
    /// Decisions under way, outer ones first.
    open: Vec<Open>,
    /// The ends of the regions under way, outer ones first.
    ends: Vec<&'static str>,
}

/// A decision under way.
struct Open {
    decision: DecisionId,
    /// The conditions so far, each with what was done for it before.
    evaluated: Vec<(String, ConditionId, bool)>,
    /// What was done since.
    since: String,
}

impl Frame {
    fn new(function: Option<FunctionId>) -> Frame {
        Frame {
            function,
            text: String::new(),
            open: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn put(&mut self, piece: &str) {
        let text = match self.open.last_mut() {
            Some(open) => &mut open.since,
            None => &mut self.text,
        };
        put(text, piece);
    }
}

struct Writer<'w> {
    of: &'w AbstractPaths<'w>,
    frames: Vec<Frame>,
}

impl Writer<'_> {
    fn read(&mut self, event: SourceEvent) {
        match event {
            SourceEvent::Edge(_) | SourceEvent::Replaced(_) | SourceEvent::Round(..) => {}
            SourceEvent::Call(function) => self.frames.push(Frame::new(Some(function))),
            SourceEvent::Return(_) => self.close(),
            SourceEvent::Condition(function, condition, value) => {
                self.evaluate(function, condition, value);
            }
            SourceEvent::Decision(function, decision, _) => self.settle(function, decision),
            SourceEvent::Switch(function, decision, side) => {
                let edge = AbstractEdge {
                    function,
                    decision,
                    side,
                };
                let text = self.of.edge_text(edge);
                self.put(&text);
            }
            SourceEvent::Enter(function, region) => self.enter(function, region),
            SourceEvent::Leave(..) => {
                let frame = self.frames.last_mut();
                if let Some(end) = frame.and_then(|frame| frame.ends.pop()) {
                    self.put(end);
                }
            }
        }
    }

    fn put(&mut self, piece: &str) {
        if let Some(frame) = self.frames.last_mut() {
            frame.put(piece);
        }
    }

    fn enter(&mut self, function: FunctionId, region: RegionId) {
        let body = self.of.program.functions[function].body.as_ref();
        let region = body.and_then(|body| body.regions.get(region));
        let (begin, end) = match region.is_some_and(|region| region.head.is_some()) {
            true => ("(", ")"),
            false => ("[", "]"),
        };
        self.put(begin);
        if let Some(frame) = self.frames.last_mut() {
            frame.ends.push(end);
        }
    }

    fn evaluate(&mut self, function: FunctionId, condition: ConditionId, value: bool) {
        let body = self.of.program.functions[function].body.as_ref();
        let decision = body.and_then(|body| body.conditions.get(condition));
        let (Some(decision), Some(frame)) = (decision, self.frames.last_mut()) else {
            return;
        };
        let decision = decision.decision;
        if frame
            .open
            .last()
            .is_none_or(|open| open.decision != decision)
        {
            frame.open.push(Open {
                decision,
                evaluated: Vec::new(),
                since: String::new(),
            });
        }
        if let Some(open) = frame.open.last_mut() {
            let since = std::mem::take(&mut open.since);
            open.evaluated.push((since, condition, value));
        }
    }

    fn settle(&mut self, function: FunctionId, decision: DecisionId) {
        let body = self.of.program.functions[function].body.as_ref();
        let (Some(body), Some(frame)) = (body, self.frames.last_mut()) else {
            return;
        };
        // Constants settle decisions that evaluate nothing.
        let Some(open) = frame.open.pop_if(|open| open.decision == decision) else {
            return;
        };
        let mut text = String::new();
        let mut evaluated = open.evaluated.into_iter();
        let formula = &body.decisions[decision].formula;
        self.formula(function, formula, &mut evaluated, &mut text);
        self.put(&text);
        self.put(&open.since);
    }

    /// Prints a formula as far as it was evaluated. Returns its value, if it has one.
    fn formula(
        &self,
        function: FunctionId,
        formula: &Formula,
        evaluated: &mut dyn Iterator<Item = (String, ConditionId, bool)>,
        text: &mut String,
    ) -> Option<bool> {
        match formula {
            Formula::Condition(_) => {
                let (before, condition, value) = evaluated.next()?;
                put(text, &before);
                let label = self.of.label(function, condition);
                put(text, &format!("{label}{}", sign(value)));
                Some(value)
            }
            Formula::Constant(value) => Some(*value),
            Formula::Not(inner) => {
                let value = self.formula(function, inner, evaluated, text)?;
                Some(!value)
            }
            Formula::And(left, right) | Formula::Or(left, right) => {
                let is_and = matches!(formula, Formula::And(..));
                put(text, if is_and { "«" } else { "<" });
                let mut value = self.formula(function, left, evaluated, text)?;
                if value == is_and {
                    value = self.formula(function, right, evaluated, text)?;
                }
                let closing = if is_and { '»' } else { '>' };
                put(text, &format!("{closing}{}", sign(value)));
                Some(value)
            }
        }
    }

    /// Ends the innermost call.
    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let is_entry = self.frames.len() == 1;
        let is_shown = frame
            .function
            .is_some_and(|function| self.of.program.origin(function) == Origin::User);
        let mut text = frame.text;
        for open in frame.open {
            for (before, condition, value) in open.evaluated {
                put(&mut text, &before);
                let label = frame
                    .function
                    .map(|function| self.of.label(function, condition));
                let mut piece = label.unwrap_or_default();
                let _ = write!(piece, "{}", sign(value));
                put(&mut text, &piece);
            }
            put(&mut text, &open.since);
        }
        frame.ends.iter().rev().for_each(|end| put(&mut text, end));
        match is_entry {
            true => self.put(&text),
            false if is_shown && !text.is_empty() => self.put(&format!("{{{text}}}")),
            false => {}
        }
    }

    fn finish(mut self) -> String {
        while self.frames.len() > 1 {
            self.close();
        }
        self.frames
            .pop()
            .map_or_else(String::new, |frame| frame.text)
    }
}
