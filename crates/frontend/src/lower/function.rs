//! One function: its locals, its body, and the tables of decisions, conditions and statements.

use std::collections::BTreeMap;

use index_vec::IndexVec;
use ir::{
    Block, Body, Condition, ConditionId, Decision, DecisionId, Fold, HeadKind, Local, LocalDecl,
    LocalKind, Operand, RegionId, Rvalue, SourceHead, SourceRegion, SourceStatement,
    SourceStatementId, SpanId, Terminator, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::{Draft, OperationTable, SpanTable};
use super::cleanup;
use super::storage::Scope;
use super::switch::SwitchDraft;
use super::unit::UnitLowering;
use super::visit::{self, Labels};
use crate::ast::FunctionDecl;

/// Where `break` and `continue` go.
pub(super) enum Exits {
    /// In the body of a loop.
    Loop {
        break_to: Block,
        continue_to: Block,
        /// How many scopes are open outside.
        scopes: usize,
    },
    /// In a switch, through which `continue` goes to the loop around.
    Switch {
        break_to: Block,
        /// How many scopes are open outside.
        scopes: usize,
    },
    /// In the condition or increment of a loop, where only a statement expression holds a jump. A
    /// jump there leaves this loop with clang, and the enclosing one with gcc.
    Header { end: Block },
}

impl Exits {
    /// Where a jump may go.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> {
        let (end, head) = match *self {
            Exits::Loop {
                break_to,
                continue_to,
                ..
            } => (break_to, Some(continue_to)),
            Exits::Switch { break_to: end, .. } | Exits::Header { end } => (end, None),
        };
        [Some(end), head].into_iter().flatten()
    }
}

/// The parts of the source that criteria are about.
#[derive(Default)]
pub(super) struct SourceParts {
    pub(super) decisions: IndexVec<DecisionId, Decision>,
    pub(super) conditions: IndexVec<ConditionId, Condition>,
    pub(super) folds: Vec<Fold>,
    /// The conditions in the order in which clang's coverage mapping lists them: it lists a
    /// condition when it leaves the operator or the statement that tests it.
    pub(super) mapped: Vec<ConditionId>,
    pub(super) source_statements: IndexVec<SourceStatementId, SourceStatement>,
    pub(super) heads: Vec<SourceHead>,
    pub(super) regions: IndexVec<RegionId, SourceRegion>,
}

/// A function body while it is lowered.
pub(super) struct FunctionLowering<'u, 'a> {
    pub(super) unit: &'u mut UnitLowering<'a>,
    pub(super) decl: &'a FunctionDecl,
    pub(super) locals: IndexVec<Local, LocalDecl>,
    pub(super) blocks: IndexVec<Block, Draft>,
    pub(super) current: Block,
    pub(super) spans: SpanTable,
    pub(super) operations: OperationTable,
    pub(super) source: SourceParts,
    /// The innermost region around what is lowered.
    pub(super) region: Option<RegionId>,
    /// The values of the `a ?: b` around, by clang's number.
    pub(super) opaque: FxHashMap<usize, Operand>,
    pub(super) exits: Vec<Exits>,
    pub(super) switches: Vec<SwitchDraft>,
    pub(super) scopes: Vec<Scope>,
    /// The parameters and variables in scope, in the order of their declarations.
    pub(super) in_scope: Vec<Local>,
    pub(super) labels: Labels,
    /// For each label of the function, its block.
    pub(super) label_blocks: Vec<Block>,
    /// The variables that hold the lengths of arrays, by clang's number.
    pub(super) lengths: FxHashMap<usize, Local>,
    /// The scalar variables whose address is taken; they live in memory.
    pub(super) in_memory: FxHashSet<usize>,
    /// The blocks that end in unsupported constructs whose mentions are not recorded yet.
    pub(super) unsettled: Vec<Block>,
}

impl<'u, 'a> FunctionLowering<'u, 'a> {
    pub(super) fn new(unit: &'u mut UnitLowering<'a>, decl: &'a FunctionDecl) -> Self {
        let mut blocks: IndexVec<Block, Draft> = IndexVec::new();
        let current = blocks.push(Draft::default());
        let label_blocks = decl
            .labels
            .iter()
            .map(|_| blocks.push(Draft::default()))
            .collect();
        let arity = decl.parameters.len();
        let locals = decl
            .locals
            .iter()
            .enumerate()
            .map(|(index, local)| LocalDecl {
                name: local.name.clone(),
                ty: unit.local_type(local.ty),
                kind: if index < arity {
                    LocalKind::Parameter
                } else {
                    LocalKind::Variable
                },
                constant: local.constant,
                address_taken: false,
                volatile: local.volatile,
            });
        FunctionLowering {
            locals: locals.collect(),
            blocks,
            current,
            spans: SpanTable::default(),
            operations: OperationTable::default(),
            source: SourceParts::default(),
            region: None,
            opaque: FxHashMap::default(),
            exits: Vec::new(),
            switches: Vec::new(),
            scopes: Vec::new(),
            in_scope: (0..arity).map(Local::from_usize).collect(),
            labels: Labels::default(),
            label_blocks,
            lengths: FxHashMap::default(),
            in_memory: FxHashSet::default(),
            unsettled: Vec::new(),
            unit,
            decl,
        }
    }

