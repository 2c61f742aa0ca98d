//! `attest witness`: the invariants of the proofs about a whole program, for other verifiers.

mod claim;
mod whole;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::witness::{Gathered, Invariant, Metadata, Source, Task};
use ir::Program;

use self::claim::Claim;
use self::whole::WholeProgram;
use super::replay::folder::Folder;
use super::replay::go_to;
use crate::cli::witness::WitnessArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::status::Status;

/// The name of the witness in its folder.
const FILE: &str = "witness.yml";

/// The name of the program in the folder that calls `reach_error` at goals.
const HARNESS: &str = "harness.c";

/// How many conditions are read one by one, where some of them is no valid C.
const MOST_ALONE: usize = 100;

/// Writes the witness of the proofs in a folder.
pub fn witness(arguments: &WitnessArguments, console: &mut Console) -> Result<Status, Failure> {
    let metadata = Metadata {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        creation_time: creation_time(arguments)?,
    };
    let folder = Folder::open(&arguments.directory)?;
    let output = match &arguments.output {
        None => folder.directory.join("witness"),
        Some(output) => std::path::absolute(output)
            .map_err(|error| Failure::bad_input(error.to_string(), "name another folder (-o)"))?,
    };
    go_to(&folder.working_directory()?)?;
    let whole = WholeProgram::open(&folder)?;
    let claim = Claim::new(&folder, &whole)?;
    let source = Source::new(&whole.text);
    let points = claim.proofs.iter().flat_map(|proof| &proof.points);
    let program = &whole.loaded.program;
    let mut gathered = ::witness::gather(program, whole.entry, (whole.file, &source), points);
    let kept = read_again(&whole, &mut gathered)?;
    let refused = gathered.conditions.len() - kept.len();
    let invariants = invariants(&whole, &claim, &gathered, &kept);
    let text = ::witness::witness(&metadata, &task(&whole, &claim), &invariants)
        .map_err(|error| Failure::internal(error.to_string()))?;
    write(&output, FILE, &text)?;
    if let Some(harness) = &claim.harness {
        write(&output, HARNESS, &harness.text)?;
    }
    let mut left_out = gathered.left_out;
    if refused > 0 {
        left_out.insert("its text does not mean the same for all values", refused);
    }
    let told = tell(&output, &claim, invariants.len(), &left_out);
    console.write(told.as_bytes())?;
    Ok(Status::Complete)
}

/// The time of the witness.
fn creation_time(arguments: &WitnessArguments) -> Result<String, Failure> {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok();
    let time = match (arguments.creation_time, fixed) {
        (Some(time), _) => time,
        (None, None) => SystemTime::now(),
        (None, Some(seconds)) => {
            let seconds = seconds.parse().ok().map(Duration::from_secs);
            let time = seconds.and_then(|since| UNIX_EPOCH.checked_add(since));
            time.ok_or_else(|| {
                Failure::bad_input(
                    "SOURCE_DATE_EPOCH is no number of seconds",
                    "unset it, or give the time by --creation-time",
                )
            })?
        }
    };
    // Times that the format has no form for are those behind the year 9999.
    let last = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    Ok(humantime::format_rfc3339_seconds(time.clamp(UNIX_EPOCH, last)).to_string())
}

/// The conditions whose text clang reads as what the proofs say, by their numbers.
fn read_again(whole: &WholeProgram, gathered: &mut Gathered) -> Result<Vec<usize>, Failure> {
    let all: Vec<usize> = (0..gathered.conditions.len()).collect();
    if all.is_empty() {
        return Ok(all);
    }
    let program = &whole.loaded.program;
    if let Some(read) = whole.read(&::witness::marked(&whole.text, gathered, &all))? {
        return Ok(::witness::kept(program, &read, gathered, &all));
    }
    let mut kept = Vec::new();
    for number in all.into_iter().take(MOST_ALONE) {
        let alone = [number];
        if let Some(read) = whole.read(&::witness::marked(&whole.text, gathered, &alone))? {
            kept.extend(::witness::kept(program, &read, gathered, &alone));
        }
    }
    Ok(kept)
}

