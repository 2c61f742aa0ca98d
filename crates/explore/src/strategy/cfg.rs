//! Search directed by the control-flow graph: the flip that is nearest to an uncovered goal
//! (CREST's CFG-directed search).
//!
//! The distance is counted in branches over the interprocedural graph. It knows nothing of data,
//! so a place may be near a goal and lead there on no path: each attempt from a place that comes
//! to nothing new adds to the place's cost, so that places take turns in the end.

use super::places::{Places, Standing};

/// The nearest place first.
pub(crate) fn control_flow() -> Places {
    Places::new(|standing: Standing| standing.distance.saturating_add(standing.failures))
}
