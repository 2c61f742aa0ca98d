//! The exporter as a program of its own, for tests and for those who look at its documents.

use std::process::ExitCode;

fn main() -> ExitCode {
    frontend::exporter_main_if_requested().unwrap_or_else(|| {
        eprintln!("attest-export runs attest's exporter; attest starts it by itself");
        ExitCode::from(2)
    })
}
