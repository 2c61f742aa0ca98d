//! The program: its functions and globals, and a dense numbering of its blocks and edges.

use index_vec::IndexVec;

use crate::c_library::is_in_c_library;
use crate::{
    Block, Body, EnumId, FileId, FunctionId, GlobalId, Initializer, Local, RecordId, SourceFile,
    Span, Target, Terminator, TypeId, Types, UnitId,
};

/// A program: one or more linked units and the models of library functions they use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The data model.
    pub target: Target,
    /// The units that were linked.
    pub units: IndexVec<UnitId, Unit>,
    /// All files that code comes from.
    pub files: IndexVec<FileId, SourceFile>,
    /// All types.
    pub types: Types,
    /// All objects of static storage duration.
    pub globals: IndexVec<GlobalId, Global>,
    /// All functions.
    pub functions: IndexVec<FunctionId, Function>,
}

/// A C file of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its path as it was given.
    pub path: String,
    /// The author of its code.
    pub origin: Origin,
    /// The structs and unions of the program that the unit does not define: C text that is compiled
    /// with the unit can at most point to them.
    pub unknown_records: Vec<RecordId>,
    /// Those of `unknown_records` that the unit does not mention: it may have other types of the
    /// same names.
    pub absent_records: Vec<RecordId>,
    /// The enums of the program that such text has no names for: those that the unit does not
    /// define, or one of its functions does.
    pub unknown_enums: Vec<EnumId>,
    /// Names that are macros where the unit ends, without those of the compiler and of the system's
    /// headers: they would change the meaning of such text.
    pub macros: Vec<String>,
    /// Functions whose types have qualifiers that the program leaves out: those of results, and
    /// `restrict` of pointees.
    pub qualified: Vec<String>,
    /// Whether it uses values for which clang and gcc differ, where C leaves them open. The program
    /// has clang's. These are the values of a postfix `++` or `--` of a bit-field, and of a
    /// statement expression that ends in one, and of pointers that are converted to wider integers.
    pub clang_values: bool,
}

/// The authors of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user's.
    User,
    /// A model of a library function, in C, that comes with attest.
    Model,
    /// A caller's: functions that it could pass pointers to, without bodies.
    Caller,
}

/// The units that see a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// All units.
    External,
    /// The unit (`static`).
    Internal,
    /// The unit: an `inline` definition that makes no symbol. Where it is not inlined, another
    /// definition of that name is called, which C takes to be the same.
    Inline,
}

/// An object of static storage duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name; unique within the program for external ones, but for those of several units that
    /// assembler names tell apart. String literals and compound literals have made-up names that
    /// are no C identifiers.
    pub name: String,
    /// Its type; an array completed by its initialiser has its length.
    pub ty: TypeId,
    /// The unit that it comes from.
    pub unit: UnitId,
    /// The kind of object that it is.
    pub kind: GlobalKind,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether it is `volatile`.
    pub volatile: bool,
    /// Whether it is declared `weak`: if nothing defines it, its address is NULL.
    pub weak: bool,
    /// Whether its symbol is another one than its name: it is not the C library's object of its
    /// name.
    pub renamed: bool,
    /// Whether each thread has one of its own.
    pub thread_local: bool,
    /// Its initial value; `None` if it is only declared (`extern`) and no unit defines it.
    pub initializer: Option<Initializer>,
    /// Its declaration; `None` for literals.
    pub span: Option<Span>,
}

/// The object of the models that `errno` stands for.
pub const ERRNO_OF_MODELS: &str = "error_number";

/// The function that notes where a model is narrower than the function that it models.
pub const NARROW_MODEL: &str = "__attest_narrow_model";

/// The function that reports an index that is not within an array.
pub const BAD_INDEX: &str = "__attest_bad_index";

/// The function that reports a length of an array that is not positive.
pub const BAD_LENGTH: &str = "__attest_bad_length";

