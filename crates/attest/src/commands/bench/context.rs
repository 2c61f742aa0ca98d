//! What all tables need: the arguments, the programs, the interrupt, and a place for curves.

use std::path::PathBuf;
use std::time::Duration;

use explore::StrategyName;

use super::job::{Job, Measured};
use super::klee::Klee;
use super::programs::Programs;
use super::svg::Panel;
use crate::cli::bench::{BenchArguments, PeerName};
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// One run of `attest bench`.
pub struct Context<'a> {
    arguments: &'a BenchArguments,
    /// The programs.
    pub programs: Programs,
    /// Another tool to compare with.
    pub peer: Option<Klee>,
    /// Coverage over time, as far as it was measured.
    pub panels: Vec<Panel>,
    interrupt: Interrupt,
}

impl<'a> Context<'a> {
    /// Unpacks the programs, and looks for the other tool.
    pub fn new(arguments: &'a BenchArguments) -> Result<Self, Failure> {
        let peer = match arguments.against {
            Some(PeerName::Klee) => Some(Klee::find()?),
            None => None,
        };
        Ok(Context {
            arguments,
            programs: Programs::unpack()?,
            peer,
            panels: Vec::new(),
            interrupt: Interrupt::listen(),
        })
    }

    /// Whether a row is asked for; none is any more after Ctrl-C.
    pub fn wants(&self, name: &str) -> bool {
        let only = self.arguments.only.as_deref();
        only.is_none_or(|only| name.contains(only)) && !self.interrupt.requested()
    }

    /// How long a search may take, if the table allows it so many seconds.
    pub fn time(&self, seconds: u64) -> Duration {
        self.arguments.time.unwrap_or(Duration::from_secs(seconds))
    }

    /// Reads a program of the project.
    pub fn load(&self, program: &str, words: &str, flags: &str) -> Result<Job, Failure> {
        self.load_files(&[self.programs.path(program)], words, flags)
    }

    /// Reads some C files.
    pub fn load_files(&self, files: &[PathBuf], words: &str, flags: &str) -> Result<Job, Failure> {
        let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        Job::load(files, words, &flags)
    }

    /// Measures a search, and says on standard error which one it is.
    pub fn measure(
        &self,
        what: &str,
        job: &mut Job,
        strategy: StrategyName,
        seconds: u64,
    ) -> Result<Measured, Failure> {
        eprintln!("bench: {what}");
        job.search(strategy, self.time(seconds), &self.interrupt)
    }
}
