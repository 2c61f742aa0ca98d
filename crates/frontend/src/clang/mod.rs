//! The exporter's process: the one place that calls the C++ side.
//!
//! Clang may crash, and takes its memory with it when it ends; so each translation unit is exported
//! by a process of its own, which is the program itself started with [`EXPORT_ARGUMENT`]. Profiles
//! of coverage are read likewise, many at a time: tools of LLVM would be loaded twice for each.

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_uint};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

/// The first argument that makes a program an exporter.
pub(crate) const EXPORT_ARGUMENT: &str = "--attest-export-unit";

/// The first argument that makes a program read profiles. Behind it stand a program that clang
/// instrumented for coverage, and raw profiles of its runs. For each of them it prints what
/// `llvm-cov export` would print of the functions, or `null` if the profile is missing or empty;
/// all of that is one JSON array.
pub const PROFILES_ARGUMENT: &str = "--attest-read-profiles";

/// Stack of the exporting thread: clang's parser and the exporter recurse as deep as the source
/// nests. Only what is used of it takes memory.
const STACK_BYTES: usize = 1 << 30;

#[allow(unsafe_code)] // the declarations of the C functions, as `cpp/` defines them
unsafe extern "C" {
    fn attest_export_unit(
        count: c_int,
        arguments: *const *const c_char,
        output: *const c_char,
        seconds: c_uint,
    ) -> c_int;

    fn attest_read_profiles(count: c_int, arguments: *const *const c_char) -> c_int;
}

/// Exports a unit or reads profiles if the program was started for that; otherwise returns `None`
/// at once.
///
/// A program that calls [`crate::export::export`] without naming an exporter calls this first in
/// `main`, and ends with the code it is given.
pub fn exporter_main_if_requested() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next()?.to_str()? {
        EXPORT_ARGUMENT => Some(exporter_main(arguments)),
        PROFILES_ARGUMENT => Some(ExitCode::from(read_profiles(arguments))),
        _ => None,
    }
}

fn exporter_main(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(output), Some(seconds)) = (arguments.next(), arguments.next()) else {
        return ExitCode::from(2);
    };
    let seconds = seconds.to_str().and_then(|seconds| seconds.parse().ok());
    let command = Strings::new(arguments);
    let exporting = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || export_unit(&command?, &output, seconds.unwrap_or(1)));
    let status = exporting.ok().and_then(|thread| thread.join().ok()?);
    ExitCode::from(status.unwrap_or(2))
}

/// Strings that end in NUL.
struct Strings(Vec<CString>);

impl Strings {
    fn new(arguments: impl Iterator<Item = OsString>) -> Option<Strings> {
        let strings = arguments.map(|each| c_string(&each));
        strings.collect::<Option<Vec<_>>>().map(Strings)
    }

    fn pointers(&self) -> Vec<*const c_char> {
        self.0.iter().map(|each| each.as_ptr()).collect()
    }
}

/// Calls the C++ side with the arguments of a compiler; `None` if C cannot have them.
#[allow(unsafe_code)] // the call of a C function; its only contract is written below
fn export_unit(command: &Strings, output: &OsStr, seconds: u32) -> Option<u8> {
    let pointers = command.pointers();
    let (output, count) = (c_string(output)?, c_int::try_from(pointers.len()).ok()?);
    // SAFETY: `arguments` are `count` strings that end in NUL, as `output` does; all outlive the
    // call, which keeps none of them.
    let status = unsafe { attest_export_unit(count, pointers.as_ptr(), output.as_ptr(), seconds) };
    Some(u8::try_from(status).unwrap_or(1))
}

/// Calls the C++ side with a program and its profiles.
#[allow(unsafe_code)] // the call of a C function; its only contract is written below
fn read_profiles(arguments: impl Iterator<Item = OsString>) -> u8 {
    let Some(strings) = Strings::new(arguments) else {
        return 2;
    };
    let pointers = strings.pointers();
    let Ok(count) = c_int::try_from(pointers.len()) else {
        return 2;
    };
    // SAFETY: `arguments` are `count` strings that end in NUL and outlive the call, which keeps
    // none of them.
    let status = unsafe { attest_read_profiles(count, pointers.as_ptr()) };
    u8::try_from(status).unwrap_or(1)
}

fn c_string(text: &OsStr) -> Option<CString> {
    CString::new(text.as_bytes()).ok()
}
