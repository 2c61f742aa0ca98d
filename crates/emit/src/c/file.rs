//! The C file of a suite's tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ir::test::{Outcome, TestCase};
use ir::{TestId, Type};

use super::names::Names;
use super::stubs::{self, Stubs};
use super::test_function::test_function;
use crate::Subject;

/// What a file of tests is made of.
#[derive(Clone, Debug)]
pub struct TestFile<'a> {
    /// What is tested.
    pub subject: Subject<'a>,
    /// The path of the tested unit as `#include` takes it: relative to the file.
    pub unit: String,
    /// The tests.
    pub tests: Vec<&'a TestCase>,
    /// What each test is for, a line each, for its comment.
    pub notes: BTreeMap<TestId, Vec<String>>,
}

impl TestFile<'_> {
    /// The text of the file.
    pub fn text(&self) -> String {
        let runner = include_str!("../templates/runner.c");
        self.assemble("tests", runner, expected_end)
    }

    /// The text around a runner, whose table has a last column of its own.
    pub(crate) fn assemble(
        &self,
        what: &str,
        runner: &str,
        column: impl Fn(&TestCase) -> String,
    ) -> String {
        let function = &self.subject.function().name;
        let stubs = stubs::stubs(&self.subject, &self.tests);
        let mut text = format!("/* attest: {what} of {function}(). */\n\n");
        text.push_str(&self.include(&stubs));
        text.push('\n');
        text.push_str(include_str!("../templates/prelude.c"));
        text.push_str(&stubs.after);
        let _ = writeln!(text, "\n/* ---- The {what}. ---- */");
        let mut names = Names::of_program(self.subject.program);
        let mut table = Vec::new();
        for test in &self.tests {
            let name = names.fresh(&format!("test_{function}_{}", test.id.index()));
            let notes = self.notes.get(&test.id).map_or(&[][..], Vec::as_slice);
            text.push('\n');
            text.push_str(&test_function(&self.subject, &names, test, &name, notes));
            table.push(format!(
                "    {{{}, {name}, {}}},",
                test.id.index(),
                column(test)
            ));
        }
        let main = if self.unit_main().is_some() {
            "int attest_main(int argc, char **argv) ATTEST_LIBC(main);\n\
             int attest_main(int argc, char **argv)"
        } else {
            "int main(int argc, char **argv)"
        };
        text.push('\n');
        text.push_str(
            &runner
                .replace("@TESTS@", &table.join("\n"))
                .replace("@MAIN@", main),
        );
        text
    }

    /// The unit's text, with what must stand in front of it.
    fn include(&self, stubs: &Stubs) -> String {
        let mut text = String::from("#define __ATTEST__ 1\n");
        text.push_str(&stubs.before);
        if let Some(main) = self.unit_main() {
            // Only its symbol: a function of another C name would lose main's implicit return.
            let _ = writeln!(
                text,
                "\n/* The unit's main; the tests have their own. */\n{main} __asm__(\"attest_unit_main\");"
            );
        }
        let _ = writeln!(text, "\n#include \"{}\"", self.unit);
        text
    }

    /// The declaration of the unit's own `main`, if it has one.
    fn unit_main(&self) -> Option<String> {
        let program = self.subject.program;
        let (id, function) = program.functions.iter_enumerated().find(|(_, function)| {
            function.name == "main"
                && function.unit == self.subject.unit()
                && function.body.is_some()
        })?;
        match program.types.kind(program.functions[id].ty) {
            Type::Function(ty) if ty.parameters.is_empty() => Some("int main(void)".to_owned()),
            _ => Some(program.types.declare(function.ty, "main")),
        }
    }
}

/// How the runner expects the test's process to end.
fn expected_end(test: &TestCase) -> String {
    match &test.outcome {
        Outcome::Return => "ATTEST_RETURNS".to_owned(),
        Outcome::Exit(Some(status)) => status.to_string(),
        Outcome::Exit(None) => "ATTEST_EXITS".to_owned(),
        _ => "ATTEST_ENDS".to_owned(),
    }
}
