//! `paths.json`: the paths of a search that took all, as `attest check` reads them.

use ir::certificate::paths::SearchPaths;
use serde::{Deserialize, Serialize};

/// The number of the format; others are refused.
const FORMAT: u32 = 1;

/// The paths of the search of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathsRecord {
    format: u32,
    /// The paths.
    #[serde(flatten)]
    pub paths: SearchPaths,
}

impl PathsRecord {
    /// The name of the file, beside `suite.json`.
    pub const FILE: &'static str = "paths.json";

    /// Some paths.
    pub fn new(paths: SearchPaths) -> PathsRecord {
        PathsRecord {
            format: FORMAT,
            paths,
        }
    }

    /// Reads `paths.json`; `None` if it is of another format.
    ///
    /// # Errors
    /// The text is not what attest writes.
    pub fn parse(text: &str) -> Result<Option<Self>, serde_json::Error> {
        let read: PathsRecord = serde_json::from_str(text)?;
        Ok((read.format == FORMAT).then_some(read))
    }

    /// The text of `paths.json`, without indentation: there may be many values.
    ///
    /// # Errors
    /// A value that JSON cannot represent; these types have none.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}
