//! The exporter's document: clang's AST of one translation unit, as `serde` reads it.
//!
//! The exporter (`cpp/`) and this file are two sides of one format. It holds only declarations
//! that are used, with everything that the lowering would otherwise have to know about C: layouts,
//! implicit conversions, semantic initialisers, evaluated constants. Parentheses, `_Generic`,
//! `__builtin_choose_expr`, `__extension__` and constant wrappers are seen through;
//! `sizeof`, `alignof` and `offsetof` are literals. A node that the exporter does not know becomes
//! [`ExprKind::Unsupported`] or [`StmtKind::Unsupported`], with its place, never nothing.
//!
//! Tables are referred to by index. Enums are externally tagged (`{"Binary": {…}}`, `"Break"`).

mod names;
mod operators;
mod types;

use serde::Deserialize;

pub use names::{Alias, Exposed};
pub use operators::{BinaryOp, UnaryOp};
pub use types::{ArrayLength, EnumDecl, FieldDecl, Length, RecordDecl, TypeEntry, TypeKind};

/// One translation unit.
#[derive(Debug, Deserialize)]
pub struct TranslationUnit {
    /// The data model.
    pub target: Target,
    /// Paths of the files that spans refer to.
    pub files: Vec<String>,
    /// Types, unqualified and canonical (typedefs seen through).
    pub types: Vec<TypeEntry>,
    /// Structs and unions.
    pub records: Vec<RecordDecl>,
    /// Enums.
    pub enums: Vec<EnumDecl>,
    /// Pieces of source.
    pub spans: Vec<Span>,
    /// Objects of static storage duration: file scope, static locals, extern declarations, string
    /// literals and file-scope compound literals that a constant initialiser points to.
    pub variables: Vec<VariableDecl>,
    /// Functions that are defined, or used.
    pub functions: Vec<FunctionDecl>,
    /// Names that are macros where the unit ends, those of the compiler and the system excepted.
    #[serde(default)]
    pub macros: Vec<String>,
    /// The functions and objects that other code can reach by names unknown to C: by aliases that
    /// other units see, or from assembly outside functions.
    #[serde(default)]
    pub exposed: Exposed,
    /// Other names of functions and objects that other units see.
    #[serde(default)]
    pub aliases: Vec<Alias>,
    /// Names that the linker knows by others: those that are declared with an assembler name.
    #[serde(default)]
    pub symbols: Vec<Alias>,
    /// Whether an object is accessed by types that C allows only: not with `-fno-strict-aliasing`,
    /// nor where a type has the attribute `may_alias`.
    #[serde(default = "yes")]
    pub strict_aliasing: bool,
    /// Whether no name of a type lowers its alignment.
    #[serde(default = "yes")]
    pub strict_alignment: bool,
    /// Clang's messages: errors, and warnings only where a construct was not understood.
    pub diagnostics: Vec<Diagnostic>,
}

fn yes() -> bool {
    true
}

/// A construct that the exporter does not know, with the objects that it may use: it may have any
/// effect of an unknown function that gets the addresses of all these.
#[derive(Debug, Deserialize)]
pub struct Unsupported {
    /// A name for the reader.
    pub construct: String,
    /// Functions with a body, by index.
    pub functions: Vec<usize>,
    /// Objects of static storage duration that may be written, or whose address may be kept.
    pub variables: Vec<usize>,
    /// Locals of the function.
    pub locals: Vec<usize>,
}

/// The data model.
#[derive(Debug, Deserialize)]
pub struct Target {
    /// Clang's triple.
    pub triple: String,
    /// 32 or 64.
    pub pointer_width: u32,
    /// Whether the target is big-endian (which attest refuses).
    pub big_endian: bool,
    /// `-fwrapv`.
    pub signed_overflow_wraps: bool,
    /// Whether copies of floating numbers may go through the x87 unit.
    pub moves_by_x87: bool,
    /// `-ffreestanding`.
    pub freestanding: bool,
}

/// A point: file index, line, column (in bytes), all but the file from 1.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Point(pub usize, pub u32, pub u32);

/// A piece of source, where it is spelled, and the macro expansions around it, outermost first:
/// the macro's name and where that name stands.
#[derive(Debug, Deserialize)]
pub struct Span {
    /// First character.
    pub begin: Point,
    /// One past the last character.
    pub end: Point,
    /// Expansions.
    #[serde(default)]
    pub expansions: Vec<(String, Point)>,
}

/// An object of static storage duration.
#[derive(Debug, Deserialize)]
pub struct VariableDecl {
    /// Name; empty for literals.
    pub name: String,
    /// Type (completed by the initialiser).
    pub ty: usize,
    /// What it is.
    pub kind: VariableKind,
    /// Declared `const` (for arrays: of `const` elements).
    pub constant: bool,
    /// `volatile`.
    pub volatile: bool,
    /// `weak`.
    pub weak: bool,
    /// `_Thread_local`.
    pub thread_local: bool,
    /// Whether this unit defines it (tentative definitions too).
    pub defined: bool,
    /// The evaluated initialiser; `None` with `defined` means all zero. It is longer than the type
    /// if it gives elements to a flexible array member.
    pub init: Option<ConstantData>,
    /// The declaration.
    pub span: Option<usize>,
}

