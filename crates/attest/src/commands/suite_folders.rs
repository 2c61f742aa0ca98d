//! The folders of suites that `attest cover` wrote below one folder: of one function, or of several.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Failure;

/// The folders below a folder, one for each function, or for those with these names; the folder
/// itself where it holds the suite of one function.
pub fn suite_folders(directory: &Path, functions: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let summary = directory.join("summary.json");
    if directory.join("suite.json").exists() || !summary.exists() {
        return match functions {
            [] => Ok(vec![directory.to_owned()]),
            [name, ..] => Err(Failure::bad_input(
                format!("{} is no folder of several functions", directory.display()),
                format!("leave out -f {name}"),
            )),
        };
    }
    let all = listed(&summary)?;
    let mut folders = Vec::new();
    for name in functions {
        let before = folders.len();
        let named = all.iter().filter(|(function, _)| function == name);
        folders.extend(named.map(|(_, folder)| directory.join(folder)));
        if folders.len() == before {
            let title = format!("{} has no function `{name}`", summary.display());
            return Err(Failure::bad_input(title, "name a function that it lists"));
        }
    }
    if functions.is_empty() {
        folders.extend(all.iter().map(|(_, folder)| directory.join(folder)));
    }
    Ok(folders)
}

/// The functions that a summary lists, each with its folder.
fn listed(summary: &Path) -> Result<Vec<(String, String)>, Failure> {
    let unusable = |why: String| {
        let title = format!("cannot read {}: {why}", summary.display());
        Failure::bad_input(title, "name a folder that `attest cover` wrote (-o)")
    };
    let text = std::fs::read_to_string(summary).map_err(|error| unusable(error.to_string()))?;
    let read: Value = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    let word = |line: &Value, key: &str| line[key].as_str().map(str::to_owned);
    let lines = read["functions"].as_array().into_iter().flatten();
    Ok(lines
        .filter_map(|line| Some((word(line, "function")?, word(line, "directory")?)))
        .collect())
}
