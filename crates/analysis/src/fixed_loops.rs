//! Loops whose number of rounds is the same whatever the input is.

use std::collections::BTreeSet;

use index_vec::IndexVec;
use ir::{
    Block, Body, DecisionId, Formula, Local, Operand, RegionId, RegionMap, Rvalue, StatementKind,
    Terminator,
};

/// How many blocks before a loop are looked through for the start of its counter.
const BEFORE: usize = 8;

/// The loops of a function that count from a constant to a constant, and that nothing else ends.
///
/// ```text
/// for (i = 0; i < 3; i++) …      i is written once a round, by a constant step; its address is not
///                                taken; no break, return or goto leads out
/// ```
pub fn fixed_loops(body: &Body) -> BTreeSet<RegionId> {
    let map = RegionMap::new(body);
    let loops = body.regions.iter_enumerated();
    let loops = loops.filter_map(|(id, region)| Some((id, region.head?, region.decision?)));
    let fixed = loops.filter(|&(id, head, decision)| {
        let inside = |block: Block| map.outwards(map.of(block)).any(|region| region == id);
        let blocks: BTreeSet<Block> = body.blocks.indices().filter(|&it| inside(it)).collect();
        let counted = Counted {
            body,
            blocks: &blocks,
            head,
        };
        counted.is_fixed(decision, |block| map.of(block) == Some(id))
    });
    fixed.map(|(id, ..)| id).collect()
}

/// A loop.
struct Counted<'a> {
    body: &'a Body,
    blocks: &'a BTreeSet<Block>,
    head: Block,
}

impl Counted<'_> {
    /// Whether the loop has a fixed number of rounds. `is_own` says which blocks lie in no region
    /// inside.
    fn is_fixed(&self, decision: DecisionId, is_own: impl Fn(Block) -> bool) -> bool {
        let Some((test, counter)) = self.test(decision) else {
            return false;
        };
        let local = &self.body.locals[counter];
        let mut steps = self.blocks.iter().flat_map(|&block| {
            let writes = writes(self.body, block, counter);
            writes.into_iter().map(move |write| (block, write))
        });
        let step = steps.next().filter(|_| steps.next().is_none());
        let step = step.filter(|(block, write)| is_own(*block) && is_step(*write, counter));
        let Some((step, _)) = step else {
            return false;
        };
        !local.address_taken && self.is_left_from(test) && self.passes(step) && self.starts(counter)
    }

    /// The block that compares a local with a constant and ends the loop, and the local.
    fn test(&self, decision: DecisionId) -> Option<(Block, Local)> {
        let Formula::Condition(condition) = self.body.decisions[decision].formula else {
            return None;
        };
        let mut blocks = self.blocks.iter().copied();
        blocks.find_map(|block| {
            let data = &self.body.blocks[block];
            let Terminator::Branch {
                operand: Operand::Copy(tested),
                tag: Some(tag),
                ..
            } = data.terminator
            else {
                return None;
            };
            let mut written = writes(self.body, block, tested).into_iter();
            let compared = written.next_back().filter(|_| tag.condition == condition)?;
            match compared? {
                Rvalue::Binary(_, Operand::Copy(counter), Operand::Constant(_))
                | Rvalue::Binary(_, Operand::Constant(_), Operand::Copy(counter)) => {
                    Some((block, *counter))
                }
                _ => None,
            }
        })
    }

    /// Whether control leaves the loop from one block only.
    fn is_left_from(&self, test: Block) -> bool {
        let mut others = self.blocks.iter().filter(|&&block| block != test);
        others.all(|&block| {
            let terminator = &self.body.blocks[block].terminator;
            let next = terminator.successors();
            let stays = next.iter().all(|next| self.blocks.contains(next));
            stays && !matches!(terminator, Terminator::Return(_))
        })
    }

    /// Whether each round passes a block.
    fn passes(&self, step: Block) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![self.head];
        while let Some(block) = open.pop() {
            for next in self.body.blocks[block].terminator.successors() {
                if next == self.head && block != step {
                    return false;
                }
                if next != step && self.blocks.contains(&next) && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        self.head != step
    }

    /// Whether the counter is a constant where the loop begins.
    fn starts(&self, counter: Local) -> bool {
        let before = self.predecessors(self.head);
        let mut outside = before.into_iter().filter(|it| !self.blocks.contains(it));
        outside.all(|block| self.is_constant_behind(block, counter))
    }

    fn is_constant_behind(&self, block: Block, counter: Local) -> bool {
        let mut block = block;
        for _ in 0..BEFORE {
            if let Some(last) = writes(self.body, block, counter).pop() {
                return matches!(last, Some(Rvalue::Use(Operand::Constant(_))));
            }
            let before = self.predecessors(block);
            let [one] = before[..] else {
                return false;
            };
            block = one;
        }
        false
    }

    fn predecessors(&self, of: Block) -> Vec<Block> {
        let blocks: &IndexVec<Block, _> = &self.body.blocks;
        let all = blocks.iter_enumerated();
        let leads = all.filter(|(_, data)| data.terminator.successors().contains(&of));
        leads.map(|(block, _)| block).collect()
    }
}

