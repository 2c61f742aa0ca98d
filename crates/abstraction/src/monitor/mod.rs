//! The monitor of executions: which of their branches can still lead to open goals (CRABS, section
//! 5).
//!
//! ```text
//! state        a cut, and those of the predicates there that hold on each way to this state
//! piece        a state, and the edges that were taken behind it           monitor/trace.rs
//! piece, cut   ─► state: the predicates that hold behind the piece, by the solver
//! a goal is excluded behind a piece and an edge :=
//!     a dead end of the goal holds in the state, or
//!     state, piece, edge and the segment's formula have no model that reaches the goal or a cut
//!     without a dead end of the goal                                         dead_ends.rs
//! ```
//!
//! It is built on the fly, of the traces of executions, and answers are kept: rounds of a loop that
//! are alike are the same piece in the same state. A goal without any dead end may be behind each
//! branch that leads on, so that while it is open nothing is excluded.
//!
//! A search tries branches last behind which all goals are excluded, and leaves out none. So no
//! verdict rests on the monitor.

pub mod prover;
pub mod trace;

use std::sync::Arc;

use expr::Term;
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{CodeEdge, OrderedTrace};
use rustc_hash::FxHashMap;
use solver::{Answer, Sat};

use crate::dead_ends::DeadEnds;
use crate::formulas::segment::{CodePlace, Segment};
use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;
use crate::graph::unfolding::ContextId;
use crate::monitor::trace::{Step, way};

index_vec::define_index_type! {
    /// A state of a [`Monitor`].
    struct StateId = u32;
}

index_vec::define_index_type! {
    /// A piece of an execution's way, from a state of a [`Monitor`] on.
    struct PieceId = u32;
}

/// How many predicates of a cut states tell apart.
const MOST_PREDICATES: usize = 64;

/// How many pieces there may be.
const MOST_PIECES: usize = 200_000;

/// The effort for answers none of which excludes a branch, after which no more are asked for.
const PATIENCE: u64 = 3_000_000;

/// Where an execution is at a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    piece: PieceId,
    context: ContextId,
}

/// What comes of watching an execution.
#[derive(Clone, Debug)]
pub enum Watching {
    /// There may be a monitor later.
    Waits,
    /// There will be none.
    Never,
    /// It was watched.
    Watched(Watched),
}

/// What was seen of an execution.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Where it was at branches, by the numbers of the events by which it took their edges, in
    /// their order.
    pub positions: Vec<(usize, Position)>,
    /// Whether the formulas say that no execution takes its way.
    pub is_impossible: bool,
}

/// See the module.
pub(crate) struct Monitor {
    /// The predicates of each cut that states tell apart.
    predicates: Invariants,
    goals: Vec<MonitoredGoal>,
    states: IndexVec<StateId, (CutId, FixedBitSet)>,
    state_numbers: FxHashMap<(CutId, FixedBitSet), PieceId>,
    pieces: IndexVec<PieceId, Piece>,
    longer: FxHashMap<(PieceId, ContextId, CodeEdge), PieceId>,
    /// The empty piece of the state behind each piece that leads to a cut.
    behind: FxHashMap<(PieceId, CutId), Option<PieceId>>,
    /// Whether a branch behind a piece may lead to a goal.
    leads: FxHashMap<(PieceId, ContextId, CodeEdge, usize), bool>,
    solvers: IndexVec<CutId, Sat>,
    /// The effort that went to answers since a branch was excluded.
    in_vain: u64,
}

/// A goal with its dead ends.
struct MonitoredGoal {
    place: CodePlace,
    dead: DeadEnds,
    /// Which of the predicates of each cut are dead ends.
    is_dead: IndexVec<CutId, FixedBitSet>,
}

/// The way from a state on, by its last edge.
struct Piece {
    state: StateId,
    /// The way before its last edge, and what says that this is taken.
    last: Option<(PieceId, Option<Term>)>,
}

impl Monitor {
    /// A monitor for all goals, with their dead ends as far as they are known.
    pub fn new(formulas: &Formulas<'_>, dead: Vec<(CodePlace, DeadEnds)>) -> Monitor {
        let cuts = || formulas.model.cuts.iter();
        let mut predicates: Invariants = cuts().map(|_| Vec::new()).collect();
        for (_, dead) in &dead {
            for cut in cuts() {
                for &predicate in dead.at(cut) {
                    let known = &mut predicates[cut];
                    if known.len() < MOST_PREDICATES && !known.contains(&predicate) {
                        known.push(predicate);
                    }
                }
            }
        }
        let goals = dead.into_iter().map(|(place, dead)| MonitoredGoal {
            place,
            is_dead: cuts()
                .map(|cut| {
                    let all = predicates[cut].iter().enumerate();
                    let those = all.filter(|(_, predicate)| dead.at(cut).contains(predicate));
                    those.map(|(number, _)| number).collect()
                })
                .collect(),
            dead,
        });
        let mut monitor = Monitor {
            goals: goals.collect(),
            predicates,
            states: IndexVec::new(),
            state_numbers: FxHashMap::default(),
            pieces: IndexVec::new(),
            longer: FxHashMap::default(),
            behind: FxHashMap::default(),
            leads: FxHashMap::default(),
            solvers: cuts().map(|_| formulas.solver()).collect(),
            in_vain: 0,
        };
        monitor.state(formulas.model.cuts.start(), FixedBitSet::new());
        monitor
    }

