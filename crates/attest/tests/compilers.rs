//! What is told where compilers make different programs of the same files.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;

#[test]
fn lines_that_gcc_alone_compiles_are_told() {
    let text = "#ifdef __clang__\nint f(int a) { return a > 3; }\n#else\n\
        int f(int a) { return a > 4; }\n#endif\n\
        int g(int a) {\n    if (f(a))\n        return 1;\n    return 0;\n}\n";
    let folder = Folder::with("x.c", text);
    let told = ["gcc compiles other lines than clang, from x.c:2 on"];
    let run = folder.attest(&["cover", "x.c", "-f", "g", "-o", "out"]);
    run.ends_with(0).complains(&told);
    let replayed = folder.attest(&["replay", "out"]);
    replayed
        .ends_with(0)
        .complains(&told)
        .says(&["2 confirmed"]);
}

#[test]
fn flags_that_clang_leaves_out_are_told() {
    let text = "int f(int a) {\n    if (a)\n        return 1;\n    return 0;\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--", "-funsigned-bitfields"]);
    run.ends_with(0)
        .complains(&["does not support '-funsigned-bitfields'"]);
}

#[test]
fn tests_that_depend_on_the_order_of_operands_are_told() {
    let text = "static int x;\nstatic int add(void) { return ++x; }\n\
        int f(void) {\n    x = 1;\n    return x + add();\n}\n";
    let folder = Folder::with("x.c", text);
    let run = folder.attest(&["cover", "x.c", "-f", "f"]);
    run.complains(&["depends on the order in which operands are evaluated"]);
}
