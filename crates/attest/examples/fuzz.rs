//! Compares the machine with gcc and clang on random programs until one differs.
//!
//! `cargo run --example fuzz -- ATTEST [FIRST_SEED]`: `ATTEST` is the binary. Without a first seed
//! the clock gives one. The program of a seed that differs can be made again from the message.

#[path = "../tests/support/csmith.rs"]
mod csmith;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(attest) = arguments.first() else {
        eprintln!("fuzz: which binary? usage: fuzz ATTEST [FIRST_SEED]");
        return ExitCode::from(2);
    };
    let first = match arguments.get(1).map(|seed| seed.parse()) {
        Some(Ok(seed)) => seed,
        Some(Err(error)) => {
            eprintln!("fuzz: the seed is no number: {error}");
            return ExitCode::from(2);
        }
        None => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs()),
    };
    match fuzz(Path::new(attest), first) {
        Ok(never) => match never {},
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::FAILURE
        }
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
