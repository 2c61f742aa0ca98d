//! Criteria, the goals that they give, and what traces cover.

use analysis::Reach;
use coverage::{
    Abstraction, Criteria, Criterion, GoalId, GoalKind, Goals, Paths, Scope, UnknownCriterion,
};
use ir::{Block, CodeIndex, FunctionId, Program, Trace, text};

fn program(text: &str) -> Program {
    let program = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ir::verify(&program), Ok(()));
    program
}

fn goals(program: &Program, criterion: Criterion, scope: Scope) -> Goals {
    let index = CodeIndex::new(program);
    let entry = program.function("f").expect("there is an `f`");
    Goals::new(program, &index, &[entry], &criterion.into(), scope)
}

/// The goals as `f 3:7 true`.
fn listed(program: &Program, goals: &Goals) -> Vec<String> {
    let function = |id: FunctionId| &program.functions[id].name;
    goals
        .iter()
        .map(|(_, goal)| {
            let place = goal.span.place();
            format!(
                "{} {}:{} {}",
                function(goal.function),
                place.line,
                place.column,
                goal.side
            )
        })
        .collect()
}

/// `if (a && b)`, `while (1)`, and a switch.
const MIXED: &str = "
fn f(a: int, b: int) {
  d0 if file0:1:5-1:11 = c0 && c1
  d1 while file0:2:8-2:9 = true
  d2 switch file0:3:9-3:10 { 7 file0:4:3-4:9, 1..3 file0:5:3-5:15, else file0:3:9-3:10 }
  d3 if file0:8:7-8:17 = c2 || true
  c0 of d0 file0:1:5-1:6
  c1 of d0 file0:1:10-1:11
  c2 of d3 file0:8:7-8:8
  s0 in bb2 file0:1:14-1:20
  s1 in bb4 file0:6:3-6:9
  bb0: branch _0 ? bb1 : bb3 tag c0 -/false
  bb1: branch _1 ? bb2 : bb3 tag c1 true/false
  bb2: goto bb3
  bb3: switch _0 d2 { 7 => bb4, 1..3 => bb4, else => bb5 }
  bb4: branch _1 ? bb3 : bb3 tag c2 true/true
  bb5: return
}
";

#[test]
fn decisions_have_both_sides_also_if_one_is_folded_away() {
    let program = program(MIXED);
    let goals = goals(&program, Criterion::Decisions, Scope::Function);
    let expected = [
        "f 1:5 true",
        "f 1:5 false",
        "f 2:8 true",
        "f 2:8 false",
        "f 4:3 case 7",
        "f 5:3 case 1 ... 3",
        "f 3:9 default",
        "f 8:7 true",
        "f 8:7 false",
    ];
    assert_eq!(listed(&program, &goals), expected);
}

#[test]
fn conditions_have_both_values_and_constants_give_way_to_their_decisions() {
    let program = program(MIXED);
    let goals = goals(&program, Criterion::Conditions, Scope::Function);
    let expected = [
        "f 1:5 true",
        "f 1:5 false",
        "f 1:10 true",
        "f 1:10 false",
        "f 2:8 true",
        "f 2:8 false",
        "f 4:3 case 7",
        "f 5:3 case 1 ... 3",
        "f 3:9 default",
        "f 8:7 true",
        "f 8:7 false",
        "f 8:7 true",
        "f 8:7 false",
    ];
    assert_eq!(listed(&program, &goals), expected);
}

#[test]
fn a_constant_settles_a_decision_where_its_block_ends() {
    let program = program(
        "fn f(a: int) {
           d0 if = false && c0
           fold of d0 in bb0 false not bb1
           bb0: goto bb2
           bb1: branch _0 ? bb3 : bb2 tag c0 true/false
           bb2: return
           bb3: return
         }",
    );
    for criterion in [Criterion::Decisions, Criterion::Conditions] {
        let goals = goals(&program, criterion.clone(), Scope::Function);
        let reached = trace(&program, &[0, 2], &[]);
        let covered: Vec<GoalId> = goals.covered_by(&reached).collect();
        let kinds = covered.iter().map(|&goal| goals.goal(goal).kind);
        let expected = [GoalKind::Decision(0u32.into(), false)];
        assert_eq!(kinds.collect::<Vec<_>>(), expected, "{criterion}");
    }
}

