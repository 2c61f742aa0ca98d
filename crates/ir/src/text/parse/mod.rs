//! Reads a program from text.
//!
//! Two passes: the first reads all items, with types as trees and function bodies skipped; then
//! types get their ids in the order that the text fixes, names are known, and bodies are read.

mod body;
mod cursor;
mod items;
mod labels;
mod resolve;
mod rvalue;
mod types;

use crate::Program;

use super::ParseError;
use cursor::Cursor;

/// The program of a text.
pub(super) fn parse(text: &str) -> Result<Program, ParseError> {
    let mut cursor = Cursor::new(text)?;
    let items = items::items(&mut cursor)?;
    resolve::program(cursor, items)
}
