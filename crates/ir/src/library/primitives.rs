//! Functions without a body that are known by name: the semantics of the program defines their
//! calls, as those of an intrinsic.

use super::ASSUME_ALIGNED;
use crate::{BAD_INDEX, BAD_LENGTH, Function, NARROW_MODEL, Type, Types};

/// A function without a body that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// `malloc`, of a size.
    Allocate,
    /// The same, filled with zeros.
    AllocateZeroed,
    /// The same, at a multiple of a number.
    AllocateAligned,
    /// `free`.
    Free,
    /// The size of an allocation.
    AllocatedSize,
    /// Returns whether two pointers lead to one object.
    SameObject,
    /// Returns whether the next allocation fails.
    AllocationFails,
    /// Returns whether a value depends on inputs.
    IsSymbolic,
    /// `memmove`.
    Copy,
    /// `memset`.
    Fill,
    /// Reads bytes only to find defects of the access.
    Read,
    /// Rejects the input unless its argument holds.
    Assume,
    /// Reports a defect unless its argument holds.
    Assert,
    /// The function that `assert` calls where it fails.
    AssertFail,
    /// Reports that an error is reached.
    ReachError,
    /// Makes memory an input.
    Input,
    /// `klee_make_symbolic(pointer, size, name)`.
    MakeSymbolic,
    /// Reports an argument that a function of the library does not allow.
    InvalidArgument,
    /// Reports a null pointer where a function of the library allows none.
    NullArgument,
    /// Reports an index that is not within an array.
    BadIndex,
    /// Reports a length of an array that is not positive.
    BadLength,
    /// Reports objects that overlap and must not.
    Overlapping,
    /// Says that a model is narrower than the function that it models.
    NarrowModel,
    /// Says that the compiled function behaves differently from its model.
    UntestedModel,
    /// Says that a function which has a model may have set `errno`.
    NarrowErrorNumber,
    /// Memory is read anew: others may have changed it.
    Barrier,
    /// `__builtin_assume_aligned`.
    AssumeAligned,
    /// Returns whether the locale matters.
    Locale,
    /// `exit`.
    Exit,
    /// `_exit`: runs no functions that `atexit` was given.
    Leave,
    /// `atexit`.
    AtExit,
    /// `abort`.
    Abort,
    /// `__builtin_trap`.
    Trap,
    /// `printf`.
    Printf,
    /// `fprintf`.
    Fprintf,
    /// `sprintf`.
    Sprintf,
    /// `snprintf`.
    Snprintf,
    /// `puts`.
    Puts,
    /// `fputs`.
    Fputs,
    /// `putchar`.
    Putchar,
    /// `fputc` and `putc`.
    Fputc,
    /// `fflush`.
    Fflush,
    /// Functions of a `va_list`, which is not supported.
    Variadic,
}

impl Primitive {
    /// The primitive that a function without a body is. A renamed function of the program with such
    /// a name is none.
    pub fn of(function: &Function) -> Option<Primitive> {
        Primitive::named(&function.name).filter(|_| !function.renamed)
    }

