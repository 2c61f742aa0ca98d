//! A preprocessed text in which conditions tell their values.

use std::cmp::Reverse;

use ir::{Body, BranchTag, ConditionId, DecisionId, Position, Terminator};

/// What conditions call.
const DECLARATION: &str = "extern int attest_condition(unsigned decision, unsigned position, unsigned ends, int value) \
     __attribute__((pure));\n";

/// A condition that tells its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    begin: Position,
    end: Position,
    /// The number of the decision.
    decision: usize,
    /// The position of the condition, from left to right.
    position: usize,
    /// 1 if an evaluation begins with it, 2 if the decision is settled where it is false, 4 if it is
    /// where it is true.
    ends: u8,
}

impl Probe {
    /// The conditions of a decision that are evaluated.
    pub fn of_decision(body: &Body, decision: DecisionId, number: usize) -> Vec<Probe> {
        let formula = &body.decisions[decision].formula;
        let (conditions, first) = (formula.conditions(), formula.first_condition());
        let tagged: Vec<(usize, BranchTag)> = conditions
            .iter()
            .enumerate()
            .filter_map(|(position, &condition)| Some((position, tag(body, condition)?)))
            .collect();
        let probes = tagged.into_iter().map(|(position, tag)| {
            let span = &body.conditions[tag.condition].span;
            Probe {
                begin: span.begin,
                end: span.end,
                decision: number,
                position,
                ends: u8::from(first == Some(tag.condition))
                    | u8::from(tag.otherwise_outcome.is_some()) << 1
                    | u8::from(tag.then_outcome.is_some()) << 2,
            }
        });
        probes.collect()
    }
}

/// What the branch means that evaluates a condition, if there is one.
fn tag(body: &Body, condition: ConditionId) -> Option<BranchTag> {
    let mut tags = body
        .blocks
        .iter()
        .filter_map(|block| match block.terminator {
            Terminator::Branch { tag, .. } => tag,
            _ => None,
        });
    tags.find(|tag| tag.condition == condition)
}

/// The text where conditions tell their values. It has no lines of other files.
pub(super) fn rewritten(text: &str, probes: &[Probe]) -> String {
    let mut insertions: Vec<(usize, bool, Reverse<usize>, String)> = Vec::new();
    let lines = line_starts(text);
    let offset = |position: Position| {
        let line = lines.get(position.line.checked_sub(1)? as usize)?;
        let offset = line + (position.column.checked_sub(1)? as usize);
        text.is_char_boundary(offset).then_some(offset)
    };
    for probe in probes {
        let Some((begin, end)) = offset(probe.begin).zip(offset(probe.end)) else {
            continue;
        };
        let Probe {
            decision,
            position,
            ends,
            ..
        } = probe;
        let before = format!("attest_condition({decision}, {position}, {ends}, !!(");
        // Where two begin, the one that ends later is around the other.
        insertions.push((begin, true, Reverse(end), before));
        insertions.push((end, false, Reverse(begin), "))".to_owned()));
    }
    // What ends somewhere comes before what begins there.
    insertions.sort();
    let mut written = DECLARATION.to_owned();
    let mut from = 0;
    for (at, _, _, inserted) in insertions {
        written.push_str(&text[from..at]);
        written.push_str(&inserted);
        from = at;
    }
    written.push_str(&text[from..]);
    written
}

fn line_starts(text: &str) -> Vec<usize> {
    let behind = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(behind).collect()
}
