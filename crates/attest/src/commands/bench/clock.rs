//! How long a search took: on the wall, and on the processor, which is the fairer figure where the
//! machine has other work too.

use std::time::Instant;

/// A clock that runs.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    processor: Option<u64>,
}

impl Clock {
    /// Starts the clock of this thread.
    pub fn start() -> Clock {
        Clock {
            started: Instant::now(),
            processor: processor_nanoseconds(),
        }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds of this thread on a processor since the start, where the system tells.
    pub fn processor_seconds(&self) -> Option<f64> {
        let spent = processor_nanoseconds()?.checked_sub(self.processor?)?;
        Some(spent as f64 / 1e9)
    }
}

/// How long this thread has been on a processor.
fn processor_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
