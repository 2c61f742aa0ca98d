//! Abstract paths: what a criterion tells apart of the paths that executions take (PathCrawler,
//! section 3).
//!
//! ```text
//! execution                  f, line 11: x < -1 false, x > 1 true; line 13: …; call of g; line 18
//! calls and conditions       11 true, 13 true, 14 true, 13 false, 18 false
//!     do not count
//! ```
//!
//! An execution is read from its ordered trace and the structure of the source
//! ([`ir::TraceReader`]).

mod determined;
mod text;
mod walk;

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use index_vec::IndexVec;
use ir::{
    Body, CodeEdge, CodeIndex, DecisionId, FunctionId, Program, RegionId, Terminator, TraceReader,
};

pub use walk::{WalkedEdge, WalkedPath};

/// What abstract paths do not tell apart, or leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Abstraction {
    /// All paths are told apart.
    Nothing,
    /// The paths through calls, and through the conditions of a decision, are not told apart.
    CallsAndConditions,
    /// Paths on which a loop has more rounds than that are left out, unless the loop has a fixed
    /// number of rounds.
    MoreRounds(NonZeroU32),
}

/// An edge of an abstract tree: a decision, and its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AbstractEdge {
    /// The function.
    pub function: FunctionId,
    /// The decision.
    pub decision: DecisionId,
    /// Its outcome, 0 or 1, or the position among [`ir::Decision::sides`].
    pub side: u32,
}

/// What an edge of the code means for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meaning {
    function: FunctionId,
    decision: DecisionId,
    /// The side of the decision, if the edge settles it.
    side: Option<u32>,
    /// Whether taking it begins a round of a loop.
    begins_round: bool,
    /// The edges that leave the same place: the first, and how many there are.
    siblings: (CodeEdge, usize),
}

/// Reads executions as abstract paths.
#[derive(Clone, Debug)]
pub struct AbstractPaths<'a> {
    program: &'a Program,
    reader: TraceReader<'a>,
    abstraction: Abstraction,
    /// The functions whose decisions count, in calls that are made by these alone.
    functions: BTreeSet<FunctionId>,
    /// Whether calls of a function that is under way count, too.
    with_recursion: bool,
    meanings: IndexVec<CodeEdge, Option<Meaning>>,
    /// The loops with a fixed number of rounds.
    fixed: BTreeSet<(FunctionId, RegionId)>,
}

impl<'a> AbstractPaths<'a> {
    /// Reads executions of a program. The decisions of these functions count.
    pub fn new(
        (program, index): (&'a Program, &'a CodeIndex),
        abstraction: Abstraction,
        functions: BTreeSet<FunctionId>,
        with_recursion: bool,
    ) -> AbstractPaths<'a> {
        let mut meanings = IndexVec::from_vec(vec![None; index.edges()]);
        let mut fixed = BTreeSet::new();
        for (function, data) in program.functions.iter_enumerated() {
            if let Some(body) = &data.body {
                note_meanings(&mut meanings, (index, function, body));
                let loops = analysis::fixed_loops(body).into_iter();
                fixed.extend(loops.map(|region| (function, region)));
            }
        }
        AbstractPaths {
            program,
            reader: TraceReader::new(program, index),
            abstraction,
            functions,
            with_recursion,
            meanings,
            fixed,
        }
    }

    fn is_fixed(&self, function: FunctionId, region: RegionId) -> bool {
        self.fixed.contains(&(function, region))
    }

    /// Whether constants alone decide.
    fn is_constant(&self, function: FunctionId, decision: DecisionId) -> bool {
        let body = self.program.functions[function].body.as_ref();
        let decision = body.and_then(|body| body.decisions.get(decision));
        decision.is_none_or(|it| it.sides.is_empty() && it.formula.folded().is_some())
    }

    /// The edge of the abstract tree that an edge of the code is; `None` if it settles no decision.
    pub fn edge(&self, edge: CodeEdge) -> Option<AbstractEdge> {
        let meaning = self.meanings[edge].as_ref()?;
        Some(AbstractEdge {
            function: meaning.function,
            decision: meaning.decision,
            side: meaning.side?,
        })
    }

    /// The other edges that evaluate the same condition, or leave the same switch.
    pub fn others(&self, edge: CodeEdge) -> impl Iterator<Item = CodeEdge> {
        let siblings = self.meanings[edge].map(|meaning| meaning.siblings);
        let (first, count) = siblings.unwrap_or((edge, 1));
        let all = (0..count as u32).map(move |nth| CodeEdge::from_raw(first.raw() + nth));
        all.filter(move |&other| other != edge)
    }

    /// Whether each path through the code is a path of its own, so that there is no tree of abstract
    /// paths.
    pub fn tells_all_apart(&self) -> bool {
        match self.abstraction {
            Abstraction::Nothing | Abstraction::MoreRounds(_) => true,
            Abstraction::CallsAndConditions => false,
        }
    }

    /// How many sides the decision of an edge of the abstract tree has.
    pub fn sides(&self, edge: AbstractEdge) -> usize {
        let body = self.program.functions[edge.function].body.as_ref();
        let sides = body.map_or(0, |body| body.decisions[edge.decision].sides.len());
        sides.max(2)
    }

    /// Whether to take another edge at a place of an execution leads beyond the paths that count.
    pub fn leads_beyond(&self, place: &WalkedEdge, instead: CodeEdge) -> bool {
        let Abstraction::MoreRounds(most) = self.abstraction else {
            return false;
        };
        let begins_round = self.meanings[instead].is_some_and(|meaning| meaning.begins_round);
        place.is_beyond || (begins_round && place.rounds >= most.get())
    }
}

/// Records what the edges of a function mean.
fn note_meanings(
    meanings: &mut IndexVec<CodeEdge, Option<Meaning>>,
    (index, function, body): (&CodeIndex, FunctionId, &Body),
) {
    let loops = body.regions.iter().filter(|region| region.head.is_some());
    let loops: BTreeSet<DecisionId> = loops.filter_map(|region| region.decision).collect();
    for (block, data) in body.blocks.iter_enumerated() {
        let sides: Vec<Option<u32>> = match &data.terminator {
            Terminator::Branch { tag: Some(tag), .. } => {
                let outcomes = [tag.then_outcome, tag.otherwise_outcome];
                outcomes.map(|outcome| outcome.map(u32::from)).to_vec()
            }
            Terminator::Switch { arms, .. } => (0..=arms.len() as u32).map(Some).collect(),
            _ => continue,
        };
        let Some(decision) = body.decided_by(block) else {
            continue;
        };
        let siblings = (index.edge(function, block, 0), sides.len());
        for (successor, side) in sides.into_iter().enumerate() {
            meanings[index.edge(function, block, successor)] = Some(Meaning {
                function,
                decision,
                side,
                begins_round: side == Some(1) && loops.contains(&decision),
                siblings,
            });
        }
    }
}
