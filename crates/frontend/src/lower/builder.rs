//! The body that is being written: blocks, locals, spans, and the small steps that emit code.

use index_vec::IndexVec;
use ir::{
    Block, Constant, ConstantValue, DecisionId, Local, LocalDecl, LocalKind, Operand, Operation,
    OperationId, Place, PlaceBase, RegionId, Rvalue, SourceRegion, Span, SpanId, Statement,
    StatementKind, Terminator, Type, TypeId,
};
use rustc_hash::FxHashMap;

use super::function::FunctionLowering;
use super::types::truncate;

/// A block that may still lack its terminator.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) statements: Vec<Statement>,
    pub(super) end: Option<(Terminator, SpanId)>,
    /// The innermost region around it.
    pub(super) region: Option<RegionId>,
}

/// The spans of a body, each once.
#[derive(Default)]
pub(super) struct SpanTable {
    pub(super) spans: IndexVec<SpanId, Span>,
    by_index: FxHashMap<usize, SpanId>,
}

/// The binary operators of a body.
#[derive(Default)]
pub(super) struct OperationTable {
    pub(super) all: IndexVec<OperationId, Operation>,
    by_spans: FxHashMap<[SpanId; 3], OperationId>,
    /// The value of the one whose statement is to come.
    next: Option<(Rvalue, Operation)>,
}

impl OperationTable {
    /// Notes that the next statement evaluates none.
    pub(super) fn forget(&mut self) {
        self.next = None;
    }
}

/// A value that is not yet in an operand, with its type.
pub(super) type Typed = (Rvalue, TypeId);

impl FunctionLowering<'_, '_> {
    /// The number, in this body, of one of clang's spans.
    pub(super) fn span(&mut self, index: usize) -> SpanId {
        if let Some(id) = self.spans.by_index.get(&index) {
            return *id;
        }
        let id = self.spans.spans.push(self.unit.span(index));
        self.spans.by_index.insert(index, id);
        id
    }

    pub(super) fn new_block(&mut self) -> Block {
        self.new_block_in(self.region)
    }

    /// A new block whose innermost region is this one.
    pub(super) fn new_block_in(&mut self, region: Option<RegionId>) -> Block {
        self.blocks.push(Draft {
            region,
            ..Draft::default()
        })
    }

    /// Begins a region: that of a loop, or of a decision that is evaluated next. Blocks lie in it until
    /// it ends. Returns the region around it, which [`Self::end_region`] goes back to.
    pub(super) fn begin_region(&mut self, decision: Option<DecisionId>) -> Option<RegionId> {
        let around = self.region;
        self.region = Some(self.source.regions.push(SourceRegion {
            decision,
            head: None,
            parent: around,
            blocks: Vec::new(),
        }));
        around
    }

    /// Ends a region: blocks lie in the one around it from now on.
    pub(super) fn end_region(&mut self, around: Option<RegionId>) {
        self.region = around;
    }

    /// The decision that is evaluated next.
    pub(super) fn next_decision(&self) -> Option<DecisionId> {
        Some(self.source.decisions.next_idx())
    }

    /// Ends the current block and goes on in another, which has no end yet.
    pub(super) fn end_block(&mut self, terminator: Terminator, span: SpanId, next: Block) {
        self.blocks[self.current].end = Some((terminator, span));
        self.current = next;
    }

    /// Goes on where an operand is zero. Returns the block for all else, which has no end yet.
    pub(super) fn branch_off(&mut self, operand: Operand, span: SpanId) -> Block {
        let (then, otherwise) = (self.new_block(), self.new_block());
        let branch = Terminator::Branch {
            operand,
            then,
            otherwise,
            tag: None,
        };
        self.end_block(branch, span, otherwise);
        then
    }

    /// Ends the current block where control does not come back; what follows is dead code.
    pub(super) fn end_path(&mut self, terminator: Terminator, span: SpanId) {
        let dead = self.new_block();
        self.end_block(terminator, span, dead);
    }

    /// Goes to a block and goes on there.
    pub(super) fn continue_at(&mut self, block: Block, span: SpanId) {
        self.end_block(Terminator::Goto(block), span, block);
    }

    pub(super) fn emit(&mut self, kind: StatementKind, span: SpanId) {
        let operation = match &kind {
            StatementKind::Assign(_, value) => self.operation_of(value),
            _ => None,
        };
        self.blocks[self.current].statements.push(Statement {
            kind,
            span,
            operation,
        });
    }

    /// Notes that a value is that of a binary operator, which the next statement evaluates.
    pub(super) fn note_operation(&mut self, value: &Rvalue, spans: [usize; 3], assigns: bool) {
        self.operations.forget();
        if let Rvalue::Binary(..) = value {
            let [span, left, right] = spans.map(|span| self.span(span));
            let operation = Operation {
                span,
                sides: [left, right],
                assigns,
            };
            self.operations.next = Some((value.clone(), operation));
        }
    }

