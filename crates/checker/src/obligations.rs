//! What has to be shown for a proof to hold.
//!
//! ```text
//! initiation    no passage from the start leads to a point where its formulas do not hold
//! consecution   nor does one from a point where they hold
//! exclusion     no passage from there reaches the goal
//! base          with k rounds: no passage of the first k in a row from the start does
//! step          nor does the one behind k passages from any point that do not
//! ```
//!
//! Each is a list of conditions that cannot hold at once.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Term, Terms};
use index_vec::IndexVec;
use ir::Span;
use ir::certificate::{PlaceProof, Premises};

use crate::objects::INDEX_WIDTH;
use crate::order::positions;
use crate::passage::{Endless, Passage, Plan, passage};
use crate::points::{Indices, Point, PointId, is_of_two, points};
use crate::refusal::Refusal;
use crate::state::{Memory, State};
use crate::unfolding::Node;
use crate::world::World;

/// The kinds of obligations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Formulas hold where executions first come to a point.
    Initiation,
    /// They go on to hold.
    Consecution,
    /// They exclude the goal.
    Exclusion,
    /// The first rounds do not reach the goal.
    Base,
    /// Nor does any later one.
    Step,
}

impl Kind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Initiation => "initiation",
            Kind::Consecution => "consecution",
            Kind::Exclusion => "exclusion",
            Kind::Base => "base",
            Kind::Step => "step",
        }
    }
}

/// Conditions that must not hold at once.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What they would break.
    pub kind: Kind,
    /// The formula that would be broken, by its position among those of its point from 1 on.
    pub formula: Option<usize>,
    /// The point that it is about.
    pub span: Option<Span>,
    /// The conditions.
    pub conditions: Vec<Term>,
    /// Some of them, more each time, of which a solver makes less work and which may be enough.
    pub parts: Vec<Vec<Term>>,
}

impl Obligation {
    /// An obligation by itself, before anything is known to hold.
    fn new(kind: Kind, span: Option<Span>, conditions: Vec<Term>) -> Obligation {
        Obligation {
            kind,
            formula: None,
            span,
            conditions,
            parts: Vec::new(),
        }
    }

    /// Adds what holds, of which some is enough by what the proof says.
    fn add(&mut self, held: &[Instance], is_named: impl Fn(&Instance) -> bool) {
        let mut chosen: Vec<Vec<Term>> = Vec::new();
        for stage in 0..STAGES.len() {
            chosen.push(terms(held, |it| it.stage <= stage && is_named(it)));
        }
        chosen.push(terms(held, |it| it.stage == 0));
        chosen.dedup();
        let all = terms(held, |_| true);
        chosen.retain(|part| *part != all);
        let with = |part| [&self.conditions[..], part].concat();
        self.parts = chosen.iter().map(|part| with(part)).collect();
        self.conditions = with(&all);
    }
}

/// The different terms of some instances.
fn terms(held: &[Instance], is_chosen: impl Fn(&Instance) -> bool) -> Vec<Term> {
    let mut seen = BTreeSet::new();
    let chosen = held.iter().filter(|it| is_chosen(it)).map(|it| it.holds);
    chosen.filter(|&holds| seen.insert(holds)).collect()
}

/// The obligations that share terms.
pub struct Group {
    /// The terms.
    pub terms: Terms,
    /// The obligations.
    pub obligations: Vec<Obligation>,
}

/// How many rounds of k-induction are looked at.
const MOST_ROUNDS: u32 = 64;

/// How many numbers of elements formulas are taken at.
const MOST_NUMBERS: usize = 24;

/// How many of them formulas about two are taken at, from stage to stage.
const STAGES: [usize; 3] = [4, 7, 10];

/// How many loops without a point may get one.
const MOST_ADDED: usize = 64;

/// All obligations of a proof.
pub fn obligations(world: &World<'_>, proof: &PlaceProof) -> Result<Vec<Group>, Refusal> {
    if proof.rounds > MOST_ROUNDS {
        return Err(Refusal::needs("fewer rounds"));
    }
    let mut points = points(world, &proof.points)?;
    for _ in 0..MOST_ADDED {
        let plan = plan(world, proof, &points);
        let task = Task {
            world,
            points: &points,
            plan: &plan,
            excluded_by: &proof.excluded_by,
        };
        match task.groups(proof.rounds) {
            Ok(groups) => return Ok(groups),
            Err(Stop::Refused(refusal)) => return Err(refusal),
            // The loop gets a point of which nothing is known.
            Err(Stop::Endless(node)) => {
                points.push(Point {
                    node,
                    formulas: Vec::new(),
                });
            }
        }
    }
    Err(Refusal::needs("points in more loops"))
}

/// Two numbers of which nothing is known.
fn any_indices(memory: &mut Memory<'_, '_>) -> Indices {
    Indices {
        first: memory.formulas.fresh(INDEX_WIDTH),
        second: memory.formulas.fresh(INDEX_WIDTH),
    }
}

