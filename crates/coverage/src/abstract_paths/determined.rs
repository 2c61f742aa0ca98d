//! Whether the outcomes of decisions so far say which decision comes next.

use std::collections::BTreeSet;

use ir::{Block, Body, Callee, FunctionId, Terminator};

use super::AbstractPaths;

impl AbstractPaths<'_> {
    /// Whether the outcomes of decisions that count say which of them comes next, as far as the code
    /// shows it.
    ///
    /// They do not where a decision is evaluated among the conditions of another one, as that of `b ?
    /// c : d` in `a && (b ? c : d)`: it may come next, or the outcome of the other. Nor where code
    /// branches by something else, or calls functions by pointers.
    pub fn is_determined(&self) -> bool {
        let bodies = self.functions.iter();
        let mut bodies = bodies.filter_map(|&id| self.program.functions[id].body.as_ref());
        bodies.all(|body| {
            let blocks = body.blocks.indices();
            blocks
                .into_iter()
                .all(|block| self.goes_on_as_known(body, block))
        })
    }

    fn goes_on_as_known(&self, body: &Body, block: Block) -> bool {
        match &body.blocks[block].terminator {
            Terminator::Branch {
                then,
                otherwise,
                tag: Some(tag),
                ..
            } => {
                let sides = [(then, tag.then_outcome), (otherwise, tag.otherwise_outcome)];
                let mut open = sides.iter().filter(|(_, outcome)| outcome.is_none());
                self.has_order() || open.all(|(next, _)| !self.decides_between(body, block, **next))
            }
            terminator @ Terminator::Branch { tag: None, .. } => {
                self.has_order() && terminator.is_probe()
            }
            Terminator::Call { callee, .. } => !matches!(callee, Callee::Indirect(_)),
            _ => true,
        }
    }

    /// Whether another decision may be evaluated behind a condition of a decision, before the next one.
    fn decides_between(&self, body: &Body, condition: Block, next: Block) -> bool {
        let decision = body.decided_by(condition);
        let mut seen = BTreeSet::from([next]);
        let mut open = vec![next];
        while let Some(block) = open.pop() {
            let terminator = &body.blocks[block].terminator;
            let decided = body.decided_by(block);
            if decided.is_some() && decided == decision {
                continue;
            }
            let is_counted = |id: &FunctionId| self.functions.contains(id);
            let calls_counted = matches!(terminator,
                Terminator::Call { callee: Callee::Direct(id), .. } if is_counted(id));
            if terminator.decides() || calls_counted {
                return true;
            }
            let successors = terminator.successors().into_iter();
            open.extend(successors.filter(|&block| seen.insert(block)));
        }
        false
    }
}
