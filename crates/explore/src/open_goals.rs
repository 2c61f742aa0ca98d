//! How far pending flips are from the goals that are still open.
//!
//! The [`Guide`], which knows what calls return, says which flip is first; the control-flow graph
//! alone says whether a goal can be reached at all.
//!
//! The distance is the least sum of the costs of edges out of branches and switches
//! ([`EdgeRarity`]), over the control-flow graph of the whole program; functions return to their
//! callers. A branch that leads to no open goal need not be taken: no goal is lost when it is
//! dropped. Where paths count, every branch is needed.

use coverage::GoalId;
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{Block, CodeBlock, CodeEdge, FunctionId, Trace};
use vm::{ConstraintKind, Context, Contexts, Site};

use crate::branch_site::BranchSite;
use crate::code::{Code, Near};
use crate::collect::Collector;
use crate::edge_rarity::EdgeRarity;
use crate::guide::Guide;
use crate::needs::Needs;

/// The addition to the distance of a goal that is covered already, though only by executions that
/// ended in a defect or at a limit: a better test of it is worth less than an uncovered goal.
const COVERED: u32 = 16;

/// So many attempts at a goal add one branch to its distance, so that the goals take turns: a near
/// goal that is hard does not keep the search from the others.
const ATTEMPTS: u32 = 16;

/// The least number of attempts after which their cost is taken into account.
const PATIENCE: u32 = 256;
/// Where many goals are open, distances are not computed again after each one that is settled, but
/// once in so many.
const SHARE: usize = 64;

/// The addition to a distance on which a call would have to return an unlikely value.
const FAR: u32 = 1 << 16;

/// The open goals: those that no execution covered which ended well.
pub(crate) struct OpenGoals<'a> {
    code: Code<'a>,
    /// The cost of each open goal apart from attempts; `None` once it is settled.
    open: IndexVec<GoalId, Option<u32>>,
    /// How many attempts were made at each goal.
    attempts: IndexVec<GoalId, u32>,
    /// How many attempts these distances do not take into account yet.
    unaccounted: u32,
    /// The rejecting blocks.
    rejecting: FixedBitSet,
    unreachable: Unreachable,
    needs: Needs,
    /// The costs of edges, by the executions so far.
    edge_rarity: EdgeRarity,
    /// Distances that depend on what calls return. The distances below say whether a goal can be
    /// reached at all.
    guide: Guide,
    /// The nearest open goal from the start of each block, before its function returns.
    inside: IndexVec<CodeBlock, Option<Near>>,
    /// The distance from the start of each block to the return of its function.
    to_return: IndexVec<CodeBlock, Option<u32>>,
    /// The call that each context is, with its caller's.
    callers: IndexVec<Context, Option<(Context, Site)>>,
    /// The nearest open goal after the return of each call, in whichever caller.
    after: IndexVec<Context, Option<Near>>,
    /// The numbers of covered and settled goals when these distances were computed.
    counts: (usize, usize),
    version: u64,
}

/// The goals that nothing reaches, by reason.
struct Unreachable {
    /// The goals that lead only to rejecting blocks.
    rejected: Vec<GoalId>,
    /// The other goals that no path leads to.
    pathless: FixedBitSet,
    /// The goals that are proved to be unreachable.
    proved: FixedBitSet,
}

impl Unreachable {
    /// Whether a goal is rejected or proved to be unreachable.
    fn excludes(&self, goal: GoalId) -> bool {
        self.rejected.contains(&goal) || self.proved.contains(goal.index())
    }
}

impl<'a> OpenGoals<'a> {
    /// All goals are open.
    pub fn new(code: Code<'a>) -> Self {
        let edge_rarity = EdgeRarity::new(code.index);
        let functions = &code.program.functions;
        let is_assumption = |id: FunctionId| {
            let is_known = functions.get(id).filter(|function| function.body.is_none());
            is_known.is_some_and(|function| ir::library::is_assumption(&function.name))
        };
        let rejecting = analysis::rejecting(code.program, code.index, is_assumption);
        let rejected = coverage::rejected_goals(code.program, code.index, code.goals, &rejecting);
        let mut open = IndexVec::from_vec(vec![Some(0); code.goals.len()]);
        rejected.iter().for_each(|&goal| open[goal] = None);
        let mut open_goals = OpenGoals {
            rejecting,
            unreachable: Unreachable {
                pathless: pathless(&code, &rejected),
                proved: FixedBitSet::with_capacity(code.goals.len()),
                rejected,
            },
            guide: Guide::new(&code, &edge_rarity),
            needs: Needs::default(),
            open,
            attempts: IndexVec::from_vec(vec![0; code.goals.len()]),
            unaccounted: 0,
            edge_rarity,
            code,
            to_return: IndexVec::new(),
            inside: IndexVec::new(),
            callers: IndexVec::new(),
            after: IndexVec::new(),
            counts: (0, 0),
            version: 0,
        };
        open_goals.measure();
        open_goals
    }

