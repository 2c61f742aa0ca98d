//! `attest replay`: emitted tests, run natively once more by the Makefile that lies beside them.

use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use serde_json::Value;

use crate::cli::replay::ReplayArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::status::Status;

/// A folder that `attest cover` wrote.
struct Emitted {
    /// Where the Makefile and the tests lie.
    tests: PathBuf,
    /// The tested function.
    function: String,
    suite: Value,
}

/// Runs the tests, or one of them.
pub fn replay(arguments: &ReplayArguments, console: &mut Console) -> Result<Status, Failure> {
    let emitted = Emitted::read(&arguments.directory)?;
    match arguments.test {
        Some(test) => {
            let program = emitted.build(test)?;
            if arguments.gdb {
                return Err(emitted.debug(&program, test));
            }
            emitted.run_one(&program, test)
        }
        None => emitted.run_all(console),
    }
}

impl Emitted {
    fn read(directory: &Path) -> Result<Emitted, Failure> {
        let path = directory.join("suite.json");
        let help = "name the folder of one function that `attest cover` wrote (-o)";
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::bad_input(format!("cannot read {}: {error}", path.display()), help)
        })?;
        let suite: Value = serde_json::from_str(&text).unwrap_or_default();
        let function = suite["function"].as_str().ok_or_else(|| {
            let title = format!("{} is not what attest writes", path.display());
            Failure::bad_input(title, help)
        })?;
        Ok(Emitted {
            tests: directory.join("tests"),
            function: function.to_owned(),
            suite,
        })
    }

    /// Builds the program that holds a test; its name in the folder of tests.
    fn build(&self, test: u32) -> Result<String, Failure> {
        let tests = self.suite["tests"].as_array();
        let found = tests
            .into_iter()
            .flatten()
            .find(|found| found["id"] == test);
        let Some(found) = found else {
            let numbers: Vec<String> = tests
                .into_iter()
                .flatten()
                .map(|test| test["id"].to_string())
                .collect();
            return Err(Failure::bad_input(
                format!("there is no test {test} in {}", self.tests.display()),
                format!("the tests are {}", numbers.join(", ")),
            ));
        };
        let function = &self.function;
        let program = match found["outcome"].as_str() {
            Some("defect") => format!("defects_{function}"),
            _ => format!("test_{function}"),
        };
        let built = self.status(Command::new("make").args(["-s", &program]))?;
        if !built.success() {
            return Err(Failure::bad_input(
                format!("make does not build {program}"),
                "the compiler's messages above say why; the unit may have changed",
            ));
        }
        Ok(program)
    }

    fn run_one(&self, program: &str, test: u32) -> Result<Status, Failure> {
        let status =
            self.status(Command::new(format!("./{program}")).args(["--test", &test.to_string()]))?;
        Ok(verdict(status))
    }

    /// Becomes gdb; comes back only if there is none.
    fn debug(&self, program: &str, test: u32) -> Failure {
        let mut gdb = Command::new("gdb");
        gdb.args([
            "-q",
            "-ex",
            &format!("break {}", self.function),
            "-ex",
            "run",
        ]);
        if !io::stdin().is_terminal() {
            gdb.args(["-batch", "-ex", "backtrace"]);
        }
        gdb.args([
            "--args",
            &format!("./{program}"),
            "--test",
            &test.to_string(),
        ])
        .current_dir(&self.tests)
        // Leaks cannot be looked for in a process that is traced.
        .env("ASAN_OPTIONS", "detect_leaks=0");
        Failure::bad_input(format!("cannot start gdb: {}", gdb.exec()), "install gdb")
    }

    /// Runs all tests, those of defects too, and shows what the passing ones cover.
    fn run_all(&self, console: &mut Console) -> Result<Status, Failure> {
        let mut status = Status::Complete;
        for target in ["check", "defects", "coverage"] {
            let file = if target == "defects" {
                "defects"
            } else {
                "tests"
            };
            if self.suite["files"][file].is_null() {
                continue;
            }
            console.write(format!("{target}:\n").as_bytes())?;
            let ended = self.status(Command::new("make").args(["-s", target]))?;
            status = status.and(verdict(ended));
        }
        Ok(status)
    }

    fn status(&self, command: &mut Command) -> Result<ExitStatus, Failure> {
        command.current_dir(&self.tests).status().map_err(|error| {
            let title = format!(
                "cannot run {command:?} in {}: {error}",
                self.tests.display()
            );
            Failure::bad_input(
                title,
                "replay needs make, a C compiler and the emitted tests",
            )
        })
    }
}

/// A test that does not do any more what it did when it was found is a defect.
fn verdict(status: ExitStatus) -> Status {
    match status.success() {
        true => Status::Complete,
        false => Status::DefectFound,
    }
}
