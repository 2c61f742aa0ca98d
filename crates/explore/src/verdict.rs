//! From the end of a search to the status of each goal.
//!
//! A goal that an execution reached is covered. Of the others, those that no path of the
//! control-flow graph leads to are unreachable whatever the search did, and so are those that lead
//! only to assumptions that never hold. The rest is unreachable only if the search exhausted the
//! tree of paths and nothing was lost at a place from which the goal can be reached; if a bound was
//! hit at such a place, it is unreachable within that bound. If a rejected execution reached the
//! goal, all losses and bounds count.

use analysis::Reachable;
use coverage::{Evidence, GoalId, GoalKind, GoalStatus, Reason, TestGoal};
use fixedbitset::FixedBitSet;
use ir::test::{Bound, BoundKind, Defect, Frame, Loss, LossKind};
use ir::{Block, Body, ControlFlow, FunctionId, TestId};

use crate::called_back::CalledBack;
use crate::code::Code;
use crate::log::Rejected;
use crate::proofs::Proofs;
use crate::search::End;

/// The facts that verdicts rest on.
pub(crate) struct Grounds<'a> {
    pub code: &'a Code<'a>,
    pub entry: FunctionId,
    pub precondition: Option<FunctionId>,
    pub end: End,
    /// Whether no input satisfies what the code assumes.
    pub no_input: bool,
    /// The goals that lead only to rejected inputs.
    pub rejected: &'a [GoalId],
    /// The goals that are no longer needed, to which the search dropped flips.
    pub unneeded: &'a FixedBitSet,
    /// The goals of labels of which it is open on some path whether an input reaches them.
    pub open_labels: &'a FixedBitSet,
    /// The goals that are proved to be unreachable.
    pub proofs: &'a Proofs,
    /// The goals that a stopped search leaves open, if not all.
    pub open: Option<&'a [GoalId]>,
    pub paths: u64,
    /// The prunings that left anything out.
    pub prunings: &'a [String],
    pub losses: &'a [Loss],
    pub bounds: &'a [Bound],
    pub defects: &'a [Defect],
    /// The goals that rejected executions reached.
    pub rejected_executions: &'a Rejected,
    /// The bound that functions without a body call nothing back, if it matters.
    pub called_back: Option<CalledBack>,
}

