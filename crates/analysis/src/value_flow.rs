//! Where values flow that are copied, over all functions of a program and without regard to the
//! order of statements: a graph over the locals, and over what else an analysis lets hold values.

use index_vec::IndexVec;
use ir::graph::Graph;
use ir::{FunctionId, Local, Program};

index_vec::define_index_type! {
    /// Something that may hold a value.
    pub(crate) struct Holder = u32;
}

/// The locals of a program, each as a holder.
pub(crate) struct Locals {
    /// The number of each function's first local.
    first: IndexVec<FunctionId, usize>,
}

impl Locals {
    /// A local of a function with a body.
    pub fn holder(&self, function: FunctionId, local: Local) -> Holder {
        Holder::from_usize(self.first[function] + local.index())
    }
}

/// A graph that is made edge by edge.
pub(crate) struct ValueFlow {
    pub locals: Locals,
    edges: IndexVec<Holder, Vec<Holder>>,
}

impl ValueFlow {
    /// The locals of a program, with nothing that flows yet.
    pub fn new(program: &Program) -> Self {
        let mut first = IndexVec::with_capacity(program.functions.len());
        let mut count = 0;
        for function in &program.functions {
            first.push(count);
            let body = function.body.as_ref();
            count += body.map_or(0, |body| body.locals.len());
        }
        ValueFlow {
            locals: Locals { first },
            edges: IndexVec::from_vec(vec![Vec::new(); count]),
        }
    }

    /// One more holder.
    pub fn add(&mut self) -> Holder {
        self.edges.push(Vec::new())
    }

    /// Lets values flow from one holder to another.
    pub fn flow(&mut self, from: Holder, to: Holder) {
        self.edges[from].push(to);
    }

    /// The holders, with an edge from each to those that its value flows to.
    pub fn into_graph(self) -> (Locals, Graph<Holder>) {
        (self.locals, Graph::of(self.edges))
    }
}