/// What a block writes to a local, in order; `None` is what is not known.
fn writes(body: &Body, block: Block, local: Local) -> Vec<Option<&Rvalue>> {
    let data = &body.blocks[block];
    let statements = data.statements.iter();
    let mut all: Vec<Option<&Rvalue>> = statements
        .filter_map(|statement| match &statement.kind {
            StatementKind::Assign(place, value) if place.as_local() == Some(local) => {
                Some(Some(value))
            }
            StatementKind::StorageLive(live) if *live == local => Some(None),
            _ => None,
        })
        .collect();
    if let Terminator::Call {
        destination: Some(place),
        ..
    } = &data.terminator
        && place.as_local() == Some(local)
    {
        all.push(None);
    }
    all
}

/// Whether a local is written by a constant step.
fn is_step(write: Option<&Rvalue>, counter: Local) -> bool {
    let is_counter = |operand: &Operand| *operand == Operand::Copy(counter);
    match write {
        Some(Rvalue::Binary(ir::BinaryOp::Add | ir::BinaryOp::Sub, one, Operand::Constant(_))) => {
            is_counter(one)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::fixed_loops;

    /// The loops that are fixed, of a function whose only loop is the region of `d0`.
    fn is_fixed(blocks: &str, region: &str) -> bool {
        let text = format!(
            "fn f(_0 n: int) -> int {{\n _1 i: int\n _2: int\n d0 for = c0\n c0 of d0\n \
             r0 of d0 from bb1 [{region}]\n{blocks}\n}}"
        );
        let program = ir::text::parse(&text).expect("a program");
        let function = program.function("f").expect("a function");
        let body = program.functions[function].body.as_ref().expect("a body");
        !fixed_loops(body).is_empty()
    }

    #[test]
    fn a_loop_from_a_constant_to_a_constant_is_fixed() {
        let counted = |start: &str, test: &str, body: &str, step: &str| {
            let blocks = format!(
                " bb0: _1 = {start}; goto bb1\n bb1: _2 = {test}; branch _2 ? bb2 : bb4 tag c0 true/false\n \
                 bb2: {body}\n bb3: {step}; goto bb1\n bb4: return _1"
            );
            is_fixed(&blocks, "bb1, bb2, bb3")
        };
        assert!(counted("0", "lt _1, 3", "goto bb3", "_1 = add _1, 1"));
        assert!(!counted("_0", "lt _1, 3", "goto bb3", "_1 = add _1, 1"));
        assert!(!counted("0", "lt _1, _0", "goto bb3", "_1 = add _1, 1"));
        assert!(!counted("0", "lt _1, 3", "goto bb3", "_1 = add _1, _0"));
        assert!(!counted("0", "lt _1, 3", "return 1", "_1 = add _1, 1"));
        assert!(!counted(
            "0",
            "lt _1, 3",
            "branch _0 ? bb1 : bb3",
            "_1 = add _1, 1"
        ));
        assert!(!counted(
            "0",
            "lt _1, 3",
            "branch _0 ? bb3 : bb4",
            "_1 = add _1, 1"
        ));
        assert!(!counted(
            "0",
            "lt _1, 3",
            "_1 = add _1, 1; goto bb3",
            "_1 = add _1, 1"
        ));
    }
}
