//! A program that calls `reach_error` where control comes to a goal.
//!
//! ```text
//! if (a < b) …      the true side is a goal      if (((a < b) ? (reach_error(), 1) : 0)) …
//! ```

use std::collections::BTreeMap;

use ir::Span;

use crate::source::{Source, edited};

/// The line that is put before the text.
const DECLARATION: &str = "extern void reach_error(void);\n";

/// A side of an expression of the source that is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The expression, of which nothing but whether it is zero matters.
    pub span: Span,
    /// The side.
    pub outcome: bool,
}

/// A text with calls of `reach_error` in it.
pub struct Harness {
    /// The text.
    pub text: String,
    /// For each side, whether there is such a call; there is none in macros.
    pub is_called: Vec<bool>,
    pieces: Vec<(usize, String)>,
}

impl Harness {
    /// The offset in the new text of what is at an offset of the old one, before what is put there.
    pub fn moved(&self, at: usize) -> usize {
        let before = self.pieces.iter().filter(|(piece, _)| *piece < at);
        let added: usize = before.map(|(_, text)| text.len()).sum();
        DECLARATION.len() + at + added
    }
}

/// Calls `reach_error` on some sides of expressions in a file.
pub fn harness(text: &str, sides: &[Side]) -> Harness {
    let source = Source::new(text);
    // An outer expression before those inside of it that begin where it does.
    let mut found: BTreeMap<(usize, std::cmp::Reverse<usize>), [bool; 2]> = BTreeMap::new();
    let mut is_called = Vec::new();
    for side in sides {
        let range = range(&source, &side.span);
        if let Some((begin, end)) = range {
            let outcomes = found.entry((begin, std::cmp::Reverse(end))).or_default();
            outcomes[usize::from(side.outcome)] = true;
        }
        is_called.push(range.is_some());
    }
    let mut pieces: Vec<(usize, String)> = Vec::new();
    // The ends of expressions inside come first.
    for (&(_, std::cmp::Reverse(end)), &outcomes) in found.iter().rev() {
        pieces.push((end, behind(outcomes)));
    }
    for &(begin, _) in found.keys() {
        pieces.push((begin, "((".to_owned()));
    }
    Harness {
        text: format!("{DECLARATION}{}", edited(text, &pieces)),
        is_called,
        pieces,
    }
}

/// What stands behind an expression.
fn behind([no, yes]: [bool; 2]) -> String {
    let value = |is_called: bool, value: u8| match is_called {
        true => format!("(reach_error(), {value})"),
        false => value.to_string(),
    };
    format!(") ? {} : {})", value(yes, 1), value(no, 0))
}

/// The offsets of an expression that is written in place.
fn range(source: &Source<'_>, span: &Span) -> Option<(usize, usize)> {
    let is_in_place = span.expansions.is_empty() && span.begin.file == span.end.file;
    let begin = source.offset(span.begin.line, span.begin.column)?;
    let end = source.offset(span.end.line, span.end.column)?;
    let is_expression = is_in_place && begin < end && source.expression(begin, end).is_some();
    is_expression.then_some((begin, end))
}

#[cfg(test)]
mod tests {
    use ir::{FileId, Position};

    use super::*;

    fn side(begin: u32, end: u32, outcome: bool) -> Side {
        let at = |column| Position {
            file: FileId::from_raw(0),
            line: 1,
            column,
        };
        Side {
            span: Span {
                begin: at(begin),
                end: at(end),
                expansions: Vec::new(),
            },
            outcome,
        }
    }

    #[test]
    fn calls_are_put_around_nested_expressions() {
        let text = "if (a ? b : c) d;";
        let sides = [side(5, 14, true), side(5, 6, false), side(5, 6, true)];
        let harness = harness(text, &sides);
        assert_eq!(
            harness.text,
            "extern void reach_error(void);\n\
             if (((((a) ? (reach_error(), 1) : (reach_error(), 0)) ? b : c) ? (reach_error(), 1) : \
             0)) d;"
        );
        assert_eq!(harness.is_called, [true; 3]);
        let moved = harness.moved(15);
        assert_eq!(&harness.text[moved..], "d;");
    }
}
