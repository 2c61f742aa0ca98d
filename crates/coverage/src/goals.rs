//! The goals of a criterion, and which of them a trace covers.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use index_vec::IndexVec;
use ir::{
    Block, Body, Callee, CodeBlock, CodeEdge, CodeIndex, ConditionId, CoverageLabel,
    CoverageLabelKind, DecisionId, DecisionKind, FunctionId, LabelId, Mutant, Program,
    SourceStatementId, Span, SpanId, Terminator, Trace, Types,
};
use rustc_hash::FxHashMap;

use crate::criterion::AskedFor;
use crate::decided::Decided;
use crate::evaluation::{End, Predecessors, Walk, combinations, predecessors};
use crate::switch_side::{side_by_names, side_text};
use crate::{Combination, Criteria, Derivation, DerivedGoal, Independence, Paths, Scope, mutation};

index_vec::define_index_type! {
    /// A goal of a [`Goals`].
    pub struct GoalId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// The kind of a goal.
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
    /// The call that ends a block, or a copy of it.
    Call(Block),
    /// A decision with this combination of values of its conditions.
    Combination(DecisionId, Combination),
    /// A condition that affects the outcome of its decision independently.
    Independence(ConditionId, Independence),
    /// A relational condition whose left side less the right one is this number.
    Boundary(ConditionId, i8),
    /// A mutant that has another value than its operation.
    Mutant(Mutant),
    /// A use of a variable, with the definition that gives it its value.
    Use(LabelId),
    /// A label that the user wrote.
    Label(LabelId),
    /// All combinations of a decision that has too many to tell them apart.
    AllCombinations(DecisionId),
}

/// Something in the source that a test should reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestGoal {
    /// The function that it lies in.
    pub function: FunctionId,
    /// Its kind.
    pub kind: GoalKind,
    /// Its place: the decision, the condition, the case label or the statement.
    pub span: Span,
    /// The outcome or value to reach: `true`, `false`, `case 7`, `case 1 ... 3`, `default`,
    /// `executed`, `called`; `left == right - 1`; for a combination its values, as `T - F`; `independent`.
    pub side: String,
    /// The side by the names of enumerators, if it has some: `case RED`.
    pub side_by_names: Option<String>,
}

/// The decisions of `if` statements whose false side is empty, and that go on at the same place.
fn without_else(body: &Body) -> BTreeSet<DecisionId> {
    let regions = analysis::empty_else(body).into_iter();
    regions
        .filter_map(|region| body.regions[region].decision)
        .collect()
}

/// Where a variable gets its value, in words, with the column if it gets another one on the same line.
fn origin(body: &Body, name: &str, definition: Option<SpanId>) -> String {
    let Some(definition) = definition else {
        return "as passed".to_owned();
    };
    let place = |span: SpanId| body.spans[span].place();
    let mut others = body.coverage_labels.iter().filter_map(|it| match &it.kind {
        CoverageLabelKind::Use {
            name: other,
            definition,
            ..
        } if other == name => *definition,
        _ => None,
    });
    let here = place(definition);
    let is_beside = others.any(|other| place(other).line == here.line && place(other) != here);
    match is_beside {
        true => format!("of line {}:{}", here.line, here.column),
        false => format!("of line {}", here.line),
    }
}

/// The goals of criteria, for one entry function.
#[derive(Clone, Debug)]
pub struct Goals {
    criteria: Criteria,
    list: IndexVec<GoalId, TestGoal>,
    /// The goals that are in the list.
    added: FxHashMap<(FunctionId, GoalKind), GoalId>,
    by_edge: IndexVec<CodeEdge, Vec<GoalId>>,
    by_block: IndexVec<CodeBlock, Vec<GoalId>>,
    /// For each goal the blocks that cover it.
    covering: IndexVec<GoalId, Vec<Block>>,
    /// The goals whose status follows from that of others.
    derived: Vec<DerivedGoal>,
}