    /// Leaves out the goals that have been settled since, and records new contexts.
    pub fn update(&mut self, collector: &Collector, contexts: &Contexts) {
        let counts = (collector.covered(), collector.settled());
        let settled = (counts.0 - self.counts.0) + (counts.1 - self.counts.1);
        let open = self.open.iter().flatten().count();
        let are_fewer_needed = settled > 0 && self.find_needs(collector);
        if settled > 0 && (are_fewer_needed || settled.saturating_mul(SHARE) >= open) {
            self.counts = counts;
            self.settle(collector);
            self.measure();
        } else if self.unaccounted >= PATIENCE {
            self.measure();
        }
        self.meet(contexts);
    }

    /// Records new contexts.
    fn meet(&mut self, contexts: &Contexts) {
        self.guide.meet(contexts, &self.code);
        while self.callers.len() < contexts.len() {
            let context = self.callers.next_idx();
            self.callers.push(contexts.caller(context));
        }
        while self.after.len() < contexts.len() {
            let context = self.after.next_idx();
            let after = contexts.caller(context).and_then(|(caller, call)| {
                let call = self.code.index.block(call.function, call.block);
                self.from(self.code.reach.after_call(call)?, caller)
            });
            self.after.push(after);
        }
    }

    /// Leaves out goals that are proved to be unreachable.
    pub fn exclude(
        &mut self,
        goals: impl Iterator<Item = GoalId>,
        collector: &Collector,
        contexts: &Contexts,
    ) {
        let proved = &mut self.unreachable.proved;
        let before = proved.count_ones(..);
        proved.extend(goals.map(|goal| goal.index()));
        if proved.count_ones(..) > before {
            self.find_needs(collector);
            self.settle(collector);
            self.measure();
            self.meet(contexts);
        }
    }

    /// The goals that are proved to be unreachable.
    pub fn proved(&self) -> &FixedBitSet {
        &self.unreachable.proved
    }

    /// Records an execution.
    pub fn executed(&mut self, trace: &Trace) {
        self.edge_rarity.add(trace);
    }

    /// Records that a flip at the place is tried.
    pub fn attempted(&mut self, place: BranchSite) {
        if let Some((_, goal)) = self.nearest(place) {
            self.attempts[goal] += 1;
            self.unaccounted += 1;
        }
    }

