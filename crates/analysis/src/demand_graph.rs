//! Distances from places in the code to goals, where the values that calls return count.
//!
//! In the control-flow graph alone, a function that fails returns as well as one that succeeds, and
//! sooner: a search for a goal after `if (!parse(s)) return 0;` would leave `parse` by the shortest
//! path. So this search, backwards from the goals, keeps the demand of a branch on the value that
//! it tests: zero or not. A demand goes back through copies and comparisons with zero; a constant
//! meets it or rules the path out; at a call it becomes a demand on the result of the callee, and
//! costs at least as much as that result. Demands that are not followed (on memory or arithmetic,
//! or more than two at a time) count as met, so that a distance is never too long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::IndexVec;
use ir::{
    BinaryOp, Block, BlockData, Body, Callee, CastKind, CodeBlock, CodeEdge, CodeIndex, Constant,
    ConstantValue, FunctionId, Local, Operand, PlaceBase, Program, Rvalue, Statement,
    StatementKind, Terminator,
};

/// What is demanded of a local: whether it is other than zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Demand {
    /// The local.
    pub local: Local,
    /// Whether it must not be zero; else it must be.
    pub holds: bool,
}

/// At most two demands, in order.
type Demands = [Option<Demand>; 2];

/// A path from a block to a target: its demands at the block's start, its length, a mark.
type Path<M> = (Demands, u32, M);

/// A path that waits for the cost of a callee's result: its length without that, its kind, where
/// it goes on.
type Waiting = (u32, bool, CodeBlock, Demands);

/// The paths from each block.
#[derive(Clone, Debug)]
pub struct Distances<M>(IndexVec<CodeBlock, Vec<Path<M>>>);

impl<M: Copy + Ord> Distances<M> {
    /// The nearest target from the start of a block, given a fact about a local there.
    pub fn from(&self, block: CodeBlock, given: Option<Demand>) -> Option<(u32, M)> {
        let contradicts = |demand: &Demand| {
            given.is_some_and(|given| given.local == demand.local && given.holds != demand.holds)
        };
        let paths = self.0[block].iter();
        let possible = paths.filter(|(demands, ..)| !demands.iter().flatten().any(contradicts));
        possible.map(|&(_, distance, mark)| (distance, mark)).min()
    }
}

/// The effect of a statement on a local.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// A constant that is other than zero, or zero.
    Constant(bool),
    /// Something that is zero exactly if this local is.
    Same(Local),
    /// Something that is zero exactly if this local is not.
    Opposite(Local),
    /// If it is not zero, neither is this local.
    Implies(Local),
    Unknown,
}

/// The facts about a block that this search uses.
#[derive(Clone, Debug)]
struct BlockFacts {
    function: FunctionId,
    effects: Vec<(Local, Effect)>,
    /// The local that its branch tests, and the edge of the true side.
    test: Option<(Local, CodeEdge)>,
    /// Where the result of its call goes, and who returns it.
    call: Option<(Local, FunctionId)>,
    /// The value that it returns, if it returns.
    returned: Option<ReturnedValue>,
}

#[derive(Clone, Copy, Debug)]
enum ReturnedValue {
    Constant(bool),
    Local(Local),
    Unknown,
}

/// The blocks of a program and the edges between them, with what each block does to demands.
#[derive(Clone, Debug)]
pub struct DemandGraph {
    facts: IndexVec<CodeBlock, BlockFacts>,
    /// The first block of each function with a body.
    entries: IndexVec<FunctionId, Option<CodeBlock>>,
    /// For each block those before it in the same function, with the edge out of a branch.
    before: IndexVec<CodeBlock, Vec<(CodeBlock, Option<CodeEdge>)>>,
    /// The blocks that call each function.
    callers: IndexVec<FunctionId, Vec<CodeBlock>>,
}

/// The distances to where a function returns zero, and a value other than zero.
#[derive(Clone, Debug)]
pub struct ReturnDistances {
    zero: Distances<()>,
    other: Distances<()>,
}

impl ReturnDistances {
    /// The distances to where a value other than zero is returned, or zero.
    pub fn with(&self, holds: bool) -> &Distances<()> {
        match holds {
            true => &self.other,
            false => &self.zero,
        }
    }
}

/// A search that is not finished.
struct Search<M> {
    found: IndexVec<CodeBlock, Vec<Path<M>>>,
    open: BinaryHeap<Reverse<(u32, M, CodeBlock, Demands)>>,
}

impl<M: Copy + Ord> Search<M> {
    fn new(blocks: usize) -> Self {
        Search {
            found: IndexVec::from_vec(vec![Vec::new(); blocks]),
            open: BinaryHeap::new(),
        }
    }

