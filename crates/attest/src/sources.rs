//! The text of source files, read once, for excerpts.

use std::collections::HashMap;

use ir::{Program, Span};

/// A piece of a source file; lines and columns count from 1, columns in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's path.
    pub path: String,
    /// Line and column of the first character.
    pub begin: (u32, u32),
    /// Line and column one past the last character; the same as `begin` if only a point is known.
    pub end: (u32, u32),
}

impl Place {
    /// Where a reader looks for a span: the whole piece, or the outermost macro's name. Empty for
    /// what a macro makes of nothing that is written there.
    pub fn of(program: &Program, span: &Span) -> Place {
        let (begin, end) = match span.expansions.first() {
            None => (span.begin, (span.end.line, span.end.column)),
            Some(outermost) => {
                let column = outermost.at.column + outermost.name.len() as u32;
                (outermost.at, (outermost.at.line, column))
            }
        };
        let path = program.files.get(begin.file);
        Place {
            path: path.map_or_else(String::new, |file| file.path.clone()),
            begin: (begin.line, begin.column),
            end,
        }
    }

    /// Where a span is spelled in the body of a macro; nothing for code that is written in place.
    fn in_macro(program: &Program, span: &Span) -> Option<Place> {
        let path = program.files.get(span.begin.file)?.path.clone();
        let (begin, end) = (span.begin, span.end);
        (!span.expansions.is_empty() && begin.file == end.file).then_some(Place {
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

/// The text of source files, each read when it is first asked for.
#[derive(Debug, Default)]
pub struct Sources {
    files: HashMap<String, Option<String>>,
}

impl Sources {
    /// The text of a file; `None` if it cannot be read. Bytes that are not UTF-8 are replaced.
    pub fn text(&mut self, path: &str) -> Option<&str> {
        self.files
            .entry(path.to_owned())
            .or_insert_with(|| {
                let bytes = std::fs::read(path).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            })
            .as_deref()
    }

    /// What a span covers, on one line: of code in a macro, behind the name of the outermost one.
    pub fn excerpt_of(&mut self, program: &Program, span: &Span, width: usize) -> Option<String> {
        let outer = self.excerpt(&Place::of(program, span), width)?;
        let inner = Place::in_macro(program, span).and_then(|place| self.excerpt(&place, width));
        Some(
            match inner.filter(|inner| !inner.is_empty() && *inner != outer) {
                Some(inner) => shortened(&format!("{outer}: {inner}"), width),
                None => outer,
            },
        )
    }

    /// What a place covers, on one line and at most `width` characters long.
    pub fn excerpt(&mut self, place: &Place, width: usize) -> Option<String> {
        let text = self.text(&place.path)?;
        let mut range = byte_range(text, place)?;
        if range.is_empty() {
            range.end += invocation(text.get(range.start..)?);
        }
        let words: Vec<&str> = text.get(range)?.split_whitespace().collect();
        Some(shortened(&words.join(" "), width))
    }
}

/// The bytes of a file's text that a place covers.
pub fn byte_range(text: &str, place: &Place) -> Option<std::ops::Range<usize>> {
    let begin = offset(text, place.begin)?;
    let end = offset(text, place.end)?.max(begin);
    Some(begin..end)
}

/// The offset of a line and column, moved down to a character's start and into its line.
fn offset(text: &str, (line, column): (u32, u32)) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let rest = text.get(start..)?;
    let length = rest.find('\n').unwrap_or(rest.len());
    let within = (column.max(1) as usize - 1).min(length);
    let mut offset = start + within;
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    Some(offset)
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
    use super::{Place, byte_range, invocation, shortened};

    fn place(begin: (u32, u32), end: (u32, u32)) -> Place {
        Place {
            path: "x.c".to_owned(),
            begin,
            end,
        }
    }

    #[test]
    fn places_become_byte_ranges() {
        let text = "int f;\nint ä = 1;\nlast";
        let covered = |p| byte_range(text, &p).and_then(|range| text.get(range));
        assert_eq!(covered(place((1, 5), (1, 6))), Some("f"));
        assert_eq!(covered(place((2, 5), (2, 7))), Some("ä"));
        assert_eq!(covered(place((2, 5), (2, 6))), Some(""));
        assert_eq!(covered(place((1, 5), (2, 4))), Some("f;\nint"));
        assert_eq!(covered(place((3, 1), (3, 99))), Some("last"));
        assert_eq!(covered(place((4, 1), (4, 1))), None);
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
