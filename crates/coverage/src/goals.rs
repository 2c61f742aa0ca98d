//! The goals of a criterion, and which of them a trace covers.

use index_vec::IndexVec;
use ir::{
    Body, CodeBlock, CodeEdge, CodeIndex, ConditionId, DecisionId, DecisionKind, FunctionId,
    Program, SourceStatementId, Span, Terminator, Trace,
};

use crate::{Criterion, Paths, Scope};

index_vec::define_index_type! {
    /// A goal of a [`Goals`].
    pub struct GoalId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// What is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalKind {
    /// A decision with this outcome.
    Decision(DecisionId, bool),
    /// A side of a switch, by its position in [`ir::Decision::sides`].
    Switch(DecisionId, u32),
    /// A condition with this value.
    Condition(ConditionId, bool),
    /// A statement.
    Statement(SourceStatementId),
}

/// Something in the source that a test should reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestGoal {
    /// The function that it lies in.
    pub function: FunctionId,
    /// What is to be reached.
    pub kind: GoalKind,
    /// Where: the decision, the condition, the case label or the statement.
    pub span: Span,
    /// What is to happen there: `true`, `false`, `case 7`, `case 1 ... 3`, `default`, `executed`.
    pub side: String,
}

/// The goals of one criterion, for one entry function.
#[derive(Clone, Debug)]
pub struct Goals {
    criterion: Criterion,
    list: IndexVec<GoalId, TestGoal>,
    by_edge: IndexVec<CodeEdge, Vec<GoalId>>,
    by_block: IndexVec<CodeBlock, Vec<GoalId>>,
}

impl Goals {
    /// The goals of `criterion` in the functions of `scope` around those that are tested, in source
    /// order.
    ///
    /// Where paths count ([`Criterion::paths`]) the goals are those of [`Criterion::Decisions`], and
    /// the paths come on top of them.
    pub fn new(
        program: &Program,
        index: &CodeIndex,
        tested: &[FunctionId],
        criterion: Criterion,
        scope: Scope,
    ) -> Self {
        let mut goals = Goals {
            criterion,
            list: IndexVec::new(),
            by_edge: IndexVec::from_vec(vec![Vec::new(); index.edges()]),
            by_block: IndexVec::from_vec(vec![Vec::new(); index.blocks()]),
        };
        for id in scope.functions(program, tested) {
            if let Some(body) = &program.functions[id].body {
                match criterion {
                    Criterion::Decisions | Criterion::AllPaths | Criterion::UnitPaths => {
                        goals.decisions(index, id, body);
                    }
                    Criterion::Conditions => goals.conditions(index, id, body),
                    Criterion::Statements => goals.statements(index, id, body),
                }
            }
        }
        goals
    }

    fn decisions(&mut self, index: &CodeIndex, function: FunctionId, body: &Body) {
        for (decision, data) in body.decisions.iter_enumerated() {
            match data.kind {
                DecisionKind::Switch => self.switch(index, function, body, decision),
                _ => self.decision(index, function, body, decision),
            }
        }
    }

    /// Both outcomes of a decision, also one that its constants rule out.
    fn decision(&mut self, index: &CodeIndex, function: FunctionId, body: &Body, id: DecisionId) {
        for outcome in [true, false] {
            let edges: Vec<CodeEdge> = tagged_edges(index, function, body)
                .filter(|edge| {
                    body.conditions[edge.condition].decision == id && edge.outcome == Some(outcome)
                })
                .map(|edge| edge.edge)
                .collect();
            let goal = self.add_on_edges(
                TestGoal {
                    function,
                    kind: GoalKind::Decision(id, outcome),
                    span: body.decisions[id].span.clone(),
                    side: outcome.to_string(),
                },
                &edges,
            );
            for fold in &body.folds {
                if fold.decision == id && fold.outcome == Some(outcome) {
                    self.by_block[index.block(function, fold.block)].push(goal);
                }
            }
        }
    }

    fn conditions(&mut self, index: &CodeIndex, function: FunctionId, body: &Body) {
        for (decision, data) in body.decisions.iter_enumerated() {
            if data.kind == DecisionKind::Switch {
                self.switch(index, function, body, decision);
                continue;
            }
            // In the place of a constant, which is no goal, stands what it decides.
            if data.formula.has_constant() {
                self.decision(index, function, body, decision);
            }
            for (condition, data) in body.conditions.iter_enumerated() {
                if data.decision == decision {
                    self.condition(index, function, body, condition);
                }
            }
        }
    }

