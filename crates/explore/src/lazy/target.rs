//! An abstract path that is to be made real (LATEST, section 4.1: what `concretize` is given).

use coverage::{GoalId, Paths};
use ir::CodeEdge;
use vm::WholeEdge;

use super::abstract_path::AbstractPath;
use super::facts::Facts;
use super::partial_path::PartialPath;
use super::unit_paths::{Ending, UnitNode, UnitPaths};

/// The purpose of making an abstract path real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The path itself, to its end.
    Path(Ending),
    /// A goal, which it covers last.
    Goal(GoalId),
}

/// Flips that are tried for a target before others have their turn.
const FIRST_BUDGET: u32 = 4_000;

/// A target; see the module.
#[derive(Debug)]
pub(crate) struct Target {
    pub purpose: Purpose,
    /// How many edges of the path lead to the purpose.
    pub length: usize,
    pub path: AbstractPath,
    /// Flips that may be tried before another target has its turn.
    budget: u32,
    /// Flips that were tried in this turn.
    spent: u32,
    /// Executions for it in all.
    pub executions: u32,
    /// The path, and on top of it paths with ever more calls executed: the calls that the recursion
    /// of the paper has under way.
    pub layers: Vec<PartialPath>,
}

impl Target {
    /// The target for an abstract path, if it has a purpose: the path itself if paths count and it
    /// ends well, or else a goal.
    pub fn of(path: AbstractPath, paths: Option<Paths>, facts: &Facts) -> Option<Target> {
        let counted = path.ending.filter(|_| paths.is_some());
        let Some(ending) = counted else {
            let (goal, length) = path.next_goal(|_| false)?;
            return Some(Target::new(path, Purpose::Goal(goal), length));
        };
        let last = *path.places.last()?;
        let is_open = !facts.units.is_known(last, ending) && !facts.units.is_finished(last);
        let length = path.edges.len();
        is_open.then(|| Target::new(path, Purpose::Path(ending), length))
    }

    /// The same path for the next goal that is not covered.
    pub fn again(self, is_covered: impl Fn(GoalId) -> bool) -> Option<Target> {
        let (goal, length) = self.path.next_goal(is_covered)?;
        Some(Target::new(self.path, Purpose::Goal(goal), length))
    }

    /// A path for a purpose, which so many edges lead to.
    fn new(mut path: AbstractPath, purpose: Purpose, length: usize) -> Target {
        path.partial.length = length;
        Target {
            purpose,
            length,
            path,
            budget: FIRST_BUDGET,
            spent: 0,
            executions: 0,
            layers: Vec::new(),
        }
    }

    /// The edges up to the purpose.
    pub fn edges(&self) -> &[CodeEdge] {
        &self.path.edges[..self.length]
    }

    /// The places up to the purpose.
    pub fn places(&self) -> &[UnitNode] {
        &self.path.places[..=self.length]
    }

    /// Whether the path of an execution in which calls were replaced keeps to the target.
    pub fn is_followed(&self, edges: &[CodeEdge], how: Option<Ending>) -> bool {
        match self.purpose {
            Purpose::Path(Ending::Returned) => {
                self.edges() == edges && how == Some(Ending::Returned)
            }
            // The path may end in one of the calls that were replaced.
            Purpose::Path(Ending::InCallee) | Purpose::Goal(_) => edges.starts_with(self.edges()),
        }
    }

    /// Whether an execution took its path, if it is for the path itself.
    pub fn is_taken(&self, units: &UnitPaths) -> bool {
        match (self.purpose, self.places().last()) {
            (Purpose::Path(ending), Some(&last)) => units.is_known(last, ending),
            _ => false,
        }
    }

    /// The part of an execution's whole path that leads to the purpose, if the execution follows
    /// the target.
    pub fn part<'e>(&self, whole: &'e [WholeEdge]) -> &'e [WholeEdge] {
        let is_of_unit = |edge: &WholeEdge| edge.call.is_none();
        let mut of_unit = (0..whole.len()).filter(|&at| is_of_unit(&whole[at]));
        match (self.purpose, self.length.checked_sub(1)) {
            (Purpose::Path(_), _) => whole,
            (Purpose::Goal(_), None) => &[],
            (Purpose::Goal(_), Some(last)) => match of_unit.nth(last) {
                Some(at) => &whole[..=at],
                None => whole,
            },
        }
    }

    /// The innermost layer.
    pub fn partial(&self) -> &PartialPath {
        self.layers.last().unwrap_or(&self.path.partial)
    }

    /// As [`Target::partial`].
    pub fn partial_mut(&mut self) -> &mut PartialPath {
        self.layers.last_mut().unwrap_or(&mut self.path.partial)
    }

    /// The places up to the purpose, with all layers.
    pub fn partials(&mut self) -> (&[UnitNode], impl Iterator<Item = &mut PartialPath>) {
        let AbstractPath {
            places, partial, ..
        } = &mut self.path;
        let partials = [partial].into_iter().chain(&mut self.layers);
        (&places[..=self.length], partials)
    }

    /// Counts one flip more. Returns whether another target has its turn now; then this one may
    /// take twice as many the next time.
    pub fn is_out_of_turn(&mut self) -> bool {
        let is_over = self.spent >= self.budget;
        match is_over {
            true => self.budget *= 2,
            false => self.spent += 1,
        }
        is_over
    }
}
