//! What the search hands to lazy expansion, beside what that knows itself.

use expr::Terms;
use ir::input::InputSpace;

use crate::strategy::View;

/// What the search has at hand.
pub(crate) struct Surroundings<'a> {
    pub space: &'a mut InputSpace,
    pub terms: &'a mut Terms,
    pub view: View<'a>,
}
