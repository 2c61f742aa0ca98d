//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use coverage::{Criteria, Scope};

/// The C files, and how to compile them.
#[derive(Args, Clone, Debug)]
pub struct UnitArguments {
    /// C files; several are linked into one program
    #[arg(value_name = "FILE.c", required = true)]
    pub files: Vec<PathBuf>,

    /// Flags that the compiler needs for the files: -I, -D, -std=, -m32, …
    #[arg(value_name = "CFLAGS", last = true)]
    pub flags: Vec<String>,
}

/// Flags of compilers whose value may be the next word.
const WITH_VALUE: [&str; 37] = [
    "-A",
    "-B",
    "-D",
    "-F",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-mllvm",
    "-o",
    "-target",
    "-u",
    "-x",
    "-z",
];

/// Longer ones.
const LONG_WITH_VALUE: [&str; 6] = [
    "--config",
    "--include",
    "--param",
    "--sysroot",
    "--target",
    "--define-macro",
];

/// The first word that is neither a flag, nor the value of a flag, nor a file to link.
pub fn stray_word(flags: &[String]) -> Option<&str> {
    let mut words = flags.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) || LONG_WITH_VALUE.contains(&word) {
            words.next();
            continue;
        }
        let is_linked = [".o", ".a", ".so"]
            .iter()
            .any(|ending| word.ends_with(ending));
        if !word.starts_with('-') && !is_linked {
            return Some(word);
        }
    }
    None
}

/// A criterion, by its name on the command line.
#[derive(Args, Clone, Debug)]
pub struct CriterionName {
    /// What to cover: decisions, conditions, decision-condition, condition-combinations, mcdc,
    /// masking-mcdc, statements, calls, call-pairs, all-uses, boundary, weak-mutation, labels,
    /// error=FUNCTION, all-paths, unit-paths, k-path=K, minimal-all-paths,
    /// minimal-all-conditions, minimal-all-decisions, empty-else or max-iterations; several with
    /// commas between them
    #[arg(
        long = "criterion",
        value_name = "CRITERION",
        default_value = "decisions"
    )]
    pub criteria: Criteria,
}

/// A scope, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeName {
    /// The function's goals
    Function,
    /// The goals of all functions in the function's file
    File,
    /// The goals of all functions in the files given
    Program,
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Scope {
        match name {
            ScopeName::Function => Scope::Function,
            ScopeName::File => Scope::File,
            ScopeName::Program => Scope::Program,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::stray_word;

    #[test]
    fn words_that_are_no_flags_are_found() {
        let stray = |words: &[&str]| {
            let flags: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            stray_word(&flags).map(str::to_owned)
        };
        assert_eq!(stray(&["-Ia", "-I", "b", "-DX=a b", "-std=c99"]), None);
        assert_eq!(stray(&["-x", "c", "-include", "a.h", "c.o", "-lm"]), None);
        assert_eq!(stray(&["-Ia", "-DX=a", "b"]).as_deref(), Some("b"));
        assert_eq!(stray(&["b.c", "-Ia"]).as_deref(), Some("b.c"));
        assert_eq!(stray(&[""]).as_deref(), Some(""));
    }
}
