//! The Makefile beside the tests.

use std::fmt::Write as _;

use crate::replay::{CALLS_OF_THE_LIBRARY, UNRESOLVED};

/// The contents of a Makefile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Makefile {
    /// The tested function.
    pub function: String,
    /// The compiler; `CC` on the command line of `make` takes its place.
    pub compiler: String,
    /// The user's flags, with paths from the tests' folder.
    pub flags: Vec<String>,
    /// The files that include the program's other units.
    pub other_units: Vec<String>,
    /// The program's units, as paths from the tests' folder.
    pub sources: Vec<String>,
    /// Whether there are tests.
    pub tests: bool,
    /// Whether there are tests of defects.
    pub defects: bool,
}

impl Makefile {
    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# attest: builds and runs the tests of {}().\n",
            self.function
        );
        text.push_str("#   make check      runs the tests\n");
        text.push_str("#   make defects    runs the tests that show defects, under sanitizers\n");
        text.push_str("#   make coverage   what the tests cover, as clang counts it\n\n");
        let flags: Vec<String> = self.flags.iter().map(|flag| shell_word(flag)).collect();
        let _ = writeln!(text, "CC = {}", self.compiler);
        let _ = writeln!(
            text,
            "CFLAGS = {}",
            with_optional("-g -fno-strict-aliasing", &flags)
        );
        let names = |files: &[String]| -> String {
            let names: Vec<String> = files.iter().map(|file| make_name(file)).collect();
            names.join(" ")
        };
        let _ = writeln!(text, "UNITS = {}", names(&self.other_units));
        let _ = writeln!(text, "SOURCES = {}", names(&self.sources));
        text.push_str("LDLIBS = -lm\n");
        text.push_str("# Libraries that only code behind other paths calls may be missing.\n");
        let _ = writeln!(text, "LDFLAGS = {UNRESOLVED}");
        text.push_str(
            "SANITIZERS = -fsanitize=address,undefined -fno-sanitize=pointer-overflow \
             -fno-sanitize-recover=all\n",
        );
        text.push_str("LLVM = -19\n\n");
        self.rules(&mut text);
        text
    }

    fn rules(&self, text: &mut String) {
        let function = &self.function;
        let mut programs = Vec::new();
        if self.tests {
            programs.push(format!("test_{function}"));
        }
        if self.defects {
            programs.push(format!("defects_{function}"));
        }
        let _ = writeln!(text, "all: {}\n", programs.join(" "));
        rule(text, "check", self.tests, function, "test_");
        rule(text, "defects", self.defects, function, "defects_");
        if self.tests {
            let _ = writeln!(
                text,
                "test_{function}: test_{function}.c $(SOURCES) $(UNITS)\n\
                 \t$(CC) $(CFLAGS) test_{function}.c $(UNITS) -o $@ $(LDFLAGS) $(LDLIBS)\n"
            );
            self.coverage(text);
        } else {
            text.push_str("coverage:\n\n");
        }
        if self.defects {
            let _ = writeln!(
                text,
                "defects_{function}: defects_{function}.c $(SOURCES) $(UNITS)\n\
                 \t$(CC) $(CFLAGS) {CALLS_OF_THE_LIBRARY} $(SANITIZERS) defects_{function}.c $(UNITS) -o $@ $(LDFLAGS) $(LDLIBS)\n\n\
                 # Reads of what was never written show under this sanitizer, which only clang has.\n\
                 defects_{function}_memory: defects_{function}.c $(SOURCES) $(UNITS)\n\
                 \tclang$(LLVM) $(CFLAGS) {CALLS_OF_THE_LIBRARY} -fsanitize=memory defects_{function}.c $(UNITS) -o $@ $(LDFLAGS) $(LDLIBS)\n"
            );
        }
        let _ = writeln!(
            text,
            "clean:\n\trm -f test_{function} defects_{function} defects_{function}_memory covered_{function} *.profraw *.profdata\n\n\
             .PHONY: all check defects coverage clean"
        );
    }

    fn coverage(&self, text: &mut String) {
        let function = &self.function;
        let _ = writeln!(
            text,
            "covered_{function}: test_{function}.c $(SOURCES) $(UNITS)\n\
             \tclang$(LLVM) $(CFLAGS) -O0 -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation \\\n\
             \t  test_{function}.c $(UNITS) -o $@ $(LDFLAGS) $(LDLIBS)\n\n\
             coverage: covered_{function}\n\
             \trm -f *.profraw\n\
             \tfor test in $$(./covered_{function} --list); do \\\n\
             \t  LLVM_PROFILE_FILE=%c$$test.profraw ./covered_{function} --test $$test; \\\n\
             \tdone\n\
             \tllvm-profdata$(LLVM) merge *.profraw -o covered_{function}.profdata\n\
             \tllvm-cov$(LLVM) show --show-branches=count -instr-profile=covered_{function}.profdata \\\n\
             \t  -ignore-filename-regex='test_{function}[.]c$$' covered_{function}\n"
        );
    }
}

fn rule(text: &mut String, target: &str, exists: bool, function: &str, prefix: &str) {
    if exists {
        let _ = writeln!(
            text,
            "{target}: {prefix}{function}\n\t./{prefix}{function}\n"
        );
    } else {
        let _ = writeln!(text, "{target}:\n\t@echo nothing to run\n");
    }
}

fn with_optional(first: &str, rest: &[String]) -> String {
    let mut words = vec![first.to_owned()];
    words.extend(rest.iter().cloned());
    words.join(" ")
}

/// A word as the shell in a Makefile reads it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    let word_for_make = word.replace('$', "$$").replace('#', "\\#");
    if !word.is_empty() && word.chars().all(plain) {
        word_for_make
    } else {
        format!("'{}'", word_for_make.replace('\'', "'\\''"))
    }
}

/// A file name as a prerequisite.
fn make_name(name: &str) -> String {
    name.replace('$', "$$")
        .replace(' ', "\\ ")
        .replace('#', "\\#")
}
