//! `attest explain`: why a goal is covered, unreachable or undecided, and the counts of the search.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use coverage::{Evidence, Invariant, PassedCheck, Reason, Suggestion};
use emit::SuiteRecord;
use emit::inputs::Value;
use emit::record::{GoalRecord, InfeasiblePathRecord, Note, StatusRecord, TestRecord};
use ir::test::LossKind;

use super::nearest;
use super::suite_folders::suite_folders;
use crate::cli::explain::ExplainArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::status::Status;

/// Undecided goals that are told where none is named.
const MOST_UNDECIDED: usize = 20;

/// The advice when the folder holds no suite.
const HELP: &str = "name a folder that `attest cover` wrote (-o)";

/// Reports the status of a goal and its reason; without a goal, of all, with the counts of the
/// search.
pub fn explain(arguments: &ExplainArguments, console: &mut Console) -> Result<Status, Failure> {
    let folders = suite_folders(&arguments.directory, &arguments.functions)?;
    let suites = folders.iter().map(|folder| {
        let suite = read(folder)?;
        let excerpts = nearest::excerpts(&suite, folder, &mut console.sources);
        Ok(Explained { suite, excerpts })
    });
    let suites = suites.collect::<Result<Vec<Explained>, Failure>>()?;
    let text = match (suites.as_slice(), &arguments.goal) {
        ([suite], Some(named)) => suite.of_goals(named)?,
        (_, None) => {
            let all = suites.iter().map(Explained::whole);
            all.collect::<Vec<String>>().join("\n")
        }
        (_, Some(line)) => at_line(&suites, line)?,
    };
    console.write(text.as_bytes())?;
    Ok(Status::Complete)
}

/// The goals of several functions at a line.
fn at_line(suites: &[Explained], line: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for explained in suites {
        let goals = explained.suite.goals.iter();
        for goal in goals.filter(|goal| is_at(goal, line)) {
            explained.add_goal(&mut text, goal);
        }
    }
    match text.is_empty() {
        false => Ok(text),
        true => Err(Failure::bad_input(
            format!("no function has a goal at line {line}"),
            "name the line of a goal, or the function with -f",
        )),
    }
}

/// Whether a goal is at a line, or at `LINE:COLUMN`.
fn is_at(goal: &GoalRecord, named: &str) -> bool {
    let line = goal.place.line.to_string();
    line == named || format!("{line}:{}", goal.place.column) == named
}

fn read(directory: &Path) -> Result<SuiteRecord, Failure> {
    let path = directory.join("suite.json");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Failure::bad_input(format!("cannot read {}: {error}", path.display()), HELP)
    })?;
    SuiteRecord::parse(&text).map_err(|error| {
        let title = format!("{} is not what attest writes: {error}", path.display());
        Failure::bad_input(title, HELP)
    })
}

/// A suite that is explained.
struct Explained {
    suite: SuiteRecord,
    /// The sources of the places up to which the nearest tests of undecided goals come, by goal.
    excerpts: BTreeMap<usize, String>,
}

impl Explained {
    /// The status of all goals, and the counts of the search.
    fn whole(&self) -> String {
        let suite = &self.suite;
        let mut text = format!("{}, {}: ", suite.function, suite.criterion);
        let statuses = ["covered", "unreachable", "unreachable-within", "undecided"];
        let counts = statuses.iter().filter_map(|status| {
            let goals = suite.goals.iter().filter(|goal| !goal.auxiliary);
            let count = goals.filter(|goal| goal.status.name() == *status).count();
            (count > 0).then(|| format!("{count} {status}"))
        });
        let counts: Vec<String> = counts.collect();
        let asked_for = suite.goals.iter().filter(|goal| !goal.auxiliary);
        let _ = writeln!(text, "{} goals: {}", asked_for.count(), counts.join(", "));
        let _ = writeln!(
            text,
            "{} tests, {} defects; {}",
            suite.tests.len(),
            suite.defects.len(),
            match (suite.complete, suite.exhausted) {
                (true, true) => "every path was taken, or shown to be none",
                (true, false) => "every goal is decided",
                (false, true) => "every path was taken, but for what was lost",
                (false, false) => "the search did not come to its end",
            }
        );
        self.add_paths(&mut text, |_| true);
        self.add_infeasible(&mut text, |_| true);
        if let Some(paths) = &suite.statistics.abstract_paths {
            let _ = writeln!(
                text,
                "{} partial paths are infeasible, {} executions were redundant",
                paths.infeasible, paths.redundant
            );
        }
        self.add_search(&mut text);
        for (notes, what) in [(&suite.losses, "lost"), (&suite.bounds, "bound")] {
            for note in notes {
                let _ = writeln!(text, "{what}: {}", told(note));
            }
        }
        self.add_undecided(&mut text);
        self.add_suggestions(&mut text);
        text
    }

