//! One test in a debugger: at the call of the tested function, or at the defect that it shows.

use std::io::{self, IsTerminal};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::Command;

use emit::c::defects::native_report;
use emit::record::DefectRecord;
use ir::DefectKind;

use super::folder::Folder;
use crate::failure::Failure;

/// What a sanitizer does at a defect: end in a signal, at which the debugger stops. Leaks cannot
/// be looked for in a process that is traced.
const SANITIZERS: [(&str, &str); 3] = [
    ("ASAN_OPTIONS", "abort_on_error=1:detect_leaks=0"),
    ("UBSAN_OPTIONS", "abort_on_error=1:print_stacktrace=1"),
    ("MSAN_OPTIONS", "abort_on_error=1"),
];

/// A debugger that attest knows how to talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Debugger {
    Gdb,
    Lldb,
}

/// Where the debugger is to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// At the call of a function.
    Call(String),
    /// Where the process is ended by a signal, in the innermost call of a function.
    Signal(String),
    /// At a line, of a defect that no signal tells of.
    Line(String, u32),
}

/// Becomes the debugger; comes back only if that fails.
pub fn debug(folder: &Folder, test: usize) -> Failure {
    let Some((debugger, path)) = find() else {
        return Failure::bad_input(
            "there is neither gdb nor lldb on the PATH",
            "install gdb, or run the test without --gdb",
        );
    };
    let (program, mut stop) = target(folder, test);
    if let Err(failure) = build(folder, &program) {
        return failure;
    }
    if let (Stop::Signal(_), Some(line)) = (&stop, line_of_defect(folder, test))
        && !ends_in_signal(folder, &program, test)
    {
        stop = line;
    }
    let mut command = Command::new(path);
    command
        .args(arguments(debugger, &stop, io::stdin().is_terminal()))
        .args([&format!("./{program}"), "--test", &test.to_string()])
        .current_dir(folder.directory.join("tests"))
        .envs(SANITIZERS);
    let error = command.exec();
    Failure::bad_input(format!("cannot start the debugger: {error}"), "install gdb")
}

/// The line of the defect that a test shows.
fn line_of_defect(folder: &Folder, test: usize) -> Option<Stop> {
    let mut defects = folder.suite.defects.iter();
    let found = defects.find(|found| found.test == test)?;
    let place = found.place.as_ref()?;
    Some(Stop::Line(place.file.clone(), place.line))
}

/// Whether a test ends in a signal: not every read of what was never written is reported, for one.
fn ends_in_signal(folder: &Folder, program: &str, test: usize) -> bool {
    let output = Command::new(format!("./{program}"))
        .args(["--test", &test.to_string()])
        .current_dir(folder.directory.join("tests"))
        .envs(SANITIZERS)
        .output();
    output.is_ok_and(|output| output.status.signal().is_some())
}

/// The debugger to use: gdb, or lldb where only that is there.
fn find() -> Option<(Debugger, PathBuf)> {
    let path = std::env::var_os("PATH")?;
    let found = |name: &str| {
        let mut files = std::env::split_paths(&path).map(|folder| folder.join(name));
        files.find(|file| file.is_file())
    };
    let gdb = found("gdb").map(|file| (Debugger::Gdb, file));
    let lldb = || found("lldb").or_else(|| found("lldb-19"));
    gdb.or_else(|| lldb().map(|file| (Debugger::Lldb, file)))
}

/// The program that holds a test, and where to stop in it.
fn target(folder: &Folder, test: usize) -> (String, Stop) {
    let suite = &folder.suite;
    let function = &suite.function;
    let shown = suite.defects.iter().find(|found| found.test == test);
    let Some((found, kind)) =
        shown.and_then(|found| Some((found, DefectKind::by_name(&found.kind)?)))
    else {
        return (format!("test_{function}"), Stop::Call(function.clone()));
    };
    let suffix = match native_report(kind).memory_sanitizer {
        true => "_memory",
        false => "",
    };
    (
        format!("defects_{function}{suffix}"),
        stop_at(function, found, kind),
    )
}

