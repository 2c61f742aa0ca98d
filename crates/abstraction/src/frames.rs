//! Over-approximations of the states that few segments lead to, as clauses over predicates.
//!
//! Frame n at a cut holds all states that at most n segments from the start lead to. It consists of
//! the clauses of level n and of higher levels, beside the invariants that are known.

use std::sync::Arc;

use expr::{Evaluator, Model as Values, Term};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use solver::Answer;

use crate::cuts::CutId;
use crate::formulas::{Formulas, Invariants, LARGEST};

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
    /// The start, or a state that the solver does not tell.
    Start,
    /// A state of a cut.
    State(CutId, Cube),
}

/// The frames of all cuts.
pub struct Frames {
    /// The predicates of each cut.
    pub atoms: IndexVec<CutId, Vec<Term>>,
    /// The lemmas of each cut.
    pub lemmas: IndexVec<CutId, Vec<Lemma>>,
    /// The number of the last frame.
    pub last: usize,
    /// That all known invariants of a cut hold, with their number.
    known: FxHashMap<CutId, (usize, Term)>,
    /// Predicates behind an exit, over the state at its segment's start.
    behind: FxHashMap<(CutId, usize, usize), Option<Term>>,
}

impl Frames {
    /// The first frame, of which nothing is known but by invariants.
    pub fn new(atoms: IndexVec<CutId, Vec<Term>>) -> Frames {
        Frames {
            lemmas: atoms.iter().map(|_| Vec::new()).collect(),
            atoms,
            last: 1,
            known: FxHashMap::default(),
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

    /// Adds a lemma, in place of those that it implies.
    pub fn add(&mut self, cut: CutId, lemma: Lemma) {
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

    /// That all known invariants of a cut hold.
    fn known(&mut self, formulas: &mut Formulas<'_>, invariants: &Invariants, cut: CutId) -> Term {
        let number = invariants[cut].len();
        match self.known.get(&cut) {
            Some(&(known, term)) if known == number => term,
            _ => {
                let all = formulas.all_instances(cut, &invariants[cut]);
                let term = formulas.all(&all);
                self.known.insert(cut, (number, term));
                term
            }
        }
    }

    /// What holds of the states of a frame at a cut.
    fn frame(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        cut: CutId,
        level: usize,
    ) -> Vec<Term> {
        let mut all = vec![self.known(formulas, invariants, cut)];
        for lemma in self.lemmas[cut].iter().filter(|it| it.level >= level) {
            all.push(self.clause(formulas, cut, &lemma.cube));
        }
        all
    }

    /// A state of a frame at a cut from which a segment goes as some terms say, as a cube of all
    /// predicates; an error if the solver does not tell.
    pub fn state(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
        (cut, level): (CutId, usize),
        others: &[Term],
    ) -> Result<Option<Cube>, ()> {
        let mut asked = self.frame(formulas, invariants, cut, level);
        asked.extend(others);
        match formulas.check(cut, &asked) {
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(values) => Ok(Some(self.cube(formulas, cut, &values))),
            Answer::Unknown(_) => Err(()),
        }
    }

    /// The predicates of a cut under a model.
    fn cube(&self, formulas: &Formulas<'_>, cut: CutId, values: &Values) -> Cube {
        let mut evaluator = Evaluator::default();
        let mut evaluation = evaluator.under(&formulas.arena.terms, values);
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
                let mut asked: Vec<Term> = Vec::new();
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
                asked.extend(formulas.taken(segment, exit));
                asked.extend(self.frame(formulas, invariants, from, level - 1));
                if from == cut {
                    asked.push(self.clause(formulas, cut, cube));
                }
                match formulas.check(from, &asked) {
                    Answer::Unsat(core) => {
                        let used = core.into_iter().filter_map(|at| literals.get(at));
                        for &literal in used {
                            if !needed.contains(&literal) {
                                needed.push(literal);
                            }
                        }
                    }
                    Answer::Sat(_) if from == start => return Before::Start,
                    Answer::Sat(values) => {
                        return Before::State(from, self.cube(formulas, from, &values));
                    }
                    Answer::Unknown(_) => return Before::Start,
                }
            }
        }
        needed.sort_unstable();
        Before::Nothing(needed)
    }
}
