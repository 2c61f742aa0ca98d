//! `attest explain`: why a goal is covered, unreachable or undecided.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;

const PROGRAM: &str = "\
int f(unsigned a, const char *text)
{
    int at = 0;
    if (a > 7 && a < 3)
        return 1;
    while (text[at] != 'x')
        at++;
    return at == 2;
}
";

#[test]
fn goals_are_explained_by_number_and_by_line() {
    let folder = Folder::with("x.c", PROGRAM);
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--no-replay"]);
    run.says(&["unreachable"]);
    let run = folder.attest(&["explain", "attest-out", "0"]);
    run.ends_with(0)
        .says(&["x.c:4:9: true: unreachable", "paths there are were taken"]);
    // There is no goal 4, so this is the line.
    let run = folder.attest(&["explain", "attest-out", "4"]);
    run.ends_with(0)
        .says(&["x.c:4:9: true: unreachable", "x.c:4:9: false: covered"]);
    let run = folder.attest(&["explain", "attest-out", "6:12"]);
    run.ends_with(0)
        .says(&["x.c:6:12: true: covered", "reaches it; it was not replayed"]);
}

#[test]
fn without_a_goal_all_is_told_and_what_the_search_did() {
    let folder = Folder::with(
        "x.c",
        "static int find(const char *text) { int n = 0; while (text[n] != 'x' && text[n]) n++; return n; }\n\
         struct text { char of[4]; };\n\
         int f(struct text text) { text.of[3] = 0; if (find(text.of) == 2) return 1; return 0; }\n",
    );
    let run = folder.attest(&[
        "cover",
        "x.c",
        "-f",
        "f",
        "--no-replay",
        "--lazy",
        "find",
        "--criterion",
        "unit-paths",
    ]);
    run.ends_with(0);
    let run = folder.attest(&["explain"]);
    run.ends_with(0)
        .says(&["f, unit-paths:", "lazy expansion:", "made real"]);
}

#[test]
fn what_is_no_suite_or_no_goal_is_told() {
    let folder = Folder::with("x.c", PROGRAM);
    let run = folder.attest(&["explain"]);
    run.ends_with(2).complains(&["cannot read"]);
    folder.attest(&["cover", "x.c", "-f", "f", "--no-replay"]);
    let run = folder.attest(&["explain", "attest-out", "77"]);
    run.ends_with(2).complains(&["f has no goal 77"]);
}

/// Two decisions, whose outcomes do not depend on each other.
const INDEPENDENT: &str = "\
int f(unsigned a, unsigned b)
{
    int r = 0;
    if (a > 7 && b < 3)
        r = 1;
    if (a == 9)
        r += 2;
    return r;
}
";

#[test]
fn pairs_and_paths_are_explained() {
    let folder = Folder::with("x.c", INDEPENDENT);
    let search = |criterion| {
        let line = [
            "cover",
            "x.c",
            "-f",
            "f",
            "--criterion",
            criterion,
            "--no-replay",
        ];
        folder.attest(&line).ends_with(0).says(&["0 defects"]);
    };
    search("mcdc");
    let run = folder.attest(&["explain", "attest-out", "4:18"]);
    run.ends_with(0).says(&[
        "x.c:4:18: independent: covered",
        "the values T T of its decision:",
        "the values T F of its decision:",
    ]);
    search("minimal-all-paths");
    let run = folder.attest(&["explain", "attest-out"]);
    run.ends_with(0)
        .says(&["takes 4- 6-", "takes 4+ 6+", "partial paths are infeasible"]);
    let run = folder.attest(&["explain", "attest-out", "6"]);
    run.ends_with(0)
        .says(&["x.c:6:9: true: covered", "takes 4+ 6+", "takes 4- 6+"]);
}
