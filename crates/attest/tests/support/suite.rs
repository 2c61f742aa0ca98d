//! The suites that `attest cover` writes.

use serde_json::Value;

use crate::attest::Folder;

/// The `suite.json` of `out` in a folder.
///
/// # Panics
///
/// There is none, or it is no JSON.
pub fn read(folder: &Folder) -> Value {
    let text = std::fs::read_to_string(folder.path("out/suite.json")).expect("a suite");
    serde_json::from_str(&text).expect("JSON")
}