    /// The goals that are no longer needed.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    fn find_needs(&mut self, collector: &Collector) -> bool {
        let unreachable = &self.unreachable;
        let is_unreachable = |goal: GoalId| {
            unreachable.excludes(goal) || unreachable.pathless.contains(goal.index())
        };
        let is_covered = |goal| collector.covers(goal);
        self.needs
            .update(self.code.goals, is_covered, is_unreachable)
    }

    fn settle(&mut self, collector: &Collector) {
        for (goal, open) in self.open.iter_mut_enumerated() {
            let is_settled = self.unreachable.excludes(goal)
                || self.needs.excludes(goal)
                || collector.settles(goal);
            *open = match (is_settled, collector.covers(goal)) {
                (true, _) => None,
                (false, true) => Some(COVERED),
                (false, false) => Some(0),
            };
        }
    }

    fn measure(&mut self) {
        let cost = |edge| self.edge_rarity.cost(edge);
        let sides = self.sides();
        let places = sides
            .iter()
            .map(|&(place, _, cost, goal)| (place, cost, goal));
        self.inside = self.code.reach.nearest(places, cost);
        self.guide.measure(sides, &self.edge_rarity);
        self.to_return = self.code.reach.to_return(cost);
        self.after.clear();
        self.unaccounted = 0;
        self.version += 1;
    }

    /// The nearest open goal from the start of a block in a context.
    fn from(&self, block: CodeBlock, context: Context) -> Option<Near> {
        let after = match context {
            Contexts::OUTERMOST => self.after_outermost(block),
            _ => self.after[context],
        };
        let back = self.to_return[block].zip(after);
        let outside = back.map(|(inside, (after, goal))| (inside.saturating_add(after), goal));
        [self.inside[block], outside].into_iter().flatten().min()
    }

    /// The nearest open goal after the outermost function returns: after a precondition, the entry;
    /// after that, functions that run when the program ends.
    fn after_outermost(&self, block: CodeBlock) -> Option<Near> {
        let entry = self.code.index.block(self.code.entry, Block::from_raw(0));
        let is_entry = self.code.reach.function(block) == self.code.entry;
        let at_exit = self.code.reach.at_exit().iter();
        let next = (!is_entry).then_some(&entry);
        next.into_iter()
            .chain(at_exit)
            .filter_map(|&start| self.inside[start])
            .min()
    }

    /// The distance of a flip at the place from the return of its function; `None` if it never
    /// returns.
    pub fn to_return(&self, place: BranchSite) -> Option<u32> {
        self.to_return[self.behind(place)]
    }

    /// The distance of a flip at the place from the return of the outermost function, as far as it
    /// is known.
    pub fn to_end(&self, place: BranchSite) -> u32 {
        let from = |block: CodeBlock| self.to_return[block].unwrap_or(FAR);
        let mut distance = from(self.behind(place));
        let mut context = place.context;
        while let Some((caller, call)) = self.caller(context) {
            let after = self.code.reach.after_call(self.block(call));
            distance = distance.saturating_add(after.map_or(FAR, from));
            context = caller;
        }
        distance
    }

    /// The block that a flip at the place leads to.
    pub fn behind(&self, place: BranchSite) -> CodeBlock {
        let target = match place.kind {
            ConstraintKind::Branch => edge(place, &self.code).map(|(_, target)| target),
            _ => None,
        };
        target.unwrap_or_else(|| self.block(place.site))
    }

    /// The call that a context is, with its caller's context; `None` for the outermost.
    pub fn caller(&self, context: Context) -> Option<(Context, Site)> {
        *self.callers.get(context)?
    }

    /// The block of a site.
    pub fn block(&self, site: Site) -> CodeBlock {
        self.code.index.block(site.function, site.block)
    }

    /// The edge that a flip at the place takes, if it is of a branch or switch.
    pub fn edge(&self, place: BranchSite) -> Option<CodeEdge> {
        let is_branch = place.kind == ConstraintKind::Branch;
        is_branch.then(|| edge(place, &self.code).map(|(edge, _)| edge))?
    }

    /// Whether an edge covers an open goal itself.
    pub fn is_open(&self, edge: CodeEdge) -> bool {
        self.cheapest(self.code.goals.on_edge(edge)).is_some()
    }

    /// A number that grows whenever distances change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The code.
    pub fn code(&self) -> &Code<'a> {
        &self.code
    }

    /// The distance of a flip at the place from the nearest open goal: 0 if its branch itself
    /// covers one that was never tried, `None` if no goal needs it.
    pub fn distance(&self, place: BranchSite) -> Option<u32> {
        // Without a goal, any path may be the one that ends well.
        match self.code.goals.paths().is_some() || self.code.goals.is_empty() {
            true => Some(0),
            false => self.nearest(place).map(|(distance, _)| distance),
        }
    }

    /// The goals that lead only to rejected inputs.
    pub fn rejected(&self) -> &[GoalId] {
        &self.unreachable.rejected
    }

    /// The goals that no path of the control-flow graph leads to from the entry, without those that
    /// are rejected.
    pub fn pathless(&self) -> &FixedBitSet {
        &self.unreachable.pathless
    }

    /// Whether a flip at the place leads only to a rejected input.
    pub fn is_rejecting(&self, place: BranchSite) -> bool {
        self.rejecting.contains(self.behind(place).index())
    }

    /// Whether a flip at the place can lead to an open goal.
    pub fn leads_to_goal(&self, place: BranchSite) -> bool {
        self.nearest(place).is_some()
    }

    /// The nearest open goal. Where the guide knows no path to a goal, there may still be one at a
    /// great distance.
    fn nearest(&self, place: BranchSite) -> Option<Near> {
        let site = place.site;
        let here = self.code.index.block(site.function, site.block);
        let edge = match place.kind {
            ConstraintKind::Branch => edge(place, &self.code),
            _ => None,
        };
        let (own, from) = match edge {
            None => (None, (here, None, here)),
            Some((edge, target)) => {
                let own = self.cheapest(self.code.goals.on_edge(edge));
                (own, (here, Some(edge), target))
            }
        };
        let guided = self.guide.nearest(from, place.context, &self.code);
        [own, guided].into_iter().flatten().min().or_else(|| {
            let (distance, goal) = self.from(from.2, place.context)?;
            Some((distance.saturating_add(FAR), goal))
        })
    }

    /// The cheapest open goal of some.
    fn cheapest(&self, goals: &[GoalId]) -> Option<Near> {
        let open = goals.iter().filter_map(|&goal| {
            let cost = self.open[goal]?;
            Some((cost + self.attempts[goal] / ATTEMPTS, goal))
        });
        open.min()
    }

    /// The blocks and edges that hold open goals, each with the cheapest of them.
    fn sides(&self) -> Vec<(CodeBlock, Option<CodeEdge>, u32, GoalId)> {
        let mut sides = Vec::new();
        for (function, data) in self.code.program.functions.iter_enumerated() {
            let blocks = data
                .body
                .iter()
                .flat_map(|body| body.blocks.iter_enumerated());
            for (block, data) in blocks {
                let place = self.code.index.block(function, block);
                let branches = match data.terminator.decides() {
                    true => data.terminator.successor_count(),
                    false => 0,
                };
                let edges =
                    (0..branches).map(|branch| self.code.index.edge(function, block, branch));
                sides.extend(edges.filter_map(|edge| {
                    let (cost, goal) = self.cheapest(self.code.goals.on_edge(edge))?;
                    let own = self.edge_rarity.cost(edge);
                    Some((place, Some(edge), cost.saturating_add(own), goal))
                }));
                let here = self.cheapest(self.code.goals.on_block(place));
                sides.extend(here.map(|(cost, goal)| (place, None, cost, goal)));
            }
        }
        sides
    }
}

