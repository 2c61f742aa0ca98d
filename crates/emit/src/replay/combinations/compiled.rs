//! Tests, compiled so that conditions tell their values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ir::{DecisionKind, FunctionId, Origin, Program, UnitId};

use super::Target;
use super::matching::matched;
use super::operations::shared;
use super::rewritten::{Probe, rewritten};
use crate::replay::each::{self, WRAPPED};
use crate::replay::{Build, Replay, ReplayError, test_flags};

/// The name that the tests give to the unit's `main`.
const RENAMED_MAIN: &str = "attest_unit_main";

/// Has the runtime called where a process ends.
const TELLS_AT_END: &str = "-Wl,--wrap=_exit";

/// What conditions call.
const RUNTIME: &str = include_str!("../../templates/combinations.c");

/// A file of tests, compiled so that conditions tell their values.
pub(super) struct Compiled {
    /// The program.
    pub program: PathBuf,
    /// What tells values, by its number.
    pub targets: Vec<Target>,
}

impl Compiled {
    /// Compiles a file of tests; `None` if the compiler does not take the text.
    pub fn new(
        replay: &Replay<'_>,
        scratch: &Path,
        name: &str,
        file: &Path,
        wanted: &BTreeSet<Target>,
    ) -> Result<Option<Compiled>, ReplayError> {
        let mut targets: Vec<Target> = Vec::new();
        let mut texts: Vec<PathBuf> = Vec::new();
        let tested = replay.program.functions[replay.suite.function].unit;
        let units = replay.program.units.iter_enumerated();
        let others = units.filter(|(id, unit)| *id != tested && unit.origin == Origin::User);
        let others = others.map(|(id, _)| id).zip(&replay.build.other_units);
        let sources = std::iter::once((tested, file)).chain(others.map(|(id, path)| (id, &**path)));
        for (number, (unit, source)) in sources.enumerate() {
            let path = scratch.join(format!("{name}-{number}.i"));
            let expanded = Source { replay, unit, path };
            let Some(path) = expanded.write(source, wanted, &mut targets)? else {
                return Ok(None);
            };
            texts.push(path);
        }
        let runtime = scratch.join(format!("{name}.c"));
        std::fs::write(&runtime, RUNTIME)?;
        texts.extend([runtime, each::write_helper(scratch)?]);
        let build = Build {
            other_units: texts.split_off(1),
            ..replay.build.clone()
        };
        let program = scratch.join(name);
        let clang = &replay.tools.clang;
        let flags = [TELLS_AT_END, WRAPPED];
        let compiled = build.compile(clang, &texts[0], &flags, &program, replay.deadline);
        match compiled {
            Ok(_) => Ok(Some(Compiled { program, targets })),
            Err(ReplayError::Compile { .. } | ReplayError::Late) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A unit whose text is written anew.
struct Source<'a> {
    replay: &'a Replay<'a>,
    unit: UnitId,
    path: PathBuf,
}

impl Source<'_> {
    /// Writes the text of a unit, in which what is wanted tells its values. Numbers that behind what is
    /// known. `None` if the unit cannot be read.
    fn write(
        self,
        source: &Path,
        wanted: &BTreeSet<Target>,
        targets: &mut Vec<Target>,
    ) -> Result<Option<PathBuf>, ReplayError> {
        let Source { replay, unit, path } = self;
        let clang = &replay.tools.clang;
        let text = replay.build.expand(clang, source, replay.deadline);
        let Some(Some(text)) = Replay::in_time(text)? else {
            return Ok(None);
        };
        std::fs::write(&path, &text)?;
        let flags = test_flags(&replay.build.flags);
        let Some(again) = (replay.read_unit.0)(&path, &flags) else {
            return Ok(None);
        };
        let mut probes: Vec<Probe> = Vec::new();
        let by_name = by_name(&again);
        let mut functions: Vec<FunctionId> = wanted.iter().map(|it| it.function()).collect();
        functions.sort_unstable();
        functions.dedup();
        for id in functions {
            let function = &replay.program.functions[id];
            let name = function.name.as_str();
            let renamed = (name == "main").then_some(RENAMED_MAIN);
            let other = renamed
                .and_then(|name| by_name.get(name))
                .or_else(|| by_name.get(name));
            let bodies = (
                &function.body,
                other.and_then(|&other| again.functions[other].body.as_ref()),
            );
            let (Some(body), Some(other)) = bodies else {
                continue;
            };
            if function.unit != unit {
                continue;
            }
            for (operation, operator) in shared(body, other) {
                let target = Target::Operation(id, operation);
                if wanted.contains(&target) {
                    probes.push(Probe::of_operation(
                        other,
                        (operation, operator),
                        targets.len(),
                    ));
                    targets.push(target);
                }
            }
            for (decision, of_text) in matched(body, other) {
                let target = Target::Decision(id, decision);
                if wanted.contains(&target) {
                    match body.decisions[decision].kind {
                        DecisionKind::Switch => probes.push(Probe::of_switch(other, of_text)),
                        _ => probes.extend(Probe::of_decision(other, of_text, targets.len())),
                    }
                    targets.push(target);
                }
                let formulas = (
                    &body.decisions[decision].formula,
                    &other.decisions[of_text].formula,
                );
                let conditions = formulas
                    .0
                    .conditions()
                    .into_iter()
                    .zip(formulas.1.conditions());
                for (condition, of_text) in conditions {
                    let target = Target::Comparison(id, condition);
                    let probe = Probe::of_comparison(other, of_text, targets.len());
                    if let (true, Some(probe)) = (wanted.contains(&target), probe) {
                        probes.push(probe);
                        targets.push(target);
                    }
                }
            }
        }
        std::fs::write(&path, rewritten(&text, &probes))?;
        Ok(Some(path))
    }
}

/// The functions with a body, apart from those that share their name, as overloads do.
fn by_name(program: &Program) -> BTreeMap<&str, FunctionId> {
    let functions = program.functions.iter_enumerated();
    let with_body = functions.filter(|(_, function)| function.body.is_some());
    let mut all: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
    for (id, function) in with_body {
        all.entry(&function.name).or_default().push(id);
    }
    let single = all.into_iter().filter_map(|(name, ids)| match ids[..] {
        [only] => Some((name, only)),
        _ => None,
    });
    single.collect()
}
