//! The program's other units: each is compiled through a file of its own that includes it, so that
//! what is renamed in the tested unit is renamed in all, and tests get at what a unit keeps to
//! itself. Names and macros of two units do not meet.

use std::collections::BTreeSet;
use std::path::Path;

use ir::UnitId;

use super::exports::Exports;
use super::file::{TestFile, include, inline_definitions, tested};
use super::macros::undefine;
use super::names::{Names, identifier};
use super::prefix::Prefix;
use super::records::KnownTypes;
use super::renaming::renamed_beside_statics;
use super::stubs;
use crate::Subject;

/// The name of the file for each other unit of the program.
pub fn file_names(subject: &Subject<'_>) -> Vec<(UnitId, String)> {
    let mut taken = BTreeSet::new();
    let units = subject.other_units();
    let named = units.map(|unit| {
        let path = Path::new(&subject.program.units[unit].path);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut name = format!("unit_{}", identifier(&stem));
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        (unit, format!("{name}.c"))
    });
    named.collect()
}

impl TestFile<'_> {
    /// The text of the file for another unit, whose path is seen from the tests.
    pub fn other_unit(&self, unit: UnitId, path: &str) -> String {
        Self::other_unit_of_all(&[self], unit, path)
    }

    /// The same for the tests of several functions of a unit.
    pub fn other_unit_of_all(files: &[&TestFile<'_>], unit: UnitId, path: &str) -> String {
        let Some(first) = files.first() else {
            return String::new();
        };
        let known = KnownTypes::new(&first.subject);
        let tested = tested(files, &known);
        let subject = tested[0].subject;
        let function = &subject.function().name;
        let mut stubs = stubs::stubs(&tested);
        stubs.before.push_str(&renamed_beside_statics(&subject));
        let mut names = Names::of_program(subject.program);
        let exports = Exports::new(&tested, &mut names);
        let mut text =
            format!("/* attest: a unit that the tests of {function}() are linked to. */\n\n");
        let prefix = Prefix::new(subject.program, &first.spelled);
        text.push_str(&prefix.apply(&include(
            subject.program,
            unit,
            (path, &first.forced, first.pragmas),
            &stubs,
        )));
        let mut behind = inline_definitions(&subject, unit);
        let definitions = exports.definitions(&subject, unit);
        if !definitions.is_empty() {
            behind.push_str("\n/* For the tests. */\n");
            behind.push_str(&definitions);
        }
        let behind = prefix.apply(&behind);
        text.push_str(&undefine(&subject.program.units[unit], &behind));
        text.push_str(&behind);
        text
    }
}
