//! C files that say in comments what attest must find: the format.
//!
//! ```c
//! // attest: cover -f FUNCTION [options] [-- CFLAGS]
//! // defect: KIND LINE           for each defect; `unshown` behind it if no compiled test shows it,
//! //                             then `if` and the kinds of assumptions that it rests on
//! // exit: N                     if it is not 0, or not 1 with a certain defect
//! int f(int a) {
//!     if (a > 0 && a < 0)  //~ T unreachable, F covered
//!         switch (a) {     //~ default covered
//!         case 7:          //~ case 7 covered
//! ```
//!
//! Several decisions on one line are separated by `|`, in source order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder that paths of fixtures start from.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The paths of all annotated C files.
pub fn paths() -> Vec<String> {
    let folders = ["tests/fixtures", "examples"].into_iter();
    let files = folders.flat_map(|folder| {
        let names = c_files(&workspace().join(folder));
        assert!(!names.is_empty(), "{folder} holds no C file");
        names
            .into_iter()
            .map(move |name| format!("{folder}/{name}"))
    });
    files.collect()
}

/// The names of the C files in a folder, sorted.
///
/// # Panics
///
/// If the folder cannot be read: a test of each file would be none.
pub fn c_files(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.map(|entry| entry.file_name().into_string());
        name.unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .unwrap_or_else(|name| panic!("{name:?} is not UTF-8"))
    };
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries.map(name).collect();
    names.retain(|name| name.ends_with(".c"));
    names.sort();
    names
}

/// A side of a goal and its status, such as `T covered`.
pub type Item = String;

/// What a file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fixture {
    /// Arguments of attest: the command and its options, up to `--`.
    pub arguments: Vec<String>,
    /// Flags for the compiler, after `--`.
    pub flags: Vec<String>,
    /// The exit status.
    pub exit: i32,
    /// Kind and line of each defect, sorted.
    pub defects: Vec<(String, u64)>,
    /// For each line with annotations, the items in source order.
    pub goals: BTreeMap<u64, Vec<Item>>,
}

impl Fixture {
    /// Reads the annotations of a C file.
    pub fn parse(text: &str) -> Result<Fixture, String> {
        let mut fixture = Fixture::default();
        let mut exit = None;
        for (line, number) in text.lines().zip(1..) {
            if let Some(command) = line.strip_prefix("// attest: ") {
                let mut words = command.split_whitespace().map(str::to_owned);
                fixture.arguments = words.by_ref().take_while(|word| word != "--").collect();
                fixture.flags = words.collect();
            } else if let Some(defect) = line.strip_prefix("// defect: ") {
                fixture.defects.push(parse_defect(defect, number)?);
            } else if let Some(status) = line.strip_prefix("// exit: ") {
                let parsed = status.trim().parse();
                exit = Some(parsed.map_err(|_| format!("line {number}: no number: {status}"))?);
            } else if let Some((_, annotation)) = line.split_once("//~") {
                fixture
                    .goals
                    .insert(number, parse_items(annotation, number)?);
            }
        }
        if fixture.arguments.is_empty() {
            return Err("there is no line `// attest: cover -f FUNCTION`".to_owned());
        }
        fixture.defects.sort();
        let is_certain = |(kind, _): &(String, u64)| !kind.contains(IF);
        let has_certain = fixture.defects.iter().any(is_certain);
        fixture.exit = exit.unwrap_or(i32::from(has_certain));
        Ok(fixture)
    }
}

/// What is said of a defect that no compiler's report shows in the compiled test.
pub const UNSHOWN: &str = " (not shown by the compiled test)";

/// What stands before the kinds of assumptions.
pub const IF: &str = " if ";

fn parse_defect(text: &str, number: u64) -> Result<(String, u64), String> {
    let (defect, assumed) = match text.split_once(IF) {
        Some((defect, kinds)) => (defect, format!("{IF}{}", kinds.trim())),
        None => (text, String::new()),
    };
    let mut words = defect.split_whitespace();
    let (kind, line, unshown) = (words.next(), words.next().map(str::parse), words.next());
    let unshown = match unshown {
        None => "",
        Some("unshown") => UNSHOWN,
        Some(_) => return Err(format!("line {number}: `{text}` is no defect")),
    };
    match (kind, line) {
        (Some(kind), Some(Ok(line))) => Ok((format!("{kind}{unshown}{assumed}"), line)),
        _ => Err(format!(
            "line {number}: a defect is `KIND LINE`, not `{text}`"
        )),
    }
}

fn parse_items(annotation: &str, number: u64) -> Result<Vec<Item>, String> {
    const STATUSES: [&str; 4] = ["covered", "unreachable", "unreachable-within", "undecided"];
    let mut items = Vec::new();
    for item in annotation.split(['|', ',']) {
        let words: Vec<&str> = item.split_whitespace().collect();
        match words.split_last() {
            Some((status, side)) if STATUSES.contains(status) && !side.is_empty() => {
                items.push(words.join(" "));
            }
            _ => {
                return Err(format!(
                    "line {number}: `{}` is no `SIDE STATUS`",
                    item.trim()
                ));
            }
        }
    }
    Ok(items)
}