/// The function without a body that is called, on edges that no execution takes, for the possible
/// effects of constructs that attest does not handle on the objects that they mention.
pub const UNSUPPORTED_CONSTRUCT: &str = "__attest_unsupported";

/// The kind of static object that a global is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobalKind {
    /// A file-scope object.
    File(Linkage),
    /// A `static` inside a function, which no test can name.
    StaticLocal(FunctionId),
    /// A string literal; writing to it is undefined.
    StringLiteral,
    /// A compound literal at file scope.
    CompoundLiteral,
}

/// The promise of a pointer's declaration about NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nonnull {
    /// None.
    #[default]
    No,
    /// It is not meant to be NULL (`_Nonnull`), which no behaviour rests on.
    Meant,
    /// NULL is undefined behaviour (`nonnull`, `returns_nonnull`, `[static n]`).
    Demanded,
}

/// The declaration of a parameter, without its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Option<String>,
    /// Its promise about NULL.
    pub nonnull: Nonnull,
    /// The least number of elements, if it is declared as an array.
    pub length: Option<u64>,
    /// Whether it is declared as a pointer to variable-length arrays; its type is a pointer to their
    /// elements.
    pub rows: bool,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name; unique within the program for external ones, but for those of several units that
    /// assembler names tell apart.
    pub name: String,
    /// Its function type.
    pub ty: TypeId,
    /// The declarations of its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The promise of its declaration about NULL as its result.
    pub result_nonnull: Nonnull,
    /// The unit that it comes from.
    pub unit: UnitId,
    /// The units that see it.
    pub linkage: Linkage,
    /// Whether it is declared never to return (`_Noreturn`).
    pub noreturn: bool,
    /// Whether it has the attribute `pure` or `const`. Such a function only returns a value.
    /// Compilers remove a call of it if the program does not use that value.
    pub pure: bool,
    /// Whether its definition is in the old style, so that callers pass promoted arguments.
    pub old_style: bool,
    /// Whether it counts as the C library's, although units declare it themselves with a name that
    /// C leaves to programs.
    pub assumed: bool,
    /// Whether its symbol is another one than its name, and no function of the C library has it: it
    /// is not the library's function of its name.
    pub renamed: bool,
    /// Whether it is declared `weak`: if nothing defines it, its address is NULL.
    pub weak: bool,
    /// Its definition, or its first declaration; `None` for compiler builtins.
    pub span: Option<Span>,
    /// Its body; `None` if no unit defines it.
    pub body: Option<Body>,
}

impl Program {
    /// The function with this name; external ones are preferred to `static` ones.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let mut found = None;
        for (id, function) in self.functions.iter_enumerated() {
            if function.name == name {
                match function.linkage {
                    Linkage::External => return Some(id),
                    Linkage::Internal | Linkage::Inline => found = found.or(Some(id)),
                }
            }
        }
        found
    }

    /// Whether a function without a body is one of the C library or of the compiler: a header of
    /// the system declares it, or nothing does. Nothing is known of functions of other libraries
    /// with headers there, nor of functions that are called without a declaration (C90 6.3.2.2).
    pub fn is_library(&self, function: FunctionId) -> bool {
        let data = &self.functions[function];
        let span = data.span.as_ref();
        let file = span.and_then(|span| self.files.get(span.place().file));
        let is_undeclared = data.span.is_none();
        // Names of the compiler's functions start with two underscores.
        let reserved = if is_undeclared { "__" } else { "_" };
        let is_known = || is_in_c_library(&data.name) || data.name.starts_with(reserved);
        let is_of_system = is_undeclared || file.is_some_and(SourceFile::is_of_system);
        let is_system = is_of_system && is_known();
        data.body.is_none() && !data.renamed && is_system && self.origin(function) == Origin::User
    }

    /// Whether a function is `atexit` of the C library.
    pub fn is_at_exit(&self, function: FunctionId) -> bool {
        let data = &self.functions[function];
        data.body.is_none() && data.name == "atexit"
    }

    /// Whether functions may run when the program ends.
    pub fn uses_at_exit(&self) -> bool {
        self.functions.indices().any(|id| self.is_at_exit(id))
    }

    /// The author of a function's code.
    pub fn origin(&self, function: FunctionId) -> Origin {
        self.units[self.functions[function].unit].origin
    }

    /// Whether calls of the function may go to another definition of its name, which another unit
    /// has: an `inline` definition that makes no symbol. Those of the system's headers do what the
    /// library does.
    pub fn has_another_definition(&self, function: FunctionId) -> bool {
        let function = &self.functions[function];
        let span = function.span.as_ref();
        let file = span.and_then(|span| self.files.get(span.place().file));
        function.linkage == Linkage::Inline && !file.is_some_and(SourceFile::is_of_system)
    }
}