    /// The first undecided goals, and how far the search came to each.
    fn add_undecided(&self, text: &mut String) {
        let goals = self.suite.goals.iter().filter(|goal| !goal.auxiliary);
        let open = goals.filter(|goal| goal.status.name() == "undecided");
        let open: Vec<&GoalRecord> = open.collect();
        for goal in open.iter().take(MOST_UNDECIDED) {
            self.add_goal(text, goal);
        }
        if let Some(more @ 1..) = open.len().checked_sub(MOST_UNDECIDED) {
            let _ = writeln!(text, "and {more} more are undecided: name a goal or a line");
        }
    }

    /// The options that rule out assumptions which defects rest on.
    fn add_suggestions(&self, text: &mut String) {
        for suggestion in &self.suite.suggestions {
            let (option, subjects) = (&suggestion.option, suggestion.subjects.join(", "));
            let _ = writeln!(text, "to rule out odd values of {subjects}: {option}");
            if let Some(code) = &suggestion.code {
                let _ = writeln!(text, "with this in {}:\n\n{code}", self.suite.file);
            }
        }
    }

    /// The paths of some tests, where the criterion asks for paths.
    fn add_paths(&self, text: &mut String, is_meant: impl Fn(&TestRecord) -> bool) {
        let tests = self.suite.tests.iter().filter(|test| is_meant(test));
        for (test, path) in tests.filter_map(|test| Some((test.id, test.path.as_ref()?))) {
            let _ = writeln!(text, "  test {test} takes {path}");
        }
    }

    fn add_search(&self, text: &mut String) {
        let statistics = &self.suite.statistics;
        let _ = writeln!(
            text,
            "search: {} executions, {} paths, {} solver queries",
            statistics.iterations, statistics.paths, statistics.solver_queries
        );
        if let Some(lazy) = &statistics.lazy {
            let _ = writeln!(
                text,
                "lazy expansion: {} abstract paths to make real, {} made real, {} led nowhere; {} \
                 executions with every call replaced, {} with some expanded, {} along known paths; \
                 {} left out by what was learned",
                lazy.abstract_paths,
                lazy.concretised,
                lazy.spurious,
                lazy.iterations_outside,
                lazy.iterations_inside,
                lazy.summaries_used,
                lazy.learned,
            );
        }
    }

    /// The status of the goals that the user names.
    fn of_goals(&self, named: &str) -> Result<String, Failure> {
        let all = &self.suite.goals;
        // A number is that of a goal, where there is one.
        let by_id = all.iter().find(|goal| goal.id.to_string() == named);
        let goals: Vec<&GoalRecord> = match by_id {
            Some(goal) => vec![goal],
            None => all.iter().filter(|goal| is_at(goal, named)).collect(),
        };
        if goals.is_empty() {
            let title = format!("{} has no goal {named}", self.suite.function);
            return Err(Failure::bad_input(
                title,
                "name a goal by its number in suite.json, or by its line",
            ));
        }
        let mut text = String::new();
        goals.iter().for_each(|goal| self.add_goal(&mut text, goal));
        Ok(text)
    }

