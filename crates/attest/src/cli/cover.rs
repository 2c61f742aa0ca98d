//! Arguments of `attest cover`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use emit::replay::Builds;
use explore::{Acceleration, ProverName, StrategyName};

use crate::choice::Choice;

use super::defects::DefectArguments;
use super::{CriterionName, ScopeName, SolverArguments, UnitArguments};

/// Arguments of `attest cover`.
#[derive(Args, Clone, Debug)]
pub struct CoverArguments {
    /// The unit.
    #[command(flatten)]
    pub unit: UnitArguments,

    /// The function to cover, or several, each with an -f of its own; without it, every function with
    /// a body in the files
    #[arg(short, long = "function", value_name = "FUNCTION")]
    pub functions: Vec<String>,

    /// What to cover.
    #[command(flatten)]
    pub criterion: CriterionName,

    /// Whose goals count; `program` if FUNCTION is main, else `function`
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<ScopeName>,

    /// How long to search, for each function: 60s, 2m, 1h [default: 60s]. If it is given, proofs go on
    /// until then where the search ends before
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub time: Option<Duration>,

    /// How much memory attest may use: 500M, 2G; near it, the search ends
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    pub memory: u64,

    /// Where to write the tests and the result; what an earlier run left there is replaced
    #[arg(short, long = "out", value_name = "DIR", default_value = "attest-out")]
    pub output: PathBuf,

    /// How the result is reported on standard output
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,

    /// What the report for people shows; for several functions by default the summary, else all
    #[arg(long, value_name = "WHAT")]
    pub show: Option<Show>,

    /// Don't compile and run the tests; what they cover stays unconfirmed
    #[arg(long)]
    pub no_replay: bool,

    /// Don't run the tests under AddressSanitizer and UndefinedBehaviorSanitizer too
    #[arg(long)]
    pub no_sanitizers: bool,

    /// How the tests of several functions are replayed, to see what that is worth
    #[arg(long, value_name = "HOW", default_value = "beside", hide = true)]
    pub group_replay: GroupReplay,

    /// Run tests with clang's coverage alone, to see what the other builds cost
    #[arg(long, hide = true)]
    pub coverage_alone: bool,

    /// Run each test many times, name the one that takes longest, and tell the longest path that the
    /// code could have; for criteria over whole paths, such as `empty-else` and `max-iterations`
    #[arg(long, conflicts_with_all = ["no_replay", "sequence"])]
    pub wcet: bool,

    /// Defects.
    #[command(flatten)]
    pub defects: DefectArguments,

    /// Limits of the search.
    #[command(flatten)]
    pub search: SearchArguments,

    /// Solvers.
    #[command(flatten)]
    pub solver: SolverArguments,
}

/// Limits and choices of the search.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub struct SearchArguments {
    /// In which order paths are tried; by default the criterion's own, `coverage` for most
    #[arg(long, value_name = "NAME", value_parser = strategy())]
    pub strategy: Option<StrategyName>,

    /// Seed of what the strategy decides at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Inputs to begin with: a folder with suites that attest wrote, whose tests are taken, or with
    /// a fuzzer's corpus, whose files are the bytes that the first pointer to bytes leads to (the next
    /// integer is their length), else into the first input that the code declares
    #[arg(long, value_name = "DIR")]
    pub seeds: Option<PathBuf>,

    /// Choices of the input that a path may have before the last one that is tried otherwise; a
    /// verdict within a bound that is given here counts as decided [default: none; 100 under
    /// bounded-dfs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,

    /// Elements of an input array, on either side of where a pointer leads [default: 16]; a verdict
    /// within a bound that is given here counts as decided
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    pub max_array: Option<u64>,

    /// Steps that one execution may take [default: 10000000; with --time, more once nothing else is
    /// left to try]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub step_limit: Option<u64>,

    /// Times that the input may decide where one execution goes
    #[arg(long, value_name = "N", default_value_t = 25_000, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub choice_limit: usize,

    /// Calls of one function without a body after which its results are by default those that end
    /// loops, to see what that is worth
    #[arg(long, value_name = "N", default_value_t = 64, hide = true)]
    pub patience: u32,

    /// Executions that the search may make
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub iterations: Option<u64>,

    /// End the search at the first defect
    #[arg(long)]
    pub stop_on_defect: bool,

    /// Look for no tests beyond defects to which compilers give a meaning, such as reads of
    /// variables that were never written
    #[arg(long)]
    pub strict: bool,

    /// Leave the inputs of tests as the search found them, to see what others are worth
    #[arg(long, hide = true)]
    pub inputs_as_found: bool,

    /// Take it that malloc and its kin never fail; a verdict within this bound counts as decided
    #[arg(long)]
    pub no_allocation_failures: bool,

    /// Take it that the files are the whole program, though they call functions of others: globals
    /// with external linkage that nothing here writes keep their initial values; a verdict within
    /// this bound counts as decided
    #[arg(long)]
    pub closed_world: bool,

    /// Give numbers that no path has a condition on random values, by the seed, and not 0
    #[arg(long)]
    pub random_values: bool,

    /// Calls to make in turn on one object that they share, which call and with what arguments
    /// being the input: `init;(add|remove|find){0,5}`. `;` separates calls, `|` alternatives; `?`,
    /// `*`, `+`, `{3}` and `{0,5}` repeat a call or a group, `*` and `+` at most 4 times; the
    /// result of a function after `=` becomes the object. Verdicts hold within that, and no more
    #[arg(long, value_name = "CALLS", conflicts_with_all = ["functions", "precondition", "seeds"])]
    pub sequence: Option<String>,

    /// Functions of libraries that are called for real, on arguments that are fixed, where their
    /// results would be inputs: names with commas between them, beside functions of the C library
    /// that depend on nothing but their arguments, such as wcslen (`auto`), which `off` leaves out
    #[arg(long, value_name = "FUNCTIONS", default_value = "auto", value_parser = Choice::read)]
    pub native: Choice,

    /// Functions whose calls are replaced by inputs first, and expanded only as far as a path
    /// through the tested code needs them: names with commas between them, `off` for none, or
    /// `auto` for those with many paths of their own, under unit-paths, where an ordinary search
    /// takes long
    #[arg(long, value_name = "FUNCTIONS", default_value = "auto", value_parser = Choice::read)]
    pub lazy: Choice,

    /// Leave an acceleration of lazy expansion out, to see what it is worth
    #[arg(long, value_name = "NAME", value_parser = acceleration, hide = true)]
    pub without: Vec<Acceleration>,

    /// Try all that accelerations of lazy expansion leave out, and fail if one of them is wrong
    #[arg(long, hide = true)]
    pub audit: bool,

    /// Whether to look for proofs that goals are unreachable
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub prove: Switch,

    /// How many percent of the work go to proofs, 1 to 99. By default, the share depends on whether
    /// executions or proofs have been deciding goals
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub prove_share: Option<u8>,

    /// Leave a prover out, to see what it is worth
    #[arg(long, value_name = "NAME", value_parser = prover, hide = true)]
    pub without_prover: Vec<ProverName>,

    /// Whether to execute random sequences of results of functions without a body, without terms
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub fuzz: Switch,

    /// How many percent of the work go to these, 1 to 99. By default, the share depends on whether
    /// they have been deciding goals
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=99), hide = true)]
    pub fuzz_share: Option<u8>,

    /// A function with the same parameters; only inputs for which it returns true count. By default
    /// FUNCTION_precond, if there is one
    #[arg(long, value_name = "FUNCTION")]
    pub precondition: Option<String>,
}

