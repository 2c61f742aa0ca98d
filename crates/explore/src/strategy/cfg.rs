//! Search directed by the control-flow graph: the flip that is nearest to an uncovered goal
//! (CREST's CFG-directed search).
//!
//! The distance is counted in branches over the interprocedural graph. It knows nothing of data,
//! so a place may be near a goal and lead there on no path: each attempt from a place that covers
//! nothing new adds to the place's cost, so that places take turns in the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;
use rustc_hash::FxHashMap;

use super::{Place, Run, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// Pending flips by their place in the program.
#[derive(Debug)]
pub(crate) struct ControlFlow {
    places: Vec<Waiting>,
    numbers: FxHashMap<Place, usize>,
    /// The places by their scores; an entry whose score is not its place's any more is of no use.
    queue: BinaryHeap<Reverse<(u32, usize)>>,
    /// The distances that the scores were computed with.
    version: u64,
    random: Rng,
}

/// The pending flips at a place.
#[derive(Debug)]
struct Waiting {
    place: Place,
    flips: Vec<Flip>,
    /// Attempts from here that covered nothing new.
    cost: u32,
    /// From here to the nearest open goal; `None` if no goal needs these flips.
    distance: Option<u32>,
}

impl Waiting {
    fn score(&self) -> Option<u32> {
        let distance = self.distance.filter(|_| !self.flips.is_empty())?;
        Some(distance.saturating_add(self.cost))
    }
}

impl ControlFlow {
    /// With this seed.
    pub fn new(seed: u64) -> Self {
        ControlFlow {
            places: Vec::new(),
            numbers: FxHashMap::default(),
            queue: BinaryHeap::new(),
            version: 0,
            random: Rng::with_seed(seed),
        }
    }

    fn queue(&mut self, number: usize) {
        if let Some(score) = self.places[number].score() {
            self.queue.push(Reverse((score, number)));
        }
    }

    fn add(&mut self, flip: Flip, view: &View<'_>) {
        let place = Place::of(flip, view.tree);
        let places = &mut self.places;
        let number = *self.numbers.entry(place).or_insert_with(|| {
            places.push(Waiting {
                place,
                flips: Vec::new(),
                cost: 0,
                distance: view.targets.distance(place),
            });
            places.len() - 1
        });
        self.places[number].flips.push(flip);
        if self.places[number].flips.len() == 1 {
            self.queue(number);
        }
    }

    /// Computes all scores again after the distances have changed.
    fn refresh(&mut self, view: &View<'_>) {
        if self.version == view.targets.version() {
            return;
        }
        self.version = view.targets.version();
        self.queue.clear();
        for number in 0..self.places.len() {
            let waiting = &mut self.places[number];
            waiting.distance = view.targets.distance(waiting.place);
            self.queue(number);
        }
    }

    fn attempted(&mut self, place: Place, news: bool) {
        if let Some(&number) = self.numbers.get(&place) {
            let waiting = &mut self.places[number];
            waiting.cost = if news { 0 } else { waiting.cost + 1 };
            self.queue(number);
        }
    }
}

impl SearchStrategy for ControlFlow {
    fn executed(&mut self, run: &Run<'_>, view: &View<'_>) {
        self.refresh(view);
        for &flip in run.pending {
            self.add(flip, view);
        }
        if let Some(place) = run.flipped {
            self.attempted(place, run.news > 0);
        }
    }

    fn failed(&mut self, place: Place) {
        self.attempted(place, false);
    }

    fn next(&mut self, view: &View<'_>) -> Option<Flip> {
        self.refresh(view);
        while let Some(Reverse((score, number))) = self.queue.pop() {
            let waiting = &mut self.places[number];
            if waiting.score() != Some(score) {
                continue;
            }
            let chosen = self.random.usize(..waiting.flips.len());
            let flip = waiting.flips.swap_remove(chosen);
            self.queue(number);
            if view.tree.is_pending(flip) {
                return Some(flip);
            }
        }
        None
    }

    fn tidy(&mut self, tree: &PathTree) {
        for waiting in &mut self.places {
            waiting.flips.retain(|&flip| tree.is_pending(flip));
        }
    }
}
