//! How far a search came towards the goals that it leaves undecided: see [`coverage::Nearest`].
//!
//! All of it is found once, at the end of the search, from what the tests visited.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::Departure;
use coverage::{Approach, GoalId, GoalStatus, Nearest, Obstacle, told_side};
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::test::{Frame, LossKind, Outcome, TestCase};
use ir::{Block, CodeBlock, CodeEdge, FunctionId, Span, Terminator, TestId, Trace};
use rustc_hash::FxHashSet;
use vm::{ConstraintKind, Execution};

use crate::code::Code;
use crate::tries::TryCounts;

/// What the execution of a test visited.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    trace: Trace,
    /// The blocks in which an input decided how control goes on.
    decided: FxHashSet<(FunctionId, Block)>,
    /// Whether all such blocks were recorded.
    is_whole: bool,
    /// The defect's place, if it ended in one: it may not have come to the end of its block.
    ended: Option<Frame>,
}

impl Route {
    /// The route of an execution; `None` if it goes on beyond a defect.
    pub fn of(execution: &Execution) -> Option<Route> {
        let decides = |kind: ConstraintKind| {
            matches!(
                kind,
                ConstraintKind::Branch
                    | ConstraintKind::PointerChoice(_)
                    | ConstraintKind::Concretisation
            )
        };
        let choices = execution.path.iter().filter(|it| decides(it.kind));
        let mut losses = execution.imprecision.losses.iter();
        execution.defects.beyond.is_none().then(|| Route {
            trace: execution.visited.trace.clone(),
            decided: choices
                .map(|choice| (choice.site.function, choice.site.block))
                .collect(),
            is_whole: losses.all(|loss| loss.kind != LossKind::ChoiceLimit),
            ended: match &execution.outcome {
                Outcome::Defect(defect) => defect.stack.first().cloned(),
                _ => None,
            },
        })
    }

    /// The block in which it ended.
    fn last(&self, code: &Code<'_>) -> Option<CodeBlock> {
        let ended = self.ended.as_ref()?;
        Some(code.index.block(ended.function, ended.block))
    }
}

/// The tests of a search, and what it tried.
pub(crate) struct Approaches<'a> {
    code: &'a Code<'a>,
    tests: &'a IndexVec<TestId, TestCase>,
    routes: &'a IndexVec<TestId, Option<Arc<Route>>>,
    tries: &'a TryCounts,
    /// The blocks that some test visited, or ended in.
    met: FixedBitSet,
}

impl<'a> Approaches<'a> {
    /// Of tests with their routes.
    pub fn new(
        code: &'a Code<'a>,
        tests: &'a IndexVec<TestId, TestCase>,
        routes: &'a IndexVec<TestId, Option<Arc<Route>>>,
        tries: &'a TryCounts,
    ) -> Self {
        let mut met = FixedBitSet::with_capacity(code.index.blocks());
        for route in routes.iter().flatten() {
            met.union_with(&route.trace.blocks);
            met.extend(route.last(code).map(|block| block.index()));
        }
        Approaches {
            code,
            tests,
            routes,
            tries,
            met,
        }
    }

    /// How far the search came towards each goal that is undecided, by the verdicts and the losses on the
    /// way to each.
    pub fn of(&self, verdicts: &[(GoalStatus, Vec<usize>)]) -> BTreeMap<GoalId, Approach> {
        let all = verdicts.iter().enumerate();
        let open = all.filter(|(_, (status, _))| matches!(status, GoalStatus::Undecided(_)));
        let approaches = open.map(|(at, (_, losses))| {
            let goal = GoalId::from_usize(at);
            let approach = Approach {
                nearest: self.nearest(goal),
                losses: losses.clone(),
            };
            (goal, approach)
        });
        approaches.collect()
    }

    /// The test that came nearest to a goal that no test covers.
    fn nearest(&self, goal: GoalId) -> Option<Nearest> {
        let is_met = |block: CodeBlock| self.met.contains(block.index());
        let departure = self.code.reach.departure(self.places(goal), is_met)?;
        let (function, block) = self.place(departure.from);
        let at = || self.tests_at(departure.from);
        let is_decided = |route: &Route| route.decided.contains(&(function, block));
        // A test that took the edge ended right behind it.
        let takes = |route: &Route| departure.edge.is_some_and(|edge| route.trace.edge(edge));
        let (test, route) = at()
            .find(|(_, route)| takes(route))
            .or_else(|| at().find(|(_, route)| is_decided(route)))
            .or_else(|| at().next())?;
        let (span, obstacle) = match &route.ended {
            Some(ended) if !route.trace.block(departure.from) => {
                (ended.span.clone(), Obstacle::End)
            }
            // A test that does not count may come to a goal itself.
            _ if departure.edge.is_none() && departure.to.is_none() => return None,
            _ => self.obstacle(&departure, goal, (test, route)),
        };
        Some(Nearest {
            test,
            function,
            span,
            obstacle,
            distance: departure.distance,
            is_decided_there: match is_decided(route) {
                true => Some(true),
                false => route.is_whole.then_some(false),
            },
            tries: self.tries.of(departure.from, departure.edge),
        })
    }

