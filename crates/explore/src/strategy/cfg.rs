//! Search directed by the control-flow graph: the flip that is nearest to an uncovered goal
//! (CREST's CFG-directed search).
//!
//! The distance is over the interprocedural graph, where a rare edge is long. It does not depend on
//! data, so a place may be near a goal though no path leads from it to the goal: each attempt from
//! a place that reaches nothing new adds to the place's cost, so that places take turns in the end.
//! Short paths are preferred to long ones: of two places that are equally near, the one with fewer
//! choices before it is tried more often.

use super::places::{Places, Standing};

/// The branches of distance that count as much as half the choices on a path.
const HALF: u32 = 8;

/// The nearest place first.
pub(crate) fn control_flow(seed: u64) -> Places {
    let score = |standing: Standing| {
        let near = standing.distance.saturating_add(standing.failures);
        near.saturating_add(in_halves(standing.depth, HALF))
    };
    Places::new(score, seed)
}

/// The binary logarithm of a number and one, in as many steps to each whole, roughly.
fn in_halves(number: u32, steps: u32) -> u32 {
    let number = u64::from(number) + 1;
    let whole = number.ilog2();
    let rest = (number * u64::from(steps)) >> whole;
    whole * steps + (rest as u32 - steps)
}
