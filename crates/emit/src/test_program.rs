//! A test as data: what it declares, assigns, calls and checks.
//!
//! A back end makes a test of some framework from it; `c/plain.rs` makes plain C. Places, values
//! and declarations are C text, since the test calls C; all else is plain data. The text may use
//! what the prelude of the test's file defines, such as `ATTEST@AT`: `@` marks names of the tests'
//! own, which the file spells so that they meet none of the program's.

/// A test of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestProgram {
    /// Its name.
    pub name: String,
    /// Its purpose, and drawings of its input, a line each.
    pub notes: Vec<String>,
    /// Its variables, in order.
    pub declarations: Vec<Declaration>,
    /// Sets what declarations cannot, in order.
    pub assignments: Vec<Statement>,
    /// Prepares what the tested code calls: functions without a body, allocations.
    pub preparations: Vec<Statement>,
    /// The call of the tested function; of a sequence, all calls with the checks between them.
    pub calls: Vec<Statement>,
    /// The checks of what the call returned and wrote.
    pub checks: Vec<Statement>,
    /// Whether functions that the tested code registered with `atexit` are called at the end.
    pub runs_exit_handlers: bool,
}

/// The declaration of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// An object with an initial value.
    Variable {
        /// Whether it is too large for the stack.
        is_static: bool,
        /// The declaration, without an initialiser: `int *p`.
        declared: String,
        /// Its alignment in bytes, if that is more than its type's.
        aligned: Option<u64>,
        /// Its initialiser; without one it is all zeros.
        value: Option<String>,
    },
    /// A pointer to objects that `malloc` makes, since the tested code frees them.
    OnHeap {
        /// The pointer.
        name: String,
        /// The type of an object.
        element: String,
        /// How many objects; `None` if there is one, and it is no array.
        count: Option<u64>,
        /// The initialiser of the object, or of the array.
        value: String,
    },
    /// A pointer to zeroed memory that `malloc` makes.
    Zeroed {
        /// The declaration of the pointer.
        declared: String,
        /// The size, an expression.
        size: String,
    },
    /// A pointer to a stream that the C library makes.
    Stream {
        /// The declaration of the pointer.
        declared: String,
        /// Whether no output fits into it.
        is_full: bool,
    },
    /// A pointer to an open folder that the C library makes.
    Folder {
        /// The declaration of the pointer.
        declared: String,
    },
    /// An array of what a function without a body returns, call by call.
    Results {
        /// Whether it is too large for the stack.
        is_static: bool,
        /// The declaration of the array.
        declared: String,
        /// Its elements.
        values: Vec<String>,
    },
    /// A table of what calls of a function without a body are given.
    Arguments {
        /// The table.
        table: String,
        /// Its lines.
        expected: Vec<ExpectedArgument>,
    },
    /// A table of what calls of a function without a body write.
    Changes {
        /// The table.
        table: String,
        /// Its lines.
        changes: Vec<Change>,
    },
}

/// A scalar, or text, that a call of a function without a body is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedArgument {
    /// Which call, from 1.
    pub call: u32,
    /// Its name for people: `packet->kind`.
    pub name: String,
    /// Which argument, from 0.
    pub argument: u32,
    /// The pointers on the way to it.
    pub way: Way,
    /// Its first bit in the argument, or in what the last pointer points to.
    pub first: u64,
    /// Its width in bits.
    pub width: u32,
    /// The expected value.
    pub value: Expected,
}

/// The pointers that lead from an argument to what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// None: it is the argument, or a part of it.
    Direct,
    /// One, which lies so many bytes from the start of the argument.
    One(u64),
    /// Two: the second lies so many bytes from where the first points.
    Two(u64, u64),
}

/// The value that an argument, or a part of what it leads to, has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A number.
    Number(String),
    /// An address.
    Pointer(String),
    /// A pointer that is not NULL.
    NotNull,
    /// A pointer to text with an end.
    Text(Vec<u8>),
    /// A pointer to bytes, so many bytes after where it points.
    Bytes {
        /// How many bytes after.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// A write of a call of a function without a body, or a pointer that the call keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which call, from 0.
    pub call: u32,
    /// Where the access path to the object begins.
    pub start: ChangeStart,
    /// The offsets on that path: each but the first is added to the pointer found before. The path
    /// is `[0]` where the object begins at the start.
    pub path: Vec<i64>,
    /// The effect of the call there.
    pub effect: Effect,
}

/// Where the access path of a call to an object begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeStart {
    /// At the argument for a parameter.
    Argument(u32),
    /// At an argument after those for parameters, by the kinds of all of these, a letter each.
    Rest(String),
    /// At an object, by its address.
    Object(String),
    /// At an object whose address an earlier call kept, by the variable that holds it.
    Kept(String),
    /// At the result of the call.
    Result,
}

