//! Programs that run natively beside attest, as judges.

use std::process::Command;

use crate::attest::Folder;

/// Compiles a program that includes the files of a folder, with flags of gcc, and runs it. Gives what it
/// prints.
///
/// # Panics
///
/// It does not compile, or ends badly.
pub fn judged(folder: &Folder, program: &str, flags: &[&str]) -> String {
    folder.write("judge.c", program);
    let compiled = Command::new("gcc")
        .args(["-O0", "-w"])
        .args(flags)
        .arg(folder.path("judge.c"))
        .arg("-o")
        .arg(folder.path("judge"))
        .status();
    assert!(compiled.expect("a run of gcc").success());
    let run = Command::new(folder.path("judge")).output().expect("a run");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8_lossy(&run.stdout).into_owned()
}
