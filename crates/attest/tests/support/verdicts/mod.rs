//! Verdicts held against native runs: no side that a run free of undefined behaviour takes is
//! called unreachable, and no two searches contradict each other.

pub mod maker;
mod marked;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use maker::Unit;
use marked::{Kind, Probe};

/// What stands before and behind a unit that is judged, and a header that it includes.
const WORLD: &str = include_str!("world.c");
const CALLEES: &str = include_str!("callees.h");
const SURROUNDINGS: &str = include_str!("surroundings.c");

/// The functions of one unit.
const FUNCTIONS: u32 = 6;

/// The search strategies.
const STRATEGIES: [&str; 9] = [
    "coverage",
    "dfs",
    "bounded-dfs",
    "bfs",
    "random-branch",
    "uniform-random",
    "cfg",
    "generational",
    "two-pass",
];

/// Criteria whose goals are decisions, and those whose goals are conditions.
const OF_DECISIONS: [&str; 6] = [
    "decisions",
    "empty-else",
    "minimal-all-paths",
    "max-iterations",
    "k-path=2",
    "minimal-all-decisions",
];
const OF_CONDITIONS: [&str; 5] = [
    "conditions",
    "conditions,weak-mutation,all-uses",
    "minimal-all-conditions",
    "conditions,condition-combinations",
    "mcdc",
];

/// A side of a goal: its place, and what `suite.json` calls it.
type Side = (u64, u64, String);

/// What became of some units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Goals that were looked at, once for each search.
    pub goals: u64,
    /// Those that were called unreachable.
    pub unreachable: u64,
    /// Those that native runs reached, of all.
    pub reached: u64,
}

/// Searches the unit of a number in several ways, and runs it so many times. An error says what is
/// wrong.
pub fn check(
    attest: &Path,
    number: u64,
    runs: u32,
    without: &[String],
    scratch: &Path,
) -> Result<Counts, String> {
    let unit = maker::unit(number, FUNCTIONS, without);
    let (text, probes) = marked::plain(&unit.marked);
    let told = |error: std::io::Error| error.to_string();
    std::fs::write(scratch.join("x.c"), text).map_err(told)?;
    std::fs::write(scratch.join("callees.h"), CALLEES).map_err(told)?;
    let flags: &[&str] = match number % 4 {
        3 => &["-m32"],
        _ => &[],
    };
    let reached = judge(&unit, &probes, number, runs, flags, scratch)?;
    let mut counts = Counts::default();
    let mut decided: BTreeMap<(bool, Side), String> = BTreeMap::new();
    for (kind, search) in searches(number, &unit.marked) {
        let goals = goals(attest, &search, flags, scratch)?;
        let mut times: BTreeMap<Side, u32> = BTreeMap::new();
        for goal in &goals {
            *times.entry(side(goal)).or_default() += 1;
        }
        for goal in goals {
            let side = side(&goal);
            // A decision stands in for its constant conditions, and may begin where another one
            // does.
            if times[&side] > 1 {
                continue;
            }
            // A decision with constant conditions is a goal beside the conditions, and may begin
            // with one.
            let is_condition = kind == Kind::Condition && goal["kind"] != "decision";
            let is_reached = reached[usize::from(is_condition)].contains(&side);
            let status = goal["status"].as_str().unwrap_or_default();
            counts.goals += 1;
            counts.reached += u64::from(is_reached);
            counts.unreachable += u64::from(status == "unreachable");
            let (line, column, which) = &side;
            let place = format!("unit {number}: x.c:{line}:{column} {which}");
            if status == "unreachable" && is_reached {
                return Err(format!(
                    "{place} is unreachable under `{search}`, and is reached"
                ));
            }
            if !matches!(status, "covered" | "unreachable") {
                continue;
            }
            let known = decided.entry((is_condition, side.clone()));
            let known = known.or_insert_with(|| status.to_owned());
            if known != status {
                return Err(format!(
                    "{place} is {status} under `{search}`, and {known} otherwise"
                ));
            }
        }
    }
    Ok(counts)
}

/// The searches for a unit: the criterion's kind of probe, and arguments.
fn searches(number: u64, text: &str) -> Vec<(Kind, String)> {
    let nth = |step: u64, of: usize| (number / step) as usize % of;
    let strategy = |step: u64| STRATEGIES[nth(step, STRATEGIES.len())];
    let of_decisions = OF_DECISIONS[nth(2, OF_DECISIONS.len())];
    let of_conditions = OF_CONDITIONS[nth(5, OF_CONDITIONS.len())];
    let called = ["clamp", "store"];
    let called = called
        .into_iter()
        .filter(|name| text.contains(&format!("({name}(")));
    let called: Vec<&str> = called.collect();
    let lazy = match called.is_empty() || number.is_multiple_of(3) {
        true => "off".to_owned(),
        false => called.join(","),
    };
    let mut searches = vec![
        (Kind::Decision, "--criterion decisions".to_owned()),
        (
            Kind::Decision,
            format!(
                "--criterion {of_decisions} --strategy {} --lazy {lazy}",
                strategy(1)
            ),
        ),
        (
            Kind::Condition,
            format!(
                "--criterion {of_conditions} --strategy {} --seed {number}",
                strategy(9)
            ),
        ),
    ];
    // Nothing judges these but another search that asks for them.
    if of_conditions.contains("weak-mutation") {
        let other = strategy(4);
        let search = format!("--criterion weak-mutation,all-uses --strategy {other}");
        searches.push((Kind::Condition, search));
    }
    searches
}

