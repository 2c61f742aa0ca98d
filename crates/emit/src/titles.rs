//! What tests are named after: the goal that a test was made for, or the defect that it shows.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{GoalId, GoalStatus, Suite, TestGoal};
use ir::TestId;
use ir::input::{InputValue, Root};
use ir::test::{Observed, ObservedPlace, TestCase};

use crate::c::{identifier, literal};
use crate::{Subject, about};

/// The last part of each test's name: `rejects_month_13` or `month_2` where the goal's decision is
/// about one parameter, else `line_42_true`. No two are the same, and a test of which there is nothing
/// to say has none.
pub fn titles(subject: &Subject<'_>, suite: &Suite) -> BTreeMap<TestId, String> {
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
        let goal = &suite.goals[goal].goal;
        let value = suite.tests.get(test);
        let value = value.and_then(|test| of_parameter(subject, suite, goal, test));
        titles.insert(test, value.unwrap_or_else(|| of_goal(subject, suite, goal)));
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
    let mut taken = BTreeSet::new();
    for (test, text) in &mut titles {
        if counts.get(text).is_some_and(|&count| count > 1) {
            text.push_str(&format!("_{}", test.index()));
        }
        while !taken.insert(text.clone()) {
            text.push('_');
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

/// The value of the parameter that a goal is about, and whether the function rejects it: at once, by a
/// negative number, NULL, or `false`.
fn of_parameter(
    subject: &Subject<'_>,
    suite: &Suite,
    goal: &TestGoal,
    test: &TestCase,
) -> Option<String> {
    let types = subject.types;
    let function = &subject.program.functions[goal.function];
    if goal.function != suite.function || subject.sequence.is_some() {
        return None;
    }
    let index = about::parameter(types, function, goal)?;
    let mut values = test.inputs.values.iter();
    let text = values.find_map(|(&cell, value)| {
        let data = subject.space.cell_data(cell);
        let root = &subject.space.object_data(data.object).root;
        match value {
            InputValue::Bits(bits) if *root == Root::Parameter(index) => {
                Some(literal::integer(types, data.ty, data.width, *bits))
            }
            _ => None,
        }
    })?;
    let value = words(&text.replace('-', "minus "))?;
    let name = function.parameter_name(index as usize)?;
    let is_rejected = about::is_guard(function, goal) && rejects(subject, test);
    let rejects = if is_rejected { "rejects_" } else { "" };
    Some(identifier(&format!("{rejects}{name}_{value}")))
}

/// Whether the result is negative, NULL, or `false`.
fn rejects(subject: &Subject<'_>, test: &TestCase) -> bool {
    let is_result = |place: &ObservedPlace| *place == ObservedPlace::Result { offset_bits: 0 };
    let mut observed = test.observations.iter();
    let Some(result) = observed.find(|observation| is_result(&observation.place)) else {
        return false;
    };
    let integer = subject.types.int(result.ty);
    match (&result.value, integer) {
        (Observed::Null, _) => true,
        (Observed::Bits(bits), Some(_)) if result.width == 1 => *bits == 0,
        (Observed::Bits(bits), Some(int)) => literal::to_i128(*bits, result.width, int.signed) < 0,
        _ => false,
    }
}

fn of_goal(subject: &Subject<'_>, suite: &Suite, goal: &TestGoal) -> String {
    let line = goal.span.place().line;
    let function = match goal.function == suite.function {
        true => String::new(),
        false => format!("{}_", subject.program.functions[goal.function].name),
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
