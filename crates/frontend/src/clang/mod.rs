//! The exporter's process: the one place that calls the C++ side.
//!
//! Clang may crash, and takes its memory with it when it ends; so each translation unit is exported
//! by a process of its own, which is the program itself started with [`EXPORT_ARGUMENT`].

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_uint};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

/// The first argument that makes a program an exporter.
pub(crate) const EXPORT_ARGUMENT: &str = "--attest-export-unit";

/// Stack of the exporting thread: clang's parser and the exporter recurse as deep as the source
/// nests. Only what is used of it takes memory.
const STACK_BYTES: usize = 1 << 30;

#[allow(unsafe_code)] // the declaration of the one C function, as `cpp/main.cpp` defines it
unsafe extern "C" {
    fn attest_export_unit(
        count: c_int,
        arguments: *const *const c_char,
        output: *const c_char,
        seconds: c_uint,
    ) -> c_int;
}

/// Exports a unit if the program was started for that; otherwise returns `None` at once.
///
/// A program that calls [`crate::export::export`] without naming an exporter calls this first in
/// `main`, and ends with the code it is given.
pub fn exporter_main_if_requested() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != EXPORT_ARGUMENT {
        return None;
    }
    let (Some(output), Some(seconds)) = (arguments.next(), arguments.next()) else {
        return Some(ExitCode::from(2));
    };
    let seconds = seconds.to_str().and_then(|seconds| seconds.parse().ok());
    let command: Vec<OsString> = arguments.collect();
    let exporting = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || export_unit(&command, &output, seconds.unwrap_or(1)));
    let status = exporting.ok().and_then(|thread| thread.join().ok());
    Some(ExitCode::from(status.unwrap_or(2)))
}

/// Calls the C++ side with the arguments of a compiler.
#[allow(unsafe_code)] // the call of a C function; its only contract is written below
fn export_unit(command: &[OsString], output: &OsStr, seconds: u32) -> u8 {
    let strings: Option<Vec<CString>> = command.iter().map(|each| c_string(each)).collect();
    let (Some(strings), Some(output)) = (strings, c_string(output)) else {
        return 2;
    };
    let pointers: Vec<*const c_char> = strings.iter().map(|each| each.as_ptr()).collect();
    let Ok(count) = c_int::try_from(pointers.len()) else {
        return 2;
    };
    // SAFETY: `arguments` are `count` strings that end in NUL, as `output` does; all outlive the
    // call, which keeps none of them.
    let status = unsafe { attest_export_unit(count, pointers.as_ptr(), output.as_ptr(), seconds) };
    u8::try_from(status).unwrap_or(1)
}

fn c_string(text: &OsStr) -> Option<CString> {
    CString::new(text.as_bytes()).ok()
}
