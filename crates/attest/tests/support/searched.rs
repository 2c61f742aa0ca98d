//! Searches on fixtures, without a native run.

use std::process::Command;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::fixture::{Fixture, workspace};

/// The suite of a fixture, searched with further options; `None` if attest cannot do with them.
pub fn suite(path: &str, fixture: &Fixture, options: &[&str]) -> Result<Option<Value>, Failed> {
    let scratch = tempfile::tempdir()?;
    let arguments = fixture.arguments.iter();
    let output = Command::new(env!("CARGO_BIN_EXE_attest"))
        .args(arguments.filter(|argument| *argument != "--no-replay"))
        .args(options)
        .args([path, "--no-replay", "-o"])
        .arg(scratch.path())
        .arg("--")
        .args(&fixture.flags)
        .current_dir(workspace())
        .output()?;
    let Ok(text) = std::fs::read_to_string(scratch.path().join("suite.json")) else {
        return match output.status.code() {
            Some(2) => Ok(None),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
        };
    };
    Ok(Some(serde_json::from_str(&text)?))
}

/// What stands under a key as a list.
pub fn list(suite: &Value, key: &str) -> Vec<Value> {
    suite[key].as_array().cloned().unwrap_or_default()
}
