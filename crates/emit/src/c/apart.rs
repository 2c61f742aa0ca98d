//! What units define themselves by the names of functions that a test's own process lives on: it has other names there.

use std::collections::BTreeMap;

use ir::{GlobalKind, Linkage, Origin, Program, UnitId};

/// Functions and streams that a test's own process needs, what measures coverage and the sanitizers included: the unit's uses of
/// them are renamed rather than the functions replaced.
pub(super) const OF_THE_PROCESS: [&str; 70] = [
    "_exit",
    "abort",
    "access",
    "alarm",
    "atexit",
    "atoi",
    "calloc",
    "clock_gettime",
    "close",
    "dl_iterate_phdr",
    "dlsym",
    "dup",
    "dup2",
    "exit",
    "fclose",
    "fcntl",
    "fdopen",
    "fflush",
    "fileno",
    "flock",
    "fopen",
    "fork",
    "free",
    "fseek",
    "fstat",
    "ftruncate",
    "fwrite",
    "getenv",
    "getpagesize",
    "getpid",
    "getrlimit",
    "gettimeofday",
    "kill",
    "lseek",
    "madvise",
    "malloc",
    "memcmp",
    "memcpy",
    "memset",
    "mkdir",
    "mmap",
    "mprotect",
    "munmap",
    "open",
    "opendir",
    "pipe",
    "prctl",
    "printf",
    "raise",
    "read",
    "readlink",
    "realloc",
    "setbuf",
    "setrlimit",
    "sigaction",
    "sigaltstack",
    "stat",
    "stderr",
    "stdin",
    "stdout",
    "strcmp",
    "strstr",
    "syscall",
    "sysconf",
    "tmpfile",
    "uname",
    "unlink",
    "usleep",
    "waitpid",
    "write",
];

/// What allocates keeps its name, unless it is `static`: a program that has its own has it for the library too.
const ALLOCATORS: [&str; 4] = ["calloc", "free", "malloc", "realloc"];

/// The symbol of what a unit defines, where the name is one that a test's own process needs.
pub fn unit_symbol(name: &str) -> String {
    format!("attest_unit_{name}")
}

/// Other names for what a unit sees of the program's own: what is external of any unit, and its own statics. Of an
/// external object the symbol alone is another one.
pub(super) fn set_apart(program: &Program, unit: UnitId) -> String {
    let definitions = own(program, unit).into_iter();
    let texts = definitions.map(|(name, is_macro)| match is_macro {
        true => format!("#define {name} {}\n", unit_symbol(name)),
        false => format!("#pragma redefine_extname {name} {}\n", unit_symbol(name)),
    });
    texts.collect()
}

/// The name by which a unit knows what it defines.
pub(super) fn known_as(program: &Program, unit: UnitId, name: &str) -> String {
    match own(program, unit).get(name) {
        Some(true) => unit_symbol(name),
        _ => name.to_owned(),
    }
}

/// The names that are set apart in a unit, and of each whether by a macro.
fn own(program: &Program, unit: UnitId) -> BTreeMap<&str, bool> {
    let functions = program.functions.iter().filter(|it| it.body.is_some());
    let functions = functions.map(|it| (it.unit, it.linkage, it.name.as_str(), true));
    let objects = program.globals.iter().filter_map(|it| match it.kind {
        GlobalKind::File(linkage) if it.initializer.is_some() => {
            let is_macro = linkage != Linkage::External;
            Some((it.unit, linkage, it.name.as_str(), is_macro))
        }
        _ => None,
    });
    let all = functions.chain(objects).filter(|&(of, linkage, name, _)| {
        let is_seen = match linkage {
            Linkage::External => !ALLOCATORS.contains(&name),
            Linkage::Internal | Linkage::Inline => of == unit,
        };
        let is_of_user = program.units[of].origin == Origin::User;
        is_seen && is_of_user && OF_THE_PROCESS.contains(&name)
    });
    all.map(|(_, _, name, is_macro)| (name, is_macro)).collect()
}
