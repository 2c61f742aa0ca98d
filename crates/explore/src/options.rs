//! What a search is asked to do, and whom it tells how it goes.

use std::ops::ControlFlow;

use coverage::{Criterion, Scope};
use ir::FunctionId;
use ir::test::{Bound, BoundKind};
use solver::ChainOptions;
use vm::{Defaults, Natives, NoNatives};

use crate::acceleration::Acceleration;

/// The search strategies. All but `Coverage` are there to be compared with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StrategyName {
    /// A fair interleaving of several of the others.
    #[default]
    Coverage,
    /// Depth-first (CUTE, section 3.4).
    DepthFirst,
    /// Depth-first down to a depth ([`Options::depth`]).
    BoundedDepthFirst,
    /// Breadth-first.
    BreadthFirst,
    /// A random branch of the last path (CREST).
    RandomBranch,
    /// A random path through the tree (CREST).
    UniformRandom,
    /// The flip nearest to an uncovered goal by the control-flow graph (CREST).
    Cfg,
    /// Every flip of the execution that covered most that was new (SAGE).
    Generational,
}

impl StrategyName {
    /// All of them.
    pub const ALL: [StrategyName; 8] = [
        StrategyName::Coverage,
        StrategyName::DepthFirst,
        StrategyName::BoundedDepthFirst,
        StrategyName::BreadthFirst,
        StrategyName::RandomBranch,
        StrategyName::UniformRandom,
        StrategyName::Cfg,
        StrategyName::Generational,
    ];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            StrategyName::Coverage => "coverage",
            StrategyName::DepthFirst => "dfs",
            StrategyName::BoundedDepthFirst => "bounded-dfs",
            StrategyName::BreadthFirst => "bfs",
            StrategyName::RandomBranch => "random-branch",
            StrategyName::UniformRandom => "uniform-random",
            StrategyName::Cfg => "cfg",
            StrategyName::Generational => "generational",
        }
    }

    /// Whether it needs a depth to go down to.
    pub fn is_bounded(self) -> bool {
        self == StrategyName::BoundedDepthFirst
    }
}

/// Which calls may be replaced by inputs (lazy expansion).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lazy {
    /// None.
    #[default]
    Off,
    /// Those of functions outside the unit that have many paths of their own, where every path
    /// through the unit is asked for and an ordinary search takes long.
    Auto,
    /// Those of these functions.
    Functions(Vec<FunctionId>),
}

/// The depth of a bounded strategy that was given none.
pub const DEFAULT_DEPTH: u32 = 100;

/// What to search for, and within which limits. Nothing here is a time: time is the observer's.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function to test.
    pub entry: FunctionId,
    /// The functions whose goals count: the entry, or those that a driver calls.
    pub tested: Vec<FunctionId>,
    /// A function with the entry's parameters; only inputs for which it returns non-zero count.
    pub precondition: Option<FunctionId>,
    /// What to cover.
    pub criterion: Criterion,
    /// Whose goals count.
    pub scope: Scope,
    /// Which pending way is tried next.
    pub strategy: StrategyName,
    /// What the strategy decides at random depends on this alone.
    pub seed: u64,
    /// Whether inputs that nothing is said of are random numbers, which depend on the seed, and not
    /// 0.
    pub random_values: bool,
    /// How many choices of an input a path may have before the last one that is flipped; what is
    /// deeper is left out, which is a bound.
    pub depth: Option<u32>,
    /// Nodes that the path tree may have. When it has more, the deepest flips are left out,
    /// which is a loss.
    pub tree_limit: usize,
    /// Limits of one execution and of inputs. Its roles of globals are found by the search.
    pub machine: vm::Config,
    /// The kinds of bounds among these limits that the user chose.
    pub accepted_bounds: Vec<BoundKind>,
    /// Bounds that all that the search proves rests on.
    pub assumed: Vec<Bound>,
    /// Whether the units are taken to be the whole program, though they may call functions of
    /// others.
    pub closed_world: bool,
    /// Which calls may be replaced by inputs.
    pub lazy: Lazy,
    /// Executions in a row that may be spent on making one abstract path real before the search
    /// ends, if there is such a limit; it then also ends once abstract paths prove nothing any
    /// more.
    pub lazy_patience: Option<u32>,
    /// The accelerations of lazy expansion that are left out.
    pub without: Vec<Acceleration>,
    /// Whether all that the accelerations would leave out is tried nevertheless, to check them.
    pub audit: bool,
    /// How the solver chain is put together.
    pub solver: ChainOptions,
    /// Once all goals are decided, how many more ways are tried in which pointers point to the same
    /// object.
    pub alias_probes: u32,
    /// Executions to make at most.
    pub iteration_limit: u64,
    /// Whether the first defect ends the search.
    pub stop_on_defect: bool,
    /// Whether goals that nothing else leads to are looked for beyond defects to which compilers
    /// give a meaning.
    pub beyond_defects: bool,
}

impl Options {
    /// Covers the decisions of a function, with default limits.
    pub fn new(entry: FunctionId) -> Self {
        Options {
            entry,
            tested: vec![entry],
            precondition: None,
            criterion: Criterion::default(),
            scope: Scope::Function,
            strategy: StrategyName::default(),
            seed: 0,
            random_values: false,
            depth: None,
            tree_limit: 1_000_000,
            machine: vm::Config::default(),
            accepted_bounds: Vec::new(),
            assumed: Vec::new(),
            closed_world: false,
            lazy: Lazy::default(),
            lazy_patience: None,
            without: Vec::new(),
            audit: false,
            solver: ChainOptions::default(),
            alias_probes: 0,
            iteration_limit: u64::MAX,
            stop_on_defect: false,
            beyond_defects: true,
        }
    }
}

/// What a search is given that comes from outside the program.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// Inputs to begin with.
    pub seeds: &'a [&'a dyn Defaults],
    /// Who executes calls of functions of the host.
    pub natives: &'a dyn Natives,
}

impl Default for Outside<'_> {
    fn default() -> Self {
        Outside {
            seeds: &[],
            natives: &NoNatives,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Executions of the machine so far.
    pub iterations: u64,
    /// Queries to the solver so far.
    pub solver_queries: u64,
    /// Distinct paths so far.
    pub paths: u64,
    /// Goals in all.
    pub goals: usize,
    /// Goals that an execution reached.
    pub covered: usize,
    /// Defects found.
    pub defects: usize,
}

/// Hears how a search goes, after every execution and between queries, and may end it: because
/// time is up, or the user has had enough.
pub trait Observer {
    /// `Break` ends the search; what was found is kept.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Whether it ended the search because attest itself needs too much memory.
    fn is_out_of_memory(&self) -> bool {
        false
    }
}

/// An observer that lets the search run to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patient;

impl Observer for Patient {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