/// The kind of a static object.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)] // as in `ir::GlobalKind`
pub enum VariableKind {
    External,
    Internal,
    /// By the index of its function.
    StaticLocal(usize),
    StringLiteral,
    CompoundLiteral,
}

/// An evaluated initialiser, flattened.
#[derive(Debug, Deserialize)]
pub enum ConstantData {
    /// Bytes and pointers.
    Data {
        /// Lower-case hexadecimal, two digits a byte; zeros at the end may be missing.
        bytes: String,
        /// The bits of these bytes that C leaves open, as a mask in the same form.
        open: String,
        /// Pointers in it.
        relocations: Vec<Relocation>,
    },
    /// Clang could not evaluate it; the reason.
    Unsupported(String),
}

/// A pointer in an initialiser: at byte `offset`, to `target` plus `addend` bytes.
#[derive(Debug, Deserialize)]
pub struct Relocation {
    /// Where.
    pub offset: u64,
    /// To what.
    pub target: RelocationTarget,
    /// Plus this.
    pub addend: i64,
}

/// What a relocation points to.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub enum RelocationTarget {
    Variable(usize),
    Function(usize),
}

/// The promise of a pointer's declaration about NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Nonnull {
    /// None.
    No,
    /// `_Nonnull`.
    Meant,
    /// `nonnull`, `returns_nonnull` or `[static n]`.
    Demanded,
}

/// A function.
#[derive(Debug, Deserialize)]
pub struct FunctionDecl {
    /// Name.
    pub name: String,
    /// Type index of its function type.
    pub ty: usize,
    /// `static`, or `inline` without a symbol.
    pub internal: bool,
    /// An `inline` definition that makes no symbol.
    #[serde(default)]
    pub inline: bool,
    /// Its type has qualifiers that `ty` leaves out.
    #[serde(default)]
    pub qualified: bool,
    /// Whether clang knows it as a builtin or library function.
    pub builtin: bool,
    /// What its declarations say of it.
    pub attributes: FunctionAttributes,
    /// Its parameters, with or without a body.
    pub parameters: Vec<ParameterDecl>,
    /// Its definition's or first declaration's name.
    pub span: Option<usize>,
    /// Local variables; the parameters first, in order.
    pub locals: Vec<LocalDecl>,
    /// The lengths that the types of its parameters name, but those of parameters themselves.
    #[serde(default)]
    pub lengths: Vec<Length>,
    /// Names of labels.
    pub labels: Vec<String>,
    /// Body.
    pub body: Option<Stmt>,
}

/// What the declarations of a function say of it.
#[derive(Debug, Deserialize)]
pub struct FunctionAttributes {
    /// Declared never to return.
    pub noreturn: bool,
    /// Declared `weak`.
    pub weak: bool,
    /// The promise about NULL as its result.
    pub result_nonnull: Nonnull,
    /// Declared to return more than once, as `setjmp` does.
    #[serde(default)]
    pub returns_twice: bool,
    /// Declared to do nothing but return a value (`pure`, `const`).
    #[serde(default)]
    pub pure: bool,
    /// Its priority, if it runs before `main`.
    #[serde(default)]
    pub constructor: Option<u32>,
    /// Its priority, if it runs when the program ends.
    #[serde(default)]
    pub destructor: Option<u32>,
}

/// A parameter of a function.
#[derive(Debug, Deserialize)]
pub struct ParameterDecl {
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// The promise about NULL as its argument.
    pub nonnull: Nonnull,
    /// The length, if it is declared as an array of constant length.
    #[serde(default)]
    pub length: Option<u64>,
    /// Whether it is a pointer to variable-length arrays.
    #[serde(default)]
    pub rows: bool,
}

/// A local of automatic storage duration.
#[derive(Debug, Deserialize)]
pub struct LocalDecl {
    /// Name.
    pub name: Option<String>,
    /// Type (completed by the initialiser).
    pub ty: usize,
    /// Declared `const` (for arrays: of `const` elements).
    pub constant: bool,
    /// Declared `volatile`, or an array of such elements.
    #[serde(default)]
    pub volatile: bool,
    /// Where it is declared.
    pub span: usize,
}

/// A statement.
#[derive(Debug, Deserialize)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where.
    pub span: usize,
}

