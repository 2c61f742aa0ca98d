//! Whether whoever asks has had enough, so that a hard query does not outlast the time for all of them.

use std::fmt;
use std::rc::Rc;

/// Tells whether to stop. It comes from whoever may ask the system.
#[derive(Clone)]
pub struct Stop(Rc<dyn Fn() -> bool>);

impl Stop {
    /// Asks this, often.
    pub fn when(is_requested: impl Fn() -> bool + 'static) -> Stop {
        Stop(Rc::new(is_requested))
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
