//! The C file of a suite's tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ir::test::{Outcome, TestCase};
use ir::{Function, Linkage, Program, TestId, Type, UnitId};

use super::apart::{known_as, set_apart, unit_symbol};
use super::exports::Exports;
use super::macros::{limits, undefine};
use super::names::Names;
use super::plain;
use super::pragmas::Pragmas;
use super::prefix::Prefix;
use super::records::KnownTypes;
use super::stubs::{self, Stubs};
use super::test_function::test_program;
use crate::test_program::TestProgram;
use crate::{Subject, Tested};

/// The contents of a file of tests.
#[derive(Clone, Debug)]
pub struct TestFile<'a> {
    /// The tested program.
    pub subject: Subject<'a>,
    /// The path of the tested unit as `#include` takes it: relative to the file.
    pub unit: String,
    /// The headers that flags have in front of the unit (`-include`), the same way.
    pub forced: Vec<String>,
    /// The tests of this file.
    pub tests: Vec<&'a TestCase>,
    /// All tests of the suite, whose files share the stubs.
    pub suite: Vec<&'a TestCase>,
    /// Tests of defects that no compiled program shows, as far as is known.
    pub unshown: BTreeSet<TestId>,
    /// Words of the units' texts that begin as names of the tests' own do.
    pub spelled: BTreeSet<String>,
    /// The pragmas of the units' texts that must not apply to the tests.
    pub pragmas: Pragmas,
    /// The last part of the name of each test; of one without, its number.
    pub titles: BTreeMap<TestId, String>,
    /// The purpose of each test, a line each, for its comment.
    pub notes: BTreeMap<TestId, Vec<String>>,
}

