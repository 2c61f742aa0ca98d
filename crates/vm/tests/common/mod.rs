//! Programs as text, and executions of them.

#![allow(dead_code)] // each test file uses some of it

use expr::{Model, Terms, Var};
use ir::input::{InputCell, InputSpace, InputValue, InputVector, Root};
use ir::test::Outcome;
use ir::{
    CellId, CodeEdge, CodeIndex, DefectKind, OrderedTrace, Program, SourceEvent, Trace, TraceEvent,
    TraceReader,
};
use proptest::prelude::*;
use vm::{Config, ConstraintKind, Demand, Execution, Machine};

/// Executions of one function of one program.
pub struct Bench {
    pub program: Program,
    pub config: Config,
    pub space: InputSpace,
    pub terms: Terms,
}

impl Bench {
    pub fn new(text: &str) -> Bench {
        let program = match ir::text::parse(text) {
            Ok(program) => program,
            Err(error) => panic!("{error}\n{text}"),
        };
        if let Err(violations) = ir::verify(&program) {
            let texts: Vec<_> = violations.iter().map(ToString::to_string).collect();
            panic!("{}\n{text}", texts.join("\n"));
        }
        Bench {
            program,
            config: Config {
                recorded_events: usize::MAX,
                ..Config::default()
            },
            space: InputSpace::default(),
            terms: Terms::default(),
        }
    }

    pub fn execute(&mut self, inputs: &InputVector) -> Execution {
        let index = CodeIndex::new(&self.program);
        let mut machine = Machine::new(&self.program, &index, self.config.clone());
        let entry = self.program.function("f").expect("a function f");
        let execution = machine.execute(entry, inputs, &mut self.space, &mut self.terms);
        self.check(&execution);
        execution
    }

    /// An input in which the first parameters of `f`, all of the first one's type, have values, and
    /// the cells that they are.
    pub fn parameters(&mut self, values: [u64; 2]) -> (InputVector, Vec<CellId>) {
        let entry = self.program.function("f").expect("a function f");
        let body = self.program.functions[entry].body.as_ref();
        let ty = body.expect("a body").locals[0].ty;
        let mut vector = InputVector::default();
        let cells = (0..).zip(values).map(|(index, value)| {
            let object = self.space.object(Root::Parameter(index), ty);
            let cell = self.space.cell(InputCell {
                object,
                offset_bits: 0,
                ty,
                width: 64,
            });
            let value = InputValue::Bits(u128::from(value));
            vector.values.insert(cell, value);
            cell
        });
        let cells = cells.collect();
        (vector, cells)
    }

    /// Executes with all inputs 0 or NULL.
    pub fn default_run(&mut self) -> Execution {
        self.execute(&InputVector::default())
    }

    /// What every execution promises: its input satisfies its path condition, no alternative that
    /// is a term holds for it, and its ordered trace is a path through the program.
    pub fn check(&self, execution: &Execution) {
        if let Some(ordered) = &execution.visited.ordered {
            let has_returned = execution.outcome == Outcome::Return;
            self.check_order(ordered, &execution.visited.trace, has_returned);
        }
        let model = model(&execution.inputs);
        for constraint in &execution.path {
            let shown = self.terms.display(constraint.term).to_string();
            assert_eq!(self.terms.eval(constraint.term, &model), 1, "{shown}");
            for alternative in &constraint.alternatives {
                assert_ne!(alternative.number, constraint.taken);
                if let Demand::Term(term) = alternative.demand {
                    assert_eq!(self.terms.eval(term, &model), 0, "{shown}");
                }
            }
        }
    }

    /// An ordered trace has the edges that were visited, its calls and returns nest, and it can be
    /// followed through the program to its end.
    pub fn check_order(&self, ordered: &OrderedTrace, visited: &Trace, has_returned: bool) {
        let mut edges = visited.edges.clone();
        edges.clear();
        edges.extend(ordered.edges().map(CodeEdge::index));
        assert_eq!(edges, visited.edges);
        let mut depth = 0;
        for event in ordered.events() {
            match event {
                TraceEvent::Call(_) => depth += 1,
                TraceEvent::Return => depth -= 1,
                TraceEvent::Edge(_) | TraceEvent::Replaced(_) => assert!(depth > 0),
            }
            assert!(depth >= 0);
        }
        assert!(depth == 0 || !has_returned);
        let index = CodeIndex::new(&self.program);
        let reader = TraceReader::new(&self.program, &index);
        let read = reader.read(ordered);
        let is_derived = |event: &SourceEvent| {
            use SourceEvent::{Condition, Decision, Enter, Leave, Round, Switch};
            let is_of_region = matches!(event, Enter(..) | Leave(..) | Round(..));
            is_of_region || matches!(event, Condition(..) | Decision(..) | Switch(..))
        };
        assert_eq!(
            read.filter(|event| !is_derived(event)).count(),
            ordered.len()
        );
    }

