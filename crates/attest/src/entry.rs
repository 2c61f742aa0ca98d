//! From names on the command line to functions of the program.

use ir::{Function, FunctionId, Linkage, Origin, Program, Type, TypeId, Types};

use crate::failure::Failure;
use crate::sources::SourceRange;

/// How alike two names are, from 0 to 1, for one to be suggested in place of the other.
const ALIKE: f64 = 0.8;
/// Names that are listed when none is alike.
const LISTED: usize = 8;

/// The function of the user with this name and a body.
pub fn by_name(program: &Program, name: &str) -> Result<FunctionId, Failure> {
    let mut bodiless = false;
    let named = program.function(name).into_iter();
    let all = program.functions.indices();
    let of_that_name = all.filter(|&id| program.functions[id].name == name);
    for id in named.chain(of_that_name) {
        if program.origin(id) == Origin::User && program.functions[id].body.is_some() {
            return Ok(id);
        }
        bodiless = true;
    }
    if bodiless {
        return Err(Failure::bad_input(
            format!("the function `{name}` has no body in the files given"),
            "give the file that defines it too, or name a function that calls it",
        ));
    }
    Err(Failure::bad_input(
        format!("there is no function `{name}` in the files given"),
        suggestion(program, name),
    ))
}

/// The functions with these names, each once.
pub fn by_names(program: &Program, names: &[String]) -> Result<Vec<FunctionId>, Failure> {
    let mut found = Vec::new();
    for name in names {
        let function = by_name(program, name)?;
        if !found.contains(&function) {
            found.push(function);
        }
    }
    Ok(found)
}

/// Every function of the user with a body in one of the files given, not in a header; functions
/// that are another one's precondition are left out.
pub fn all(program: &Program) -> Result<Vec<FunctionId>, Failure> {
    let found: Vec<FunctionId> = program
        .functions
        .indices()
        .filter(|&id| is_in_its_file(program, id) && !is_precondition(program, id))
        .collect();
    if found.is_empty() {
        return Err(Failure::bad_input(
            "there is no function with a body in the files given",
            "name a C file that defines functions; those of headers can be named with -f",
        ));
    }
    Ok(found)
}

/// The precondition of a function: the one that the user names, or `FUNCTION_precond` if there is
/// one with the same parameters.
pub fn precondition(
    program: &Program,
    entry: FunctionId,
    named: Option<&str>,
) -> Result<Option<FunctionId>, Failure> {
    let Some(name) = named else {
        let found = usual_precondition(program, entry);
        return found.map(|id| writes_nothing(program, id)).transpose();
    };
    let found = by_name(program, name)?;
    if !fits(program, entry, found) {
        let function = &program.functions[entry].name;
        return Err(Failure::bad_input(
            format!("`{name}` does not have the parameters of `{function}`, or returns no number"),
            format!("declare it with the same parameters as `{function}`, returning bool"),
        ));
    }
    writes_nothing(program, found).map(Some)
}

/// The function that is a function's precondition by its name: of the same unit, or an external
/// one.
fn usual_precondition(program: &Program, entry: FunctionId) -> Option<FunctionId> {
    let unit = program.functions[entry].unit;
    let name = format!("{}_precond", program.functions[entry].name);
    let named = |is_wanted: &dyn Fn(&Function) -> bool| {
        let mut functions = program.functions.iter_enumerated();
        let found = functions.find(|(_, function)| function.name == name && is_wanted(function));
        found.map(|(id, _)| id)
    };
    let beside = named(&|function| function.unit == unit);
    let found = beside.or_else(|| named(&|function| function.linkage == Linkage::External));
    found.filter(|&id| fits(program, entry, id))
}

/// The precondition, if all that it writes are its own locals: the tests do not call it, so that
/// whatever else it writes would be missing in them.
fn writes_nothing(program: &Program, precondition: FunctionId) -> Result<FunctionId, Failure> {
    match analysis::outside_write(program, precondition) {
        None => Ok(precondition),
        Some(span) => Err(Failure::bad_input_at(
            format!(
                "the precondition `{}` may write to something that is not its own",
                program.functions[precondition].name
            ),
            SourceRange::of(program, &span),
            "a precondition says which inputs there are: have it write to its locals only",
        )),
    }
}

/// Whether a function can be the precondition of another one.
fn fits(program: &Program, entry: FunctionId, id: FunctionId) -> bool {
    let types = &program.types;
    let function_type = |id: FunctionId| match types.kind(program.functions[id].ty) {
        Type::Function(ty) => Some(ty),
        _ => None,
    };
    let body = program.functions[id].body.is_some();
    match (function_type(entry), function_type(id)) {
        (Some(entry), Some(candidate)) => {
            let mut pairs = entry.parameters.iter().zip(&candidate.parameters);
            let alike = entry.parameters.len() == candidate.parameters.len()
                && pairs.all(|(&a, &b)| is_same_unqualified(types, a, b));
            body && alike && types.int(candidate.result).is_some()
        }
        _ => false,
    }
}

