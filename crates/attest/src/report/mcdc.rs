//! The evidence for MC/DC as certifiers expect it: for each decision the combinations of values that
//! tests have, and for each condition the two that show its independence.

use std::fmt::Write as _;

use coverage::{Derivation, GoalId, GoalKind, GoalStatus, Suite};
use ir::{Body, ConditionId, DecisionId, FunctionId, Program};

use super::table::status_text;
use crate::sources::{SourceRange, Sources};

/// Characters of source that a line shows.
const EXCERPT: usize = 60;

/// A table for each decision of which the independence of conditions is asked for.
pub fn mcdc(program: &Program, suite: &Suite, sources: &mut Sources) -> String {
    let mut decisions: Vec<(FunctionId, DecisionId)> = Vec::new();
    for goal in suite.goals.iter().map(|goal| &goal.goal) {
        let body = program.functions[goal.function].body.as_ref();
        if let (GoalKind::Independence(condition, _), Some(body)) = (goal.kind, body) {
            let decision = (goal.function, body.conditions[condition].decision);
            if !decisions.contains(&decision) {
                decisions.push(decision);
            }
        }
    }
    let mut text = String::new();
    for (function, decision) in decisions {
        if let Some(body) = &program.functions[function].body {
            let of_decision = OfDecision {
                suite,
                function,
                decision,
                body,
            };
            of_decision.add_to(&mut text, program, sources);
        }
    }
    text
}

/// A decision whose evidence is shown.
struct OfDecision<'a> {
    suite: &'a Suite,
    function: FunctionId,
    decision: DecisionId,
    body: &'a Body,
}

impl OfDecision<'_> {
    fn add_to(&self, text: &mut String, program: &Program, sources: &mut Sources) {
        let decision = &self.body.decisions[self.decision];
        let place = SourceRange::of(program, &decision.span);
        let excerpt = sources.excerpt_of(program, &decision.span, EXCERPT);
        let excerpt = excerpt.unwrap_or_default();
        let _ = writeln!(text, "MC/DC of line {}: {excerpt}", place.begin.0);
        let conditions = decision.formula.conditions();
        let excerpts = conditions.iter().map(|&condition| {
            let span = &self.body.conditions[condition].span;
            let excerpt = sources.excerpt_of(program, span, EXCERPT);
            (condition, excerpt.unwrap_or_default())
        });
        let excerpts: Vec<(ConditionId, String)> = excerpts.collect();
        let widths = excerpts.iter().map(|(_, excerpt)| excerpt.chars().count());
        let width = widths.max().unwrap_or(0);
        self.add_combinations(text);
        for (condition, excerpt) in excerpts {
            self.add_condition(text, condition, &format!("{excerpt:width$}"));
        }
        text.push('\n');
    }

    /// The combinations that tests have, each with the first test.
    fn add_combinations(&self, text: &mut String) {
        for goal in &self.suite.goals {
            let GoalKind::Combination(decision, _) = goal.goal.kind else {
                continue;
            };
            let is_here = decision == self.decision && goal.goal.function == self.function;
            if let (true, GoalStatus::Covered(test)) = (is_here, &goal.status) {
                let _ = writeln!(text, "  test {:>4}  {}", test.raw(), goal.goal.side);
            }
        }
    }

    /// The pairs that show the independence of a condition, one for each kind that is asked for.
    fn add_condition(&self, text: &mut String, condition: ConditionId, excerpt: &str) {
        for (&id, derivation) in &self.suite.derivations {
            let goal = &self.suite.goals[id];
            let is_here =
                matches!(goal.goal.kind, GoalKind::Independence(of, _) if of == condition);
            if !is_here || goal.goal.function != self.function {
                continue;
            }
            let shown = match derivation.covered_pair(&self.suite.goals) {
                Some((yes, no)) => format!("{} and {}", self.shown(yes), self.shown(no)),
                None => self.otherwise(id, derivation),
            };
            let _ = writeln!(text, "  {excerpt}  {}: {shown}", goal.goal.side);
        }
    }

    /// The status of a goal that no pair shows, with the number of pairs that could.
    fn otherwise(&self, id: GoalId, derivation: &Derivation) -> String {
        let status = status_text(&self.suite.goals[id]);
        match derivation {
            Derivation::Pairs(pairs) if pairs.is_empty() => format!("{status} (no pair)"),
            Derivation::Pairs(pairs) => format!("{status} ({} pairs)", pairs.len()),
            Derivation::TooManyCombinations => status,
        }
    }

    /// A combination and the test that has it.
    fn shown(&self, id: GoalId) -> String {
        let goal = &self.suite.goals[id];
        format!("{} ({})", status_text(goal), goal.goal.side)
    }
}
