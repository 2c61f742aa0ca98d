//! What executions did not do at the nodes of their tree, as questions: can an input do it, on the path
//! that leads there?

use expr::{Term, Terms};
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::library::Primitive;
use ir::{DefectKind, Span, Terminator};
use vm::{ConstraintKind, Demand, Site};

use super::reach::{Place, Reach};
use super::replay::{Replayed, span};
use super::session::Session;
use super::tree::{Node, Other, SlotId, Tree};
use super::{GoalClaim, SearchRun};
use crate::process::Answer;
use crate::refusal::Refusal;

/// A question about the inputs that come to a node.
struct Question {
    /// What must not hold with the conditions of the path; nothing if it is known that something can
    /// happen.
    conditions: Option<Vec<Term>>,
    /// The claims that rest on the answer.
    claims: FixedBitSet,
    kind: ConstraintKind,
    span: Option<Span>,
    /// The condition of the side, if it is one that executions could take.
    side: Option<Term>,
}

/// The questions about a tree, and the claims that are refused.
pub struct Sides<'a, 'r> {
    run: &'a SearchRun<'a>,
    claims: &'a [GoalClaim],
    reach: &'a Reach<'a>,
    found: &'a mut Replayed<'r>,
    /// The claims about goals that rejected executions reach: they rest on all sides.
    doubtful: FixedBitSet,
    /// The refusals so far.
    pub refused: Vec<Option<Refusal>>,
    /// How many questions were answered.
    pub shown: usize,
}

/// What to do next on the way through the tree.
enum Step {
    Enter(SlotId),
    /// Add the condition of a side and enter where it leads.
    Take(Term, SlotId),
    /// Take so many conditions away.
    Leave(usize),
}

impl<'a, 'r> Sides<'a, 'r> {
    /// No question was asked yet; some claims are refused already.
    pub fn new(
        run: &'a SearchRun<'a>,
        claims: &'a [GoalClaim],
        reach: &'a Reach<'a>,
        found: &'a mut Replayed<'r>,
        doubtful: FixedBitSet,
        refused: Vec<Option<Refusal>>,
    ) -> Self {
        Sides {
            doubtful,
            run,
            claims,
            reach,
            found,
            refused,
            shown: 0,
        }
    }

    /// Asks about each node, depth first.
    pub fn ask(&mut self, session: &mut Session<'_>) {
        let mut questions = self.questions();
        let is_asked = asked(&self.found.tree, &questions);
        let mut steps = vec![Step::Enter(Tree::ROOT)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(count) => (0..count).for_each(|_| session.remove()),
                Step::Take(term, to) => {
                    session.add(term);
                    steps.push(Step::Leave(1));
                    steps.push(Step::Enter(to));
                }
                Step::Enter(slot) if is_asked[slot] => {
                    let count = self.exclude_ended(slot, session);
                    steps.push(Step::Leave(count));
                    for question in std::mem::take(&mut questions[slot]) {
                        self.answer(slot, &question, session);
                    }
                    let node = self.found.tree.slot(slot).node.iter();
                    let sides = node.flat_map(|node| &node.sides);
                    steps.extend(sides.map(|side| Step::Take(side.term, side.to)));
                }
                Step::Enter(_) => {}
            }
        }
    }

    /// Excludes the inputs of executions that end at a slot. Returns how many conditions were added.
    fn exclude_ended(&mut self, slot: SlotId, session: &mut Session<'_>) -> usize {
        let ended_by = self.found.tree.slot(slot).ended_by.clone();
        for &condition in &ended_by {
            let goes_on = self.found.terms.bool_not(condition);
            session.add(goes_on);
        }
        ended_by.len()
    }

    fn answer(&mut self, slot: SlotId, question: &Question, session: &mut Session<'_>) {
        let is_open = |at: usize| self.refused[at].is_none();
        let open: Vec<usize> = question.claims.ones().filter(|&at| is_open(at)).collect();
        if open.is_empty() {
            return;
        }
        let answer = match &question.conditions {
            Some(conditions) => session.ask(&self.found.terms, conditions),
            None => Answer::Satisfiable,
        };
        let why = match answer {
            Answer::Unsatisfiable => {
                self.shown += 1;
                return;
            }
            Answer::Satisfiable if self.is_rejected(slot, question, session) => {
                self.shown += 1;
                return;
            }
            Answer::Satisfiable => format!(
                "an input takes a path that is not given, by {}",
                decision(question.kind)
            ),
            Answer::Unknown(why) => format!("it is not shown that no input takes a path: {why}"),
        };
        for at in open {
            self.refused[at] = Some(Refusal::bad(why.as_str()).at(question.span.clone()));
        }
    }

    /// Whether all inputs that a question is about are rejected at once.
    fn is_rejected(&mut self, slot: SlotId, question: &Question, session: &Session<'_>) -> bool {
        let (Some(side), Some(conditions)) = (question.side, &question.conditions) else {
            return false;
        };
        let model = session.model(&self.found.terms, conditions);
        model.is_some_and(|model| self.found.rejects(slot, side, &model))
    }

    /// The questions about each slot.
    fn questions(&mut self) -> IndexVec<SlotId, Vec<Question>> {
        let tree = std::mem::take(&mut self.found.tree);
        let of_slot = |(_, slot): (SlotId, &super::tree::Slot)| match &slot.node {
            Some(node) => self.about(node),
            None => Vec::new(),
        };
        let questions = tree.slots().map(of_slot).collect();
        self.found.tree = tree;
        questions
    }

    /// The questions about a node.
    fn about(&mut self, node: &Node) -> Vec<Question> {
        let place = Place::of_site(node.site, node.context, self.found.contexts());
        let mut questions = Vec::new();
        let (run, doubtful) = (self.run, &self.doubtful);
        let mut add = |conditions: Option<Vec<Term>>, side: Option<Term>, claims: FixedBitSet| {
            let claims = &claims | doubtful;
            if !claims.is_clear() {
                let span = span(run.program, node.site);
                questions.push(Question {
                    conditions,
                    claims,
                    kind: node.kind,
                    span,
                    side,
                });
            }
        };
        let terms = &mut self.found.terms;
        let (reach, claims) = (self.reach, self.claims);
        if node.kind != ConstraintKind::Concretisation {
            for other in node.others.iter().filter(|it| !is_closed(run, node, it)) {
                let conditions = match other.demand {
                    Demand::Term(term) => Some(vec![term]),
                    Demand::Pointer(..) | Demand::Exact(..) | Demand::Call(..) => None,
                };
                let is_excluded = conditions.iter().flatten();
                if is_excluded
                    .clone()
                    .any(|&it| terms.as_bool(it) == Some(false))
                {
                    continue;
                }
                let reached = reach.behind_side(&place, node.kind, other.number);
                let side = conditions.as_ref().and_then(|all| all.first().copied());
                add(conditions, side, behind(claims, reach, &reached));
            }
        }
        if let Some(rest) = rest(node, terms) {
            let reached = reach.behind(&place);
            add(Some(rest), None, behind(claims, reach, &reached));
        }
        questions
    }
}