fn task(whole: &WholeProgram, claim: &Claim) -> Task {
    let width = whole.loaded.program.target.pointer_width;
    match &claim.harness {
        None => Task::without_errors(&whole.path, &whole.text, width),
        Some(harness) => Task::without_errors(HARNESS, &harness.text, width),
    }
}

/// The conditions at their places in the program that the witness is about.
fn invariants(
    whole: &WholeProgram,
    claim: &Claim,
    gathered: &Gathered,
    kept: &[usize],
) -> Vec<Invariant> {
    let (file, text) = match &claim.harness {
        None => (whole.path.as_str(), whole.text.as_str()),
        Some(harness) => (HARNESS, harness.text.as_str()),
    };
    let source = Source::new(text);
    let kept = kept
        .iter()
        .filter_map(|&number| gathered.conditions.get(number));
    let invariants = kept.map(|condition| {
        let at = condition.spot.at;
        let at = claim
            .harness
            .as_ref()
            .map_or(at, |harness| harness.moved(at));
        let (line, column) = source.position(at);
        Invariant {
            kind: condition.spot.kind,
            file_name: file.to_owned(),
            line,
            column,
            function: whole.loaded.program.functions[condition.function]
                .name
                .clone(),
            value: condition.text.clone(),
        }
    });
    invariants.collect()
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    written.map_err(|error| {
        Failure::bad_input(
            format!("cannot write {}: {error}", path.display()),
            "name another folder (-o)",
        )
    })
}

/// What was written, what it claims, and what it lacks.
fn tell(
    output: &Path,
    claim: &Claim,
    invariants: usize,
    left_out: &BTreeMap<&'static str, usize>,
) -> String {
    let mut text = String::new();
    let s = if invariants == 1 { "" } else { "s" };
    let path = output.join(FILE);
    let _ = writeln!(text, "{}: {invariants} invariant{s}", path.display());
    match &claim.harness {
        None => text.push_str("the program never calls reach_error\n"),
        Some(_) => {
            let path = output.join(HARNESS);
            let goals = claim.goals.len();
            let s = if goals == 1 { "" } else { "s" };
            let _ = writeln!(
                text,
                "{} never calls reach_error, which it does at {goals} unreachable goal{s}",
                path.display()
            );
        }
    }
    for (goal, why) in &claim.left_out {
        let _ = writeln!(text, "left out: goal {goal}: {why}");
    }
    for (why, count) in left_out {
        let s = if *count == 1 { "" } else { "s" };
        let _ = writeln!(text, "left out: {count} formula{s}: {why}");
    }
    for check in &claim.checks {
        let _ = writeln!(text, "unless an execution goes on behind a defect, {check}");
    }
    text
}

impl WholeProgram {
    /// The program of another text of its file; `None` if that is no valid C.
    fn read(&self, text: &str) -> Result<Option<Program>, Failure> {
        let no_room = |error: std::io::Error| {
            Failure::bad_input(
                format!("cannot write temporary files: {error}"),
                "attest needs room for temporary files (TMPDIR)",
            )
        };
        let folder = tempfile::tempdir().map_err(no_room)?;
        let original = Path::new(&self.path);
        let name = original.file_name().unwrap_or(original.as_os_str());
        let path: PathBuf = folder.path().join(name);
        let declarations = folder.path().join("attest-declarations.h");
        std::fs::write(&path, text).map_err(no_room)?;
        std::fs::write(&declarations, ::witness::DECLARATIONS).map_err(no_room)?;
        let mut flags = self.flags.clone();
        flags.push(format!("-include{}", declarations.display()));
        Ok(LoadedProgram::load(&[path], &flags)
            .ok()
            .map(|it| it.program))
    }
}
