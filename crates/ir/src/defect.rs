//! The kinds of defects that a tested program can show.

use std::fmt;

/// The kind of a defect: the undefined behaviour or failure that ends a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DefectKind {
    /// An access outside its object.
    OutOfBounds,
    /// An access through a null pointer.
    NullDereference,
    /// An access through a pointer that points nowhere: made from an integer, or never set.
    WildPointer,
    /// An access to memory that was freed.
    UseAfterFree,
    /// An access to a local after its function or block ended.
    UseAfterReturn,
    /// Freeing memory that is freed already.
    DoubleFree,
    /// Freeing a pointer that `malloc` did not return.
    InvalidFree,
    /// Allocated memory that nothing points to at the end.
    Leak,
    /// A use of a value that was never written.
    UninitialisedRead,
    /// A signed result out of range.
    SignedOverflow,
    /// A shift by a negative amount or by the width or more, or of a sign bit.
    BadShift,
    /// Division or remainder by zero.
    DivisionByZero,
    /// A false `assert`.
    FailedAssertion,
    /// A call of `abort` or a trap.
    Abort,
    /// A call through a pointer that is no function, or one of another type.
    BadFunctionPointer,
    /// `longjmp` to a place that it cannot reach.
    LongjmpMisuse,
    /// The same machine state twice.
    NonTermination,
    /// An access that its type's alignment forbids.
    Misaligned,
    /// A comparison by order, or a difference, of pointers into different objects.
    UnrelatedPointers,
    /// A write to a string literal or a `const` object.
    WriteToConstant,
    /// `__builtin_unreachable()` reached.
    Unreachable,
    /// An argument that a library function does not allow.
    InvalidArgument,
    /// A library function copies between objects that overlap, which it must not.
    Overlapping,
    /// The length of a variable-length array is not positive.
    BadLength,
    /// An object is read whose bytes are no value of its type: a `_Bool` that is neither 0 nor 1.
    TrapRepresentation,
}

impl DefectKind {
    /// All kinds.
    pub const ALL: [DefectKind; 25] = [
        DefectKind::OutOfBounds,
        DefectKind::NullDereference,
        DefectKind::WildPointer,
        DefectKind::UseAfterFree,
        DefectKind::UseAfterReturn,
        DefectKind::DoubleFree,
        DefectKind::InvalidFree,
        DefectKind::Leak,
        DefectKind::UninitialisedRead,
        DefectKind::SignedOverflow,
        DefectKind::BadShift,
        DefectKind::DivisionByZero,
        DefectKind::FailedAssertion,
        DefectKind::Abort,
        DefectKind::BadFunctionPointer,
        DefectKind::LongjmpMisuse,
        DefectKind::NonTermination,
        DefectKind::Misaligned,
        DefectKind::UnrelatedPointers,
        DefectKind::WriteToConstant,
        DefectKind::Unreachable,
        DefectKind::InvalidArgument,
        DefectKind::Overlapping,
        DefectKind::BadLength,
        DefectKind::TrapRepresentation,
    ];

    /// The kind of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in `suite.json`, on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            DefectKind::OutOfBounds => "out-of-bounds",
            DefectKind::NullDereference => "null-dereference",
            DefectKind::WildPointer => "wild-pointer",
            DefectKind::UseAfterFree => "use-after-free",
            DefectKind::UseAfterReturn => "use-after-return",
            DefectKind::DoubleFree => "double-free",
            DefectKind::InvalidFree => "invalid-free",
            DefectKind::Leak => "leak",
            DefectKind::UninitialisedRead => "uninitialised-read",
            DefectKind::SignedOverflow => "signed-overflow",
            DefectKind::BadShift => "bad-shift",
            DefectKind::DivisionByZero => "division-by-zero",
            DefectKind::FailedAssertion => "failed-assertion",
            DefectKind::Abort => "abort",
            DefectKind::BadFunctionPointer => "bad-function-pointer",
            DefectKind::LongjmpMisuse => "longjmp-misuse",
            DefectKind::NonTermination => "non-termination",
            DefectKind::Misaligned => "misaligned-access",
            DefectKind::UnrelatedPointers => "unrelated-pointers",
            DefectKind::WriteToConstant => "write-to-constant",
            DefectKind::Unreachable => "unreachable-reached",
            DefectKind::InvalidArgument => "invalid-argument",
            DefectKind::Overlapping => "overlapping-objects",
            DefectKind::BadLength => "bad-array-length",
            DefectKind::TrapRepresentation => "trap-representation",
        }
    }
}

impl fmt::Display for DefectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
