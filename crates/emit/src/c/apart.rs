//! Names of library functions that a test's process needs (`fork`, `alarm`, `printf`) and that a
//! unit defines itself. The tests give the unit's definitions other names, so that the process
//! still calls the library's.

use std::collections::BTreeMap;

use ir::{GlobalKind, Linkage, Origin, Program, UnitId};

/// Functions and streams that a test's process uses: those of the emitted runner, of clang's
/// coverage and of the sanitizers. A unit's own definitions of these names are renamed.
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

/// External definitions of these keep their names: a program that defines `malloc` defines it for
/// the library too.
const ALLOCATORS: [&str; 4] = ["calloc", "free", "malloc", "realloc"];

/// The symbol that tests give to a unit's definition, if its name is one that a test's process
/// needs.
pub fn unit_symbol(name: &str) -> String {
    format!("attest_unit_{name}")
}

/// The directives that rename definitions which a unit sees: external ones of all units, and its
/// own statics. An external object keeps its name in C and gets another symbol.
pub(super) fn set_apart(program: &Program, unit: UnitId) -> String {
    let definitions = own(program, unit).into_iter();
    let texts = definitions.map(|(name, is_macro)| match is_macro {
        true => format!("#define {name} {}\n", unit_symbol(name)),
        false => format!("#pragma redefine_extname {name} {}\n", unit_symbol(name)),
    });
    texts.collect()
}

/// The name that C text in a unit has for a definition, after renaming.
pub(super) fn known_as(program: &Program, unit: UnitId, name: &str) -> String {
    match own(program, unit).get(name) {
        Some(true) => unit_symbol(name),
        _ => name.to_owned(),
    }
}

/// The names that are renamed in a unit, and whether a macro renames each.
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
