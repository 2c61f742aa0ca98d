//! Criteria over paths: the example of the PathCrawler paper, and random functions whose paths are
//! counted natively.

#[path = "support/attest.rs"]
mod attest;
#[path = "support/native.rs"]
mod native;
#[path = "support/paths.rs"]
mod paths;
#[path = "support/small_inputs.rs"]
mod small_inputs;
#[path = "support/suite.rs"]
mod suite;

use std::collections::BTreeSet;

use attest::Folder;
use fastrand::Rng;

/// How many random functions are looked at.
const FUNCTIONS: u64 = 40;

/// The program of the paper's figure 1, with its precondition.
const EXAMPLE: &str = r"
static int product_or_two(int index, int factor)
{
    if (index == factor)
        return 2;
    return (index * factor) + 1;
}

int find(int array[2], int wanted, int factor)
{
    int index, result;
    result = 0;
    if ((factor < -1) || (factor > 1)) {
        index = 0;
        while ((index < 2) && (result == 0)) {
            if (wanted == array[index])
                result = product_or_two(index + 1, factor);
            else
                index++;
        }
    }
    if (result == 2)
        return 1;
    return 0;
}

int find_precond(int array[2], int wanted, int factor)
{
    return array != 0 && factor >= -1000 && factor <= 1000;
}
";

/// The counts of a search for all that a criterion asks for, and the number of tests.
struct Counts {
    covered: u64,
    redundant: u64,
    infeasible: u64,
    tests: usize,
    /// The paths of the tests, sorted.
    paths: Vec<String>,
}

impl Counts {
    /// Searches a function of `x.c` in a folder, which has to be decided in full.
    fn of(folder: &Folder, function: &str, criterion: &str) -> Counts {
        let run = folder.attest(&[
            "cover",
            "x.c",
            "-f",
            function,
            "--criterion",
            criterion,
            "--prove",
            "off",
            "--max-array",
            "2",
            "--no-replay",
            "-o",
            "out",
        ]);
        run.ends_with(0).says(&[" covered"]);
        let suite = suite::read(folder);
        let counts = &suite["statistics"]["abstract_paths"];
        let count = |name: &str| counts[name].as_u64().expect("a count");
        assert_eq!(suite["complete"], true, "{function} under {criterion}");
        let tests = suite["tests"].as_array().expect("tests");
        let texts = tests.iter().filter_map(|test| test["path"].as_str());
        let mut paths: Vec<String> = texts.map(str::to_owned).collect();
        paths.sort();
        Counts {
            covered: count("covered"),
            redundant: count("redundant"),
            infeasible: count("infeasible"),
            tests: tests.len(),
            paths,
        }
    }
}

#[test]
fn the_example_of_the_paper_has_its_counts() {
    let folder = Folder::with("x.c", EXAMPLE);
    let all = Counts::of(&folder, "find", "all-paths");
    assert_eq!((all.covered, all.redundant, all.tests), (8, 0, 8));
    let minimal = Counts::of(&folder, "find", "minimal-all-paths");
    assert_eq!(
        (minimal.covered, minimal.redundant, minimal.tests),
        (5, 3, 5)
    );
    assert_eq!(minimal.infeasible + 4, all.infeasible);
    assert_eq!(
        minimal.paths,
        [
            "13+ 15+ 16+ 15- 22-",
            "13+ 15+ 16- 15+ 16+ 15- 22+",
            "13+ 15+ 16- 15+ 16+ 15- 22-",
            "13+ 15+ 16- 15+ 16- 15- 22-",
            "13- 22-",
        ]
    );
    let first = "[<13- 13b+>+ («15+ 15b+»+ [16-] «15+ 15b+»+ [16-] «15-»-)] [22-]";
    let third = "[<13- 13b+>+ («15+ 15b+»+ [16-] «15+ 15b+»+ [16+ {[4+]}] «15+ 15b-»-)] [22+]";
    for path in [first, third] {
        assert!(
            all.paths.iter().any(|other| other == path),
            "{:#?}",
            all.paths
        );
    }
    let conditions = Counts::of(&folder, "find", "minimal-all-conditions");
    assert_eq!(conditions.covered, 12);
    assert!(conditions.tests <= 5, "{} tests", conditions.tests);
    let in_vain = conditions.redundant + conditions.infeasible;
    assert!(in_vain <= 11, "{in_vain} explorations in vain");
}

