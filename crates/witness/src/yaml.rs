//! The format of witnesses: lists of invariants with what they are about, in YAML.

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::source::SpotKind;

/// The version of the format.
const VERSION: &str = "2.0";

/// The space of names in which the identifiers of witnesses are made.
const NAMES: Uuid = Uuid::from_u128(0x6d0c_5f6e_2a3b_4c1d_9e8f_7a6b_5c4d_3e2f);

/// What a witness is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// The path of the program.
    pub input_files: Vec<String>,
    /// The SHA-256 of each file, by its path.
    pub input_file_hashes: std::collections::BTreeMap<String, String>,
    /// The property that holds.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
    /// The language.
    pub language: String,
}

impl Task {
    /// The claim that a program, a file by its path and text, never calls `reach_error`.
    pub fn without_errors(path: &str, text: &str, pointer_width: u32) -> Task {
        let model = match pointer_width {
            32 => "ILP32",
            _ => "LP64",
        };
        Task {
            input_files: vec![path.to_owned()],
            input_file_hashes: [(path.to_owned(), digest(text.as_bytes()))].into(),
            specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned(),
            data_model: model.to_owned(),
            language: "C".to_owned(),
        }
    }
}

/// By whom a witness is made, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The version of attest.
    pub version: String,
    /// The time, as ISO 8601 has it.
    pub creation_time: String,
}

/// An invariant at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// How it is meant.
    pub kind: SpotKind,
    /// The file.
    pub file_name: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The function.
    pub function: String,
    /// The condition, as a C expression.
    pub value: String,
}

#[derive(Serialize)]
struct Entry<'a> {
    entry_type: &'static str,
    metadata: MetadataEntry<'a>,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
struct MetadataEntry<'a> {
    format_version: &'static str,
    uuid: String,
    creation_time: &'a str,
    producer: Producer<'a>,
    task: &'a Task,
}

#[derive(Serialize)]
struct Producer<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Content<'a> {
    invariant: InvariantEntry<'a>,
}

#[derive(Serialize)]
struct InvariantEntry<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    location: Location<'a>,
    value: &'a str,
    format: &'static str,
}

#[derive(Serialize)]
struct Location<'a> {
    file_name: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
}

/// The text of a witness.
///
/// # Errors
/// A value that YAML cannot represent; these types have none.
pub fn witness(
    metadata: &Metadata,
    task: &Task,
    invariants: &[Invariant],
) -> Result<String, serde_norway::Error> {
    let content: Vec<Content<'_>> = invariants.iter().map(content).collect();
    // A witness of the same content, made at the same time, is the same witness.
    let named = (task, &metadata.creation_time, &metadata.version, &content);
    let named = serde_norway::to_string(&named)?;
    let entry = Entry {
        entry_type: "invariant_set",
        metadata: MetadataEntry {
            format_version: VERSION,
            uuid: Uuid::new_v5(&NAMES, named.as_bytes()).to_string(),
            creation_time: &metadata.creation_time,
            producer: Producer {
                name: "attest",
                version: &metadata.version,
            },
            task,
        },
        content,
    };
    serde_norway::to_string(&[entry])
}

fn content(invariant: &Invariant) -> Content<'_> {
    Content {
        invariant: InvariantEntry {
            kind: match invariant.kind {
                SpotKind::Loop => "loop_invariant",
                SpotKind::Statement => "location_invariant",
            },
            location: Location {
                file_name: &invariant.file_name,
                line: invariant.line,
                column: invariant.column,
                function: &invariant.function,
            },
            value: &invariant.value,
            format: "c_expression",
        },
    }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(b""), empty);
    }

    #[test]
    fn values_that_yaml_takes_for_something_else_are_quoted() {
        let invariant = |value: &str| Invariant {
            kind: SpotKind::Loop,
            file_name: "a.c".to_owned(),
            line: 3,
            column: 5,
            function: "main".to_owned(),
            value: value.to_owned(),
        };
        let values = [
            "*p == 1",
            "!x",
            "a & b",
            "1",
            "x ? y : z",
            "a # b",
            "{0}",
            "null",
        ];
        let task = Task::without_errors("a.c", "", 64);
        let metadata = Metadata {
            version: "1".to_owned(),
            creation_time: "2026-01-01T00:00:00Z".to_owned(),
        };
        let text = witness(&metadata, &task, &values.map(invariant)).unwrap_or_default();
        let read: serde_norway::Value = serde_norway::from_str(&text).unwrap_or_default();
        let content = &read[0]["content"];
        for (at, value) in values.iter().enumerate() {
            let invariant = &content[at]["invariant"];
            assert_eq!(invariant["value"].as_str(), Some(*value), "{text}");
            assert_eq!(invariant["location"]["line"].as_u64(), Some(3));
        }
        assert_eq!(read[0]["metadata"]["format_version"].as_str(), Some("2.0"));
        assert_eq!(
            witness(&metadata, &task, &values.map(invariant)).ok(),
            Some(text)
        );
    }
}
