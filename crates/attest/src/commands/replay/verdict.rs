//! The results of a replay, goal by goal: which of their claims the kept tests still reach.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use coverage::{Derivation, GoalId, GoalStatus, TestGoal};
use emit::SuiteRecord;
use emit::kept::Matched;
use emit::record::{GoalRecord, PlaceRecord, StatusRecord};
use emit::replay::{self, DefectRun, Difference, Replayed};
use ir::{Program, TestId};

use crate::compilers;
use crate::console::Console;
use crate::failure::Failure;
use crate::message::{Message, Severity};
use crate::sources::SourceRange;
use crate::status::Status;

/// Characters of source that a line shows.
const EXCERPT: usize = 44;

/// A replay beside the kept suite.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The program as it is now.
    pub program: &'a Program,
    /// The suite as it was.
    pub kept: &'a SuiteRecord,
    /// The goals of both, matched.
    pub matched: &'a Matched,
    /// The results of the tests.
    pub replayed: &'a Replayed,
    /// The files that were edited since the tests were made.
    pub changed: &'a [&'a str],
    /// The test that alone was run.
    pub only: Option<usize>,
}

/// The result for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// A test claims it, and it is reached.
    Confirmed(TestId),
    /// A test claims it, and it is not reached.
    NotReached,
    /// No test claims it, and it is reached all the same.
    Reached(TestId),
    /// The suite says that no path leads there, and the program has not changed.
    Unreachable,
    /// The suite could not decide it, or decided it for a program that has changed since.
    Undecided,
    /// It is new, and not reached.
    New,
}

impl Verdict {
    fn text(self) -> String {
        match self {
            Verdict::Confirmed(test) => format!("confirmed by test {}", test.raw()),
            Verdict::NotReached => "not reached now".to_owned(),
            Verdict::Reached(test) => format!("reached now, by test {}", test.raw()),
            Verdict::Unreachable => "unreachable, as the suite says".to_owned(),
            Verdict::Undecided => "undecided".to_owned(),
            Verdict::New => "new, and not reached".to_owned(),
        }
    }
}

