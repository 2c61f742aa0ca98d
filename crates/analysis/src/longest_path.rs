//! The longest path through a function in a structural sense: with the most instructions, whatever its
//! conditions are, where the rounds of loops have bounds.
//!
//! ```text
//! longest(blocks, entry):                      // distances from the entry, loops counted as a whole
//!     for each strongly connected component, in topological order:
//!         one block without a cycle:   distance := that of the longest predecessor + its instructions
//!         a loop with one head, which is executed n times at most:
//!             inner := longest(component without the edges to the head, head)
//!             round := the longest inner path that ends with an edge to the head
//!             distance of a block in it := that of the predecessor + (n - 1) * round + inner
//! ```
//!
//! The bounds come from executions ([`executed`]), so that the path is as long as any that has no more
//! rounds than these.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{
    Block, Body, Callee, CodeIndex, FunctionId, OrderedTrace, Program, Terminator, TraceEvent,
};

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// A block of a function ends with a branch or a switch, which goes to the successor at a position.
    Edge(FunctionId, Block, usize),
    /// A loop: how often its head is executed but for the last time, and what happens each time.
    Rounds(u64, Vec<PathPart>),
    /// A call of a function.
    Call(FunctionId, Vec<PathPart>),
}

/// A longest path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongestPath {
    /// How many instructions it has: statements, and the ends of blocks.
    pub instructions: u64,
    /// What it passes.
    pub parts: Vec<PathPart>,
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// A function calls itself.
    Recursion(FunctionId),
    /// A function is called by a pointer, or cannot be followed.
    Unknown(FunctionId),
    /// A loop has several entries.
    Irregular(FunctionId),
    /// The function never returns.
    Endless(FunctionId),
}

/// The heads of loops, with how often each was executed at most while control stayed in the loop.
pub type Rounds = BTreeMap<(FunctionId, Block), u64>;

/// The longest path of a function, where heads of loops are executed at most as often as that; once, if
/// it says nothing of them.
///
/// # Errors
/// There is no longest path.
pub fn longest_path(
    program: &Program,
    function: FunctionId,
    rounds: &Rounds,
) -> Result<LongestPath, Unbounded> {
    let mut search = Search {
        program,
        rounds,
        known: BTreeMap::new(),
        open: BTreeSet::new(),
    };
    let found = search.function(function)?;
    Ok(LongestPath {
        instructions: found.length,
        parts: found.parts(),
    })
}

/// A path to the end of a block.
#[derive(Clone, Debug, Default)]
struct Path {
    length: u64,
    last: Option<Rc<Step>>,
}

#[derive(Debug)]
struct Step {
    before: Option<Rc<Step>>,
    part: PathPart,
}

impl Path {
    fn and(&self, length: u64, part: Option<PathPart>) -> Path {
        let step = part.map(|part| {
            Rc::new(Step {
                before: self.last.clone(),
                part,
            })
        });
        Path {
            length: self.length.saturating_add(length),
            last: step.or_else(|| self.last.clone()),
        }
    }

    fn then(&self, other: &Path) -> Path {
        let all = other.parts().into_iter();
        let mut path = all.fold(self.clone(), |path, part| path.and(0, Some(part)));
        path.length = self.length.saturating_add(other.length);
        path
    }

    fn parts(&self) -> Vec<PathPart> {
        let steps = std::iter::successors(self.last.as_ref(), |step| step.before.as_ref());
        let mut parts: Vec<PathPart> = steps.map(|step| step.part.clone()).collect();
        parts.reverse();
        parts
    }
}

struct Search<'a> {
    program: &'a Program,
    rounds: &'a Rounds,
    known: BTreeMap<FunctionId, Path>,
    open: BTreeSet<FunctionId>,
}