/// Whether the inner decision comes next depends on a condition that the path does not tell.
const DECISION_IN_CONDITION: &str = "
int f(int a, int b, int c, int d)
{
    return a > 0 && (b ? c > 1 : d > 1) ? 1 : 2;
}
";

#[test]
fn a_decision_among_conditions_closes_nothing() {
    let folder = Folder::with("x.c", DECISION_IN_CONDITION);
    let counts = Counts::of(&folder, "f", "minimal-all-paths");
    assert_eq!(counts.paths, ["4+ 4+", "4+ 4-", "4-", "4- 4+", "4- 4-"]);
}

/// Calls that may end the program, jumps into a loop and out of a condition, recursion, and a callee
/// whose result decides what comes next; each function with its number of abstract paths.
const WAYS_ROUND: &str = "
#include <stdlib.h>
static void maybe(int a) { if (a == 7) exit(3); }
int ends(int a, int b) { maybe(a); if (b > 0) return 1; return 2; }
int jumps(int a, int b)
{
    int n = 0;
    if (a > 3) goto in;
    while (n < b && n < 3) { in: n++; if (n == a) break; }
    return n;
}
int leaves(int a, int b)
{
    int r = 0;
    if (a > 0 && ({ if (b > 3) goto end; b > 1; })) r = 1;
end:
    return r + (b > 2 ? 1 : 0);
}
int recurs(int a, int b)
{
    if (a <= 0) return b > 2;
    if (a > 2) return 5;
    return recurs(a - 1, b) + (b > 4 ? 1 : 0);
}
static int sign(int a) { if (a > 2) return 1; if (a < -2) return 2; return 0; }
int asks(int a, int b)
{
    if (sign(a) == 1) { if (b > 1) return 1; return 2; }
    if (sign(a) == 2) return b == 9 ? 3 : 4;
    return 5;
}
";

#[test]
fn no_path_is_lost_where_control_goes_other_ways() {
    let folder = Folder::with("x.c", WAYS_ROUND);
    let counts = [
        ("ends", 3),
        ("jumps", 10),
        ("leaves", 6),
        ("recurs", 4),
        ("asks", 5),
    ];
    for (function, paths) in counts {
        let found = Counts::of(&folder, function, "minimal-all-paths");
        assert_eq!(found.covered, paths, "{function}");
    }
}

/// An execution records a million events, and the decisions come behind these.
const BEHIND_A_LONG_LOOP: &str = "
int f(int a, int b)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 1200000; i++)
        n++;
    if (a > 3)
        n++;
    if (b > 3)
        n++;
    return n == 1200001;
}
";

#[test]
fn what_is_not_recorded_is_told_apart() {
    let folder = Folder::with("x.c", BEHIND_A_LONG_LOOP);
    let run = folder.attest(&[
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        "minimal-all-paths",
        "--prove",
        "off",
        "--no-replay",
    ]);
    run.ends_with(0).says(&["4 paths"]);
}

/// Runs the judge, compiled with these flags.
fn run_judge(folder: &Folder, flags: &[&str]) -> String {
    let rounds = format!("-DROUNDS={}", paths::ROUNDS);
    let own = ["-fsanitize=undefined", "-fno-sanitize-recover", &rounds];
    native::judged(folder, paths::JUDGE, &[&own, flags].concat())
}

/// The numbers of paths that all inputs take: whole ones, those by the outcomes of decisions, and whole
/// ones with few rounds of loops.
fn judged(folder: &Folder) -> [u64; 3] {
    let counts = run_judge(folder, &[]);
    let counts: Vec<u64> = counts
        .split_whitespace()
        .map(|it| it.parse().expect("a count"))
        .collect();
    counts.try_into().expect("three counts")
}