impl Goals {
    /// The goals of criteria in the functions of `scope`, for the tested ones. Those of a function are
    /// in source order for each criterion.
    ///
    /// Where paths count ([`Criteria::paths`]), the goals are the sides of decisions, and the paths
    /// count beside them.
    pub fn new(
        program: &Program,
        index: &CodeIndex,
        tested: &[FunctionId],
        criteria: &Criteria,
        scope: Scope,
    ) -> Self {
        let mut goals = Goals {
            criteria: criteria.clone(),
            added: FxHashMap::default(),
            list: IndexVec::new(),
            by_edge: IndexVec::from_vec(vec![Vec::new(); index.edges()]),
            by_block: IndexVec::from_vec(vec![Vec::new(); index.blocks()]),
            covering: IndexVec::new(),
            derived: Vec::new(),
        };
        for id in scope.functions(program, tested) {
            if let Some(body) = &program.functions[id].body {
                let code = Decided::new(index, id, body);
                for asked in criteria.goals() {
                    match asked {
                        AskedFor::Decisions => goals.decisions(&code, &BTreeSet::new()),
                        AskedFor::NonEmptySides => goals.decisions(&code, &without_else(body)),
                        AskedFor::Conditions => goals.conditions(&code),
                        AskedFor::Statements => goals.statements(&code),
                        AskedFor::Calls(name) => goals.calls(program, &code, name),
                        AskedFor::Combinations => goals.combinations(&code),
                        AskedFor::Independence(how) => goals.independence(&code, how),
                        AskedFor::Boundaries => goals.boundaries(&code),
                        AskedFor::Mutants => goals.mutants(&program.types, &code),
                        AskedFor::Uses => goals.uses(&code, |_| true),
                        AskedFor::UsesOfResults => goals.uses(&code, |is_result| is_result),
                        AskedFor::Labels => goals.labels(&code),
                    }
                }
                goals.note_covering(index, id, body);
            }
        }
        goals
    }

    /// Lists for each goal of a function the blocks that cover it, or whose outgoing edge does.
    fn note_covering(&mut self, index: &CodeIndex, function: FunctionId, body: &Body) {
        self.covering.resize(self.list.len(), Vec::new());
        for (block, data) in body.blocks.iter_enumerated() {
            for &goal in &self.by_block[index.block(function, block)] {
                self.covering[goal].push(block);
            }
            let successors = match data.terminator.decides() {
                true => data.terminator.successor_count(),
                false => 0,
            };
            for successor in 0..successors {
                for &goal in &self.by_edge[index.edge(function, block, successor)] {
                    self.covering[goal].push(block);
                }
            }
        }
    }

    /// The sides of decisions; of these only the one where they are true.
    fn decisions(&mut self, code: &Decided<'_>, only_true: &BTreeSet<DecisionId>) {
        for (decision, data) in code.body.decisions.iter_enumerated() {
            match data.kind {
                DecisionKind::Switch => self.switch(code, decision),
                _ if only_true.contains(&decision) => self.decision(code, decision, &[true]),
                _ => self.decision(code, decision, &[true, false]),
            }
        }
    }

    /// Outcomes of a decision, also one that its constants rule out.
    fn decision(&mut self, code: &Decided<'_>, id: DecisionId, outcomes: &[bool]) {
        for &outcome in outcomes {
            let span = &code.body.decisions[id].span;
            let kind = GoalKind::Decision(id, outcome);
            let goal = self.add(code.function, kind, span, outcome.to_string());
            self.on_edges(goal, code.by_outcome.get(&(id, outcome)));
            let folds = code.folds.get(&(id, outcome));
            self.on_blocks(code, goal, folds.into_iter().flatten().copied());
        }
    }

    fn conditions(&mut self, code: &Decided<'_>) {
        for (decision, data) in code.body.decisions.iter_enumerated() {
            if data.kind == DecisionKind::Switch {
                self.switch(code, decision);
                continue;
            }
            // The sides of the decision stand in the place of a constant, which is no goal.
            if data.formula.has_constant() {
                self.decision(code, decision, &[true, false]);
            }
            let conditions = code.conditions.get(&decision).into_iter().flatten();
            conditions.for_each(|&condition| self.condition(code, condition));
        }
    }

    fn condition(&mut self, code: &Decided<'_>, id: ConditionId) {
        for value in [true, false] {
            let span = &code.body.conditions[id].span;
            let kind = GoalKind::Condition(id, value);
            let goal = self.add(code.function, kind, span, value.to_string());
            self.on_edges(goal, code.by_value.get(&(id, value)));
        }
    }