    fn add_goal(&self, text: &mut String, goal: &GoalRecord) {
        let place = &goal.place;
        let _ = writeln!(
            text,
            "goal {}, {}:{}:{}: {}: {}",
            goal.id,
            place.file,
            place.line,
            place.column,
            goal.told_side(),
            goal.status.name()
        );
        match &goal.status {
            StatusRecord::Covered { .. } if !goal.pairs.is_empty() => self.add_pair(text, goal),
            StatusRecord::Covered { test } => {
                self.add_test(text, *test, goal.confirmed);
                self.add_paths(text, |test| test.covers.contains(&goal.id));
                let mut options = self.suite.suggestions.iter();
                let ruled_out = options.find(|option| option.goals.contains(&goal.id));
                if let Some(Suggestion { option, .. }) = ruled_out {
                    let _ = writeln!(text, "  by values that no code stores; without: {option}");
                }
            }
            StatusRecord::Unreachable { evidence } => self.add_evidence(text, evidence),
            StatusRecord::UnreachableWithin { bounds } => {
                for bound in bounds {
                    let _ = writeln!(text, "  no input within this bound: {}", told(bound));
                }
            }
            StatusRecord::Undecided(reason) => {
                self.add_reason(text, reason);
                self.add_approach(text, goal, reason);
            }
        }
        self.add_infeasible(text, |path| path.goals.contains(&goal.id));
    }

    /// The beginnings of paths that no input takes, where the criterion tells such paths apart.
    fn add_infeasible(&self, text: &mut String, is_meant: impl Fn(&InfeasiblePathRecord) -> bool) {
        let all = self.suite.infeasible_paths.iter();
        let meant: Vec<_> = all.filter(|path| is_meant(path)).collect();
        let what = match self.suite.complete {
            true => "no input takes",
            false => "no test takes",
        };
        for path in meant.iter().take(LISTED) {
            let _ = writeln!(text, "  {what} {} …", path.path);
        }
        if meant.len() > LISTED {
            let more = meant.len() - LISTED;
            let _ = writeln!(
                text,
                "  and {more} more: see infeasible_paths in suite.json"
            );
        }
    }

    fn add_test(&self, text: &mut String, test: usize, confirmed: Option<bool>) {
        let how = match confirmed {
            Some(true) => "the compiled program confirms it",
            Some(false) => "the compiled program does not confirm it",
            None => "it was not replayed",
        };
        let _ = writeln!(text, "  test {test} reaches it; {how}");
        if let Some(test) = self.suite.tests.iter().find(|it| it.id == test) {
            add_inputs(text, &test.inputs);
        }
    }

    /// The two evaluations that show the independence of a condition.
    fn add_pair(&self, text: &mut String, goal: &GoalRecord) {
        let both = goal.pairs.iter().flat_map(|&(yes, no)| [yes, no]);
        for shown in both.filter_map(|at| self.suite.goals.get(at)) {
            if let StatusRecord::Covered { test } = shown.status {
                let _ = writeln!(text, "  the values {} of its decision:", shown.side);
                self.add_test(text, test, shown.confirmed);
            }
        }
    }

    fn add_evidence(&self, text: &mut String, evidence: &Evidence) {
        let (paths, defects) = match evidence {
            Evidence::ExhaustedSearch { paths, defects, .. } => (paths, defects),
            Evidence::Folded => {
                text.push_str(
                    "  a condition is a constant, with which control never comes there\n",
                );
                return;
            }
            Evidence::NoPath => {
                text.push_str("  no path in the control-flow graph leads there\n");
                return;
            }
            Evidence::Invariants {
                invariants,
                checks,
                rounds,
            } => {
                add_invariants(text, invariants, checks, *rounds);
                return;
            }
            Evidence::Pairs => {
                text.push_str(
                    "  each pair that would show it has a combination that is unreachable\n",
                );
                return;
            }
            Evidence::Rejected => {
                text.push_str("  all paths from there come to an assumption that never holds\n");
                return;
            }
        };
        let how = match self.suite.statistics.lazy {
            None => format!("all {paths} paths there are were taken"),
            // Abstract paths stand for the others.
            Some(_) => format!("{paths} paths were taken, and no others can lead there"),
        };
        let _ = writeln!(text, "  {how}; nothing was lost, and none comes there");
        let known = &self.suite.defects;
        for defect in defects.iter().filter_map(|&at| known.get(at)) {
            let _ = writeln!(
                text,
                "  unless it goes on behind a defect, {} (test {}): {}",
                defect.kind, defect.test, defect.message
            );
        }
    }