/// The effect of a call on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It keeps the address in a variable.
    Keep(String),
    /// It writes bits, as an image of the object has them.
    Write {
        /// The first bit.
        first: i64,
        /// How many.
        bits: i64,
        /// The address of the image.
        image: String,
    },
    /// It writes an address that a call kept.
    WriteKept {
        /// The bit where the pointer begins.
        first: i64,
        /// The variable that holds the address.
        place: String,
        /// The bytes that are added to it.
        offset: i64,
    },
    /// It returns one of its arguments.
    ReturnArgument {
        /// The bit where the pointer begins.
        first: i64,
        /// Which argument, from 0.
        argument: usize,
    },
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Maps memory at an address that the program has as a constant.
    Map {
        /// The address.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// Sets a byte at such an address.
    SetMapped {
        /// The address.
        address: u64,
        /// The byte.
        value: u128,
    },
    /// Assigns to a place.
    Assign {
        /// The place.
        place: String,
        /// The value.
        value: String,
    },
    /// Sets characters that stand one after the other.
    AssignBytes {
        /// The address of the first.
        address: String,
        /// The characters.
        bytes: Vec<u8>,
    },
    /// Sets elements of an array to zero.
    Clear {
        /// The first element.
        place: String,
        /// How many.
        count: usize,
    },
    /// Ends the test where a pointer is NULL.
    EndIfNull {
        /// The pointer.
        pointer: String,
    },
    /// Sets a bit-field that C has no name for, or none to write by.
    SetBits {
        /// The address of the object.
        address: String,
        /// The field's first bit.
        first: u64,
        /// The field's width.
        width: u32,
        /// The value.
        bits: u128,
    },
    /// Hands a function without a body what it returns.
    GiveResults {
        /// The function.
        function: String,
        /// The array of results.
        array: String,
    },
    /// Hands a function without a body what its calls are given.
    GiveArguments {
        /// The function.
        function: String,
        /// The table.
        table: String,
    },
    /// Hands a function without a body what its calls write.
    GiveChanges {
        /// The function.
        function: String,
        /// The table.
        table: String,
    },
    /// Hands the code the inputs that it declares itself.
    GiveInputs {
        /// The name for a table of them.
        table: String,
        /// The inputs.
        inputs: Vec<DeclaredInput>,
    },
    /// Makes an allocation fail.
    FailAllocation {
        /// Which, from 0.
        nth: u32,
    },
    /// Says what allocations hold before they are written.
    FillAllocations {
        /// The name for a table of the contents.
        table: String,
        /// The contents.
        fills: Vec<Fill>,
    },
    /// Paints the stack with a pattern again and again.
    PaintStack {
        /// The pattern.
        pattern: Vec<u8>,
    },
    /// Calls a function.
    Call(Call),
    /// Checks what was returned or written.
    Check(Check),
}

/// An input that the code declares itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredInput {
    /// The name that the code gives it.
    pub name: String,
    /// Which of those with that name.
    pub nth: u32,
    /// The variable that holds it.
    pub variable: String,
}

/// The contents of an allocation before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Which allocation, from 0.
    pub nth: u32,
    /// The offset of the bytes in it.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function, as an expression.
    pub callee: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The use of its result.
    pub result: CallResult,
}

/// The use of the result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallResult {
    /// Nothing: the call is made for its effect.
    Ignored,
    /// Nothing, but compilers must not leave the call out, as they do with pure functions.
    Used,
    /// It is assigned to a place.
    Assigned(String),
    /// A new variable holds it.
    Declared {
        /// The variable.
        name: String,
        /// Its declaration; `None` where its type has no name.
        declared: Option<String>,
    },
}

/// A check of a scalar, or of characters that stand one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// A number.
    Equal {
        /// The scalar.
        actual: String,
        /// The expected value.
        expected: String,
    },
    /// A pointer that has to be NULL.
    Null {
        /// The pointer.
        actual: String,
    },
    /// A pointer that must not be NULL.
    NotNull {
        /// The pointer.
        actual: String,
    },
    /// A pointer that has to point somewhere.
    Pointer {
        /// The pointer.
        actual: String,
        /// Where it has to point.
        expected: String,
    },
    /// Characters.
    Bytes {
        /// The address of the first.
        address: String,
        /// The expected values.
        expected: Vec<u8>,
    },
    /// How often a function without a body was called.
    Calls {
        /// The function.
        function: String,
        /// The expected number.
        count: u32,
    },
}

impl Check {
    /// Whether it looks at the variable.
    pub fn mentions(&self, variable: &str) -> bool {
        let (actual, expected) = match self {
            Check::Equal { actual, expected } | Check::Pointer { actual, expected } => {
                (actual.as_str(), expected.as_str())
            }
            Check::Null { actual } | Check::NotNull { actual } => (actual.as_str(), ""),
            Check::Bytes { address, .. } => (address.as_str(), ""),
            Check::Calls { .. } => return false,
        };
        let is_apart = |c: char| !(c.is_alphanumeric() || c == '_');
        let mut words = actual.split(is_apart).chain(expected.split(is_apart));
        words.any(|word| word == variable)
    }
}
