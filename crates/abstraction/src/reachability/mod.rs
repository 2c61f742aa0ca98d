//! Property-directed reachability over the predicates of cuts (Bradley 2011, "SAT-based model
//! checking without unrolling"; Cimatti, Griggio, Mover, Tonetta 2014, "IC3 modulo theories via
//! implicit predicate abstraction").
//!
//! ```text
//! for each open goal:
//!     repeat:
//!         while some state of the last frame leads to the goal within its segment:
//!             block the cube of predicates that the state is in, and before it, in the frames
//!             before, the cubes that lead to it
//!             if the start leads there: add predicates that exclude this way         refinement.rs
//!                 if there are none, give the goal up
//!         move lemmas on to later frames where they hold, too
//!         // no lemma is left behind in a frame: it is the next one, so it is inductive
//!         if such a frame is found: its lemmas are invariants; try what they exclude
//!         add a frame
//! ```
//!
//! Frames do not depend on the goal, so that each goal goes on with those of the others. A goal that
//! takes long waits until the others had their turn, and has twice as long then. A way that nothing
//! excludes gives inputs to be tried. A goal that is given up may be unreachable nevertheless: the
//! predicates do not show it.

pub mod counterexample;
pub mod frames;
pub mod refinement;
pub mod shape;
pub mod way;

use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

use expr::{Model as Values, Term};

use crate::exclusion::Exclusion;
use crate::formulas::segment::{CodePlace, Segment};
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;
use crate::invariants::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};
use crate::reachability::counterexample::script;
use crate::reachability::frames::{Before, Cube, Frames, Lemma};
use crate::reachability::refinement::{Passage, Refined, refine};
use crate::reachability::shape::shapes;

/// How many frames there are at most.
const MOST_FRAMES: usize = 40;

/// How many cubes are looked at for one goal in its first turn, and in its last one.
const FEWEST_CUBES: usize = 50;
const MOST_CUBES: usize = 1_600;

/// How many times predicates are added for one goal, and how many times some of the same shapes.
const MOST_REFINEMENTS: usize = 60;
const MOST_ALIKE: usize = 3;

/// How many literals of a cube are tried to be left out.
const MOST_TRIES: usize = 12;

/// See the module.
#[derive(Default)]
pub(crate) struct Reachability {
    frames: Option<Frames>,
    /// The goals to be tried, the next one first, once it has begun.
    waiting: Option<VecDeque<Waiting>>,
    /// The cubes to be blocked for the current goal.
    open: BinaryHeap<Obligation>,
    /// How many were looked at in this turn of the goal.
    looked_at: usize,
    /// Whether predicates are added.
    is_refined: bool,
    /// The segments from cubes that were blocked, or are to be, to the goal.
    ways: Vec<Step>,
    /// What proves the lemmas of a frame that seem to be inductive.
    check: Option<Houdini>,
    /// What tries the goals that new invariants may exclude.
    exclusion: Option<Exclusion>,
}

/// A goal to be tried.
#[derive(Clone)]
struct Waiting {
    goal: CodePlace,
    /// How many cubes may be looked at in its next turn.
    cubes: usize,
    /// The shapes of the predicates that were added for it, each time.
    refinements: Vec<BTreeSet<(CutId, u64)>>,
}

impl Waiting {
    fn new(goal: CodePlace) -> Waiting {
        Waiting {
            goal,
            cubes: FEWEST_CUBES,
            refinements: Vec::new(),
        }
    }
}

/// A cube that a frame is to have no state of. Those of the first frames come first.
#[derive(PartialEq, Eq)]
struct Obligation {
    level: usize,
    /// How many segments lead from it to the goal.
    distance: usize,
    cut: CutId,
    cube: Cube,
    /// How it leads to the goal.
    way: usize,
}

/// A segment to the goal, and the number of the next one.
struct Step {
    passage: Passage,
    next: Option<usize>,
}

