//! Compares the machine with gcc and clang on random programs until one differs.
//!
//! `cargo run --example fuzz -- ATTEST [FIRST]`: `ATTEST` is the binary. Without a first seed
//! the clock gives one. The program of a seed that differs can be made again from the message.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "../tests/support/csmith.rs"]
mod csmith;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (attest, first) = match arguments::read("fuzz") {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    match fuzz(&attest, first) {
        Ok(never) => match never {},
        Err(error) => arguments::end("fuzz", &error),
    }
}

fn fuzz(attest: &Path, first: u64) -> Result<std::convert::Infallible, String> {
    let mut agree = 0u64;
    for seed in first.. {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        if csmith::compare(attest, seed, scratch.path())? == csmith::Verdict::Agree {
            agree += 1;
        }
        let programs = seed - first + 1;
        if programs.is_multiple_of(50) {
            println!("fuzz: seeds {first} to {seed}: {agree} of {programs} compared, all agree");
        }
    }
    Err("there are no seeds left".to_owned())
}