#[test]
fn a_search_covers_as_many_paths_as_all_inputs_take() {
    let mut rng = Rng::with_seed(19);
    let mut fewer = 0;
    for number in 0..FUNCTIONS {
        let text = paths::function(&mut rng);
        let folder = Folder::with("x.c", &text);
        let expected = judged(&folder);
        let few_rounds = format!("k-path={}", paths::ROUNDS);
        let criteria = ["all-paths", "minimal-all-paths", &few_rounds];
        let found = criteria.map(|criterion| Counts::of(&folder, "f", criterion).covered);
        assert_eq!(
            found, expected,
            "function {number} of {criteria:?}:\n{text}"
        );
        fewer += u64::from(expected[1] < expected[0]);
    }
    assert!(
        fewer > FUNCTIONS / 4,
        "only {fewer} functions have fewer abstract paths"
    );
}

#[test]
fn a_criterion_that_cannot_be_is_refused() {
    let folder = Folder::with("x.c", "int f(int a) { return a ? 1 : 2; }\n");
    for (criterion, told) in [
        ("k-path=0", "k-path=K"),
        ("k-path", "k-path=K"),
        ("k-path=few", "k-path=K"),
        ("decisions=2", "no criterion `decisions=2`"),
        ("max-iterations=3", "no criterion `max-iterations=3`"),
    ] {
        let run = folder.attest(&["cover", "x.c", "-f", "f", "--criterion", criterion]);
        run.ends_with(2).complains(&["error: ", told]);
    }
    let labels = [
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        "labels",
        "--lazy",
        "f",
    ];
    let told = "calls cannot be replaced by inputs in a search for labels";
    folder
        .attest(&labels)
        .ends_with(2)
        .complains(&["error: ", told]);
}

/// A label whose name another one has.
const LABEL_TWICE: &str = "#include <attest.h>
static int g(int a) { ATTEST_LABEL(large, a > 9); return a; }
int f(int a) { ATTEST_LABEL(large, a > 99); return g(a); }
";

#[test]
fn a_label_is_used_once() {
    let folder = Folder::with("x.c", LABEL_TWICE);
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--criterion", "labels"]);
    run.ends_with(2)
        .complains(&["error: the label `large` is used twice", "x.c:3"]);
}

/// What some inputs reach in a function.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Obligations {
    paths: BTreeSet<String>,
    abstract_paths: BTreeSet<String>,
    conditions: BTreeSet<String>,
    decisions: BTreeSet<String>,
}

