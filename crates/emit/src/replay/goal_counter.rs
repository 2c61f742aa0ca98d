//! Which goals runs reached, by the counts of the functions that ran.

use std::collections::{BTreeMap, HashSet};

use coverage::{GoalId, SuiteGoal};
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{FunctionId, Program};

use super::coverage_map::{FunctionCounts, has_name, may_be_left, system_macros};
use super::paths::Files;
use super::profile::{ExportedFunction, Run};

/// The coverage of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Goals that it reached.
    pub goals: FixedBitSet,
    /// Goals that clang counts nothing for.
    pub unmapped: FixedBitSet,
    /// Those of them that clang never counts, in macros of the system, or counts at one site with
    /// others.
    pub uncounted: FixedBitSet,
    /// Goals of functions in which a jump may leave a decision: that clang counts them shows
    /// nothing.
    pub unsure: FixedBitSet,
}

/// Tells which goals runs of a program reached.
pub struct GoalCounter<'a> {
    program: &'a Program,
    goals: &'a IndexVec<GoalId, SuiteGoal>,
    files: Files,
    /// All functions, as where none runs.
    records: Vec<ExportedFunction>,
    /// The goals of each function, and the positions of its records.
    functions: BTreeMap<FunctionId, (Vec<GoalId>, Vec<usize>)>,
    /// The result for a run of which nothing is known.
    unknown: Reached,
    /// The result for a run in which no function of the program runs.
    nothing: Reached,
}

impl<'a> GoalCounter<'a> {
    /// Finds the records of the functions that goals lie in.
    pub fn new(
        program: &'a Program,
        goals: &'a IndexVec<GoalId, SuiteGoal>,
        records: Vec<ExportedFunction>,
        mut files: Files,
    ) -> Self {
        let none = FixedBitSet::with_capacity(goals.len());
        let mut unknown = Reached {
            goals: none.clone(),
            unmapped: none.clone(),
            uncounted: none.clone(),
            unsure: none,
        };
        unknown.unmapped.insert_range(..);
        let mut functions: BTreeMap<FunctionId, (Vec<GoalId>, Vec<usize>)> = BTreeMap::new();
        for (id, goal) in goals.iter_enumerated() {
            let function = goal.goal.function;
            let (of_function, _) = functions.entry(function).or_insert_with(|| {
                (
                    Vec::new(),
                    of_function(program, function, &records, &mut files),
                )
            });
            of_function.push(id);
        }
        for (&function, (of_function, _)) in &functions {
            let body = program.functions[function].body.as_ref();
            let foreign = body.map_or_else(HashSet::new, |body| system_macros(program, body));
            let is_unsure = may_be_left(program, function);
            for &id in of_function {
                unknown.unsure.set(id.index(), is_unsure);
                let is_foreign = foreign.contains(&goals[id].goal.span.place());
                unknown.uncounted.set(id.index(), is_foreign);
            }
        }
        let mut counter = GoalCounter {
            program,
            goals,
            files,
            records,
            functions,
            nothing: unknown.clone(),
            unknown,
        };
        let all: Vec<FunctionId> = counter.functions.keys().copied().collect();
        let mut nothing = counter.unknown.clone();
        for function in all {
            counter.count(function, &Run::new(), &mut nothing);
        }
        counter.nothing = nothing;
        counter
    }

    /// Which of the goals a run reached, by the records of the functions that ran.
    pub fn reached(&mut self, run: Option<&Run>) -> Reached {
        let Some(run) = run else {
            return self.unknown.clone();
        };
        let mut reached = self.nothing.clone();
        let did_run = |(_, records): &(Vec<GoalId>, Vec<usize>)| {
            records.iter().any(|position| run.contains_key(position))
        };
        let functions = self.functions.iter().filter(|(_, it)| did_run(it));
        let functions: Vec<FunctionId> = functions.map(|(&function, _)| function).collect();
        for function in functions {
            self.count(function, run, &mut reached);
        }
        reached
    }

    /// Adds the goals of one function.
    fn count(&mut self, function: FunctionId, run: &Run, reached: &mut Reached) {
        let Some((goals, positions)) = self.functions.get(&function) else {
            return;
        };
        let records = positions
            .iter()
            .filter_map(|position| run.get(position).or(self.records.get(*position)));
        let records: Vec<&ExportedFunction> = records.collect();
        let (program, files) = (self.program, &mut self.files);
        let Some(counts) = FunctionCounts::new(program, function, &records, files) else {
            return;
        };
        for &id in goals {
            let goal = &self.goals[id].goal;
            // One in a macro of the system is never counted.
            if self.unknown.uncounted.contains(id.index()) {
                continue;
            }
            let is_reached = counts.goal(goal, program, files);
            reached.goals.set(id.index(), is_reached == Some(true));
            reached.unmapped.set(id.index(), is_reached.is_none());
            let is_uncounted = is_reached.is_none() && counts.shares_site(goal, program, files);
            reached.uncounted.set(id.index(), is_uncounted);
        }
    }
}

/// The positions of a function's records. A `static inline` of a header has one in every unit that
/// includes it.
fn of_function(
    program: &Program,
    id: FunctionId,
    records: &[ExportedFunction],
    files: &mut Files,
) -> Vec<usize> {
    let function = &program.functions[id];
    let Some(body) = function.body.as_ref() else {
        return Vec::new();
    };
    // A function that a macro makes is, for clang, in the macro's file.
    let spans = function.span.iter().chain(&body.spans);
    let places = spans.flat_map(|span| [span.place().file, span.begin.file]);
    let mut within = HashSet::new();
    for file in places.collect::<HashSet<_>>() {
        let Some(file) = program.files.get(file) else {
            return Vec::new();
        };
        within.insert(files.number(&file.path));
    }
    let mut is_its = |record: &ExportedFunction| {
        has_name(record, &function.name)
            && record.unit.is_none_or(|unit| unit == function.unit)
            && record
                .filenames
                .first()
                .is_some_and(|name| within.contains(&files.number(name)))
    };
    let records = records.iter().enumerate();
    let its = records.filter(|(_, record)| is_its(record));
    its.map(|(position, _)| position).collect()
}
