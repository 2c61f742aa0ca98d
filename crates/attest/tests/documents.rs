//! The documents name files and functions of the code. These tests hold them to what is there.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The source files at a path: a file, or all that lie in a folder.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.flat_map(|entry| sources(&entry.path())).collect()
}

/// What is wrong with the names in a list of places: paths below `crates`, and behind paths names
/// that stand in a file at one of them.
fn wrong_names(places: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    for name in quoted(places) {
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
            wrong.push(format!("`{name}` does not stand there: {places}"));
        }
    }
    wrong
}

/// The items of the lists of a text, each on one line.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(start) = line.strip_prefix("* ") {
            items.push(start.to_owned());
            inside = true;
        } else if let Some(item) = items
            .last_mut()
            .filter(|_| inside && line.starts_with("  "))
        {
            item.push(' ');
            item.push_str(line.trim_start());
        } else {
            inside = false;
        }
    }
    items
}

/// The places that an assumption names, if it has all its parts: a name, what is assumed, places,
/// and what lifts it.
fn places(item: &str) -> Option<&str> {
    let (_, assumed) = item.strip_prefix("**")?.split_once(".** ")?;
    let (assumed, rest) = assumed.split_once(" Where: ")?;
    let (places, lifted_by) = rest.split_once(". Lifted by: ")?;
    let has_all = !assumed.is_empty() && places.contains('/') && lifted_by.len() > 1;
    has_all.then_some(places)
}

#[test]
fn each_assumption_names_code_that_exists() {
    let text =
        fs::read_to_string(workspace().join("docs/soundness.md")).expect("docs/soundness.md");
    let (assumptions, _) = text
        .split_once("\n## What is recorded as a bound\n")
        .expect("the assumptions come before the bounds");
    let items = items(assumptions);
    assert!(items.len() > 50, "the assumptions stand in lists");
    let wrong: Vec<String> = items
        .iter()
        .flat_map(|item| match places(item) {
            Some(places) => wrong_names(places),
            None => vec![format!(
                "no name, no place, or nothing about lifting it: {item}"
            )],
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
