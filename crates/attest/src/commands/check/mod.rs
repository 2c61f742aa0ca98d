//! `attest check`: the proofs of a kept suite, checked by other means than those that found them.

mod pairs;
pub(super) mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use checker::{Claim, Process, Refusal};
use coverage::{Evidence, GoalId, Goals};
use emit::SuiteRecord;
use emit::record::{GoalKindRecord, GoalRecord, ProofsRecord, StatusRecord};
use ir::certificate::paths::SearchPaths;
use ir::certificate::{Check, CodePlace, PlaceProof, Point};
use ir::test::BoundKind;
use ir::{CodeIndex, DefectKind, FunctionId, Program};
use serde::Serialize;

use self::search::Searched;
use super::goal_places::goal_places;
use super::replay::folder::Folder;
use super::replay::go_to;
use crate::cli::check::CheckArguments;
use crate::cli::cover::Format;
use crate::console::Console;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::sequence;
use crate::status::Status;

/// Checks the proof of each unreachable goal.
pub fn check(arguments: &CheckArguments, console: &mut Console) -> Result<Status, Failure> {
    let folder = Folder::open(&arguments.directory)?;
    let build = folder.build()?;
    let units = folder.units(build)?;
    let proofs = proofs(&folder)?;
    let paths = search::paths(&folder)?;
    go_to(&folder.working_directory()?)?;
    if let Some(changed) = build.changed(Path::new(".")).first() {
        return Err(Failure::bad_input(
            format!("{changed} has changed since the proofs were made"),
            "cover the function again",
        ));
    }
    let mut unit = LoadedProgram::load(&units, &build.flags)?;
    let notation = folder.suite.sequence.as_deref();
    let name = &folder.suite.function;
    let sequence = notation.map(|text| sequence::read(&mut unit.program, text, name));
    let sequence = sequence.transpose()?;
    let Some(criteria) = folder.suite.criteria() else {
        return Err(folder.unusable());
    };
    coverage::prepare(&mut unit.program, &criteria);
    let program = &unit.program;
    let driver = sequence.as_ref().map(|sequence| sequence.driver);
    let Some(entry) = driver.or_else(|| folder.suite.entry(program, build)) else {
        return Err(Failure::bad_input(
            format!("there is no function `{name}` any more"),
            "cover the function under its new name",
        ));
    };
    let tested = sequence.as_ref();
    let tested = tested.map_or(vec![entry], |it| sequence::tested(program, it));
    let index = CodeIndex::new(program);
    let goals = Goals::new(program, &index, &tested, &criteria, folder.suite.scope);
    let matched = folder
        .suite
        .matched(program, entry, &goals, folder.suite.scope);
    let kept = matched.kept.iter_enumerated();
    let (derived, own): (Vec<_>, Vec<_>) = kept
        .filter_map(|(id, kept)| Some(((*kept)?, id)))
        .partition(|(_, id)| matched.suite.derivations.contains_key(id));
    let derived = derived.into_iter();
    let derived = derived.filter_map(|(at, id)| Some((at, matched.pairs(id)?)));
    let checked = Checked {
        program,
        entry,
        index: &index,
        goals: &goals,
        of_kept: own.into_iter().collect(),
        derived: derived.collect(),
        proofs: &proofs,
    };
    let mut solver = Process::new(arguments.solver.clone(), arguments.limit);
    let searched = Searched {
        entry,
        tested,
        sequence: sequence.as_ref(),
        criteria,
    };
    if arguments.covered {
        let paths = paths.as_ref();
        checked.refuses_missing(&folder.suite, paths, &searched, &mut solver)?;
        return checked.refuses_covered(&folder.suite, &mut solver, console);
    }
    let by_search = checked.by_search(&folder.suite, paths.as_ref(), &searched, &mut solver)?;
    let results = checked.results(&folder.suite, by_search, &mut solver);
    tell(arguments.format, results, console)
}

/// The proofs in the folder, by their goals.
pub(super) fn proofs(folder: &Folder) -> Result<BTreeMap<usize, Vec<PlaceProof>>, Failure> {
    let Some(name) = &folder.suite.files.proofs else {
        return Ok(BTreeMap::new());
    };
    let (text, unusable) = read(folder, name)?;
    let read = ProofsRecord::parse(&text).map_err(|error| unusable(error.to_string()))?;
    let read = read.ok_or_else(|| unusable("it has another format".to_owned()))?;
    let by_goal = read
        .proofs
        .into_iter()
        .map(|proof| (proof.goal, proof.places));
    Ok(by_goal.collect())
}

