//! The prefix of the names that tests declare for themselves.
//!
//! The writers and templates spell these `attest@name` and `ATTEST@NAME`, which no C text has. What
//! stands there in the end is a prefix that no name of the unit begins with.

use std::collections::BTreeSet;

use ir::{Origin, Program, UnitId};

/// The prefix of the tests' own names, for functions and objects.
const LOWER: &str = "attest@";
/// The same, in macros and enumerators.
const UPPER: &str = "ATTEST@";

/// The own names of a program's tests.
#[derive(Clone, Debug)]
pub struct Prefix {
    lower: String,
    upper: String,
}

impl Prefix {
    /// The first of `attest_`, `attest1_`, … that no name of the program begins with, and none of
    /// these.
    pub fn new(program: &Program, spelled: &BTreeSet<String>) -> Prefix {
        let mut names = names(program);
        names.extend(spelled.iter().map(String::as_str));
        let numbers = std::iter::once(String::new()).chain((1..).map(|n: u32| n.to_string()));
        let mut found = numbers.map(|number| Prefix {
            lower: format!("attest{number}_"),
            upper: format!("ATTEST{number}_"),
        });
        let is_free = |prefix: &Prefix| {
            let begins =
                |name: &&str| name.starts_with(&prefix.lower) || name.starts_with(&prefix.upper);
            !names.iter().any(begins)
        };
        found.find(is_free).unwrap_or(Prefix {
            lower: "attest_".to_owned(),
            upper: "ATTEST_".to_owned(),
        })
    }

    /// The text with the prefix where own names stand; literals are as they were.
    pub fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut quote = None;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (written, taken) = match (quote, first) {
                (Some(_), '\\') => {
                    let behind = rest.chars().nth(1).map_or(0, char::len_utf8);
                    (&rest[..1 + behind], 1 + behind)
                }
                (Some(open), _) => {
                    quote = (first != open).then_some(open);
                    (&rest[..first.len_utf8()], first.len_utf8())
                }
                (None, '"') => {
                    quote = Some(first);
                    (&rest[..1], 1)
                }
                (None, '\'') if rest.len() > 2 && is_character(rest) => {
                    quote = Some(first);
                    (&rest[..1], 1)
                }
                (None, '/') if rest.starts_with("/*") => {
                    let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                    let comment = &rest[..end];
                    out.push_str(&self.replaced(comment));
                    rest = &rest[end..];
                    continue;
                }
                (None, _) if rest.starts_with(LOWER) => (self.lower.as_str(), LOWER.len()),
                (None, _) if rest.starts_with(UPPER) => (self.upper.as_str(), UPPER.len()),
                (None, _) => (&rest[..first.len_utf8()], first.len_utf8()),
            };
            out.push_str(written);
            rest = &rest[taken..];
        }
        out
    }

    fn replaced(&self, text: &str) -> String {
        text.replace(LOWER, &self.lower).replace(UPPER, &self.upper)
    }
}

/// The words of C text that begin as own names could.
pub fn spelled_like_own(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter(|word| word.starts_with("attest") || word.starts_with("ATTEST"))
}

/// Whether a quote opens a character constant, which ends in the same line.
fn is_character(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line[1..].contains('\'')
}

/// The names that the user's units give to what tests can see.
fn names(program: &Program) -> Vec<&str> {
    let is_user = |unit: UnitId| program.units[unit].origin == Origin::User;
    let functions = program.functions.iter().filter(|f| is_user(f.unit));
    let of_functions = functions.flat_map(|function| {
        let parameters = function.parameters.iter();
        let names = parameters.filter_map(|parameter| parameter.name.as_ref());
        names.chain([&function.name])
    });
    let globals = program.globals.iter().filter(|global| is_user(global.unit));
    let types = &program.types;
    let records = types.records.iter().filter_map(|def| def.name.as_ref());
    let enums = types.enums.iter().filter_map(|def| def.name.as_ref());
    let enumerators = types.enums.iter().flat_map(|def| &def.enumerators);
    let macros = program.units.iter().flat_map(|unit| &unit.macros);
    let all = of_functions
        .chain(globals.map(|global| &global.name))
        .chain(records)
        .chain(enums)
        .chain(enumerators.map(|(name, _)| name))
        .chain(macros);
    // A tag follows its keyword.
    all.filter_map(|name| name.rsplit(' ').next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_names_are_replaced_outside_literals() {
        let prefix = Prefix {
            lower: "attest1_".to_owned(),
            upper: "ATTEST1_".to_owned(),
        };
        let text = "attest@f(\"attest@\\\"x\", 'a', ATTEST@AT); /* attest@'s */ attest@g();";
        let expected =
            "attest1_f(\"attest@\\\"x\", 'a', ATTEST1_AT); /* attest1_'s */ attest1_g();";
        assert_eq!(prefix.apply(text), expected);
    }
}