fn plan(world: &World<'_>, proof: &PlaceProof, points: &IndexVec<PointId, Point>) -> Plan {
    let by_node: BTreeMap<Node, PointId> = points
        .iter_enumerated()
        .map(|(id, point)| (point.node, id))
        .collect();
    let ends = |node: Node| by_node.contains_key(&node);
    Plan {
        positions: positions(&world.unfolding.graph, &ends),
        points: by_node,
        goal: proof.place,
    }
}

/// Why obligations cannot be written down.
enum Stop {
    Refused(Refusal),
    Endless(Node),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl From<Endless> for Stop {
    fn from(Endless(node): Endless) -> Stop {
        Stop::Endless(node)
    }
}

/// Where passages begin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Start,
    Point(PointId),
}

struct Task<'a, 'p> {
    world: &'a World<'p>,
    points: &'a IndexVec<PointId, Point>,
    plan: &'a Plan,
    excluded_by: &'a Premises,
}

/// What a formula says of some numbers.
struct Instance {
    /// The point.
    point: PointId,
    /// The position of the formula at the point.
    formula: usize,
    /// The stage from which on it is told.
    stage: usize,
    /// What it says.
    holds: Term,
}

/// Whether something follows from a formula by what the proof says.
fn is_premise(premises: &Premises) -> impl Fn(&Instance) -> bool + '_ {
    |instance| {
        let of_point = premises.get(instance.point.index());
        of_point.is_none_or(|formulas| formulas.contains(&instance.formula))
    }
}

/// States at places where passages begin.
type Level = BTreeMap<Origin, State>;