impl Search<'_> {
    fn function(&mut self, function: FunctionId) -> Result<Path, Unbounded> {
        if let Some(known) = self.known.get(&function) {
            return Ok(known.clone());
        }
        let Some(body) = self.program.functions[function].body.as_ref() else {
            return Ok(Path::default());
        };
        if !self.open.insert(function) {
            return Err(Unbounded::Recursion(function));
        }
        let all: BTreeSet<Block> = body.blocks.indices().collect();
        let paths = self.paths((function, body), &all, Block::from_usize(0), None)?;
        let returns = paths
            .iter()
            .filter(|(block, _)| matches!(body.blocks[**block].terminator, Terminator::Return(_)));
        let longest = returns.map(|(_, path)| path).max_by_key(|path| path.length);
        let longest = longest.cloned().ok_or(Unbounded::Endless(function))?;
        self.open.remove(&function);
        self.known.insert(function, longest.clone());
        Ok(longest)
    }

    /// The longest paths from an entry to the ends of blocks, among some of the blocks, without edges to the
    /// head of the loop that these are.
    fn paths(
        &mut self,
        code: (FunctionId, &Body),
        among: &BTreeSet<Block>,
        entry: Block,
        head: Option<Block>,
    ) -> Result<BTreeMap<Block, Path>, Unbounded> {
        let (function, body) = code;
        let successors = successors(body, among, head);
        let graph = Graph::of(successors.clone());
        let mut components = graph.components();
        components.reverse();
        // The longest path to the begin of each block.
        let mut begins: BTreeMap<Block, Path> = BTreeMap::from([(entry, Path::default())]);
        let mut ends = BTreeMap::new();
        for component in components {
            let members: BTreeSet<Block> = component.iter().copied().collect();
            let entered: Vec<Block> = members
                .iter()
                .copied()
                .filter(|it| begins.contains_key(it))
                .collect();
            let [first] = entered[..] else {
                match entered.is_empty() {
                    true => continue,
                    false => return Err(Unbounded::Irregular(function)),
                }
            };
            let begin = begins[&first].clone();
            let is_loop = members.len() > 1 || successors[first].contains(&first);
            let found = match is_loop {
                false => BTreeMap::from([(first, self.through(code, first, &begin)?)]),
                true => self.through_loop(code, &members, first, &begin)?,
            };
            for (block, path) in found {
                for (position, &next) in body.blocks[block]
                    .terminator
                    .successors()
                    .iter()
                    .enumerate()
                {
                    if members.contains(&next) && is_loop || !successors[block].contains(&next) {
                        continue;
                    }
                    let onward = path.and(0, edge(code, block, position));
                    let known = begins.get(&next).map(|path| path.length);
                    if known.is_none_or(|known| known < onward.length) {
                        begins.insert(next, onward);
                    }
                }
                ends.insert(block, path);
            }
        }
        Ok(ends)
    }

    /// The longest paths to the ends of the blocks of a loop.
    fn through_loop(
        &mut self,
        code: (FunctionId, &Body),
        members: &BTreeSet<Block>,
        head: Block,
        begin: &Path,
    ) -> Result<BTreeMap<Block, Path>, Unbounded> {
        let (function, body) = code;
        let inner = self.paths(code, members, head, Some(head))?;
        let backward = inner.iter().flat_map(|(&block, path)| {
            let next = body.blocks[block].terminator.successors().into_iter();
            let back = next.enumerate().filter(|(_, next)| *next == head);
            back.map(move |(position, _)| (block, position, path))
        });
        let round = backward.max_by_key(|(.., path)| path.length);
        let round = round.map(|(block, position, path)| path.and(0, edge(code, block, position)));
        let times = self.rounds.get(&(function, head)).copied().unwrap_or(1);
        let whole = times.saturating_sub(1);
        let mut before = begin.clone();
        if let Some(round) = round.filter(|_| whole > 0) {
            let length = round.length.saturating_mul(whole);
            before = before.and(length, Some(PathPart::Rounds(whole, round.parts())));
        }
        let all = inner.into_iter();
        Ok(all
            .map(|(block, path)| (block, before.then(&path)))
            .collect())
    }

    /// A path, on to the end of a block.
    fn through(
        &mut self,
        (function, body): (FunctionId, &Body),
        block: Block,
        begin: &Path,
    ) -> Result<Path, Unbounded> {
        let data = &body.blocks[block];
        let here = begin.and(data.statements.len() as u64 + 1, None);
        match &data.terminator {
            Terminator::Call {
                callee: Callee::Direct(callee),
                ..
            } => {
                let called = self.function(*callee)?;
                let parts = called.parts();
                let part = (!parts.is_empty()).then_some(PathPart::Call(*callee, parts));
                Ok(here.and(called.length, part))
            }
            Terminator::Call { .. } | Terminator::Unsupported { .. } => {
                Err(Unbounded::Unknown(function))
            }
            _ => Ok(here),
        }
    }
}