impl Ord for Obligation {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |it: &Self| (std::cmp::Reverse(it.level), it.distance);
        let by_place =
            || (self.cut, &self.cube, self.way).cmp(&(other.cut, &other.cube, other.way));
        key(self).cmp(&key(other)).then_with(by_place)
    }
}

impl PartialOrd for Obligation {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What became of a goal in the last frame.
enum Search {
    /// There is more to block.
    Working,
    /// No state of the last frame leads to it.
    Blocked,
    /// Predicates of these shapes were added.
    Refined(BTreeSet<(CutId, u64)>),
    /// It takes long.
    Postponed,
    /// It cannot be proved.
    GivenUp,
}

impl Prover for Reachability {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        loop {
            if formulas.is_spent() || !goals.scripts.is_empty() {
                return Progress::Working;
            }
            if let Some(houdini) = &mut self.check {
                if let Some(invariants) = houdini.step(formulas) {
                    goals.learn(invariants);
                    self.check = None;
                    self.exclusion = Some(Exclusion::default());
                }
                continue;
            }
            if let Some(exclusion) = &mut self.exclusion {
                if exclusion.step(formulas, goals) == Progress::Finished {
                    self.exclusion = None;
                }
                continue;
            }
            let frames = self.frames.get_or_insert_with(|| {
                let atoms = goals.guesser(formulas).atoms(formulas);
                Frames::new(formulas, atoms)
            });
            let all = || goals.open.iter().copied().map(Waiting::new).collect();
            let waiting = self.waiting.get_or_insert_with(all);
            let Some(current) = waiting.front().cloned() else {
                return Progress::Finished;
            };
            let is_over = !goals.open.contains(&current.goal) || frames.last > MOST_FRAMES;
            let search = match is_over {
                true => Search::GivenUp,
                false => self.search(formulas, goals, &current),
            };
            match search {
                Search::Working => {}
                Search::Blocked => {
                    self.ways.clear();
                    self.extend(formulas, goals);
                }
                Search::Refined(shapes) => {
                    self.forget_cubes();
                    let waiting = self.waiting.as_mut();
                    if let Some(current) = waiting.and_then(VecDeque::front_mut) {
                        current.refinements.push(shapes);
                    }
                }
                Search::Postponed => self.postpone(),
                Search::GivenUp => {
                    self.forget_cubes();
                    self.looked_at = 0;
                    self.waiting.as_mut().and_then(VecDeque::pop_front);
                }
            }
        }
    }
}

impl Reachability {
    /// Begins, with predicates that are added where they are missing, or without.
    pub fn new(is_refined: bool) -> Reachability {
        Reachability {
            is_refined,
            ..Reachability::default()
        }
    }

    /// Blocks one cube, or asks for one that is to be blocked.
    fn search(
        &mut self,
        formulas: &mut Formulas<'_>,
        goals: &mut Goals,
        current: &Waiting,
    ) -> Search {
        let Some(frames) = &mut self.frames else {
            return Search::GivenUp;
        };
        let Some(obligation) = self.open.pop() else {
            return match bad_state(frames, formulas, goals, current.goal) {
                Ok(None) => Search::Blocked,
                Err(()) => Search::GivenUp,
                Ok(Some((passage, cube))) => {
                    self.open.push(Obligation {
                        level: frames.last,
                        distance: 0,
                        cut: passage.cut,
                        cube,
                        way: self.ways.len(),
                    });
                    self.ways.push(Step {
                        passage,
                        next: None,
                    });
                    Search::Working
                }
            };
        };
        self.looked_at += 1;
        let Obligation {
            level,
            distance,
            cut,
            ref cube,
            way,
        } = obligation;
        if cut == formulas.model.cuts.start() {
            return self.refine(formulas, goals, current, way);
        }
        if self.looked_at > current.cubes {
            return Search::Postponed;
        }
        if frames.excludes(cut, level, cube) {
            return Search::Working;
        }
        match frames.before(formulas, &goals.invariants, (cut, level), cube) {
            Before::Unknown => return Search::GivenUp,
            Before::Passage(passage, before) => {
                self.open.push(Obligation {
                    level: level - 1,
                    distance: distance + 1,
                    cut: passage.cut,
                    cube: before,
                    way: self.ways.len(),
                });
                self.ways.push(Step {
                    passage,
                    next: Some(way),
                });
                self.open.push(obligation);
            }
            Before::Nothing(needed) => {
                let lemma = generalised(frames, formulas, goals, (cut, level), needed);
                let next = lemma.level + 1;
                frames.add(formulas, cut, lemma);
                if next <= frames.last {
                    self.open.push(Obligation {
                        level: next,
                        ..obligation
                    });
                }
            }
        }
        Search::Working
    }

