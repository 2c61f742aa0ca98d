//! KLEE on the same programs, where it is installed.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::programs::Programs;
use crate::failure::Failure;

/// An installed KLEE.
pub struct Klee(());

/// What a run took.
pub struct Ran {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Paths that it completed.
    pub paths: Option<u64>,
}

/// The macros of attest.h in KLEE's words.
const HEADER: &str = "#include <assert.h>\n\
    void klee_make_symbolic(void *, unsigned long, const char *);\n\
    void klee_assume(unsigned long);\n\
    #define ATTEST_INPUT(x) klee_make_symbolic((void *)&(x), sizeof(x), #x)\n\
    #define ATTEST_INPUT_ARRAY(p, n) klee_make_symbolic((void *)(p), (n) * sizeof *(p), #p)\n\
    #define ATTEST_ASSUME(c) klee_assume((c) != 0)\n\
    #define ATTEST_ASSERT(c) assert(c)\n";

impl Klee {
    /// Looks for KLEE and for the clang that makes its bitcode.
    pub fn find() -> Result<Klee, Failure> {
        for tool in ["klee", "clang"] {
            if let Err(error) = Command::new(tool).arg("--version").output() {
                return Err(Failure::bad_input(
                    format!("cannot run `{tool}`: {error}"),
                    "install KLEE and the clang it was built for, both on the PATH, or leave out \
                     --against",
                ));
            }
        }
        Ok(Klee(()))
    }

    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        "KLEE"
    }

    /// Runs it on an entry function without parameters.
    pub fn run(
        &self,
        programs: &Programs,
        program: &str,
        entry: &str,
        flags: &str,
        time: Duration,
    ) -> Result<Ran, Failure> {
        programs.write("klee/attest.h", HEADER)?;
        let main = format!(
            "#include \"{}\"\nint main(void)\n{{\n    {entry}();\n    return 0;\n}}\n",
            programs.path(program).display()
        );
        let source = programs.write("klee/main.c", &main)?;
        let bitcode = programs.path("klee/main.bc");
        let mut compile = Command::new("clang");
        compile
            .args([
                "-c",
                "-emit-llvm",
                "-O0",
                "-Xclang",
                "-disable-O0-optnone",
                "-I",
            ])
            .arg(programs.path("klee"))
            .args(flags.split_whitespace())
            .arg(&source)
            .arg("-o")
            .arg(&bitcode);
        successful(&mut compile)?;
        let output = programs.path("klee/out");
        let _ = std::fs::remove_dir_all(&output);
        let mut klee = Command::new("klee");
        klee.arg("--libc=klee")
            .arg(format!("--output-dir={}", output.display()))
            .arg(format!("--max-time={}s", time.as_secs().max(1)))
            .arg(&bitcode);
        let started = Instant::now();
        let ended = successful(&mut klee)?;
        Ok(Ran {
            seconds: started.elapsed().as_secs_f64(),
            paths: completed_paths(&String::from_utf8_lossy(&ended.stderr)),
        })
    }
}

fn successful(command: &mut Command) -> Result<Output, Failure> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let failed = |what: String| {
        let title = format!("{tool} failed: {what}");
        Failure::bad_input(title, "check that this KLEE was built for this clang")
    };
    match command.output() {
        Ok(output) if output.status.success() => Ok(output),
        Ok(output) => Err(failed(String::from_utf8_lossy(&output.stderr).into_owned())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// The count in KLEE's line `KLEE: done: completed paths = 30`.
fn completed_paths(errors: &str) -> Option<u64> {
    let line = errors
        .lines()
        .find(|line| line.contains("completed paths = "))?;
    line.rsplit("= ").next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::completed_paths;

    #[test]
    fn paths_are_read_from_what_klee_says() {
        let errors = "KLEE: done: total instructions = 99\nKLEE: done: completed paths = 30\n";
        assert_eq!(completed_paths(errors), Some(30));
        assert_eq!(completed_paths("KLEE: ERROR"), None);
    }
}