impl Obligations {
    /// What inputs reach, of what each of the 64 does.
    fn of(each: &str, inputs: impl Iterator<Item = usize>) -> Obligations {
        let lines: Vec<&str> = each.lines().collect();
        let mut reached = Obligations::default();
        for input in inputs {
            let [decisions, path, conditions] = lines[3 * input..][..3] else {
                panic!("three lines for each input");
            };
            let words = |line: &str| {
                line.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            reached.paths.insert(path.to_owned());
            reached.abstract_paths.insert(decisions.to_owned());
            reached.conditions.extend(words(conditions));
            reached.decisions.extend(words(decisions));
        }
        reached
    }
}

/// What the tests for a criterion reach.
fn reached_by_tests(folder: &Folder, each: &str, criterion: &str) -> Obligations {
    let (run, _, inputs) = small_inputs::search(folder, criterion);
    run.says(&[" covered"]);
    Obligations::of(each, inputs.into_iter())
}

#[test]
fn a_criterion_includes_those_below_it() {
    let mut rng = Rng::with_seed(23);
    for number in 0..12 {
        let text = paths::function(&mut rng);
        let folder = Folder::with("x.c", &text);
        let each = run_judge(&folder, &["-DEACH"]);
        let all = Obligations::of(&each, 0..64);
        for criterion in [
            "all-paths",
            "minimal-all-paths",
            "minimal-all-conditions",
            "minimal-all-decisions",
            "mcdc",
            "decision-condition",
        ] {
            let found = reached_by_tests(&folder, &each, criterion);
            let is_of_paths = matches!(criterion, "all-paths" | "minimal-all-paths");
            let is_of_decisions =
                matches!(criterion, "minimal-all-paths" | "minimal-all-decisions");
            let told = format!("{criterion} of function {number}:\n{text}");
            assert!(found.decisions == all.decisions, "decisions, {told}");
            if criterion == "all-paths" {
                assert!(found.paths == all.paths, "paths, {told}");
            }
            if is_of_paths {
                assert!(
                    found.abstract_paths == all.abstract_paths,
                    "abstract paths, {told}"
                );
            }
            if !is_of_decisions {
                assert!(found.conditions == all.conditions, "conditions, {told}");
            }
        }
    }
}

/// Abstract paths need not have both values of a condition, and conditions not all abstract paths.
const INCOMPARABLE: &str = "#ifndef D
#define D(id, value) (value)
#define C(value) (value)
#endif
int f_precond(int a, int b, int c)
{
    return a >= 0 && a < 4 && b >= 0 && b < 4 && c >= 0 && c < 4;
}
int f(int a, int b, int c)
{
    int r = 0;
    if (D(1, C(a > 1) || C(b > 1)))
        r = 1;
    if (D(2, C(c > 1)))
        r += 2;
    return r;
}
";

#[test]
fn abstract_paths_and_conditions_are_incomparable() {
    let folder = Folder::with("x.c", INCOMPARABLE);
    let each = run_judge(&folder, &["-DEACH"]);
    let all = Obligations::of(&each, 0..64);
    let of_paths = reached_by_tests(&folder, &each, "minimal-all-paths");
    assert!(of_paths.abstract_paths == all.abstract_paths);
    assert!(of_paths.conditions != all.conditions);
    let of_conditions = reached_by_tests(&folder, &each, "minimal-all-conditions");
    assert!(of_conditions.conditions == all.conditions);
    assert!(of_conditions.abstract_paths != all.abstract_paths);
}

/// The solver does not find the two prime numbers.
const HARD: &str = "
int f(unsigned a, unsigned b, int c)
{
    int r = 0;
    if (c > 3)
        r = 1;
    if ((unsigned long long)a * b == PRODUCT && a > 1 && b > 1)
        r += 2;
    return r;
}
";

#[test]
fn the_report_says_which_paths_may_be_missing() {
    let product = format!("{}ull", 2_860_486_313_u64 * 3_267_000_013);
    let folder = Folder::with("x.c", &HARD.replace("PRODUCT", &product));
    let search = |criterion| {
        folder.attest(&[
            "cover",
            "x.c",
            "-f",
            "f",
            "--criterion",
            criterion,
            "--prove",
            "off",
            "--smt",
            "off",
            "--no-replay",
        ])
    };
    search("all-paths").ends_with(3).says(&[
        "solver-gave-up at x.c:7:9",
        "paths may be missing, such as those that begin with [5-] [7+]",
        "2 paths covered; others may be feasible",
    ]);
    let folder = Folder::with("x.c", INCOMPARABLE);
    let run = folder.attest(&[
        "cover",
        "x.c",
        "-f",
        "f",
        "--criterion",
        "minimal-all-paths",
        "--no-replay",
    ]);
    run.ends_with(0)
        .says(&["4 paths covered; no others are feasible"]);
}

/// Both sides of the second decision cannot follow from both of the first one.
const EXCLUSIVE: &str = "int f(int a)
{
    int r = 0;
    if (a > 3)
        r = 1;
    if (a < 2)
        r = 2;
    return r;
}
";

#[test]
fn explain_tells_the_paths_that_no_input_takes() {
    let folder = Folder::with("x.c", EXCLUSIVE);
    for (criterion, untaken) in [
        ("minimal-all-paths", "no input takes 4+ 6+ …"),
        ("empty-else", "no input takes [4+] [6+ …"),
    ] {
        folder
            .attest(&[
                "cover",
                "x.c",
                "-f",
                "f",
                "--criterion",
                criterion,
                "-o",
                "out",
            ])
            .ends_with(0)
            .says(&[" by compiled tests; no others are feasible"]);
        let run = folder.attest(&["explain", "out"]);
        run.ends_with(0).says(&[untaken, " takes "]);
        let of_goal = folder.attest(&["explain", "out", "6"]);
        of_goal.ends_with(0).says(&["reaches it", untaken]);
    }
    let suite = suite::read(&folder);
    assert_eq!(suite["tests"][0]["path_confirmed"], true);
}