#[test]
fn statements_are_executed() {
    let program = program(MIXED);
    let goals = goals(&program, Criterion::Statements, Scope::Function);
    assert_eq!(
        listed(&program, &goals),
        ["f 1:14 executed", "f 6:3 executed"]
    );
}

/// One operation of the source that stands in two blocks.
const TWICE: &str = "fn f(_0 a: int, _1 b: int) -> int {
  _2: int
  at0 file0:1:1-1:2
  at1 file0:1:3-1:4
  op0 at0 at0 at1
  bb0: branch _0 ? bb1 : bb2
  bb1: _2 = add _0, _1 op0; goto bb3
  bb2: _2 = add _1, _0 op0; goto bb3
  bb3: return _2
}
";

#[test]
fn a_mutant_is_reached_wherever_its_operation_stands() {
    let mut program = program(TWICE);
    coverage::prepare(&mut program, &Criterion::WeakMutation.into());
    let goals = goals(&program, Criterion::WeakMutation, Scope::Function);
    let sides: Vec<&str> = goals.iter().map(|(_, goal)| goal.side.as_str()).collect();
    assert_eq!(sides, ["- instead of +", "* instead of +"]);
    for (id, _) in goals.iter() {
        assert_eq!(goals.covering(id).len(), 2);
    }
}

#[test]
fn all_paths_counts_decisions_and_paths() {
    let program = program(MIXED);
    let paths = goals(&program, Criterion::AllPaths, Scope::Function);
    let decisions = goals(&program, Criterion::Decisions, Scope::Function);
    assert_eq!(listed(&program, &paths), listed(&program, &decisions));
    assert_eq!(paths.paths(), Some(Paths::Abstract(Abstraction::Nothing)));
    assert_eq!(decisions.paths(), None);
}

/// The blocks and edges `(block, successor)` of `f` that a trace visits.
fn trace(program: &Program, blocks: &[u32], edges: &[(u32, usize)]) -> Trace {
    let index = CodeIndex::new(program);
    let function = program.function("f").expect("there is an `f`");
    let mut trace = Trace::new(&index);
    for &block in blocks {
        trace
            .blocks
            .insert(index.block(function, Block::from_raw(block)).index());
    }
    for &(block, successor) in edges {
        trace.edges.insert(
            index
                .edge(function, Block::from_raw(block), successor)
                .index(),
        );
    }
    trace
}

fn covered(program: &Program, criterion: Criterion, trace: &Trace) -> Vec<String> {
    let goals = goals(program, criterion, Scope::Function);
    let mut ids: Vec<GoalId> = goals.covered_by(trace).collect();
    ids.sort();
    ids.dedup();
    let all = listed(program, &goals);
    ids.iter().map(|id| all[id.index()].clone()).collect()
}

#[test]
fn a_side_is_covered_when_an_edge_settles_the_decision() {
    let program = program(MIXED);
    let covers = |edges: &[(u32, usize)], expected: &[&str]| {
        let trace = trace(&program, &[], edges);
        let covered = covered(&program, Criterion::Decisions, &trace);
        assert_eq!(covered, expected, "{edges:?}");
    };
    covers(&[], &[]);
    covers(&[(0, 0)], &[]);
    covers(&[(0, 1)], &["f 1:5 false"]);
    covers(&[(0, 0), (1, 0)], &["f 1:5 true"]);
    covers(&[(0, 0), (1, 1)], &["f 1:5 false"]);
    covers(&[(3, 1), (3, 2)], &["f 5:3 case 1 ... 3", "f 3:9 default"]);
}

#[test]
fn a_condition_is_covered_by_its_own_edges() {
    let program = program(MIXED);
    let trace = trace(&program, &[], &[(0, 0), (1, 1)]);
    assert_eq!(
        covered(&program, Criterion::Conditions, &trace),
        ["f 1:5 true", "f 1:10 false"]
    );
}

