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

    /// Whether a name that no person chose can be taken as it is.
    pub fn is_free(&self, name: &str) -> bool {
        identifier(name) == name && !self.is_taken(name) && !RESERVED.contains(&name)
    }

    /// A name like the wanted one that is not taken, taken from now on.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let wanted = identifier(wanted);
        let mut name = wanted.clone();
        let mut number = 1;
        while self.is_taken(&name) {
            // `x`, `x_`, `x_2`, `x_3`.
            let suffix = if number == 1 {
                String::new()
            } else {
                number.to_string()
            };
            name = format!("{wanted}_{suffix}");
            number += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}

/// Words that mean something else to some compiler, or to tests.
const RESERVED: [&str; 49] = [
    "alignas",
    "alignof",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "nullptr",
    "register",
    "restrict",
    "result",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "thread_local",
    "true",
    "typedef",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "void",
    "volatile",
    "while",
    "static_assert",
];

/// How a call spells a function's name: those that the tests have macros for, in parentheses.
pub fn callee(function: &str) -> String {
    const MACROS: [&str; 15] = [
        "BEHIND",
        "BEHIND_TWO",
        "CHECK",
        "CHECK_BYTES",
        "CHECK_CALLS",
        "CHECK_NOT_NULL",
        "CHECK_NULL",
        "CHECK_POINTER",
        "IS",
        "IS_BYTES",
        "IS_NOT_NULL",
        "IS_NULL",
        "IS_POINTER",
        "IS_TEXT",
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
        assert_eq!(inside.fresh("x"), "x_2");
        assert_eq!(inside.fresh("x"), "x_3");
        assert_eq!(names.inside().fresh("x"), "x_2");
        let is_free = ["entry", "x", "union", "2x"].map(|name| names.is_free(name));
        assert_eq!(is_free, [true, false, false, false]);
    }
}