    fn switch(&mut self, code: &Decided<'_>, id: DecisionId) {
        let blocks = code.switches.get(&id).map_or(&[][..], Vec::as_slice);
        for (side, data) in code.body.decisions[id].sides.iter().enumerate() {
            let edges = blocks.iter();
            let edges: Vec<CodeEdge> = edges
                .map(|&block| code.index.edge(code.function, block, side))
                .collect();
            let kind = GoalKind::Switch(id, side as u32);
            let goal = self.add(code.function, kind, &data.span, side_text(data));
            if let Some(goal) = goal {
                self.list[goal].side_by_names = side_by_names(data);
            }
            self.on_edges(goal, Some(&edges));
        }
    }

    fn statements(&mut self, code: &Decided<'_>) {
        for (statement, data) in code.body.source_statements.iter_enumerated() {
            let kind = GoalKind::Statement(statement);
            let goal = self.add(code.function, kind, &data.span, "executed".to_owned());
            self.on_blocks(code, goal, code.with_copies(data.block));
        }
    }

    /// The calls of a function of this name, or all calls that the user wrote.
    fn calls(&mut self, program: &Program, code: &Decided<'_>, name: Option<&str>) {
        let blocks = code.body.blocks.iter_enumerated();
        let mut calls: Vec<(Block, &Span)> = blocks
            .filter_map(|(block, data)| {
                let Terminator::Call { callee, .. } = &data.terminator else {
                    return None;
                };
                let is_asked_for = match (callee, name) {
                    (Callee::Direct(id), Some(name)) => program.functions[*id].name == name,
                    (Callee::Indirect(_), Some(_)) => false,
                    (Callee::Direct(id), None) => !is_reserved(&program.functions[*id].name),
                    (Callee::Indirect(_), None) => true,
                };
                let is_copy = code.body.copies.contains_key(&block);
                (is_asked_for && !is_copy).then(|| (block, &code.body.spans[data.span]))
            })
            .collect();
        calls.sort_by_key(|(_, span)| span.place());
        for (block, span) in calls {
            let goal = self.add(
                code.function,
                GoalKind::Call(block),
                span,
                "called".to_owned(),
            );
            self.on_blocks(code, goal, code.with_copies(block));
        }
    }

    /// Each combination of values of the conditions of a decision.
    fn combinations(&mut self, code: &Decided<'_>) {
        let before = predecessors(code.body);
        for (decision, data) in code.body.decisions.iter_enumerated() {
            if data.kind == DecisionKind::Switch {
                self.switch(code, decision);
            } else if !self.combinations_of(code, &before, decision) {
                let kind = GoalKind::AllCombinations(decision);
                let of_all = (&data.span, "all combinations");
                self.derive(code, kind, of_all, Derivation::TooManyCombinations);
            }
        }
    }

    /// The combinations of one decision. Returns whether they can be told apart.
    fn combinations_of(
        &mut self,
        code: &Decided<'_>,
        before: &Predecessors,
        decision: DecisionId,
    ) -> bool {
        let data = &code.body.decisions[decision];
        let walk = Walk::new(code.body, before, decision).filter(Walk::tells_apart);
        let (Some(walk), Some(all)) = (walk, combinations(&data.formula)) else {
            return false;
        };
        let conditions = data.formula.conditions().len();
        for (combination, _) in all.into_iter().filter(|_| conditions > 0) {
            let kind = GoalKind::Combination(decision, combination);
            let goal = self.add(
                code.function,
                kind,
                &data.span,
                combination.text(conditions),
            );
            let ends = walk.ends.iter().filter(|(of, ..)| *of == combination);
            ends.for_each(|&(_, _, end)| match end {
                End::Edge(block, successor) => {
                    let edge = code.index.edge(code.function, block, successor);
                    self.by_edge[edge].extend(goal);
                }
                End::Block(block) => self.on_blocks(code, goal, [block]),
            });
        }
        true
    }