#[test]
fn a_statement_is_covered_when_its_block_is_reached() {
    let program = program(MIXED);
    let reached = trace(&program, &[0, 1, 2], &[]);
    assert_eq!(
        covered(&program, Criterion::Statements, &reached),
        ["f 1:14 executed"]
    );
    let not_reached = trace(&program, &[0, 1], &[(1, 0)]);
    assert_eq!(
        covered(&program, Criterion::Statements, &not_reached),
        [] as [&str; 0]
    );
}

#[test]
fn a_condition_that_is_lowered_twice_is_one_goal() {
    let program = program(
        "fn f(a: int) {
           d0 if = c0
           bb0: branch _0 ? bb1 : bb2 tag c0 true/false
           bb1: branch _0 ? bb2 : bb2 tag c0 true/false
           bb2: return
         }",
    );
    let goals = goals(&program, Criterion::Decisions, Scope::Function);
    assert_eq!(goals.len(), 2);
    let second = trace(&program, &[], &[(1, 0)]);
    assert_eq!(goals.covered_by(&second).count(), 1);
}

#[test]
fn scopes() {
    let program = program(
        "unit0 user \"a.c\"
         unit1 user \"b.c\"
         unit2 model \"string.c\"
         fn f(a: int) { d0 if = c0 bb0: branch _0 ? bb1 : bb1 tag c0 true/false bb1: return }
         fn g(a: int) { d0 if = c0 bb0: branch _0 ? bb1 : bb1 tag c0 true/false bb1: return }
         fn h(a: int) in unit1 { d0 if = c0 bb0: branch _0 ? bb1 : bb1 tag c0 true/false bb1: return }
         fn m(a: int) in unit2 { d0 if = c0 bb0: branch _0 ? bb1 : bb1 tag c0 true/false bb1: return }
         fn bodiless(a: int)",
    );
    let functions = |scope| {
        let goals = goals(&program, Criterion::Decisions, scope);
        let ids: Vec<FunctionId> = goals.iter().map(|(_, goal)| goal.function).collect();
        let mut names: Vec<&str> = ids
            .iter()
            .map(|&id| program.functions[id].name.as_str())
            .collect();
        names.dedup();
        names
    };
    assert_eq!(functions(Scope::Function), ["f"]);
    assert_eq!(functions(Scope::File), ["f", "g"]);
    assert_eq!(functions(Scope::Program), ["f", "g", "h"]);
}

#[test]
fn goals_of_a_function_without_decisions_are_none() {
    let program = program("fn f() { bb0: return }");
    let goals = goals(&program, Criterion::Decisions, Scope::Function);
    assert!(goals.is_empty());
}

#[test]
fn switch_sides_know_their_kind() {
    let program = program(MIXED);
    let goals = goals(&program, Criterion::Decisions, Scope::Function);
    let kinds: Vec<GoalKind> = goals.iter().map(|(_, goal)| goal.kind).collect();
    assert!(kinds.contains(&GoalKind::Switch(2u32.into(), 1)));
    assert!(kinds.contains(&GoalKind::Decision(0u32.into(), false)));
}

#[test]
fn criteria_by_name() {
    for criterion in Criterion::ALL {
        assert_eq!(criterion.name().parse(), Ok(criterion));
    }
    let k_path: Criterion = "k-path=3".parse().expect("a criterion");
    assert_eq!(k_path.to_string(), "k-path=3");
    for name in ["k-path", "k-path=0", "k-path=-1", "k-path=x"] {
        let error = name.parse::<Criterion>().expect_err("a number of rounds");
        assert_eq!(error, UnknownCriterion::Rounds(name.to_owned()));
    }
    assert_eq!(
        "error=stop".parse(),
        Ok(Criterion::Error("stop".to_owned()))
    );
    let error = "error=".parse::<Criterion>().expect_err("a function");
    assert_eq!(error, UnknownCriterion::Function("error=".to_owned()));
    for name in ["branches", "", "decisions=3", "Decisions"] {
        let error = name
            .parse::<Criterion>()
            .expect_err("there is no such criterion");
        let known = "decisions, conditions, decision-condition, condition-combinations, mcdc, \
                     masking-mcdc, boundary, labels, weak-mutation, statements, calls, call-pairs, all-uses, all-paths, unit-paths, minimal-all-paths, empty-else, \
                     max-iterations, minimal-all-conditions, \
                     minimal-all-decisions, k-path=K, error=FUNCTION";
        assert_eq!(
            error.to_string(),
            format!("there is no criterion `{name}`; there are: {known}")
        );
    }
}