impl CoverArguments {
    /// The builds in which tests are replayed.
    pub fn builds(&self) -> Builds {
        match (self.coverage_alone, self.no_sanitizers) {
            (true, _) => Builds::Coverage,
            (false, true) => Builds::FewSanitizers,
            (false, false) => Builds::All,
        }
    }
}

/// How the tests of several functions are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupReplay {
    /// Each function by itself, behind its search
    Alone,
    /// In groups, behind the searches of each group
    Together,
    /// In groups, beside the searches of the next ones
    Beside,
}

/// Whether a part of the search is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Use it
    On,
    /// Leave it out
    Off,
}

/// What a report shows beside the counts and certain defects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Goals that no test reaches and no proof excludes, and what they rest on
    Undecided,
    /// All goals; of a table with more than 60 rows, those that are not covered
    All,
    /// Nothing more
    Summary,
}

/// How the result is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people
    Human,
    /// The contents of suite.json
    Json,
}

fn strategy() -> impl TypedValueParser<Value = StrategyName> {
    let names = StrategyName::ALL.map(StrategyName::name);
    PossibleValuesParser::new(names).map(|name| {
        let named = |strategy: &StrategyName| strategy.name() == name;
        let found = StrategyName::ALL.into_iter().find(named);
        found.unwrap_or_default()
    })
}

/// A number of bytes, followed by a unit of 1024, its square or its cube.
fn size(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let digits = upper.trim_end_matches(['K', 'M', 'G', 'B']);
    let shift = match upper[digits.len()..].trim_end_matches('B') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("write it like 500M or 2G".to_owned()),
    };
    let bytes = digits
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(1 << shift));
    bytes
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "write it like 500M or 2G".to_owned())
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write it like 90s, 2m or 1h30m"))?;
    if parsed.is_zero() {
        return Err("the search needs some time; write it like 90s, 2m or 1h30m".to_owned());
    }
    Ok(parsed)
}

fn acceleration(text: &str) -> Result<Acceleration, String> {
    let named = Acceleration::ALL.into_iter().find(|it| it.name() == text);
    let names = Acceleration::ALL.map(Acceleration::name);
    named.ok_or_else(|| format!("it is one of {}", names.join(", ")))
}

fn prover(text: &str) -> Result<ProverName, String> {
    let named = ProverName::ALL.into_iter().find(|it| it.name() == text);
    let names = ProverName::ALL.map(ProverName::name);
    named.ok_or_else(|| format!("it is one of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn sizes_are_read() {
        let cases = [
            ("2G", Ok(2 << 30)),
            ("500m", Ok(500 << 20)),
            ("64KB", Ok(64 << 10)),
            ("4096", Ok(4096)),
            ("0", Err(())),
            ("G", Err(())),
            ("-1G", Err(())),
            ("2MG", Err(())),
        ];
        for (text, expected) in cases {
            assert_eq!(super::size(text).map_err(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        let cases = [
            ("60s", Ok(60_000)),
            ("2m", Ok(120_000)),
            ("1h30m", Ok(5_400_000)),
            ("500ms", Ok(500)),
            ("60", Err(())),
            ("0s", Err(())),
            ("-1s", Err(())),
            ("soon", Err(())),
        ];
        for (text, expected) in cases {
            let expected = expected.map(Duration::from_millis);
            assert_eq!(duration(text).map_err(|_| ()), expected, "{text}");
        }
    }
}
