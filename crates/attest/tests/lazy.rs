//! With lazy expansion and without it, the same goals are decided in the same way (LATEST, theorem
//! 1): on random functions with calls that loop, return early, change globals and what they are
//! given pointers to, end the program, and call each other.

#[path = "support/attest.rs"]
mod attest;
#[path = "support/functions.rs"]
mod functions;
#[path = "support/lazily.rs"]
mod lazily;

use std::ops::Range;
use std::path::Path;

use attest::Folder;
use lazily::{decided, paths};
use serde_json::Value;

#[test]
fn the_same_decisions_are_decided_with_and_without_it() {
    compare("decisions", 0..60);
}

#[test]
fn the_same_paths_through_functions_are_found_with_and_without_it() {
    compare("unit-paths", 0..30);
}

#[test]
fn the_same_paths_through_further_functions_are_found_with_and_without_it() {
    compare("unit-paths", 50..80);
}

#[test]
fn left_to_attest_it_finds_the_same_paths_where_it_does_not_help() {
    // What `step` changes decides which way its next call goes, and no result of it does.
    let program = include_str!("../../../bench/programs/strategies/connection.c");
    let folder = Folder::with("x.c", program);
    let [off, auto] = ["off", "auto"].map(|lazy| cover(&folder, "connection", lazy, "unit-paths"));
    assert_eq!(paths(&off), paths(&auto));
    assert_eq!(
        (off["complete"].as_bool(), auto["complete"].as_bool()),
        (Some(true), Some(true))
    );
    let executions = |suite: &Value| suite["statistics"]["iterations"].as_f64().expect("a count");
    assert!(
        executions(&auto) > executions(&off),
        "lazy expansion had its turn"
    );
    assert!(executions(&auto) < 1.3 * executions(&off));
}

#[test]
fn functions_to_expand_have_bodies_and_names() {
    let folder = Folder::with(
        "x.c",
        "int g(int);\nint f(int a) { return g(a) > 0 ? 1 : 0; }\n",
    );
    for (name, why) in [
        ("h", "there is no function `h` to expand lazily"),
        ("g", "`g` has no body to expand"),
        ("f", "`f` is the tested function itself"),
    ] {
        let run = folder.attest(&["cover", "x.c", "-f", "f", "--lazy", name]);
        run.ends_with(2).complains(&[why]);
    }
    let run = folder.attest(&["cover", "x.c", "-f", "f", "--lazy", "auto", "--no-replay"]);
    run.ends_with(0).says(&["2 goals: 2 covered"]);
}

#[test]
fn what_a_call_cannot_do_is_learned_once_for_all_paths_on_which_it_sees_the_same() {
    // `vowels` has 3⁵ paths, and what is demanded of it in 16 contexts is impossible in the same
    // way.
    let program = include_str!("../../../bench/programs/lazy/contexts.c");
    let folder = Folder::with("x.c", program);
    for (criterion, covered) in [("decisions", 11), ("unit-paths", 11)] {
        let suite = cover(&folder, "rate", "vowels", criterion);
        assert_eq!(suite["complete"], true);
        let told = decided(&suite);
        let is_covered = |goal: &&String| goal.ends_with("\"covered\"");
        assert_eq!(told.iter().filter(is_covered).count(), covered);
        let statistics = &suite["statistics"];
        assert_eq!(
            statistics["lazy"]["learned"], 15,
            "all contexts but the first"
        );
        let iterations = statistics["iterations"].as_u64().expect("a count");
        assert!(iterations < 2 * 243, "{iterations}");
    }
}

#[test]
fn what_was_learned_holds_only_where_the_call_sees_the_same() {
    let text = r"
        int mode;
        static int weigh(int x)
        {
            if (mode == 2)
                return 9;
            if (x > 5)
                return 7;
            return x == 2;
        }
        int f(int x, int a, int b)
        {
            int level = 0;
            mode = 1;
            if (x > 5)
                level++;
            if (a)
                level++;
            if (b == 3)
                mode = 2;
            int weight = weigh(x);
            if (weight == 7)
                return 70 + level;
            if (weight == 9)
                return 90 + level;
            return level;
        }
    ";
    let folder = Folder::with("x.c", text);
    let found = ["off", "weigh"].map(|lazy| {
        let suite = cover(&folder, "f", lazy, "unit-paths");
        assert_eq!(suite["complete"], true);
        paths(&suite)
    });
    // Of the 8 ways to the call, 4 reach 9, 2 reach 7, and 2 reach neither.
    assert_eq!(found, [8, 8]);
}