impl Grounds<'_> {
    /// The status of every goal, in order, and the losses from which control can reach it, if it is
    /// undecided for another reason. `covered_by` gives the first test that covers a goal.
    pub fn verdicts(
        &self,
        covered_by: impl Fn(GoalId) -> Option<TestId>,
    ) -> Vec<(GoalStatus, Vec<usize>)> {
        let from_entry = self.code.reach.from_entry(self.entry);
        let losses = self.ranges(self.losses.iter().map(|loss| &loss.stack));
        let bounds = self.ranges(self.bounds.iter().map(|bound| &bound.stack));
        let defects = self.ranges(self.defects.iter().map(|defect| &defect.stack));
        let mut verdicts = Vec::with_capacity(self.code.goals.len());
        for (id, goal) in self.code.goals.iter() {
            let is_rejected = self.rejected_executions.reached.contains(id.index());
            let touching = |ranges: &[Reachable]| -> Vec<usize> {
                let reaches = |range: &&Reachable| is_rejected || self.reaches(range, id, goal);
                let all = ranges.iter().enumerate();
                all.filter(|(_, range)| reaches(range))
                    .map(|(position, _)| position)
                    .collect()
            };
            let lost = || {
                let touching = touching(&losses).into_iter();
                touching.filter(|&at| {
                    let kind = self.losses[at].kind;
                    !kind.ends_search() && kind.is_about_goals()
                })
            };
            let status = if let Some(test) = covered_by(id) {
                GoalStatus::Covered(test)
            } else if self.no_input {
                GoalStatus::Undecided(Reason::NoInput)
            } else if !self.reaches(&from_entry, id, goal) {
                GoalStatus::Unreachable(self.without_path(&from_entry, id, goal))
            } else if self.rejected.contains(&id) {
                GoalStatus::Unreachable(Evidence::Rejected)
            } else if self.unneeded.contains(id.index()) {
                GoalStatus::Undecided(Reason::NotNeeded)
            } else if self.open_labels.contains(id.index()) {
                GoalStatus::Undecided(Reason::OpenPaths)
            } else if self.is_open(id) {
                GoalStatus::Undecided(Reason::Stopped)
            } else {
                self.after_exhaustion(lost().collect(), touching(&bounds), touching(&defects))
            };
            let status = self.unless_ended(status, id);
            let status = self.unless_called_back(status, id, goal);
            let status = match lost().any(|at| is_about_meaning(self.losses[at].kind)) {
                true => status,
                false => self.unless_proved(status, id, goal),
            };
            let further = match status {
                GoalStatus::Undecided(Reason::Stopped | Reason::OpenPaths) => lost().collect(),
                _ => Vec::new(),
            };
            verdicts.push((status, further));
        }
        verdicts
    }

    /// Why no path leads to a goal: a constant condition keeps control from it, or nothing leads
    /// there at all.
    fn without_path(&self, from_entry: &Reachable, id: GoalId, goal: &TestGoal) -> Evidence {
        let body = self.code.program.functions[goal.function].body.as_ref();
        let folded = body.is_some_and(|body| {
            is_folded_outcome(body, goal) || {
                let unfolded = self.unfolded(from_entry, goal.function, body);
                let mut covering = self.code.goals.covering(id).iter();
                covering.any(|block| unfolded.contains(block.index()))
            }
        });
        match folded {
            true => Evidence::Folded,
            false => Evidence::NoPath,
        }
    }

    /// The blocks of a function that control could reach if each constant condition could have
    /// either value.
    fn unfolded(&self, from_entry: &Reachable, function: FunctionId, body: &Body) -> FixedBitSet {
        let start = Block::from_usize(0);
        let is_entered = from_entry.block(self.code.index.block(function, start));
        ControlFlow::unfolded(body).reachable(is_entered.then_some(start))
    }

    /// The status of a goal that the search leaves undecided or decides within bounds, if it is
    /// proved to be unreachable.
    fn unless_proved(&self, status: GoalStatus, id: GoalId, goal: &TestGoal) -> GoalStatus {
        let Some(proof) = self.proofs.of(id) else {
            return status;
        };
        let bounds = self.proofs.bounds(proof);
        let proved = match bounds.is_empty() {
            true => GoalStatus::Unreachable(proof.evidence.clone()),
            false => GoalStatus::UnreachableWithin(bounds),
        };
        let proved = self.unless_called_back(proved, id, goal);
        match status {
            GoalStatus::Undecided(Reason::NoInput)
            | GoalStatus::Covered(_)
            | GoalStatus::Unreachable(_) => status,
            GoalStatus::UnreachableWithin(_) => match proved {
                GoalStatus::Unreachable(_) => proved,
                _ => status,
            },
            GoalStatus::Open | GoalStatus::Undecided(_) => proved,
        }
    }

    /// The status of a goal, if functions without a body may never return.
    fn unless_ended(&self, status: GoalStatus, id: GoalId) -> GoalStatus {
        let is_unreachable = matches!(
            status,
            GoalStatus::Unreachable(Evidence::ExhaustedSearch { .. } | Evidence::Rejected)
        );
        match is_unreachable && self.rejected_executions.before_calls.contains(id.index()) {
            true => GoalStatus::UnreachableWithin(vec![Bound {
                kind: BoundKind::UnknownCall,
                detail: "a function without a body is taken to return, before an assumption that \
                         does not hold or a defect"
                    .to_owned(),
                stack: Vec::new(),
            }]),
            false => status,
        }
    }

    /// The status of a goal, if functions without a body may call back.
    fn unless_called_back(&self, status: GoalStatus, id: GoalId, goal: &TestGoal) -> GoalStatus {
        let Some(called_back) = &self.called_back else {
            return status;
        };
        let bound = &called_back.bound;
        let functions = match status {
            GoalStatus::Unreachable(Evidence::Invariants { .. }) => &called_back.beside,
            _ => &called_back.functions,
        };
        let could_be = functions.contains(goal.function.index())
            && self.reaches(&self.code.reach.from_entry(goal.function), id, goal);
        match status {
            GoalStatus::Unreachable(
                Evidence::NoPath
                | Evidence::Folded
                | Evidence::Rejected
                | Evidence::Invariants { .. }
                | Evidence::ExhaustedSearch { .. },
            ) if could_be => GoalStatus::UnreachableWithin(vec![bound.clone()]),
            GoalStatus::UnreachableWithin(mut bounds) if could_be => {
                bounds.push(bound.clone());
                GoalStatus::UnreachableWithin(bounds)
            }
            status => status,
        }
    }

    /// Whether the search ended before it could decide a goal: it was stopped, or took each goal
    /// for decided. Only the tree of paths is a proof.
    fn is_open(&self, goal: GoalId) -> bool {
        let is_among = |open: &[GoalId]| open.contains(&goal);
        match self.end {
            End::Stopped => self.open.is_none_or(is_among),
            End::GoalsDecided => true,
            End::Exhausted => false,
        }
    }

    fn after_exhaustion(
        &self,
        losses: Vec<usize>,
        bounds: Vec<usize>,
        defects: Vec<usize>,
    ) -> GoalStatus {
        if !losses.is_empty() {
            GoalStatus::Undecided(Reason::Losses(losses))
        } else if !bounds.is_empty() {
            let hit = bounds.into_iter().map(|bound| self.bounds[bound].clone());
            GoalStatus::UnreachableWithin(hit.collect())
        } else {
            GoalStatus::Unreachable(Evidence::ExhaustedSearch {
                paths: self.paths,
                defects,
                prunings: self.prunings.to_vec(),
            })
        }
    }

    /// The blocks that control can reach from inside each of some calls. From inside the
    /// precondition, or a function that it calls, control can reach all that the entry can reach,
    /// as if the place were unknown.
    fn ranges<'b>(&self, stacks: impl Iterator<Item = &'b Vec<Frame>>) -> Vec<Reachable> {
        let precondition = self.precondition.into_iter();
        let before: Vec<FunctionId> = precondition
            .flat_map(|precondition| self.code.reach.functions_from(precondition))
            .collect();
        let is_before = |frame: &Frame| before.contains(&frame.function);
        let place = |stack: &'b Vec<Frame>| match stack.last().is_some_and(is_before) {
            true => &[],
            false => &stack[..],
        };
        stacks
            .map(|stack| self.code.reach.from_stack(place(stack)))
            .collect()
    }

    /// Whether control that is somewhere in the range can still reach the goal.
    fn reaches(&self, range: &Reachable, id: GoalId, goal: &TestGoal) -> bool {
        reaches(self.code, range, id, goal)
    }
}

