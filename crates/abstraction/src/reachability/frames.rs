//! Over-approximations of the states that few segments lead to, as clauses over predicates.
//!
//! Frame n at a cut holds all states that at most n segments from the start lead to. It consists of
//! the clauses of level n and of higher levels, beside the invariants that are known.

use std::sync::Arc;

use expr::{Model as Values, Term, Terms};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use solver::{Answer, Sat};

use crate::formulas::{Formulas, Invariants, LARGEST};
use crate::graph::cuts::CutId;
use crate::reachability::refinement::Passage;

/// How many invariants that a model breaks are added at a time.
const MOST_BROKEN: usize = 4;

/// How many predicates a cut has at most.
const MOST_ATOMS: usize = 250;

/// A predicate of a cut, by its number, or its negation.
pub type Literal = (usize, bool);

/// Predicates of a cut that all hold.
pub type Cube = Vec<Literal>;

/// A cube that no state of a frame is in.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// The cube.
    pub cube: Cube,
    /// The last frame without such a state.
    pub level: usize,
}

/// What precedes a cube.
pub enum Before {
    /// No state does, by these literals of the cube.
    Nothing(Cube),
    /// The start, or a state of a cut that is in a cube of all its predicates.
    Passage(Passage, Cube),
    /// The solver does not tell.
    Unknown,
}

/// The frames of all cuts.
pub struct Frames {
    /// The predicates of each cut.
    pub atoms: IndexVec<CutId, Vec<Term>>,
    /// The lemmas of each cut.
    pub lemmas: IndexVec<CutId, Vec<Lemma>>,
    /// The number of the last frame.
    pub last: usize,
    /// That all lemmas of a level and of higher levels hold, by the level.
    above: IndexVec<CutId, Vec<Term>>,
    /// The invariants of each cut that models broke.
    needed: IndexVec<CutId, Vec<Term>>,
    /// A solver for each cut: what others ask would make it slow.
    solvers: IndexVec<CutId, Sat>,
    /// Predicates behind an exit, over the state at its segment's start.
    behind: FxHashMap<(CutId, usize, usize), Option<Term>>,
}

impl Frames {
    /// The first frame, of which nothing is known but by invariants.
    pub fn new(formulas: &Formulas<'_>, atoms: IndexVec<CutId, Vec<Term>>) -> Frames {
        Frames {
            solvers: atoms.iter().map(|_| formulas.solver()).collect(),
            lemmas: atoms.iter().map(|_| Vec::new()).collect(),
            above: atoms.iter().map(|_| Vec::new()).collect(),
            needed: atoms.iter().map(|_| Vec::new()).collect(),
            atoms,
            last: 1,
            behind: FxHashMap::default(),
        }
    }

    /// Whether a lemma says that no state of a frame is in a cube.
    pub fn excludes(&self, cut: CutId, level: usize, cube: &Cube) -> bool {
        let mut lemmas = self.lemmas[cut].iter();
        lemmas.any(|lemma| {
            lemma.level >= level && lemma.cube.iter().all(|literal| cube.contains(literal))
        })
    }

    /// Adds a predicate to a cut. Returns whether it is a new one.
    pub fn add_atom(&mut self, terms: &mut Terms, cut: CutId, atom: Term) -> bool {
        let opposite = terms.bool_not(atom);
        let known = &mut self.atoms[cut];
        let is_new =
            known.len() < MOST_ATOMS && !known.contains(&atom) && !known.contains(&opposite);
        if is_new {
            known.push(atom);
        }
        is_new
    }

    /// Adds a lemma, in place of those that it implies.
    pub fn add(&mut self, formulas: &mut Formulas<'_>, cut: CutId, lemma: Lemma) {
        let clause = self.clause(formulas, cut, &lemma.cube);
        let terms = &mut formulas.arena.terms;
        let above = &mut self.above[cut];
        while above.len() <= lemma.level {
            above.push(terms.bool(true));
        }
        for all in &mut above[1..=lemma.level] {
            *all = terms.bool_and(*all, clause);
        }
        self.lemmas[cut].retain(|old| {
            old.level > lemma.level || !lemma.cube.iter().all(|it| old.cube.contains(it))
        });
        self.lemmas[cut].push(lemma);
    }

    /// What a literal means at its cut.
    fn literal(&self, formulas: &mut Formulas<'_>, cut: CutId, (atom, holds): Literal) -> Term {
        let term = self.atoms[cut][atom];
        match holds {
            true => term,
            false => formulas.arena.terms.bool_not(term),
        }
    }

    /// That a state at a cut is in no such cube.
    pub fn clause(&self, formulas: &mut Formulas<'_>, cut: CutId, cube: &Cube) -> Term {
        let none = formulas.arena.terms.bool(false);
        cube.iter().fold(none, |any, &(atom, holds)| {
            let other = self.literal(formulas, cut, (atom, !holds));
            formulas.arena.terms.bool_or(any, other)
        })
    }

