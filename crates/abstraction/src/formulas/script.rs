//! Inputs of executions that formulas were followed through, in the order in which code takes them.

use expr::{Model as Values, Var};
use ir::{FunctionId, GlobalId};

use crate::formulas::Formulas;
use crate::formulas::execution::{Executor, Running};
use crate::formulas::nodes::variable;
use crate::formulas::segment::Segment;
use crate::objects::location::Location;
use crate::objects::places::Object;

/// The input of an execution of the entry function. What it leaves open may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Values of parameters, by their numbers.
    pub parameters: Vec<(u32, u128)>,
    /// Values in globals, with their offsets in bytes.
    pub globals: Vec<(GlobalId, u64, u128)>,
    /// The results of calls of functions without a body, in the order of the calls.
    pub results: Vec<(FunctionId, u128)>,
}

/// What a location is to the caller of the entry function.
#[derive(Clone, Copy, Debug)]
enum Place {
    Parameter(u32),
    Global(GlobalId, u64),
}

/// A step of an execution, through one segment.
#[derive(Clone, Debug)]
struct Step {
    before: Option<StepId>,
    /// The results of the calls in it.
    results: Vec<(FunctionId, u128)>,
    /// What it reads that was not read or written before.
    found: Vec<(Place, u128)>,
}

/// The number of a step.
pub type StepId = u32;

/// The steps of all executions, which share their beginnings.
#[derive(Clone, Debug)]
pub struct Steps {
    all: Vec<Step>,
    /// The numbers in parameters and globals.
    inputs: Vec<(Var, Place)>,
}

impl Steps {
    /// No steps.
    pub fn new(formulas: &Formulas<'_>) -> Steps {
        let locations = formulas.model.locations.iter();
        let inputs = locations.filter_map(|(location, data)| {
            let var = variable(&formulas.arena.terms, formulas.model.at_start[location])?;
            Some((var, place(formulas, data)?))
        });
        Steps {
            all: Vec::new(),
            inputs: inputs.collect(),
        }
    }

    /// Adds a step from a state through a segment with these values.
    pub fn add(
        &mut self,
        (before, state): (Option<StepId>, &Running),
        formulas: &Formulas<'_>,
        (segment, values): (&Segment, &Values),
        executor: &mut Executor,
    ) -> StepId {
        let mut evaluation = executor.under(formulas, values);
        let mut results = Vec::new();
        for call in &segment.results {
            if evaluation.holds(call.reach) {
                results.push((call.function, evaluation.eval(call.value)));
            }
        }
        let inputs = self.inputs.iter();
        let new = inputs.filter(|(var, _)| !state.locations.contains_key(var));
        let found = new.filter_map(|&(var, place)| Some((place, values.get(var)?)));
        let found = found.collect();
        let id = self.all.len() as StepId;
        self.all.push(Step {
            before,
            results,
            found,
        });
        id
    }

    /// The input that takes all steps up to one.
    pub fn script(&self, last: StepId) -> Script {
        let mut steps = Vec::new();
        let mut at = Some(last);
        while let Some(id) = at {
            let step = &self.all[id as usize];
            steps.push(step);
            at = step.before;
        }
        let mut script = Script::default();
        for step in steps.into_iter().rev() {
            script.results.extend_from_slice(&step.results);
            for &(place, value) in &step.found {
                match place {
                    Place::Parameter(number) => script.parameters.push((number, value)),
                    Place::Global(global, offset) => script.globals.push((global, offset, value)),
                }
            }
        }
        script
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }
}

/// What a location is to the caller, if it is a number. Pointers are no numbers to the machine.
fn place(formulas: &Formulas<'_>, data: &Location) -> Option<Place> {
    let model = &formulas.model;
    let program = model.program();
    let entry = model.unfolding.context(model.unfolding.start());
    if data.of.is_some() || program.types.int(data.ty).is_none() {
        return None;
    }
    match data.object {
        Object::Local(context, local) if context == entry && data.offset == 0 => {
            let function = &program.functions[model.unfolding.data(entry).function];
            let number = function
                .parameter_locals()
                .position(|parameter| parameter == local)?;
            Some(Place::Parameter(number as u32))
        }
        Object::Global(global) => Some(Place::Global(global, data.offset)),
        _ => None,
    }
}