impl Function {
    /// The locals that hold the parameters, in order.
    pub fn parameter_locals(&self) -> impl Iterator<Item = Local> + use<> {
        (0..self.parameters.len()).map(Local::from_usize)
    }

    /// The declared name of a parameter.
    pub fn parameter_name(&self, index: usize) -> Option<&str> {
        self.parameters.get(index)?.name.as_deref()
    }

    /// The name of an argument: that of its parameter, or its number.
    pub fn argument_name(&self, index: usize) -> String {
        let name = self.parameter_name(index).map(str::to_owned);
        name.unwrap_or_else(|| format!("argument_{index}"))
    }
}

index_vec::define_index_type! {
    /// A block of the whole program, numbered densely over all functions by [`CodeIndex`].
    pub struct CodeBlock = u32;
    IMPL_RAW_CONVERSIONS = true;
}

index_vec::define_index_type! {
    /// An outgoing edge of a `Branch` or `Switch`, numbered densely by [`CodeIndex`].
    pub struct CodeEdge = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// A dense numbering of all blocks of a program, and of the edges out of its branches and switches,
/// so that the visits of an execution fit in bit sets.
#[derive(Clone, Debug)]
pub struct CodeIndex {
    first_block: IndexVec<FunctionId, u32>,
    first_edge: IndexVec<CodeBlock, u32>,
    edges: u32,
}

impl CodeIndex {
    /// Numbers the program's blocks and edges.
    pub fn new(program: &Program) -> Self {
        let mut first_block = IndexVec::new();
        let mut first_edge = IndexVec::new();
        let mut edges = 0;
        for function in &program.functions {
            first_block.push(first_edge.len() as u32);
            for block in function.body.iter().flat_map(|body| &body.blocks) {
                first_edge.push(edges);
                edges += match &block.terminator {
                    Terminator::Branch { .. } => 2,
                    Terminator::Switch { arms, .. } => arms.len() as u32 + 1,
                    _ => 0,
                };
            }
        }
        CodeIndex {
            first_block,
            first_edge,
            edges,
        }
    }

    /// The number of a block.
    pub fn block(&self, function: FunctionId, block: Block) -> CodeBlock {
        CodeBlock::from_raw(self.first_block[function] + block.raw())
    }

    /// The number of the edge to the `successor`-th entry of [`Terminator::successors`]; only for
    /// blocks that end in a branch or switch.
    pub fn edge(&self, function: FunctionId, block: Block, successor: usize) -> CodeEdge {
        let first = self.first_edge[self.block(function, block)];
        CodeEdge::from_raw(first + successor as u32)
    }

    /// The block in which each edge begins, in order.
    pub fn begins(&self) -> impl Iterator<Item = CodeBlock> + '_ {
        let firsts = self.first_edge.iter().copied();
        let ends = firsts.clone().skip(1).chain([self.edges]);
        let blocks = firsts.zip(ends).enumerate();
        blocks.flat_map(|(block, (first, end))| {
            (first..end).map(move |_| CodeBlock::from_usize(block))
        })
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.first_edge.len()
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.edges as usize
    }
}
