//! The call graph of a program, and facts of functions to which those that they call add.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::FunctionId;
use ir::graph::Graph;

/// The functions of a program, with an edge from each to those that it may call.
#[derive(Clone, Debug)]
pub struct CallGraph {
    graph: Graph<FunctionId>,
    /// The strongly connected components, each after those that its functions call.
    components: Vec<Vec<FunctionId>>,
    /// The position of each function's component.
    component_of: IndexVec<FunctionId, usize>,
}

impl CallGraph {
    /// The graph in which each function calls these.
    pub fn of(mut callees: IndexVec<FunctionId, Vec<FunctionId>>) -> Self {
        for called in &mut callees {
            called.sort_unstable();
            called.dedup();
        }
        let graph = Graph::of(callees);
        let components = graph.components();
        let mut component_of = IndexVec::from_vec(vec![0; graph.len()]);
        for (position, component) in components.iter().enumerate() {
            for &function in component {
                component_of[function] = position;
            }
        }
        CallGraph {
            graph,
            components,
            component_of,
        }
    }

    /// The functions that a function may call, in order.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        self.graph.successors(function)
    }

    /// The functions that may call a function, in order.
    pub fn callers(&self, function: FunctionId) -> &[FunctionId] {
        self.graph.predecessors(function)
    }

    /// The strongly connected components, each after those that its functions call. Functions of
    /// one component may all call each other, if there are two or more.
    pub fn components(&self) -> &[Vec<FunctionId>] {
        &self.components
    }

    /// Some functions, and all that they may call, directly or not.
    pub fn reachable(&self, starts: impl IntoIterator<Item = FunctionId>) -> FixedBitSet {
        self.graph.reachable(starts)
    }

    /// Whether a call of a function may lead to another call of it.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        let component = self.component_of[function];
        let mut callers = self.graph.predecessors(function).iter();
        callers.any(|&caller| self.component_of[caller] == component)
    }

    /// For each function the join of its own fact and those of all functions that it may call,
    /// directly or not: from the bottom up, one for each component.
    pub fn summaries<F>(
        &self,
        own: impl Fn(FunctionId) -> F,
        join: impl Fn(&mut F, &F),
    ) -> Summaries<F> {
        let mut facts: Vec<F> = Vec::with_capacity(self.components.len());
        for (position, component) in self.components.iter().enumerate() {
            let own = component.iter().map(|&function| own(function));
            let own = own.reduce(|mut fact, other| {
                join(&mut fact, &other);
                fact
            });
            let called = component
                .iter()
                .flat_map(|&function| self.callees(function));
            let called: BTreeSet<usize> = called.map(|&callee| self.component_of[callee]).collect();
            facts.extend(own.map(|mut fact| {
                let below = called.iter().filter(|&&below| below != position);
                below.for_each(|&below| join(&mut fact, &facts[below]));
                fact
            }));
        }
        Summaries {
            facts,
            component_of: self.component_of.clone(),
        }
    }
}

/// A fact for each function.
#[derive(Clone, Debug)]
pub struct Summaries<F> {
    /// By component.
    facts: Vec<F>,
    component_of: IndexVec<FunctionId, usize>,
}

impl<F> Summaries<F> {
    /// Changes each fact.
    pub(crate) fn each(&mut self, change: impl Fn(&mut F)) {
        self.facts.iter_mut().for_each(change);
    }

    /// The fact of a function.
    pub fn of(&self, function: FunctionId) -> &F {
        &self.facts[self.component_of[function]]
    }
}