    /// Whether it may exclude a goal, and has not taken long in vain.
    pub fn is_of_use(&self) -> bool {
        let mut goals = self.goals.iter();
        self.in_vain <= PATIENCE
            && goals.any(|goal| goal.is_dead.iter().any(|dead| !dead.is_clear()))
    }

    /// Follows an execution as far as the graph has its way.
    pub fn watch(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        trace: &OrderedTrace,
    ) -> Watched {
        let mut watched = Watched::default();
        let mut piece = PieceId::from_raw(0);
        for step in way(&formulas.model, trace) {
            let next = match step {
                Step::Edge(event, context, edge) => {
                    if self.is_of_use() {
                        watched.positions.push((event, Position { piece, context }));
                    }
                    self.longer(formulas, piece, (context, edge))
                }
                Step::Cut(cut) => self.behind(formulas, invariants, piece, cut),
            };
            let Some(next) = next.filter(|_| self.pieces.len() < MOST_PIECES) else {
                let is_refuted = |cut| self.behind.get(&(piece, cut)) == Some(&None);
                watched.is_impossible = matches!(step, Step::Cut(cut) if is_refuted(cut));
                break;
            };
            piece = next;
        }
        watched
    }

    /// Whether an edge may lead to one of the goals that are open, from a position. Where the monitor
    /// knows nothing, it may.
    pub fn may_lead_to_goal(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        (position, edge): (Position, CodeEdge),
        is_open: &dyn Fn(CodePlace) -> bool,
    ) -> bool {
        if self.in_vain > PATIENCE {
            return true;
        }
        let before = formulas.spent();
        let open = self.open(is_open);
        let leads = |goal: &usize| self.leads(formulas, invariants, (position, edge), *goal);
        let may_lead = open.is_empty() || open.iter().any(leads);
        self.in_vain = match may_lead {
            true => self.in_vain + formulas.spent() - before,
            false => 0,
        };
        may_lead
    }

    /// Whether a position is in a state that is a dead end of all goals that are open.
    pub fn is_dead_end(&self, position: Position, is_open: &dyn Fn(CodePlace) -> bool) -> bool {
        let (cut, known) = &self.states[self.pieces[position.piece].state];
        let open = self.open(is_open);
        let mut open = open.iter();
        let is_dead = |&goal: &usize| !known.is_disjoint(&self.goals[goal].is_dead[*cut]);
        !known.is_clear() && open.len() > 0 && open.all(is_dead)
    }

    /// The goals that are open.
    fn open(&self, is_open: &dyn Fn(CodePlace) -> bool) -> Vec<usize> {
        let goals = (0..self.goals.len()).filter(|&goal| is_open(self.goals[goal].place));
        goals.collect()
    }

    /// The first piece of a state, which is new or known.
    fn state(&mut self, cut: CutId, known: FixedBitSet) -> PieceId {
        let Monitor {
            states,
            state_numbers,
            pieces,
            ..
        } = self;
        let first = state_numbers
            .entry((cut, known))
            .or_insert_with_key(|state| {
                let state = states.push(state.clone());
                pieces.push(Piece { state, last: None })
            });
        *first
    }

    /// A piece with one more edge.
    fn longer(
        &mut self,
        formulas: &mut Formulas<'_>,
        piece: PieceId,
        (context, edge): (ContextId, CodeEdge),
    ) -> Option<PieceId> {
        if let Some(&known) = self.longer.get(&(piece, context, edge)) {
            return Some(known);
        }
        let state = self.pieces[piece].state;
        let cut = self.states[state].0;
        let taken = taken(formulas, cut, (context, edge));
        let last = Some((piece, taken));
        let longer = self.pieces.push(Piece { state, last });
        self.longer.insert((piece, context, edge), longer);
        Some(longer)
    }

    /// The first piece of the state behind a piece that leads to a cut; `None` if the formulas say
    /// that it does not.
    fn behind(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        piece: PieceId,
        to: CutId,
    ) -> Option<PieceId> {
        if let Some(&known) = self.behind.get(&(piece, to)) {
            return known;
        }
        let from = self.states[self.pieces[piece].state].0;
        let segments = Arc::clone(&formulas.segments);
        let exit = segments[from].exits.iter().find(|exit| exit.to == to);
        let behind = exit.and_then(|exit| {
            let mut held = self.held(formulas, invariants, piece);
            held.extend(formulas.taken(&segments[from], exit));
            let mut substitution = formulas.substitution(exit);
            let predicates = self.predicates[to].iter().enumerate();
            let open = predicates.filter_map(|(number, &predicate)| {
                let terms = &mut formulas.arena.terms;
                Some((number, substitution.apply(terms, predicate, LARGEST)?))
            });
            let open = open.collect();
            let known = self.implied(formulas, from, &held, open)?;
            Some(self.state(to, known))
        });
        self.behind.insert((piece, to), behind);
        behind
    }

