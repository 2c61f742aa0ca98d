//! Distances from places to goals that depend on what calls return ([`analysis::DemandGraph`]).

use analysis::{Demand, DemandGraph, Distances, ReturnDistances};
use coverage::GoalId;
use index_vec::IndexVec;
use ir::{Block, CodeBlock, CodeEdge};
use vm::{Context, Contexts};

use crate::code::{Code, Near};
use crate::edge_rarity::EdgeRarity;

/// Distances to the open goals.
pub(crate) struct Guide {
    demands: DemandGraph,
    returns: ReturnDistances,
    inside: Distances<GoalId>,
    /// The nearest goal after the return of each call, by whether it returned other than zero.
    after: IndexVec<Context, [Option<Near>; 2]>,
}

impl Guide {
    /// No goals yet.
    pub fn new(code: &Code<'_>, edge_rarity: &EdgeRarity) -> Self {
        let demands = DemandGraph::new(code.program, code.index);
        let returns = demands.returns(|edge| edge_rarity.cost(edge));
        let inside = demands.nearest([], &returns, |edge| edge_rarity.cost(edge));
        Guide {
            demands,
            returns,
            inside,
            after: IndexVec::new(),
        }
    }

    /// Computes the distances to these goals: blocks or edges out of them, with their costs.
    pub fn measure(
        &mut self,
        goals: impl IntoIterator<Item = (CodeBlock, Option<CodeEdge>, u32, GoalId)>,
        edge_rarity: &EdgeRarity,
    ) {
        self.returns = self.demands.returns(|edge| edge_rarity.cost(edge));
        let cost = |edge| edge_rarity.cost(edge);
        self.inside = self.demands.nearest(goals, &self.returns, cost);
        self.after.clear();
    }

    /// Records contexts that are new.
    pub fn meet(&mut self, contexts: &Contexts, code: &Code<'_>) {
        while self.after.len() < contexts.len() {
            let context = self.after.next_idx();
            let after = contexts.caller(context).map(|(caller, call)| {
                let call = code.index.block(call.function, call.block);
                let back = code.reach.after_call(call);
                [false, true].map(|holds| {
                    let given = self.demands.result(call, holds);
                    self.from(back?, given, caller, code)
                })
            });
            self.after.push(after.unwrap_or_default());
        }
    }

    /// The nearest goal after an edge, or from a block on, in a context.
    pub fn nearest(
        &self,
        (from, edge, to): (CodeBlock, Option<CodeEdge>, CodeBlock),
        context: Context,
        code: &Code<'_>,
    ) -> Option<Near> {
        let given = edge.and_then(|edge| self.demands.known(from, edge));
        self.from(to, given, context, code)
    }

    fn from(
        &self,
        block: CodeBlock,
        given: Option<Demand>,
        context: Context,
        code: &Code<'_>,
    ) -> Option<Near> {
        let after = match context {
            Contexts::OUTERMOST => self.after_outermost(block, code),
            _ => self.after[context],
        };
        let outside = [false, true]
            .into_iter()
            .zip(after)
            .filter_map(|(holds, after)| {
                let (back, ()) = self.returns.with(holds).from(block, given)?;
                let (after, goal) = after?;
                Some((back.saturating_add(after), goal))
            });
        let inside = self.inside.from(block, given);
        outside.chain(inside).min()
    }

    /// The nearest goal after the outermost function returns: after a precondition that holds, the
    /// entry.
    fn after_outermost(&self, block: CodeBlock, code: &Code<'_>) -> [Option<Near>; 2] {
        if code.reach.function(block) == code.entry {
            return [None, None];
        }
        let entry = code.index.block(code.entry, Block::from_raw(0));
        [None, self.inside.from(entry, None)]
    }
}
