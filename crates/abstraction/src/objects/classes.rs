//! The classes of nodes on the heap: calls that allocate, joined where one pointer may lead to the nodes
//! of several.

use std::collections::{BTreeMap, BTreeSet};

use ir::Terminator;

use crate::graph::unfolding::{Point, Unfolding};
use crate::objects::allocations::{allocated_size, heap_call};
use crate::objects::places::{Nodes, Object};

/// The classes.
pub struct Classes {
    /// The class and the size of what each call allocates.
    sites: BTreeMap<Point, (u32, u64)>,
}

impl Classes {
    /// A class for each call that allocates a number of bytes which is known.
    pub fn new(unfolding: &Unfolding<'_>) -> Classes {
        let mut sites = BTreeMap::new();
        for (context, data) in unfolding.contexts() {
            for (block, code) in data.body.blocks.iter_enumerated() {
                let Terminator::Call {
                    callee, arguments, ..
                } = &code.terminator
                else {
                    continue;
                };
                let call = heap_call(unfolding.program(), callee, arguments);
                let size = call.and_then(|call| allocated_size(unfolding, context, call));
                let point = unfolding.point(context, block);
                if let Some(size) = size
                    && unfolding.entered(point).is_none()
                {
                    sites.insert(point, (point.raw(), size));
                }
            }
        }
        Classes { sites }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The class of what each call allocates.
    pub fn known(&self) -> BTreeMap<Point, Nodes> {
        let sizes = |class: u32| {
            let all = self.sites.values().filter(move |(of, _)| *of == class);
            all.map(|&(_, size)| size)
        };
        let known = self.sites.iter().map(|(&point, &(class, _))| {
            let size = sizes(class).min().unwrap_or(0);
            (point, Nodes { class, size })
        });
        known.collect()
    }

    /// Joins pairs of classes. Returns whether there were any.
    pub fn join(&mut self, pairs: &BTreeSet<(u32, u32)>) -> bool {
        // Of a class that is joined with another first, the number is out of date.
        let Some(&(kept, joined)) = pairs.first() else {
            return false;
        };
        for (class, _) in self.sites.values_mut() {
            if *class == joined {
                *class = kept;
            }
        }
        true
    }

    /// Leaves out classes of which the nodes escape. Returns whether there were any.
    pub fn leave_out(&mut self, escaped: &BTreeSet<Object>) -> bool {
        let before = self.sites.len();
        self.sites.retain(|_, &mut (class, _)| {
            let mut all = escaped.iter();
            !all.any(|object| matches!(object, Object::Nodes(nodes) if nodes.class == class))
        });
        self.sites.len() < before
    }
}