    /// That each condition affects its decision independently, and the combinations that show it.
    fn independence(&mut self, code: &Decided<'_>, how: Independence) {
        let before = predecessors(code.body);
        for (decision, data) in code.body.decisions.iter_enumerated() {
            // Both outcomes of a decision that is one condition show its independence.
            if data.kind == DecisionKind::Switch || data.formula.conditions().len() < 2 {
                continue;
            }
            let is_told_apart = self.combinations_of(code, &before, decision);
            for (position, id) in data.formula.conditions().into_iter().enumerate() {
                let pairs = how.pairs(&data.formula, position).filter(|_| is_told_apart);
                let derivation = pairs.map_or(Derivation::TooManyCombinations, |pairs| {
                    let goal = |combination| {
                        let kind = GoalKind::Combination(decision, combination);
                        self.added.get(&(code.function, kind)).copied()
                    };
                    let pairs = pairs.into_iter();
                    let pairs = pairs.filter_map(|(yes, no)| Some((goal(yes)?, goal(no)?)));
                    Derivation::Pairs(pairs.collect())
                });
                let kind = GoalKind::Independence(id, how);
                let of_condition = (&code.body.conditions[id].span, how.side());
                self.derive(code, kind, of_condition, derivation);
            }
        }
    }

    /// The boundary values of relational conditions.
    fn boundaries(&mut self, code: &Decided<'_>) {
        for label in &code.body.coverage_labels {
            let CoverageLabelKind::Boundary(condition, difference) = label.kind else {
                continue;
            };
            let kind = GoalKind::Boundary(condition, difference);
            let side = match difference {
                0 => "left == right",
                1 => "left == right + 1",
                _ => "left == right - 1",
            };
            let span = &code.body.conditions[condition].span;
            let goal = self.add(code.function, kind, span, side.to_owned());
            self.on_label(code, goal, label);
        }
    }

    /// The labels that the user wrote.
    fn labels(&mut self, code: &Decided<'_>) {
        for (id, label) in code.body.coverage_labels.iter_enumerated() {
            if let CoverageLabelKind::User { name, span } = &label.kind {
                let side = format!("label {name}");
                let goal = self.add(code.function, GoalKind::Label(id), span, side);
                self.on_label(code, goal, label);
            }
        }
    }

    /// The mutants of operations, in the order of the source.
    fn mutants(&mut self, types: &Types, code: &Decided<'_>) {
        let labels = code.body.coverage_labels.iter_enumerated();
        let mut mutants: Vec<(LabelId, Mutant)> = labels
            .filter_map(|(id, label)| match label.kind {
                CoverageLabelKind::Mutant(mutant) => Some((id, mutant)),
                _ => None,
            })
            .collect();
        mutants.sort_by_key(|&(id, mutant)| (mutant.operation, id));
        for (id, mutant) in mutants {
            let span = &code.body.spans[code.body.operations[mutant.operation].span];
            let side = mutation::side(types, code.body, mutant);
            let kind = GoalKind::Mutant(mutant);
            let goal = self.add(code.function, kind, span, side);
            // One operation may stand in several places of the code.
            let goal = goal.or_else(|| self.added.get(&(code.function, kind)).copied());
            self.on_label(code, goal, &code.body.coverage_labels[id]);
        }
    }

    /// The uses of variables that are asked for, by whether the value is the result of a call. What stands
    /// for one piece of the source counts once.
    fn uses(&mut self, code: &Decided<'_>, asked_for: impl Fn(bool) -> bool) {
        let mut first: BTreeMap<(&str, Option<SpanId>, SpanId), LabelId> = BTreeMap::new();
        for (id, label) in code.body.coverage_labels.iter_enumerated() {
            let CoverageLabelKind::Use {
                name,
                definition,
                usage,
                is_result,
            } = &label.kind
            else {
                continue;
            };
            if !asked_for(*is_result) {
                continue;
            }
            let known = *first.entry((name, *definition, *usage)).or_insert(id);
            let from = origin(code.body, name, *definition);
            let span = &code.body.spans[*usage];
            let side = format!("{name} {from}");
            let kind = GoalKind::Use(known);
            let goal = self.add(code.function, kind, span, side);
            let goal = goal.or_else(|| self.added.get(&(code.function, kind)).copied());
            self.on_label(code, goal, label);
        }
    }

