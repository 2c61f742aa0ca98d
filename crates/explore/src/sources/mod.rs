//! The sources of flips, one per file: each knows the use of its flips, and hands each out once.
//! `Search::next_choice` gives their order.

mod alias_probes;
mod checks;
mod failures;
mod good_ends;
mod labels;
mod leftovers;
mod provisional;

use expr::Terms;
use ir::input::InputSpace;
use vm::Execution;

use self::alias_probes::AliasProbes;
pub(crate) use self::checks::{Check, Checks};
use self::failures::Failures;
use self::good_ends::GoodEnds;
pub(crate) use self::labels::{LabelFlip, Labels};
pub(crate) use self::leftovers::{Leftovers, NoneLeft};
pub(crate) use self::provisional::ProvisionalCoverage;
use crate::collect::Collector;
use crate::open_goals::OpenGoals;
use crate::path_tree::{Flip, Inserted, PathTree};
use crate::strategy::SearchStrategy;

/// The part of the search that a source may read.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    pub tree: &'a PathTree,
    pub open_goals: &'a OpenGoals<'a>,
    pub collector: &'a Collector,
}

/// An execution that has joined the tree, with the facts about its flips.
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

    /// Hands out a flip before its turn, if it waits here: a strategy picked it. Returns whether to
    /// try it.
    fn hand_out(&mut self, _flip: Flip, _situation: &Situation<'_>) -> bool {
        false
    }

    /// The next flip to try. The source forgets it.
    fn next(&mut self, situation: &Situation<'_>) -> Option<Flip>;

    /// Forgets flips that were settled.
    fn evict(&mut self, tree: &PathTree);
}

/// The sources of a search. Lazy expansion, which asks for more than flips, is apart from them.
pub(crate) struct Sources {
    /// Violations of checks.
    pub checks: Checks,
    /// Conditions of labels.
    pub labels: Labels,
    /// Flips that may lead to open goals.
    pub strategy: Box<dyn SearchStrategy>,
    /// Flips that the strategy does not hand out.
    pub leftovers: Leftovers,
    /// Flips to abstract paths that lazy expansion does not ask for.
    pub abstract_leftovers: Leftovers,
    /// Flips after goals that only executions reached which do not count.
    pub provisional: ProvisionalCoverage,
    /// Flips that no goal needs, the most important source first.
    others: [Box<dyn FlipSource>; 3],
}

impl Sources {
    /// The sources with a strategy, and so many tries of inputs in which pointers point to the same
    /// object.
    pub fn new(strategy: Box<dyn SearchStrategy>, alias_probes: u32) -> Sources {
        Sources {
            checks: Checks::default(),
            labels: Labels::default(),
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

    /// Whether a source wants to try a flip that the strategy picked and that no goal needs.
    pub fn hand_out(&mut self, flip: Flip, situation: &Situation<'_>) -> bool {
        let mut sources = self.others.iter_mut();
        sources.any(|source| source.hand_out(flip, situation))
    }

    /// The next flip that no goal needs.
    pub fn next_of_others(&mut self, situation: &Situation<'_>) -> Option<Flip> {
        let mut sources = self.others.iter_mut();
        sources.find_map(|source| source.next(situation))
    }

    /// Has each source forget flips that were settled.
    pub fn evict(&mut self, tree: &PathTree) {
        self.strategy.evict(tree);
        self.checks.evict(tree);
        self.leftovers.evict(tree);
        self.abstract_leftovers.evict(tree);
        self.provisional.evict(tree);
        for source in &mut self.others {
            source.evict(tree);
        }
    }
}
