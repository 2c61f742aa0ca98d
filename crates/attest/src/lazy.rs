//! The calls that lazy expansion may replace by inputs.

use coverage::Criteria;
use explore::Lazy;
use ir::{FunctionId, Program};

use crate::choice::Choice;
use crate::failure::Failure;

/// The choice, as the search takes it.
pub fn lazy(
    choice: &Choice,
    program: &Program,
    entry: FunctionId,
    criteria: &Criteria,
) -> Result<Lazy, Failure> {
    match choice {
        // Where calls are replaced, it is not known which inputs of a path meet a condition.
        Choice::Off | Choice::Auto if criteria.have_labels() => Ok(Lazy::Off),
        Choice::Named(_) if criteria.have_labels() => Err(Failure::bad_input(
            "calls cannot be replaced by inputs in a search for labels",
            "leave out --lazy, or the criteria that are labels: `boundary`, `labels`, \
             `weak-mutation`, `all-uses` and `call-pairs`",
        )),
        Choice::Off => Ok(Lazy::Off),
        Choice::Auto => Ok(Lazy::Auto),
        Choice::Named(names) => {
            let functions = names.iter().map(|name| named(name, program));
            let mut functions = functions.collect::<Result<Vec<_>, _>>()?;
            // Where several functions are tested, each may be among those that others call.
            functions.retain(|&function| function != entry);
            match (functions.is_empty(), names.last()) {
                (true, Some(name)) => {
                    let title = format!("`{name}` is the tested function itself");
                    Err(Failure::bad_input(title, HELP))
                }
                _ => Ok(Lazy::Functions(functions)),
            }
        }
    }
}

const HELP: &str =
    "--lazy takes functions that the tested one calls and that have a body or a model";

/// The function with a name, if its calls can be replaced.
fn named(name: &str, program: &Program) -> Result<FunctionId, Failure> {
    let Some(function) = program.function(name) else {
        let title = format!("there is no function `{name}` to expand lazily");
        return Err(Failure::bad_input(title, HELP));
    };
    if program.functions[function].body.is_none() {
        let title = format!("`{name}` has no body to expand");
        return Err(Failure::bad_input(title, HELP));
    }
    Ok(function)
}
