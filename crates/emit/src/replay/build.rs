//! Compiles emitted tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::ReplayError;
use super::flags::{compile_flags, test_flags, unknown_flags};
use super::process::{self, Output};

/// The settings with which tests are compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The user's flags, for the front-end and for every compiler.
    pub flags: Vec<String>,
    /// The folder that relative paths in the flags start from.
    pub folder: PathBuf,
    /// The program's other units, which are linked to the tested one.
    pub other_units: Vec<PathBuf>,
}

/// Flags with which clang counts what runs. The counters are mapped to the profile's file while
/// the program runs (`%c` in `LLVM_PROFILE_FILE`), which on ELF needs them to be relocatable: so a
/// profile survives any end, a plain SIGKILL included.
pub const COVERAGE_FLAGS: [&str; 4] = [
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-mllvm",
    "-runtime-counter-relocation",
];

/// The linker takes functions that nothing defines for null: those of libraries that the user's
/// flags do not name, which no test calls. Functions that tests call have stubs. What is left of
/// such calls, a loader that binds them lazily refuses.
pub const UNRESOLVED: &str = "-Wl,--unresolved-symbols=ignore-all,-z,now";

/// As [`UNRESOLVED`], and the linker names them.
const NAME_UNRESOLVED: &str = "-Wl,--warn-unresolved-symbols,-z,now";

/// Flags for the tests of defects that read what was never written.
pub const MEMORY_SANITIZER_FLAGS: [&str; 2] = ["-fsanitize=memory", "-fno-omit-frame-pointer"];

/// A flag for tests of defects: sanitizers look at what calls of the C library are given, not at
/// what a compiler puts in their place.
pub const CALLS_OF_THE_LIBRARY: &str = "-fno-builtin";

/// Flags for the other tests of defects. Pointers that are moved out of their objects, as `NULL +
/// 0` is, are no defects to the machine before they are used, and should not hide those that are.
pub const SANITIZER_FLAGS: [&str; 4] = [
    "-fsanitize=address,undefined",
    "-fno-sanitize=pointer-overflow",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
];

/// The environment of tests under sanitizers: replay looks for what a report says, not for the names
/// of functions in it, which another process would look up for each.
pub(super) fn sanitizer_environment() -> Vec<(String, String)> {
    let names = ["ASAN_OPTIONS", "UBSAN_OPTIONS", "MSAN_OPTIONS"];
    names
        .map(|name| (name.to_owned(), "symbolize=0".to_owned()))
        .to_vec()
}

impl Build {
    /// Compiles and links a file of tests, and returns what the linker said.
    ///
    /// # Errors
    /// The compiler cannot be started, does not accept the file, or is not done in time.
    pub fn compile(
        &self,
        compiler: &Path,
        source: &Path,
        extra: &[&str],
        program: &Path,
        deadline: Option<Instant>,
    ) -> Result<String, ReplayError> {
        let flags = test_flags(&self.flags);
        let output = self.run(compiler, flags, deadline, |command| {
            command
                .args(["-O0", "-w", "-fno-strict-aliasing"])
                .args(extra)
                .arg(source)
                .args(&self.other_units)
                .arg("-o")
                .arg(program)
                .args([NAME_UNRESOLVED, "-lm"]);
        })?;
        let message = text(&output.stderr);
        match output.status.success() {
            true => Ok(message),
            false => Err(ReplayError::Compile {
                compiler: compiler.display().to_string(),
                file: source.to_owned(),
                message,
            }),
        }
    }

    /// The text that a compiler's preprocessor makes of a unit, with its macros unexpanded, and
    /// what it said of that; `None` if it refuses the unit.
    ///
    /// # Errors
    /// The compiler cannot be started, or is not done in time.
    pub(super) fn preprocess(
        &self,
        compiler: &Path,
        unit: &Path,
        deadline: Option<Instant>,
    ) -> Result<Option<(String, String)>, ReplayError> {
        let flags = compile_flags(&self.flags);
        let output = self.run(compiler, flags, deadline, |command| {
            command.args(["-E", "-C", "-fdirectives-only"]).arg(unit);
        })?;
        let is_done = output.status.success();
        Ok(is_done.then(|| (text(&output.stdout), text(&output.stderr))))
    }

    /// The text of a unit with its macros expanded, without lines that name files; `None` if the
    /// compiler refuses it.
    ///
    /// # Errors
    /// The compiler cannot be started, or is not done in time.
    pub(super) fn expand(
        &self,
        compiler: &Path,
        unit: &Path,
        deadline: Option<Instant>,
    ) -> Result<Option<String>, ReplayError> {
        let flags = test_flags(&self.flags);
        let output = self.run(compiler, flags, deadline, |command| {
            command.args(["-E", "-P", "-w", "-O0"]).arg(unit);
        })?;
        Ok(output.status.success().then(|| text(&output.stdout)))
    }

    /// Runs a compiler with flags, but those that it says it does not know, and what is added.
    fn run(
        &self,
        compiler: &Path,
        mut flags: Vec<String>,
        deadline: Option<Instant>,
        add: impl Fn(&mut Command),
    ) -> Result<Output, ReplayError> {
        loop {
            let mut command = Command::new(compiler);
            command
                .current_dir(&self.folder)
                .env("LC_ALL", "C")
                .args(&flags);
            add(&mut command);
            let output = process::output(&mut command, deadline)?;
            if output.status.success() || !drop_unknown(&mut flags, &text(&output.stderr)) {
                return Ok(output);
            }
        }
    }

    /// Whether a compiler makes an object file of a unit as it is, its assembly included.
    pub(super) fn accepts(&self, compiler: &Path, unit: &Path, extra: &[&str]) -> bool {
        let status = Command::new(compiler)
            .current_dir(&self.folder)
            .args(compile_flags(&self.flags))
            .args(["-O0", "-w", "-c"])
            .args(extra)
            .arg(unit)
            .args(["-o", "/dev/null"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Drops the flags that a compiler says it does not know. Returns false if there are none.
fn drop_unknown(flags: &mut Vec<String>, message: &str) -> bool {
    let unknown = unknown_flags(message);
    let before = flags.len();
    flags.retain(|flag| !unknown.contains(flag));
    flags.len() < before
}
