//! Pointers that are made from numbers which depend on addresses.
//!
//! A number that depends on addresses in ways that are not followed has no object. What it points
//! to is told by its bits, and holds for where objects lie in this execution only.

use ir::test::LossKind;

use crate::run::Run;
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// The pointer that a conversion makes of a number which depends on addresses.
    pub fn pointer_again(&mut self, bits: u128) -> Value {
        let address = u64::try_from(bits).ok();
        self.lose(
            LossKind::AddressDependence,
            "a pointer is made from a number that depends on addresses",
        );
        match address.and_then(|address| self.state.memory.find(address)) {
            Some(id) => Value {
                bits,
                shadow: Shadow::Pointer(id, None),
            },
            None => Value::tainted(bits),
        }
    }
}