impl Judged<'_> {
    /// Reports everything, and returns the exit status.
    pub fn tell(&self, console: &mut Console) -> Result<Status, Failure> {
        self.tell_changes(console);
        let goals = self.goals();
        let mut text = self.table(&goals, console);
        let mut status = self.status(&goals);
        status = status.and(self.defects(&mut text));
        self.summary(&goals, &mut text);
        console.write(text.as_bytes())?;
        Ok(status.and(self.tell_failures(console)))
    }

    fn tell_changes(&self, console: &mut Console) {
        if !self.changed.is_empty() {
            let title = format!(
                "changed since the tests were made: {}",
                self.changed.join(", ")
            );
            console.tell(&Message::new(Severity::Warning, title));
        }
    }

    /// The current goals with their results; with one test alone, those that it claims.
    fn goals(&self) -> Vec<(GoalId, Verdict)> {
        let claims = self
            .only
            .map(|test| &self.matched.suite.claims[TestId::from_usize(test)]);
        let suite = &self.matched.suite;
        let wanted = |id: &GoalId| {
            suite.criteria.ask_for(suite.goals[*id].goal.kind)
                && claims.is_none_or(|claims| claims.contains(id))
        };
        let all = self.matched.suite.goals.indices().filter(wanted);
        all.map(|id| (id, self.verdict(id))).collect()
    }

    fn verdict(&self, id: GoalId) -> Verdict {
        match self.matched.suite.derivations.get(&id) {
            Some(derivation) => self.derived(id, derivation),
            None => self.own(id),
        }
    }

    /// The verdict on a goal that follows from those on others.
    fn derived(&self, id: GoalId, derivation: &Derivation) -> Verdict {
        let reached = |goal: GoalId| match self.own(goal) {
            Verdict::Confirmed(test) | Verdict::Reached(test) => Some(test),
            _ => None,
        };
        let pairs: &[(GoalId, GoalId)] = match derivation {
            Derivation::Pairs(pairs) => pairs,
            Derivation::TooManyCombinations => &[],
        };
        let mut shown = pairs.iter();
        let shown = shown.find_map(|&(yes, no)| Some(reached(yes)?.max(reached(no)?)));
        let was = self.matched.kept[id].and_then(|at| self.kept.goals.get(at));
        match (shown, was.map(|goal| &goal.status)) {
            (Some(test), Some(StatusRecord::Covered { .. })) => Verdict::Confirmed(test),
            (Some(test), _) => Verdict::Reached(test),
            (None, None) => Verdict::New,
            (None, Some(StatusRecord::Covered { .. })) => Verdict::NotReached,
            (
                None,
                Some(StatusRecord::Unreachable { .. } | StatusRecord::UnreachableWithin { .. }),
            ) if self.changed.is_empty() => Verdict::Unreachable,
            (None, Some(_)) => Verdict::Undecided,
        }
    }

    /// The verdict on a goal that tests reach themselves.
    fn own(&self, id: GoalId) -> Verdict {
        let suite = &self.matched.suite;
        let claimed = suite.claims.iter().any(|claims| claims.contains(&id));
        let unreachable = matches!(suite.goals[id].status, GoalStatus::Unreachable(_))
            || matches!(suite.goals[id].status, GoalStatus::UnreachableWithin(_));
        match replay::reached_by(suite, self.replayed, id) {
            Some(test) if claimed => Verdict::Confirmed(test),
            Some(test) => Verdict::Reached(test),
            None if claimed => Verdict::NotReached,
            None if self.matched.kept[id].is_none() => Verdict::New,
            None if unreachable && self.changed.is_empty() => Verdict::Unreachable,
            None => Verdict::Undecided,
        }
    }

    fn status(&self, goals: &[(GoalId, Verdict)]) -> Status {
        let decided = |verdict: &Verdict| {
            matches!(
                verdict,
                Verdict::Confirmed(_) | Verdict::Reached(_) | Verdict::Unreachable
            )
        };
        let all = goals.iter().all(|(_, verdict)| decided(verdict));
        // Bounds and paths that the search left out are for the suite to say.
        let complete = self.only.is_some() || !self.changed.is_empty() || self.kept.complete;
        match all && complete {
            true => Status::Complete,
            false => Status::Undecided,
        }
    }

    fn table(&self, goals: &[(GoalId, Verdict)], console: &mut Console) -> String {
        let kept = self.kept;
        let mut text = format!("{} in {}: {}\n", kept.function, kept.file, kept.criterion);
        let rows: Vec<(String, String, &str, String)> = goals
            .iter()
            .map(|&(id, verdict)| {
                let goal: &TestGoal = &self.matched.suite.goals[id].goal;
                let place = SourceRange::of(self.program, &goal.span);
                let sources = &mut console.sources;
                let excerpt = sources.excerpt_of(self.program, &goal.span, EXCERPT);
                let excerpt = excerpt.unwrap_or_default();
                (place.text(), excerpt, goal.told_side(), verdict.text())
            })
            .collect();
        let width = |column: fn(&(String, String, &str, String)) -> usize| {
            rows.iter().map(column).max().unwrap_or(0)
        };
        let (first, second, third) = (
            width(|row| row.0.chars().count()),
            width(|row| row.1.chars().count()),
            width(|row| row.2.chars().count()),
        );
        for (place, excerpt, side, verdict) in &rows {
            let _ = writeln!(
                text,
                "  {place:first$}  {excerpt:second$}  {side:third$}  {verdict}"
            );
        }
        for goal in self.gone() {
            let PlaceRecord { file, line, column } = &goal.place;
            let side = goal.told_side();
            let _ = writeln!(text, "  {file}:{line}:{column} {side}: no goal any more");
        }
        text.push('\n');
        text
    }

    /// The kept goals that do not exist any more; with one test alone, of those that it claims.
    fn gone(&self) -> impl Iterator<Item = &GoalRecord> {
        let claims = self.only.and_then(|test| self.kept.tests.get(test));
        let gone = self.matched.gone.iter();
        gone.filter(move |goal| claims.is_none_or(|test| test.covers.contains(goal)))
            .filter_map(|&goal| self.kept.goals.get(goal))
    }

    /// Reports which defects still show.
    fn defects(&self, text: &mut String) -> Status {
        let mut status = Status::Complete;
        for found in &self.kept.defects {
            let Some(run) = self.replayed.defects.get(&TestId::from_usize(found.test)) else {
                continue;
            };
            let told = match run {
                DefectRun::Shown => "shows",
                DefectRun::NotShown(_) => match found.confirmed {
                    Some(true) => "does not show any more",
                    Some(false) => "is shown by no sanitizer, as before",
                    None => "is shown by no sanitizer",
                },
                DefectRun::NotNative => "is nothing that a compiled program can show",
            };
            let is_certain = found.assumptions.is_empty();
            let is_gone = matches!(run, DefectRun::NotShown(_)) && found.confirmed == Some(true);
            if is_certain && !is_gone {
                status = Status::DefectFound;
            }
            let (kind, test) = (&found.kind, found.test);
            let at = found.place.as_ref();
            let at = at.map_or_else(String::new, |at| format!(" at {}:{}", at.file, at.line));
            let _ = writeln!(text, "test {test}: {kind}{at} {told}");
        }
        if self.replayed.defects.is_empty() {
            return status;
        }
        text.push('\n');
        status
    }

    fn summary(&self, goals: &[(GoalId, Verdict)], text: &mut String) {
        let count =
            |fits: fn(&Verdict) -> bool| goals.iter().filter(|(_, verdict)| fits(verdict)).count();
        let parts = [
            (count(|v| matches!(v, Verdict::Confirmed(_))), "confirmed"),
            (count(|v| *v == Verdict::NotReached), "not reached now"),
            (count(|v| matches!(v, Verdict::Reached(_))), "reached now"),
            (count(|v| *v == Verdict::Unreachable), "unreachable"),
            (count(|v| *v == Verdict::Undecided), "undecided"),
            (count(|v| *v == Verdict::New), "new and not reached"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .enumerate()
            .filter(|(at, (count, _))| *at == 0 || *count > 0)
            .map(|(_, (count, what))| format!("{count} {what}"))
            .collect();
        let plural = |count: usize, word: &str| match count {
            1 => format!("1 {word}"),
            _ => format!("{count} {word}s"),
        };
        let tests = self.replayed.tests.keys();
        let tests: BTreeSet<&TestId> = tests.chain(self.replayed.defects.keys()).collect();
        let tests = plural(tests.len(), "test");
        let goals = plural(goals.len(), "goal");
        let _ = writeln!(text, "{tests} replayed. {goals}: {}.", parts.join(", "));
    }

    /// Reports the tests that behave differently now, which is a defect of the program.
    fn tell_failures(&self, console: &mut Console) -> Status {
        let mut status = Status::Complete;
        if let Some(reads) = &self.replayed.second_reads {
            console.tell(&compilers::reads_otherwise(reads));
        }
        if self.replayed.is_silent {
            console.tell(&compilers::is_silent());
        }
        for difference in replay::compare(&self.matched.suite, self.replayed) {
            let (title, meaning) = match difference {
                Difference::NotPassed {
                    test,
                    compiler,
                    status,
                } => (
                    format!("test {}, compiled by {compiler}, {status}", test.raw()),
                    Status::DefectFound,
                ),
                Difference::NotClean { test, report } => (
                    format!("test {} has a defect of its own: {report}", test.raw()),
                    Status::DefectFound,
                ),
                Difference::NotCompiled { message } => (
                    format!("gcc does not compile the tests:\n{message}"),
                    Status::BadInput,
                ),
                // The table tells what is reached.
                Difference::NotReached { .. }
                | Difference::NotClaimed { .. }
                | Difference::OtherPath { .. } => continue,
            };
            console.tell(&Message::new(Severity::Error, title));
            status = status.and(meaning);
        }
        status
    }
}
