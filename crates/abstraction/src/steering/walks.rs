//! Executions of the formulas, segment by segment, and the states that they come to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use expr::{Model as Values, Term, Terms};
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;

use crate::dead_ends::DeadEnds;
use crate::formulas::execution::{Executor, Running};
use crate::formulas::nodes::{size, variables_of};
use crate::formulas::script::{StepId, Steps};
use crate::formulas::segment::{CodePlace, Segment};
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;
use crate::invariants::samples::{EVALUATION, evaluated_in};
use crate::prover::Goals;
use crate::steering::distance::Distance;
use crate::steering::kept::{Kept, Reached};
use crate::steering::known_state::KnownState;
use crate::steering::moves::Moves;

/// How many random inputs are tried in a segment.
const DRAWS: usize = 6;

/// In one of so many steps the solver is asked for inputs that take a branch.
const AIMED: u8 = 8;

/// In all but one of so many steps, a steady walk takes the last inputs again.
const STEADY: u8 = 32;

/// How many evaluations a draw takes beside those of terms and of variables.
const DRAW: u64 = 150;

/// How many steps are kept.
const MOST_STEPS: usize = 1_000_000;

/// What executes, and where it came to.
pub struct Walks {
    executor: Executor,
    /// The predicates of each cut that tell states apart.
    atoms: Invariants,
    moves: IndexVec<CutId, Moves>,
    /// How many terms and values an execution of each segment takes.
    sizes: IndexVec<CutId, u64>,
    pub steps: Steps,
    kept: Kept,
}

/// How an execution chooses inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// Any, the last ones now and then.
    Drifting,
    /// Nearly always the last ones, so that it goes far in one direction.
    Steady,
    /// Those of some that come nearest to the goal.
    Descending,
}

/// An execution under way.
pub struct Walk {
    at: Reached,
    manner: Manner,
    /// The inputs that were last taken in each segment.
    taken: BTreeMap<CutId, Values>,
}

/// What a walk tries to do.
pub struct Pursued<'a> {
    /// The goals that are to be reached.
    pub open: &'a [CodePlace],
    /// States that are of no use.
    pub dead: &'a mut DeadEnds,
    /// The distance to the goal, if there is one.
    pub distance: Option<&'a Distance>,
}

/// What came of going on by a segment.
#[derive(Default)]
pub struct Advance {
    /// The goals that inputs lead to, with the last step.
    pub found: Vec<(CodePlace, StepId)>,
    /// Whether it came to a state that none was like before.
    pub is_new: bool,
    /// Whether the execution cannot go on.
    pub is_over: bool,
}

impl Walks {
    /// Nothing is visited yet.
    pub fn new(formulas: &mut Formulas<'_>, goals: &mut Goals) -> Walks {
        let guesser = goals.guesser(formulas);
        let atoms = guesser.atoms(formulas);
        let executor = Executor::new(formulas, guesser.constants(), evaluated);
        let terms = &formulas.arena.terms;
        let sizes = formulas.segments.iter();
        Walks {
            executor,
            atoms,
            moves: formulas.segments.iter().map(|_| Moves::default()).collect(),
            sizes: sizes.map(|it| evaluations(terms, it)).collect(),
            steps: Steps::new(formulas),
            kept: Kept::default(),
        }
    }

    /// The states at a cut that are unlike others.
    pub fn states(&self, cut: CutId) -> Vec<Values> {
        self.kept.at(cut).map(Running::values).collect()
    }

    /// Inputs of a segment that take its branches.
    pub fn moves(&self, cut: CutId) -> Vec<Values> {
        self.moves[cut].all().to_vec()
    }

    /// Begins an execution at the start, or at a state that was visited and is no dead end.
    pub fn begin(&mut self, formulas: &Formulas<'_>, pursued: &Pursued<'_>) -> Walk {
        if self.steps.len() > MOST_STEPS {
            self.steps.clear();
            self.kept = Kept::default();
        }
        let start = Reached {
            cut: formulas.model.cuts.start(),
            state: Running::default(),
            last: None,
        };
        let rng = &mut self.executor.rng;
        let kept = match rng.bool() {
            true => self.kept.any(rng),
            false => None,
        };
        let kept = kept.filter(|kept| {
            let values: Values = kept.state.values();
            let mut evaluation = self.executor.under(formulas, &values);
            let mut dead = pursued.dead.at(kept.cut).iter();
            !dead.any(|&dead| evaluation.holds(dead))
        });
        let manner = match pursued.distance.map(|_| self.executor.rng.u8(0..4)) {
            Some(0) => Manner::Descending,
            Some(1) => Manner::Steady,
            _ => Manner::Drifting,
        };
        Walk {
            at: kept.unwrap_or(start),
            manner,
            taken: BTreeMap::new(),
        }
    }

