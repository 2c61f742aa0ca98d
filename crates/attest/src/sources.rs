//! The text of source files, read once, for excerpts.

use std::collections::HashMap;
use std::ops::Range;

use ir::{Program, Span};

/// A piece of a source file; lines and columns count from 1, columns in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// The file's path.
    pub path: String,
    /// Line and column of the first character.
    pub begin: (u32, u32),
    /// Line and column one past the last character; the same as `begin` if only a point is known.
    pub end: (u32, u32),
}

impl SourceRange {
    /// Where a reader looks for a span: the whole piece, or the outermost macro's name. Empty for
    /// what a macro makes of nothing that is written there.
    pub fn of(program: &Program, span: &Span) -> SourceRange {
        let (begin, end) = match span.expansions.first() {
            None => (span.begin, (span.end.line, span.end.column)),
            Some(outermost) => {
                let column = outermost.at.column + outermost.name.len() as u32;
                (outermost.at, (outermost.at.line, column))
            }
        };
        let path = program.files.get(begin.file);
        SourceRange {
            path: path.map_or_else(String::new, |file| file.path.clone()),
            begin: (begin.line, begin.column),
            end,
        }
    }

    /// Where a span is spelled in the body of a macro; nothing for code that is written in place.
    fn in_macro(program: &Program, span: &Span) -> Option<SourceRange> {
        let path = program.files.get(span.begin.file)?.path.clone();
        let (begin, end) = (span.begin, span.end);
        (!span.expansions.is_empty() && begin.file == end.file).then_some(SourceRange {
            path,
            begin: (begin.line, begin.column),
            end: (end.line, end.column),
        })
    }

    /// `file:line:column`.
    pub fn text(&self) -> String {
        format!("{}:{}:{}", self.path, self.begin.0, self.begin.1)
    }
}

/// The text of a source file, and where its lines start.
#[derive(Debug)]
struct SourceText {
    text: String,
    starts: Vec<usize>,
}

/// The lines that a place covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Their text.
    pub text: String,
    /// The number of the first one, from 1.
    pub first: usize,
    /// The bytes of the text that the place covers.
    pub covered: Range<usize>,
}

/// The text of source files, each read when it is first asked for.
#[derive(Debug, Default)]
pub struct Sources {
    files: HashMap<String, Option<SourceText>>,
}

impl Sources {
    /// The text of a file; `None` if it cannot be read. Bytes that are not UTF-8 are replaced.
    fn text(&mut self, path: &str) -> Option<&SourceText> {
        let read = || {
            let bytes = std::fs::read(path).ok()?;
            Some(SourceText::new(
                String::from_utf8_lossy(&bytes).into_owned(),
            ))
        };
        self.files
            .entry(path.to_owned())
            .or_insert_with(read)
            .as_ref()
    }

    /// The lines that a place covers; `None` if they cannot be read.
    pub fn lines(&mut self, place: &SourceRange) -> Option<Lines> {
        self.text(&place.path)?.lines(place)
    }

    /// The text of the first line of a place, without the space around it.
    pub fn line(&mut self, place: &SourceRange) -> Option<String> {
        let source = self.text(&place.path)?;
        let line = source
            .text
            .lines()
            .nth((place.begin.0 as usize).checked_sub(1)?)?;
        Some(line.trim().to_owned())
    }

    /// What a span covers, on one line: of code in a macro, behind the name of the outermost one.
    pub fn excerpt_of(&mut self, program: &Program, span: &Span, width: usize) -> Option<String> {
        let outer = self.excerpt(&SourceRange::of(program, span), width)?;
        let inner =
            SourceRange::in_macro(program, span).and_then(|place| self.excerpt(&place, width));
        Some(
            match inner.filter(|inner| !inner.is_empty() && *inner != outer) {
                Some(inner) => shortened(&format!("{outer}: {inner}"), width),
                None => outer,
            },
        )
    }

