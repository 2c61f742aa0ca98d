//! What a sanitizer says of a compiled test of a defect.

use std::path::Path;
use std::process::Command;

use emit::record::DefectRecord;

/// The line that a sanitizer, or the system, reports a defect with; `None` if nothing shows it.
pub fn report(folder: &Path, function: &str, defect: &DefectRecord) -> Option<String> {
    let tests = folder.join("tests");
    let programs = match defect.kind.as_str() {
        "uninitialised-read" => format!("defects_{function}_memory"),
        _ => format!("defects_{function}"),
    };
    let built = Command::new("make")
        .args(["--silent", "CC=clang-19", &programs, "--directory"])
        .arg(&tests)
        .output()
        .ok()?;
    if !built.status.success() {
        return None;
    }
    let ran = Command::new("timeout")
        .args(["20", &format!("./{programs}"), "--test"])
        .arg(defect.test.to_string())
        .current_dir(&tests)
        .output()
        .ok()?;
    let said = [ran.stderr, ran.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let is_report = |line: &&str| REPORTS.iter().any(|words| line.contains(words));
    said.lines().find(is_report).map(shortened)
}

/// Words of the lines that report a defect.
const REPORTS: [&str; 4] = [
    "runtime error: ",
    "ERROR: AddressSanitizer",
    "WARNING: MemorySanitizer",
    "Assertion ",
];

/// A line without what differs from run to run: the number of the process, folders, and addresses.
fn shortened(line: &str) -> String {
    let line = line.trim_start_matches(|c: char| c == '=' || c.is_ascii_digit());
    let words = line
        .split_whitespace()
        .map(|word| match word.rsplit_once('/') {
            Some((_, name)) if name.contains(':') => name,
            _ => word,
        });
    let text = words.collect::<Vec<&str>>().join(" ");
    let end = text.find(" on address").or_else(|| text.find(" at pc"));
    text[..end.unwrap_or(text.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_report_is_told_without_what_differs_from_run_to_run() {
        let line =
            "==71==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1f at pc 0x2 bp 0x3";
        assert_eq!(
            shortened(line),
            "ERROR: AddressSanitizer: heap-buffer-overflow"
        );
        let line = "../a/b/sds.c:319:13: runtime error: negation of -1";
        assert_eq!(
            shortened(line),
            "sds.c:319:13: runtime error: negation of -1"
        );
    }
}
