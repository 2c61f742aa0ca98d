//! Places in the C source, seen through macros.

use crate::FileId;

/// A source or header file, as the compiler named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as clang reports it: relative to the working directory, or absolute.
    pub path: String,
}

impl SourceFile {
    /// Whether it is a header that comes with the system.
    pub fn is_of_system(&self) -> bool {
        ["/usr/include/", "/usr/lib/", "/usr/local/include/"]
            .iter()
            .any(|prefix| self.path.starts_with(prefix))
    }
}

/// A point in a file. Lines and columns count from 1; columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// One macro expansion that a piece of code came through.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expansion {
    /// The macro's name.
    pub name: String,
    /// Where the macro's name stands: in the file for the outermost expansion, inside another
    /// macro's body for an inner one.
    pub at: Position,
}

/// A piece of source: where it is spelled, and through which macros it came there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First character, where it is spelled (inside the `#define` for code from a macro body).
    pub begin: Position,
    /// One past the last character, where it is spelled.
    pub end: Position,
    /// The macro expansions around it, outermost first; empty for code written in place.
    pub expansions: Vec<Expansion>,
}

impl Span {
    /// The place a reader looks at: the outermost macro's name, or where the code is spelled.
    pub fn place(&self) -> Position {
        self.expansions
            .first()
            .map_or(self.begin, |outermost| outermost.at)
    }
}