    /// The operator of the source that a statement evaluates which has this value. One that is lowered
    /// several times is there once.
    fn operation_of(&mut self, value: &Rvalue) -> Option<OperationId> {
        let (_, operation) = self.operations.next.take_if(|(next, _)| next == value)?;
        let OperationTable { all, by_spans, .. } = &mut self.operations;
        let [left, right] = operation.sides;
        let spans = [operation.span, left, right];
        Some(*by_spans.entry(spans).or_insert_with(|| all.push(operation)))
    }

    pub(super) fn new_local(&mut self, ty: TypeId, kind: LocalKind) -> Local {
        self.locals.push(LocalDecl {
            name: None,
            ty,
            kind,
            constant: false,
            address_taken: false,
            volatile: false,
        })
    }

    pub(super) fn temporary(&mut self, ty: TypeId) -> Local {
        self.new_local(ty, LocalKind::Temporary)
    }

    /// The place of a whole local.
    pub(super) fn local_place(&self, local: Local) -> Place {
        Place {
            base: PlaceBase::Local(local),
            projections: Vec::new(),
            ty: self.locals[local].ty,
        }
    }

    pub(super) fn assign_local(&mut self, local: Local, value: Rvalue, span: SpanId) {
        let place = self.local_place(local);
        self.emit(StatementKind::Assign(place, value), span);
    }

    /// The value as an operand; a temporary holds it if it is none yet.
    pub(super) fn operand(&mut self, (value, ty): Typed, span: SpanId) -> Operand {
        match value {
            Rvalue::Use(operand) => operand,
            value => {
                let local = self.temporary(ty);
                self.assign_local(local, value, span);
                Operand::Copy(local)
            }
        }
    }

    pub(super) fn operand_type(&self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Copy(local) => self.locals[*local].ty,
            Operand::Constant(constant) => constant.ty,
        }
    }

    /// A value that later assignments to variables do not change.
    pub(super) fn freeze(&mut self, operand: Operand, span: SpanId) -> Operand {
        match operand {
            Operand::Copy(local) if self.locals[local].kind != LocalKind::Temporary => {
                let copy = self.temporary(self.locals[local].ty);
                self.assign_local(copy, Rvalue::Use(operand), span);
                Operand::Copy(copy)
            }
            operand => operand,
        }
    }

    /// An integer constant, or a null pointer for 0, cut to the width of its type.
    pub(super) fn constant(&self, ty: TypeId, bits: u128) -> Operand {
        let width = match self.types().int(ty) {
            Some(int) => int.width,
            None => (self.types().size(ty) * 8).min(128) as u32,
        };
        Operand::Constant(Constant {
            ty,
            value: ConstantValue::Int(truncate(bits, width)),
        })
    }

    /// An `int` constant.
    pub(super) fn int_constant(&self, value: u8) -> Operand {
        self.constant(self.unit.int, value.into())
    }

    /// A value of the type for places that no execution reaches, or whose value is not used.
    pub(super) fn placeholder(&mut self, ty: TypeId, span: SpanId) -> Operand {
        match self.types().kind(ty) {
            Type::Int(_) | Type::Enum(_) | Type::Pointer { .. } => self.constant(ty, 0),
            Type::Float(_) => Operand::Constant(Constant {
                ty,
                value: ConstantValue::Float(0),
            }),
            Type::Void | Type::Function(_) => self.int_constant(0),
            Type::Array { .. } | Type::Record(_) | Type::Unsupported(_) => {
                self.operand((Rvalue::Zero(ty), ty), span)
            }
        }
    }

    /// Ends the path at a construct that attest does not handle, adds a diagnostic, and goes on
    /// after it.
    pub(super) fn unsupported(&mut self, construct: &str, span: SpanId) {
        let next = self.new_block();
        self.unsupported_with(construct, span, vec![next]);
        self.current = next;
    }

    /// The same, with all the blocks where the program could go on; the caller chooses among them.
    pub(super) fn unsupported_with(&mut self, construct: &str, span: SpanId, next: Vec<Block>) {
        let end = Terminator::Unsupported {
            construct: construct.to_owned(),
            next,
        };
        self.unsettled.push(self.current);
        self.end_path(end, span);
        let place = self.spans.spans[span].clone();
        let message = format!("attest does not handle this yet: {construct}");
        self.unit
            .diagnose(message, Some(&self.decl.name), Some(&place));
    }

    /// An unsupported expression: ends the path, and gives a value for the code that follows.
    pub(super) fn unsupported_value(&mut self, construct: &str, ty: TypeId, span: SpanId) -> Typed {
        self.unsupported(construct, span);
        (Rvalue::Use(self.placeholder(ty, span)), ty)
    }
}
