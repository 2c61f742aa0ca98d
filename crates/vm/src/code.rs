//! The prepared form of a program: flat code over numbered slots.

use expr::Term;
use index_vec::IndexVec;
use ir::library::Primitive;
use ir::{
    BinaryOp, CastKind, CodeBlock, CodeIndex, FunctionId, GlobalId, Program, Span, TypeId, UnaryOp,
};

use crate::config::{CallPolicy, Config, Dependence};
use crate::facts::Facts;
use crate::ids::Pc;
use crate::memory::Memory;
use crate::native_call::NativeResult;
use crate::site::Site;
use crate::value::{Scalar, Value};

/// A slot of the current frame.
pub(crate) type Slot = u32;
/// Where an operand is: a slot of the frame, or a constant of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source(u32);

impl Source {
    const CONSTANT: u32 = 1 << 31;

    pub fn slot(slot: Slot) -> Source {
        Source(slot)
    }

    pub fn constant(index: usize) -> Source {
        Source(index as u32 | Source::CONSTANT)
    }

    #[inline(always)]
    pub fn as_constant(self) -> Option<usize> {
        (self.0 & Source::CONSTANT != 0).then_some((self.0 & !Source::CONSTANT) as usize)
    }

    #[inline(always)]
    pub fn raw(self) -> usize {
        self.0 as usize
    }
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Copy {
        to: Slot,
        from: Source,
        scalar: Scalar,
    },
    /// Arithmetic and bit operations, shifts excepted.
    Int {
        op: BinaryOp,
        scalar: Scalar,
        to: Slot,
        left: Source,
        right: Source,
    },
    Shift {
        op: BinaryOp,
        scalar: Scalar,
        amount: Scalar,
        to: Slot,
        left: Source,
        right: Source,
    },
    /// Gives a 32-bit 0 or 1.
    Compare {
        op: BinaryOp,
        scalar: Scalar,
        to: Slot,
        left: Source,
        right: Source,
    },
    Unary {
        op: UnaryOp,
        scalar: Scalar,
        to: Slot,
        from: Source,
    },
    Cast {
        kind: CastKind,
        source: Scalar,
        target: Scalar,
        to: Slot,
        from: Source,
    },
    /// Pointer plus a multiple of an index; negative elements subtract.
    Offset {
        index_scalar: Scalar,
        to: Slot,
        pointer: Source,
        index: Source,
        element: i64,
    },
    Difference {
        scalar: Scalar,
        to: Slot,
        left: Source,
        right: Source,
        /// Which of `Tables::sizes` is an element's.
        element: u32,
    },
    Load {
        to: Slot,
        place: u32,
    },
    Store {
        place: u32,
        from: Source,
    },
    AddressOf {
        to: Slot,
        place: u32,
    },
    CopyObject {
        to: u32,
        from: u32,
    },
    ZeroObject {
        place: u32,
    },
    /// A register becomes indeterminate.
    Forget {
        slot: Slot,
    },
    /// A register that lives, as its declaration is reached again, becomes indeterminate.
    RenewRegister {
        slot: Slot,
    },
    /// The lifetime of a local in memory starts, or its value becomes indeterminate.
    Renew {
        slot: Slot,
    },
    /// The lifetime of a local array of open length starts, with so many elements.
    LiveArray {
        /// Which of `Tables::arrays` it is.
        array: u32,
        length: Source,
    },
    /// The lifetime of a local in memory ends.
    Dead {
        slot: Slot,
    },
    Goto {
        exit: u32,
        target: Pc,
    },
    Branch {
        exit: u32,
        operand: Source,
        scalar: Scalar,
        then: Pc,
        otherwise: Pc,
    },
    /// A branch both of whose edges lead to one block.
    Probe {
        exit: u32,
        operand: Source,
        scalar: Scalar,
        next: Pc,
    },
    Switch {
        exit: u32,
        operand: Source,
        switch: u32,
    },
    Call {
        exit: u32,
        call: u32,
    },
    Return {
        exit: u32,
        value: Option<ReturnCode>,
    },
    Unreachable {
        exit: u32,
    },
    /// What cannot be executed, by its name in `Tables::texts`.
    Unsupported {
        text: u32,
    },
}

/// What a function returns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReturnCode {
    Scalar(Source, Scalar),
    /// A pointer that is declared never to be NULL.
    NonNull(Source, Scalar),
    /// The place of an object, and its type.
    Object(u32, TypeId),
}

