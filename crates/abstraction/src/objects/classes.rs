//! What calls allocate: classes of nodes, joined where one pointer may lead to the nodes of several, and
//! objects of which there is one at most.

use std::collections::{BTreeMap, BTreeSet};

use ir::Terminator;

use ir::graph::Graph;

use crate::graph::unfolding::{Point, Unfolding};
use crate::objects::allocations::{HeapCall, allocated_size, heap_call};
use crate::objects::places::{Nodes, Object};

/// The classes.
pub struct Classes {
    /// The class and the size of the nodes that each call allocates.
    sites: BTreeMap<Point, (u32, u64)>,
    /// The calls that allocate an object each.
    heap: BTreeSet<Point>,
    /// The calls that are made once at most.
    once: BTreeSet<Point>,
}

impl Classes {
    /// A class for each call that allocates a number of bytes which is known; an object for each other
    /// one that is made once at most.
    pub fn new(unfolding: &Unfolding<'_>) -> Classes {
        let mut sites = BTreeMap::new();
        let mut once = BTreeSet::new();
        let mut heap = BTreeSet::new();
        for (context, data) in unfolding.contexts() {
            for (block, code) in data.body.blocks.iter_enumerated() {
                let Terminator::Call {
                    callee, arguments, ..
                } = &code.terminator
                else {
                    continue;
                };
                let call = heap_call(unfolding.program(), callee, arguments);
                let call = call.filter(|call| !matches!(call, HeapCall::Free { .. }));
                let point = unfolding.point(context, block);
                let Some(call) = call.filter(|_| unfolding.entered(point).is_none()) else {
                    continue;
                };
                let is_once = !is_on_cycle(unfolding.graph(), point);
                once.extend(is_once.then_some(point));
                match allocated_size(unfolding, context, call) {
                    Some(size) => {
                        sites.insert(point, (point.raw(), size));
                    }
                    None => heap.extend(is_once.then_some(point)),
                }
            }
        }
        Classes { sites, heap, once }
    }

    /// Whether there are none, and no objects.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty() && self.heap.is_empty()
    }

    /// What each call allocates.
    pub fn known(&self) -> BTreeMap<Point, Object> {
        let sizes = |class: u32| {
            let all = self.sites.values().filter(move |(of, _)| *of == class);
            all.map(|&(_, size)| size)
        };
        let known = self.sites.iter().map(|(&point, &(class, _))| {
            let size = sizes(class).min().unwrap_or(0);
            (point, Object::Nodes(Nodes { class, size }))
        });
        let heap = self.heap.iter().map(|&point| (point, Object::Heap(point)));
        known.chain(heap).collect()
    }

    /// Makes an object of each class whose nodes are used as arrays, if it is of one call that is made
    /// once at most. Returns whether there were any.
    pub fn make_arrays(&mut self, used_as_arrays: &BTreeSet<u32>) -> bool {
        let before = self.heap.len();
        for class in used_as_arrays {
            let mut calls = self.sites.iter().filter(|(_, (of, _))| of == class);
            if let (Some((&call, _)), None) = (calls.next(), calls.next())
                && self.once.contains(&call)
            {
                self.sites.remove(&call);
                self.heap.insert(call);
            }
        }
        self.heap.len() > before
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

/// Whether control may come from a point to the same one again.
fn is_on_cycle(graph: &Graph<Point>, point: Point) -> bool {
    let behind = graph.successors(point).iter().copied();
    graph.reachable(behind).contains(point.index())
}
