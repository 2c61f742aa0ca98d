//! `attest goals`: the goals of each criterion.

use std::fmt::Write as _;

use coverage::{Abstraction, Criterion, Goals, Paths, Scope, TestGoal};
use ir::{CodeIndex, FunctionId, Program};

use crate::cli::ScopeName;
use crate::cli::goals::GoalsArguments;
use crate::console::Console;
use crate::entry;
use crate::failure::Failure;
use crate::loaded_program::LoadedProgram;
use crate::sources::SourceRange;
use crate::status::Status;

/// Characters of source that a line shows.
const EXCERPT: usize = 50;

/// Lists the goals.
pub fn goals(arguments: &GoalsArguments, console: &mut Console) -> Result<Status, Failure> {
    let mut flags = arguments.unit.flags.clone();
    let unit = LoadedProgram::load_as_gcc(&arguments.unit.files, &mut flags)?;
    let program = &unit.program;
    let function = entry::by_name(program, &arguments.function)?;
    let scope = scope(program, function, arguments.scope);
    let mut text = String::new();
    for criterion in Criterion::ALL {
        let criteria = criterion.into();
        // The conditions of combinations are told apart by copies of code, with the same places.
        let mut unfolded = program.clone();
        coverage::prepare(&mut unfolded, &criteria);
        let index = CodeIndex::new(&unfolded);
        let goals = Goals::new(&unfolded, &index, &[function], &criteria, scope);
        list(&mut text, program, &goals, console);
    }
    console.write(text.as_bytes())?;
    Ok(Status::Complete)
}

/// The scope that the user names, or the usual one for the entry.
pub fn scope(program: &Program, entry: FunctionId, named: Option<ScopeName>) -> Scope {
    match named {
        Some(name) => name.into(),
        None if program.functions[entry].name == "main" => Scope::Program,
        None => Scope::Function,
    }
}

fn list(text: &mut String, program: &Program, goals: &Goals, console: &mut Console) {
    let paths = match goals.paths() {
        Some(Paths::Abstract(Abstraction::Nothing)) => ", and every path",
        Some(Paths::Unit) => ", and every path through these functions",
        Some(Paths::Abstract(Abstraction::CallsAndConditions)) => {
            ", and every path by the outcomes of decisions in these functions"
        }
        Some(Paths::Abstract(Abstraction::MoreRounds(_))) => {
            ", and every path with so many rounds of loops"
        }
        Some(Paths::Abstract(Abstraction::EmptyElse)) => {
            ", and every path, without those that differ from others only in empty sides of `if`"
        }
        Some(Paths::Abstract(Abstraction::FewerRounds)) => {
            ", and every path, without those that differ from others only in fewer rounds of loops"
        }
        None => "",
    };
    let all = goals.all().map(|(_, goal)| goal);
    let asked_for: Vec<&TestGoal> = all
        .filter(|goal| goals.criteria().ask_for(goal.kind))
        .collect();
    let count = asked_for.len();
    let _ = writeln!(text, "{}: {count} goals{paths}", goals.criteria());
    for goal in asked_for {
        let place = SourceRange::of(program, &goal.span);
        let excerpt = console.sources.excerpt_of(program, &goal.span, EXCERPT);
        let excerpt = excerpt.unwrap_or_default();
        let _ = writeln!(text, "  {}: {}: {excerpt}", place.text(), goal.told_side());
    }
}