/// The end of a run of blocks, each of which nothing but the one before leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The last of them.
    pub block: CodeBlock,
    /// Number of the first outgoing edge of a branch or switch.
    pub edge: u32,
    /// Statements of the blocks plus the last one's terminator.
    pub steps: u32,
}

/// Where something is in memory.
#[derive(Clone, Debug)]
pub(crate) struct PlaceCode {
    /// A pointer to the start: the operand of a dereference, the address of a global, or the slot
    /// that holds the address of a local in memory.
    pub base: Source,
    /// Set if the base is a local in memory, which is allocated when it is first used.
    pub local: Option<LocalCode>,
    /// The alignment that the dereferenced pointer must have; 1 if nothing is dereferenced.
    pub align: u64,
    /// Whether it is a member behind a pointer. Such a pointer must lead to an object even if only
    /// the member's address is taken. Constants are exempt, since programs write `offsetof` so.
    pub member: bool,
    /// The type that the object is accessed as, if a pointer is dereferenced: what the path to the
    /// scalar starts from.
    pub accessed: Option<TypeId>,
    /// Bytes to add.
    pub offset: i64,
    pub indices: Box<[IndexCode]>,
    pub access: Access,
    /// Whether what is accessed is volatile.
    pub volatile: bool,
}

/// A local in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalCode {
    pub slot: Slot,
    pub size: u64,
    pub align: u64,
    pub ty: TypeId,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether it is, or has members that are.
    pub guarded: bool,
    /// Whether its type has padding.
    pub padded: bool,
    /// Whether it is a scalar whose address is never taken.
    pub is_register: bool,
    /// Whether it is an object of temporary lifetime (C17 6.2.4p8).
    pub temporary: bool,
}

/// A local array of which the length is known where it is declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayCode {
    pub local: LocalCode,
    /// Bytes of an element.
    pub element: u64,
    /// What the length is.
    pub length: Scalar,
}

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexCode {
    pub operand: Source,
    pub scalar: Scalar,
    pub element: u64,
    /// The array's length, if it binds.
    pub length: Option<u64>,
}

/// The bytes that compilers may read and write for a bit-field, with others beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StorageUnit {
    /// Bytes before the first one that the bit-field lies in.
    pub before: u64,
    /// Bytes in all.
    pub size: u64,
}

/// What is read or written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    Scalar(Scalar),
    BitField {
        scalar: Scalar,
        /// First bit, from the start of the first byte that it lies in.
        first: u32,
        width: u32,
        /// Bytes that it lies in.
        bytes: u64,
        /// What compilers access for it.
        storage: StorageUnit,
    },
    /// A whole object of this size in bytes.
    Object {
        size: u64,
        /// From which byte on a copy need not copy.
        flexible: u64,
    },
}

