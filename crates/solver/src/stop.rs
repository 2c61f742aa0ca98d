//! The request to stop, so that a hard query does not outlast the time for all of them.

use std::fmt;
use std::sync::Arc;

/// Returns whether to stop. The caller, who may ask the system, provides it.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// Asks this, often.
    pub fn when(is_requested: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(is_requested))
    }

    /// Whether to stop.
    pub fn is_requested(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}