/// The text of a file in the folder, and the failure if it is not what it should be.
fn read(folder: &Folder, name: &str) -> Result<(String, impl Fn(String) -> Failure), Failure> {
    let path = folder.directory.join(name);
    let help = "cover the function again";
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Failure::bad_input(format!("cannot read {}: {error}", path.display()), help)
    })?;
    let unusable = move |why: String| {
        let title = format!("{} is not what attest writes: {why}", path.display());
        Failure::bad_input(title, help)
    };
    Ok((text, unusable))
}

/// The result for one goal.
#[derive(Serialize)]
struct GoalResult {
    goal: usize,
    file: String,
    line: u32,
    column: u32,
    side: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    side_by_names: Option<String>,
    #[serde(flatten)]
    verdict: Verdict,
}

#[derive(Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
enum Verdict {
    /// All that there was to show was shown.
    Accepted(Shown),
    /// One was not, or cannot be written down.
    Refused {
        reason: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<String>,
    },
    /// It is not a proof of the kinds that are checked.
    NotChecked { reason: String },
}

/// What was shown.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown {
    /// All obligations of proofs.
    Obligations { obligations: usize },
    /// That the inputs of so many paths do not reach the goal, and that no input does anything else
    /// at so many sides of their tree.
    Paths { paths: usize, sides: usize },
    /// That in each of so many pairs of goals one is unreachable.
    Pairs { pairs: usize },
}

/// The proofs beside the program.
struct Checked<'a> {
    program: &'a Program,
    entry: FunctionId,
    index: &'a CodeIndex,
    goals: &'a Goals,
    /// The goals as they are now, by their positions in the suite.
    of_kept: BTreeMap<usize, GoalId>,
    /// The goals that follow from pairs of others, with these, all by their positions in the suite.
    derived: BTreeMap<usize, Vec<(usize, usize)>>,
    proofs: &'a BTreeMap<usize, Vec<PlaceProof>>,
}

