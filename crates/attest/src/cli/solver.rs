//! Arguments about the solver chain.

use std::env;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::solver::{ChainOptions, Clock, LinkName, SmtCommand};
use clap::Args;

/// The solvers that are looked for when none is named, the fastest first.
const USUAL: [&str; 3] = ["bitwuzla", "z3", "cvc5"];
/// How long they may think about one query.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Choices of solvers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Solvers")]
pub struct SolverArguments {
    /// SMT solvers that are asked, all at once, where the built-in solver gives up: names or paths
    /// separated by commas; `auto` means those of bitwuzla, z3 and cvc5 that are installed, `off`
    /// none. Only with `off` is a suite sure to be the same on every machine
    #[arg(long, value_name = "SOLVERS", default_value = "auto")]
    pub smt: String,

    /// Leave a link of the solver chain out, to see what it is worth
    #[arg(long, value_name = "LINK", value_parser = link_name, hide = true)]
    pub without_link: Vec<LinkName>,
}

impl SolverArguments {
    /// The chain that they ask for.
    pub fn chain(&self) -> ChainOptions {
        let started = Instant::now();
        ChainOptions {
            smt: self.smt_commands(),
            smt_time_limit: TIME_LIMIT,
            without: self.without_link.clone(),
            clock: Some(Clock::new(move || started.elapsed())),
            ..ChainOptions::default()
        }
    }

    fn smt_commands(&self) -> Vec<SmtCommand> {
        let programs: Vec<PathBuf> = match self.smt.as_str() {
            "off" => Vec::new(),
            "auto" => USUAL
                .map(PathBuf::from)
                .into_iter()
                .filter(|p| installed(p))
                .collect(),
            named => named.split(',').map(PathBuf::from).collect(),
        };
        let commands = programs.into_iter();
        commands.map(SmtCommand::named).collect()
    }
}

/// Whether a program is on the search path.
fn installed(program: &Path) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn link_name(text: &str) -> Result<LinkName, String> {
    let links = LinkName::OPTIONAL;
    let named = links.into_iter().find(|link| link.name() == text);
    named.ok_or_else(|| format!("it is one of {}", links.map(LinkName::name).join(", ")))
}
