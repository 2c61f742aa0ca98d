//! The user's flags as tests are compiled with: a test is a program of this machine with a C
//! library, whatever else the user builds from the file.

/// Flags that say what to produce, or for what a compiler stops before linking.
const OUTPUT: [&str; 10] = [
    "-c",
    "-S",
    "-E",
    "-C",
    "-CC",
    "-fsyntax-only",
    "-emit-llvm",
    "-save-temps",
    "--save-temps",
    "-Werror",
];
/// Flags for linking what is no program, or a program that runs without a system.
const LINKING: [&str; 6] = [
    "-shared",
    "-r",
    "-nostdlib",
    "-nostartfiles",
    "-nodefaultlibs",
    "-nolibc",
];
/// Flags of the kinds above that more follows. Optimisation is attest's choice, and so are
/// sanitizers, which it uses for tests of their own: some of them exclude each other.
const PREFIXES: [&str; 9] = [
    "-O",
    "-M",
    "-Werror=",
    "-T",
    "-Wl,-T",
    "-save-temps=",
    "--save-temps=",
    "-fsanitize",
    "-fno-sanitize",
];
/// Flags that are dropped with the next word.
const WITH_VALUE: [&str; 5] = ["-o", "-MF", "-MT", "-MQ", "-T"];
/// Code for the upper end of the address space, where no program is.
const KERNEL: &str = "-mcmodel=kernel";
/// Other conventions for calls, as 32-bit kernels have them: the C library is compiled without
/// them.
const CONVENTIONS: [&str; 3] = ["-mregparm=", "-mrtd", "-msseregparm"];
/// Code that cannot be moved, which a program that can be moved does not link.
const NOT_MOVABLE: [&str; 4] = ["-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE"];

/// The user's flags without those that say what a compiler should produce.
pub fn compile_flags(flags: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if WITH_VALUE.contains(&flag.as_str()) {
            rest.next();
        } else if !is_dropped(flag) {
            kept.push(flag.clone());
        }
    }
    if kept.iter().any(|flag| NOT_MOVABLE.contains(&flag.as_str())) {
        kept.push("-no-pie".to_owned());
    }
    kept
}

/// The flags that tests are compiled with: the files of tests include the headers that the flags
/// name, after the text that renames functions.
pub fn test_flags(flags: &[String]) -> Vec<String> {
    split_forced(&compile_flags(flags)).0
}

/// The headers that flags name (`-include`), in order.
pub fn forced_headers(flags: &[String]) -> Vec<String> {
    split_forced(flags).1
}

/// Other flags, and the headers that flags name.
fn split_forced(flags: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut others, mut headers) = (Vec::new(), Vec::new());
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        match flag.strip_prefix("-include") {
            Some("") => headers.extend(rest.next().cloned()),
            Some(header) if !header.starts_with('-') => headers.push(header.to_owned()),
            _ => others.push(flag.clone()),
        }
    }
    (others, headers)
}

fn is_dropped(flag: &str) -> bool {
    OUTPUT.contains(&flag)
        || LINKING.contains(&flag)
        || flag == KERNEL
        || PREFIXES
            .iter()
            .chain(&CONVENTIONS)
            .any(|prefix| flag.starts_with(prefix))
}

/// Flags that a compiler says it does not know: those that another compiler has.
pub(super) fn unknown_flags(message: &str) -> Vec<String> {
    let complaints = ["unknown argument", "unrecognized command-line option"];
    let named = |line: &str| {
        let (_, rest) = complaints.iter().find_map(|said| line.split_once(said))?;
        let mut parts = rest.split(['\'', '‘', '’']);
        let flag = parts.nth(1)?;
        Some(flag.to_owned())
    };
    message.lines().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(flags: &str) -> String {
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        compile_flags(&flags).join(" ")
    }

    #[test]
    fn flags_for_output_are_dropped() {
        assert_eq!(kept("-O2 -I x -c -o a.o -MMD -MF a.d -DA=1"), "-I x -DA=1");
        assert_eq!(kept("-emit-llvm -save-temps=obj -m32"), "-m32");
    }

    #[test]
    fn a_test_is_a_program_with_a_library() {
        let embedded = "-ffreestanding -nostdlib -nostartfiles -T chip.ld -DA";
        assert_eq!(kept(embedded), "-ffreestanding -DA");
        assert_eq!(kept("-shared -fPIC"), "-fPIC");
        assert_eq!(kept("-fno-PIE -mcmodel=kernel"), "-fno-PIE -no-pie");
        assert_eq!(kept("-m32 -mregparm=3 -mrtd"), "-m32");
    }

    #[test]
    fn headers_that_flags_name_are_told_from_other_flags() {
        let flags =
            ["-DA", "-include", "a.h", "-includeb.h", "-include-pch", "p"].map(str::to_owned);
        assert_eq!(test_flags(&flags), ["-DA", "-include-pch", "p"]);
        assert_eq!(forced_headers(&flags), ["a.h", "b.h"]);
    }

    #[test]
    fn sanitizers_are_chosen_by_attest() {
        assert_eq!(
            kept("-fsanitize=address -fno-sanitize-recover=all -DA"),
            "-DA"
        );
    }

    #[test]
    fn unknown_flags_are_told_from_other_errors() {
        let clang = "clang-19: error: unknown argument '-fanalyzer'; did you mean '-Xanalyzer'?\n\
            clang-19: error: unknown argument: '-fconserve-stack'";
        assert_eq!(unknown_flags(clang), ["-fanalyzer", "-fconserve-stack"]);
        let gcc = "gcc: error: unrecognized command-line option ‘-Weverything’";
        assert_eq!(unknown_flags(gcc), ["-Weverything"]);
        assert!(unknown_flags("x.c:1: error: unknown type name 'u8'").is_empty());
    }
}
