//! The documents name files and functions of the code. These tests hold them to what is there.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts between backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The source files at a path: a file, or all that lie in a folder.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.flat_map(|entry| sources(&entry.path())).collect()
}

/// What is wrong with the names in a cell of the column "Where": paths below `crates`, and behind paths names
/// that stand in a file at one of them.
fn wrong_names(cell: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    for name in quoted(cell) {
        if name.contains('/') {
            let found = sources(&workspace().join("crates").join(name));
            if found.is_empty() {
                wrong.push(format!("no file: {name}"));
            }
            files.extend(found);
        } else if !files
            .iter()
            .any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(name)))
        {
            wrong.push(format!("`{name}` does not stand there: {cell}"));
        }
    }
    wrong
}

#[test]
fn each_assumption_names_code_that_exists() {
    let text =
        fs::read_to_string(workspace().join("docs/soundness.md")).expect("docs/soundness.md");
    let places: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .filter_map(|line| match line.split('|').collect::<Vec<_>>()[..] {
            ["", _, place, _, ""] if place.contains('/') => Some(place),
            _ => None,
        })
        .collect();
    assert!(
        places.len() > 50,
        "the tables of assumptions have a column of places"
    );
    let wrong: Vec<String> = places.iter().flat_map(|place| wrong_names(place)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
