//! Pending flips by their place in the program: of the many flips at one place, on as many paths,
//! few need to be tried, so the search chooses among places.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;
use rustc_hash::FxHashMap;

use super::{BranchSite, JoinedRun, SearchStrategy, View};
use crate::path_tree::{Flip, PathTree};

/// A queue of places, the lowest score first.
#[derive(Debug)]
pub(crate) struct Places {
    score: fn(Standing) -> u32,
    places: Vec<Waiting>,
    numbers: FxHashMap<BranchSite, usize>,
    /// The places by their scores; an entry with an outdated score of its place is skipped.
    queue: BinaryHeap<(Reverse<u32>, usize)>,
    /// The distances that the scores were computed with.
    version: u64,
    /// The place of the flip that was handed out last.
    tried: Option<BranchSite>,
    random: Rng,
}

/// The values that the score of a place depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Branches from here to the nearest open goal.
    pub distance: u32,
    /// Attempts from here since one last reached new places or code.
    pub failures: u32,
    /// Choices of the input before the first flip that was met here.
    pub depth: u32,
}

/// The pending flips at a place.
#[derive(Debug)]
struct Waiting {
    place: BranchSite,
    flips: Vec<Flip>,
    failures: u32,
    depth: u32,
    /// Branches from here to the nearest open goal; `None` if no goal needs these flips.
    distance: Option<u32>,
}

impl Waiting {
    fn standing(&self) -> Option<Standing> {
        let distance = self.distance.filter(|_| !self.flips.is_empty())?;
        Some(Standing {
            distance,
            failures: self.failures,
            depth: self.depth,
        })
    }
}

impl Places {
    /// A queue with this score. The order of the flips at a place is random.
    pub fn new(score: fn(Standing) -> u32, seed: u64) -> Self {
        Places {
            score,
            places: Vec::new(),
            numbers: FxHashMap::default(),
            queue: BinaryHeap::new(),
            version: 0,
            tried: None,
            random: Rng::with_seed(seed),
        }
    }

    /// Records an attempt from a place, and whether it found anything new. Attempts of other
    /// strategies count little: they may all go the same way.
    fn attempted(&mut self, place: BranchSite, found: bool) {
        if self.tried.take_if(|tried| *tried == place).is_none() {
            return;
        }
        if let Some(&number) = self.numbers.get(&place) {
            let waiting = &mut self.places[number];
            waiting.failures = if found { 0 } else { waiting.failures + 1 };
            self.enqueue(number);
        }
    }

    fn add(&mut self, flip: Flip, view: &View<'_>) {
        let place = BranchSite::of(flip, view.tree);
        let places = &mut self.places;
        let number = *self.numbers.entry(place).or_insert_with(|| {
            places.push(Waiting {
                place,
                flips: Vec::new(),
                failures: 0,
                depth: view.tree.node(flip.node).depth,
                distance: view.open_goals.distance(place),
            });
            places.len() - 1
        });
        self.places[number].flips.push(flip);
        if self.places[number].flips.len() == 1 {
            self.enqueue(number);
        }
    }

    fn enqueue(&mut self, number: usize) {
        if let Some(standing) = self.places[number].standing() {
            self.queue.push((Reverse((self.score)(standing)), number));
        }
    }

    /// Computes all scores again after the distances have changed.
    fn refresh(&mut self, view: &View<'_>) {
        if self.version == view.open_goals.version() {
            return;
        }
        self.version = view.open_goals.version();
        self.queue.clear();
        for number in 0..self.places.len() {
            let waiting = &mut self.places[number];
            waiting.distance = view.open_goals.distance(waiting.place);
            self.enqueue(number);
        }
    }
}

impl SearchStrategy for Places {
    fn executed(&mut self, run: &JoinedRun<'_>, view: &View<'_>) {
        self.refresh(view);
        let known = self.places.len();
        for &flip in run.pending {
            self.add(flip, view);
        }
        if let Some(place) = run.flipped {
            let found = run.news > 0 || self.places.len() > known;
            self.attempted(place, found);
        }
    }

    fn failed(&mut self, place: BranchSite) {
        self.attempted(place, false);
    }

    fn next(&mut self, view: &View<'_>) -> Option<Flip> {
        self.refresh(view);
        while let Some((Reverse(score), number)) = self.queue.pop() {
            let waiting = &mut self.places[number];
            if waiting.standing().map(self.score) != Some(score) {
                continue;
            }
            let chosen = self.random.usize(..waiting.flips.len());
            let flip = waiting.flips.swap_remove(chosen);
            self.tried = Some(waiting.place);
            self.enqueue(number);
            return Some(flip);
        }
        None
    }

    fn evict(&mut self, tree: &PathTree) {
        for waiting in &mut self.places {
            waiting.flips.retain(|&flip| tree.is_pending(flip));
        }
    }
}
