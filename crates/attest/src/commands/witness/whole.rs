//! The programs that have a witness: those that are one file, and mean the same to other verifiers.

use std::path::Path;

use ::witness::Source;
use explore::Options;
use ir::{Callee, FileId, FunctionId, Origin, Program, Terminator};

use crate::commands::replay::folder::Folder;
use crate::entry;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;

/// Prefixes of the names of functions that say to attest what inputs are and what is assumed, and mean
/// nothing to verifiers of whole programs.
const OF_OTHER_TOOLS: [&str; 6] = [
    "__attest",
    "klee_",
    "CREST_",
    "__Crest",
    "CUTE_",
    "__CPROVER_",
];

/// Flags that do not change what the text of a program means, by their beginnings, but for the data
/// model.
const HARMLESS: [&str; 7] = ["-m32", "-m64", "-std=", "-O", "-W", "-g", "-pedantic"];

/// A program of one file.
pub struct WholeProgram {
    /// The program.
    pub loaded: LoadedProgram,
    /// Its `main`.
    pub entry: FunctionId,
    /// Its file.
    pub file: FileId,
    /// The path of the file.
    pub path: String,
    /// The text of the file.
    pub text: String,
    /// The flags that it is compiled with.
    pub flags: Vec<String>,
}

impl WholeProgram {
    /// The program that the suite in a folder is about; the current folder is that of its sources.
    pub fn open(folder: &Folder) -> Result<WholeProgram, Failure> {
        let build = folder.build()?;
        let suite = &folder.suite;
        let none = |why: String| {
            Failure::bad_input(
                format!("there is no witness of this suite: {why}"),
                "witnesses are of whole programs of one file, covered with -f main",
            )
        };
        if suite.function != "main" || suite.sequence.is_some() {
            return Err(none(format!("it is about `{}`", suite.function)));
        }
        let [path] = &build.units[..] else {
            return Err(none("its program has several files".to_owned()));
        };
        if let Some(header) = build.sources.iter().find(|source| source.path != *path) {
            return Err(none(format!(
                "the program is not in one file, but includes {}",
                header.path
            )));
        }
        let is_harmless =
            |flag: &String| flag == "-w" || HARMLESS.iter().any(|start| flag.starts_with(start));
        if let Some(flag) = build.flags.iter().find(|flag| !is_harmless(flag)) {
            return Err(none(format!(
                "other tools read the file without the flag {flag}"
            )));
        }
        if let Some(changed) = build.changed(Path::new(".")).first() {
            return Err(Failure::bad_input(
                format!("{changed} has changed since the proofs were made"),
                "cover the function again",
            ));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| none(format!("cannot read {path} as UTF-8: {error}")))?;
        let mut loaded = LoadedProgram::load(&folder.units(build)?, &build.flags)?;
        if let Some(criteria) = suite.criteria() {
            coverage::prepare(&mut loaded.program, &criteria);
        }
        let program = &loaded.program;
        let Some(entry) = suite.entry(program, build) else {
            return Err(none("there is no `main` any more".to_owned()));
        };
        means_the_same(program, entry).map_err(none)?;
        if !Source::new(&text).has_own_lines() {
            return Err(none("directives number its lines".to_owned()));
        }
        let unit = &program.units[program.functions[entry].unit];
        let mut files = program.files.iter_enumerated();
        let Some((file, _)) = files.find(|(_, file)| file.path == unit.path) else {
            return Err(none("its file is not known".to_owned()));
        };
        Ok(WholeProgram {
            entry,
            file,
            path: path.clone(),
            text,
            flags: build.flags.clone(),
            loaded,
        })
    }
}

/// Demands that a program means the same to other verifiers.
fn means_the_same(program: &Program, entry: FunctionId) -> Result<(), String> {
    if !explore::is_whole(program, &Options::new(entry)) {
        return Err("it uses a function or an object that nothing defines".to_owned());
    }
    if !matches!(entry::precondition(program, entry, None), Ok(None)) {
        return Err("`main` has a precondition".to_owned());
    }
    if program.target.triple.contains("windows") {
        return Err("its data model is neither ILP32 nor LP64".to_owned());
    }
    match named_of_other_tools(program) {
        Some(name) => Err(format!("other tools do not know `{name}`")),
        None => Ok(()),
    }
}

/// A function that the program calls, and that is known to some tools only.
fn named_of_other_tools(program: &Program) -> Option<&str> {
    let functions = program.functions.iter_enumerated();
    let users = functions.filter(|&(id, _)| program.origin(id) == Origin::User);
    let blocks = users.flat_map(|(_, function)| function.body.iter().flat_map(|it| &it.blocks));
    let called = blocks.filter_map(|block| match block.terminator {
        Terminator::Call {
            callee: Callee::Direct(callee),
            ..
        } => Some(program.functions[callee].name.as_str()),
        _ => None,
    });
    let mut called = called;
    called.find(|name| {
        let mut prefixes = OF_OTHER_TOOLS.iter();
        prefixes.any(|prefix| name.starts_with(prefix))
    })
}