    /// What a place covers, on one line and at most `width` characters long.
    pub fn excerpt(&mut self, place: &SourceRange, width: usize) -> Option<String> {
        let source = self.text(&place.path)?;
        let mut range = source.range(place)?;
        if range.is_empty() {
            range.end += invocation(source.text.get(range.start..)?);
        }
        let words: Vec<&str> = source.text.get(range)?.split_whitespace().collect();
        Some(shortened(&words.join(" "), width))
    }
}

impl SourceText {
    fn new(text: String) -> SourceText {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = [0].into_iter().chain(ends).collect();
        SourceText { text, starts }
    }

    /// The bytes that a place covers.
    fn range(&self, place: &SourceRange) -> Option<Range<usize>> {
        let begin = self.offset(place.begin)?;
        let end = self.offset(place.end)?.max(begin);
        Some(begin..end)
    }

    fn lines(&self, place: &SourceRange) -> Option<Lines> {
        let range = self.range(place)?;
        let start = self.line(place.begin.0)?.start;
        let end = self.line(place.end.0.max(place.begin.0))?.end;
        Some(Lines {
            text: self.text.get(start..end)?.to_owned(),
            first: place.begin.0 as usize,
            covered: range.start - start..range.end - start,
        })
    }

    /// The bytes of a line, without what ends it.
    fn line(&self, number: u32) -> Option<Range<usize>> {
        let index = (number as usize).saturating_sub(1);
        let start = *self.starts.get(index)?;
        let next = self.starts.get(index + 1).map(|next| next - 1);
        Some(start..next.unwrap_or(self.text.len()))
    }

    /// The offset of a line and column, moved down to a character's start and into its line.
    fn offset(&self, (line, column): (u32, u32)) -> Option<usize> {
        let line = self.line(line)?;
        let mut offset = line.end.min(line.start + column.max(1) as usize - 1);
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        Some(offset)
    }
}

/// How long the word is that the text starts with, together with the arguments in parentheses
/// that follow it: a call, or the use of a macro.
fn invocation(text: &str) -> usize {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = text.find(|c| !part_of_word(c)).unwrap_or(text.len());
    let mut depth = 0;
    for (offset, c) in text.char_indices().skip_while(|(offset, _)| *offset < word) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if c == ')' { offset + 1 } else { word };
        }
    }
    word
}

/// The text, cut after `width` characters.
fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{Lines, SourceRange, SourceText, invocation, shortened};

    fn place(begin: (u32, u32), end: (u32, u32)) -> SourceRange {
        SourceRange {
            path: "x.c".to_owned(),
            begin,
            end,
        }
    }

    #[test]
    fn places_become_byte_ranges() {
        let text = "int f;\nint ä = 1;\nlast";
        let source = SourceText::new(text.to_owned());
        let covered = |p| source.range(&p).and_then(|range| text.get(range));
        assert_eq!(covered(place((1, 5), (1, 6))), Some("f"));
        assert_eq!(covered(place((2, 5), (2, 7))), Some("ä"));
        assert_eq!(covered(place((2, 5), (2, 6))), Some(""));
        assert_eq!(covered(place((1, 5), (2, 4))), Some("f;\nint"));
        assert_eq!(covered(place((3, 1), (3, 99))), Some("last"));
        assert_eq!(covered(place((4, 1), (4, 1))), None);
    }

    #[test]
    fn a_place_has_the_lines_around_it() {
        let source = SourceText::new("one\ntwo three\nfour\n".to_owned());
        let lines = source.lines(&place((2, 5), (3, 3)));
        let expected = Lines {
            text: "two three\nfour".to_owned(),
            first: 2,
            covered: 4..12,
        };
        assert_eq!(lines, Some(expected));
    }

    #[test]
    fn the_use_of_a_macro_is_found() {
        for (text, found) in [
            ("MAX(a, f(b)) > c", "MAX(a, f(b))"),
            ("EMPTY) {", "EMPTY"),
            ("ONE + TWO", "ONE"),
            ("OPEN(a, b", "OPEN"),
            ("LAST", "LAST"),
            ("+ 1", ""),
        ] {
            assert_eq!(&text[..invocation(text)], found, "{text}");
        }
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("longer than that", 8), "longer…");
    }
}