    /// The primitive with this name.
    pub fn named(name: &str) -> Option<Primitive> {
        Some(match name {
            "__attest_allocate" => Primitive::Allocate,
            "__attest_allocate_aligned" => Primitive::AllocateAligned,
            "__attest_allocate_zeroed" => Primitive::AllocateZeroed,
            "__attest_free" => Primitive::Free,
            "__attest_allocated_size" => Primitive::AllocatedSize,
            "__attest_same_object" => Primitive::SameObject,
            "__attest_allocation_fails" => Primitive::AllocationFails,
            "__attest_is_symbolic" => Primitive::IsSymbolic,
            "__attest_copy" => Primitive::Copy,
            "__attest_read" => Primitive::Read,
            "__attest_fill" => Primitive::Fill,
            "__attest_assume" | "__VERIFIER_assume" | "klee_assume" | "__CPROVER_assume"
            | "__CrestAssume" | "CUTE_assume_" => Primitive::Assume,
            "__attest_assert" => Primitive::Assert,
            "__assert_fail" | "__assert" | "__assert_rtn" => Primitive::AssertFail,
            "reach_error" | "__VERIFIER_error" => Primitive::ReachError,
            "__attest_input" => Primitive::Input,
            "klee_make_symbolic" => Primitive::MakeSymbolic,
            "__attest_invalid_argument" => Primitive::InvalidArgument,
            "__attest_null_argument" => Primitive::NullArgument,
            BAD_INDEX => Primitive::BadIndex,
            BAD_LENGTH => Primitive::BadLength,
            "__attest_overlapping" => Primitive::Overlapping,
            NARROW_MODEL => Primitive::NarrowModel,
            "__attest_untested_model" => Primitive::UntestedModel,
            "__attest_narrow_error_number" => Primitive::NarrowErrorNumber,
            "__attest_barrier" => Primitive::Barrier,
            ASSUME_ALIGNED => Primitive::AssumeAligned,
            "__attest_locale" => Primitive::Locale,
            "exit" => Primitive::Exit,
            "_Exit" | "_exit" => Primitive::Leave,
            "atexit" => Primitive::AtExit,
            "abort" | "__attest_abort" => Primitive::Abort,
            "__builtin_trap" | "__builtin_debugtrap" => Primitive::Trap,
            "printf" | "__builtin_printf" => Primitive::Printf,
            "fprintf" | "__builtin_fprintf" => Primitive::Fprintf,
            "sprintf" | "__builtin_sprintf" => Primitive::Sprintf,
            "snprintf" | "__builtin_snprintf" => Primitive::Snprintf,
            "puts" | "__builtin_puts" => Primitive::Puts,
            "fputs" | "__builtin_fputs" => Primitive::Fputs,
            "putchar" | "__builtin_putchar" => Primitive::Putchar,
            "fputc" | "putc" | "_IO_putc" => Primitive::Fputc,
            "fflush" => Primitive::Fflush,
            "vprintf" | "vfprintf" | "vsprintf" | "vsnprintf" => Primitive::Variadic,
            _ => return None,
        })
    }
}

/// Whether the behaviour of a function without a body is known.
pub fn is_known(types: &Types, function: &Function) -> bool {
    Primitive::of(function).is_some() || only_gives_input(types, function)
}

/// Whether a call of a function without a body may take an input that is numbered.
pub fn takes_input(types: &Types, function: &Function) -> bool {
    let known = Primitive::of(function);
    only_gives_input(types, function)
        || known.is_none_or(|primitive| {
            matches!(
                primitive,
                Primitive::Allocate
                    | Primitive::AllocateZeroed
                    | Primitive::AllocateAligned
                    | Primitive::AllocationFails
                    | Primitive::Input
                    | Primitive::MakeSymbolic
                    | Primitive::Locale
            )
        })
}

/// Whether a function without a body that is known may set `errno`, by its name.
pub fn sets_errno(name: &str) -> bool {
    Primitive::named(name).is_some_and(|primitive| {
        matches!(
            primitive,
            Primitive::Printf
                | Primitive::Fprintf
                | Primitive::Sprintf
                | Primitive::Snprintf
                | Primitive::Puts
                | Primitive::Fputs
                | Primitive::Putchar
                | Primitive::Fputc
                | Primitive::Fflush
                | Primitive::AtExit
                | Primitive::NarrowErrorNumber
        )
    })
}

/// Whether a function without a body assumes that its argument holds, by its name.
pub fn is_assumption(name: &str) -> bool {
    matches!(Primitive::named(name), Some(Primitive::Assume))
}

/// Whether a function without a body stands for an input, and so changes nothing: its name says so,
/// and it has no pointer parameter, through which it would write.
pub fn only_gives_input(types: &Types, function: &Function) -> bool {
    let takes_pointers = match types.kind(function.ty) {
        Type::Function(ty) => ty.parameters.iter().any(|&ty| types.has_pointers(ty)),
        _ => false,
    };
    function.name.starts_with("__VERIFIER_nondet_") && !takes_pointers
}
