//! The place first from where least was tried in vain: what is new is followed up at once, and no
//! part of the program is tried over and over while another waits.

use super::places::{Places, Standing};

/// The place with the fewest failures first.
pub(crate) fn rarest() -> Places {
    Places::new(|standing: Standing| standing.failures)
}
