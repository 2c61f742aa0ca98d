//! What happens to input that is no C, or not there.

use std::path::Path;
use std::time::Duration;

use frontend::export::{ExportError, ExportOptions, export};

use crate::{options, try_unit};

#[test]
fn a_missing_file_is_named() {
    let error = export(Path::new("/nowhere/at-all.c"), &[], &options()).unwrap_err();
    assert!(matches!(&error, ExportError::Unreadable { .. }), "{error}");
    assert!(error.to_string().contains("/nowhere/at-all.c"));
}

#[test]
fn a_directory_is_no_file() {
    let error = export(Path::new("/"), &[], &options()).unwrap_err();
    assert!(matches!(error, ExportError::Unreadable { .. }));
}

#[test]
fn errors_come_with_their_places() {
    let Err(ExportError::Diagnostics(found)) = try_unit("int f(void) {\n  return g;\n}\n", &[])
    else {
        panic!("an undeclared name is an error");
    };
    assert!(found[0].message.contains("undeclared identifier 'g'"));
    let (file, line, column) = found[0].place.clone().unwrap();
    assert!(file.ends_with("unit.c"));
    assert_eq!((line, column), (2, 10));
}

#[test]
fn a_missing_header_is_an_error() {
    let error = try_unit("#include \"no-such-header.h\"\n", &[]).unwrap_err();
    assert!(error.to_string().contains("no-such-header.h"), "{error}");
}

#[test]
fn cplusplus_is_refused() {
    let error = try_unit("int f();\n", &["-x", "c++"]).unwrap_err();
    assert!(error.to_string().contains("not a C file"), "{error}");
}

#[test]
fn what_is_no_exporter_is_a_crash_with_its_words() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("unit.c");
    std::fs::write(&path, "int x;").unwrap();
    let broken = ExportOptions {
        exporter: Some("/bin/ls".into()),
        ..options()
    };
    match export(&path, &[], &broken).unwrap_err() {
        ExportError::Crashed { stderr, .. } => assert!(stderr.contains("unrecognized option")),
        other => panic!("{other}"),
    }
}

#[test]
fn an_endless_parse_is_stopped() {
    // Each macro doubles: more tokens than a second is enough for.
    let mut source = String::from("#define A0 +1\n");
    for level in 1..40 {
        source += &format!("#define A{level} A{0} A{0}\n", level - 1);
    }
    source += "int x = 0 A39;\n";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("unit.c");
    std::fs::write(&path, source).unwrap();
    let hasty = ExportOptions {
        time_limit: Duration::from_secs(1),
        ..options()
    };
    let error = export(&path, &[], &hasty).unwrap_err();
    assert!(matches!(error, ExportError::TimedOut { .. }), "{error}");
}

#[test]
fn flags_that_clang_does_not_know_or_need_are_passed_over() {
    let flags = [
        "-O2",
        "-c",
        "-o",
        "unit.o",
        "-MD",
        "-MF",
        "unit.d",
        "-fno-tree-vectorize-this",
        "-DVALUE=3",
        "-Wno-everything-else",
    ];
    let source = "#ifdef __OPTIMIZE__\n#error optimised\n#endif\n\
                  #ifndef __ATTEST__\n#error not attest\n#endif\nint x = VALUE;\n";
    let unit = try_unit(source, &flags).unwrap();
    assert_eq!(unit.variables.len(), 1);
    assert!(unit.diagnostics.is_empty(), "{:?}", unit.diagnostics);
}

#[test]
fn relative_paths_refer_to_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("include")).unwrap();
    std::fs::write(directory.path().join("include/x.h"), "#define X 1\n").unwrap();
    std::fs::write(
        directory.path().join("unit.c"),
        "#include <x.h>\nint x = X;\n",
    )
    .unwrap();
    let there = ExportOptions {
        directory: Some(directory.path().to_owned()),
        ..options()
    };
    let unit = export(Path::new("unit.c"), &["-Iinclude".to_owned()], &there).unwrap();
    assert_eq!(unit.files[0], "unit.c");
}

#[test]
fn deep_nesting_is_read() {
    let mut source = String::from("int f(int x) {\n");
    for value in 0..3000 {
        source += &format!("if (x == {value}) return {value}; else\n");
    }
    source += "return x";
    source += &" + x".repeat(3000);
    source += ";\n}\n";
    assert_eq!(try_unit(&source, &[]).unwrap().functions.len(), 1);
}
