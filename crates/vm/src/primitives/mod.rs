//! Functions without a body that the machine knows by name.

mod control;
mod format;
mod free;
mod input;
mod memory;
mod print;

use ir::library::Primitive;

use crate::code::CallCode;
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Value};

/// What a primitive is given: its arguments, each with its type.
pub(crate) type Arguments<'a> = &'a [(Value, Scalar)];

/// Executes a primitive.
pub(crate) fn call(
    primitive: Primitive,
    run: &mut Run,
    arguments: Arguments,
    call: &CallCode,
) -> Flow<Passed> {
    match primitive {
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
        Primitive::BadIndex => Err(run.bad_index()),
        Primitive::BadLength => Err(run.bad_length()),
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
            run.state.at_exit.clear();
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
        | Primitive::Fflush => run.print(primitive, arguments, call),
        Primitive::Variadic => Err(run.unsupported("a function of a va_list")),
    }
}

/// An argument; the type of the function says that it is there.
pub(crate) fn argument(run: &mut Run, arguments: Arguments, index: usize) -> Flow<Value> {
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
