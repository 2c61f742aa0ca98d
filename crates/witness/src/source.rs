//! The text of a C file: where loops have their parts, and texts put into it.

use ir::{HeadKind, SourceHead};

/// The text of a file.
pub struct Source<'t> {
    text: &'t str,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// How a condition at a place is said in a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpotKind {
    /// It holds whenever the condition of the loop there is about to be evaluated.
    Loop,
    /// It holds whenever control is before the statement there.
    Statement,
}

/// A place of the text at which a condition can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// How it is said.
    pub kind: SpotKind,
    /// Where: the keyword of the loop, or the start of the statement.
    pub at: usize,
    /// Where code that is executed at that moment can be put.
    code: usize,
    form: Form,
}

/// The form of code that is put into the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// An expression before another one.
    Expression,
    /// The whole condition of a loop that has none.
    Condition,
    /// A statement before another one.
    Statement,
}

impl Spot {
    /// Code that evaluates some expressions there, to be put into the text.
    pub fn code(&self, expressions: &[String]) -> (usize, String) {
        let all = expressions.join(", ");
        let text = match self.form {
            Form::Expression => format!("{all}, "),
            Form::Condition => format!("{all}, 1"),
            Form::Statement => format!("{all}; "),
        };
        (self.code, text)
    }
}

impl<'t> Source<'t> {
    /// The text of a file.
    pub fn new(text: &'t str) -> Source<'t> {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        Source {
            text,
            lines: lines.collect(),
        }
    }

    /// The offset of a line and column, which count from 1.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = self.lines.get((line as usize).checked_sub(1)?)?;
        let at = start + (column as usize).checked_sub(1)?;
        (at <= self.text.len() && self.text.is_char_boundary(at)).then_some(at)
    }

    /// The line and column of an offset.
    pub fn position(&self, at: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&start| start <= at);
        let start = self.lines[line.saturating_sub(1)];
        (line as u32, (at - start) as u32 + 1)
    }

    /// Where a condition at a head of the file can be said, if it can.
    pub fn spot(&self, head: &SourceHead) -> Option<Spot> {
        if !head.span.expansions.is_empty() {
            return None;
        }
        let at = self.offset(head.span.begin.line, head.span.begin.column)?;
        let (word, behind) = self.token(at)?;
        let (kind, at, code, form) = match head.kind {
            HeadKind::While if word == "while" => (
                SpotKind::Loop,
                at,
                self.past(behind, "(")?,
                Form::Expression,
            ),
            HeadKind::For if word == "for" => {
                let code = self.first_semicolon(self.past(behind, "(")?)?;
                let form = match self.token(code)?.0 {
                    ";" => Form::Condition,
                    _ => Form::Expression,
                };
                (SpotKind::Loop, at, code, form)
            }
            HeadKind::Do if word == "do" => {
                let first = self.blanks(self.past(behind, "{")?);
                let is_plain = self.is_plain_statement(first);
                is_plain.then_some((SpotKind::Statement, first, first, Form::Statement))?
            }
            HeadKind::Label => {
                let is_own = self.text[at..].starts_with(word);
                (is_own && self.is_plain_statement(at)).then_some((
                    SpotKind::Statement,
                    at,
                    at,
                    Form::Statement,
                ))?
            }
            _ => return None,
        };
        Some(Spot {
            kind,
            at,
            code,
            form,
        })
    }

    /// Whether its lines are those of the file: none has a number from a directive.
    pub fn has_own_lines(&self) -> bool {
        self.text.lines().all(|line| {
            let Some(directive) = line.trim_start().strip_prefix('#') else {
                return true;
            };
            let word = directive.trim_start();
            !word.starts_with("line") && !word.starts_with(|it: char| it.is_ascii_digit())
        })
    }

    /// Whether a statement starts there that control enters at its start only, as far as words tell.
    fn is_plain_statement(&self, at: usize) -> bool {
        let Some((word, behind)) = self.token(at) else {
            return false;
        };
        let is_label = self.token(behind).is_some_and(|(next, _)| next == ":");
        // At the keyword of a loop, a condition would be one of all its rounds.
        let is_loop = matches!(word, "while" | "for" | "do");
        !is_label && !is_loop && !matches!(word, "{" | "}" | "#" | "case" | "default")
    }

    /// The part of the text between two offsets, if it is an expression without statements.
    pub fn expression(&self, begin: usize, end: usize) -> Option<&'t str> {
        let text = self.text.get(begin..end).filter(|text| !text.is_empty())?;
        let part = Source::new(text);
        let mut depth = 0_i32;
        let mut at = 0;
        while let Some((word, behind)) = part.token(at) {
            match word {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                ";" | "{" | "}" | "#" => return None,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
            at = behind;
        }
        (depth == 0).then_some(text)
    }

    /// The offset behind a word that comes next.
    fn past(&self, at: usize, wanted: &str) -> Option<usize> {
        let (word, behind) = self.token(at)?;
        (word == wanted).then_some(behind)
    }

    /// The offset behind the first semicolon outside of brackets.
    fn first_semicolon(&self, from: usize) -> Option<usize> {
        let mut depth = 0_u32;
        let mut at = from;
        loop {
            let (word, behind) = self.token(at)?;
            match word {
                ";" if depth == 0 => return Some(behind),
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                "#" => return None,
                _ => {}
            }
            at = behind;
        }
    }

    /// The next word, number, literal or other character, and the offset behind it.
    fn token(&self, at: usize) -> Option<(&'t str, usize)> {
        let start = self.blanks(at);
        let rest = self.text.get(start..)?;
        let first = rest.chars().next()?;
        let length = match first {
            '"' | '\'' => literal(rest)?,
            _ if is_word(first) => rest.find(|it| !is_word(it)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        Some((&rest[..length], start + length))
    }

    /// The offset behind blanks and comments.
    fn blanks(&self, at: usize) -> usize {
        let mut at = at;
        while let Some(rest) = self.text.get(at..) {
            let skipped = if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("\\\n") {
                2
            } else {
                rest.len() - rest.trim_start().len()
            };
            if skipped == 0 {
                break;
            }
            at += skipped;
        }
        at
    }
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_' || it == '$'
}

/// The length of the literal that a text begins with.
fn literal(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            _ if it == quote => return Some(at + it.len_utf8()),
            _ => {}
        }
    }
    None
}