    /// Adds predicates that exclude a way from the start to the goal.
    fn refine(
        &mut self,
        formulas: &mut Formulas<'_>,
        goals: &mut Goals,
        current: &Waiting,
        way: usize,
    ) -> Search {
        let mut passages = Vec::new();
        let mut at = Some(way);
        while let Some(step) = at.and_then(|at| self.ways.get(at)) {
            passages.push(step.passage.clone());
            at = step.next;
        }
        let (Some(frames), Some(last)) = (&mut self.frames, passages.last()) else {
            return Search::GivenUp;
        };
        if !self.is_refined || current.refinements.len() >= MOST_REFINEMENTS {
            return Search::GivenUp;
        }
        let segments = Arc::clone(&formulas.segments);
        let reached = reached(&segments[last.cut], current.goal, formulas, &last.values);
        let start = formulas.model.cuts.start();
        let known = formulas.all_instances(start, &goals.invariants[start]);
        let found = match refine(formulas, &known, &passages, &reached) {
            Refined::Predicates(found) => found,
            Refined::Feasible(_) if !goals.are_inputs_wanted => return Search::GivenUp,
            Refined::Feasible(values) => {
                let guesser = goals.guesser(formulas);
                let script = script(formulas, guesser, &passages, &values);
                let found = script.map(|script| (current.goal, script));
                goals.scripts.extend(found);
                return Search::GivenUp;
            }
            Refined::Unknown => return Search::GivenUp,
        };
        let terms = &mut formulas.arena.terms;
        let shapes = shapes(terms, &found);
        let alike = current.refinements.iter().filter(|&it| *it == shapes);
        if alike.count() >= MOST_ALIKE {
            return Search::GivenUp;
        }
        let new = found
            .into_iter()
            .filter(|&(cut, atom)| frames.add_atom(terms, cut, atom));
        match new.count() {
            0 => Search::GivenUp,
            _ => Search::Refined(shapes),
        }
    }

    /// Goes on with the next goal. The current one has another turn, if it had not its last one.
    fn postpone(&mut self) {
        self.forget_cubes();
        self.looked_at = 0;
        let Some(waiting) = &mut self.waiting else {
            return;
        };
        if let Some(current) = waiting.pop_front()
            && current.cubes < MOST_CUBES
        {
            waiting.push_back(Waiting {
                cubes: 2 * current.cubes,
                ..current
            });
        }
    }

    /// Forgets cubes that are to be blocked, and how they lead to the goal.
    fn forget_cubes(&mut self) {
        self.open.clear();
        self.ways.clear();
    }

    /// Adds a frame, and moves lemmas on. If all lemmas of a frame hold in the next one, they are
    /// invariants.
    fn extend(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) {
        let Some(frames) = &mut self.frames else {
            return;
        };
        frames.last += 1;
        for level in 1..frames.last {
            move_on(frames, formulas, goals, level);
            let mut lemmas = frames.lemmas.iter().flatten();
            if !lemmas.any(|lemma| lemma.level == level) {
                let found = take_above(frames, formulas, level);
                frames.last = level;
                self.check = Some(Houdini::new(goals.invariants.clone(), found));
                return;
            }
        }
    }
}