/// The successors of some blocks among these, without one.
fn successors(
    body: &Body,
    among: &BTreeSet<Block>,
    without: Option<Block>,
) -> IndexVec<Block, Vec<Block>> {
    let next = |block: Block| -> Vec<Block> {
        let all = body.blocks[block].terminator.successors().into_iter();
        let stays = |next: &Block| among.contains(next) && Some(*next) != without;
        all.filter(|_| among.contains(&block))
            .filter(stays)
            .collect()
    };
    body.blocks.indices().map(next).collect()
}

/// The edge of a decision.
fn edge((function, body): (FunctionId, &Body), block: Block, position: usize) -> Option<PathPart> {
    let decides = body.decided_by(block).is_some();
    decides.then_some(PathPart::Edge(function, block, position))
}

/// How many instructions an execution had, and how often it executed the heads of loops while it stayed in
/// the loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Statements, and the ends of blocks.
    pub instructions: u64,
    /// The heads of loops, of those that were executed.
    pub rounds: Rounds,
}

/// A call under way.
struct Frame {
    function: FunctionId,
    block: Block,
    /// The loops around the block, outer ones first, with how often their heads were executed.
    loops: Vec<(Block, u64)>,
}

/// Counts what an execution did.
pub fn executed(program: &Program, index: &CodeIndex, trace: &OrderedTrace) -> Executed {
    let mut counter = Counter {
        program,
        index,
        heads: BTreeMap::new(),
        frames: Vec::new(),
        executed: Executed::default(),
    };
    for event in trace.events() {
        if counter.read(event).is_none() {
            break;
        }
    }
    counter.executed
}

struct Counter<'a> {
    program: &'a Program,
    index: &'a CodeIndex,
    /// For each function the heads of loops with the blocks of these.
    heads: BTreeMap<FunctionId, BTreeMap<Block, BTreeSet<Block>>>,
    frames: Vec<Frame>,
    executed: Executed,
}

impl Counter<'_> {
    fn body(&self, function: FunctionId) -> Option<&Body> {
        self.program.functions.get(function)?.body.as_ref()
    }

    fn read(&mut self, event: TraceEvent) -> Option<()> {
        match event {
            TraceEvent::Call(function) => {
                if let Some(body) = self.body(function) {
                    let heads = loops(body);
                    self.heads.entry(function).or_insert(heads);
                }
                self.frames.push(Frame {
                    function,
                    block: Block::from_usize(0),
                    loops: Vec::new(),
                });
                self.enter(Block::from_usize(0));
            }
            TraceEvent::Return => {
                self.frames.pop()?;
                self.go_on_behind_call();
            }
            TraceEvent::Replaced(_) => self.go_on_behind_call(),
            TraceEvent::Edge(edge) => {
                let frame = self.frames.last()?;
                let first = self.index.edge(frame.function, frame.block, 0);
                let position = edge.raw().checked_sub(first.raw())?;
                let body = self.body(frame.function)?;
                let next = body.blocks[frame.block]
                    .terminator
                    .successor(position as usize)?;
                self.enter(next);
            }
        }
        Some(())
    }

    fn go_on_behind_call(&mut self) {
        let next = self.frames.last().and_then(|frame| {
            match self.body(frame.function)?.blocks[frame.block].terminator {
                Terminator::Call { next, .. } => next,
                _ => None,
            }
        });
        if let Some(next) = next {
            self.enter(next);
        }
    }

    /// Executes a block, and those that it jumps to.
    fn enter(&mut self, block: Block) {
        let mut open = Some(block);
        let mut jumps = 0;
        while let Some(block) = open {
            let Some(frame) = self.frames.last_mut() else {
                return;
            };
            frame.block = block;
            let function = frame.function;
            let Some(body) = self.program.functions[function].body.as_ref() else {
                return;
            };
            let heads = &self.heads[&function];
            frame.loops.retain(|(head, _)| heads[head].contains(&block));
            if heads.contains_key(&block) {
                match frame.loops.iter_mut().find(|(head, _)| *head == block) {
                    Some((_, times)) => *times += 1,
                    None => frame.loops.push((block, 1)),
                }
                let times = frame.loops.iter().find(|(head, _)| *head == block);
                let times = times.map_or(1, |(_, times)| *times);
                let most = self.executed.rounds.entry((function, block)).or_default();
                *most = times.max(*most);
            }
            self.executed.instructions += body.blocks[block].statements.len() as u64 + 1;
            jumps += 1;
            let terminator = &body.blocks[block].terminator;
            open = match terminator {
                Terminator::Goto(next) if jumps <= body.blocks.len() => Some(*next),
                _ => None,
            };
        }
    }
}

