//! Names for a test's variables that hide nothing the test needs.

use std::collections::BTreeSet;

use ir::{Program, Types};

use super::macros::LIMITS;

/// Names that are taken already.
#[derive(Clone, Debug, Default)]
pub struct Names<'a> {
    taken: BTreeSet<String>,
    /// Those that are taken around these.
    outer: Option<&'a Names<'a>>,
}

impl<'a> Names<'a> {
    /// The names of a program at file scope, which a local variable must not hide.
    pub fn of_program(program: &Program) -> Self {
        let functions = program.functions.iter().map(|f| f.name.clone());
        let globals = program.globals.iter().map(|g| g.name.clone());
        let enumerators = program
            .types
            .enums
            .iter()
            .flat_map(|def| def.enumerators.iter().map(|(name, _)| name.clone()));
        let mut names = Names::of_types(&program.types);
        names.taken.extend(functions);
        names.taken.extend(globals);
        names.taken.extend(enumerators);
        names
    }

    /// The names that types are spelled with, and the macros of tests.
    pub fn of_types(types: &Types) -> Self {
        let records = types.records.iter().map(|def| &def.name);
        let enums = types.enums.iter().map(|def| &def.name);
        // Of types, those that typedefs name; a tag is in a space of its own.
        let typedefs = records.chain(enums).flatten();
        let typedefs = typedefs.filter(|name| !name.contains(' ')).cloned();
        let own = ["NULL"].into_iter().chain(LIMITS.map(|(name, _)| name));
        let own = own.map(str::to_owned);
        Names {
            taken: typedefs.chain(own).collect(),
            outer: None,
        }
    }

    /// Names for a place inside, where these are taken.
    pub fn inside(&'a self) -> Names<'a> {
        Names {
            taken: BTreeSet::new(),
            outer: Some(self),
        }
    }

    fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name) || self.outer.is_some_and(|outer| outer.is_taken(name))
    }

    /// A name like the wanted one that is not taken, taken from now on.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        while self.is_taken(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }
}

/// How a call spells a function's name: those that the tests have macros for, in parentheses.
pub fn callee(function: &str) -> String {
    const MACROS: [&str; 6] = [
        "CHECK",
        "CHECK_BYTES",
        "CHECK_NOT_NULL",
        "CHECK_NULL",
        "CHECK_POINTER",
        "SET_BYTES",
    ];
    match MACROS.contains(&function) {
        true => format!("({function})"),
        false => function.to_owned(),
    }
}

/// The text with everything that C does not allow in a name replaced by single underscores between
/// what it does allow.
pub fn identifier(text: &str) -> String {
    let mut name = String::new();
    let mut is_apart = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            if is_apart && !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            name.push(c);
            is_apart = false;
        } else {
            is_apart = true;
        }
    }
    let name = name.as_str();
    match name.chars().next() {
        None => "object".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("object_{name}"),
        Some(_) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_unique() {
        assert_eq!(identifier("[2].next"), "object_2_next");
        assert_eq!(identifier("p.a[3]"), "p_a_3");
        assert_eq!(identifier(""), "object");
        assert_eq!(identifier("int_"), "int_");
        let mut names = Names::default();
        assert_eq!(names.fresh("x"), "x");
        assert_eq!(names.fresh("x"), "x_");
        let mut inside = names.inside();
        assert_eq!(inside.fresh("x"), "x__");
        assert_eq!(names.inside().fresh("x"), "x__");
    }
}
