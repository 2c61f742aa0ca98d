//! `attest run` prints what the compiled program prints, of programs about one part of C each.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Failed, Trial};

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = programs().into_iter().map(|path| {
        let name = path.file_stem().unwrap_or_default();
        Trial::test(name.to_string_lossy().into_owned(), move || check(&path))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/runs");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn check(path: &Path) -> Result<(), Failed> {
    let attest = Command::new(env!("CARGO_BIN_EXE_attest"))
        .arg("run")
        .arg(path)
        .output()?;
    let scratch = tempfile::tempdir()?;
    for compiler in COMPILERS {
        let program = scratch.path().join(compiler);
        let compiled = Command::new(compiler)
            .args(["-std=gnu11", "-w", "-o"])
            .arg(&program)
            .arg(path)
            .output()?;
        if !compiled.status.success() {
            return Err(format!("{compiler}: {}", told(&compiled)).into());
        }
        let native = Command::new(&program).output()?;
        let is_same = native.stdout == attest.stdout && native.status == attest.status;
        if !is_same || native.stdout.is_empty() {
            let texts = [told(&attest), told(&native)];
            return Err(format!("attest: {}\n{compiler}: {}", texts[0], texts[1]).into());
        }
    }
    Ok(())
}

fn told(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{} {}{}", output.status, texts[0], texts[1])
}