#[test]
fn what_comes_behind_a_goal_decides_whether_it_is_reached() {
    let text = r#"
        #include "attest.h"
        enum token { MISTAKE, WORD, NUMBER, END };
        static enum token lex(const char **text)
        {
            enum token token = MISTAKE;
            if (**text == 0)
                return END;
            for (; **text >= 'a' && **text <= 'c'; ++*text)
                token = WORD;
            for (; **text >= '0' && **text <= '9'; ++*text)
                token = token == MISTAKE || token == NUMBER ? NUMBER : MISTAKE;
            return token;
        }
        static void fail(void) { ATTEST_ASSUME(0); }
        int f(void)
        {
            char text[6];
            const char *at = text;
            ATTEST_INPUT(text);
            text[5] = 0;
            int words = 0;
            if (lex(&at) == WORD)
                words = 1;
            if (lex(&at) != END)
                fail();
            if (words == 2)
                fail();
            return words;
        }
    "#;
    let folder = Folder::with("x.c", text);
    let found = ["off", "lex"].map(|lazy| cover(&folder, "f", lazy, "decisions"));
    let [without, with] = &found;
    assert_eq!(decided(without), decided(with));
    // Both a word and something else are followed by the end; the input is rejected if not.
    let covered = decided(with)
        .iter()
        .filter(|goal| goal.ends_with("\"covered\""))
        .count();
    assert_eq!(
        (covered, with["complete"].as_bool()),
        (4, Some(true)),
        "{:?}",
        decided(with)
    );
    let evidence = with["goals"].as_array().expect("goals").iter();
    let rejected = evidence
        .filter(|goal| goal["evidence"]["kind"] == "rejected")
        .count();
    assert_eq!(rejected, 2);
}

#[test]
fn a_call_is_not_left_alone_where_a_path_was_kept_to_before_it_was_followed() {
    let text = r"
        static int either(int x, int y)
        {
            if (x > y)
                return 5;
            return y != 2 ? y : 4;
        }
        static int sign(int x, int y)
        {
            if (y < 0)
                return x;
            return 5;
        }
        int f(int x, int y, int a, int b)
        {
            int level = 0;
            sign(x, y);
            either(a, b);
            if (y > 5)
                level = 1;
            int last = sign(x, y);
            if (last < 5 && last != 5)
                level += 2;
            return level;
        }
    ";
    let folder = Folder::with("x.c", text);
    let found = ["off", "either,sign"].map(|lazy| {
        let suite = cover(&folder, "f", lazy, "unit-paths");
        assert_eq!(suite["complete"], true);
        paths(&suite)
    });
    // Where `y` is greater than 5, the last call returns 5.
    assert_eq!(found, [3, 3]);
}

#[test]
fn goals_inside_calls_are_covered_next_to_executions_that_end_well() {
    let text = r#"
        #include "attest.h"
        enum token { MISTAKE, SIGN, NAME, END };
        static enum token lex(const char **text)
        {
            switch (*(*text)++) {
            case '+':
            case '-':
                return SIGN;
            case 'a':
            case 'b':
                return NAME;
            case 0:
                return END;
            default:
                return MISTAKE;
            }
        }
        static void expect(const char **text, enum token token)
        {
            ATTEST_ASSUME(lex(text) == token);
        }
        int f(void)
        {
            char text[8];
            const char *at = text;
            ATTEST_INPUT(text);
            expect(&at, SIGN);
            expect(&at, NAME);
            expect(&at, SIGN);
            expect(&at, NAME);
            expect(&at, END);
            return 1;
        }
    "#;
    let folder = Folder::with("x.c", text);
    let words = "cover x.c -f f --scope program --lazy lex --no-replay -o out";
    let run = folder.attest(&words.split(' ').collect::<Vec<_>>());
    // No valid text has a mistake in it.
    run.ends_with(0)
        .says(&["6 goals: 5 covered, 1 unreachable"]);
}