/// Whether control that is somewhere in the range can still reach the goal.
pub(crate) fn reaches(code: &Code<'_>, range: &Reachable, id: GoalId, goal: &TestGoal) -> bool {
    let block = |block| code.index.block(goal.function, block);
    let mut covering = code.goals.covering(id).iter();
    covering.any(|&at| range.block(block(at)))
}

/// Whether a goal is an outcome that a decision never has, because of its constants.
fn is_folded_outcome(body: &Body, goal: &TestGoal) -> bool {
    match goal.kind {
        GoalKind::Decision(decision, outcome) => {
            body.decisions[decision].formula.folded() == Some(!outcome)
        }
        GoalKind::Switch(..)
        | GoalKind::Condition(..)
        | GoalKind::Statement(_)
        | GoalKind::Call(_)
        | GoalKind::Combination(..)
        | GoalKind::Boundary(..)
        | GoalKind::Mutant(_)
        | GoalKind::Use(_)
        | GoalKind::Label(_)
        | GoalKind::Independence(..)
        | GoalKind::AllCombinations(_) => false,
    }
}

/// Whether a loss says that code does not mean in attest what it means in C, so that proofs about
/// the code say nothing.
fn is_about_meaning(kind: LossKind) -> bool {
    matches!(
        kind,
        LossKind::Unsupported
            | LossKind::UnmodelledCall
            | LossKind::AddressDependence
            | LossKind::Volatile
            | LossKind::Padding
    )
}
