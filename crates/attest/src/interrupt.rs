//! Ctrl-C: the first one asks the search to stop, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of a process that SIGINT ended, as shells report it.
const INTERRUPTED: i32 = 130;

/// Whether the user asked to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to Ctrl-C and its kin from now on. Where that is not possible, Ctrl-C ends the
    /// process as it always does.
    pub fn listen() -> Self {
        let interrupt = Interrupt::default();
        let flag = Arc::clone(&interrupt.0);
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        });
        interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
