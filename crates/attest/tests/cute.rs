//! What the CUTE paper shows, on programs of our own.

#[path = "support/attest.rs"]
mod attest;

use attest::{Folder, Run};

const TEST_ME: &str = "#include <stdlib.h>
struct cell { int value; struct cell *next; };
static unsigned twice_and_one(int value) { return 2u * (unsigned)value + 1u; }
int test_me(struct cell *p, int x) {
    if (x > 0)
        if (p)
            if (twice_and_one(x) == (unsigned)p->value)
                if (p->next == p)
                    abort();
    return 0;
}
";

/// A list of which each element must know the one before it.
const LIST: &str = "struct item { struct item *before, *after; };
static _Bool is_list(const struct item *first, int length) {
    const struct item *before = 0;
    for (const struct item *item = first; item; item = item->after, length--) {
        if (item->before != before)
            return 0;
        before = item;
    }
    return length == 0;
}
int f(struct item *first) { return is_list(first, LENGTH) ? 1 : 0; }
";

/// What `suite.json` says of a statistic.
fn statistic(run: &Run, name: &str) -> u64 {
    let suite: serde_json::Value = serde_json::from_str(&run.output).expect("a suite");
    suite["statistics"][name].as_u64().expect("a count")
}

/// Figure 1: from NULL and a random number to the error in four executions.
#[test]
fn figure_1_takes_four_iterations() {
    let folder = Folder::with("x.c", TEST_ME);
    for seed in ["0", "1", "2", "3"] {
        let run = folder.attest(&[
            "cover",
            "x.c",
            "-f",
            "test_me",
            "--random-values",
            "--seed",
            seed,
            "--strategy",
            "bounded-dfs",
            "--stop-on-defect",
            "--fail-on",
            "assumed",
            "--no-replay",
            "--format",
            "json",
        ]);
        let run = run.ends_with(1).says(&["\"abort\""]);
        assert_eq!(statistic(&run, "iterations"), 4, "seed {seed}");
    }
}

/// Section 3.6: the pointers back of a list of n elements are found in O(n) executions of the search.
#[test]
fn pointers_back_are_solved_and_not_searched_for() {
    for length in [4_u64, 16, 64] {
        let folder = Folder::with("x.c", &LIST.replace("LENGTH", &length.to_string()));
        let run = folder.attest(&[
            "cover",
            "x.c",
            "-f",
            "f",
            "--strategy",
            "dfs",
            "--prove",
            "off",
            "--no-replay",
            "--format",
            "json",
        ]);
        let run = run.ends_with(0);
        assert!(statistic(&run, "iterations") <= 2 * length + 1);
    }
}

const STORE_H: &str = "struct store;
struct store *store_open(int size);
int store_put(struct store *store, int value);
int store_count(const struct store *store);
void store_close(struct store *store);
";

const STORE: &str = "#include <stdlib.h>
#include \"store.h\"
struct store { int *values; int size, count; };
struct store *store_open(int size) {
    struct store *store;
    if (size <= 0 || size > 8)
        return NULL;
    store = malloc(sizeof *store);
    if (!store)
        return NULL;
    store->values = malloc((unsigned)size * sizeof(int));
    if (!store->values) {
        free(store);
        return NULL;
    }
    store->size = size;
    store->count = 0;
    return store;
}
int store_put(struct store *store, int value) {
    if (store->count == store->size)
        return 0;
    store->values[store->count++] = value;
    return 1;
}
int store_count(const struct store *store) { return store->count; }
void store_close(struct store *store) {
    free(store->values);
    free(store);
}
";

const USE: &str = "#include \"store.h\"
int fill(struct store *store, int value) {
    if (store_count(store) != 2)
        return 0;
    return store_put(store, value) ? 1 : 2;
}
";

/// Section 3.6, call sequences: what a file knows of a type by its functions only is made by them.
#[test]
fn objects_of_opaque_types_are_made_by_calls() {
    let folder = Folder::with("use.c", USE);
    folder.write("store.h", STORE_H);
    folder.write("store.c", STORE);
    let run = folder.attest(&["cover", "use.c", "store.c", "-f", "fill", "-o", "out"]);
    let run = run.ends_with(0).complains(&[
        "whose type its file does not define",
        "(store_open);(store_count|store_put){0,3};fill",
    ]);
    run.says(&["4 goals: 4 covered", "0 defects"]);
    let tests = std::fs::read_to_string(folder.path("out/tests/test_fill.c")).expect("tests");
    assert!(tests.contains("store = store_open("), "{tests}");
    assert!(tests.contains(" = fill(store, 0);"), "{tests}");
    let replayed = folder.attest(&["replay", "out"]).ends_with(0);
    replayed.says(&["4 goals: 4 confirmed"]);
}

/// The calls of a suite are made again by a replay, whatever the notation.
#[test]
fn sequences_are_replayed() {
    let folder = Folder::with("store.c", STORE);
    folder.write("store.h", STORE_H);
    let calls = "store_open;(store_put|store_count)*;store_close";
    let run = folder.attest(&["cover", "store.c", "--sequence", calls, "-o", "out"]);
    run.ends_with(0).says(&["8 goals: 8 covered"]);
    let replayed = folder.attest(&["replay", "out"]).ends_with(0);
    replayed.says(&["8 goals: 8 confirmed"]);
    let run = folder.attest(&["cover", "store.c", "--sequence", "store_open;(store_put"]);
    run.ends_with(2).complains(&["a `)` is missing here"]);
}