    /// Goes on by a segment.
    pub fn advance(
        &mut self,
        formulas: &mut Formulas<'_>,
        walk: &mut Walk,
        pursued: &mut Pursued<'_>,
    ) -> Advance {
        let segments = Arc::clone(&formulas.segments);
        let segment = &segments[walk.at.cut];
        let is_new = self.keep(formulas, &walk.at);
        let mut advance = Advance {
            is_new,
            ..Advance::default()
        };
        if is_new {
            self.look_ahead(formulas, segment, walk, pursued.open, &mut advance);
        }
        let given = match self.draw(formulas, segment, walk, pursued, &mut advance.found) {
            Some(values) => Some(values),
            None => self.asked(formulas, segment, walk, pursued),
        };
        let exit = given.and_then(|values| {
            let exit = self.executor.exit(formulas, segment, &values)?;
            Some((values, exit))
        });
        let Some((values, exit)) = exit else {
            if !is_new {
                self.look_ahead(formulas, segment, walk, pursued.open, &mut advance);
            }
            advance.is_over = true;
            return advance;
        };
        let at = &mut walk.at;
        let (executor, steps) = (&mut self.executor, &mut self.steps);
        let from = (at.last, &at.state);
        at.last = Some(steps.add(from, formulas, (segment, &values), executor));
        executor.take(formulas, (segment, exit), &values, &mut at.state);
        at.cut = exit.to;
        walk.taken.insert(segment.from, values);
        advance
    }

    /// Keeps a state if it is unlike others. Returns whether it is.
    fn keep(&mut self, formulas: &mut Formulas<'_>, at: &Reached) -> bool {
        let values = at.state.values();
        let counted = self.atoms[at.cut].len() + at.state.len();
        formulas.count(counted as u64 * EVALUATION);
        let atoms = self.atoms[at.cut].iter().enumerate();
        let mut evaluation = self.executor.under(formulas, &values);
        let cube = atoms.filter(|&(_, &atom)| evaluation.holds(atom));
        let cube: FixedBitSet = cube.map(|(number, _)| number).collect();
        self.kept.keep(at, cube, &mut self.executor.rng)
    }

    /// Random inputs, or those that were taken here last, that do not lead to a dead end. Records
    /// the goals that any of these reach.
    fn draw(
        &mut self,
        formulas: &mut Formulas<'_>,
        segment: &Segment,
        walk: &mut Walk,
        pursued: &mut Pursued<'_>,
        found: &mut Vec<(CodePlace, StepId)>,
    ) -> Option<Values> {
        let last_at = match walk.manner {
            Manner::Steady if self.executor.rng.u8(0..STEADY) > 0 => 0,
            Manner::Descending => DRAWS,
            _ if self.executor.rng.bool() => 0,
            _ => DRAWS,
        };
        let distance = pursued.distance;
        let distance = distance.filter(|_| walk.manner == Manner::Descending);
        let mut nearest: Option<(f64, Values)> = None;
        let mut aimed = match self.executor.rng.u8(0..AIMED) {
            0 => self.aimed(formulas, segment, walk),
            _ => None,
        };
        for draw in 0..=DRAWS {
            let last = walk.taken.get(&segment.from);
            let last = last.filter(|_| draw == last_at);
            let other = last.or_else(|| self.any_move(segment.from));
            let given = aimed.take().or_else(|| other.cloned()).unwrap_or_default();
            formulas.count(self.sizes[segment.from] * EVALUATION);
            let state = &mut walk.at.state;
            let values = self.executor.values(formulas, segment, state, &given);
            self.note_goals(formulas, segment, walk, (&values, pursued.open), found);
            let Some(exit) = self.executor.exit(formulas, segment, &values) else {
                continue;
            };
            let alive = pursued.dead.alive_behind(formulas, segment.from, exit);
            let mut evaluation = self.executor.under(formulas, &values);
            if !alive.into_iter().all(|it| evaluation.holds(it)) {
                continue;
            }
            let Some(distance) = distance else {
                return Some(values);
            };
            let locations = &walk.at.state.locations;
            let behind = (exit, &values);
            let far = distance.behind(formulas, &mut self.executor, behind, locations);
            if nearest.as_ref().is_none_or(|(least, _)| far < *least) {
                nearest = Some((far, values));
            }
        }
        nearest.map(|(_, values)| values)
    }

    /// Inputs that take some branch of a segment, if the solver finds some.
    fn aimed(
        &mut self,
        formulas: &mut Formulas<'_>,
        segment: &Segment,
        walk: &Walk,
    ) -> Option<Values> {
        let branch = self.executor.rng.choice(&segment.edges)?;
        KnownState::new(formulas, segment, &walk.at.state).model(formulas, &[branch.reach])
    }

    /// One of the moves of a segment, most of the time.
    fn any_move(&mut self, cut: CutId) -> Option<&Values> {
        let rng = &mut self.executor.rng;
        match rng.u8(0..4) {
            0 => None,
            _ => self.moves[cut].any(rng),
        }
    }

