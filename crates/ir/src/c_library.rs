//! The names of the functions of a C library: those that glibc's `libc` and `libm` export, or that
//! are linked with programs that use them.

use std::collections::HashSet;
use std::sync::LazyLock;

static NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("c_library.txt").lines().collect());

/// Whether the C library that tests are linked with has a function of this name. A function of the
/// unit without a body and with such a name is the library's where no test gives its result; where
/// a test does, the library and the run-time support of compilers keep their own.
pub fn is_in_c_library(name: &str) -> bool {
    NAMES.contains(name)
}

#[cfg(test)]
mod tests {
    use super::is_in_c_library;

    #[test]
    fn functions_of_the_library_are_told_from_others() {
        for name in [
            "puts",
            "atexit",
            "mkdir",
            "setenv",
            "fopen",
            "_exit",
            "sqrt",
            "__errno_location",
        ] {
            assert!(is_in_c_library(name), "{name}");
        }
        assert!(!is_in_c_library("later"));
        assert!(!is_in_c_library("main"));
    }
}
