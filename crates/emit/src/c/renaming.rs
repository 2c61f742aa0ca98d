//! Other names for what a test defines itself: functions of the C library, and what has the name of
//! a static.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ir::c_library::is_in_c_library;
use ir::{Function, Global, GlobalKind, Linkage};

use super::apart::OF_THE_PROCESS;
use crate::Subject;

/// The suffixes with which `math.h` forms the names of functions for other types.
const SUFFIXES: [&str; 2] = ["f", "l"];

/// The same, for the types of ISO/IEC TS 18661-3 too.
const FLOAT_SUFFIXES: [&str; 9] = [
    "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "f128x",
];

/// The functions of `math.h` that glibc may have for vectors.
const HAVE_VECTORS: [&str; 29] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf",
    "erfc", "exp", "exp10", "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "pow",
    "sin", "sincos", "sinh", "sinpi", "cospi", "tan", "tanh",
];

/// Whether a function is known to the unit by another name, since the process that tests run in has
/// one of its own.
pub(super) fn is_renamed(subject: &Subject<'_>, function: &Function) -> bool {
    !function.renamed && (subject.is_library(function) || is_in_c_library(&function.name))
}

/// Whether only the symbol of a function is renamed, since a unit declares it itself.
pub(super) fn is_renamed_symbol(subject: &Subject<'_>, function: &Function) -> bool {
    is_renamed(subject, function)
        && !subject.is_library(function)
        && !OF_THE_PROCESS.contains(&function.name.as_str())
}

/// The text that renames a function where the units use it. If a header declares the function, and
/// may give it a symbol of its own, the text replaces the name; if the unit itself declares it, the
/// symbol alone.
pub(super) fn renaming(subject: &Subject<'_>, function: &Function) -> String {
    let name = &function.name;
    match is_renamed_symbol(subject, function) {
        true => format!("#pragma redefine_extname {name} attest@stub_{name}\n"),
        false => {
            let vectors = without_vectors(name);
            format!("#define {name} attest@stub_{name}\n{vectors}")
        }
    }
}

/// Empty definitions of the macros by which glibc's `<math.h>` asks for vector versions of a
/// function. Their names end in the function's.
fn without_vectors(name: &str) -> String {
    let bare = SUFFIXES
        .iter()
        .filter_map(|suffix| name.strip_suffix(suffix));
    let mut names = bare.chain([name]);
    if !names.any(|name| HAVE_VECTORS.contains(&name)) {
        return String::new();
    }
    let suffixes = [""].into_iter().chain(FLOAT_SUFFIXES);
    let define = |suffix| format!("#define __DECL_SIMD_attest@stub_{name}{suffix}\n");
    suffixes.map(define).collect()
}

/// The definitions of names that a header derives from replaced names, and that the program uses
/// too.
pub(super) fn pasted(subject: &Subject<'_>, renamed: &BTreeSet<&str>) -> String {
    let mut text = String::new();
    for name in renamed {
        for suffix in SUFFIXES {
            let other = format!("{name}{suffix}");
            let mut functions = subject.program.functions.iter();
            let is_used = functions.any(|function| function.name == other);
            if is_used && !renamed.contains(other.as_str()) {
                let _ = writeln!(text, "#define attest@stub_{other} {other}");
            }
        }
    }
    text
}

/// The text that renames, in other units, a function that tests define, where the tested unit has
/// a static function or variable of that name.
pub(super) fn renamed_beside_statics(subject: &Subject<'_>) -> String {
    let program = subject.program;
    let functions = program.functions.iter().filter(|function| {
        function.body.is_none() && is_beside_static(subject, function.linkage, &function.name)
    });
    let globals = program.globals.iter().filter(|global| {
        subject.needs_definition(global)
            && is_beside_static(subject, Linkage::External, &global.name)
    });
    let names = functions.map(|function| &function.name);
    let names: BTreeSet<&String> = names.chain(globals.map(|global| &global.name)).collect();
    let define = |name: &String| format!("#define {name} attest@stub_{name}\n");
    names.into_iter().map(define).collect()
}

/// Whether a name is external and the tested unit has something static of that name.
pub(super) fn is_beside_static(subject: &Subject<'_>, linkage: Linkage, name: &str) -> bool {
    let program = subject.program;
    let unit = program.functions[subject.entry].unit;
    let mut functions = program.functions.iter();
    let mut globals = program.globals.iter();
    let is_function = |function: &Function| {
        function.linkage == Linkage::Internal && function.unit == unit && function.name == name
    };
    let is_global = |global: &Global| {
        global.kind == GlobalKind::File(Linkage::Internal)
            && global.unit == unit
            && global.name == name
    };
    linkage == Linkage::External && (functions.any(is_function) || globals.any(is_global))
}
