//! Tests as data: the behaviour, findings, losses and observations of an execution.

use crate::input::{Extent, InputSpace, InputVector};
use crate::{
    Assumption, Block, DefectKind, FunctionId, GlobalId, ObjectId, OrderedTrace, Span, TestId,
    TypeId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A call on the stack: where control is inside a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The block that is being executed.
    pub block: Block,
    /// The source of the statement or call that is being executed.
    pub span: Span,
}

/// A defect that an execution ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The kind.
    pub kind: DefectKind,
    /// One sentence for the user, with the concrete values: `index 4 is outside int[4]`.
    pub message: String,
    /// The calls, innermost first; its first frame is the place of the defect.
    pub stack: Vec<Frame>,
    /// What it takes for granted about inputs; nothing for a certain defect.
    pub assumptions: Vec<Assumption>,
}

impl Defect {
    /// Whether it rests on no assumption.
    pub fn is_certain(&self) -> bool {
        self.assumptions.is_empty()
    }

    /// Adds an assumption that it rests on, once.
    pub fn assume(&mut self, assumption: Assumption) {
        let mut known = self.assumptions.iter();
        let is_same =
            |it: &Assumption| it.kind == assumption.kind && it.subject == assumption.subject;
        if !known.any(is_same) {
            self.assumptions.push(assumption);
        }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The entry function returned.
    Return,
    /// The program called `exit` or its kin, with this status if it is known.
    Exit(Option<i32>),
    /// It ran into a defect.
    Defect(Defect),
    /// An assumption (`ATTEST_ASSUME`, a precondition) does not hold for the input.
    Rejected,
    /// It met something that attest cannot execute; the loss says what.
    Unsupported,
    /// It reached a limit of the machine; the loss says which.
    LimitReached,
    /// Its behaviour depends on where objects lie in memory, as the loss says: the compiled program
    /// may behave otherwise.
    AddressDependent,
}

/// The reason for which precision was lost. A loss leaves undecided every goal that can be reached
/// from its place, unless it is about defects alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LossKind {
    /// A symbolic value was replaced by its concrete value.
    Concretisation,
    /// The solver gave no answer.
    SolverGaveUp,
    /// The solver did not say if an operation can be a defect; behind one there is no goal.
    UndecidedCheck,
    /// A function without body and model was called with effects that are not modelled.
    UnmodelledCall,
    /// A construct that attest cannot execute yet.
    Unsupported,
    /// A branch depends on an address in a way that C leaves open.
    AddressDependence,
    /// The limit of steps in one execution.
    StepLimit,
    /// The limit of choices of the input in one execution.
    ChoiceLimit,
    /// The limit of nested calls.
    StackLimit,
    /// The limit of memory of the tested program.
    MemoryLimit,
    /// Time was up, or the search was interrupted, with flips left to try.
    TimeLimit,
    /// The limit of executions, with flips left to try.
    IterationLimit,
    /// The search was to end at the first defect, with flips left to try.
    StoppedOnDefect,
    /// The path tree was full, and flips were left out.
    TreeLimit,
    /// An execution did not go where its input was solved to go.
    Divergence,
    /// A volatile object was read whose value may have changed since it was determined.
    Volatile,
    /// A value was used that depends on padding, which every store may change.
    Padding,
}

impl LossKind {
    /// Its name in `suite.json`.
    pub fn name(self) -> &'static str {
        match self {
            LossKind::Concretisation => "concretisation",
            LossKind::SolverGaveUp => "solver-gave-up",
            LossKind::UndecidedCheck => "undecided-check",
            LossKind::UnmodelledCall => "unmodelled-call",
            LossKind::Unsupported => "unsupported",
            LossKind::AddressDependence => "address-dependence",
            LossKind::StepLimit => "step-limit",
            LossKind::ChoiceLimit => "choice-limit",
            LossKind::StackLimit => "stack-limit",
            LossKind::MemoryLimit => "memory-limit",
            LossKind::TimeLimit => "time-limit",
            LossKind::IterationLimit => "iteration-limit",
            LossKind::StoppedOnDefect => "stopped-on-defect",
            LossKind::TreeLimit => "tree-limit",
            LossKind::Divergence => "divergence",
            LossKind::Volatile => "volatile",
            LossKind::Padding => "padding",
        }
    }

    /// Whether it leaves goals open: a defect that may have been missed does not.
    pub fn is_about_goals(self) -> bool {
        self != LossKind::UndecidedCheck
    }

    /// Whether it says that the search ended early, which does not affect anything that was tried
    /// before.
    pub fn ends_search(self) -> bool {
        matches!(
            self,
            LossKind::TimeLimit | LossKind::IterationLimit | LossKind::StoppedOnDefect
        )
    }
}

