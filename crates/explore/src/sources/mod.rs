//! Where flips come from, one source per file: each knows what its flips are good for, and hands
//! each out once. Their order is that of `Search::next_choice`.

mod alias_probes;
mod checks;
mod failures;
mod good_ends;
mod leftovers;
mod provisional;

use expr::Terms;
use ir::input::InputSpace;
use vm::Execution;

use self::alias_probes::AliasProbes;
pub(crate) use self::checks::{Check, Checks};
use self::failures::Failures;
use self::good_ends::GoodEnds;
pub(crate) use self::leftovers::{Leftovers, NoneLeft};
pub(crate) use self::provisional::ProvisionalCoverage;
use crate::collect::Collector;
use crate::path_tree::{Flip, Inserted, PathTree};
use crate::strategy::SearchStrategy;
use crate::targets::Targets;

/// What a source may look at.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    pub tree: &'a PathTree,
    pub targets: &'a Targets<'a>,
    pub collector: &'a Collector,
}

/// An execution that has joined the tree, with what its flips are about.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'a> {
    pub execution: &'a Execution,
    pub inserted: &'a Inserted,
    pub terms: &'a Terms,
    pub space: &'a InputSpace,
}

/// A source of flips for which no goal is open: they are tried for what else they show.
pub(crate) trait FlipSource: Send {
    /// Records an execution, before its flips are offered.
    fn executed(&mut self, _offered: &Offered<'_>, _situation: &Situation<'_>) {}

    /// Whether the source takes a flip that an execution made pending, which then stays in the tree
    /// though no goal needs it.
    fn takes(&mut self, flip: Flip, offered: &Offered<'_>, situation: &Situation<'_>) -> bool;

    /// Hands a flip out before its turn, if it waits here: a strategy came to it. Returns whether
    /// it is to be tried.
    fn hand_out(&mut self, _flip: Flip, _situation: &Situation<'_>) -> bool {
        false
    }

    /// The next flip to try, which is forgotten.
    fn next(&mut self, situation: &Situation<'_>) -> Option<Flip>;

    /// Lets go of flips that were settled.
    fn evict(&mut self, tree: &PathTree);
}

/// The sources of a search. Lazy expansion, which asks for more than flips, stands beside them.
pub(crate) struct Sources {
    /// Violations of checks.
    pub checks: Checks,
    /// Flips that may lead to open goals.
    pub strategy: Box<dyn SearchStrategy>,
    /// Those that the strategy does not hand out.
    pub leftovers: Leftovers,
    /// Those to abstract paths that lazy expansion does not ask for.
    pub abstract_leftovers: Leftovers,
    /// Flips behind goals that only executions came by which do not count.
    pub provisional: ProvisionalCoverage,
    /// Those that no goal needs, the most important first.
    others: [Box<dyn FlipSource>; 3],
}

impl Sources {
    /// With a strategy, and so many tries of inputs in which pointers point to the same object.
    pub fn new(strategy: Box<dyn SearchStrategy>, alias_probes: u32) -> Sources {
        Sources {
            checks: Checks::default(),
            strategy,
            leftovers: Leftovers::default(),
            abstract_leftovers: Leftovers::default(),
            provisional: ProvisionalCoverage::default(),
            others: [
                Box::new(Failures::default()),
                Box::new(GoodEnds::default()),
                Box::new(AliasProbes::new(alias_probes)),
            ],
        }
    }

    /// Records an execution, before its flips are offered.
    pub fn executed(&mut self, offered: &Offered<'_>, situation: &Situation<'_>) {
        for source in &mut self.others {
            source.executed(offered, situation);
        }
    }

    /// Whether a source takes a flip that no goal may need.
    pub fn take(&mut self, flip: Flip, offered: &Offered<'_>, situation: &Situation<'_>) -> bool {
        let mut sources = self.others.iter_mut();
        sources.any(|source| source.takes(flip, offered, situation))
    }

    /// Whether a source wants a flip tried that the strategy came to and that no goal needs.
    pub fn hand_out(&mut self, flip: Flip, situation: &Situation<'_>) -> bool {
        let mut sources = self.others.iter_mut();
        sources.any(|source| source.hand_out(flip, situation))
    }

    /// The next flip that no goal needs.
    pub fn next_of_others(&mut self, situation: &Situation<'_>) -> Option<Flip> {
        let mut sources = self.others.iter_mut();
        sources.find_map(|source| source.next(situation))
    }

    /// Has each source let go of flips that were settled.
    pub fn evict(&mut self, tree: &PathTree) {
        self.strategy.tidy(tree);
        self.checks.evict(tree);
        self.leftovers.evict(tree);
        self.abstract_leftovers.evict(tree);
        self.provisional.evict(tree);
        for source in &mut self.others {
            source.evict(tree);
        }
    }
}