    /// How far the search came towards an undecided goal.
    fn add_approach(&self, text: &mut String, goal: &GoalRecord, reason: &Reason) {
        let is_about_search = matches!(
            reason,
            Reason::Stopped | Reason::Losses(_) | Reason::OpenPaths
        );
        if goal.nearest.is_some() || is_about_search {
            let source = self.excerpts.get(&goal.id);
            text.push_str(&nearest::told(goal, &self.suite.tests, source));
        }
        let known = &self.suite.losses;
        let losses = goal.losses_before.iter();
        for loss in losses.clone().take(LISTED).filter_map(|&at| known.get(at)) {
            let _ = writeln!(text, "  lost where it can be reached from: {}", told(loss));
        }
        if let Some(more @ 1..) = losses.len().checked_sub(LISTED) {
            let _ = writeln!(text, "  and {more} more: see losses_before in suite.json");
        }
    }

    /// The limit that ended the search, in parentheses.
    fn limit(&self) -> String {
        let ends = [
            LossKind::TimeLimit,
            LossKind::IterationLimit,
            LossKind::StoppedOnDefect,
            LossKind::MemoryLimit,
        ];
        let ends_search =
            |loss: &&Note| loss.place.is_none() && ends.iter().any(|kind| kind.name() == loss.kind);
        let limit = self.suite.losses.iter().find(ends_search);
        limit.map_or_else(String::new, |limit| format!(" ({})", limit.kind))
    }

    fn add_reason(&self, text: &mut String, reason: &Reason) {
        let why = match reason {
            Reason::Stopped => "the search was stopped before it came there",
            Reason::Losses(_) => "precision was lost where it can be reached from",
            Reason::NotConfirmed => "the machine reached it, but the compiled program did not",
            Reason::NotReplayed => "not-replayed",
            Reason::NoInput => "no input satisfies what the code assumes",
            Reason::OpenPaths => "on some path, it is open whether an input reaches it",
            Reason::NotNeeded => "no other goal needs it",
            Reason::TooManyCombinations => "its decision has too many combinations of values",
            Reason::OpenPairs => "some pair that would show it is undecided",
        };
        let limit = match reason {
            Reason::Stopped => self.limit(),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {why}{limit}");
        if let Reason::Losses(losses) = reason {
            let known = &self.suite.losses;
            for loss in losses.iter().filter_map(|&at| known.get(at)) {
                let _ = writeln!(text, "  lost: {}", told(loss));
            }
        }
    }
}

/// How many inputs of a test are listed.
const FEW: usize = 16;

/// How many infeasible paths are listed.
const LISTED: usize = 20;

fn add_invariants(
    text: &mut String,
    invariants: &[Invariant],
    checks: &[PassedCheck],
    rounds: u64,
) {
    let s = if rounds == 1 { "" } else { "s" };
    if rounds > 0 {
        let _ = writeln!(
            text,
            "  after {rounds} round{s} of loops without it, the next one does not come there either \
             ({rounds}-induction)"
        );
    }
    match (invariants, rounds) {
        ([], 0) => text.push_str("  no path through the code leads there\n"),
        ([], _) => {}
        _ => text.push_str("  what always holds excludes it:\n"),
    }
    for invariant in invariants {
        let _ = writeln!(
            text,
            "    {}:{}: {} (in {})",
            invariant.file, invariant.line, invariant.condition, invariant.function
        );
    }
    for check in checks {
        let _ = writeln!(
            text,
            "  unless it goes on behind a defect, {} at {}:{}",
            check.defect, check.file, check.line
        );
    }
}

fn add_inputs(text: &mut String, inputs: &BTreeMap<String, Value>) {
    for (name, value) in inputs.iter().take(FEW) {
        let _ = writeln!(text, "    {name} = {value}");
    }
    if let Some(more @ 1..) = inputs.len().checked_sub(FEW) {
        let _ = writeln!(text, "    and {more} more, in suite.json");
    }
}

/// A loss or a bound, with its place.
fn told(note: &Note) -> String {
    let Note { kind, detail, .. } = note;
    match &note.place {
        Some(place) => format!("{}:{}: {detail} ({kind})", place.file, place.line),
        None => format!("{detail} ({kind})"),
    }
}