    fn condition(&mut self, index: &CodeIndex, function: FunctionId, body: &Body, id: ConditionId) {
        for value in [true, false] {
            let edges: Vec<CodeEdge> = tagged_edges(index, function, body)
                .filter(|edge| edge.condition == id && edge.value == value)
                .map(|edge| edge.edge)
                .collect();
            let goal = TestGoal {
                function,
                kind: GoalKind::Condition(id, value),
                span: body.conditions[id].span.clone(),
                side: value.to_string(),
            };
            self.add_on_edges(goal, &edges);
        }
    }

    fn switch(&mut self, index: &CodeIndex, function: FunctionId, body: &Body, id: DecisionId) {
        for (side, data) in body.decisions[id].sides.iter().enumerate() {
            let edges: Vec<CodeEdge> = body
                .blocks
                .iter_enumerated()
                .filter(|(_, block)| {
                    matches!(&block.terminator, Terminator::Switch { decision, .. } if *decision == id)
                })
                .map(|(block, _)| index.edge(function, block, side))
                .collect();
            let text = match data.values {
                None => "default".to_owned(),
                Some((low, high)) if low == high => format!("case {low}"),
                Some((low, high)) => format!("case {low} ... {high}"),
            };
            let goal = TestGoal {
                function,
                kind: GoalKind::Switch(id, side as u32),
                span: data.span.clone(),
                side: text,
            };
            self.add_on_edges(goal, &edges);
        }
    }

    fn statements(&mut self, index: &CodeIndex, function: FunctionId, body: &Body) {
        for (statement, data) in body.source_statements.iter_enumerated() {
            let goal = self.list.push(TestGoal {
                function,
                kind: GoalKind::Statement(statement),
                span: data.span.clone(),
                side: "executed".to_owned(),
            });
            self.by_block[index.block(function, data.block)].push(goal);
        }
    }

    fn add_on_edges(&mut self, goal: TestGoal, edges: &[CodeEdge]) -> GoalId {
        let id = self.list.push(goal);
        for &edge in edges {
            self.by_edge[edge].push(id);
        }
        id
    }

    /// The criterion.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The paths that count, so that covering all goals is not enough.
    pub fn paths(&self) -> Option<Paths> {
        self.criterion.paths()
    }

    /// How many goals there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no goal.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A goal.
    pub fn goal(&self, id: GoalId) -> &TestGoal {
        &self.list[id]
    }

    /// All goals in source order.
    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &TestGoal)> {
        self.list.iter_enumerated()
    }

    /// The goals that taking an edge covers.
    pub fn on_edge(&self, edge: CodeEdge) -> &[GoalId] {
        &self.by_edge[edge]
    }

    /// The goals that reaching a block's terminator covers.
    pub fn on_block(&self, block: CodeBlock) -> &[GoalId] {
        &self.by_block[block]
    }

    /// The goals that a trace covers; one may appear more than once.
    pub fn covered_by<'a>(&'a self, trace: &'a Trace) -> impl Iterator<Item = GoalId> + 'a {
        let edges = trace
            .edges
            .ones()
            .flat_map(|edge| &self.by_edge[CodeEdge::from_usize(edge)]);
        let blocks = trace
            .blocks
            .ones()
            .flat_map(|block| &self.by_block[CodeBlock::from_usize(block)]);
        edges.chain(blocks).copied()
    }
}

/// An edge that gives a condition a value.
struct TaggedEdge {
    edge: CodeEdge,
    condition: ConditionId,
    value: bool,
    /// The outcome of the decision, if the edge settles it.
    outcome: Option<bool>,
}

fn tagged_edges<'a>(
    index: &'a CodeIndex,
    function: FunctionId,
    body: &'a Body,
) -> impl Iterator<Item = TaggedEdge> + 'a {
    body.blocks
        .iter_enumerated()
        .flat_map(move |(block, data)| {
            let tag = match data.terminator {
                Terminator::Branch { tag, .. } => tag,
                _ => None,
            };
            tag.into_iter().flat_map(move |tag| {
                [
                    (0, true, tag.then_outcome),
                    (1, false, tag.otherwise_outcome),
                ]
                .map(|(successor, value, outcome)| TaggedEdge {
                    edge: index.edge(function, block, successor),
                    condition: tag.condition,
                    value,
                    outcome,
                })
            })
        })
}
