//! What tests are named after: the goal that a test was made for, or the defect that it shows.

use std::collections::BTreeMap;

use coverage::{GoalId, GoalStatus, Suite, TestGoal};
use ir::{Program, TestId};

use crate::c::identifier;

/// The last part of each test's name: `line_42_true`. No two are the same, and a test of which
/// there is nothing to say has none.
pub fn titles(program: &Program, suite: &Suite) -> BTreeMap<TestId, String> {
    let mut titles = BTreeMap::new();
    let mut makers: BTreeMap<TestId, GoalId> = BTreeMap::new();
    let claims = claims(suite);
    for (id, entry) in suite.goals.iter_enumerated() {
        let GoalStatus::Covered(test) = entry.status else {
            continue;
        };
        let known = makers.entry(test).or_insert(id);
        // Of goals that as many tests reach, the last is the farthest.
        if claims.get(&id) <= claims.get(known) {
            *known = id;
        }
    }
    for (test, goal) in makers {
        let text = of_goal(program, suite, &suite.goals[goal].goal);
        titles.insert(test, text);
    }
    for found in &suite.defects {
        let place = found.defect.stack.first().map(|frame| frame.span.place());
        let kind = found.defect.kind.name();
        let text = place.map_or(kind.to_owned(), |place| {
            format!("line {} {kind}", place.line)
        });
        titles.insert(found.test, identifier(&text));
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for text in titles.values() {
        *counts.entry(text.clone()).or_default() += 1;
    }
    for (test, text) in &mut titles {
        if counts.get(text).is_some_and(|&count| count > 1) {
            text.push_str(&format!("_{}", test.index()));
        }
    }
    titles
}

/// How many tests reach each goal.
fn claims(suite: &Suite) -> BTreeMap<GoalId, usize> {
    let mut claims = BTreeMap::new();
    for goal in suite.claims.iter().flatten() {
        *claims.entry(*goal).or_default() += 1;
    }
    claims
}

fn of_goal(program: &Program, suite: &Suite, goal: &TestGoal) -> String {
    let line = goal.span.place().line;
    let function = match goal.function == suite.function {
        true => String::new(),
        false => format!("{}_", program.functions[goal.function].name),
    };
    let side = words(goal.told_side()).map_or_else(String::new, |side| format!("_{side}"));
    format!("{function}line_{line}{side}")
}

/// The side of a goal as a part of a name, if it can be told by words.
fn words(side: &str) -> Option<String> {
    let text = side
        .replace("case -", "case minus ")
        .replace("... -", "... minus ")
        .replace("...", " to ");
    let is_told = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '\'');
    let is_short = text.len() <= LONGEST;
    (is_short && text.chars().all(is_told) && !text.trim().is_empty()).then(|| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("_")
    })
}

/// A longer side is no part of a name.
const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn sides_are_told_by_words_or_not_at_all() {
        assert_eq!(words("true").as_deref(), Some("true"));
        assert_eq!(words("case 1 ... 3").as_deref(), Some("case_1_to_3"));
        assert_eq!(words("case -1").as_deref(), Some("case_minus_1"));
        assert_eq!(words("case 'a'").as_deref(), Some("case_a"));
        assert_eq!(words("left == right - 1"), None);
        assert_eq!(words("T - F"), None);
        assert_eq!(words("case '+'"), None);
    }
}