/// A switch: arms by value.
#[derive(Clone, Debug)]
pub(crate) struct SwitchCode {
    pub scalar: Scalar,
    /// Bounds as numbers of the operand's signedness.
    pub arms: Vec<(i128, i128, Pc)>,
    pub default: Pc,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallCode {
    pub callee: CalleeCode,
    pub arguments: Vec<Argument>,
    /// The type that the call is made at.
    pub ty: TypeId,
    pub destination: Destination,
    /// Where control comes back.
    pub next: Option<Pc>,
    /// Whether the result is looked at more closely than C says what it is.
    pub closely: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CalleeCode {
    Direct(FunctionId),
    Indirect(Source),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Scalar(Source, Scalar, TypeId),
    /// The place of an object that is passed by value, and its type.
    Object(u32, TypeId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    Nowhere,
    Slot(Slot),
    Place(u32),
}

/// What a function is to the machine.
#[derive(Clone, Debug)]
pub(crate) enum FunctionCode {
    Body(BodyCode),
    Primitive(Primitive),
    /// A function of the host, called for real.
    Native(NativeResult, Dependence),
    /// What it does is unknown; its result is an input.
    Unknown,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub(crate) struct BodyCode {
    pub entry: Pc,
    /// Slots of a frame.
    pub slots: u32,
    pub parameters: Vec<ParameterCode>,
    /// The slots that hold addresses of locals in memory.
    pub memory: Vec<Slot>,
    /// Whether calls may be replaced by inputs.
    pub replaceable: bool,
    /// Whether calls may go to another definition of its name.
    pub has_another_definition: bool,
    /// Whether a parameter is declared never to be NULL.
    pub demands_nonnull: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterCode {
    Register(Slot, Scalar),
    Memory(LocalCode),
}

/// A program that is ready to run.
pub(crate) struct Prepared<'p> {
    pub program: &'p Program,
    pub index: CodeIndex,
    pub config: Config,
    pub ops: Vec<Op>,
    /// Where each op comes from.
    pub sites: Vec<Site>,
    /// For each block that nothing but one other block's jump leads to, that other block. Its code
    /// stands right after that of the other, and no op jumps.
    pub runs_on_from: IndexVec<CodeBlock, Option<CodeBlock>>,
    pub functions: IndexVec<FunctionId, FunctionCode>,
    pub tables: Tables,
    pub statics: Statics,
    pub facts: Facts,
    pub features: Features,
    /// Width of a pointer in bits.
    pub pointer_width: u32,
}

/// What ops refer to by number.
#[derive(Default)]
pub(crate) struct Tables {
    pub constants: Vec<Value>,
    pub places: Vec<PlaceCode>,
    pub switches: Vec<SwitchCode>,
    pub calls: Vec<CallCode>,
    pub exits: Vec<Exit>,
    pub sizes: Vec<u64>,
    pub arrays: Vec<ArrayCode>,
    pub texts: Vec<String>,
}

/// The objects of static storage duration, and some that are special.
pub(crate) struct Statics {
    /// The allocations of functions and of these objects, in their initial state.
    pub image: Memory,
    pub layout: StaticLayout,
    /// The globals whose initial contents are inputs.
    pub input_globals: Vec<GlobalId>,
    /// What the C library remembers and any function may change: `errno`.
    pub library_state: Vec<GlobalId>,
    /// The variables `stdin`, `stdout` and `stderr`, as far as the program names them.
    pub streams: Vec<GlobalId>,
    /// `errno`, where the user's code names it.
    pub error_number: Option<crate::ids::AllocationId>,
    /// `optind`, where the user's code names it.
    pub option_index: Option<(crate::ids::AllocationId, Scalar)>,
}

/// Which of some features the program uses, or may.
pub(crate) struct Features {
    /// Copies of floating numbers may go through the x87 unit.
    pub moves_by_x87: bool,
    /// Functions may run when the program ends.
    pub uses_at_exit: bool,
    /// The program uses objects of the C library that hold functions.
    pub sets_library_hooks: bool,
    /// There is a function that assumes its argument.
    pub has_assumptions: bool,
    /// Streams may write to memory of the program.
    pub has_memory_streams: bool,
    /// The program maps memory that files or other processes may share.
    pub maps_memory: bool,
}

/// Where functions and static objects are.
#[derive(Clone, Debug, Default)]
pub(crate) struct StaticLayout {
    pub functions: IndexVec<FunctionId, crate::ids::AllocationId>,
    pub globals: IndexVec<GlobalId, crate::ids::AllocationId>,
}

impl Prepared<'_> {
    /// An integer type that holds what a scalar does.
    pub fn number_type(&self, scalar: Scalar) -> Option<TypeId> {
        let size = scalar.size();
        let signs = [scalar.signed, !scalar.signed];
        let mut found = signs.iter().map(|&signed| (size, signed, scalar.boolean));
        found.find_map(|key| self.facts.numbers.get(&key).copied())
    }

    /// Whether calls may be replaced by inputs.
    pub fn may_replace(&self) -> bool {
        let mut policies = self.config.policies.values();
        policies.any(|policy| matches!(policy, CallPolicy::Abstract(_)))
    }

    /// The blocks that control ran through to get into a block, without a jump.
    pub fn runs_into(&self, block: CodeBlock) -> impl Iterator<Item = CodeBlock> + '_ {
        std::iter::successors(self.runs_on_from[block], |&block| self.runs_on_from[block])
    }

    /// The source of the op.
    pub fn span(&self, site: Site) -> Span {
        let unknown = || {
            let position = ir::Position {
                file: ir::FileId::from_raw(0),
                line: 0,
                column: 0,
            };
            Span {
                begin: position,
                end: position,
                expansions: Vec::new(),
            }
        };
        let Some(body) = &self.program.functions[site.function].body else {
            return unknown();
        };
        let Some(block) = body.blocks.get(site.block) else {
            return unknown();
        };
        let id = block
            .statements
            .get(site.statement as usize)
            .map_or(block.span, |statement| statement.span);
        body.spans.get(id).cloned().unwrap_or_else(unknown)
    }
}

/// Keeps terms small in memory: a term is 4 bytes even where it may be absent.
const _: () = assert!(size_of::<Option<Term>>() == 4);