#[test]
fn several_criteria_at_once() {
    let criteria: Criteria = "decisions,conditions, k-path=2".parse().expect("criteria");
    assert_eq!(criteria.to_string(), "decisions,conditions,k-path=2");
    assert_eq!(
        criteria.paths(),
        "k-path=2"
            .parse::<Criterion>()
            .expect("a criterion")
            .paths()
    );
    let refused = |text: &str| text.parse::<Criteria>().expect_err("no criteria");
    assert_eq!(
        refused("calls,calls"),
        UnknownCriterion::Twice("calls".to_owned())
    );
    assert_eq!(
        refused("all-paths,calls,unit-paths"),
        UnknownCriterion::TwoOfPaths("all-paths".to_owned(), "unit-paths".to_owned())
    );
    assert_eq!(refused("calls,"), UnknownCriterion::Unknown(String::new()));
}

#[test]
fn each_goal_is_there_once() {
    let program = program(MIXED);
    let index = CodeIndex::new(&program);
    let entry = program.function("f").expect("there is an `f`");
    let goals = |text: &str| {
        let criteria = text.parse().expect("criteria");
        let goals = Goals::new(&program, &index, &[entry], &criteria, Scope::Function);
        listed(&program, &goals)
    };
    let both = goals("decisions,conditions");
    assert_eq!(both, goals("decision-condition"));
    for one in [goals("decisions"), goals("conditions")] {
        assert!(one.iter().all(|goal| both.contains(goal)), "{one:#?}");
    }
}

#[test]
fn calls_are_goals_of_their_blocks() {
    let program = program(
        "fn g(a: int) -> int
         fn f(_0 a: int, _1 p: *fn(int) -> int) -> int {
           _2: int
           d0 if = c0
           bb0: branch _0 ? bb1 : bb2 tag c0 true/false
           bb1: _2 = call @g(1) -> bb3
           bb2: _2 = call *_1(2) -> bb3
           bb3: return _2
         }",
    );
    let index = CodeIndex::new(&program);
    let entry = program.function("f").expect("there is an `f`");
    let blocks = |text: &str| -> Vec<GoalKind> {
        let criteria = text.parse().expect("criteria");
        let goals = Goals::new(&program, &index, &[entry], &criteria, Scope::Function);
        goals.iter().map(|(_, goal)| goal.kind).collect()
    };
    let call = |block: u32| GoalKind::Call(block.into());
    assert_eq!(blocks("calls"), [call(1), call(2)]);
    assert_eq!(blocks("error=g"), [call(1)]);
    assert_eq!(blocks("error=h"), []);
}

#[test]
fn goals_out_of_reach_are_seen_from_their_blocks() {
    let program = program(
        "fn f(a: int) {
           d0 if = c0
           d1 if = c1
           bb0: branch _0 ? bb1 : bb1 tag c0 true/false
           bb1: return
           bb2: branch _0 ? bb1 : bb1 tag c1 true/false
         }",
    );
    let index = CodeIndex::new(&program);
    let entry = 0u32.into();
    let goals = Goals::new(
        &program,
        &index,
        &[entry],
        &Criterion::Decisions.into(),
        Scope::Function,
    );
    let reached = Reach::new(&program, &index).from_entry(entry);
    let on = |block: u32, side| goals.on_edge(index.edge(entry, Block::from_raw(block), side));
    assert_eq!(on(0, 1), [GoalId::from_raw(1)]);
    assert_eq!(on(2, 0), [GoalId::from_raw(2)]);
    assert!(reached.block(index.block(entry, Block::from_raw(0))));
    assert!(!reached.block(index.block(entry, Block::from_raw(2))));
}
