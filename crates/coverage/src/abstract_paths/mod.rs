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
mod dominance;
mod text;
mod walk;

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use index_vec::IndexVec;
use ir::{
    Body, CodeEdge, CodeIndex, ConditionId, DecisionId, FunctionId, Program, RegionId, Terminator,
    TraceReader,
};

use crate::{GoalId, GoalKind, Goals};

pub use text::condition_label;
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
    /// A path that takes the empty side of an `if` is left out, if there is a feasible path that
    /// differs from it only in taking the other side ([`analysis::empty_else`]).
    EmptyElse,
    /// A path on which a loop has fewer rounds is left out, if there is a feasible path that
    /// differs from it only in having more of them ([`analysis::identical_rounds`]).
    FewerRounds,
}

/// A step of an abstract path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AbstractStep {
    /// A decision goes to a side, where conditions and calls are not told apart.
    Decision(AbstractEdge),
    /// An edge of the code, where paths have an order.
    Edge(CodeEdge),
    /// Where paths have an order: a part of the source begins in which they may differ.
    Enter(FunctionId, RegionId),
    /// It ends.
    Leave(FunctionId, RegionId),
}

/// A decision, and its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The condition that it evaluates, with its value.
    condition: Option<(ConditionId, bool)>,
    /// Whether taking it begins a round of a loop.
    begins_round: bool,
    /// Whether it decides on a loop with a fixed number of rounds.
    is_fixed: bool,
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
    /// The parts of the source in which paths that have an order may differ.
    ordered: BTreeSet<(FunctionId, RegionId)>,
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
                let loops = analysis::fixed_loops(body);
                note_meanings(&mut meanings, (index, function, body), &loops);
                fixed.extend(loops.into_iter().map(|region| (function, region)));
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
            ordered: ordered(program, abstraction),
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

    /// The step of the abstract tree that an edge of the code is; `None` if it tells no paths apart.
    pub fn step(&self, edge: CodeEdge) -> Option<AbstractStep> {
        if self.has_order() {
            let is_open = |meaning: &Meaning| !meaning.is_fixed;
            let meaning = self.meanings[edge].as_ref().filter(|it| is_open(it))?;
            let is_constant = self.is_constant(meaning.function, meaning.decision);
            return (!is_constant).then_some(AbstractStep::Edge(edge));
        }
        let meaning = self.meanings[edge].as_ref()?;
        Some(AbstractStep::Decision(AbstractEdge {
            function: meaning.function,
            decision: meaning.decision,
            side: meaning.side?,
        }))
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
            Abstraction::CallsAndConditions | Abstraction::EmptyElse | Abstraction::FewerRounds => {
                false
            }
        }
    }

    /// Whether a path need not be covered where another one dominates it.
    pub fn has_order(&self) -> bool {
        match self.abstraction {
            Abstraction::EmptyElse | Abstraction::FewerRounds => true,
            Abstraction::Nothing | Abstraction::CallsAndConditions | Abstraction::MoreRounds(_) => {
                false
            }
        }
    }

    /// How many steps there are in the place of one of the abstract tree, with this one.
    pub fn sides(&self, step: AbstractStep) -> usize {
        match step {
            AbstractStep::Decision(edge) => {
                let body = self.program.functions[edge.function].body.as_ref();
                let sides = body.map_or(0, |body| body.decisions[edge.decision].sides.len());
                sides.max(2)
            }
            AbstractStep::Edge(edge) => self.meanings[edge].map_or(1, |it| it.siblings.1),
            AbstractStep::Enter(..) | AbstractStep::Leave(..) => 1,
        }
    }

    /// The goals that a step covers.
    pub fn goals(&self, goals: &Goals, step: AbstractStep) -> Vec<GoalId> {
        match step {
            AbstractStep::Edge(edge) => goals.on_edge(edge).to_vec(),
            AbstractStep::Enter(..) | AbstractStep::Leave(..) => Vec::new(),
            AbstractStep::Decision(AbstractEdge {
                function,
                decision,
                side,
            }) => {
                let is_meant = |kind: GoalKind| {
                    kind == GoalKind::Decision(decision, side == 1)
                        || kind == GoalKind::Switch(decision, side)
                };
                let all = goals.iter();
                let meant = all.filter(|(_, it)| it.function == function && is_meant(it.kind));
                meant.map(|(id, _)| id).collect()
            }
        }
    }

    /// Whether two steps are in the same place of the code.
    pub fn are_alternatives(&self, one: AbstractStep, other: AbstractStep) -> bool {
        match (one, other) {
            (AbstractStep::Decision(one), AbstractStep::Decision(other)) => {
                (one.function, one.decision) == (other.function, other.decision)
            }
            (AbstractStep::Edge(one), AbstractStep::Edge(other)) => {
                let place = |edge: CodeEdge| self.meanings[edge].map(|it| it.siblings.0);
                place(one) == place(other)
            }
            _ => one == other,
        }
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

/// The parts of the source in which paths differ where one dominates the other.
fn ordered(program: &Program, abstraction: Abstraction) -> BTreeSet<(FunctionId, RegionId)> {
    match abstraction {
        Abstraction::EmptyElse => {
            let functions = program.functions.iter_enumerated();
            let bodies = functions.filter_map(|(id, data)| Some((id, data.body.as_ref()?)));
            let all = bodies.flat_map(|(id, body)| {
                let regions = analysis::empty_else(body).into_iter();
                regions.map(move |region| (id, region))
            });
            all.collect()
        }
        Abstraction::FewerRounds => analysis::identical_rounds(program),
        Abstraction::Nothing | Abstraction::CallsAndConditions | Abstraction::MoreRounds(_) => {
            BTreeSet::new()
        }
    }
}

/// Records what the edges of a function mean, some of whose loops have a fixed number of rounds.
fn note_meanings(
    meanings: &mut IndexVec<CodeEdge, Option<Meaning>>,
    (index, function, body): (&CodeIndex, FunctionId, &Body),
    fixed: &BTreeSet<RegionId>,
) {
    let fixed = fixed
        .iter()
        .filter_map(|&region| body.regions[region].decision);
    let fixed: BTreeSet<DecisionId> = fixed.collect();
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
        let condition = match &data.terminator {
            Terminator::Branch { tag, .. } => tag.as_ref().map(|tag| tag.condition),
            _ => None,
        };
        for (successor, side) in sides.into_iter().enumerate() {
            meanings[index.edge(function, block, successor)] = Some(Meaning {
                function,
                decision,
                side,
                begins_round: side == Some(1) && loops.contains(&decision),
                condition: condition.map(|condition| (condition, successor == 0)),
                is_fixed: fixed.contains(&decision),
                siblings,
            });
        }
    }
}