/// The kind of a statement.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)] // C's statements by their names
pub enum StmtKind {
    Null,
    /// After it, memory is read anew: others may have changed it.
    Barrier,
    Compound(Vec<Stmt>),
    /// Declarations of automatic variables, in order, and of names of types that name lengths;
    /// static variables do not appear.
    Declaration(Vec<Declared>),
    Expression(Expr),
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        condition: Expr,
        body: Box<Stmt>,
    },
    Do {
        body: Box<Stmt>,
        condition: Expr,
    },
    For {
        init: Option<Box<Stmt>>,
        condition: Option<Expr>,
        increment: Option<Expr>,
        body: Box<Stmt>,
    },
    Switch {
        condition: Expr,
        body: Box<Stmt>,
    },
    /// Values in decimal, signed as the switch's operand; `label` is the span of the label itself.
    Case {
        low: String,
        high: Option<String>,
        label: usize,
        body: Box<Stmt>,
    },
    Default {
        label: usize,
        body: Box<Stmt>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(usize),
    Label {
        label: usize,
        body: Box<Stmt>,
    },
    /// `goto *p`, inline assembly, ….
    Unsupported(Unsupported),
}

/// A declared local with its initialiser, or the declared name of a type.
#[derive(Debug, Deserialize)]
pub struct Declared {
    /// The lengths that its type names.
    #[serde(default)]
    pub lengths: Vec<Length>,
    /// Index in the function's locals; `None` for the name of a type.
    pub local: Option<usize>,
    /// Initialiser, converted to the local's type.
    pub init: Option<Expr>,
}

/// An expression.
#[derive(Debug, Deserialize)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: usize,
    /// Where; without surrounding parentheses. Of a controlling expression or an operand of `&&` or
    /// `||`, where clang's coverage mapping puts it: with its parentheses, and empty at the place
    /// of expansion if it is in a macro of a system header (`assert`).
    pub span: usize,
    /// Its value if clang folds it (decimal): given for controlling expressions, their leaves under
    /// `&&`, `||`, `!`, and operands of those elsewhere.
    #[serde(default)]
    pub folded: Option<String>,
}

/// The kind of an expression.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)] // clang's expression classes by their names
pub enum ExprKind {
    /// Decimal, signed as its type. Integer, character and enumerator constants, `sizeof`, ….
    Integer(String),
    /// Bits of the value in its type, hexadecimal.
    Float(String),
    /// An lvalue of array type: index of a string literal in `variables`.
    String(usize),
    Local(usize),
    Variable(usize),
    Function(usize),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    /// The operands are converted already.
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `left op= right`: `left` is converted to `computation_left`, the operation is done there
    /// (result in `computation_result`), and the result converted back.
    CompoundAssign {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        computation_left: usize,
        computation_result: usize,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `a ?: b`: `common` is evaluated once; `condition` and `then` refer to it by `Opaque`.
    BinaryConditional {
        common: Box<Expr>,
        opaque: usize,
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// The value of the enclosing `BinaryConditional` with this number.
    Opaque(usize),
    /// `kind` is clang's cast kind name: `LValueToRValue`, `IntegralCast`, `ArrayToPointerDecay`,
    /// ….
    Cast {
        kind: String,
        operand: Box<Expr>,
        explicit: bool,
    },
    Call {
        callee: Box<Expr>,
        arguments: Vec<Expr>,
    },
    /// `base.field` or, with `arrow`, `base->field`; the field by its index in the record.
    Member {
        base: Box<Expr>,
        arrow: bool,
        record: usize,
        field: usize,
    },
    /// `base[index]`, or with `index_first` `index[base]`: `base` is the pointer, often a decayed
    /// array.
    Subscript {
        base: Box<Expr>,
        index: Box<Expr>,
        index_first: bool,
    },
    /// An automatic compound literal: an lvalue; `init` fills a fresh object of its type.
    CompoundLiteral {
        constant: bool,
        init: Box<Expr>,
    },
    /// A braced initialiser in semantic form.
    InitRecord {
        record: usize,
        fields: Vec<FieldInit>,
    },
    /// Elements from index 0; the rest up to the length is `filler`, or zero without one.
    InitArray {
        elements: Vec<Expr>,
        filler: Option<Box<Expr>>,
    },
    /// All zero.
    ImplicitZero,
    /// `({ … })`; its value is that of the last statement if that is an expression.
    Statement(Box<Stmt>),
    VaArg {
        list: Box<Expr>,
    },
    /// The size of a variable-length array, by the index of its type.
    SizeOf(usize),
    /// A value whose type, as written, names lengths, which are evaluated first.
    Sized {
        lengths: Vec<Length>,
        value: Box<Expr>,
    },
    Unsupported(Unsupported),
}

/// A member's initialiser; for a union, of the one member that is initialised.
#[derive(Debug, Deserialize)]
pub struct FieldInit {
    /// Index in the record.
    pub field: usize,
    /// Value.
    pub value: Expr,
}

/// A message of clang's, or of the exporter's about a construct that it does not know.
#[derive(Debug, Deserialize)]
pub struct Diagnostic {
    /// `error`, `fatal`, `warning`, `note`.
    pub severity: String,
    /// Text.
    pub message: String,
    /// Where, if anywhere: file path (which may not be in `files`), line, column.
    pub place: Option<(String, u32, u32)>,
}