    /// What holds of the states of a frame at a cut, as far as it was needed so far.
    fn frame(&mut self, cut: CutId, level: usize) -> Vec<Term> {
        let above = self.above[cut].get(level).copied();
        self.needed[cut].iter().copied().chain(above).collect()
    }

    /// Asks for a state of a frame at a cut from which a segment goes as some terms say. Invariants
    /// count once a model breaks them: most are of no use, and make queries slow.
    fn ask(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        (cut, level): (CutId, usize),
        others: &[Term],
    ) -> Answer {
        loop {
            let mut asked = self.frame(cut, level);
            let first = asked.len();
            asked.extend(others);
            let values = match formulas.check_by(&mut self.solvers[cut], &asked) {
                Answer::Sat(values) => values,
                Answer::Unsat(core) => {
                    let others = core.into_iter().filter_map(|at| at.checked_sub(first));
                    return Answer::Unsat(others.collect());
                }
                unknown => return unknown,
            };
            let known = formulas.all_instances(cut, &invariants[cut]);
            let mut evaluation = formulas.under(&values);
            let broken = known.iter().filter(|&&it| !evaluation.holds(it));
            let broken: Vec<Term> = broken.take(MOST_BROKEN).copied().collect();
            if broken.is_empty() {
                return Answer::Sat(values);
            }
            self.needed[cut].extend(broken);
        }
    }

    /// A state of a frame at a cut from which a segment goes as some terms say, with the cube of all
    /// predicates that it is in; an error if the solver does not tell.
    pub fn state(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        at: (CutId, usize),
        others: &[Term],
    ) -> Result<Option<(Values, Cube)>, ()> {
        match self.ask(formulas, invariants, at, others) {
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(values) => {
                let cube = self.cube(formulas, at.0, &values);
                Ok(Some((values, cube)))
            }
            Answer::Unknown(_) => Err(()),
        }
    }

    /// The predicates of a cut under a model.
    fn cube(&self, formulas: &mut Formulas<'_>, cut: CutId, values: &Values) -> Cube {
        let mut evaluation = formulas.under(values);
        let atoms = self.atoms[cut].iter().enumerate();
        atoms
            .map(|(number, &atom)| (number, evaluation.holds(atom)))
            .collect()
    }

    /// A predicate of the cut behind an exit, over the state where its segment starts.
    fn behind(
        &mut self,
        formulas: &mut Formulas<'_>,
        (from, exit): (CutId, usize),
        atom: usize,
    ) -> Option<Term> {
        if let Some(&known) = self.behind.get(&(from, exit, atom)) {
            return known;
        }
        let segments = Arc::clone(&formulas.segments);
        let exit_data = &segments[from].exits[exit];
        let term = self.atoms[exit_data.to][atom];
        let mut substitution = formulas.substitution(exit_data);
        let found = substitution.apply(&mut formulas.arena.terms, term, LARGEST);
        self.behind.insert((from, exit, atom), found);
        found
    }

    /// What precedes the states of a cube in the frame before a level, by one segment. States in the
    /// cube itself do not count.
    pub fn before(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        (cut, level): (CutId, usize),
        cube: &Cube,
    ) -> Before {
        let segments = Arc::clone(&formulas.segments);
        let start = formulas.model.cuts.start();
        let mut needed = Cube::new();
        for (from, segment) in segments.iter_enumerated() {
            if from != start && level <= 1 {
                continue;
            }
            for (number, exit) in segment.exits.iter().enumerate() {
                if exit.to != cut {
                    continue;
                }
                let taken = formulas.taken(segment, exit);
                let mut asked = vec![formulas.all(&taken)];
                let mut literals = Cube::new();
                for &(atom, holds) in cube {
                    let Some(term) = self.behind(formulas, (from, number), atom) else {
                        continue;
                    };
                    literals.push((atom, holds));
                    asked.push(match holds {
                        true => term,
                        false => formulas.arena.terms.bool_not(term),
                    });
                }
                if from == cut {
                    asked.push(self.clause(formulas, cut, cube));
                }
                match self.ask(formulas, invariants, (from, level - 1), &asked) {
                    Answer::Unsat(core) => {
                        let used = core
                            .into_iter()
                            .filter_map(|at| literals.get(at.checked_sub(1)?));
                        for &literal in used {
                            if !needed.contains(&literal) {
                                needed.push(literal);
                            }
                        }
                    }
                    Answer::Sat(values) => {
                        let cube = self.cube(formulas, from, &values);
                        let passage = Passage {
                            cut: from,
                            exit: Some(number),
                            values,
                        };
                        return Before::Passage(passage, cube);
                    }
                    Answer::Unknown(_) => return Before::Unknown,
                }
            }
        }
        needed.sort_unstable();
        Before::Nothing(needed)
    }
}
