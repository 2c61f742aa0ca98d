//! Compares what is found in random functions without lazy expansion and with it, and audits what
//! lazy expansion leaves out. Proofs by invariants, which end searches early, are left out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::functions::{self, Program};

/// Makes the functions of these numbers in the folder `scratch` and compares, one by one, which
/// goals are decided how and, if paths count, how many are found. Gives in how many of them calls
/// were replaced; an error says what differs.
pub fn compare(
    attest: &Path,
    numbers: Range<u64>,
    criterion: &str,
    scratch: &Path,
) -> Result<u64, String> {
    let Program { text, callees } = functions::program(numbers.clone());
    let told = |error: std::io::Error| error.to_string();
    std::fs::write(scratch.join("x.c"), text).map_err(told)?;
    let find = |name: &str, lazy: &str| {
        let mut command = Command::new(attest);
        let words = format!(
            "cover x.c --no-replay --prove off --time 5m --criterion {criterion} --lazy {lazy} \
             -o {name}"
        );
        command.args(words.split(' ')).current_dir(scratch);
        let output = command.output().map_err(told)?;
        match output.status.code() {
            Some(0 | 1) => read(&scratch.join(name), numbers.clone()),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    let (without, with) = (find("off", "off")?, find("lazy", &callees)?);
    // It fails if an execution does what a pruning of lazy expansion rules out.
    find("audit", &format!("{callees} --audit"))?;
    let mut replaced = 0;
    for (function, suite) in &without {
        let lazy = with.get(function).ok_or("there is a suite for each")?;
        let differs = |what: &str| {
            format!("{function} of {numbers:?}, {criterion}: {what} differ with lazy expansion")
        };
        if weakened(decided(suite), lazy) != decided(lazy) {
            return Err(differs("the goals"));
        }
        if criterion == "unit-paths" && paths(suite) != paths(lazy) {
            return Err(differs("the paths"));
        }
        // Without it there are more executions, which may hit more bounds.
        if suite["complete"] == true && lazy["complete"] == false && !is_within(lazy) {
            return Err(differs("what is complete"));
        }
        let iterations = &lazy["statistics"]["lazy"]["iterations_outside"];
        replaced += u64::from(iterations.as_u64().is_some_and(|count| count > 0));
    }
    Ok(replaced)
}

/// What was decided without lazy expansion, said as it may be said with it: a call that is replaced
/// may write what it does not write when it is executed, and that may share memory with something
/// else.
fn weakened(decided: Vec<String>, lazy: &Value) -> Vec<String> {
    let is_within = is_within(lazy);
    let told = self::decided(lazy);
    let weakened = decided.into_iter().enumerate().map(|(number, plain)| {
        let weaker = plain.replace("\"unreachable\"", "\"unreachable-within\"");
        match is_within && told.get(number) == Some(&weaker) {
            true => weaker,
            false => plain,
        }
    });
    weakened.collect()
}

/// Whether what is decided is so within the bound that inputs share no memory.
fn is_within(suite: &Value) -> bool {
    let bounds = suite["bounds"].as_array().into_iter().flatten();
    bounds
        .map(|bound| &bound["kind"])
        .any(|kind| kind == "shared-memory")
}

/// The suites of functions, by their names.
fn read(folder: &Path, numbers: Range<u64>) -> Result<BTreeMap<String, Value>, String> {
    let functions = numbers.map(|number| format!("f{number}"));
    let suites = functions.map(|function| {
        let path = folder.join(&function).join("suite.json");
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let suite = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok((function, suite))
    });
    suites.collect()
}

/// Each goal and what became of it.
pub fn decided(suite: &Value) -> Vec<String> {
    let goals = suite["goals"].as_array().into_iter().flatten();
    let told = |goal: &Value| {
        let keys = ["line", "column", "side", "status"];
        keys.map(|key| goal[key].to_string()).join(" ")
    };
    goals.map(told).collect()
}

/// How many tests there are that end well.
pub fn paths(suite: &Value) -> usize {
    let tests = suite["tests"].as_array().into_iter().flatten();
    tests.filter(|test| test["outcome"] != "defect").count()
}
