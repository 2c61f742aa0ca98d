//! Input and arguments that attest cannot use: a message that says what to do, and exit status 2.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;

const MAX: &str = "int max(int a, int b) { return a > b ? a : b; }\nint puts(const char *);\n";

#[test]
fn a_missing_file() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["cover", "y.c", "-f", "max"]);
    run.ends_with(2).complains(&["error: ", "y.c", "help: "]);
}

#[test]
fn a_folder_in_place_of_a_file() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["cover", ".", "-f", "max"]);
    run.ends_with(2).complains(&["error: ", "help: "]);
}

#[test]
fn a_syntax_error_with_its_source() {
    let folder = Folder::with("x.c", "int f(int a) {\n    return a +;\n}\n");
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(2)
        .complains(&["error: ", "x.c:2:15", "return a +;", "help: "]);
}

#[test]
fn a_missing_header() {
    let folder = Folder::with("x.c", "#include \"nowhere.h\"\nint f(void) { return 0; }\n");
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(2).complains(&["nowhere.h", "x.c:1:10", "-I"]);
}

#[test]
fn an_unknown_function_with_a_near_name() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["cover", "x.c", "-f", "mxa"]);
    run.ends_with(2).complains(&["`mxa`", "help: ", "`max`"]);
}

#[test]
fn a_function_without_a_body() {
    let folder = Folder::with("x.c", "int g(int);\nint f(int a) { return g(a); }\n");
    let run = folder.attest(&["cover", "x.c", "-f", "g"]);
    run.ends_with(2).complains(&["`g`", "no body", "help: "]);
}

#[test]
fn files_without_functions() {
    let folder = Folder::with("x.c", "int x;\n");
    let run = folder.attest(&["cover", "x.c"]);
    run.ends_with(2).complains(&["no function", "help: "]);
}

#[test]
fn an_unusable_precondition() {
    let folder = Folder::with(
        "x.c",
        "int f(int a) { return a; }\nint p(void) { return 1; }\n",
    );
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--precondition", "p"]);
    run.ends_with(2).complains(&["`p`", "parameters", "help: "]);
}

#[test]
fn an_output_folder_that_cannot_be() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["cover", "x.c", "-f", "max", "-o", "x.c/out"]);
    run.ends_with(2).complains(&["x.c/out", "help: "]);
}

#[test]
fn a_full_disk_loses_no_result() {
    let folder = Folder::with("x.c", MAX);
    std::fs::create_dir_all(folder.path("out")).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", folder.path("out/suite.json")).expect("a link");
    let run = folder.attest(&["cover", "x.c", "-f", "max", "-o", "out", "--no-replay"]);
    run.ends_with(2)
        .complains(&["No space left", "help: "])
        .says(&["a > b", "2 covered"]);
}

#[test]
fn criteria_that_do_not_exist() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["cover", "x.c", "-f", "max", "--criterion", "everything"]);
    run.ends_with(2)
        .complains(&["everything", "decisions", "max-iterations"]);
}

#[test]
fn options_out_of_range() {
    let folder = Folder::with("x.c", MAX);
    for option in [
        ["--time", "60"],
        ["--max-array", "0"],
        ["--step-limit", "0"],
        ["--lazy", "f,,g"],
    ] {
        let run = folder.attest(&["cover", "x.c", "-f", "max", option[0], option[1]]);
        run.ends_with(2).complains(&[option[0]]);
    }
}

#[test]
fn a_folder_that_attest_did_not_write() {
    let folder = Folder::with("x.c", MAX);
    let run = folder.attest(&["replay", "."]);
    run.ends_with(2).complains(&["suite.json", "attest cover"]);
}

#[test]
fn a_program_without_main() {
    let folder = Folder::with("x.c", MAX);
    folder
        .attest(&["run", "x.c"])
        .ends_with(2)
        .complains(&["`main`", "help: "]);
}

/// Behind a precondition that nothing satisfies, nothing is called unreachable.
#[test]
fn a_precondition_that_nothing_satisfies() {
    let text = "#include \"attest.h\"
_Bool f_precond(int x) { return x > 3 && x < 2; }
int f(int x) { return x == 7 ? 1 : 0; }
struct pair { int low, high; };
static _Bool is_pair(const struct pair *pair) { return pair->low < 0 && pair->low > 0; }
int g(const struct pair *pair) {
    ATTEST_ASSUME(is_pair(pair));
    return pair->high == 1 ? 1 : 2;
}
";
    let folder = Folder::with("x.c", text);
    for (function, place) in [("f", "x.c:2:42"), ("g", "x.c:5:73")] {
        let run = folder
            .attest(&["cover", "x.c", "-f", function])
            .ends_with(2);
        let run = run.complains(&["no input satisfies the precondition", place]);
        run.says(&["undecided: no input  undecided: no input"]);
    }
}

/// What was lost could have satisfied a precondition.
#[test]
fn a_precondition_that_nothing_was_found_to_satisfy() {
    let text = "#include <stdio.h>
_Bool f_precond(int x) { char b[20]; snprintf(b, 20, \"%d\", x); return b[0] == '7'; }
int f(int x) { return x == 71234567 ? 1 : 0; }
";
    let folder = Folder::with("x.c", text);
    let cover = ["cover", "x.c", "-f", "f", "--iterations", "2"];
    let run = folder.attest(&cover).ends_with(3);
    run.complains(&["warning: no input was found that satisfies the precondition"])
        .says(&["undecided: no input  undecided: no input"]);
}

/// Functions that no native call can be made of are named, with the reason.
#[test]
fn functions_that_cannot_be_called_natively() {
    let text = "#include <stdlib.h>
int own(int x);
int f(int x) { return own(x) ? abs(x) : atof(\"1\") > 0; }
";
    let folder = Folder::with("x.c", text);
    for (names, complaint) in [
        ("lost", "there is no function `lost` to call natively"),
        ("own", "`own` is no function of a library"),
        ("f", "`f` is no function of a library"),
        ("abs", "`abs` is no function of a library"),
        (
            "atof",
            "`atof` takes or returns what no native call can pass on",
        ),
        ("own,", "names with commas between them"),
    ] {
        let run = folder.attest(&["cover", "x.c", "-f", "f", "--native", names]);
        run.ends_with(2).complains(&[complaint]);
    }
}

#[test]
fn assembly_of_another_machine() {
    let text = "int f(int n) { if (n) return 1; __asm__(\"no_such_instruction\"); return 2; }\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.ends_with(2)
        .complains(&["does not compile x.c", "no_such_instruction", "--no-replay"]);
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--no-replay"]);
    run.ends_with(0).complains(&["inline assembly"]);
}
