//! Whether two compilers compile the same lines of a program.
//!
//! A unit may ask which compiler reads it (`#ifdef __clang__`, `#if __GNUC__ >= 5`), and then it is
//! another program for each. The machine executes clang's; what the other compiler makes of its own
//! says nothing about that one. So the lines of the user's files are compared that the two
//! preprocessors leave, with macros unexpanded, since the expansions of the library's and the
//! compilers' macros differ in what means the same.

use std::collections::HashSet;
use std::path::Path;

use ir::Origin;

use super::{Replay, ReplayError};

/// How a second compiler reads another program than clang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadsOtherwise {
    /// From this line on, it compiles other lines.
    Lines {
        /// The file, as the compiler names it.
        file: String,
        /// The first line that differs, from 1.
        line: u32,
    },
    /// Clang leaves out this flag.
    Flag(String),
}

/// How a compiler reads another program than clang; `None` where both read the same, or where one
/// of the preprocessors fails.
pub(super) fn reads_otherwise(
    replay: &Replay<'_>,
    compiler: &Path,
) -> Result<Option<ReadsOtherwise>, ReplayError> {
    let units = replay.program.units.iter();
    for unit in units.filter(|unit| unit.origin == Origin::User) {
        let path = Path::new(&unit.path);
        let preprocess = |compiler: &Path| {
            replay
                .build
                .preprocess(compiler, path, replay.deadline)
                .map(|read| read.map(|(text, said)| (lines(&text), said)))
        };
        let (Some((one, said)), Some((other, _))) =
            (preprocess(&replay.tools.clang)?, preprocess(compiler)?)
        else {
            continue;
        };
        if let Some(flag) = unsupported_flag(&said) {
            return Ok(Some(ReadsOtherwise::Flag(flag)));
        }
        if let Some((file, line)) = first_difference(&one, &other) {
            return Ok(Some(ReadsOtherwise::Lines { file, line }));
        }
    }
    Ok(None)
}

/// The first flag that clang says it leaves out.
fn unsupported_flag(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("does not support '")?;
    let (flag, _) = rest.split_once('\'')?;
    Some(flag.to_owned())
}

/// A line of a user's file.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    file: String,
    number: u32,
    text: String,
}

/// The lines that a preprocessor leaves of files that are no system headers. What it tells of a
/// line is a marker before it: `# 3 "x.c" 2`, where a 3 among the numbers after the name is a
/// system header.
fn lines(preprocessed: &str) -> Vec<Line> {
    let markers = preprocessed.lines().filter_map(marker);
    let users: HashSet<&str> = markers
        .filter(|marker| !marker.is_system && !marker.file.starts_with('<'))
        .map(|marker| marker.file)
        .collect();
    let mut found = Vec::new();
    let (mut file, mut number) = ("", 1);
    for text in preprocessed.lines() {
        if let Some(marker) = marker(text) {
            (file, number) = (marker.file, marker.line);
            continue;
        }
        if users.contains(file) && !text.trim_start().starts_with("#undef") {
            let text = text.chars().filter(|c| !c.is_whitespace() && *c != '\\');
            let file = file.strip_prefix("./").unwrap_or(file).to_owned();
            let text = text.collect();
            found.push(Line { file, number, text });
        }
        number += 1;
    }
    found
}

struct Marker<'t> {
    line: u32,
    file: &'t str,
    is_system: bool,
}

fn marker(text: &str) -> Option<Marker<'_>> {
    let rest = text.strip_prefix("# ")?;
    let (line, rest) = rest.split_once(" \"")?;
    let (file, flags) = rest.rsplit_once('"')?;
    Some(Marker {
        line: line.parse().ok()?,
        file,
        is_system: flags.split_whitespace().any(|flag| flag == "3"),
    })
}

/// Where two texts differ first. Lines that are continued count as one, since one preprocessor
/// joins them.
fn first_difference(one: &[Line], other: &[Line]) -> Option<(String, u32)> {
    fn characters(lines: &[Line]) -> impl Iterator<Item = (&Line, char)> {
        let of_line = |line: &'_ Line| line.text.chars().collect::<Vec<_>>();
        lines
            .iter()
            .flat_map(move |line| of_line(line).into_iter().map(move |c| (line, c)))
    }
    let (mut one, mut other) = (characters(one), characters(other));
    loop {
        let (line, differs) = match (one.next(), other.next()) {
            (None, None) => return None,
            (Some((line, a)), Some((counterpart, b))) => {
                (line, a != b || line.file != counterpart.file)
            }
            (Some((line, _)), None) | (None, Some((line, _))) => (line, true),
        };
        if differs {
            return Some((line.file.clone(), line.number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLANG: &str = "# 1 \"x.c\"\n# 1 \"<built-in>\" 1\n#define __clang__ 1\n# 1 \"x.c\" 2\n\
        # 1 \"/usr/include/limits.h\" 1 3 4\n#define INT_MAX 1\n# 2 \"x.c\" 2\n\
        int f(int x) {\n\n  return 1\n";

    fn difference(other: &str) -> Option<(String, u32)> {
        first_difference(&lines(CLANG), &lines(other))
    }

    #[test]
    fn system_headers_and_blanks_do_not_count() {
        let gcc = "# 0 \"x.c\"\n# 0 \"<built-in>\"\n#define __GNUC__ 12\n# 1 \"x.c\"\n\
            # 1 \"/usr/include/limits.h\" 1 3 4\n#define INT_MAX 2\n# 2 \"x.c\" 2\n\
            int f(int x) { \\\n\n   return  1\n";
        assert_eq!(difference(gcc), None);
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        let gcc = "# 1 \"x.c\"\n# 2 \"x.c\" 2\nint f(int x) {\n\n\n\n  return 2\n";
        assert_eq!(difference(gcc), Some(("x.c".to_owned(), 4)));
    }

    #[test]
    fn flags_that_clang_leaves_out_are_told() {
        let said = "clang-19: warning: the clang compiler does not support '-funsigned-bitfields'";
        assert_eq!(
            unsupported_flag(said).as_deref(),
            Some("-funsigned-bitfields")
        );
        assert_eq!(unsupported_flag("x.c:1:2: warning: unused"), None);
    }
}