    /// The nearest path that is not settled yet, now settled.
    fn next(&mut self) -> Option<(u32, M, CodeBlock, Demands)> {
        while let Some(Reverse((distance, mark, block, demands))) = self.open.pop() {
            if settle(&mut self.found[block], (demands, distance, mark)) {
                return Some((distance, mark, block, demands));
            }
        }
        None
    }
}

/// Adds the next nearest path from a block, unless a known one demands less. Returns true if it was
/// added.
fn settle<M>(paths: &mut Vec<Path<M>>, path: Path<M>) -> bool {
    let covers = |known: &Path<M>| {
        let mut demands = known.0.iter().flatten();
        demands.all(|demand| path.0.contains(&Some(*demand)))
    };
    let is_new = !paths.iter().any(covers);
    if is_new {
        paths.push(path);
    }
    is_new
}

impl DemandGraph {
    /// The graph of a program.
    pub fn new(program: &Program, index: &CodeIndex) -> Self {
        let blocks = index.blocks();
        let mut graph = DemandGraph {
            facts: IndexVec::with_capacity(blocks),
            entries: IndexVec::from_vec(vec![None; program.functions.len()]),
            before: IndexVec::from_vec(vec![Vec::new(); blocks]),
            callers: IndexVec::from_vec(vec![Vec::new(); program.functions.len()]),
        };
        for (id, function) in program.functions.iter_enumerated() {
            let Some(body) = &function.body else { continue };
            if !body.blocks.is_empty() {
                graph.entries[id] = Some(index.block(id, Block::from_raw(0)));
            }
            for (block, data) in body.blocks.iter_enumerated() {
                let from = index.block(id, block);
                for (number, &to) in data.terminator.successors().iter().enumerate() {
                    let edge = data
                        .terminator
                        .decides()
                        .then(|| index.edge(id, block, number));
                    graph.before[index.block(id, to)].push((from, edge));
                }
                if let Terminator::Call {
                    callee: Callee::Direct(callee),
                    ..
                } = &data.terminator
                {
                    graph.callers[*callee].push(from);
                }
                graph
                    .facts
                    .push(facts(program, index, id, block, data, body));
            }
        }
        graph
    }

    /// The distance from each block to where its function returns.
    pub fn returns(&self, cost: impl Fn(CodeEdge) -> u32) -> ReturnDistances {
        // Both kinds at once, since each may need the other: a mark tells which. A path through a
        // call waits until the cost of the callee's result is known.
        let mut open = BinaryHeap::new();
        let mut entry: IndexVec<FunctionId, [Option<u32>; 2]> =
            IndexVec::from_vec(vec![[None; 2]; self.entries.len()]);
        let mut waiting: IndexVec<FunctionId, [Vec<Waiting>; 2]> =
            IndexVec::from_vec(vec![Default::default(); self.entries.len()]);
        let nothing: IndexVec<CodeBlock, Vec<Path<()>>> =
            IndexVec::from_vec(vec![Vec::new(); self.facts.len()]);
        let mut found = [nothing.clone(), nothing];
        for (block, facts) in self.facts.iter_enumerated() {
            for holds in [false, true] {
                if let Some(demands) = facts
                    .returned
                    .and_then(|it| self.returning(block, it, holds))
                {
                    open.push(Reverse((0, holds, block, demands)));
                }
            }
        }
        while let Some(Reverse((distance, holds, block, demands))) = open.pop() {
            let paths = &mut found[usize::from(holds)][block];
            if !settle(paths, (demands, distance, ())) {
                continue;
            }
            let function = self.facts[block].function;
            if self.entries[function] == Some(block)
                && entry[function][usize::from(holds)].is_none()
            {
                entry[function][usize::from(holds)] = Some(distance);
                let waiters = std::mem::take(&mut waiting[function][usize::from(holds)]);
                for (before, kind, from, demands) in waiters {
                    let sum = before.saturating_add(distance);
                    open.push(Reverse((sum, kind, from, demands)));
                }
            }
            for &(from, edge) in &self.before[block] {
                let Some((demands, asked)) = self.back(from, edge, demands) else {
                    continue;
                };
                let farther = distance.saturating_add(edge.map_or(0, &cost));
                match asked {
                    None => open.push(Reverse((farther, holds, from, demands))),
                    Some((callee, wanted)) => match entry[callee][usize::from(wanted)] {
                        Some(more) => {
                            let sum = farther.saturating_add(more);
                            open.push(Reverse((sum, holds, from, demands)));
                        }
                        None => waiting[callee][usize::from(wanted)]
                            .push((farther, holds, from, demands)),
                    },
                }
            }
        }
        let [zero, other] = found;
        ReturnDistances {
            zero: Distances(zero),
            other: Distances(other),
        }
    }