/// The heads of loops of a body with the blocks of the loops, nested ones included.
fn loops(body: &Body) -> BTreeMap<Block, BTreeSet<Block>> {
    let mut found = BTreeMap::new();
    let all: BTreeSet<Block> = body.blocks.indices().collect();
    let mut open = vec![(all, None)];
    while let Some((among, without)) = open.pop() {
        let successors = successors(body, &among, without);
        for component in Graph::of(successors.clone()).components() {
            let members: BTreeSet<Block> = component.into_iter().collect();
            let first = members.first().copied();
            let is_loop =
                members.len() > 1 || first.is_some_and(|block| successors[block].contains(&block));
            if !is_loop {
                continue;
            }
            let is_entered = |block: &&Block| {
                block.index() == 0
                    || body.blocks.indices().any(|from| {
                        !members.contains(&from)
                            && body.blocks[from].terminator.successors().contains(block)
                    })
            };
            let entered: Vec<Block> = members.iter().filter(is_entered).copied().collect();
            if let [head] = entered[..] {
                open.push((members.clone(), Some(head)));
                found.insert(head, members);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use ir::{Block, Program};

    use super::{PathPart, Rounds, Unbounded, longest_path};

    fn longest(text: &str, rounds: &[(usize, u64)]) -> Result<(u64, usize), Unbounded> {
        let program: Program = ir::text::parse(text).expect("a program");
        let function = program.function("f").expect("a function");
        let rounds = rounds.iter();
        let rounds: Rounds = rounds
            .map(|&(head, times)| ((function, Block::from_usize(head)), times))
            .collect();
        let found = longest_path(&program, function, &rounds)?;
        let loops = found.parts.iter();
        let loops = loops.filter(|part| matches!(part, PathPart::Rounds(..)));
        Ok((found.instructions, loops.count()))
    }

    #[test]
    fn rounds_count_as_often_as_their_bound_says() {
        let text = "fn f(_0 n: int) -> int {\n _1: int\n bb0: _1 = 0; goto bb1\n \
                    bb1: _1 = add _1, 1; branch _0 ? bb2 : bb3\n \
                    bb2: _1 = 1; _1 = 2; _1 = 3; goto bb1\n bb3: return _1\n}";
        assert_eq!(longest(text, &[]), Ok((2 + 2 + 1, 0)));
        assert_eq!(longest(text, &[(1, 4)]), Ok((2 + 3 * (2 + 4) + 2 + 1, 1)));
    }

    #[test]
    fn the_longer_side_counts() {
        let text = "fn f(_0 n: int) -> int {\n _1: int\n bb0: branch _0 ? bb1 : bb2\n \
                    bb1: _1 = 1; _1 = 2; goto bb3\n bb2: _1 = 0; goto bb3\n bb3: return _1\n}";
        assert_eq!(longest(text, &[]), Ok((1 + 3 + 1, 0)));
    }

    #[test]
    fn nested_loops_multiply() {
        let text = "fn f(_0 n: int) -> int {\n bb0: goto bb1\n bb1: branch _0 ? bb2 : bb4\n \
                    bb2: branch _0 ? bb3 : bb1\n bb3: goto bb2\n bb4: return _0\n}";
        // A round of the outer loop: its head, the inner head three times, and its body twice.
        let inner = 3 + 2;
        assert_eq!(
            longest(text, &[(1, 3), (2, 3)]),
            Ok((1 + 2 * (1 + inner) + 1 + 1, 1))
        );
    }

    #[test]
    fn what_has_no_longest_path() {
        let recursive =
            "fn f(_0 n: int) -> int {\n bb0: _0 = call @f(_0) -> bb1\n bb1: return _0\n}";
        let endless = "fn f() -> int {\n bb0: goto bb1\n bb1: goto bb1\n}";
        let function = ir::FunctionId::from_usize(0);
        assert_eq!(longest(recursive, &[]), Err(Unbounded::Recursion(function)));
        assert_eq!(longest(endless, &[]), Err(Unbounded::Endless(function)));
    }
}
