//! Lazy expansion on small programs: what is decided is the same without it, with each acceleration
//! left out, and under audit; and each acceleration is at work somewhere.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{Criterion, Evidence, GoalStatus, Scope};
use explore::{Acceleration, Exploration, Lazy, NullObserver, Options, Outside, explore};

/// Searches function `f`, with the calls of `g` replaced first.
fn search(text: &str, criterion: &Criterion, configure: impl Fn(&mut Options)) -> Exploration {
    let program = ir::text::parse(text).expect("the text is a program");
    ir::verify::verify(&program).expect("the program is well-formed");
    let function = |name| program.function(name).expect("there is such a function");
    let mut options = Options::new(function("f"));
    options.criteria = criterion.clone().into();
    options.scope = Scope::Function;
    options.lazy = Lazy::Functions(vec![function("g")]);
    configure(&mut options);
    explore(&program, &options, Outside::default(), &mut NullObserver)
}

/// Each goal with its status, and the number of paths that count.
fn decided(found: &Exploration) -> (Vec<String>, usize) {
    let goals = found.suite.goals.iter();
    let statuses = goals.map(|goal| format!("{} {}", goal.goal.side, goal.status.name()));
    (statuses.collect(), found.suite.tests.len())
}

/// How often each acceleration was used.
fn used(found: &Exploration) -> BTreeMap<String, u64> {
    let lazy = found.suite.statistics.lazy.clone();
    lazy.expect("a call was replaced").accelerations
}

/// `g` returns 0, 1 or 2, and `f` asks for that, and for 3, which it never returns.
const CLASSES: &str = r#"
fn g(x: uint) -> int {
  _1: int
  _2: int
  bb0: _1 = gt _0, 10; branch _1 ? bb1 : bb2
  bb1: return 1
  bb2: _2 = gt _0, 5; branch _2 ? bb3 : bb4
  bb3: return 2
  bb4: return 0
}
fn f(a: uint, b: uint) -> int {
  d0 if = c0
  d1 if = c1
  d2 if = c2
  _2: int
  _3: int
  _4: int
  _5: int
  bb0: _2 = call @g(_0) -> bb1
  bb1: _3 = eq _2, 3; branch _3 ? bb2 : bb3 tag c0 true/false
  bb2: return 9
  bb3: _4 = call @g(_1) -> bb4
  bb4: _5 = eq _2, 1; branch _5 ? bb5 : bb7 tag c1 true/false
  bb5: _5 = eq _4, 2; branch _5 ? bb6 : bb7 tag c2 true/false
  bb6: return 2
  bb7: return 1
}"#;

/// `g` is called in two contexts that it does not see, and returns no more than 3.
const CONTEXTS: &str = r#"
fn g(x: uint) -> int {
  _1: int
  _2: uint
  _3: uint
  _4: int
  bb0: _1 = 0; _2 = and _0, 1; _4 = ne _2, 0; branch _4 ? bb1 : bb2
  bb1: _1 = add _1, 1; goto bb2
  bb2: _3 = and _0, 2; _4 = ne _3, 0; branch _4 ? bb3 : bb4
  bb3: _1 = add _1, 1; goto bb4
  bb4: return _1
}
fn f(a: uint, b: uint) -> int {
  d0 if = c0
  d1 if = c1
  _2: int
  _3: int
  _4: int
  bb0: _2 = 0; _3 = gt _1, 3; branch _3 ? bb1 : bb2 tag c0 true/false
  bb1: _2 = 1; goto bb2
  bb2: _4 = call @g(_0) -> bb3
  bb3: _3 = gt _4, 2; branch _3 ? bb4 : bb5 tag c1 true/false
  bb4: return -1
  bb5: return _2
}"#;