    /// The demands, at its start, of a block that returns zero, or another value; `None` if it
    /// never returns such.
    fn returning(&self, block: CodeBlock, returned: ReturnedValue, holds: bool) -> Option<Demands> {
        match returned {
            ReturnedValue::Constant(value) => (value == holds).then_some([None, None]),
            ReturnedValue::Local(local) => {
                self.through(block, [Some(Demand { local, holds }), None])
            }
            ReturnedValue::Unknown => Some([None, None]),
        }
    }

    /// For each block the nearest of some targets that control can reach before its function
    /// returns: blocks, or edges out of them, each with its own cost and mark.
    pub fn nearest<M: Copy + Ord>(
        &self,
        targets: impl IntoIterator<Item = (CodeBlock, Option<CodeEdge>, u32, M)>,
        returns: &ReturnDistances,
        cost: impl Fn(CodeEdge) -> u32,
    ) -> Distances<M> {
        let mut search = Search::new(self.facts.len());
        for (block, edge, own, mark) in targets {
            if let Some((demands, None)) = self.back(block, edge, [None, None]) {
                search.open.push(Reverse((own, mark, block, demands)));
            }
        }
        while let Some((distance, mark, block, demands)) = search.next() {
            for &(from, edge) in &self.before[block] {
                let Some((demands, asked)) = self.back(from, edge, demands) else {
                    continue;
                };
                let more = match asked {
                    None => 0,
                    Some((callee, wanted)) => {
                        let entry = self.entries[callee];
                        let paths = returns.with(wanted);
                        match entry.and_then(|entry| paths.from(entry, None)) {
                            Some((more, ())) => more,
                            None => continue,
                        }
                    }
                };
                let sum = distance
                    .saturating_add(edge.map_or(0, &cost))
                    .saturating_add(more);
                search.open.push(Reverse((sum, mark, from, demands)));
            }
            let function = self.facts[block].function;
            if self.entries[function] == Some(block) {
                for &from in &self.callers[function] {
                    let demands = self.through(from, [None, None]).unwrap_or([None, None]);
                    search.open.push(Reverse((distance, mark, from, demands)));
                }
            }
        }
        Distances(search.found)
    }

    /// The demands of a path over an edge at the start of the block that the edge leaves, and its
    /// demand on the function that the block calls; `None` if nothing meets them.
    fn back(
        &self,
        from: CodeBlock,
        edge: Option<CodeEdge>,
        mut demands: Demands,
    ) -> Option<(Demands, Option<(FunctionId, bool)>)> {
        let facts = &self.facts[from];
        let mut asked = None;
        if let Some((result, callee)) = facts.call {
            for demand in &mut demands {
                if let Some(found) = demand.take_if(|demand| demand.local == result) {
                    asked = self.entries[callee].map(|_| (callee, found.holds));
                }
            }
        }
        if let (Some((local, then)), Some(edge)) = (facts.test, edge) {
            let holds = edge == then;
            demands = add(demands, Demand { local, holds })?;
        }
        Some((self.through(from, demands)?, asked))
    }

    /// The demands at the start of a block that make these hold after its statements; `None` if
    /// nothing meets them.
    fn through(&self, block: CodeBlock, demands: Demands) -> Option<Demands> {
        let mut left = [None, None];
        for demand in demands.into_iter().flatten() {
            let mut demand = Some(demand);
            for &(local, effect) in self.facts[block].effects.iter().rev() {
                let Some(Demand {
                    local: wanted,
                    holds,
                }) = demand
                else {
                    break;
                };
                if wanted != local {
                    continue;
                }
                demand = match effect {
                    Effect::Constant(value) if value != holds => return None,
                    Effect::Same(local) => Some(Demand { local, holds }),
                    Effect::Opposite(local) => Some(Demand {
                        local,
                        holds: !holds,
                    }),
                    Effect::Implies(local) if holds => Some(Demand { local, holds }),
                    Effect::Constant(_) | Effect::Implies(_) | Effect::Unknown => None,
                };
            }
            if let Some(demand) = demand {
                left = add(left, demand)?;
            }
        }
        Some(left)
    }

    /// What is known, after the call in a block, of its result.
    pub fn result(&self, call: CodeBlock, holds: bool) -> Option<Demand> {
        let (local, _) = self.facts[call].call?;
        Some(Demand { local, holds })
    }

