//! Steps through the tokens of a text.

use super::super::lexer::{Lexeme, Token, lex};
use super::ParseError;

/// How deeply types and formulas may nest.
const NESTING: u32 = 200;

/// The tokens and the position of the next one.
pub(super) struct Cursor {
    tokens: Vec<Lexeme>,
    at: usize,
    nesting: u32,
}

impl Cursor {
    pub fn new(text: &str) -> Result<Self, ParseError> {
        Ok(Cursor {
            tokens: lex(text)?,
            at: 0,
            nesting: 0,
        })
    }

    /// The position, to return to.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position.
    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    /// The next token; at the end, the end each time.
    pub fn peek(&self) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[self.at.min(last)].token
    }

    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// An error at the next token.
    pub fn error<T>(&self, expected: &str) -> Result<T, ParseError> {
        self.error_at(self.at, expected)
    }

    /// An error at the token of a position.
    pub fn error_at<T>(&self, position: usize, expected: &str) -> Result<T, ParseError> {
        let lexeme = &self.tokens[position.min(self.tokens.len() - 1)];
        Err(ParseError {
            line: lexeme.line,
            column: lexeme.column,
            expected: expected.to_owned(),
            found: lexeme.token.describe(),
        })
    }

    pub fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    pub fn accept(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.accept(symbol) {
            return Ok(());
        }
        self.error(&format!("`{symbol}`"))
    }

    pub fn word(&self) -> Option<&str> {
        match self.peek() {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.accept_word(word) {
            return Ok(());
        }
        self.error(&format!("`{word}`"))
    }

    /// The number of an id such as `bb3` if the next token is one.
    pub fn peek_id(&self, prefix: &str) -> Option<u32> {
        let digits = self.word()?.strip_prefix(prefix)?;
        let all = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse().ok().filter(|_| all)
    }

    pub fn accept_id(&mut self, prefix: &str) -> Option<u32> {
        let id = self.peek_id(prefix)?;
        self.at += 1;
        Some(id)
    }

    pub fn id(&mut self, prefix: &str) -> Result<u32, ParseError> {
        match self.accept_id(prefix) {
            Some(id) => Ok(id),
            None => self.error(&format!("an id such as `{prefix}0`")),
        }
    }

    /// An id that must be the next of its kind, so that ids are the order of the text.
    pub fn next_id(&mut self, prefix: &str, number: usize) -> Result<(), ParseError> {
        if self.peek_id(prefix).is_some_and(|id| id as usize == number) {
            self.at += 1;
            return Ok(());
        }
        self.error(&format!("`{prefix}{number}`"))
    }

    pub fn number(&mut self) -> Result<u128, ParseError> {
        match *self.peek() {
            Token::Number(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => self.error("a number"),
        }
    }

    /// A number that fits a smaller type.
    pub fn small<T: TryFrom<u128>>(&mut self) -> Result<T, ParseError> {
        let position = self.at;
        let number = self.number()?;
        T::try_from(number).or_else(|_| self.error_at(position, "a smaller number"))
    }

    /// A number with an optional minus sign.
    pub fn signed(&mut self) -> Result<i128, ParseError> {
        let position = self.at;
        let negative = self.accept("-");
        let number = self.number()?;
        let value = if negative {
            0i128.checked_sub_unsigned(number)
        } else {
            i128::try_from(number).ok()
        };
        value.map_or_else(|| self.error_at(position, "a number of 128 bits"), Ok)
    }

    pub fn quoted(&mut self) -> Result<Vec<u8>, ParseError> {
        match self.peek().clone() {
            Token::Quoted(bytes) => {
                self.at += 1;
                Ok(bytes)
            }
            _ => self.error("a string in quotes"),
        }
    }

    /// Whether a string in quotes is next.
    pub fn at_string(&self) -> bool {
        matches!(self.peek(), Token::Quoted(_))
    }

    /// A string in quotes that is UTF-8.
    pub fn string(&mut self) -> Result<String, ParseError> {
        let position = self.at;
        let bytes = self.quoted()?;
        String::from_utf8(bytes).or_else(|_| self.error_at(position, "UTF-8"))
    }

    /// A name: a word, or a string in quotes.
    pub fn name(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Token::Word(word) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            Token::Quoted(_) => self.string(),
            _ => self.error("a name"),
        }
    }

    /// A name, or `?` for none.
    pub fn optional_name(&mut self) -> Result<Option<String>, ParseError> {
        if self.accept("?") {
            return Ok(None);
        }
        self.name().map(Some)
    }

    /// Elements separated by commas up to a closing symbol, which is consumed; a comma may end
    /// them.
    pub fn list<T>(
        &mut self,
        close: &str,
        mut element: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut elements = Vec::new();
        while !self.accept(close) {
            elements.push(element(self)?);
            if !self.accept(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(elements)
    }

    /// Reads something that may contain itself, up to a fixed depth.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.nesting == NESTING {
            return self.error("less deep nesting");
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Skips a piece in braces, whose opening brace is next.
    pub fn skip_braces(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        let mut depth = 0u32;
        loop {
            match self.next() {
                Token::Symbol("{") => depth += 1,
                Token::Symbol("}") => depth -= 1,
                Token::End => return self.error_at(start, "a `}` that belongs to this `{`"),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