/// A loop with a constant bound calls `g`, and asks for a sum that has one way to come about.
const LOOP: &str = r#"
global in: [4 x uint]
fn g(x: uint) -> int {
  _1: int
  _2: uint
  bb0: _1 = gt _0, 7; branch _1 ? bb1 : bb2
  bb1: return 1
  bb2: _2 = and _0, 1; _1 = eq _2, 1; branch _1 ? bb3 : bb4
  bb3: return 2
  bb4: return 4
}
fn f(a: uint) -> int {
  d0 for = c0
  d1 if = c1
  d2 if = c2
  _1: int
  _2: int
  _3: int
  _4: int
  _5: uint
  _6: int
  bb0: _1 = 0; _2 = 0; goto bb1
  bb1: _6 = lt _1, 3; branch _6 ? bb2 : bb4 tag c0 true/false
  bb2: _5 = load @in[_1]; _4 = call @g(_5) -> bb3
  bb3: _2 = add _2, _4; _1 = add _1, 1; goto bb1
  bb4: _3 = eq _2, 12; branch _3 ? bb5 : bb6 tag c1 true/false
  bb5: return 12
  bb6: _3 = eq _2, 11; branch _3 ? bb7 : bb8 tag c2 true/false
  bb7: return 11
  bb8: return _2
}"#;

const PROGRAMS: [&str; 3] = [CLASSES, CONTEXTS, LOOP];

/// What counts.
fn criteria() -> [Criterion; 2] {
    [Criterion::Decisions, Criterion::UnitPaths]
}

#[test]
fn the_same_is_decided_without_lazy_expansion_and_without_each_acceleration() {
    for text in PROGRAMS {
        for criterion in criteria() {
            let expected = decided(&search(text, &criterion, |options| {
                options.lazy = Lazy::Off
            }));
            let goals_only = |decided: (Vec<String>, usize)| match criterion.paths() {
                Some(_) => decided,
                None => (decided.0, 0),
            };
            let expected = goals_only(expected);
            let found = decided(&search(text, &criterion, |_| ()));
            assert_eq!(goals_only(found), expected, "{criterion:?}");
            for acceleration in Acceleration::ALL {
                let found = search(text, &criterion, |options| {
                    options.without = vec![acceleration]
                });
                assert!(!used(&found).contains_key(acceleration.name()));
                let found = goals_only(decided(&found));
                assert_eq!(found, expected, "{criterion:?} without {acceleration:?}");
            }
        }
    }
}

#[test]
fn an_audit_finds_nothing_and_leaves_nothing_out() {
    for text in PROGRAMS {
        for criterion in criteria() {
            let found = search(text, &criterion, |options| options.audit = true);
            assert!(
                found.contradictions.is_empty(),
                "{:?}",
                found.contradictions
            );
            let prunings = [
                Acceleration::ReturnedValues,
                Acceleration::Nogoods,
                Acceleration::DeterminedBranches,
            ];
            assert!(
                prunings
                    .iter()
                    .all(|pruning| !used(&found).contains_key(pruning.name()))
            );
            let lazy = search(text, &criterion, |_| ());
            assert_eq!(decided(&found).0, decided(&lazy).0);
            assert!(found.suite.statistics.iterations >= lazy.suite.statistics.iterations);
        }
    }
}

/// The prunings that the verdicts of a search cite.
fn cited(found: &Exploration) -> BTreeSet<String> {
    let goals = found.suite.goals.iter();
    let evidence = goals.filter_map(|goal| match &goal.status {
        GoalStatus::Unreachable(Evidence::ExhaustedSearch { prunings, .. }) => Some(prunings),
        _ => None,
    });
    evidence.flatten().cloned().collect()
}

#[test]
fn a_verdict_cites_the_prunings_that_it_rests_on() {
    let found = search(CLASSES, &Criterion::UnitPaths, |_| ());
    let prunings = cited(&found);
    assert!(!prunings.is_empty());
    let used = used(&found);
    for pruning in &prunings {
        assert!(used.contains_key(pruning), "{pruning} is cited and unused");
    }
    let found = search(CLASSES, &Criterion::UnitPaths, |options| {
        options.without = vec![Acceleration::ReturnedValues, Acceleration::Nogoods];
    });
    assert_eq!(cited(&found), BTreeSet::new());
    let found = search(LOOP, &Criterion::UnitPaths, |_| ());
    assert!(cited(&found).contains(Acceleration::DeterminedBranches.name()));
}

#[test]
fn accelerations_are_at_work_on_them() {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for text in PROGRAMS {
        for criterion in criteria() {
            all.append(&mut used(&search(text, &criterion, |_| ())));
        }
    }
    for name in [
        "summaries",
        "sibling-paths",
        "whole-expansion",
        "returned-values",
        "nogoods",
        "determined-branches",
    ] {
        assert!(all.contains_key(name), "{name} is not at work: {all:?}");
    }
}
