//! The parts of the search that lazy expansion uses, beside its own state.

use expr::Terms;
use ir::input::InputSpace;

use crate::strategy::View;

/// The parts of the search that it uses.
pub(crate) struct Surroundings<'a> {
    pub space: &'a mut InputSpace,
    pub terms: &'a mut Terms,
    pub view: View<'a>,
}
