//! What the monitor says of executions, given as ordered traces.

use abstraction::{CodePlace, Options, Portfolio, ProverName, Task, Watching};
use analysis::Reach;
use ir::{CodeEdge, CodeIndex, OrderedTrace, Program, TraceEvent};

/// In each round one input is right; edge 4 is behind rounds that were all right.
const PROGRAM: &str = r#"
fn reading() -> int
fn f() -> int {
  _0 round: int
  _1 was_wrong: int
  _2: int
  _3: int
  bb0: _0 = 0; _1 = 0; goto bb1
  bb1: _2 = lt _0, 300; branch _2 ? bb2 : bb6
  bb2: _3 = call @reading() -> bb3
  bb3: _2 = eq _3, 77; branch _2 ? bb5 : bb4
  bb4: _1 = 1; goto bb5
  bb5: _0 = add _0, 1; goto bb1
  bb6: _2 = eq _1, 0; branch _2 ? bb7 : bb8
  bb7: return 1
  bb8: return 0
}"#;

const GOES_ON: u32 = 0;
const ENDS: u32 = 1;
const IS_RIGHT: u32 = 2;
const IS_WRONG: u32 = 3;
const GOAL: u32 = 4;

fn edge(number: u32) -> TraceEvent {
    TraceEvent::Edge(CodeEdge::from_raw(number))
}

/// The events of a call of `reading`.
fn reading(program: &Program) -> [TraceEvent; 2] {
    let reading = program.function("reading").expect("it is there");
    [TraceEvent::Call(reading), TraceEvent::Return]
}

/// Watches an execution of `f`, given by its events, once provers spent so much effort, and asks of each of its branches whether some
/// edges may lead to the goal from there.
fn watch(
    text: &str,
    (goal, effort): (u32, u64),
    events: impl Fn(&Program) -> Vec<TraceEvent>,
    edges: &[u32],
) -> (bool, Vec<(usize, Vec<bool>)>) {
    let program = ir::text::parse(text).expect("the text is a program");
    ir::verify::verify(&program).expect("the program is well-formed");
    let index = CodeIndex::new(&program);
    let reach = Reach::new(&program, &index);
    let entry = program.function("f").expect("there is an `f`");
    let task = Task {
        program: &program,
        index: &index,
        reach: &reach,
        entry,
    };
    let goal = CodePlace::Edge(CodeEdge::from_raw(goal));
    let options = Options {
        // The goal is to stay open.
        without: vec![ProverName::Values],
        ..Options::default()
    };
    let mut portfolio = Portfolio::new(task, options, vec![(goal, entry)]);
    while !portfolio.is_over() && portfolio.effort() < effort {
        portfolio.step(effort, &|_| false);
    }
    let call = TraceEvent::Call(entry);
    let trace: OrderedTrace = [call].into_iter().chain(events(&program)).collect();
    let Watching::Watched(watched) = portfolio.watch(&trace) else {
        return (false, Vec::new());
    };
    let positions = watched.positions.into_iter();
    let outlook = positions.map(|(event, position)| {
        let edges = edges.iter().map(|&edge| CodeEdge::from_raw(edge));
        let may_lead = edges.map(|edge| portfolio.may_lead_to_goal((position, edge)));
        (event, may_lead.collect())
    });
    (watched.is_impossible, outlook.collect())
}

#[test]
fn what_is_wrong_once_leads_to_the_goal_no_more() {
    let events = |program: &Program| {
        let rounds = [IS_RIGHT, IS_WRONG, IS_RIGHT].into_iter();
        let round = |side| [&[edge(GOES_ON)], &reading(program)[..], &[edge(side)]].concat();
        rounds.flat_map(round).chain([edge(ENDS)]).collect()
    };
    let (is_impossible, outlook) = watch(PROGRAM, (GOAL, u64::MAX), events, &[IS_RIGHT, IS_WRONG]);
    assert!(!is_impossible);
    let of_rounds = [4, 8, 12].map(|event| {
        let mut all = outlook.iter();
        all.find(|(at, _)| *at == event).map(|(_, may)| may.clone())
    });
    let (right, none) = (Some(vec![true, false]), Some(vec![false, false]));
    assert_eq!(of_rounds, [right.clone(), right, none]);
}

#[test]
fn a_way_that_the_formulas_exclude_is_impossible() {
    let text = r#"
fn reading() -> int
fn f() -> int {
  _0: int
  _1 last: int
  bb0: _1 = 0; goto bb1
  bb1: _0 = call @reading() -> bb2
  bb2: branch _0 ? bb3 : bb5
  bb3: branch _0 ? bb1 : bb4
  bb4: _1 = 1; goto bb1
  bb5: branch _1 ? bb6 : bb7
  bb6: return 1
  bb7: return 0
}"#;
    let is_impossible = |sides: [u32; 2]| {
        let events = |program: &Program| {
            let sides = sides.into_iter().map(edge);
            let round = reading(program).into_iter().chain(sides);
            round.chain(reading(program)).collect()
        };
        watch(text, (4, 50_000), events, &[]).0
    };
    assert!(!is_impossible([0, 2]));
    assert_eq!(is_impossible([0, 3]), cfg!(debug_assertions));
}
