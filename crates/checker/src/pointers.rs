//! Where pointers lead, and what escapes: each is found by the other.
//!
//! ```text
//! each call that allocates memory has a class of nodes of its own
//! repeat until nothing changes:
//!     find where pointers lead
//!     unite classes of which one pointer leads to both
//!     leave out the classes whose nodes escape; what unknown code changes may hold any pointer
//! ```

use std::collections::BTreeSet;

use crate::escapes::{Escapes, escapes};
use crate::objects::Object;
use crate::sites::Sites;
use crate::targets::Targets;
use crate::unfolding::Unfolding;

/// Where pointers lead, and the objects that unknown pointers may lead to.
pub fn pointers(unfolding: &Unfolding<'_>, mut sites: Sites) -> (Targets, BTreeSet<Object>) {
    let mut open = BTreeSet::new();
    loop {
        let targets = Targets::new(unfolding, &sites, &open);
        if !targets.meetings.is_empty() {
            sites.unite(&targets.meetings);
            continue;
        }
        let Escapes { escaped, opened } = escapes(unfolding, &targets);
        let before = (sites.len(), open.len());
        sites.leave_out(&escaped);
        open.extend(escaped.iter().chain(&opened).copied());
        if (sites.len(), open.len()) == before {
            return (targets, escaped);
        }
    }
}