/// Precision that was lost, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The reason.
    pub kind: LossKind,
    /// One sentence for the user.
    pub detail: String,
    /// The calls, innermost first, from which control may go on. Empty if the loss has no place:
    /// then it leaves every open goal undecided.
    pub stack: Vec<Frame>,
}

/// The kind of a bound that an execution hit. A verdict that rests on one holds only within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoundKind {
    /// An input array would have to be longer than `--max-array`.
    ArrayExtent,
    /// A pointer input could have been something that is no candidate.
    PointerChoice,
    /// Two input objects could share memory as no candidate offers, and one was written.
    SharedMemory,
    /// The path was longer than `--depth`.
    Depth,
    /// A loop had more rounds than the criterion asks for.
    Rounds,
    /// A model of a library function stands for the real one.
    LibraryModel,
    /// A static local or a compound literal was taken to have its initial value.
    StaticLocal,
    /// An object of a type that the file does not define was made by some calls only, or a sequence
    /// of calls left some out.
    Sequence,
    /// The units were taken to be the whole program, though they call functions of others.
    ClosedWorld,
    /// Allocations were taken never to fail.
    AllocationFailures,
    /// The user said that callers pass no NULL for a parameter.
    AssumedNonnull,
    /// The user said that inputs share no memory.
    AssumedDisjoint,
    /// A symbolic size was limited.
    AllocationSize,
    /// A function without a body could have done more than attest assumes, such as calling back.
    UnknownCall,
}

impl BoundKind {
    /// Its name in `suite.json`.
    pub fn name(self) -> &'static str {
        match self {
            BoundKind::ArrayExtent => "array-extent",
            BoundKind::PointerChoice => "pointer-choice",
            BoundKind::SharedMemory => "shared-memory",
            BoundKind::Depth => "depth",
            BoundKind::Rounds => "rounds",
            BoundKind::LibraryModel => "library-model",
            BoundKind::StaticLocal => "static-local",
            BoundKind::Sequence => "sequence",
            BoundKind::ClosedWorld => "closed-world",
            BoundKind::AllocationFailures => "allocation-failures",
            BoundKind::AssumedNonnull => "assumed-nonnull",
            BoundKind::AssumedDisjoint => "assumed-disjoint",
            BoundKind::AllocationSize => "allocation-size",
            BoundKind::UnknownCall => "unknown-call",
        }
    }
}

/// A bound that an execution hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The kind.
    pub kind: BoundKind,
    /// One sentence for the user.
    pub detail: String,
    /// The calls, innermost first, where it was hit.
    pub stack: Vec<Frame>,
}

/// The value of a scalar when the entry function returned, or when it was given to a function
/// without a body; never an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// An integer, as the bits of its width.
    Bits(u128),
    /// The null pointer.
    Null,
    /// A pointer into an input object, with the offset in bytes as in
    /// [`crate::input::InputValue::Alias`].
    Inside(ObjectId, i64),
    /// A pointer into a global, with the offset in bytes.
    Global(GlobalId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// A pointer that is not null, without any other claim about it.
    NotNull,
    /// The same pointer as one of this type that is observed elsewhere.
    Same(Box<ObservedPlace>, TypeId),
}

