//! Random C programs free of undefined behaviour (csmith's), run by gcc's code, by clang's, and by
//! attest's machine: all three must print the same checksum.

use std::path::Path;
use std::process::{Command, Output};

/// Options that keep csmith to the C that attest reads, and its programs small. Packed structs are
/// left out because pointers to their members are misaligned, which is undefined.
const OPTIONS: &str = "--no-argc --no-float --no-packed-struct --concise --max-funcs 4 \
     --max-block-size 3 --max-block-depth 3 --max-expr-complexity 6 --max-array-len-per-dim 6 \
     --max-struct-fields 6";
/// Where Debian's libcsmith-dev puts csmith's headers.
const INCLUDE: &str = "-I/usr/include/csmith";
/// Steps that the machine may take; programs that need more are passed over.
const STEPS: &str = "20000000";
/// Seconds that a compiled program may run; programs that need more are passed over.
const SECONDS: &str = "2";

/// What came of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All three agree.
    Agree,
    /// It runs for too long to be compared.
    TooLong,
}

/// Makes the program of a seed in the folder `scratch` and compares its three runs. An error says
/// what differs, or which tool is missing.
pub fn compare(attest: &Path, seed: u64, scratch: &Path) -> Result<Verdict, String> {
    let file = scratch.join(format!("seed{seed}.c"));
    let mut csmith = Command::new("csmith");
    // It leaves a file behind where it runs.
    csmith.args(OPTIONS.split_whitespace()).current_dir(scratch);
    csmith.args(["--seed", &seed.to_string(), "-o"]).arg(&file);
    succeed(&mut csmith)?;
    let mut printed = Vec::new();
    for compiler in ["gcc", "clang-19"] {
        match native(compiler, &file)? {
            Some(output) => printed.push(output),
            None => return Ok(Verdict::TooLong),
        }
    }
    if printed[0] != printed[1] {
        return Err(format!(
            "seed {seed}: gcc's code prints {}, clang's {}",
            printed[0], printed[1]
        ));
    }
    let mut machine = Command::new(attest);
    machine.arg("run").arg(format!("--cflag={INCLUDE}"));
    machine.args(["--step-limit", STEPS]).arg(&file);
    let output = run(&mut machine)?;
    let machine = text(&output.stdout);
    let errors = text(&output.stderr);
    match output.status.code() {
        Some(0) if machine == printed[0] => Ok(Verdict::Agree),
        Some(3) if errors.contains("step limit") => Ok(Verdict::TooLong),
        status => Err(format!(
            "seed {seed}: compiled, it prints {}; attest run {machine} (exit status {status:?})\n\
             {errors}\nthe program: csmith {OPTIONS} --seed {seed}",
            printed[0]
        )),
    }
}

/// What the program prints when compiled; `None` if it does not end in time.
fn native(compiler: &str, file: &Path) -> Result<Option<String>, String> {
    let binary = file.with_extension(compiler);
    let mut compile = Command::new(compiler);
    compile
        .args(["-w", "-O0", INCLUDE, "-o"])
        .arg(&binary)
        .arg(file);
    succeed(&mut compile)?;
    let output = run(Command::new("timeout").arg(SECONDS).arg(&binary))?;
    match output.status.code() {
        Some(0) => Ok(Some(text(&output.stdout))),
        Some(124) => Ok(None),
        status => Err(format!("{} ended with {status:?}", binary.display())),
    }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let output = run(command)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed: {}", text(&output.stderr))),
    }
}

fn run(command: &mut Command) -> Result<Output, String> {
    command
        .output()
        .map_err(|error| format!("{command:?}: {error}; make install-test-deps"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