/// The claims whose places are among what control can reach.
fn behind(claims: &[GoalClaim], reach: &Reach<'_>, reached: &super::reach::Reached) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(claims.len());
    for (at, claim) in claims.iter().enumerate() {
        let mut places = claim.places.iter();
        found.set(at, places.any(|place| reach.has(reached, place)));
    }
    found
}

/// Conditions that hold together where an input does nothing of what is known of a node, if its terms
/// alone do not exclude that. What a node demands otherwise than by terms is the machine's.
fn rest(node: &Node, terms: &mut Terms) -> Option<Vec<Term>> {
    let is_by_terms = |other: &Other| matches!(other.demand, Demand::Term(_));
    let is_asked = match node.kind {
        ConstraintKind::Branch | ConstraintKind::Concretisation => true,
        ConstraintKind::PointerChoice(_) | ConstraintKind::Call(_) => false,
        ConstraintKind::Check(_) | ConstraintKind::Assumption => {
            !node.others.is_empty() && node.others.iter().all(is_by_terms)
        }
    };
    if !is_asked {
        return None;
    }
    let sides = node.sides.iter().map(|side| side.term);
    let others = node.others.iter().filter_map(|other| match other.demand {
        Demand::Term(term) if node.kind != ConstraintKind::Concretisation => Some(term),
        _ => None,
    });
    let known: Vec<Term> = sides.chain(others).collect();
    let rest: Vec<Term> = known.iter().map(|&term| terms.bool_not(term)).collect();
    let is_excluded = |term: &Term| terms.as_bool(*term) == Some(false) || known.contains(term);
    (!rest.iter().any(is_excluded)).then_some(rest)
}

/// Whether nothing is claimed of the executions that do something at a node: they end there, in a
/// defect, in an assumption of the program, or at a bound that all executions at the node hit.
fn is_closed(run: &SearchRun<'_>, node: &Node, other: &Other) -> bool {
    match (node.kind, other.demand) {
        (_, Demand::Exact(..)) => true,
        // To read memory that was not written ends no execution.
        (ConstraintKind::Check(DefectKind::UninitialisedRead), _) => false,
        (ConstraintKind::Check(_), _) => other.number == 0,
        (ConstraintKind::Assumption, _) => other.number == 0 && is_assumption(run, node.site),
        _ => false,
    }
}

/// What decides at a node, in words.
fn decision(kind: ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::Branch => "a branch",
        ConstraintKind::Check(_) => "a check",
        ConstraintKind::PointerChoice(_) => "what a pointer is",
        ConstraintKind::Call(_) => "a call",
        ConstraintKind::Assumption => "an assumption about inputs",
        ConstraintKind::Concretisation => "a value that is fixed",
    }
}

/// Whether the program says at a site what it assumes of its inputs.
fn is_assumption(run: &SearchRun<'_>, site: Site) -> bool {
    let function = &run.program.functions[site.function];
    let block = function
        .body
        .as_ref()
        .and_then(|body| body.blocks.get(site.block));
    let Some(block) = block.filter(|it| it.statements.len() == site.statement as usize) else {
        return false;
    };
    match &block.terminator {
        Terminator::Call { callee, .. } => callee.direct().is_some_and(|callee| {
            Primitive::of(&run.program.functions[callee]) == Some(Primitive::Assume)
        }),
        Terminator::Return(_) => run.precondition == Some(site.function),
        _ => false,
    }
}

/// Whether there is a question about a slot, or about one behind it.
fn asked(tree: &Tree, questions: &IndexVec<SlotId, Vec<Question>>) -> IndexVec<SlotId, bool> {
    let mut asked: IndexVec<SlotId, bool> = questions
        .iter()
        .map(|questions| !questions.is_empty())
        .collect();
    for (id, slot) in tree.slots().rev() {
        let mut sides = slot.node.iter().flat_map(|node| &node.sides);
        asked[id] |= sides.any(|side| asked[side.to]);
    }
    asked
}