/// What says that a segment reaches a goal, with these values.
fn reached(
    segment: &Segment,
    goal: CodePlace,
    formulas: &Formulas<'_>,
    values: &Values,
) -> Vec<Term> {
    let terms = &formulas.arena.terms;
    let mut places = segment.places.iter().filter(|it| it.place == goal);
    let place = places.find(|it| terms.holds(it.reach, values));
    place.map_or_else(Vec::new, |place| {
        let checks = segment.passed(&place.checks).map(|(_, holds)| holds);
        [place.reach].into_iter().chain(checks).collect()
    })
}

/// A state of the last frame that leads to a goal within its segment.
fn bad_state(
    frames: &mut Frames,
    formulas: &mut Formulas<'_>,
    goals: &Goals,
    goal: CodePlace,
) -> Result<Option<(Passage, Cube)>, ()> {
    let segments = Arc::clone(&formulas.segments);
    for (cut, segment) in segments.iter_enumerated() {
        for reached in segment.places.iter().filter(|it| it.place == goal) {
            let mut asked = vec![reached.reach];
            asked.extend(segment.passed(&reached.checks).map(|(_, holds)| holds));
            let at = (cut, frames.last);
            let state = frames.state(formulas, &goals.invariants, at, &asked)?;
            if let Some((values, cube)) = state {
                let exit = None;
                return Ok(Some((Passage { cut, exit, values }, cube)));
            }
        }
    }
    Ok(None)
}

/// A lemma of fewer literals than suffice, for as late a frame as it holds in.
fn generalised(
    frames: &mut Frames,
    formulas: &mut Formulas<'_>,
    goals: &Goals,
    (cut, mut level): (CutId, usize),
    mut cube: Cube,
) -> Lemma {
    let mut at = 0;
    for _ in 0..MOST_TRIES {
        if at >= cube.len() || formulas.is_spent() {
            break;
        }
        let mut fewer = cube.clone();
        fewer.remove(at);
        match frames.before(formulas, &goals.invariants, (cut, level), &fewer) {
            Before::Nothing(needed) => cube = needed,
            Before::Passage(..) | Before::Unknown => at += 1,
        }
    }
    while level < frames.last {
        match frames.before(formulas, &goals.invariants, (cut, level + 1), &cube) {
            Before::Nothing(_) => level += 1,
            Before::Passage(..) | Before::Unknown => break,
        }
    }
    Lemma { cube, level }
}

/// Moves the lemmas of a frame on to the next one that hold there.
fn move_on(frames: &mut Frames, formulas: &mut Formulas<'_>, goals: &Goals, level: usize) {
    for cut in formulas.segments.indices() {
        let here = frames.lemmas[cut].iter().filter(|it| it.level == level);
        let cubes: Vec<Cube> = here.map(|lemma| lemma.cube.clone()).collect();
        for cube in cubes {
            let at = (cut, level + 1);
            if let Before::Nothing(_) = frames.before(formulas, &goals.invariants, at, &cube) {
                let level = level + 1;
                frames.add(formulas, cut, Lemma { cube, level });
            }
        }
    }
}

/// Takes the lemmas of frames behind a level out, as terms.
fn take_above(frames: &mut Frames, formulas: &mut Formulas<'_>, level: usize) -> Invariants {
    let mut found: Invariants = frames.lemmas.iter().map(|_| Vec::new()).collect();
    for (cut, found) in found.iter_mut_enumerated() {
        let lemmas = std::mem::take(&mut frames.lemmas[cut]).into_iter();
        let (above, rest): (Vec<Lemma>, Vec<Lemma>) = lemmas.partition(|lemma| lemma.level > level);
        frames.lemmas[cut] = rest;
        let clauses = above
            .iter()
            .map(|lemma| frames.clause(formulas, cut, &lemma.cube));
        found.extend(clauses);
    }
    found
}
