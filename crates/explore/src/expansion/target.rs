//! An abstract path that is to be made real (LATEST, section 4.1: what `concretize` does, without state
//! as in section 4.2).
//!
//! Where an execution follows it in which some calls are executed and others replaced, that execution's
//! path is followed first, inside the calls that it executes too; those that these call are then
//! expanded in the same way. When nothing is left to try, nothing takes the target.

use coverage::GoalId;
use ir::{CodeEdge, ObjectId};
use rustc_hash::FxHashSet;
use vm::WholeEdge;

use super::focus::Focus;
use super::lemmas::Conditions;
use super::units::{Ending, UnitNode};
use crate::path_tree::Flip;

/// What an abstract path is to be made real for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The path itself, to its end.
    Path(Ending),
    /// A goal, which it covers last.
    Goal(GoalId),
}

/// An abstract path.
#[derive(Debug)]
pub(crate) struct AbstractPath {
    /// The edges of the unit that it takes.
    pub edges: Vec<CodeEdge>,
    /// The places that it comes by, one more than there are edges.
    pub places: Vec<UnitNode>,
    /// How it ends, if it ends well.
    pub ending: Option<Ending>,
    /// The goals that it comes to, each with the number of edges that lead there, in this order.
    pub goals: Vec<(GoalId, usize)>,
    /// Its conditions, if they are the same for all executions that take it with the calls replaced.
    pub conditions: Option<Conditions>,
    /// To follow it, nothing being executed that was replaced.
    pub focus: Focus,
}

impl AbstractPath {
    /// The target that it is for a purpose, which so many edges lead to.
    pub fn target(mut self, purpose: Purpose, length: usize) -> Target {
        self.focus.length = length;
        Target {
            purpose,
            length,
            path: self,
            budget: FIRST_BUDGET,
            spent: 0,
            executions: 0,
            layers: Vec::new(),
            in_vain: FxHashSet::default(),
            kept: FxHashSet::default(),
            ahead: None,
            hopeless: Vec::new(),
        }
    }
}

/// A target; see the module.
#[derive(Debug)]
pub(crate) struct Target {
    pub purpose: Purpose,
    /// How many edges of the path lead there.
    pub length: usize,
    pub path: AbstractPath,
    /// Flips that may be tried before it is another target's turn.
    pub budget: u32,
    /// Those that were.
    pub spent: u32,
    /// Executions for it in all.
    pub executions: u32,
    /// Paths on which ever more of it is real.
    pub layers: Vec<Focus>,
    /// Calls behind which executions left the path though they were replaced, and none kept to it.
    pub in_vain: FxHashSet<Flip>,
    /// Calls behind which one kept to it.
    kept: FxHashSet<Flip>,
    /// The call that is executed before the others, until it is known what it may do.
    pub ahead: Option<ObjectId>,
    /// Ways behind which a call cannot do what is demanded of it, or so it seems.
    pub hopeless: Vec<Flip>,
}

impl Target {
    /// The same path for another purpose, which so many edges lead to.
    pub fn again(self, purpose: Purpose, length: usize) -> Target {
        let Target { in_vain, kept, .. } = self;
        Target {
            in_vain,
            kept,
            ..self.path.target(purpose, length)
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
            // One of the calls that were replaced may be where it ends.
            Purpose::Path(Ending::InCallee) | Purpose::Goal(_) => edges.starts_with(self.edges()),
        }
    }

    /// The part of an execution's whole path that leads to the purpose, if the execution follows the
    /// target.
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

    /// What is followed now.
    pub fn focus(&self) -> &Focus {
        self.layers.last().unwrap_or(&self.path.focus)
    }

    /// As [`Target::focus`].
    pub fn focus_mut(&mut self) -> &mut Focus {
        self.layers.last_mut().unwrap_or(&mut self.path.focus)
    }

    /// The path, and those on which ever more of it is real.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Focus> {
        [&mut self.path.focus].into_iter().chain(&mut self.layers)
    }

    /// The calls that were left alone, which are not any more: executions may have kept to the path behind
    /// them before it was the target.
    pub fn leave_nothing_out(&mut self) -> Vec<Flip> {
        let left: Vec<Flip> = self.in_vain.drain().collect();
        self.kept.extend(&left);
        left
    }

    /// Records whether an execution kept to the path behind a call that was replaced.
    pub fn note_replaced(&mut self, expand: Flip, keeps: bool) {
        if keeps {
            self.in_vain.remove(&expand);
            self.kept.insert(expand);
        } else if !self.kept.contains(&expand) {
            self.in_vain.insert(expand);
        }
    }
}

/// Flips that are tried for a target before others have their turn.
const FIRST_BUDGET: u32 = 4_000;
