//! `proofs.json`: the proofs of unreachable goals, as `attest check` reads them.

use ir::certificate::GoalProof;
use serde::{Deserialize, Serialize};

/// The number of the format; others are refused.
const FORMAT: u32 = 1;

/// The proofs of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofsRecord {
    format: u32,
    /// The proofs, by the goals of `suite.json`.
    pub proofs: Vec<GoalProof>,
}

impl ProofsRecord {
    /// The name of the file, beside `suite.json`.
    pub const FILE: &'static str = "proofs.json";

    /// Some proofs.
    pub fn new(proofs: Vec<GoalProof>) -> ProofsRecord {
        ProofsRecord {
            format: FORMAT,
            proofs,
        }
    }

    /// Reads `proofs.json`; `None` if it is of another format.
    ///
    /// # Errors
    /// The text is not what attest writes.
    pub fn parse(text: &str) -> Result<Option<Self>, serde_json::Error> {
        let read: ProofsRecord = serde_json::from_str(text)?;
        Ok((read.format == FORMAT).then_some(read))
    }

    /// The text of `proofs.json`.
    ///
    /// # Errors
    /// A value that JSON cannot represent; these types have none.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}
