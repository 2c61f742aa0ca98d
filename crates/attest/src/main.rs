//! The program `attest`.

use std::process::ExitCode;

/// A search makes and drops many small things.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    attest::run()
}