/// The place of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedPlace {
    /// The result of the entry function, or a part of a record result at this offset in bits.
    Result {
        /// Offset from the start of the result.
        offset_bits: u64,
    },
    /// The result of a call that the driver of a sequence made, or a part of it.
    Call {
        /// Which of its calls, from 0; preconditions count too.
        nth: u32,
        /// Offset from the start of the result.
        offset_bits: u64,
    },
    /// An argument that a function without a body was given, or a part of a record argument.
    Argument {
        /// The function.
        function: FunctionId,
        /// Which call of it, from 0.
        nth: u32,
        /// Which argument, from 0.
        index: u32,
        /// Offset from the start of the argument.
        offset_bits: u64,
    },
    /// A scalar of an input object, at an offset in bits as in [`crate::input::InputCell`].
    Cell {
        /// The object.
        object: ObjectId,
        /// Offset in it.
        offset_bits: i64,
    },
    /// A scalar of an object behind a pointer that is observed too: one that the code allocated, or
    /// one that a function without a body was given.
    Behind {
        /// Where the pointer is.
        pointer: Box<ObservedPlace>,
        /// The pointer's type; the object is an array of what it points to.
        ty: TypeId,
        /// Offset in the object, in bits.
        offset_bits: u64,
    },
}

/// A scalar that the tested function returned, wrote, or gave to a function without a body. Bytes
/// behind a `void *` have the type `void`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The place.
    pub place: ObservedPlace,
    /// Its scalar type.
    pub ty: TypeId,
    /// Its width in bits, which is smaller than the type's for bit-fields.
    pub width: u32,
    /// The value.
    pub value: Observed,
}

/// A test: an input, how its execution ends, and what is observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// Its number in the suite.
    pub id: TestId,
    /// The input, with every cell that the execution looked at and the extents it needed.
    pub inputs: InputVector,
    /// How the machine's execution ended.
    pub outcome: Outcome,
    /// The values that it returned and wrote; empty unless the outcome is a return.
    pub observations: Vec<Observation>,
    /// What the functions without a body are given, call by call, as far as it is determined. `None`
    /// where the calls of the test are not known for sure, or may be others: no stub checks them.
    pub given: Option<Vec<Observation>>,
    /// How many times each function without a body was called.
    pub calls: BTreeMap<FunctionId, u32>,
    /// The objects behind pointers that the tested code freed, or gave to `realloc`: a test has to
    /// allocate them.
    pub freed: BTreeSet<ObjectId>,
    /// Whether the object that the calls of a sequence share has to come from malloc: a call frees
    /// it, or writes to its const members.
    pub allocates_shared: bool,
    /// The object behind a pointer that has no room for the access which ended the execution:
    /// natively the test continues there.
    pub outgrown: Option<ObjectId>,
    /// The offsets of pointers along the access paths of calls ([`crate::input::AccessPath`]) in
    /// its execution, where they depend on inputs.
    pub moved: BTreeMap<ObjectId, Vec<i64>>,
    /// The defect beyond which its execution went on, though C defines nothing after it.
    pub beyond: Option<Defect>,
    /// Whether its execution depends on values that no test can set for sure: the former contents
    /// of the stack, or padding. Natively it may go another way.
    pub unsure: bool,
    /// The path that it takes, in words of the criterion, if that asks for paths.
    pub path: Option<String>,
    /// What its execution did, in order, if the criterion asks for something that follows from that, so
    /// that the compiled test can be compared with it.
    pub trace: Option<Arc<OrderedTrace>>,
    /// Whether the compiled test takes the same path, as far as that was compared.
    pub path_confirmed: Option<bool>,
    /// What of its inputs callers need not pass, where no other input that was tried reaches its
    /// goals.
    pub assumptions: Vec<Assumption>,
}

/// The parts of a test that need the input space.
#[derive(Clone, Copy, Debug)]
pub struct TestView<'a> {
    /// The space that its cells and objects are numbered in.
    pub space: &'a InputSpace,
    /// The test.
    pub test: &'a TestCase,
}

impl TestView<'_> {
    /// The extent of an object behind a pointer.
    pub fn extent(&self, object: ObjectId) -> Extent {
        self.test
            .inputs
            .extents
            .get(&object)
            .copied()
            .unwrap_or_default()
    }
}
