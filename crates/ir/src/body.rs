//! Function bodies: three-address code over an explicit control-flow graph.
//!
//! Invariants are listed with the verifier. In short: operands are scalar locals or constants
//! (aggregates only in calls, returns and whole-object copies), each memory access is one
//! statement, and every conditional jump of the source is one [`Terminator::Branch`].

use std::collections::BTreeMap;

use index_vec::IndexVec;

use crate::{
    Block, ConditionId, Constant, DecisionId, Formula, FunctionId, GlobalId, LabelId, Local,
    Mutant, Operation, OperationId, RegionId, SourceRegion, SourceStatementId, Span, SpanId,
    TypeId,
};

/// The body of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Parameters first, in order, then variables and temporaries.
    pub locals: IndexVec<Local, LocalDecl>,
    /// The blocks; execution starts at block 0.
    pub blocks: IndexVec<Block, BlockData>,
    /// Its decisions, in source order.
    pub decisions: IndexVec<DecisionId, Decision>,
    /// The conditions of all its decisions, in source order; those that come from one macro in the
    /// order in which clang's coverage mapping lists them.
    pub conditions: IndexVec<ConditionId, Condition>,
    /// The conditions that are constants.
    pub folds: Vec<Fold>,
    /// The statements of the source, in source order.
    pub source_statements: IndexVec<SourceStatementId, SourceStatement>,
    /// The heads of its loops, and its labels, in source order.
    pub heads: Vec<SourceHead>,
    /// Its decisions with what they choose among, and its loops, outer ones first.
    pub regions: IndexVec<RegionId, SourceRegion>,
    /// The binary operators of its source, in the order in which they were lowered.
    pub operations: IndexVec<OperationId, Operation>,
    /// The labels of its code, added for criteria that ask for them.
    pub coverage_labels: IndexVec<LabelId, CoverageLabel>,
    /// The blocks that are copies of others, with these, which are no copies. A statement or a call
    /// of the source that begins in a block begins in its copies too.
    pub copies: BTreeMap<Block, Block>,
    /// The pieces of source that statements and terminators refer to.
    pub spans: IndexVec<SpanId, Span>,
}

/// A local object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalDecl {
    /// Its name in the source; temporaries have none.
    pub name: Option<String>,
    /// Its type.
    pub ty: TypeId,
    /// What it is.
    pub kind: LocalKind,
    /// Whether it is `const`: only its initialiser may write it, by name.
    pub constant: bool,
    /// Whether [`Rvalue::AddressOf`] is taken of it or of a part of it. A scalar whose address is
    /// never taken can live in a register.
    pub address_taken: bool,
    /// Whether it is declared `volatile`; [`LocalDecl::address_taken`] is set then.
    pub volatile: bool,
}

/// What a local is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// A parameter.
    Parameter,
    /// A variable of the source; uninitialised until assigned.
    Variable,
    /// A value between two statements; always assigned before it is read.
    Temporary,
}

/// Straight-line code and the jump that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockData {
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// How it ends.
    pub terminator: Terminator,
    /// Where the terminator comes from.
    pub span: SpanId,
}

/// One step of straight-line code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it comes from.
    pub span: SpanId,
    /// The operator of the source that it evaluates.
    pub operation: Option<OperationId>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Evaluates the right side, then writes it to the place, whose type is that of the value.
    Assign(Place, Rvalue),
    /// The local's lifetime starts (again): its contents become indeterminate. Locals are live,
    /// and indeterminate, on entry to the function too.
    StorageLive(Local),
    /// The lifetime of a local array of a type of [`crate::OPEN_ARRAY_BYTES`] starts, as that of a new
    /// object: it has as many elements as the operand says, an integer that is positive. That of the
    /// object before ends.
    StorageLiveArray(Local, Operand),
    /// The local's lifetime ends: pointers to it dangle.
    StorageDead(Local),
}

/// An lvalue: the place of an object or of a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it starts.
    pub base: PlaceBase,
    /// The steps from there to a part, outermost first.
    pub projections: Vec<Projection>,
    /// Type of the place after all projections.
    pub ty: TypeId,
}

impl Place {
    /// The local that the place is the whole of.
    pub fn as_local(&self) -> Option<Local> {
        match self.base {
            PlaceBase::Local(local) if self.projections.is_empty() => Some(local),
            _ => None,
        }
    }
}

