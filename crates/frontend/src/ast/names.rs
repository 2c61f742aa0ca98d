//! What other units, and code that C does not know, reach by names.

use serde::Deserialize;

/// Another name of a function or an object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// What it names: the function or the object, or another alias.
    pub target: String,
}

/// Functions and variables by their indices.
#[derive(Debug, Default, Deserialize)]
pub struct Exposed {
    /// Indices in `functions` of those that run before `main`, or when the program ends, in ways
    /// that C does not know: by sections of pointers, assembly or `ifunc`.
    #[serde(default)]
    pub started: Vec<usize>,
    /// Indices in `functions`.
    pub functions: Vec<usize>,
    /// Indices in `variables`.
    pub variables: Vec<usize>,
}