/// Where to stop for a defect.
fn stop_at(tested: &str, found: &DefectRecord, kind: DefectKind) -> Stop {
    let report = native_report(kind);
    let silent = kind == DefectKind::Leak || kind == DefectKind::NonTermination;
    let shows = !report.texts.is_empty() || !report.signals.is_empty();
    match &found.place {
        Some(place) if silent || !shows => Stop::Line(place.file.clone(), place.line),
        _ => {
            let innermost = found.stack.first().map(|frame| frame.function.clone());
            Stop::Signal(innermost.unwrap_or_else(|| tested.to_owned()))
        }
    }
}

/// Builds a program of the folder's Makefile.
fn build(folder: &Folder, program: &str) -> Result<(), Failure> {
    let tests = folder.directory.join("tests");
    let made = Command::new("make")
        .args(["-s", program])
        .current_dir(&tests)
        .status();
    match made {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::bad_input(
            format!("make does not build {program}"),
            "the compiler's messages above say why; the program may have changed",
        )),
        Err(error) => Err(Failure::bad_input(
            format!("cannot run make in {}: {error}", tests.display()),
            "a debugger needs the test built, which takes make and a C compiler",
        )),
    }
}

/// The debugger's arguments, up to the program's.
fn arguments(debugger: Debugger, stop: &Stop, terminal: bool) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    match (debugger, stop) {
        (Debugger::Gdb, Stop::Call(function)) => commands.push(format!("break {function}")),
        (Debugger::Gdb, Stop::Line(file, line)) => commands.push(format!("break {file}:{line}")),
        (Debugger::Lldb, Stop::Call(function)) => {
            commands.push(format!("breakpoint set --name {function}"));
        }
        (Debugger::Lldb, Stop::Line(file, line)) => {
            commands.push(format!("breakpoint set --file {file} --line {line}"));
        }
        (_, Stop::Signal(_)) => {}
    }
    commands.push("run".to_owned());
    if let (Debugger::Gdb, Stop::Signal(function)) = (debugger, stop) {
        commands.push(format!("frame function {function}"));
    }
    if !terminal {
        commands.push("backtrace".to_owned());
    }
    let (modes, command, end) = match debugger {
        Debugger::Gdb => (["-q", "-batch"], "-ex", "--args"),
        Debugger::Lldb => (["--source-quietly", "--batch"], "-o", "--"),
    };
    let modes = modes.into_iter().take(if terminal { 1 } else { 2 });
    let mut arguments: Vec<String> = modes.map(str::to_owned).collect();
    for text in commands {
        arguments.extend([command.to_owned(), text]);
    }
    arguments.push(end.to_owned());
    arguments
}

#[cfg(test)]
mod tests {
    use super::{Debugger, Stop, arguments};

    fn said(debugger: Debugger, stop: &Stop, terminal: bool) -> String {
        arguments(debugger, stop, terminal).join(" ")
    }

    #[test]
    fn debuggers_are_told_where_to_stop() {
        let call = Stop::Call("f".to_owned());
        let signal = Stop::Signal("g".to_owned());
        let line = Stop::Line("x.c".to_owned(), 7);
        for (debugger, stop, terminal, expected) in [
            (Debugger::Gdb, &call, true, "-q -ex break f -ex run --args"),
            (
                Debugger::Gdb,
                &signal,
                false,
                "-q -batch -ex run -ex frame function g -ex backtrace --args",
            ),
            (
                Debugger::Gdb,
                &line,
                true,
                "-q -ex break x.c:7 -ex run --args",
            ),
            (
                Debugger::Lldb,
                &call,
                true,
                "--source-quietly -o breakpoint set --name f -o run --",
            ),
            (Debugger::Lldb, &signal, true, "--source-quietly -o run --"),
            (
                Debugger::Lldb,
                &line,
                false,
                "--source-quietly --batch -o breakpoint set --file x.c --line 7 -o run -o backtrace --",
            ),
        ] {
            assert_eq!(said(debugger, stop, terminal), expected);
        }
    }
}
