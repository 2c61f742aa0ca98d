//! The programs that a replay runs, and messages about compilers that make different programs of
//! the same files.

use std::io;

use emit::replay::{ReadUnit, ReadsOtherwise, Tools};

use crate::message::{Message, Severity};

/// The programs that a replay runs. This program itself reads profiles.
///
/// # Errors
/// It is not known which program runs.
pub fn tools() -> io::Result<Tools> {
    let program = std::env::current_exe()?;
    Ok(Tools::new(vec![
        program.into(),
        frontend::PROFILES_ARGUMENT.into(),
    ]))
}

/// Reads preprocessed files as the front-end reads C files.
pub const READ_UNIT: ReadUnit = ReadUnit(|file, flags| {
    let options = frontend::Options {
        flags: flags.to_vec(),
        ..frontend::Options::default()
    };
    frontend::load_unit(file, &options).ok()
});

/// The message about tests whose end depends on the compiler's order of operands.
pub fn depend_on_order(tests: &[usize]) -> Message {
    let numbers: Vec<String> = tests.iter().map(usize::to_string).collect();
    let subject = match &numbers[..] {
        [number] => format!("test {number} depends"),
        _ => format!("tests {} depend", numbers.join(", ")),
    };
    let title = format!(
        "{subject} on the order in which operands are evaluated: C leaves it open, and gcc takes another \
         than clang"
    );
    let help = "the machine takes clang's; give what changes other operands a statement of its own";
    Message::new(Severity::Warning, title).help(help)
}

/// The message about code that does not tell the values of its conditions in compiled tests.
pub fn is_silent() -> Message {
    let title = "the compiled tests do not tell the values of some conditions";
    let help = "combinations and boundary values of these count as reached where their tests pass";
    Message::new(Severity::Warning, title).help(help)
}

/// The message about files of which gcc compiles another program than clang.
pub fn reads_otherwise(reads: &ReadsOtherwise) -> Message {
    let (title, help) = match reads {
        ReadsOtherwise::Lines { file, line } => (
            format!("gcc compiles other lines than clang, from {file}:{line} on"),
            "clang's lines are tested; compiled by gcc, some of the tests fail",
        ),
        ReadsOtherwise::Flag(flag) => (
            format!("clang leaves out {flag}, and gcc does not"),
            "the program is tested without the flag; compiled by gcc, some of the tests fail",
        ),
    };
    Message::new(Severity::Warning, title).help(help)
}