/// A text with others put into it, each at an offset; those at one offset in their order.
pub fn edited(text: &str, pieces: &[(usize, String)]) -> String {
    let mut sorted: Vec<&(usize, String)> = pieces.iter().collect();
    sorted.sort_by_key(|(at, _)| *at);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (at, piece) in sorted {
        result.push_str(&text[done..*at]);
        result.push_str(piece);
        done = *at;
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_positions_agree() {
        let source = Source::new("ab\n\ncd");
        for (at, line, column) in [(0, 1, 1), (1, 1, 2), (3, 2, 1), (4, 3, 1), (5, 3, 2)] {
            assert_eq!(source.offset(line, column), Some(at));
            assert_eq!(source.position(at), (line, column));
        }
        assert_eq!(source.offset(9, 1), None);
        assert_eq!(source.offset(0, 1), None);
    }

    #[test]
    fn words_are_told_from_comments_and_literals() {
        let source = Source::new("for /* ; */ (i = ';'; // ;\n f(\"(;\"); )");
        let paren = source.past(3, "(").unwrap_or(0);
        let first = source.first_semicolon(paren);
        assert_eq!(first, Some(21));
        let second = source.first_semicolon(21);
        assert_eq!(second.map(|at| &source.text[at - 2..at]), Some(");"));
    }

    #[test]
    fn expressions_have_no_statements() {
        let source = Source::new("a[f(1)] && b; c)");
        assert_eq!(source.expression(0, 12), Some("a[f(1)] && b"));
        assert_eq!(source.expression(0, 15), None);
        assert_eq!(source.expression(14, 16), None);
    }

    #[test]
    fn texts_are_put_in_their_order() {
        let pieces = [
            (2, "x".to_owned()),
            (0, "y".to_owned()),
            (2, "z".to_owned()),
        ];
        assert_eq!(edited("abc", &pieces), "yabxzc");
    }
}
