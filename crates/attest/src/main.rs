//! The command line of attest: arguments, files, processes, the clock and progress.
//!
//! What this crate deliberately does not know: how programs are read, executed, solved or written;
//! it joins the crates that do.

mod cli;
mod console;
mod failure;
mod interrupt;
mod memory;
mod message;
mod report;
mod sources;
mod status;

fn main() {}
