//! The models of library functions: C code that comes with attest and is executed like the user's
//! own.
//!
//! They are found by name: a program needs the model of a function that it uses and no unit
//! defines. Only the parts of a model file that those functions reach are linked in.

use std::path::PathBuf;

use ir::{FunctionId, Linkage, Origin, Program};
use rustc_hash::FxHashSet;

use crate::Error;
use crate::link::{Linker, Selection};
use crate::load::{Options, read_unit};

/// A model file.
struct ModelFile {
    name: &'static str,
    text: &'static str,
}

/// A model file by its name.
macro_rules! model_file {
    ($name:literal) => {
        ModelFile {
            name: $name,
            text: include_str!(concat!("../models/", $name)),
        }
    };
}

/// The files that define models.
const MODELS: &[ModelFile] = &[
    model_file!("string.c"),
    model_file!("ctype.c"),
    model_file!("stdlib.c"),
    model_file!("builtins.c"),
    model_file!("fortify.c"),
    model_file!("network.c"),
];

/// The headers that they include.
const HEADERS: &[ModelFile] = &[model_file!("attest_primitives.h")];

/// Adds the models of the functions that the program uses and does not define.
pub(crate) fn add(linker: &mut Linker, options: &Options) -> Result<(), Error> {
    let mut open: Vec<&ModelFile> = MODELS.iter().collect();
    let mut directory = None;
    // Models call each other, so files are added until no function is left that one defines.
    loop {
        let missing = missing(linker.program());
        let found = open
            .iter()
            .position(|file| missing.iter().any(|name| defines(file.text, name)));
        let Some(found) = found else {
            return Ok(());
        };
        let file = open.remove(found);
        let directory = match &directory {
            Some(directory) => directory,
            None => directory.insert(unpack().map_err(Error::Models)?),
        };
        let program = lower_model(file.name, directory, options)?;
        let roots = definitions(&program, &missing);
        let keep = Selection::reachable(&program, roots);
        linker.add(program, &keep)?;
    }
}

/// The names of the functions without a body.
fn missing(program: &Program) -> FxHashSet<String> {
    let bodiless = program
        .functions
        .iter()
        .filter(|function| function.body.is_none() && function.linkage == Linkage::External);
    bodiless.map(|function| function.name.clone()).collect()
}

/// Whether the text defines a function of this name at the start of a line's declaration.
fn defines(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let whole = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let indented = text[line_start..at].starts_with([' ', '\t', '/', '*']);
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let declaration = text[..line_end].ends_with(';');
        whole && !indented && !declaration && text[at + name.len()..].starts_with('(')
    })
}

fn definitions(program: &Program, names: &FxHashSet<String>) -> Vec<FunctionId> {
    let functions = program.functions.iter_enumerated();
    functions
        .filter(|(_, function)| {
            function.body.is_some()
                && function.linkage == Linkage::External
                && names.contains(&function.name)
        })
        .map(|(id, _)| id)
        .collect()
}

/// Writes the files where the exporter can read them.
fn unpack() -> std::io::Result<tempfile::TempDir> {
    let directory = tempfile::tempdir()?;
    for file in MODELS.iter().chain(HEADERS) {
        std::fs::write(directory.path().join(file.name), file.text)?;
    }
    Ok(directory)
}

/// Lowers a model file for the user's target. Its paths do not show where it was unpacked.
fn lower_model(
    name: &str,
    directory: &tempfile::TempDir,
    options: &Options,
) -> Result<Program, Error> {
    let options = Options {
        flags: target_flags(&options.flags),
        include: None,
        directory: Some(directory.path().to_owned()),
        ..options.clone()
    };
    let mut program = read_unit(&PathBuf::from(name), &options, Origin::Model)?.program;
    for unit in &mut program.units {
        unit.path = display_path(&unit.path);
    }
    for file in &mut program.files {
        file.path = display_path(&file.path);
    }
    Ok(program)
}

fn display_path(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    format!("<attest>/{name}")
}

/// The flags that change the data model.
fn target_flags(flags: &[String]) -> Vec<String> {
    const EXACT: &[&str] = &[
        "-fwrapv",
        "-fno-wrapv",
        "-fno-strict-overflow",
        "-fstrict-overflow",
        "-funsigned-char",
        "-fsigned-char",
        "-fshort-enums",
        "-fshort-wchar",
    ];
    let mut kept = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if flag == "-target" || flag == "-mllvm" {
            let value = flags.next();
            if flag == "-target" {
                kept.extend([flag.clone()].into_iter().chain(value.cloned()));
            }
        } else if flag.starts_with("-m")
            || flag.starts_with("--target=")
            || EXACT.contains(&flag.as_str())
        {
            kept.push(flag.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_declaration_and_a_call() {
        let text = "void *memcpy(void *to);\nvoid *memcpy_s(void *to)\n{\n    strlen(x);\n}\nint abs(int x)\n{";
        assert!(!defines(text, "memcpy"));
        assert!(defines(text, "memcpy_s"));
        assert!(!defines(text, "strlen"));
        assert!(defines(text, "abs"));
    }

    #[test]
    fn every_model_file_defines_what_it_is_for() {
        for (name, function) in [
            ("string.c", "memcpy"),
            ("ctype.c", "isdigit"),
            ("stdlib.c", "malloc"),
            ("builtins.c", "__attest_model_clz"),
            ("fortify.c", "__memcpy_chk"),
            ("network.c", "htons"),
        ] {
            let file = MODELS.iter().find(|file| file.name == name);
            assert!(
                file.is_some_and(|file| defines(file.text, function)),
                "{function}"
            );
        }
    }

    #[test]
    fn flags_of_the_target_are_kept() {
        let flags = [
            "-m32", "-Wall", "-DX", "-target", "arm", "-fwrapv", "-mllvm", "-x",
        ];
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        assert_eq!(target_flags(&flags), ["-m32", "-target", "arm", "-fwrapv"]);
    }
}