impl Checked<'_> {
    /// The verdicts on the goals that are unreachable because a search took all paths, by their
    /// positions in the suite.
    fn by_search(
        &self,
        suite: &SuiteRecord,
        paths: Option<&SearchPaths>,
        searched: &Searched<'_>,
        solver: &mut Process,
    ) -> Result<BTreeMap<usize, Verdict>, Failure> {
        let goals = suite.goals.iter().enumerate();
        let of_search = goals.filter(|(_, goal)| self.is_by_search(goal));
        let positions: Vec<usize> = of_search.map(|(at, _)| at).collect();
        let not_checked = |reason: &str| {
            let all = positions.iter().map(|&at| {
                let reason = reason.to_owned();
                (at, Verdict::NotChecked { reason })
            });
            all.collect()
        };
        let taken = match paths {
            _ if positions.is_empty() => return Ok(BTreeMap::new()),
            None => return Ok(not_checked("the paths of the search are not written down")),
            Some(SearchPaths::LeftOut { left_out }) => return Ok(not_checked(left_out)),
            Some(SearchPaths::Taken(taken)) => taken,
        };
        let options = search::options(self.program, suite, searched, &taken.limits)?;
        let found = self.check_search(suite, &positions, (taken, &options), solver);
        let verdicts = found.into_iter().map(|found| match found {
            Ok(shown) => Verdict::Accepted(Shown::Paths {
                paths: shown.paths,
                sides: shown.sides,
            }),
            Err(refusal) => self.refused(&refusal),
        });
        Ok(positions.iter().copied().zip(verdicts).collect())
    }

    /// Whether a goal is unreachable because a search took all paths.
    fn is_by_search(&self, goal: &GoalRecord) -> bool {
        if goal.kind == GoalKindRecord::Independence {
            return false;
        }
        match &goal.status {
            StatusRecord::Unreachable { evidence } => {
                matches!(evidence, Evidence::ExhaustedSearch { .. })
            }
            StatusRecord::UnreachableWithin { .. } => !self.proofs.contains_key(&goal.id),
            StatusRecord::Covered { .. } | StatusRecord::Undecided(_) => false,
        }
    }

    fn results(
        &self,
        suite: &SuiteRecord,
        mut by_search: BTreeMap<usize, Verdict>,
        solver: &mut Process,
    ) -> Vec<GoalResult> {
        let mut verdicts: BTreeMap<usize, Verdict> = BTreeMap::new();
        for (at, goal) in suite.goals.iter().enumerate() {
            let verdict = match goal.kind {
                GoalKindRecord::Independence => self.by_pairs(at, goal, &verdicts),
                _ => by_search
                    .remove(&at)
                    .or_else(|| self.verdict(at, goal, solver)),
            };
            verdicts.extend(verdict.map(|verdict| (at, verdict)));
        }
        let results = verdicts.into_iter().filter_map(|(at, verdict)| {
            let goal = suite.goals.get(at)?;
            Some(GoalResult {
                goal: goal.id,
                file: goal.place.file.clone(),
                line: goal.place.line,
                column: goal.place.column,
                side: goal.side.clone(),
                side_by_names: goal.side_by_names.clone(),
                verdict,
            })
        });
        results.collect()
    }

    /// The verdict on a goal; `None` if it is not unreachable.
    fn verdict(&self, at: usize, goal: &GoalRecord, solver: &mut Process) -> Option<Verdict> {
        let other = match &goal.status {
            StatusRecord::Unreachable { evidence } => match evidence {
                Evidence::Invariants { .. } | Evidence::ExhaustedSearch { .. } => None,
                Evidence::NoPath => Some("there is no path in the control-flow graph"),
                Evidence::Folded => Some("a condition is a constant"),
                Evidence::Rejected => Some("an assumption never holds"),
                Evidence::Pairs => Some("it follows from other goals"),
            },
            StatusRecord::UnreachableWithin { .. } => None,
            StatusRecord::Covered { .. } | StatusRecord::Undecided(_) => return None,
        };
        Some(match other {
            Some(reason) => Verdict::NotChecked {
                reason: format!("its proof is of another kind ({reason})"),
            },
            None => match self.check(at, goal, solver) {
                Ok(obligations) => Verdict::Accepted(Shown::Obligations { obligations }),
                Err(lack) if lack.is_lack && self.is_about_nodes(goal) => Verdict::NotChecked {
                    reason: format!("it may rest on what nodes of the heap hold; {}", lack.why),
                },
                Err(refusal) => self.refused(&refusal),
            },
        })
    }

    /// Whether the proof of a goal may rest on what nodes of the heap hold.
    fn is_about_nodes(&self, goal: &GoalRecord) -> bool {
        let proofs = self.proofs.get(&goal.id);
        proofs.is_some_and(|proofs| proofs.iter().any(|proof| proof.nodes))
    }

    fn check(&self, at: usize, goal: &GoalRecord, solver: &mut Process) -> Result<usize, Refusal> {
        let no_proof = || Refusal::bad("there is no proof of it in proofs.json");
        let proofs = self.proofs.get(&goal.id).ok_or_else(no_proof)?;
        let no_goal = || Refusal::bad("it is no goal of the program");
        let id = self.of_kept.get(&at).ok_or_else(no_goal)?;
        let claim = Claim {
            entry: self.entry,
            places: self.places(*id),
            is_quiet: is_within(goal, BoundKind::UnknownCall),
            never_fails: is_within(goal, BoundKind::AllocationFailures),
        };
        checker::check(self.program, &claim, proofs, solver)
    }

    /// Sees to it that the paths of the search show of no covered goal that nothing reaches it, if those
    /// are missing that do.
    fn refuses_missing(
        &self,
        suite: &SuiteRecord,
        paths: Option<&SearchPaths>,
        searched: &Searched<'_>,
        solver: &mut Process,
    ) -> Result<(), Failure> {
        let Some(SearchPaths::Taken(taken)) = paths else {
            return Ok(());
        };
        let options = search::options(self.program, suite, searched, &taken.limits)?;
        let shown = self.wrongly_shown(suite, (taken, &options), solver);
        match shown.first() {
            None => Ok(()),
            Some(goal) => Err(Failure::internal(format!(
                "the checker accepts, by fewer paths, that nothing reaches goal {goal}, which is \
                 covered"
            ))),
        }
    }

    /// Sees to it that of no covered goal it can be shown that nothing reaches it.
    fn refuses_covered(
        &self,
        suite: &SuiteRecord,
        solver: &mut Process,
        console: &mut Console,
    ) -> Result<Status, Failure> {
        // Executions have no allocation that fails, if some verdict rests on that.
        let never_fails = suite.goals.iter().any(is_without_failures);
        let mut refused = 0;
        for (at, goal) in suite.goals.iter().enumerate() {
            let (StatusRecord::Covered { .. }, Some(id)) = (&goal.status, self.of_kept.get(&at))
            else {
                continue;
            };
            let claim = Claim {
                entry: self.entry,
                places: self.places(*id),
                is_quiet: false,
                never_fails,
            };
            let proofs = self.strongest(&claim);
            if checker::check(self.program, &claim, &proofs, solver).is_ok() {
                return Err(Failure::internal(format!(
                    "the checker accepts that nothing reaches goal {}, which is covered",
                    goal.id
                )));
            }
            refused += 1;
        }
        console.write(format!("{refused} covered goals, all refused\n").as_bytes())?;
        Ok(Status::Complete)
    }

    /// Proofs of a claim by all formulas that are known, and all checks that there are.
    fn strongest(&self, claim: &Claim) -> Vec<PlaceProof> {
        let known = self.proofs.values().flatten();
        let mut points: Vec<Point> = Vec::new();
        for point in known.flat_map(|proof| &proof.points) {
            let mut point = point.clone();
            for formula in &mut point.formulas {
                // The positions that it names are others here.
                formula.follows_from.clear();
            }
            let is_same = |it: &&mut Point| it.stack == point.stack && it.block == point.block;
            match points.iter_mut().find(is_same) {
                Some(same) => same.formulas.extend(point.formulas),
                None => points.push(point),
            }
        }
        let checks = all_checks(self.program);
        let of_place = |place: &CodePlace| PlaceProof {
            place: *place,
            rounds: 0,
            call_backs: true,
            allocations_succeed: false,
            nodes: false,
            heap: Vec::new(),
            points: points.clone(),
            excluded_by: Vec::new(),
            checks: checks.clone(),
        };
        claim.places.iter().map(of_place).collect()
    }

    /// The edges and blocks that cover a goal.
    fn places(&self, goal: GoalId) -> Vec<CodePlace> {
        goal_places(self.program, self.index, self.goals, goal)
    }

    fn refused(&self, refusal: &Refusal) -> Verdict {
        let at = refusal.span.as_ref().map(|span| {
            let place = span.place();
            let file = self.program.files.get(place.file);
            let file = file.map_or("", |file| file.path.as_str());
            format!("{file}:{}:{}", place.line, place.column)
        });
        Verdict::Refused {
            reason: refusal.why.clone(),
            at,
        }
    }
}

