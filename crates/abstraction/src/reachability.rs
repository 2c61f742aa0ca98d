//! Property-directed reachability over the predicates of cuts (Bradley 2011, "SAT-based model
//! checking without unrolling"; Cimatti, Griggio, Mover, Tonetta 2014, "IC3 modulo theories via
//! implicit predicate abstraction").
//!
//! ```text
//! for each open goal:
//!     repeat:
//!         while some state of the last frame leads to the goal within its segment:
//!             block the cube of predicates that the state is in, and before it, in the frames
//!             before, the cubes that lead to it; if the start leads there, give the goal up
//!         move lemmas on to later frames where they hold, too
//!         // no lemma is left behind in a frame: it is the next one, so it is inductive
//!         if such a frame is found: its lemmas are invariants; try what they exclude
//!         add a frame
//! ```
//!
//! Frames do not depend on the goal, so that each goal goes on with those of the others. A goal that
//! is given up may be unreachable nevertheless: the predicates do not show it.

use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::cuts::CutId;
use crate::exclusion::Exclusion;
use crate::formulas::{Formulas, Invariants};
use crate::frames::{Before, Cube, Frames, Lemma};
use crate::houdini::Houdini;
use crate::prover::{Goals, Progress, Prover};
use crate::segment::CodePlace;

/// How many frames there are at most.
const MOST_FRAMES: usize = 40;

/// How many cubes are looked at for one goal.
const MOST_CUBES: usize = 1_500;

/// How many literals of a cube are tried to be left out.
const MOST_TRIES: usize = 12;

/// See the module.
#[derive(Default)]
pub(crate) struct Reachability {
    frames: Option<Frames>,
    /// The goals to be tried, the next one last, once it has begun.
    waiting: Option<Vec<CodePlace>>,
    /// The cubes to be blocked for the current goal.
    open: BinaryHeap<Obligation>,
    /// How many were looked at.
    looked_at: usize,
    /// What proves the lemmas of a frame that seem to be inductive.
    check: Option<Houdini>,
    /// What tries the goals that new invariants may exclude.
    exclusion: Option<Exclusion>,
}

/// A cube that a frame is to have no state of. Those of the first frames come first.
#[derive(PartialEq, Eq)]
struct Obligation {
    level: usize,
    /// How many segments lead from it to the goal.
    distance: usize,
    cut: CutId,
    cube: Cube,
}

impl Ord for Obligation {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |it: &Self| (std::cmp::Reverse(it.level), it.distance);
        let by_place = || (self.cut, &self.cube).cmp(&(other.cut, &other.cube));
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
    /// It cannot be proved.
    GivenUp,
}

impl Prover for Reachability {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        loop {
            if formulas.is_spent() {
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
            let frames = self
                .frames
                .get_or_insert_with(|| Frames::new(goals.guesser(formulas).atoms(formulas)));
            let waiting = self.waiting.get_or_insert_with(|| goals.open.clone());
            let Some(&goal) = waiting.last() else {
                return Progress::Finished;
            };
            let is_over = !goals.open.contains(&goal) || frames.last > MOST_FRAMES;
            let search = match is_over {
                true => Search::GivenUp,
                false => self.search(formulas, goals, goal),
            };
            match search {
                Search::Working => {}
                Search::Blocked => self.extend(formulas, goals),
                Search::GivenUp => {
                    self.open.clear();
                    self.looked_at = 0;
                    self.waiting.as_mut().and_then(Vec::pop);
                }
            }
        }
    }
}

impl Reachability {
    /// Blocks one cube, or asks for one that is to be blocked.
    fn search(&mut self, formulas: &mut Formulas<'_>, goals: &Goals, goal: CodePlace) -> Search {
        let Some(frames) = &mut self.frames else {
            return Search::GivenUp;
        };
        let Some(obligation) = self.open.pop() else {
            return match bad_state(frames, formulas, goals, goal) {
                Ok(None) => Search::Blocked,
                Err(()) => Search::GivenUp,
                Ok(Some((cut, cube))) => {
                    self.open.push(Obligation {
                        level: frames.last,
                        distance: 0,
                        cut,
                        cube,
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
        } = obligation;
        let is_start = cut == formulas.model.cuts.start();
        if is_start || self.looked_at > MOST_CUBES {
            return Search::GivenUp;
        }
        if frames.excludes(cut, level, cube) {
            return Search::Working;
        }
        match frames.before(formulas, &goals.invariants, (cut, level), cube) {
            Before::Start => return Search::GivenUp,
            Before::State(from, before) => {
                self.open.push(Obligation {
                    level: level - 1,
                    distance: distance + 1,
                    cut: from,
                    cube: before,
                });
                self.open.push(obligation);
            }
            Before::Nothing(needed) => {
                let lemma = generalised(frames, formulas, goals, (cut, level), needed);
                let next = lemma.level + 1;
                frames.add(cut, lemma);
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

/// A state of the last frame that leads to a goal within its segment.
fn bad_state(
    frames: &mut Frames,
    formulas: &mut Formulas<'_>,
    goals: &Goals,
    goal: CodePlace,
) -> Result<Option<(CutId, Cube)>, ()> {
    let segments = Arc::clone(&formulas.segments);
    for (cut, segment) in segments.iter_enumerated() {
        for reached in segment.places.iter().filter(|it| it.place == goal) {
            let mut asked = vec![reached.reach];
            asked.extend(segment.passed(&reached.checks).map(|(_, holds)| holds));
            let at = (cut, frames.last);
            if let Some(cube) = frames.state(formulas, &goals.invariants, at, &asked)? {
                return Ok(Some((cut, cube)));
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
            Before::Start | Before::State(..) => at += 1,
        }
    }
    while level < frames.last {
        match frames.before(formulas, &goals.invariants, (cut, level + 1), &cube) {
            Before::Nothing(_) => level += 1,
            Before::Start | Before::State(..) => break,
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
                frames.add(cut, Lemma { cube, level });
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