    fn on_label(&mut self, code: &Decided<'_>, goal: Option<GoalId>, label: &CoverageLabel) {
        for block in code.with_copies(label.block) {
            let edge = code.index.edge(code.function, block, 0);
            self.by_edge[edge].extend(goal);
        }
    }

    /// Adds a goal whose status follows from that of others.
    fn derive(
        &mut self,
        code: &Decided<'_>,
        kind: GoalKind,
        (span, side): (&Span, &str),
        derivation: Derivation,
    ) {
        let goal = TestGoal {
            function: code.function,
            kind,
            span: span.clone(),
            side: side.to_owned(),
            side_by_names: None,
        };
        self.derived.push(DerivedGoal { goal, derivation });
    }

    /// Adds a goal that edges or blocks cover; `None` if it is there already.
    fn add(
        &mut self,
        function: FunctionId,
        kind: GoalKind,
        span: &Span,
        side: String,
    ) -> Option<GoalId> {
        let goal = TestGoal {
            function,
            kind,
            span: span.clone(),
            side,
            side_by_names: None,
        };
        let Entry::Vacant(new) = self.added.entry((function, kind)) else {
            return None;
        };
        let id = self.list.push(goal);
        new.insert(id);
        Some(id)
    }

    fn on_edges(&mut self, goal: Option<GoalId>, edges: Option<&Vec<CodeEdge>>) {
        for &edge in edges.into_iter().flatten() {
            self.by_edge[edge].extend(goal);
        }
    }

    fn on_blocks(
        &mut self,
        code: &Decided<'_>,
        goal: Option<GoalId>,
        blocks: impl IntoIterator<Item = Block>,
    ) {
        for block in blocks {
            self.by_block[code.index.block(code.function, block)].extend(goal);
        }
    }

    /// The criteria.
    pub fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// The paths that count, so that covering all goals is not enough.
    pub fn paths(&self) -> Option<Paths> {
        self.criteria.paths()
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

    /// The goals whose status follows from that of others, in the order of the criteria.
    pub fn derived(&self) -> &[DerivedGoal] {
        &self.derived
    }

    /// All goals with their numbers in a [`crate::Suite`]: those whose status follows from others come
    /// last.
    pub fn all(&self) -> impl Iterator<Item = (GoalId, &TestGoal)> {
        let derived = self.derived.iter().map(|derived| &derived.goal);
        let all = self.list.iter().chain(derived).enumerate();
        all.map(|(at, goal)| (GoalId::from_usize(at), goal))
    }

    /// Of goals that tests cover, those that have to stay covered: the goals that are asked for, and of
    /// the pairs that show the independence of a condition one.
    pub fn wanted(&self, covered: impl Iterator<Item = GoalId>) -> BTreeSet<GoalId> {
        let covered: BTreeSet<GoalId> = covered.collect();
        let asked_for = |goal: &GoalId| self.criteria.ask_for(self.list[*goal].kind);
        let mut wanted: BTreeSet<GoalId> = covered.iter().copied().filter(asked_for).collect();
        for derived in &self.derived {
            let Derivation::Pairs(pairs) = &derived.derivation else {
                continue;
            };
            let are_covered =
                |(yes, no): &&(GoalId, GoalId)| covered.contains(yes) && covered.contains(no);
            // The pair of which most is kept anyway.
            let more = |(yes, no): &&(GoalId, GoalId)| {
                [yes, no]
                    .iter()
                    .filter(|goal| !wanted.contains(goal))
                    .count()
            };
            let chosen = pairs.iter().filter(are_covered).min_by_key(more);
            wanted.extend(chosen.into_iter().flat_map(|&(yes, no)| [yes, no]));
        }
        wanted
    }

    /// The goals that taking an edge covers.
    pub fn on_edge(&self, edge: CodeEdge) -> &[GoalId] {
        &self.by_edge[edge]
    }

    /// The blocks of the goal's function that cover it, themselves or by an edge.
    pub fn covering(&self, goal: GoalId) -> &[Block] {
        &self.covering[goal]
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

/// Whether users do not write calls of a function of this name, but macros as `assert` do.
fn is_reserved(name: &str) -> bool {
    name.starts_with("__")
}
