//! The prover that finds all linear equations between locations at the cuts.
//!
//! It computes the least fixed point of the equations modulo `2^w` (see [`crate::relations::affine`]): from
//! below, where solvers give the points (Reps, Sagiv and Yorsh 2004, "Symbolic implementation of
//! the best transformer"; King and Søndergaard 2010, for these equations).
//!
//! ```text
//! equations[cut] := those of the sampled states
//! repeat until nothing is lost:
//!     for each segment from a cut a, each cut b that it leads to, and each of equations[b]:
//!         for each case of the choices in it:
//!             it follows if it is a sum of multiples of equations[a]            linear.rs
//!             else ask the solver for a state that satisfies equations[a] and breaks it:
//!                 equations[b] loses all that do not hold of it
//!                 if the solver gives up, it loses this one
//! try what the rest excludes
//! ```
//!
//! Each model makes the equations fewer: their module has at most `w` times the number of variables
//! steps below it, and in practice one or two for each variable. Locals keep their values when they
//! are not read any more, so that `k == i + j` holds in a later loop that reads `k` only.

pub mod affine;
mod fixpoint;
pub mod phases;
pub mod products;
mod related;

use expr::Term;

use crate::exclusion::Exclusion;
use crate::formulas::Formulas;
use crate::prover::{Goals, Progress, Prover};
use crate::relations::fixpoint::Fixpoint;
use crate::relations::phases::Split;

/// How large coefficients of locations may be, or their distance to 0 modulo `2^w`: larger ones cost
/// more than they ever proved.
const LARGEST_COEFFICIENT: u128 = 1 << 16;

/// What equations are about.
struct Shape {
    /// The states that are looked at apart.
    split: Split,
    /// Products of locations that take part like these.
    products: Vec<Term>,
    /// How large coefficients may be, or their distance to 0 modulo `2^w`.
    largest_coefficient: u128,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            split: Split::default(),
            products: Vec::new(),
            largest_coefficient: LARGEST_COEFFICIENT,
        }
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct Relations {
    round: Option<Round>,
}

impl Prover for Relations {
    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        let round = &mut self.round;
        let round = round.get_or_insert_with(|| Round::new(formulas, goals, &Shape::default()));
        round.step(formulas, goals)
    }
}

/// A search for equations, and for what they exclude.
struct Round {
    stage: Stage,
    /// Whether it has found equations that were not known.
    has_found: bool,
}

enum Stage {
    /// Equations are lost.
    Losing(Fixpoint),
    /// It tries what is known excludes.
    Excluding(Exclusion),
}

impl Round {
    fn new(formulas: &mut Formulas<'_>, goals: &mut Goals, shape: &Shape) -> Round {
        let guesser = goals.guesser(formulas);
        Round {
            stage: Stage::Losing(Fixpoint::new(formulas, guesser, shape)),
            has_found: false,
        }
    }

    fn step(&mut self, formulas: &mut Formulas<'_>, goals: &mut Goals) -> Progress {
        if let Stage::Losing(losing) = &mut self.stage {
            if losing.step(formulas, &goals.invariants) == Progress::Working {
                return Progress::Working;
            }
            let found = losing.found(formulas);
            let guesser = goals.guesser(formulas);
            guesser.relate(&formulas.arena.terms, &found);
            self.has_found = goals.learn(found);
            self.stage = Stage::Excluding(Exclusion::default());
        }
        match &mut self.stage {
            Stage::Excluding(exclusion) => exclusion.step(formulas, goals),
            Stage::Losing(_) => Progress::Working,
        }
    }
}