/// The goals that no path of the control-flow graph leads to from the entry, without those that are
/// rejected.
fn pathless(code: &Code<'_>, rejected: &[GoalId]) -> FixedBitSet {
    let reachable = code.reach.from_entry(code.entry);
    let mut found = FixedBitSet::with_capacity(code.goals.len());
    found.extend(rejected.iter().map(|goal| goal.index()));
    for (function, data) in code.program.functions.iter_enumerated() {
        let body = data.body.iter();
        for (block, data) in body.flat_map(|body| body.blocks.iter_enumerated()) {
            let here = code.index.block(function, block);
            if !reachable.block(here) {
                continue;
            }
            let mut find = |goals: &[GoalId]| found.extend(goals.iter().map(|goal| goal.index()));
            find(code.goals.on_block(here));
            if data.terminator.decides() {
                let branches = 0..data.terminator.successors().len();
                branches
                    .map(|branch| code.index.edge(function, block, branch))
                    .for_each(|edge| find(code.goals.on_edge(edge)));
            }
        }
    }
    found.grow(code.goals.len());
    found.toggle_range(..);
    found
}

/// The edge that a branch of a branch or switch of the program takes, and the block where it leads.
fn edge(place: BranchSite, code: &Code<'_>) -> Option<(CodeEdge, CodeBlock)> {
    let site = place.site;
    let body = code.program.functions[site.function].body.as_ref()?;
    let terminator = &body.blocks.get(site.block)?.terminator;
    let successor = match terminator {
        // Number 1 at a branch is `then`, its first successor.
        ir::Terminator::Branch { .. } => 1 - place.branch.min(1) as usize,
        _ => place.branch as usize,
    };
    let target = terminator.successor(successor)?;
    terminator.decides().then(|| {
        let edge = code.index.edge(site.function, site.block, successor);
        (edge, code.index.block(site.function, target))
    })
}