/// Writes the results. Some proof that is refused leaves its goal undecided.
fn tell(
    format: Format,
    results: Vec<GoalResult>,
    console: &mut Console,
) -> Result<Status, Failure> {
    let text = match format {
        Format::Json => {
            let text = serde_json::to_string_pretty(&results);
            text.map_err(|error| Failure::internal(error.to_string()))? + "\n"
        }
        Format::Human => human(&results),
    };
    console.write(text.as_bytes())?;
    let mut verdicts = results.iter().map(|result| &result.verdict);
    Ok(
        match verdicts.any(|verdict| matches!(verdict, Verdict::Refused { .. })) {
            true => Status::Undecided,
            false => Status::Complete,
        },
    )
}

fn human(results: &[GoalResult]) -> String {
    let mut text = String::new();
    let mut counts = [0; 3];
    for result in results {
        let GoalResult {
            goal,
            file,
            line,
            column,
            side,
            side_by_names,
            verdict,
        } = result;
        let side = side_by_names.as_ref().unwrap_or(side);
        let _ = write!(text, "goal {goal}, {file}:{line}:{column}: {side}: ");
        let _ = match verdict {
            Verdict::Accepted(shown) => {
                counts[0] += 1;
                match shown {
                    Shown::Obligations { obligations } => {
                        writeln!(text, "accepted ({obligations} obligations)")
                    }
                    Shown::Pairs { pairs } => {
                        writeln!(text, "accepted ({pairs} pairs of combinations)")
                    }
                    Shown::Paths { paths, sides } => {
                        writeln!(
                            text,
                            "accepted ({paths} paths, {sides} sides without inputs)"
                        )
                    }
                }
            }
            Verdict::Refused { reason, at } => {
                counts[1] += 1;
                let at = at.as_ref().map_or(String::new(), |at| format!(" at {at}"));
                writeln!(text, "refused: {reason}{at}")
            }
            Verdict::NotChecked { reason } => {
                counts[2] += 1;
                writeln!(text, "not checked: {reason}")
            }
        };
    }
    let [accepted, refused, others] = counts;
    let _ = writeln!(
        text,
        "{accepted} accepted, {refused} refused, {others} not checked"
    );
    text
}

/// Whether it is within a bound that a goal is unreachable.
fn is_within(goal: &GoalRecord, wanted: BoundKind) -> bool {
    match &goal.status {
        StatusRecord::UnreachableWithin { bounds } => {
            let mut kinds = bounds.iter().map(|bound| bound.kind.as_str());
            kinds.any(|kind| kind == wanted.name())
        }
        _ => false,
    }
}

/// Whether a goal is unreachable where no allocation fails.
fn is_without_failures(goal: &GoalRecord) -> bool {
    is_within(goal, BoundKind::AllocationFailures)
}

/// All requirements of C at all places of the program.
fn all_checks(program: &Program) -> Vec<Check> {
    let mut all = BTreeSet::new();
    for (id, function) in program.functions.iter_enumerated() {
        for span in function.body.iter().flat_map(|body| &body.spans) {
            let place = span.place();
            all.extend(DefectKind::ALL.iter().map(|kind| Check {
                defect: kind.name().to_owned(),
                function: id.raw(),
                line: place.line,
                column: place.column,
            }));
        }
    }
    all.into_iter().collect()
}
