//! Which calls lazy expansion may replace by inputs.

use explore::Lazy;
use ir::{FunctionId, Program};

use crate::choice::Choice;
use crate::failure::Failure;

/// What the search is told.
pub fn lazy(choice: &Choice, program: &Program, entry: FunctionId) -> Result<Lazy, Failure> {
    match choice {
        Choice::Off => Ok(Lazy::Off),
        Choice::Auto => Ok(Lazy::Auto),
        Choice::Named(names) => {
            let functions = names.iter().map(|name| named(name, program, entry));
            functions.collect::<Result<_, _>>().map(Lazy::Functions)
        }
    }
}

/// The function with a name that calls of which can be replaced.
fn named(name: &str, program: &Program, entry: FunctionId) -> Result<FunctionId, Failure> {
    let help = "--lazy takes functions that the tested one calls and that have a body or a model";
    let Some(function) = program.function(name) else {
        let title = format!("there is no function `{name}` to expand lazily");
        return Err(Failure::bad_input(title, help));
    };
    if program.functions[function].body.is_none() {
        let title = format!("`{name}` has no body to expand");
        return Err(Failure::bad_input(title, help));
    }
    if function == entry {
        let title = format!("`{name}` is the tested function itself");
        return Err(Failure::bad_input(title, help));
    }
    Ok(function)
}