/// Whether two types are the same, but for qualifiers of what they point to.
fn is_same_unqualified(types: &Types, a: TypeId, b: TypeId) -> bool {
    a == b
        || match (types.pointee(a), types.pointee(b)) {
            (Some(a), Some(b)) => is_same_unqualified(types, a, b),
            _ => false,
        }
}

fn is_precondition(program: &Program, id: FunctionId) -> bool {
    let Some(entry) = program.functions[id].name.strip_suffix("_precond") else {
        return false;
    };
    let mut functions = program.functions.iter_enumerated();
    functions.any(|(function, data)| {
        data.name == entry && usual_precondition(program, function) == Some(id)
    })
}

/// Whether a function of the user has its body in the file of its unit.
fn is_in_its_file(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    let unit = &program.units[function.unit];
    let file = function
        .span
        .as_ref()
        .and_then(|span| program.files.get(span.place().file));
    unit.origin == Origin::User
        && function.body.is_some()
        && file.is_some_and(|file| file.path == unit.path)
}

fn suggestion(program: &Program, name: &str) -> String {
    let with_body = program
        .functions
        .indices()
        .filter(|&id| program.origin(id) == Origin::User && program.functions[id].body.is_some());
    let mut names: Vec<(f64, &str)> = with_body
        .map(|id| program.functions[id].name.as_str())
        .map(|other| (strsim::normalized_damerau_levenshtein(name, other), other))
        .map(|(edits, other)| (edits.max(strsim::jaro_winkler(name, other)), other))
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    match names.first() {
        Some((likeness, near)) if *likeness >= ALIKE => format!("did you mean `{near}`?"),
        Some(_) => {
            let some: Vec<String> = names
                .iter()
                .take(LISTED)
                .map(|(_, name)| format!("`{name}`"))
                .collect();
            format!("functions with a body are {}", some.join(", "))
        }
        None => "no function has a body in the files given".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{all, by_name, precondition};
    use ir::Program;

    fn program() -> Program {
        let text = r#"
file0 "x.c"
file1 "x.h"
unit0 user "x.c"
unit1 model "m.c"
fn first(a: int) -> int in unit0 span file0:1:1-1:2 { bb0: return _0 }
fn first_precond(a: int) -> bool in unit0 span file0:2:1-2:2 { bb0: return 1 }
fn second_precond(a: int) -> bool in unit0 span file0:3:1-3:2 { bb0: return 1 }
fn declared(a: int) -> int in unit0 span file0:4:1-4:2
fn in_header(a: int) -> int in unit0 span file1:1:1-1:2 { bb0: return _0 }
fn memcpy(a: int) -> int in unit1 span file0:1:1-1:2 { bb0: return _0 }
static fn memcpy_precond(a: int) -> bool in unit0 span file0:5:1-5:2 { bb0: return 1 }
"#;
        ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn names(program: &Program) -> Vec<&str> {
        let ids = all(program).unwrap();
        ids.into_iter()
            .map(|id| program.functions[id].name.as_str())
            .collect()
    }

    #[test]
    fn functions_are_found_by_name() {
        let program = program();
        for (name, found) in [
            ("first", true),
            ("in_header", true),
            ("declared", false),
            ("memcpy", false),
            ("frist", false),
        ] {
            assert_eq!(by_name(&program, name).is_ok(), found, "{name}");
        }
    }

    #[test]
    fn all_functions_are_those_of_the_files() {
        let program = program();
        let all = names(&program);
        assert_eq!(all, ["first", "second_precond", "memcpy_precond"]);
    }

    #[test]
    fn preconditions_are_found_by_their_name() {
        let program = program();
        let first = by_name(&program, "first").unwrap();
        let found = precondition(&program, first, None).unwrap();
        assert_eq!(found, program.function("first_precond"));
        let other = by_name(&program, "in_header").unwrap();
        assert_eq!(precondition(&program, other, None).unwrap(), None);
        let named = precondition(&program, other, Some("second_precond")).unwrap();
        assert_eq!(named, program.function("second_precond"));
        assert!(precondition(&program, other, Some("nowhere")).is_err());
        let copy = program.function("memcpy").unwrap();
        let of_other = precondition(&program, copy, None).unwrap();
        assert_eq!(of_other, None, "a static function of another file");
    }
}