    /// Asks the solver what a segment may lead to.
    fn look_ahead(
        &mut self,
        formulas: &mut Formulas<'_>,
        segment: &Segment,
        walk: &mut Walk,
        open: &[CodePlace],
        advance: &mut Advance,
    ) {
        let mut known = KnownState::new(formulas, segment, &walk.at.state);
        self.ask_for_goals(formulas, (segment, &mut known), walk, open, advance);
        self.ask_for_moves(formulas, (segment, &mut known), walk);
    }

    /// Asks the solver for inputs that take branches of a segment which no move takes.
    fn ask_for_moves(
        &mut self,
        formulas: &mut Formulas<'_>,
        (segment, known): (&Segment, &mut KnownState),
        walk: &mut Walk,
    ) {
        for (_, branch) in self.moves[segment.from].untaken(segment) {
            if let Some(given) = known.model(formulas, &[branch]) {
                let (executor, state) = (&mut self.executor, &mut walk.at.state);
                let values = executor.values(formulas, segment, state, &given);
                self.moves[segment.from].add(formulas, segment, executor, &values);
            }
        }
    }

    /// Records the goals that values lead to within a segment.
    fn note_goals(
        &mut self,
        formulas: &Formulas<'_>,
        segment: &Segment,
        walk: &Walk,
        (values, open): (&Values, &[CodePlace]),
        found: &mut Vec<(CodePlace, StepId)>,
    ) {
        let is_new = |place: CodePlace| {
            open.contains(&place) && !found.iter().any(|&(goal, _)| goal == place)
        };
        let mut evaluation = self.executor.under(formulas, values);
        let places = segment.places.iter();
        let reached = places.filter(|reached| is_new(reached.place)).filter(|it| {
            let mut checks = segment.passed(&it.checks);
            evaluation.holds(it.reach) && checks.all(|(_, holds)| evaluation.holds(holds))
        });
        let reached: BTreeSet<CodePlace> = reached.map(|reached| reached.place).collect();
        if !reached.is_empty() {
            let (executor, steps) = (&mut self.executor, &mut self.steps);
            let from = (walk.at.last, &walk.at.state);
            let last = steps.add(from, formulas, (segment, values), executor);
            found.extend(reached.into_iter().map(|place| (place, last)));
        }
    }

    /// Asks the solver for inputs that lead to goals within a segment.
    fn ask_for_goals(
        &mut self,
        formulas: &mut Formulas<'_>,
        (segment, known): (&Segment, &mut KnownState),
        walk: &mut Walk,
        open: &[CodePlace],
        Advance { found, .. }: &mut Advance,
    ) {
        let places = segment.places.iter();
        for reached in places.filter(|reached| open.contains(&reached.place)) {
            if found.iter().any(|&(goal, _)| goal == reached.place) {
                continue;
            }
            let checks = segment.passed(&reached.checks).map(|(_, holds)| holds);
            let asked: Vec<Term> = checks.chain([reached.reach]).collect();
            if let Some(given) = known.model(formulas, &asked) {
                let state = &mut walk.at.state;
                let values = self.executor.values(formulas, segment, state, &given);
                self.note_goals(formulas, segment, walk, (&values, open), found);
            }
        }
    }

    /// Inputs of the solver that do not lead to a dead end.
    fn asked(
        &mut self,
        formulas: &mut Formulas<'_>,
        segment: &Segment,
        walk: &mut Walk,
        pursued: &mut Pursued<'_>,
    ) -> Option<Values> {
        let mut known = KnownState::new(formulas, segment, &walk.at.state);
        let first = self.executor.rng.usize(..);
        let count = segment.exits.len();
        (0..count).find_map(|at| {
            let exit = &segment.exits[(first % count + at) % count];
            let mut asked = formulas.taken(segment, exit);
            asked.extend(pursued.dead.alive_behind(formulas, segment.from, exit));
            let given = known.model(formulas, &asked)?;
            let state = &mut walk.at.state;
            Some(self.executor.values(formulas, segment, state, &given))
        })
    }
}

/// How many terms and values an execution of a segment takes.
fn evaluations(terms: &Terms, segment: &Segment) -> u64 {
    let evaluated = evaluated(segment);
    let variables = variables_of(terms, evaluated.clone()).len() as u64;
    DRAW + size(terms, evaluated) + variables
}

/// What an execution of a segment evaluates, with the goals and calls in it.
pub(crate) fn evaluated(segment: &Segment) -> Vec<Term> {
    let places = segment.places.iter().map(|reached| reached.reach);
    let results = segment.results.iter();
    let results = results.flat_map(|call| [call.reach, call.value]);
    let more: Vec<Term> = places.chain(results).collect();
    let mut all = evaluated_in(segment);
    all.extend(more);
    all
}