/// The start of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceBase {
    /// A local.
    Local(Local),
    /// A global.
    Global(GlobalId),
    /// The object that a pointer points to; the pointee type is that of the operand's type, or,
    /// where that is `void` or the access is through a cast, that of the projections and `ty`.
    Deref(Operand),
}

/// A step to a part of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// A member of a record, by its index in [`crate::Record::fields`]. A bit-field can only be
    /// the last step.
    Field(u32),
    /// An element of an array of known or unknown length. An index outside a known length is a
    /// defect, unless the array is the last member of a record and has at most one element (the old
    /// form of a flexible array).
    Index(Operand),
}

/// A value without an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The value of a whole local.
    Copy(Local),
    /// A constant.
    Constant(Constant),
}

/// The right side of an assignment. Each has exactly one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rvalue {
    /// The operand itself.
    Use(Operand),
    /// Reads memory, at the type of the place.
    Load(Place),
    /// The address of a place (never of a bit-field); evaluates no access. The pointer's
    /// provenance is the whole object that the place lies in.
    AddressOf(Place),
    /// A unary operation; the result has the operand's type.
    Unary(UnaryOp, Operand),
    /// A binary operation on two operands of one type, save for shifts, whose right operand may
    /// have any integer type. Comparisons give `int` 0 or 1 and also take pointers; the others
    /// give the left operand's type. Signedness, and so whether overflow is a defect, is that of
    /// the left operand's type.
    Binary(BinaryOp, Operand, Operand),
    /// A conversion to the type.
    Cast(CastKind, Operand, TypeId),
    /// `pointer + index` in elements of `element` bytes; the index has any integer type and is
    /// extended by its signedness. Leaving the object (beyond one past its end) is a defect, unless
    /// the object is an input array, whose extent is open.
    PointerOffset {
        /// The pointer.
        pointer: Operand,
        /// The number of elements.
        index: Operand,
        /// Size of an element in bytes.
        element: u64,
        /// Whether the index is subtracted.
        negative: bool,
    },
    /// `left - right` in elements, of type `ptrdiff_t` (the given type).
    PointerDifference {
        /// The minuend.
        left: Operand,
        /// The subtrahend.
        right: Operand,
        /// Size of an element in bytes.
        element: u64,
        /// `ptrdiff_t`.
        ty: TypeId,
    },
    /// All bytes zero; for any type.
    Zero(TypeId),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`; a defect when it overflows a signed type.
    Negate,
    /// `~x`.
    Complement,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // C's operators by their usual names
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Whether the result is `int` 0 or 1.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    /// Integer to integer: truncates, or extends by the signedness of the operand's type.
    IntToInt,
    /// Integer to `_Bool`: 1 if it is not zero.
    IntToBool,
    /// Pointer to `_Bool`: 1 if it is not null.
    PointerToBool,
    /// Pointer to integer: truncated or zero-extended.
    PointerToInt,
    /// Integer to pointer: truncates, or extends by the signedness of the operand's type, as gcc and
    /// clang do.
    IntToPointer,
    /// Pointer to pointer, function pointers included: the same address.
    PointerToPointer,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on at a block.
    Goto(Block),
    /// Goes to `then` if the operand (integer or pointer) is not zero, else to `otherwise`.
    Branch {
        /// What is tested.
        operand: Operand,
        /// The successor for a value other than zero.
        then: Block,
        /// The successor for zero.
        otherwise: Block,
        /// The condition of the source that it evaluates, if it evaluates one.
        tag: Option<BranchTag>,
    },
    /// Goes to the first arm whose range holds the operand, else to the default.
    Switch {
        /// The integer that is tested.
        operand: Operand,
        /// The arms, in source order; ranges do not overlap.
        arms: Vec<SwitchArm>,
        /// The successor when no arm fits.
        default: Block,
        /// The decision; its sides are the arms in order, then the default.
        decision: DecisionId,
    },
    /// Calls a function; control comes back at `next`.
    Call {
        /// Who is called.
        callee: Callee,
        /// The arguments, converted to the parameter types (promoted for variadic ones).
        arguments: Vec<Operand>,
        /// Where the result goes; `None` if there is none or it is not used.
        destination: Option<Place>,
        /// Where control comes back; `None` for a function that never returns.
        next: Option<Block>,
    },
    /// Returns to the caller.
    Return(Option<Operand>),
    /// Undefined behaviour if reached: `__builtin_unreachable()`.
    Unreachable,
    /// A construct of C that attest does not handle yet; the path cannot be followed further.
    Unsupported {
        /// Its name, as a reader would call it: `inline assembly`.
        construct: String,
        /// Where the program itself could go on. No execution of attest does, but what these blocks
        /// reach is undecided, not unreachable.
        next: Vec<Block>,
    },
}

/// What a branch means in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchTag {
    /// The condition that is evaluated; `then` is its true side.
    pub condition: ConditionId,
    /// The outcome of the whole decision when the condition is true; `None` if others follow.
    pub then_outcome: Option<bool>,
    /// The outcome of the whole decision when the condition is false; `None` if others follow.
    pub otherwise_outcome: Option<bool>,
}

/// An arm of a switch: values from `low` to `high`, both included, as bits of the operand's type
/// and compared by its signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwitchArm {
    /// Lowest value.
    pub low: u128,
    /// Highest value; equal to `low` but for GNU case ranges.
    pub high: u128,
    /// The successor.
    pub target: Block,
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function by name.
    Direct(FunctionId),
    /// A function through a pointer; the type of the pointer's pointee is the type of the call.
    Indirect(Operand),
}

/// The construct that a decision controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // C's statements by their names
pub enum DecisionKind {
    If,
    While,
    DoWhile,
    For,
    /// `a ? b : c`.
    Conditional,
    /// `a ?: b`.
    BinaryConditional,
    /// `&&` or `||` whose value is used as a number.
    Logical,
    Switch,
}

/// A decision of the source: a whole controlling expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it controls.
    pub kind: DecisionKind,
    /// The whole expression, without the parentheses of the statement.
    pub span: Span,
    /// The combination of its conditions; for a switch, `Constant(true)`, which nothing reads.
    pub formula: Formula,
    /// For a switch, its sides in order of the arms, then the default; else empty.
    pub sides: Vec<SwitchSide>,
    /// Whether a jump may leave its evaluation, out of a statement expression: then it has no
    /// outcome, though compilers count one.
    pub may_be_left: bool,
}

/// One side of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchSide {
    /// The label's values as the source has them; `None` for the default.
    pub values: Option<(i128, i128)>,
    /// The same values by the names of enumerators, if the switch is on a value of an enumerated type that
    /// has one of them; the other one may be a number.
    pub names: Option<(String, String)>,
    /// The label, or the controlling expression for a default that is not written.
    pub span: Span,
}

/// A condition of the source: a leaf of a decision, seen through parentheses, and through `!`,
/// casts and `__builtin_expect` where `&&` or `||` stands inside them. A `!` right before a leaf
/// belongs to it: `!x` is a condition that is true when `x` is zero, as it is in clang's coverage
/// mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The decision that it belongs to.
    pub decision: DecisionId,
    /// The leaf itself, as clang's coverage mapping delimits it: without parentheses around it.
    pub span: Span,
    /// The left and the right side, if it compares two values.
    pub operands: Option<[Span; 2]>,
}

/// A condition that tests may be asked to make true at some place, and on which nothing depends
/// ("Efficient leveraging of symbolic execution to advanced coverage criteria", Bardin et al., 2014).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageLabel {
    /// What it asks for.
    pub kind: CoverageLabelKind,
    /// The block that ends with a branch which takes its first edge where the condition holds
    /// ([`Terminator::is_probe`]).
    pub block: Block,
}

/// What a label asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverageLabelKind {
    /// That the left side of a comparison differs from the right side by -1, 0 or 1, without wrap.
    Boundary(ConditionId, i8),
    /// That a mutant of an operation has another value than the operation.
    Mutant(Mutant),
    /// That the value of a variable is the one that it got at another place.
    Use {
        /// The variable.
        name: String,
        /// Where it got the value; `None` for a parameter where the function begins.
        definition: Option<SpanId>,
        /// Where the value is used.
        usage: SpanId,
        /// Whether the value is the result of a call.
        is_result: bool,
    },
    /// What the user wrote.
    User {
        /// Its name.
        name: String,
        /// Where it is.
        span: Span,
    },
}

/// A condition that the compiler folds to a constant: control takes one edge only, and there is no
/// branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The decision that it belongs to.
    pub decision: DecisionId,
    /// The block that ends with it.
    pub block: Block,
    /// The outcome of the whole decision, if the condition determines it.
    pub outcome: Option<bool>,
    /// The block that follows if the constant is another one; `None` if there is no code.
    pub instead: Option<Block>,
}

/// A statement of the source, for statement coverage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStatement {
    /// The statement.
    pub span: Span,
    /// The block in which its evaluation starts, without code of a later statement: the statement
    /// counts as executed when that block ran, whatever happens in the next statement.
    pub block: Block,
}

/// A place of the source where rounds of a loop may begin: the head of a loop, or a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceHead {
    /// What it is.
    pub kind: HeadKind,
    /// The loop, from its keyword on; of a label, the statement behind it, which has no label itself.
    pub span: Span,
    /// The block that a round begins with. Control passes it elsewhere too where nothing is executed
    /// between that place and this one.
    pub block: Block,
    /// The parameters and variables in scope, in the order of their declarations.
    pub in_scope: Vec<Local>,
}

/// What a head is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeadKind {
    /// A `while` loop, before its condition is evaluated.
    While,
    /// A `do` loop, before its body.
    Do,
    /// A `for` loop, before its condition is evaluated.
    For,
    /// A label, before the statement behind it.
    Label,
}

impl Terminator {
    /// Whether it chooses among its successors by a value: [`crate::CodeIndex::edge`] numbers its
    /// edges.
    pub fn decides(&self) -> bool {
        matches!(self, Terminator::Branch { .. } | Terminator::Switch { .. })
    }

    /// Whether it tells only whether a condition holds: a branch that evaluates no condition of the
    /// source, and whose edges lead to one block.
    pub fn is_probe(&self) -> bool {
        matches!(self, Terminator::Branch { then, otherwise, tag: None, .. } if then == otherwise)
    }

    /// How many blocks may follow.
    pub fn successor_count(&self) -> usize {
        match self {
            Terminator::Switch { arms, .. } => arms.len() + 1,
            _ => self.successors().len(),
        }
    }

    /// One of the blocks that may follow, by its position among them.
    pub fn successor(&self, position: usize) -> Option<Block> {
        match self {
            Terminator::Switch { arms, default, .. } => match arms.get(position) {
                Some(arm) => Some(arm.target),
                None => (position == arms.len()).then_some(*default),
            },
            _ => self.successors().get(position).copied(),
        }
    }

    /// The blocks that may follow inside the function: `then` before `otherwise`, arms in order
    /// before the default.
    pub fn successors(&self) -> Vec<Block> {
        match self {
            Terminator::Goto(block) => vec![*block],
            Terminator::Branch {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Terminator::Switch { arms, default, .. } => arms
                .iter()
                .map(|arm| arm.target)
                .chain([*default])
                .collect(),
            Terminator::Call { next, .. } => next.iter().copied().collect(),
            Terminator::Unsupported { next, .. } => next.clone(),
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }
}

impl Terminator {
    /// Replaces the blocks that may follow.
    pub fn map_successors(&mut self, map: impl Fn(Block) -> Block) {
        self.map_edges(|_, next| map(next));
    }

    /// Replaces the blocks that may follow, each by its position among them and itself.
    pub fn map_edges(&mut self, mut map: impl FnMut(usize, Block) -> Block) {
        let mut replace = |position: usize, next: &mut Block| *next = map(position, *next);
        match self {
            Terminator::Goto(next) => replace(0, next),
            Terminator::Branch {
                then, otherwise, ..
            } => {
                replace(0, then);
                replace(1, otherwise);
            }
            Terminator::Switch { arms, default, .. } => {
                for (position, arm) in arms.iter_mut().enumerate() {
                    replace(position, &mut arm.target);
                }
                replace(arms.len(), default);
            }
            Terminator::Call { next, .. } => next.iter_mut().for_each(|next| replace(0, next)),
            Terminator::Unsupported { next, .. } => {
                for (position, block) in next.iter_mut().enumerate() {
                    replace(position, block);
                }
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
}

impl Callee {
    /// The function, if it is called by name.
    pub fn direct(&self) -> Option<FunctionId> {
        match self {
            Callee::Direct(function) => Some(*function),
            Callee::Indirect(_) => None,
        }
    }
}