    /// What is known after an edge.
    pub fn known(&self, from: CodeBlock, edge: CodeEdge) -> Option<Demand> {
        let (local, then) = self.facts[from].test?;
        let holds = edge == then;
        Some(Demand { local, holds })
    }
}

/// Demands with one more; `None` if they contradict each other. A third demand is dropped.
fn add(mut demands: Demands, demand: Demand) -> Option<Demands> {
    for known in demands.iter().flatten() {
        if known.local == demand.local {
            return (known.holds == demand.holds).then_some(demands);
        }
    }
    if let Some(free) = demands.iter_mut().find(|known| known.is_none()) {
        *free = Some(demand);
    }
    demands.sort_unstable_by_key(|known| (known.is_none(), *known));
    Some(demands)
}

fn facts(
    program: &Program,
    index: &CodeIndex,
    function: FunctionId,
    block: Block,
    data: &BlockData,
    body: &Body,
) -> BlockFacts {
    // Code elsewhere may change a local whose address is taken.
    let is_followed = |local: &Local| !body.locals[*local].address_taken;
    let mut facts = BlockFacts {
        function,
        effects: data
            .statements
            .iter()
            .filter_map(|statement| effect(program, body, statement))
            .collect(),
        test: None,
        call: None,
        returned: None,
    };
    match &data.terminator {
        Terminator::Branch {
            operand: Operand::Copy(local),
            ..
        } if is_followed(local) => facts.test = Some((*local, index.edge(function, block, 0))),
        Terminator::Call {
            callee: Callee::Direct(callee),
            destination: Some(place),
            ..
        } => {
            facts.call = place
                .as_local()
                .filter(is_followed)
                .map(|local| (local, *callee));
        }
        Terminator::Return(value) => {
            facts.returned = Some(match value {
                Some(Operand::Copy(local)) if is_followed(local) => ReturnedValue::Local(*local),
                Some(Operand::Constant(constant)) => is_other_than_zero(constant)
                    .map_or(ReturnedValue::Unknown, ReturnedValue::Constant),
                _ => ReturnedValue::Unknown,
            });
        }
        _ => {}
    }
    facts
}

fn effect(program: &Program, body: &Body, statement: &Statement) -> Option<(Local, Effect)> {
    let StatementKind::Assign(place, value) = &statement.kind else {
        return None;
    };
    let local = match (&place.base, place.as_local()) {
        (_, Some(local)) => local,
        (PlaceBase::Local(local), None) => return Some((*local, Effect::Unknown)),
        _ => return None,
    };
    let is_zero = |constant: &Constant| is_other_than_zero(constant) == Some(false);
    let (from, effect): (_, fn(Local) -> Effect) = match value {
        Rvalue::Use(Operand::Constant(constant)) => {
            let constant = is_other_than_zero(constant);
            return Some((local, constant.map_or(Effect::Unknown, Effect::Constant)));
        }
        Rvalue::Use(Operand::Copy(from)) => (from, Effect::Same),
        Rvalue::Cast(kind, Operand::Copy(from), to) => match kind {
            CastKind::IntToBool | CastKind::PointerToBool | CastKind::PointerToPointer => {
                (from, Effect::Same)
            }
            // A narrower number may be zero where the wider one is not.
            CastKind::IntToInt
                if program.types.size(*to) < program.types.size(body.locals[*from].ty) =>
            {
                (from, Effect::Implies)
            }
            CastKind::IntToInt => (from, Effect::Same),
            _ => return Some((local, Effect::Unknown)),
        },
        Rvalue::Binary(op, Operand::Copy(from), Operand::Constant(constant))
            if is_zero(constant) =>
        {
            match op {
                BinaryOp::Eq => (from, Effect::Opposite),
                BinaryOp::Ne => (from, Effect::Same),
                BinaryOp::Lt | BinaryOp::Gt => (from, Effect::Implies),
                _ => return Some((local, Effect::Unknown)),
            }
        }
        _ => return Some((local, Effect::Unknown)),
    };
    let is_followed = !body.locals[*from].address_taken;
    Some((
        local,
        if is_followed {
            effect(*from)
        } else {
            Effect::Unknown
        },
    ))
}

/// Whether a constant is other than zero, if that is plain.
fn is_other_than_zero(constant: &Constant) -> Option<bool> {
    match constant.value {
        ConstantValue::Int(bits) => Some(bits != 0),
        ConstantValue::Global { .. } | ConstantValue::Function(_) => Some(true),
        ConstantValue::Float(_) => None,
    }
}