#[test]
fn the_most_constrained_call_is_executed_first() {
    let text = r#"
        #include "attest.h"
        static int vowels(const char *text)
        {
            int count = 0;
            for (int i = 0; i < 6; i++)
                if (text[i] == 'a' || text[i] == 'e')
                    count++;
            return count;
        }
        static int sign(int x)
        {
            if (x < 0)
                return -1;
            return x > 100 ? 2 : x > 0;
        }
        int f(int x)
        {
            char text[8];
            ATTEST_INPUT(text);
            int count = vowels(text);
            int side = sign(x);
            return count == 6 && side > 2 && side < 5;
        }
        int g(int x)
        {
            char text[8];
            ATTEST_INPUT(text);
            int count = vowels(text);
            int side = sign(x);
            return count == 2 && side > 1 && side < 5;
        }
    "#;
    let folder = Folder::with("x.c", text);
    let iterations = |suite: &Value| suite["statistics"]["iterations"].as_u64();
    // Where `sign` cannot return 3, the search need not find six vowels.
    let suite = cover(&folder, "f", "vowels,sign", "decisions");
    assert!(
        iterations(&suite).is_some_and(|count| count < 20),
        "{suite}"
    );
    let [without, with] =
        ["off", "vowels,sign"].map(|lazy| cover(&folder, "g", lazy, "conditions"));
    assert_eq!(decided(&without), decided(&with));
    assert_eq!(with["complete"], true);
}

#[test]
fn an_abstract_path_that_is_found_for_another_one_is_not_forgotten() {
    // What `list` is decides on the way before `touch`, which is executed for another path.
    let text = r"
        struct node {
            int value;
            struct node *next;
        };

        static int touch(struct node *node)
        {
            if (node && node->next) {
                node->next->value = 1;
                return 2;
            }
            return 3;
        }

        int f(struct node *node, struct node *list, int x)
        {
            if (list && list->next && list->next->value == 2)
                return -2;
            int touched = touch(node);
            if (node && node->next && node->next->value == 2)
                return -2;
            if (touched == x)
                return 10;
            return 1;
        }
    ";
    let folder = Folder::with("x.c", text);
    // A replaced call could change what is behind `list` too, in ways that are not offered: a
    // bound.
    let [off, lazy] = [("off", 0), ("touch", 3)]
        .map(|(lazy, exit)| paths(&cover_with_exit(&folder, "f", lazy, "unit-paths", exit)));
    assert_eq!((off, lazy), (19, 19));
}

#[test]
fn calls_through_pointers_are_replaced_too() {
    let text = r#"
        #include "attest.h"
        static int count(const char *text)
        {
            int n = 0;
            for (int i = 0; i < 6; i++)
                if (text[i] == 'a')
                    n++;
            return n;
        }
        static int twice(const char *text) { return 2 * count(text); }
        static int (*const table[2])(const char *) = { count, twice };
        int f(int which)
        {
            char text[8];
            ATTEST_INPUT(text);
            int n = table[which & 1](text);
            if (n == 3)
                return 1;
            if (n == 8)
                return 2;
            return n > 12 ? 3 : 0;
        }
    "#;
    let folder = Folder::with("x.c", text);
    let found = ["off", "count,twice"].map(|lazy| cover(&folder, "f", lazy, "decisions"));
    let [without, with] = &found;
    assert_eq!(decided(without), decided(with));
    assert_eq!(with["complete"], true);
    let replaced = &with["statistics"]["lazy"]["iterations_outside"];
    assert!(replaced.as_u64().is_some_and(|count| count > 0));
}

/// Compares what is found for functions of these numbers.
fn compare(criterion: &str, numbers: Range<u64>) {
    let folder = Folder::with("x.c", "");
    let attest = Path::new(env!("CARGO_BIN_EXE_attest"));
    let replaced = lazily::compare(attest, numbers.clone(), criterion, &folder.path("."));
    let replaced = replaced.unwrap_or_else(|difference| panic!("{difference}"));
    assert!(
        replaced * 2 > numbers.end - numbers.start,
        "calls were replaced in {replaced} only"
    );
}

/// The suite for a function of `x.c` of which every goal is decided.
fn cover(folder: &Folder, function: &str, lazy: &str, criterion: &str) -> Value {
    cover_with_exit(folder, function, lazy, criterion, 0)
}

/// The suite for a function of `x.c`, from a run that ends with this exit status. Proofs by
/// invariants, which could end it early, are left out.
fn cover_with_exit(
    folder: &Folder,
    function: &str,
    lazy: &str,
    criterion: &str,
    exit: i32,
) -> Value {
    let words = format!(
        "cover x.c -f {function} --no-replay --prove off --lazy {lazy} --criterion {criterion} -o out"
    );
    let run = folder.attest(&words.split(' ').collect::<Vec<_>>());
    run.ends_with(exit);
    let path = folder.path("out/suite.json");
    let text = std::fs::read_to_string(path).expect("a suite");
    serde_json::from_str(&text).expect("suite.json is JSON")
}
