//! Every annotated C file of `tests/fixtures` and `examples`: attest finds what the annotations
//! say, no more and no less, and the compiled tests confirm it.

#[path = "support/comparison.rs"]
mod comparison;
#[path = "support/fixture.rs"]
mod fixture;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use emit::replay::test_flags;
use fixture::{Fixture, c_files, workspace};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("a_difference_is_told", a_difference_is_told),
        Trial::test(
            "a_wrong_annotation_is_refused",
            a_wrong_annotation_is_refused,
        ),
    ];
    for path in fixture::paths() {
        let name = path.replace('/', "::");
        trials.push(Trial::test(name, move || check(&path)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check(path: &str) -> Result<(), Failed> {
    let root = workspace();
    let text = std::fs::read_to_string(root.join(path))?;
    let expected = Fixture::parse(&text)?;
    let scratch = tempfile::tempdir()?;
    let output = Command::new(env!("CARGO_BIN_EXE_attest"))
        .args(&expected.arguments)
        .arg(path)
        .arg("-o")
        .arg(scratch.path())
        .arg("--")
        .args(&expected.flags)
        .current_dir(&root)
        .output()?;
    let differences = compare(path, &text, &expected, scratch.path(), &output);
    match differences {
        Ok(differences) if differences.is_empty() => {
            compiles_without_warnings(path, &expected, scratch.path())
        }
        Ok(differences) => Err(with_output(&differences, &output)),
        Err(error) => Err(with_output(&error, &output)),
    }
}

/// The emitted tests give no warning that the unit does not give by itself.
fn compiles_without_warnings(path: &str, expected: &Fixture, folder: &Path) -> Result<(), Failed> {
    let tests = folder.join("tests");
    let flags = test_flags(&expected.flags);
    for compiler in ["gcc", "clang-19"] {
        for file in c_files(&tests) {
            let all = warnings(compiler, &flags, &tests.join(&file))?;
            if all.is_empty() {
                continue;
            }
            let own = warnings(compiler, &expected.flags, Path::new(path))?;
            // A compiler that does not take the unit says nothing of its tests.
            if own.iter().any(|line| line.contains(" error: ")) {
                continue;
            }
            let added: Vec<&String> = all.difference(&own).collect();
            if !added.is_empty() {
                return Err(format!("{compiler} says of {file}: {added:#?}").into());
            }
        }
    }
    Ok(())
}

/// What a compiler warns of in a file, each with the file's name and without its folder.
fn warnings(compiler: &str, flags: &[String], file: &Path) -> Result<BTreeSet<String>, Failed> {
    let output = Command::new(compiler)
        .args(["-fsyntax-only", "-Wall", "-Wextra", "-Iinclude"])
        .args(flags)
        .arg(file)
        .current_dir(workspace())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let lines = said.lines().filter(|line| {
        let is_about = |kind: &str| line.contains(&format!(": {kind}: "));
        is_about("warning") || is_about("error") || is_about("fatal error")
    });
    let name = |line: &str| match line.split_once(':') {
        Some((path, rest)) => {
            let name = Path::new(path).file_name().unwrap_or_default();
            format!("{}:{rest}", name.to_string_lossy())
        }
        None => line.to_owned(),
    };
    Ok(lines.map(name).collect())
}

fn compare(
    path: &str,
    text: &str,
    expected: &Fixture,
    folder: &Path,
    output: &Output,
) -> Result<String, String> {
    let exit = output.status.code().ok_or("attest was ended by a signal")?;
    let suite = std::fs::read_to_string(folder.join("suite.json"))
        .map_err(|error| format!("suite.json: {error}"))?;
    let suite = serde_json::from_str(&suite).map_err(|error| format!("suite.json: {error}"))?;
    let found = comparison::found(&suite, path, exit)?;
    Ok(comparison::differences(path, text, expected, &found))
}

fn with_output(what: &str, output: &Output) -> Failed {
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{what}\n--- attest said:\n{said}{errors}").into()
}

fn a_difference_is_told() -> Result<(), Failed> {
    let text = "// attest: cover -f f --max-array 4 -- -m32\n// defect: leak 4\nint f(int a) {\n\
                if (a) g(); //~ T covered, F unreachable | case 1 ... 3 covered\n}\n";
    let expected = Fixture::parse(text)?;
    let suite = serde_json::json!({
        "goals": [
            { "id": 1, "file": "x.c", "line": 4, "column": 5, "side": "false", "status": "covered", "confirmed": true },
            { "id": 0, "file": "x.c", "line": 4, "column": 5, "side": "true", "status": "covered", "confirmed": false },
            { "id": 2, "file": "x.c", "line": 5, "column": 1, "side": "default", "status": "undecided" },
        ],
        "defects": [{ "kind": "leak", "line": 4, "assumptions": [] }],
    });
    let found = comparison::found(&suite, "x.c", 3)?;
    let report = comparison::differences("x.c", text, &expected, &found);
    let told = "x.c:4: if (a) g();\n  \
                  annotated: T covered, F unreachable, case 1 ... 3 covered\n  \
                  attest:    T covered (not confirmed), F covered\n\
                x.c:5: }\n  \
                  annotated: nothing\n  \
                  attest:    default undecided\n\
                exit status 3, annotated 1\n";
    if report == told && expected.flags == ["-m32"] {
        return Ok(());
    }
    Err(report.into())
}

fn a_wrong_annotation_is_refused() -> Result<(), Failed> {
    let wrong = [
        "int f;",
        "// attest: cover -f f\n//~ T maybe",
        "// attest: cover -f f\n//~ covered",
        "// attest: cover -f f\n// defect: leak here",
        "// attest: cover -f f\n// exit: soon",
    ];
    match wrong.iter().find(|text| Fixture::parse(text).is_ok()) {
        None => Ok(()),
        Some(text) => Err(format!("accepted: {text}").into()),
    }
}
