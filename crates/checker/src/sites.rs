//! Calls that allocate nodes of the heap, in classes: those whose nodes one pointer may lead to.
//!
//! ```text
//! p = malloc(8); q = malloc(8)                 two classes
//! p = malloc(8); q = malloc(8); p = q          one class
//! kept = p, with a global kept                 nodes that others know: no class
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ir::{Callee, Origin, Program, Terminator};

use crate::objects::{Class, Object};
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

/// The calls that allocate nodes, by the nodes of the unfolding that end in them.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    classes: BTreeMap<Node, Class>,
}

impl Sites {
    /// All calls that allocate memory, each in a class of its own.
    pub fn new(unfolding: &Unfolding<'_>) -> Sites {
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
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.classes.len()
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