    /// Explores by brute force: for each constraint tries the given values for its variables until
    /// one satisfies an alternative. Gives all executions, the first with default inputs.
    pub fn explore(&mut self, values: &[u128]) -> Vec<Execution> {
        let mut executions = vec![self.default_run()];
        let mut seen: Vec<Vec<(ConstraintKind, u32)>> = vec![signature(&executions[0])];
        let mut next = 0;
        while next < executions.len() && executions.len() < 300 {
            let execution = executions[next].clone();
            next += 1;
            for (position, constraint) in execution.path.iter().enumerate() {
                for alternative in &constraint.alternatives {
                    let flipped = match alternative.demand {
                        Demand::Pointer(cell, value) => {
                            let mut inputs = execution.inputs.clone();
                            inputs.values.insert(cell, value);
                            Some(inputs)
                        }
                        Demand::Term(term) => self.search(&execution, position, term, values),
                        Demand::Call(call, mode) => {
                            let mut inputs = execution.inputs.clone();
                            inputs.calls.insert(call, mode);
                            Some(inputs)
                        }
                        Demand::Exact(object, term) => {
                            let found = self.search(&execution, position, term, values);
                            found.map(|mut inputs| {
                                inputs.exact.insert(object);
                                inputs
                            })
                        }
                    };
                    let Some(mut inputs) = flipped else { continue };
                    inputs.extents.clear();
                    let new = self.execute(&inputs);
                    let signature = signature(&new);
                    if !seen.contains(&signature) {
                        seen.push(signature);
                        executions.push(new);
                    }
                }
            }
        }
        executions
    }

    /// An input that satisfies the term and the path before it, with other values for one or two
    /// variables.
    fn search(
        &self,
        execution: &Execution,
        position: usize,
        term: expr::Term,
        values: &[u128],
    ) -> Option<InputVector> {
        let variables = self.terms.variables(term);
        let set = |inputs: &InputVector, var: Var, value: u128| {
            let mut inputs = inputs.clone();
            let cell = ir::CellId::from_raw(var.0);
            let width = self.space.cell_data(cell).width;
            let value = value & (u128::MAX >> (128 - width));
            inputs.values.insert(cell, InputValue::Bits(value));
            inputs
        };
        let fits = |inputs: &InputVector| {
            let model = model(inputs);
            self.terms.eval(term, &model) == 1
                && execution.path[..position]
                    .iter()
                    .all(|c| self.terms.eval(c.term, &model) == 1)
        };
        for first in variables {
            for &value in values {
                let inputs = set(&execution.inputs, first, value);
                if fits(&inputs) {
                    return Some(inputs);
                }
                for second in variables {
                    for &other in values {
                        let inputs = set(&inputs, second, other);
                        if fits(&inputs) {
                            return Some(inputs);
                        }
                    }
                }
            }
        }
        None
    }
}

fn signature(execution: &Execution) -> Vec<(ConstraintKind, u32)> {
    let decision = |constraint: &vm::Constraint| (constraint.kind, constraint.taken);
    execution.path.iter().map(decision).collect()
}

/// The model that an input is.
pub fn model(inputs: &InputVector) -> Model {
    let number = |(cell, value): (&ir::CellId, &InputValue)| match value {
        InputValue::Bits(bits) => Some((Var(cell.raw()), *bits)),
        _ => None,
    };
    inputs.values.iter().filter_map(number).collect()
}

/// The kind of the defect that an execution ended with.
pub fn defect(execution: &Execution) -> Option<DefectKind> {
    match &execution.outcome {
        Outcome::Defect(defect) => Some(defect.kind),
        _ => None,
    }
}

/// The scalar that the function returned.
pub fn returned(execution: &Execution) -> Option<ir::test::Observed> {
    assert_eq!(execution.outcome, Outcome::Return, "{execution:#?}");
    execution
        .observations
        .iter()
        .find(|o| matches!(o.place, ir::test::ObservedPlace::Result { .. }))
        .map(|o| o.value.clone())
}

/// An interesting number: small, near a power of two, or any.
pub fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        0u64..70,
        (0u32..64).prop_map(|bit| 1 << bit),
        (0u32..64).prop_map(|bit| (1u64 << bit).wrapping_neg()),
        any::<u64>(),
    ]
}
