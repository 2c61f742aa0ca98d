//! Functions without a body that the machine knows by name.

mod control;
mod format;
mod free;
mod input;
mod memory;
mod print;

use ir::library::ASSUME_ALIGNED;
use ir::{Function, Type, Types};

use crate::calls::Passed;
use crate::code::CallCode;
use crate::run::{Run, Step};
use crate::value::{Scalar, Value};

/// What a primitive is given: its arguments, each with its type.
pub(crate) type Arguments<'a> = &'a [(Value, Scalar)];

/// A primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitive {
    Allocate,
    AllocateZeroed,
    AllocateAligned,
    Free,
    AllocatedSize,
    SameObject,
    AllocationFails,
    IsSymbolic,
    Copy,
    Fill,
    /// Reads bytes for nothing but what may be wrong with that.
    Read,
    Assume,
    Assert,
    AssertFail,
    ReachError,
    Input,
    /// `klee_make_symbolic(pointer, size, name)`.
    MakeSymbolic,
    InvalidArgument,
    NullArgument,
    /// Reports objects that overlap and must not.
    Overlapping,
    /// Says that a model is narrower than the function that it models.
    NarrowModel,
    UntestedModel,
    NarrowErrorNumber,
    /// Memory is read anew: others may have changed it.
    Barrier,
    AssumeAligned,
    /// Asks whether the locale matters.
    Locale,
    /// `exit`.
    Exit,
    /// `_exit`: runs no functions that `atexit` was given.
    Leave,
    /// `atexit`.
    AtExit,
    Abort,
    Trap,
    Printf,
    Fprintf,
    Sprintf,
    Snprintf,
    Puts,
    Fputs,
    /// `putchar`.
    Putchar,
    /// `fputc` and `putc`.
    Fputc,
    Fflush,
    /// Functions of a `va_list`, which is not supported.
    Variadic,
}

/// The primitive with this name.
pub(crate) fn by_name(name: &str) -> Option<Primitive> {
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
        "__attest_overlapping" => Primitive::Overlapping,
        ir::NARROW_MODEL => Primitive::NarrowModel,
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

/// Whether the machine knows what a function without a body does.
pub fn is_known(types: &Types, function: &Function) -> bool {
    (!function.renamed && by_name(&function.name).is_some()) || only_gives_input(types, function)
}

/// Whether a call of a function without a body may take an input that is numbered.
pub fn takes_input(types: &Types, function: &Function) -> bool {
    let known = by_name(&function.name).filter(|_| !function.renamed);
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

/// Whether a function without a body that the machine knows may set `errno`, by its name.
pub fn sets_errno(name: &str) -> bool {
    by_name(name).is_some_and(|primitive| {
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
    matches!(by_name(name), Some(Primitive::Assume))
}

/// Whether the function without a body stands for an input, and so changes nothing: it is named so, and is
/// not declared to take pointers, to fill what they lead to.
pub(crate) fn only_gives_input(types: &Types, function: &Function) -> bool {
    let takes_pointers = match types.kind(function.ty) {
        Type::Function(ty) => ty.parameters.iter().any(|&ty| types.has_pointers(ty)),
        _ => false,
    };
    function.name.starts_with("__VERIFIER_nondet_") && !takes_pointers
}

impl Primitive {
    /// Does what the function does.
    pub fn call(self, run: &mut Run, arguments: Arguments, call: &CallCode) -> Step<Passed> {
        match self {
            Primitive::Allocate => run.allocate(arguments, 0),
            Primitive::AllocateAligned => run.allocate_aligned(arguments),
            Primitive::AllocateZeroed => run.allocate(arguments, crate::memory::INITIALISED),
            Primitive::Free => run.free(arguments),
            Primitive::AllocatedSize => run.allocated_size(arguments),
            Primitive::SameObject => run.same_object(arguments),
            Primitive::AllocationFails => Ok(run.allocation_fails()),
            Primitive::IsSymbolic => run.is_symbolic(arguments),
            Primitive::Copy => run.copy(arguments),
            Primitive::Read => run.read_only(arguments),
            Primitive::Fill => run.fill(arguments),
            Primitive::Assume => run.assumption(arguments),
            Primitive::Assert => run.assertion(arguments),
            Primitive::AssertFail => Err(run.failed_assertion(arguments)),
            Primitive::ReachError => Err(run.reached_error()),
            Primitive::Input | Primitive::MakeSymbolic => run.input(arguments),
            Primitive::InvalidArgument => Err(run.invalid_argument(arguments)),
            Primitive::NullArgument => Err(run.null_argument(arguments)),
            Primitive::Overlapping => Err(run.overlapping(arguments)),
            Primitive::NarrowModel => Ok(run.narrow_model(arguments)),
            Primitive::UntestedModel => Ok(run.untested_model(arguments)),
            Primitive::NarrowErrorNumber => {
                run.narrow_error_number();
                Ok(Passed::Nothing)
            }
            Primitive::Barrier => {
                run.narrow_at_barrier();
                Ok(Passed::Nothing)
            }
            Primitive::AssumeAligned => run.assumed_alignment(arguments),
            Primitive::Locale => run.asked_for_locale(arguments).map(|()| Passed::Nothing),
            Primitive::Exit => Err(run.exit_status(arguments)),
            Primitive::Leave => {
                run.at_exit.clear();
                Err(run.exit_status(arguments))
            }
            Primitive::AtExit => run.register_at_exit(arguments, call),
            Primitive::Abort => Err(run.aborted("abort() is called")),
            Primitive::Trap => Err(run.aborted("a trap is reached")),
            Primitive::Printf
            | Primitive::Fprintf
            | Primitive::Sprintf
            | Primitive::Snprintf
            | Primitive::Puts
            | Primitive::Fputs
            | Primitive::Putchar
            | Primitive::Fputc
            | Primitive::Fflush => run.print(self, arguments, call),
            Primitive::Variadic => Err(run.unsupported("a function of a va_list")),
        }
    }
}

/// An argument, which the function's type promises.
pub(crate) fn argument(run: &mut Run, arguments: Arguments, index: usize) -> Step<Value> {
    match arguments.get(index) {
        Some(&(value, _)) => Ok(value),
        None => Err(run.defect(
            ir::DefectKind::InvalidArgument,
            "a library function is called with too few arguments",
        )),
    }
}

/// A number as the result of a primitive.
pub(crate) fn number_result(bits: u128, width: u32) -> Passed {
    Passed::Scalar(Value::concrete(bits), Scalar::unsigned(width))
}