    /// The blocks and edges that cover a goal.
    fn places(&self, goal: GoalId) -> Vec<(CodeBlock, Option<CodeEdge>)> {
        let Code {
            program,
            index,
            goals,
            ..
        } = self.code;
        let function = goals.goal(goal).function;
        let mut places = Vec::new();
        let body = program.functions[function].body.iter();
        for &block in body.flat_map(|_| goals.covering(goal)) {
            let here = index.block(function, block);
            if goals.on_block(here).contains(&goal) {
                places.push((here, None));
            }
            places.extend(self.edges(function, block).filter_map(|edge| {
                let covers = goals.on_edge(edge).contains(&goal);
                covers.then_some((here, Some(edge)))
            }));
        }
        places
    }

    /// The edges out of a block that ends in a branch or switch.
    fn edges(&self, function: FunctionId, block: Block) -> impl Iterator<Item = CodeEdge> {
        let body = self.code.program.functions[function].body.as_ref();
        let end = body.map(|body| &body.blocks[block].terminator);
        let count = end
            .filter(|end| end.decides())
            .map_or(0, Terminator::successor_count);
        (0..count).map(move |at| self.code.index.edge(function, block, at))
    }

    /// The function and the number of a block.
    fn place(&self, block: CodeBlock) -> (FunctionId, Block) {
        let function = self.code.reach.function(block);
        let first = self.code.index.block(function, Block::from_raw(0));
        (function, Block::from_raw(block.raw() - first.raw()))
    }

    /// The tests that visited a block, or ended in it.
    fn tests_at(&self, block: CodeBlock) -> impl Iterator<Item = (TestId, &Route)> {
        let all = self.routes.iter_enumerated();
        all.filter_map(move |(test, route)| {
            let route = route.as_deref()?;
            let is_there = route.trace.block(block) || route.last(self.code) == Some(block);
            is_there.then_some((test, route))
        })
    }

    /// The reason why a test does not take the step, with its place.
    fn obstacle(
        &self,
        departure: &Departure,
        goal: GoalId,
        (test, route): (TestId, &Route),
    ) -> (Span, Obstacle) {
        let goal = self.code.goals.goal(goal);
        let (function, block) = self.place(departure.from);
        let Some(body) = &self.code.program.functions[function].body else {
            return (goal.span.clone(), Obstacle::End);
        };
        let data = &body.blocks[block];
        let here = || body.spans[data.span].clone();
        let untaken = departure.edge.filter(|&edge| !route.trace.edge(edge));
        let side = untaken.and_then(|edge| self.edges(function, block).position(|it| it == edge));
        let returns = matches!(self.tests[test].outcome, Outcome::Return | Outcome::Exit(_));
        let entered = departure.to.map(|to| self.place(to));
        match (&data.terminator, side) {
            (end, Some(_)) if end.is_probe() => (
                goal.span.clone(),
                Obstacle::Branch(goal.told_side().to_owned()),
            ),
            (Terminator::Branch { tag, .. }, Some(side)) => {
                let condition = tag.map(|tag| body.conditions[tag.condition].span.clone());
                let outcome = Obstacle::Branch((side == 0).to_string());
                (condition.unwrap_or_else(here), outcome)
            }
            (Terminator::Switch { decision, .. }, Some(side)) => {
                let decision = &body.decisions[*decision];
                let text = decision.sides.get(side).map(told_side);
                let outcome = text.map_or(Obstacle::End, Obstacle::Branch);
                (decision.span.clone(), outcome)
            }
            (Terminator::Call { next, .. }, None) if returns => match entered {
                Some((to, at)) if to != function || *next != Some(at) => {
                    (here(), Obstacle::Call(to))
                }
                _ => (here(), Obstacle::End),
            },
            _ => (here(), Obstacle::End),
        }
    }
}
