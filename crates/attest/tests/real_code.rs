//! Real C code is read without a failure: every function of zlib, lua and sqlite, as Rust packages
//! carry them, and of Debian's cJSON. Prints how many functions hold a construct that attest does
//! not handle yet.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use ir::{Origin, Program, Terminator};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// A body of C code.
struct Code {
    name: &'static str,
    folder: PathBuf,
    /// Files that are not read, because they are programs or need a special set-up.
    left_out: &'static [&'static str],
    flags: &'static [&'static str],
    /// Functions with a body that there are at least; fewer means that something was not read.
    functions: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match all_code() {
        Ok(all) => all
            .into_iter()
            .map(|code| Trial::test(code.name, move || check(&code)))
            .collect(),
        Err(error) => vec![Trial::test("sources", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn all_code() -> Result<Vec<Code>, String> {
    let packages = packages()?;
    let folder = |package: &str, inside: &str| {
        let found = packages["packages"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|candidate| candidate["name"] == package)
            .and_then(|found| found["manifest_path"].as_str())
            .and_then(|manifest| Path::new(manifest).parent())
            .ok_or(format!("cargo metadata does not know {package}"))?;
        Ok::<PathBuf, String>(found.join(inside))
    };
    Ok(vec![
        Code {
            name: "zlib",
            folder: folder("libz-sys", "src/zlib")?,
            left_out: &[],
            flags: &["-DHAVE_UNISTD_H"],
            functions: 100,
        },
        Code {
            name: "lua",
            folder: folder("lua-src", "lua-5.4.7")?,
            left_out: &["lua.c", "luac.c"],
            flags: &["-DLUA_USE_POSIX"],
            functions: 800,
        },
        Code {
            name: "sqlite",
            folder: folder("libsqlite3-sys", "sqlite3")?,
            left_out: &["wasm32-wasi-vfs.c"],
            flags: &[],
            functions: 2000,
        },
        Code {
            name: "cjson",
            folder: workspace().join("target/real-code/cjson"),
            left_out: &["test.c"],
            flags: &[],
            functions: 100,
        },
    ])
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What cargo knows of the packages, whose sources it fetches if need be.
fn packages() -> Result<Value, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(workspace());
    let output = command
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        format!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn check(code: &Code) -> Result<(), Failed> {
    let (mut functions, mut unsupported) = (0, 0);
    for file in c_files(code)? {
        let program = load(&file, code.flags)?;
        let (all, partly) = count(&program);
        functions += all;
        unsupported += partly;
    }
    println!(
        "{}: {functions} functions, {unsupported} with an unsupported construct",
        code.name
    );
    if functions < code.functions {
        return Err(format!("only {functions} functions were read").into());
    }
    Ok(())
}

fn c_files(code: &Code) -> Result<Vec<PathBuf>, Failed> {
    let folder = &code.folder;
    let entries = std::fs::read_dir(folder).map_err(|error| {
        format!(
            "{}: {error}; make install-test-deps fetches what is missing",
            folder.display()
        )
    })?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.ends_with(".c") && !code.left_out.contains(&name) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// How many functions of the user have a body, and how many of those hold something unsupported.
fn count(program: &Program) -> (usize, usize) {
    let mut counts = (0, 0);
    for (id, function) in program.functions.iter_enumerated() {
        if let (Origin::User, Some(body)) = (program.origin(id), &function.body) {
            let unsupported = body
                .blocks
                .iter()
                .any(|block| matches!(block.terminator, Terminator::Unsupported { .. }));
            counts.0 += 1;
            counts.1 += usize::from(unsupported);
        }
    }
    counts
}

fn load(file: &Path, flags: &[&str]) -> Result<Program, Failed> {
    let options = frontend::Options {
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        exporter: Some(env!("CARGO_BIN_EXE_attest").into()),
        ..Default::default()
    };
    let loaded = frontend::load(&[file.to_owned()], &options)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(loaded.program)
}
