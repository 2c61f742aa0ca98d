//! Splits a text into tokens with their places.

use super::ParseError;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Number(u128),
    /// A quoted string, unescaped; not always UTF-8.
    Quoted(Vec<u8>),
    Symbol(&'static str),
    End,
}

/// A token and where it starts.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub line: u32,
    pub column: u32,
}

/// Longer symbols first, so that the first match is the longest.
const SYMBOLS: [&str; 27] = [
    "...", "->", "=>", "..", "&&", "||", "(", ")", "{", "}", "[", "]", ",", ":", ";", "=", "*",
    "&", "+", "-", "!", "?", "@", ".", "/", "<", ">",
];

impl Token {
    /// How an error message shows the token.
    pub fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Quoted(bytes) => format!("\"{}\"", String::from_utf8_lossy(bytes)),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
}

/// The tokens of a text, with [`Token::End`] as the last.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, ParseError> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
        line_start: 0,
    };
    let mut lexemes = Vec::new();
    loop {
        lexer.skip_blank();
        let (line, column) = (lexer.line, lexer.column());
        let token = lexer.token()?;
        let end = token == Token::End;
        lexemes.push(Lexeme {
            token,
            line,
            column,
        });
        if end {
            return Ok(lexemes);
        }
    }
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn column(&self) -> u32 {
        (self.at - self.line_start + 1) as u32
    }

    fn error(&self, expected: &str, found: String) -> ParseError {
        ParseError {
            line: self.line,
            column: self.column(),
            expected: expected.to_owned(),
            found,
        }
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with('\n') {
                self.at += 1;
                self.line += 1;
                self.line_start = self.at;
            } else if rest.starts_with([' ', '\t', '\r']) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Result<Token, ParseError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        if first.is_ascii_alphabetic() || first == '_' {
            let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            return Ok(Token::Word(word.to_owned()));
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == '"' {
            return self.quoted();
        }
        match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Token::Symbol(symbol))
            }
            None => Err(self.error("a word, number, string or symbol", format!("`{first}`"))),
        }
    }

    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Result<Token, ParseError> {
        let place = self.error("a number of at most 128 bits", "a larger one".to_owned());
        let hex = self.rest().starts_with("0x")
            && self.rest()[2..].starts_with(|c: char| c.is_ascii_hexdigit());
        let number = if hex {
            self.at += 2;
            u128::from_str_radix(self.take(|c| c.is_ascii_hexdigit()), 16)
        } else {
            self.take(|c| c.is_ascii_digit()).parse()
        };
        number.map(Token::Number).map_err(|_| place)
    }

    fn quoted(&mut self) -> Result<Token, ParseError> {
        let unfinished = self.error("a closing quote on the same line", "none".to_owned());
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return Err(unfinished);
            };
            match first {
                '"' => {
                    self.at += 1;
                    return Ok(Token::Quoted(bytes));
                }
                '\n' => return Err(unfinished),
                '\\' => bytes.push(self.escape()?),
                _ => {
                    let length = first.len_utf8();
                    bytes.extend_from_slice(&rest.as_bytes()[..length]);
                    self.at += length;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u8, ParseError> {
        let wrong = self.error(r#"one of \n \t \0 \\ \" \xHH"#, "another escape".to_owned());
        let rest = self.rest().as_bytes();
        let (byte, length) = match rest.get(1) {
            Some(b'n') => (b'\n', 2),
            Some(b't') => (b'\t', 2),
            Some(b'0') => (0, 2),
            Some(b'\\') => (b'\\', 2),
            Some(b'"') => (b'"', 2),
            Some(b'x') => {
                let digits = self.rest().get(2..4).ok_or(wrong.clone())?;
                (u8::from_str_radix(digits, 16).map_err(|_| wrong)?, 4)
            }
            _ => return Err(wrong),
        };
        self.at += length;
        Ok(byte)
    }
}

/// Bytes as [`lex`] reads them back, with the quotes.
pub(super) fn quote_bytes(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            0 => text.push_str("\\0"),
            b'\\' => text.push_str("\\\\"),
            b'"' => text.push_str("\\\""),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push('"');
    text
}
