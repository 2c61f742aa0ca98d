//! Calls that allocate nodes of the heap, in classes: those whose nodes one pointer may lead to.
//!
//! ```text
//! p = malloc(8); q = malloc(8)                 two classes
//! p = malloc(8); q = malloc(8); p = q          one class
//! kept = p, with a global kept                 nodes that others know: no class
//! p = malloc(n), executed once at most         an object, if the proof says so
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ir::certificate::Allocation;
use ir::{Callee, Origin, Program, Terminator};

use crate::objects::{Class, Object};
use crate::refusal::Refusal;
use crate::unfolding::{Node, Unfolding};

/// What a function of the C library does to the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapCall {
    /// `malloc`: what the memory holds is not known.
    Allocate,
    /// `calloc`: the memory holds zeros.
    AllocateZeroed,
    /// `free`.
    Free,
}

/// What a call does to the heap, if it is one of the C library's functions.
pub fn heap_call(program: &Program, callee: &Callee, arguments: usize) -> Option<HeapCall> {
    let callee = callee.direct()?;
    let function = &program.functions[callee];
    let is_library = function.body.is_some() && program.origin(callee) == Origin::Model;
    if !is_library || program.may_be_own(callee) {
        return None;
    }
    match (function.name.as_str(), arguments) {
        ("malloc", 1) => Some(HeapCall::Allocate),
        ("calloc", 2) => Some(HeapCall::AllocateZeroed),
        ("free", 1) => Some(HeapCall::Free),
        _ => None,
    }
}

/// The calls that allocate memory, by the nodes of the unfolding that end in them.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    classes: BTreeMap<Node, Class>,
    /// Those that allocate an object each, instead of nodes of a class.
    objects: BTreeSet<Node>,
}

impl Sites {
    /// All calls that allocate memory, each in a class of its own, but for those that a proof takes to
    /// allocate an object each.
    ///
    /// # Errors
    /// One of the latter is no such call, or may be made more than once.
    pub fn new(unfolding: &Unfolding<'_>, objects: &[Allocation]) -> Result<Sites, Refusal> {
        let mut sites = Sites::all(unfolding);
        for allocation in objects {
            let call = unfolding.call_of(allocation);
            let call = call.filter(|call| sites.classes.remove(call).is_some());
            let Some(call) = call else {
                return Err(Refusal::bad("what it takes for an object is not allocated"));
            };
            let behind = unfolding.graph.successors(call).iter().copied();
            if unfolding.graph.reachable(behind).contains(call.index()) {
                return Err(Refusal::bad("what it takes for one object may be several"));
            }
            sites.objects.insert(call);
        }
        Ok(sites)
    }

    fn all(unfolding: &Unfolding<'_>) -> Sites {
        let program = unfolding.program;
        if program.sets_library_hooks() {
            return Sites::default();
        }
        let allocates = |node: &Node| match &unfolding.block(*node).terminator {
            Terminator::Call {
                callee, arguments, ..
            } => {
                let call = heap_call(program, callee, arguments.len());
                let is_entered = unfolding.callee(*node).is_some();
                call.is_some_and(|call| call != HeapCall::Free) && !is_entered
            }
            _ => false,
        };
        let nodes = unfolding.nodes().filter(allocates);
        Sites {
            classes: nodes.map(|node| (node, Class(node.raw()))).collect(),
            objects: BTreeSet::new(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.objects.is_empty()
    }

    /// How many there are that allocate nodes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether the call at the end of a node allocates an object.
    pub fn is_object(&self, node: Node) -> bool {
        self.objects.contains(&node)
    }

    /// What the call at the end of a node allocates.
    pub fn allocated(&self, node: Node) -> Option<Object> {
        let object = Some(Object::Heap(node)).filter(|_| self.is_object(node));
        object.or_else(|| self.class(node).map(Object::Nodes))
    }

    /// The class of the nodes that the call at the end of a node allocates.
    pub fn class(&self, node: Node) -> Option<Class> {
        self.classes.get(&node).copied()
    }

    /// All classes.
    pub fn classes(&self) -> BTreeSet<Class> {
        self.classes.values().copied().collect()
    }

    /// Makes one class of the two in each pair.
    pub fn unite(&mut self, pairs: &BTreeSet<(Class, Class)>) {
        for &(one, two) in pairs {
            let kept = self.now(one);
            let other = self.now(two);
            for class in self.classes.values_mut() {
                if Some(*class) == other {
                    *class = kept.unwrap_or(*class);
                }
            }
        }
    }

    /// The class that the nodes of a class are in now: that of the call which it is named by.
    fn now(&self, class: Class) -> Option<Class> {
        self.class(Node::from_raw(class.0))
    }

    /// Leaves out the calls whose nodes others know.
    pub fn leave_out(&mut self, escaped: &BTreeSet<Object>) {
        self.classes
            .retain(|_, class| !escaped.contains(&Object::Nodes(*class)));
    }
}