    /// Those of numbered terms that hold wherever others do; `None` if these cannot hold.
    fn implied(
        &mut self,
        formulas: &mut Formulas<'_>,
        cut: CutId,
        held: &[Term],
        mut open: Vec<(usize, Term)>,
    ) -> Option<FixedBitSet> {
        let solver = &mut self.solvers[cut];
        if cfg!(debug_assertions) && matches!(formulas.check_by(solver, held), Answer::Unsat(_)) {
            return None;
        }
        while !open.is_empty() {
            let all: Vec<Term> = open.iter().map(|&(_, term)| term).collect();
            let all = formulas.all(&all);
            let broken = formulas.arena.terms.bool_not(all);
            let asked: Vec<Term> = held.iter().copied().chain([broken]).collect();
            match formulas.check_by(solver, &asked) {
                Answer::Unsat(_) => break,
                Answer::Unknown(_) => open.clear(),
                Answer::Sat(model) => {
                    let before = open.len();
                    let mut evaluation = formulas.under(&model);
                    open.retain(|&(_, term)| evaluation.holds(term));
                    if open.len() == before {
                        open.clear();
                    }
                }
            }
        }
        Some(open.into_iter().map(|(number, _)| number).collect())
    }

    /// Whether an edge may lead to a goal.
    fn leads(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        (position, edge): (Position, CodeEdge),
        goal: usize,
    ) -> bool {
        let Position { piece, context } = position;
        let asked = (piece, context, edge, goal);
        if let Some(&known) = self.leads.get(&asked) {
            return known;
        }
        let (cut, known) = &self.states[self.pieces[piece].state];
        let cut = *cut;
        let is_dead = !known.is_disjoint(&self.goals[goal].is_dead[cut]);
        let leads = !is_dead
            && taken(formulas, cut, (context, edge)).is_none_or(|taken| {
                let mut held = self.held(formulas, invariants, piece);
                held.push(taken);
                self.has_way(formulas, cut, &held, goal)
            });
        self.leads.insert(asked, leads);
        leads
    }

    /// Whether something may lead to a goal in a segment, or to a cut without a dead end of it.
    fn has_way(
        &mut self,
        formulas: &mut Formulas<'_>,
        cut: CutId,
        held: &[Term],
        goal: usize,
    ) -> bool {
        let segments = Arc::clone(&formulas.segments);
        let segment: &Segment = &segments[cut];
        let goal = &mut self.goals[goal];
        let mut ways: Vec<Vec<Term>> = Vec::new();
        for exit in &segment.exits {
            let mut way = formulas.taken(segment, exit);
            way.extend(goal.dead.alive_behind(formulas, cut, exit));
            ways.push(way);
        }
        let places = segment.places.iter();
        for reached in places.filter(|reached| reached.place == goal.place) {
            let checks = segment.passed(&reached.checks).map(|(_, holds)| holds);
            ways.push(checks.chain([reached.reach]).collect());
        }
        let solver = &mut self.solvers[cut];
        ways.iter().any(|way| {
            let asked: Vec<Term> = held.iter().chain(way).copied().collect();
            !matches!(formulas.check_by(solver, &asked), Answer::Unsat(_))
        })
    }

    /// What holds at the start of a piece's segment, if control goes on as the piece does.
    fn held(
        &self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        piece: PieceId,
    ) -> Vec<Term> {
        let (cut, known) = &self.states[self.pieces[piece].state];
        let mut held = formulas.all_instances(*cut, &invariants[*cut]);
        for number in known.ones() {
            held.extend(formulas.instances(*cut, self.predicates[*cut][number]));
        }
        let mut last = self.pieces[piece].last;
        while let Some((before, taken)) = last {
            held.extend(taken);
            last = self.pieces[before].last;
        }
        held
    }
}

/// What says that an edge is taken in a segment, in some round; `None` if that is not known.
fn taken(
    formulas: &mut Formulas<'_>,
    cut: CutId,
    (context, edge): (ContextId, CodeEdge),
) -> Option<Term> {
    let segments = Arc::clone(&formulas.segments);
    let rounds = segments[cut].edges.iter();
    let rounds = rounds.filter(|taken| taken.context == context && taken.edge == edge);
    let terms = &mut formulas.arena.terms;
    let any = rounds.map(|taken| taken.reach);
    any.reduce(|any, reach| terms.bool_or(any, reach))
}