/// The last column of a runner's table.
type Column<'c> = &'c dyn Fn(&TestFile<'_>, &TestCase) -> String;

/// How tests call a pure function whose value they do not look at.
const KEEP: &str = "
/* Uses a value, so that compilers do not leave out the call that returns it. */
#define ATTEST@KEEP(call) do { volatile __typeof__(call) attest@kept = (call); (void)attest@kept; } while (0)
";

impl TestFile<'_> {
    /// The text of the file.
    pub fn text(&self) -> String {
        Self::text_of_all(&[self])
    }

    /// The text of one file for the tests of several functions of a unit. All have numbers of their
    /// own.
    pub fn text_of_all(files: &[&TestFile<'_>]) -> String {
        let runner = include_str!("../templates/runner.c");
        Self::assemble(files, "tests", runner, |_, test| expected_end(test))
    }

    /// The tests as data.
    pub fn programs(&self) -> Vec<TestProgram> {
        let known = KnownTypes::new(&self.subject);
        let subject = Subject {
            types: &known.types,
            ..self.subject
        };
        let mut names = Names::of_program(subject.program);
        let tested = Tested {
            subject,
            tests: &self.suite,
        };
        let exports = Exports::new(&[tested], &mut names);
        let programs = self.programs_in(&subject, &exports, &mut names).into_iter();
        programs.map(|(_, program)| program).collect()
    }

    fn programs_in(
        &self,
        subject: &Subject<'_>,
        exports: &Exports,
        names: &mut Names<'_>,
    ) -> Vec<(&TestCase, TestProgram)> {
        let function = &subject.function().name;
        let programs = self.tests.iter().map(|&test| {
            let number = test.id.index().to_string();
            let title = self.titles.get(&test.id).unwrap_or(&number);
            let name = names.fresh(&format!("test_{function}_{title}"));
            let notes = self.notes.get(&test.id).map_or(&[][..], Vec::as_slice);
            let program = test_program(subject, exports, names, test, &name, notes);
            (test, program)
        });
        programs.collect()
    }

    /// The text around a runner, whose table has a last column of its own.
    pub(crate) fn assemble(
        files: &[&TestFile<'_>],
        what: &str,
        runner: &str,
        column: impl Fn(&TestFile<'_>, &TestCase) -> String,
    ) -> String {
        let Some(first) = files.first() else {
            return String::new();
        };
        let known = KnownTypes::new(&first.subject);
        let tested = tested(files, &known);
        let subject = &tested[0].subject;
        let stubs = stubs::stubs(&tested);
        let prefix = Prefix::new(subject.program, &first.spelled);
        let functions = tested.iter().map(|tested| &tested.subject.function().name);
        let functions: Vec<String> = functions.map(|name| format!("{name}()")).collect();
        let mut text = format!("/* attest: {what} of {}. */\n\n", functions.join(", "));
        let paths = (first.unit.as_str(), &first.forced[..], first.pragmas);
        let included = include(subject.program, subject.unit(), paths, &stubs);
        text.push_str(&prefix.apply(&included));
        let behind = Self::behind(files, &tested, &stubs, (what, runner, &column));
        let records = known.declarations(&behind);
        let behind = prefix.apply(&format!("{records}{behind}"));
        text.push_str(&undefine(&subject.program.units[subject.unit()], &behind));
        text.push_str(&behind);
        text
    }

    /// The text after the unit's.
    fn behind(
        files: &[&TestFile<'_>],
        tested: &[Tested<'_>],
        stubs: &Stubs,
        (what, runner, column): (&str, &str, Column<'_>),
    ) -> String {
        let subject = &tested[0].subject;
        let mut names = Names::of_program(subject.program);
        let exports = Exports::new(tested, &mut names);
        let mut text = stubs.after.clone();
        let declarations = exports.declarations(subject);
        if !declarations.is_empty() {
            let _ = write!(
                text,
                "\n/* Objects and functions of other units. */\n{declarations}"
            );
        }
        if tested.iter().any(|tested| tested.subject.function().pure) {
            text.push_str(KEEP);
        }
        let _ = writeln!(text, "\n/* ---- The {what}. ---- */");
        let mut table = Vec::new();
        for (file, Tested { subject, .. }) in files.iter().zip(tested) {
            for (test, program) in file.programs_in(subject, &exports, &mut names) {
                text.push('\n');
                text.push_str(&plain::function(&program));
                let (number, name) = (test.id.index(), &program.name);
                table.push(format!("    {{{number}, {name}, {}}},", column(file, test)));
            }
        }
        let main = if unit_main(subject.program, subject.unit()).is_some() {
            "int attest@main(int argc, char **argv) ATTEST@LIBC(\"main\");\n\
             int attest@main(int argc, char **argv)"
        } else {
            "int main(int argc, char **argv)"
        };
        text.push('\n');
        text.push_str(
            &runner
                .replace("@TESTS@", &table.join("\n"))
                .replace("@MAIN@", main),
        );
        text.push_str("\n#pragma GCC visibility pop\n");
        text.push_str("#if defined(__clang__)\n#pragma clang attribute pop\n#endif\n");
        let inline = inline_definitions(subject, subject.unit());
        let prelude = include_str!("../templates/prelude.c")
            .replace("@LIMITS@\n", &limits(&text))
            .replace(
                "@AT_EXIT@",
                &u8::from(subject.program.uses_at_exit()).to_string(),
            );
        format!("{inline}\n{prelude}{text}")
    }
}

/// What files of one unit test, with the types that their text can name.
pub(super) fn tested<'a>(files: &[&'a TestFile<'a>], known: &'a KnownTypes) -> Vec<Tested<'a>> {
    let tested = files.iter().map(|file| Tested {
        subject: Subject {
            types: &known.types,
            ..file.subject
        },
        tests: &file.suite,
    });
    tested.collect()
}

/// A unit's text, with what must stand in front of it, headers that flags name included.
pub(super) fn include(
    program: &Program,
    unit: UnitId,
    (path, forced, pragmas): (&str, &[String], Pragmas),
    stubs: &Stubs,
) -> String {
    let mut text = String::from("#define __ATTEST__ 1\n");
    text.push_str(&set_apart(program, unit));
    text.push_str(&stubs.before);
    if !forced.is_empty() {
        text.push('\n');
    }
    for header in forced {
        let _ = writeln!(text, "#include \"{header}\"");
    }
    if let Some(main) = unit_main(program, unit) {
        // Only its symbol: a function of another C name would lose main's implicit return.
        let _ = writeln!(
            text,
            "\n/* The unit's main; the tests have their own. */\n{main} __asm__(\"{}\");",
            unit_symbol("main")
        );
    }
    text.push_str(&pragmas.saved());
    let _ = writeln!(text, "\n#include \"{path}\"");
    text.push_str(&pragmas.restored());
    text
}

/// Declarations that make symbols of a unit's `inline` functions, which calls that are not inlined
/// need. One unit makes them for all; if any of the program's has a definition for that, none does.
pub(super) fn inline_definitions(subject: &Subject<'_>, unit: UnitId) -> String {
    let program = subject.program;
    let rank = |unit: UnitId| (unit != subject.unit(), unit);
    let mut text = String::new();
    for function in program.functions.iter().filter(|f| f.unit == unit) {
        let is_inline = |f: &Function| f.linkage == Linkage::Inline && f.body.is_some();
        if !is_inline(function) || subject.is_library(function) {
            continue;
        }
        let mut others = program.functions.iter().filter(|f| f.name == function.name);
        let is_made_elsewhere = others.any(|other| match other.linkage {
            Linkage::External => other.body.is_some(),
            Linkage::Inline => rank(other.unit) < rank(unit),
            Linkage::Internal => false,
        });
        if !is_made_elsewhere {
            let name = known_as(program, unit, &function.name);
            let _ = writeln!(text, "#undef {name}\nextern __typeof__({name}) {name};");
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("\n/* Inline functions, for calls that are not inlined. */\n{text}"),
    }
}

/// The declaration of a unit's own `main`, if it has one.
fn unit_main(program: &Program, unit: UnitId) -> Option<String> {
    let function = program.functions.iter().find(|function| {
        function.name == "main" && function.unit == unit && function.body.is_some()
    })?;
    match program.types.kind(function.ty) {
        Type::Function(ty) if ty.parameters.is_empty() => {
            Some(program.types.declare(ty.result, "main(void)"))
        }
        _ => Some(program.types.declare(function.ty, "main")),
    }
}

/// How the runner expects the test's process to end.
fn expected_end(test: &TestCase) -> String {
    match &test.outcome {
        _ if test.unsure => "ATTEST@ENDS".to_owned(),
        Outcome::Return => "ATTEST@RETURNS".to_owned(),
        // The part of it that the system keeps; negative numbers are other ends.
        Outcome::Exit(Some(status)) => (status & 0xff).to_string(),
        Outcome::Exit(None) => "ATTEST@EXITS".to_owned(),
        _ => "ATTEST@ENDS".to_owned(),
    }
}