    pub(super) fn types(&self) -> &Types {
        &self.unit.program.types
    }

    /// Lowers the body.
    pub(super) fn run(mut self) -> Body {
        let Some(body) = &self.decl.body else {
            return Body::default();
        };
        self.in_memory = visit::address_taken(body);
        let volatile = self.decl.locals.iter().enumerate();
        let volatile = volatile.filter(|(_, local)| local.volatile);
        self.in_memory.extend(volatile.map(|(index, _)| index));
        self.labels = Labels::of(body);
        self.evaluate_lengths(&self.decl.lengths);
        self.stmt(body);
        self.fall_off_the_end(body.span);
        self.finish()
    }

    /// The type that the function returns.
    pub(super) fn result_type(&self) -> TypeId {
        match self.types().kind(self.unit.ty(self.decl.ty)) {
            Type::Function(function) => function.result,
            _ => self.unit.int,
        }
    }

    /// Control reaches the closing brace: `main` returns 0 there; from another function with a
    /// result it returns without one.
    fn fall_off_the_end(&mut self, body_span: usize) {
        let span = self.span(body_span);
        let result = self.result_type();
        let is_main = self.decl.name == "main" && self.types().int(result).is_some();
        let value = is_main.then(|| self.constant(result, 0));
        self.end_path(Terminator::Return(value), span);
    }

    /// Closes what is open and puts the tables in order.
    fn finish(mut self) -> Body {
        let decl_span = self.decl.body.as_ref().map_or(0, |body| body.span);
        let span = self.span(decl_span);
        // The last block is never reached, and a label that no statement bears is never placed.
        for block in &mut self.blocks {
            if block.end.is_none() {
                block.end = Some((Terminator::Unreachable, span));
            }
        }
        self.mark_address_taken();
        let mut regions = self.source.regions;
        for (block, draft) in self.blocks.iter_enumerated() {
            if let Some(region) = draft.region {
                regions[region].blocks.push(block);
            }
        }
        let body = Body {
            locals: self.locals,
            blocks: IndexVec::new(),
            decisions: self.source.decisions,
            conditions: self.source.conditions,
            folds: self.source.folds,
            source_statements: self.source.source_statements,
            heads: self.source.heads,
            regions,
            spans: self.spans.spans,
            operations: self.operations.all,
            coverage_labels: IndexVec::new(),
            copies: BTreeMap::new(),
        };
        cleanup::finish(body, self.blocks, &self.source.mapped)
    }

    /// Marks the locals of which some address is taken; volatile ones may be looked at by others
    /// too.
    fn mark_address_taken(&mut self) {
        for local in self.locals.iter_mut().filter(|local| local.volatile) {
            local.address_taken = true;
        }
        for block in &self.blocks {
            for statement in &block.statements {
                let ir::StatementKind::Assign(_, Rvalue::AddressOf(place)) = &statement.kind else {
                    continue;
                };
                if let ir::PlaceBase::Local(local) = place.base {
                    self.locals[local].address_taken = true;
                }
            }
        }
    }

    /// Records that rounds of a loop may begin with a block. If it is no label, the loop is the region
    /// that is open.
    pub(super) fn head(&mut self, kind: HeadKind, block: Block, span: SpanId) {
        if let Some(region) = self.region.filter(|_| kind != HeadKind::Label) {
            self.source.regions[region].head = Some(block);
        }
        self.source.heads.push(SourceHead {
            kind,
            span: self.spans.spans[span].clone(),
            block,
            in_scope: self.in_scope.clone(),
        });
    }

    /// Records a statement of the source that starts here.
    pub(super) fn source_statement(&mut self, span: SpanId) {
        let span = self.spans.spans[span].clone();
        self.source.source_statements.push(SourceStatement {
            span,
            block: self.current,
        });
    }

    /// Goes on in another block after a statement of the source: it counts as executed whatever
    /// happens in the next one.
    pub(super) fn source_statement_ran(&mut self, span: SpanId) {
        let next = self.new_block();
        self.continue_at(next, span);
    }
}
