//! `attest explain`: why a goal is covered, unreachable or undecided.

#[path = "support/attest.rs"]
mod attest;

use attest::{Folder, Run};

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

/// Searches a function of a program, which leaves goals undecided, and explains those at a line.
fn explained(program: &str, function: &str, options: &[&str], line: &str) -> Run {
    let folder = Folder::with("x.c", program);
    let search = [
        "cover",
        "x.c",
        "-f",
        function,
        "--no-replay",
        "--smt",
        "off",
    ];
    let alone = ["--prove", "off", "--fuzz", "off"];
    let run = folder.attest(&[&search[..], &alone, options].concat());
    run.says(&["undecided"]);
    folder.attest(&["explain", "attest-out", line])
}

/// A computation that makes a query too large for the solver.
const HASH: &str = "\
typedef unsigned __int128 wide;
static wide hash(unsigned long long a, unsigned long long b)
{
    wide h = a;
    for (int i = 0; i < 96; i++)
        h = h * h * ((wide)b * b + h) + a;
    return h;
}
int f(unsigned long long a, unsigned long long b)
{
    if ((hash(a, b) >> 64) == 0x12345678u) {
        if (a > 1000)
            return 1;
        return 2;
    }
    return 3;
}
";

#[test]
fn a_branch_that_the_solver_cannot_turn_is_told_with_what_was_tried() {
    let run = explained(HASH, "f", &[], "11");
    run.ends_with(0).says(&[
        "x.c:11:9: true: undecided",
        "lost: x.c:11: the query is too large for the solver (solver-gave-up)",
        "nearest: test 0 comes to x.c:11:9 (`(hash(a, b) >> 64) == 0x12345678u`), where the goal \
         needs true\n  tried once: the solver gave no answer",
    ]);
}

#[test]
fn a_goal_behind_that_branch_has_it_as_the_place_up_to_which_the_test_comes() {
    let run = explained(HASH, "f", &[], "12");
    run.ends_with(0).says(&[
        "x.c:12:13: true: undecided",
        "comes to x.c:11:9 (`(hash(a, b) >> 64) == 0x12345678u`), where the goal needs true\n  \
         from there, at least 1 more branch to the goal\n  tried once",
    ]);
}

/// Decisions of which the search has no time to take each side, and a function behind them.
const MANY: &str = "\
static int helper(int x)
{
    if (x == 7)
        return 1;
    return 0;
}
#define IS_FIVE(n) ((n) == 5)
int f(int a, int b, int c, int d)
{
    int n = 0;
    if (a == 1001)
        n++;
    if (b == 1002)
        n++;
    if (c == 1003)
        n++;
    if (IS_FIVE(n))
        return helper(a);
    switch (d) {
    case 1 ... 3: return 1;
    case 40: return 2;
    }
    return n;
}
";

#[test]
fn what_the_limit_of_executions_left_to_try_is_told() {
    let run = explained(MANY, "f", &["--iterations", "1"], "11");
    run.ends_with(0).says(&[
        "x.c:11:9: true: undecided",
        "the search was stopped before it came there (iteration-limit)",
        "nearest: test 0 comes to x.c:11:9 (`a == 1001`), where the goal needs true",
        "never tried: left to try at the end on 1 path",
    ]);
    let run = explained(MANY, "f", &["--iterations", "1"], "20");
    run.says(&["comes to x.c:19:13 (`d`), where the goal needs case 1 ... 3"]);
}

#[test]
fn what_no_input_decides_was_never_tried() {
    let run = explained(MANY, "f", &["--iterations", "1"], "17");
    run.ends_with(0).says(&[
        "nearest: test 0 comes to x.c:17:9 (`((n) == 5)`), where the goal needs true",
        "never tried: the choices of the input before it decide it there, or none does",
    ]);
}

#[test]
fn the_way_to_a_function_that_no_test_enters_begins_at_a_branch_of_its_caller() {
    let run = explained(MANY, "f", &["--iterations", "1", "--scope", "file"], "3:9");
    run.ends_with(0).says(&[
        "x.c:3:9: true: undecided",
        "nearest: test 0 comes to x.c:17:9 in f (`((n) == 5)`), where the goal needs true",
        "from there, at least 1 more branch to the goal",
    ]);
}

