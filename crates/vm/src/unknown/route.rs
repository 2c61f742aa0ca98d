//! How a call of a function without a body reaches an object.

use ir::input::{AccessPath, AccessStart};

/// The route of a call to an object.
#[derive(Clone)]
pub(super) struct Route {
    /// The name of the object: the route without the offsets that inputs decide. Offsets of
    /// pointers that were moved by an input are 0 there, so that the name is the same wherever they
    /// point to in the object.
    pub name: AccessPath,
    /// The offsets in this execution.
    pub offsets: Vec<i64>,
}

impl Route {
    /// The route to an object where routes begin.
    pub fn to(start: AccessStart) -> Route {
        Route {
            name: AccessPath {
                start,
                offsets: vec![0],
            },
            offsets: vec![0],
        }
    }

    /// The route to the object that the pointer at an offset leads to, which points `inside` bytes
    /// after where the cells of the object are counted from, by an input or always.
    pub fn through(&self, at: i64, inside: i64, is_moved: bool) -> Option<Route> {
        let mut route = self.clone();
        let named = route.name.offsets.last_mut()?;
        *named = named.wrapping_add(at);
        let here = route.offsets.last_mut()?;
        *here = here.wrapping_add(at);
        let back = inside.wrapping_neg();
        route.name.offsets.push(if is_moved { 0 } else { back });
        route.offsets.push(back);
        Some(route)
    }

    /// The offsets in this execution, if they are not those of the name.
    pub fn moved(&self) -> Option<Vec<i64>> {
        (self.offsets != self.name.offsets).then(|| self.offsets.clone())
    }
}
