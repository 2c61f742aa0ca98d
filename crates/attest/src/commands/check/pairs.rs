//! Checks that no two evaluations show the independence of a condition: in each pair of combinations
//! that would, one is unreachable.

use std::collections::BTreeMap;

use emit::record::{GoalRecord, StatusRecord};

use super::{Checked, Shown, Verdict};

impl Checked<'_> {
    /// The verdict on a goal that follows from pairs of others, by the verdicts on these; `None` if it
    /// is not unreachable.
    pub(super) fn by_pairs(
        &self,
        at: usize,
        goal: &GoalRecord,
        verdicts: &BTreeMap<usize, Verdict>,
    ) -> Option<Verdict> {
        match goal.status {
            StatusRecord::Unreachable { .. } | StatusRecord::UnreachableWithin { .. } => {}
            StatusRecord::Covered { .. } | StatusRecord::Undecided(_) => return None,
        }
        let Some(pairs) = self.derived.get(&at) else {
            return Some(Verdict::Refused {
                reason: "it is no goal of the program".to_owned(),
                at: None,
            });
        };
        let is_shown = |at: &usize| matches!(verdicts.get(at), Some(Verdict::Accepted(_)));
        let is_other = |at: &usize| matches!(verdicts.get(at), Some(Verdict::NotChecked { .. }));
        let mut open = pairs
            .iter()
            .filter(|(yes, no)| !is_shown(yes) && !is_shown(no));
        let Some((yes, no)) = open
            .clone()
            .find(|(yes, no)| !is_other(yes) && !is_other(no))
        else {
            return Some(match open.next() {
                None => Verdict::Accepted(Shown::Pairs { pairs: pairs.len() }),
                Some((yes, no)) => Verdict::NotChecked {
                    reason: format!("it follows from goals {yes} or {no}, which are not checked"),
                },
            });
        };
        Some(Verdict::Refused {
            reason: format!("neither goal {yes} nor {no} is shown to be unreachable"),
            at: None,
        })
    }
}
