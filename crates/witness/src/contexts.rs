//! The stacks of calls in which a function can be under way.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Block, Callee, FunctionId, Operand, Program, Terminator};

/// How many stacks a function may have.
const MOST: usize = 64;

/// How many calls are looked at for the stacks of one function.
const EFFORT: usize = 10_000;

/// Who calls whom, in a whole program.
pub struct Contexts {
    entry: FunctionId,
    callers: BTreeMap<FunctionId, Vec<(FunctionId, Block)>>,
    /// Functions that may be called through pointers, by the program or by the C library.
    by_pointer: BTreeSet<FunctionId>,
}

impl Contexts {
    /// Those of a program with an entry function.
    pub fn new(program: &Program, entry: FunctionId) -> Contexts {
        let mut callers: BTreeMap<FunctionId, Vec<(FunctionId, Block)>> = BTreeMap::new();
        let mut by_pointer = analysis::callbacks::address_taken(program);
        for (caller, function) in program.functions.iter_enumerated() {
            for (block, data) in function
                .body
                .iter()
                .flat_map(|it| it.blocks.iter_enumerated())
            {
                match &data.terminator {
                    Terminator::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } => callers.entry(*callee).or_default().push((caller, block)),
                    Terminator::Call {
                        callee: Callee::Indirect(Operand::Constant(constant)),
                        ..
                    } => {
                        if let ir::ConstantValue::Function(callee) = constant.value {
                            by_pointer.insert(callee);
                        }
                    }
                    _ => {}
                }
            }
        }
        Contexts {
            entry,
            callers,
            by_pointer,
        }
    }

    /// The stacks of a function, each as the blocks that end in the calls under way; `None` if they are
    /// not known.
    pub fn of(&self, function: FunctionId) -> Option<Vec<Vec<u32>>> {
        let mut left = EFFORT;
        self.collect(function, &mut Vec::new(), &mut left)
    }

    fn collect(
        &self,
        function: FunctionId,
        under_way: &mut Vec<FunctionId>,
        left: &mut usize,
    ) -> Option<Vec<Vec<u32>>> {
        *left = left.checked_sub(1)?;
        if self.by_pointer.contains(&function) || under_way.contains(&function) {
            return None;
        }
        let callers = self.callers.get(&function).map_or(&[][..], Vec::as_slice);
        if function == self.entry {
            return callers.is_empty().then(|| vec![Vec::new()]);
        }
        under_way.push(function);
        let mut stacks = Vec::new();
        for (caller, block) in callers {
            for mut stack in self.collect(*caller, under_way, left)? {
                stack.push(block.raw());
                stacks.push(stack);
            }
        }
        under_way.pop();
        (stacks.len() <= MOST).then_some(stacks)
    }
}

impl Contexts {
    /// The functions that may be called through pointers.
    pub fn called_by_pointer(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.by_pointer.iter().copied()
    }
}
