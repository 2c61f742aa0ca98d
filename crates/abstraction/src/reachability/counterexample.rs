//! Inputs that take a counterexample: segments from the start to a goal.

use std::sync::Arc;

use expr::Model as Values;

use crate::formulas::Formulas;
use crate::formulas::execution::{Executor, Running};
use crate::formulas::nodes::size;
use crate::formulas::script::{Script, Steps};
use crate::invariants::guesses::Guesser;
use crate::invariants::samples::EVALUATION;
use crate::reachability::refinement::Passage;
use crate::steering::walks::evaluated;

/// The inputs that take segments, given the values of each; `None` if they do not.
pub(crate) fn script(
    formulas: &mut Formulas<'_>,
    guesser: &Guesser,
    passages: &[Passage],
    values: &[Values],
) -> Option<Script> {
    let segments = Arc::clone(&formulas.segments);
    let mut executor = Executor::new(formulas, guesser.constants(), evaluated);
    let mut steps = Steps::new(formulas);
    let mut state = Running::default();
    let mut last = None;
    for (passage, given) in passages.iter().zip(values) {
        let segment = &segments[passage.cut];
        formulas.count(size(&formulas.arena.terms, evaluated(segment)) * EVALUATION);
        let values = executor.values(formulas, segment, &mut state, given);
        let before = (last, &state);
        last = Some(steps.add(before, formulas, (segment, &values), &mut executor));
        if let Some(number) = passage.exit {
            let exit = executor.exit(formulas, segment, &values)?;
            if exit.to != segment.exits[number].to {
                return None;
            }
            executor.take(formulas, (segment, exit), &values, &mut state);
        }
    }
    Some(steps.script(last?))
}