/// The goals of all functions, as a search leaves them.
fn goals(
    attest: &Path,
    search: &str,
    flags: &[&str],
    scratch: &Path,
) -> Result<Vec<Value>, String> {
    let words = format!("cover x.c --no-replay --time 3s {search} -o out --");
    let mut command = Command::new(attest);
    let output = run(command
        .args(words.split(' '))
        .args(flags)
        .current_dir(scratch))?;
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        return Err(format!(
            "`{search}` ends with {}:\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let mut found = Vec::new();
    for nth in 0..FUNCTIONS {
        let path = scratch.join(format!("out/f{nth}/suite.json"));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let suite: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        found.extend(suite["goals"].as_array().into_iter().flatten().cloned());
    }
    Ok(found)
}

fn side(goal: &Value) -> Side {
    let number = |key: &str| goal[key].as_u64().unwrap_or_default();
    let side = goal["side"].as_str().unwrap_or_default();
    (number("line"), number("column"), side.to_owned())
}

/// The sides of decisions and switches, and those of conditions and switches, that native runs
/// take.
fn judge(
    unit: &Unit,
    probes: &[Probe],
    number: u64,
    runs: u32,
    flags: &[&str],
    scratch: &Path,
) -> Result<[BTreeSet<Side>; 2], String> {
    let source = scratch.join("judge.c");
    let binary = scratch.join("judge");
    std::fs::write(&source, program(unit, number, runs)).map_err(|error| error.to_string())?;
    let mut compiler = Command::new("clang-19");
    compiler.args(["-w", "-O1", "-fno-strict-aliasing"]).args([
        "-fsanitize=undefined,local-bounds",
        "-fsanitize-trap=all",
        "-fno-sanitize=function",
    ]);
    let compiled = run(compiler.args(flags).arg(&source).arg("-o").arg(&binary))?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let judged = run(&mut Command::new(&binary))?;
    if !judged.status.success() {
        return Err(format!(
            "unit {number}: the judge ends with {}",
            judged.status
        ));
    }
    let mut reached = [BTreeSet::new(), BTreeSet::new()];
    for line in String::from_utf8_lossy(&judged.stdout).lines() {
        let Some((probe, outcome)) = line.split_once(' ') else {
            continue;
        };
        let Some(probe) = probes
            .iter()
            .find(|known| known.number.to_string() == probe)
        else {
            continue;
        };
        if let Some(code) = outcome.strip_prefix("combination ") {
            let side = combination(code.parse().unwrap_or_default(), probe.conditions);
            reached[1].insert((probe.line.into(), probe.column.into(), side));
            continue;
        }
        let sides: Vec<&str> = match outcome {
            "1" => vec!["true"],
            "2" => vec!["false"],
            "3" => vec!["true", "false"],
            other => vec![other],
        };
        for side in sides {
            let side = (probe.line.into(), probe.column.into(), side.to_owned());
            if probe.kind != Kind::Condition {
                reached[0].insert(side.clone());
            }
            if probe.kind != Kind::Decision {
                reached[1].insert(side);
            }
        }
    }
    Ok(reached)
}

/// A combination of values of conditions, from its digits to base 3.
fn combination(mut code: u32, conditions: u32) -> String {
    let digits = (0..conditions).map(|_| {
        let digit = code % 3;
        code /= 3;
        ["-", "F", "T"][digit as usize]
    });
    digits.collect::<Vec<_>>().join(" ")
}

/// The program that judges.
fn program(unit: &Unit, number: u64, runs: u32) -> String {
    let mut text = format!("{WORLD}\n{}\n", marked::judged(&unit.marked));
    if number.is_multiple_of(2) {
        text += "#define JUDGE_MAYBE\n";
    }
    text += SURROUNDINGS;
    for function in &unit.functions {
        let _ = writeln!(
            text,
            "static void judge_{0}(void) {{ judge_surround(); (void){0}({1}); }}",
            function.name,
            function.arguments.join(", ")
        );
    }
    text += "int main(void)\n{\n    judge_prepare();\n";
    for function in &unit.functions {
        let _ = writeln!(text, "    judge_runs(judge_{}, {runs});", function.name);
    }
    text + "    judge_tell();\n    return 0;\n}\n"
}

fn run(command: &mut Command) -> Result<Output, String> {
    command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))
}