#[test]
fn a_test_may_end_on_the_way_or_call_another_function() {
    let program = "\
static int one(int x) { return x == 1; }
static int two(int x) { if (x == 2) return 1; return 0; }
static int (*const table[])(int) = { one, two };
int f(unsigned i, int x, int y)
{
    int r = 10 / y;
    if (i > 1)
        return r;
    return table[i](x);
}
int g(unsigned i, int x)
{
    if (i > 1)
        return 0;
    return table[i](x);
}
";
    let run = explained(program, "f", &["--iterations", "1"], "7");
    run.says(&["nearest: test 0 comes to x.c:6:13 (`10 / y`), and ends there (defect)"]);
    let run = explained(
        program,
        "g",
        &["--iterations", "1", "--scope", "file"],
        "2:29",
    );
    run.says(&["comes to x.c:15:12 in g (`table[i](x)`), where the goal needs a call of two"]);
}

#[test]
fn of_several_tests_the_nearest_is_told() {
    let program = "\
int f(int a, unsigned long long b)
{
    if (a == 1)
        return 1;
    if (a == 2) {
        if (b == 12345)
            return 2;
        return 3;
    }
    return 4;
}
";
    let folder = Folder::with("x.c", program);
    let search = ["cover", "x.c", "-f", "f", "--no-replay", "--prove", "off"];
    let order = ["--strategy", "dfs", "--iterations", "2"];
    folder.attest(&[&search[..], &order].concat()).ends_with(3);
    let run = folder.attest(&["explain", "attest-out", "6"]);
    let nearest = "comes to x.c:6:13 (`b == 12345`), where the goal needs true";
    run.says(&[nearest]);
    // Without a goal, all that are undecided are told.
    folder.attest(&["explain"]).says(&[nearest, "undecided"]);
}

#[test]
fn the_source_of_a_file_that_has_changed_is_not_told() {
    let folder = Folder::with("x.c", MANY);
    let search = ["cover", "x.c", "-f", "f", "--no-replay", "--prove", "off"];
    folder.attest(&[&search[..], &["--iterations", "1"]].concat());
    folder.write("x.c", &MANY.replace("1001", "1007"));
    let run = folder.attest(&["explain", "attest-out", "11"]);
    run.says(&["nearest: test 0 comes to x.c:11:9, where the goal needs true"]);
}

#[test]
fn cases_and_inputs_of_enumerated_types_are_told_by_the_names_of_enumerators() {
    let program = "\
enum colour { RED = 2, GREEN, BLUE = 9 };
typedef enum { LOW = -3, HIGH = 70 } level;
struct pixel { enum colour of; level at : 9; };
int f(enum colour c, struct pixel p)
{
    switch (c) {
    case RED ... GREEN: return 1;
    case 9: return 2;
    case 5: return 3;
    }
    switch (p.at) {
    case LOW: return p.of == BLUE;
    }
    switch ((int)c) {
    case BLUE: return 4;
    }
    return 0;
}
";
    let folder = Folder::with("x.c", program);
    let search = ["cover", "x.c", "-f", "f", "--no-replay", "--show", "all"];
    let run = folder.attest(&search);
    run.says(&[
        "    case RED ... GREEN  test",
        "    case BLUE           test",
        "    case 5              test",
        "    case LOW            test",
        // Its type is int.
        "    case 9              unreachable",
    ]);
    let run = folder.attest(&["explain", "attest-out", "7:5"]);
    run.says(&["x.c:7:5: case RED ... GREEN: covered", "c = RED"]);
    let run = folder.attest(&["explain", "attest-out", "12:5"]);
    run.says(&["x.c:12:5: case LOW: covered", "p.at = LOW"]);
    let run = folder.attest(&["goals", "x.c", "-f", "f"]);
    run.says(&["x.c:8:5: case BLUE: case 9", "x.c:15:5: case 9: case BLUE"]);
    let paths = ["--criterion", "all-paths"];
    folder.attest(&[&search[..], &paths].concat());
    let run = folder.attest(&["explain", "attest-out"]);
    run.says(&["takes [6:BLUE]", "takes [6:5]"]);
    let stopped = ["--iterations", "1"];
    folder.attest(&[&search[..], &stopped].concat());
    let run = folder.attest(&["explain", "attest-out", "8:5"]);
    run.says(&["comes to x.c:6:13 (`c`), where the goal needs case BLUE"]);
}