impl<'p> Task<'_, 'p> {
    fn groups(&self, rounds: u32) -> Result<Vec<Group>, Stop> {
        let mut groups = vec![self.group(Origin::Start, rounds == 0)?];
        for point in self.points.indices() {
            groups.push(self.group(Origin::Point(point), rounds == 0)?);
        }
        if rounds > 0 {
            groups.push(self.base(rounds)?);
            groups.push(self.step(rounds)?);
        }
        Ok(groups)
    }

    fn node(&self, from: Origin) -> Node {
        match from {
            Origin::Start => self.world.unfolding.start(),
            Origin::Point(point) => self.points[point].node,
        }
    }

    /// The passage from a place. Where executions start may be a point itself: then the passage ends
    /// at once.
    fn passage(
        &self,
        memory: &mut Memory<'_, 'p>,
        from: Origin,
        state: State,
    ) -> Result<Passage, Stop> {
        let node = self.node(from);
        match (from, self.plan.points.get(&node)) {
            (Origin::Start, Some(&point)) => Ok(Passage {
                arrivals: BTreeMap::from([(point, vec![state])]),
                reached: Vec::new(),
            }),
            _ => Ok(passage(memory, self.plan, node, state)?),
        }
    }

    /// What has to be shown of the passage from one place; that it excludes the goal only for proofs by
    /// formulas alone.
    fn group(&self, from: Origin, excludes: bool) -> Result<Group, Stop> {
        let mut memory = Memory::new(self.world);
        let state = match from {
            Origin::Start => memory.first_state(),
            Origin::Point(_) => memory.any_state(),
        };
        let index = any_indices(&mut memory);
        let passage = self.passage(&mut memory, from, state.clone())?;
        let mut obligations = Vec::new();
        let kind = match from {
            Origin::Start => Kind::Initiation,
            Origin::Point(_) => Kind::Consecution,
        };
        for (to, states) in passage.arrivals {
            let Some(arrived) = memory.join(states) else {
                continue;
            };
            let point = &self.points[to];
            for (at, formula) in point.formulas.iter().enumerate() {
                let holds = memory.said(formula, (point.node, &arrived), index)?;
                let broken = memory.formulas.negated(holds);
                let span = self.world.span(point.node);
                let mut obligation = Obligation::new(kind, span, vec![arrived.reach, broken]);
                obligation.formula = Some(at + 1);
                obligations.push((obligation, &formula.follows_from));
            }
        }
        if excludes && !passage.reached.is_empty() {
            let span = self.world.span(self.node(from));
            let reached = vec![memory.formulas.any(passage.reached)];
            let obligation = Obligation::new(Kind::Exclusion, span, reached);
            obligations.push((obligation, self.excluded_by));
        }
        if let Origin::Point(point) = from {
            let held = self.held(&mut memory, point, &state, index)?;
            for (obligation, premises) in &mut obligations {
                obligation.add(&held, is_premise(premises));
            }
        }
        let obligations = obligations.into_iter().map(|(obligation, _)| obligation);
        self.finish(memory, obligations.collect())
    }

    /// What holds at a point, for the indices and for each number of an element that was read.
    fn held(
        &self,
        memory: &mut Memory<'_, 'p>,
        id: PointId,
        state: &State,
        indices: Indices,
    ) -> Result<Vec<Instance>, Refusal> {
        let point = &self.points[id];
        let Indices { first, second } = indices;
        let mut numbers = memory.contents.numbers.clone();
        numbers.retain(|&number| number != first && number != second);
        numbers.truncate(MOST_NUMBERS);
        numbers.splice(0..0, [first, second]);
        let most = STAGES[STAGES.len() - 1];
        let paired = &numbers[..numbers.len().min(most)];
        let mut held = Vec::new();
        for (position, formula) in point.formulas.iter().enumerate() {
            let mut add = |stage, holds| {
                held.push(Instance {
                    point: id,
                    formula: position,
                    stage,
                    holds,
                });
            };
            for (at, &first) in numbers.iter().enumerate() {
                let said = |memory: &mut Memory<'_, 'p>, second| {
                    let indices = Indices { first, second };
                    memory.said(formula, (point.node, state), indices)
                };
                if !is_of_two(formula) {
                    add(0, said(memory, second)?);
                    continue;
                }
                for (with, &second) in paired.iter().enumerate() {
                    if with != at && at < paired.len() {
                        let stage = STAGES.iter().position(|&taken| at.max(with) < taken);
                        add(stage.unwrap_or(STAGES.len()), said(memory, second)?);
                    }
                }
            }
        }
        Ok(held)
    }

    /// That the first passages from the start do not reach the goal.
    fn base(&self, rounds: u32) -> Result<Group, Stop> {
        let mut memory = Memory::new(self.world);
        let first = memory.first_state();
        let mut level = Level::from([(Origin::Start, first)]);
        let mut reached = Vec::new();
        for _ in 0..rounds {
            let (next, new) = self.advance(&mut memory, level)?;
            level = next;
            reached.extend(new);
        }
        let any = memory.formulas.any(reached);
        let span = self.world.span(self.world.unfolding.start());
        let obligation = Obligation::new(Kind::Base, span, vec![any]);
        self.finish(memory, vec![obligation])
    }

    /// That no passage reaches the goal behind others from any point that do not.
    fn step(&self, rounds: u32) -> Result<Group, Stop> {
        let mut memory = Memory::new(self.world);
        let index = any_indices(&mut memory);
        let mut level = Level::new();
        let mut rest = memory.any_state();
        for point in self.points.indices() {
            let is_here = memory.formulas.fresh_truth();
            level.insert(Origin::Point(point), memory.under(&rest, is_here));
            let is_elsewhere = memory.formulas.negated(is_here);
            rest = memory.under(&rest, is_elsewhere);
        }
        // The first passage starts where executions do, in any state.
        level.insert(Origin::Start, rest);
        let begins = level.clone();
        let mut before = Vec::new();
        for _ in 0..rounds {
            let (next, new) = self.advance(&mut memory, level)?;
            level = next;
            before.extend(new);
        }
        let (_, last) = self.advance(&mut memory, level)?;
        let early = memory.formulas.any(before);
        let conditions = vec![memory.formulas.any(last), memory.formulas.negated(early)];
        let mut held = Vec::new();
        for (from, state) in begins {
            let Origin::Point(point) = from else {
                continue;
            };
            let is_elsewhere = memory.formulas.negated(state.reach);
            for mut instance in self.held(&mut memory, point, &state, index)? {
                instance.holds = memory.formulas.either(is_elsewhere, instance.holds);
                held.push(instance);
            }
        }
        let span = self.world.span(self.world.unfolding.start());
        let mut obligation = Obligation::new(Kind::Step, span, conditions);
        obligation.add(&held, is_premise(self.excluded_by));
        self.finish(memory, vec![obligation])
    }

    /// One passage from each place of a level: the next level, and how the goal is reached.
    fn advance(
        &self,
        memory: &mut Memory<'_, 'p>,
        level: Level,
    ) -> Result<(Level, Vec<Term>), Stop> {
        let mut arrived: BTreeMap<PointId, Vec<State>> = BTreeMap::new();
        let mut reached = Vec::new();
        for (from, state) in level {
            let passage = self.passage(memory, from, state)?;
            reached.extend(passage.reached);
            for (to, states) in passage.arrivals {
                arrived.entry(to).or_default().extend(states);
            }
        }
        let mut next = Level::new();
        for (to, states) in arrived {
            if let Some(state) = memory.join(states) {
                next.insert(Origin::Point(to), state);
            }
        }
        Ok((next, reached))
    }

    fn finish(&self, memory: Memory<'_, 'p>, obligations: Vec<Obligation>) -> Result<Group, Stop> {
        if memory.contents.is_cut_short {
            return Err(Stop::Refused(Refusal::needs("shorter ways between points")));
        }
        Ok(Group {
            terms: memory.formulas.terms,
            obligations,
        })
    }
}
