//! The pointers to nodes and objects of the heap that memory holds: in locals and on the heap.
//!
//! ```text
//! list.first = node      the cell at the offset of `first` leads to the class of node
//! list.count = 3         bytes that are no cell
//! copy = list            all bytes of copy are no cells
//! ```
//!
//! A cell is read and written as a whole, as a pointer, by code that is known. All other bytes may hold
//! the address of anything but of a node.

use std::collections::{BTreeMap, BTreeSet};

use crate::extents::Extent;
use crate::objects::Object;
use crate::targets::Leads;

/// The cells.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The size of a pointer in bytes.
    size: u64,
    /// What is written to each, by the object and the first byte.
    held: BTreeMap<(Object, u64), Leads>,
    /// The bytes that are written in another way.
    others: BTreeMap<Object, BTreeSet<(u64, u64)>>,
    /// The bytes that become zero together.
    zeros: BTreeMap<Object, BTreeSet<(u64, u64)>>,
    /// The objects that code changes which is not known.
    open: BTreeSet<Object>,
}

impl Cells {
    /// None yet, for pointers of a size in bytes; some objects are changed by unknown code.
    pub fn new(size: u64, open: BTreeSet<Object>) -> Cells {
        Cells {
            size,
            open,
            ..Cells::default()
        }
    }

    /// Whether an object may have cells.
    fn is_closed(&self, object: Object) -> bool {
        let may_have_cells = matches!(
            object,
            Object::Local(..) | Object::Nodes(_) | Object::Heap(_)
        );
        may_have_cells && !self.open.contains(&object)
    }

    /// Whether an extent, which holds a pointer, is all of a cell.
    fn is_cell(&self, extent: &Extent) -> bool {
        extent.is_exact && extent.end.saturating_sub(extent.first) == self.size
    }

    /// Where the pointer in an extent leads.
    pub fn leads(&self, extent: &Extent) -> Leads {
        let Extent {
            object, first, end, ..
        } = *extent;
        if !self.is_cell(extent) || !self.is_closed(object) {
            return Leads::Anywhere;
        }
        let meets = |&&(from, to): &&(u64, u64)| from < end && first < to;
        let cuts = |&(from, to): &(u64, u64)| from > first || to < end;
        let mut others = self.others.get(&object).into_iter().flatten();
        let zeros = self.zeros.get(&object).into_iter().flatten();
        let mut zeros = zeros.filter(meets);
        let mut near = self.near(object, first, end);
        let is_broken =
            others.any(|it| meets(&it)) || zeros.any(cuts) || near.any(|(at, _)| at != first);
        match is_broken {
            true => Leads::Anywhere,
            false => self.written(object, first),
        }
    }

    /// The cells that some bytes meet.
    fn near(&self, object: Object, first: u64, end: u64) -> impl Iterator<Item = (u64, Leads)> {
        let from = (object, first.saturating_sub(self.size.saturating_sub(1)));
        let met = self.held.range(from..(object, end));
        met.map(|(&(_, at), &leads)| (at, leads))
    }

    /// What is written to the cell at a byte, as a whole.
    pub fn written(&self, object: Object, first: u64) -> Leads {
        let held = self.held.get(&(object, first)).copied();
        held.unwrap_or(Leads::Nowhere)
    }

    /// Sets what is written to the cell at a byte. Returns whether that is new.
    pub fn write(&mut self, object: Object, first: u64, leads: Leads) -> bool {
        self.held.insert((object, first), leads) != Some(leads)
    }

    /// Adds bytes that are written otherwise. Returns whether they are new.
    pub fn blur(&mut self, extent: &Extent) -> bool {
        let others = self.others.entry(extent.object).or_default();
        others.insert((extent.first, extent.end))
    }

    /// Adds bytes that become zero. Returns whether they are new.
    pub fn clear(&mut self, extent: &Extent) -> bool {
        let zeros = self.zeros.entry(extent.object).or_default();
        zeros.insert((extent.first, extent.end))
    }

    /// The objects that pointers in an extent lead to.
    pub fn inside(&self, extent: &Extent) -> impl Iterator<Item = Object> {
        let near = self.near(extent.object, extent.first, extent.end);
        near.filter_map(|(_, leads)| match leads {
            Leads::Into(object, _) => Some(object),
            Leads::Nowhere | Leads::Anywhere => None,
        })
    }
}
