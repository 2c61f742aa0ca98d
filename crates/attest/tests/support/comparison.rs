//! What attest found, compared with what the annotations of a file say.

use std::fmt::Write as _;

use serde_json::Value;

use super::fixture::{Fixture, IF, Item, UNSHOWN};

/// What attest found, read from `suite.json`, in the words of a fixture.
pub fn found(suite: &Value, path: &str, exit: i32) -> Result<Fixture, String> {
    let mut goals: Vec<(u64, u64, u64, Item)> = Vec::new();
    for goal in array(suite, "goals")? {
        if goal["file"].as_str() != Some(path) {
            return Err(format!("a goal is in another file: {goal}"));
        }
        // Goals that nobody asks for are of use for others.
        if goal["auxiliary"] == true {
            continue;
        }
        let (line, column) = (number(goal, "line")?, number(goal, "column")?);
        goals.push((line, column, number(goal, "id")?, item(goal)?));
    }
    goals.sort();
    let mut found = Fixture {
        exit,
        ..Fixture::default()
    };
    for (line, _, _, item) in goals {
        found.goals.entry(line).or_default().push(item);
    }
    for defect in array(suite, "defects")? {
        let kind = defect["kind"].as_str().ok_or("a defect without a kind")?;
        let kind = match defect["confirmed"] == false {
            true => format!("{kind}{UNSHOWN}"),
            false => kind.to_owned(),
        };
        let assumed = array(defect, "assumptions")?.iter();
        let assumed: Vec<&str> = assumed.filter_map(Value::as_str).collect();
        let kind = match assumed.is_empty() {
            true => kind,
            false => format!("{kind}{IF}{}", assumed.join(" ")),
        };
        found.defects.push((kind, number(defect, "line")?));
    }
    found.defects.sort();
    Ok(found)
}

fn item(goal: &Value) -> Result<Item, String> {
    let side = match goal["side"].as_str().ok_or("a goal without a side")? {
        "true" => "T",
        "false" => "F",
        other => other,
    };
    let status = goal["status"].as_str().ok_or("a goal without a status")?;
    if status == "covered" && goal["confirmed"] == false {
        return Ok(format!("{side} {status} (not confirmed)"));
    }
    Ok(format!("{side} {status}"))
}

fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value[key]
        .as_array()
        .ok_or(format!("suite.json has no list `{key}`"))
}

fn number(value: &Value, key: &str) -> Result<u64, String> {
    value[key]
        .as_u64()
        .ok_or(format!("suite.json: no number `{key}` in {value}"))
}

/// What differs between the annotations of a file and what attest found; empty if nothing does.
pub fn differences(path: &str, text: &str, expected: &Fixture, found: &Fixture) -> String {
    let mut report = String::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut numbers: Vec<u64> = expected
        .goals
        .keys()
        .chain(found.goals.keys())
        .copied()
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        let (annotated, actual) = (expected.goals.get(&number), found.goals.get(&number));
        if annotated != actual {
            let source = lines.get(number as usize - 1).unwrap_or(&"");
            let source = source.split("//~").next().unwrap_or("").trim();
            let _ = writeln!(report, "{path}:{number}: {source}");
            let _ = writeln!(report, "  annotated: {}", joined(annotated));
            let _ = writeln!(report, "  attest:    {}", joined(actual));
        }
    }
    if expected.defects != found.defects {
        let _ = writeln!(report, "defects annotated: {:?}", expected.defects);
        let _ = writeln!(report, "defects found:     {:?}", found.defects);
    }
    if expected.exit != found.exit {
        let _ = writeln!(
            report,
            "exit status {}, annotated {}",
            found.exit, expected.exit
        );
    }
    report
}

fn joined(items: Option<&Vec<Item>>) -> String {
    items.map_or_else(|| "nothing".to_owned(), |items| items.join(", "))
}
