//! What ordered traces mean in the source.

use ir::SourceEvent::{Call, Condition, Decision, Edge, Replaced, Return, Switch};
use ir::{
    Block, CodeEdge, CodeIndex, FunctionId, OrderedTrace, Program, SourceEvent, TraceEvent,
    TraceReader,
};

/// `f` evaluates `a && g() && true`, and `g` switches.
const TEXT: &str = "
fn h() -> int
fn g(_0 a: int) -> int {
  d0 switch
  bb0: switch _0 d0 { 7 => bb1, else => bb2 }
  bb1: return 1
  bb2: return 0
}
fn f(_0 a: int) -> int {
  _1: int
  d0 if = c0 && c1 && true
  c0 of d0
  c1 of d0
  fold of d0 in bb3 true not bb4
  bb0: branch _0 ? bb1 : bb4 tag c0 -/false
  bb1: _1 = call @g(_0) -> bb2
  bb2: branch _1 ? bb3 : bb4 tag c1 -/false
  bb3: goto bb5
  bb4: return 0
  bb5: _1 = call @h() -> bb6
  bb6: return _1
}";

struct Code {
    program: Program,
    index: CodeIndex,
    f: FunctionId,
    g: FunctionId,
    h: FunctionId,
}

fn code() -> Code {
    let program: Program = ir::text::parse(TEXT).expect("a program");
    let function = |name| program.function(name).expect("a function");
    let (f, g, h) = (function("f"), function("g"), function("h"));
    let index = CodeIndex::new(&program);
    Code {
        program,
        index,
        f,
        g,
        h,
    }
}

impl Code {
    fn edge(&self, function: FunctionId, block: u32, side: usize) -> CodeEdge {
        self.index.edge(function, Block::from_raw(block), side)
    }

    fn read(&self, events: &[TraceEvent]) -> Vec<SourceEvent> {
        let trace: OrderedTrace = events.iter().copied().collect();
        let reader = TraceReader::new(&self.program, &self.index);
        reader.read(&trace).collect()
    }
}

#[test]
fn edges_say_what_conditions_and_decisions_are() {
    let code = code();
    let (f, g) = (code.f, code.g);
    let (first, side, second) = (code.edge(f, 0, 0), code.edge(g, 0, 1), code.edge(f, 2, 1));
    let read = code.read(&[
        TraceEvent::Call(f),
        TraceEvent::Edge(first),
        TraceEvent::Call(g),
        TraceEvent::Edge(side),
        TraceEvent::Return,
        TraceEvent::Edge(second),
        TraceEvent::Return,
    ]);
    let expected = [
        Call(f),
        Edge(first),
        Condition(f, 0u32.into(), true),
        Call(g),
        Edge(side),
        Switch(g, 0u32.into(), 1),
        Return(g),
        Edge(second),
        Condition(f, 1u32.into(), false),
        Decision(f, 0u32.into(), false),
        Return(f),
    ];
    assert_eq!(read, expected);
}

#[test]
fn a_constant_settles_a_decision_where_the_code_goes_by() {
    let code = code();
    let (f, g, h) = (code.f, code.g, code.h);
    let (first, second) = (code.edge(f, 0, 0), code.edge(f, 2, 0));
    let begin = [
        TraceEvent::Call(f),
        TraceEvent::Edge(first),
        TraceEvent::Replaced(g),
        TraceEvent::Edge(second),
    ];
    let expected = [
        Call(f),
        Edge(first),
        Condition(f, 0u32.into(), true),
        Replaced(g),
        Edge(second),
        Condition(f, 1u32.into(), true),
        Decision(f, 0u32.into(), true),
        Call(h),
        Return(h),
        Return(f),
    ];
    let end = [TraceEvent::Call(h), TraceEvent::Return, TraceEvent::Return];
    assert_eq!(code.read(&[&begin[..], &end[..]].concat()), expected);
    // Whether the execution came by the constant is not known.
    assert_eq!(code.read(&begin), expected[..6]);
}

#[test]
fn a_function_runs_behind_one_that_ended_the_program() {
    let code = code();
    let (f, g, h) = (code.f, code.g, code.h);
    let (first, side) = (code.edge(f, 0, 1), code.edge(g, 0, 0));
    let read = code.read(&[
        TraceEvent::Call(h),
        TraceEvent::Call(g),
        TraceEvent::Edge(side),
        TraceEvent::Return,
        TraceEvent::Call(f),
        TraceEvent::Edge(first),
    ]);
    let ends = |event: &&SourceEvent| matches!(event, Switch(..) | Decision(..));
    let expected = [Switch(g, 0u32.into(), 0), Decision(f, 0u32.into(), false)];
    assert_eq!(
        read.iter().filter(ends).copied().collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_trace_of_another_program_ends_where_it_does_not_fit() {
    let code = code();
    let edge = TraceEvent::Edge(code.edge(code.g, 0, 0));
    assert_eq!(code.read(&[edge]), []);
    assert_eq!(code.read(&[TraceEvent::Return]), []);
    let wrong = TraceEvent::Edge(code.edge(code.f, 2, 1));
    assert_eq!(
        code.read(&[TraceEvent::Call(code.f), wrong]),
        [Call(code.f)]
    );
}

/// `k` goes round a loop, with an `if` in it that jumps out.
const LOOP: &str = "
fn k(_0 a: int, _1 b: int) -> int {
  d0 while = c0
  d1 if = c1 && c2
  d2 if = c3
  c0 of d0
  c1 of d1
  c2 of d1
  c3 of d2
  r0 of d0 from bb1 [bb1, bb2, bb6]
  r1 of d1 in r0 [bb3, bb4]
  r2 of d2 [bb7]
  bb0: goto bb1
  bb1: branch _0 ? bb2 : bb5 tag c0 true/false
  bb2: branch _1 ? bb3 : bb6 tag c1 -/false
  bb3: branch _0 ? bb4 : bb6 tag c2 true/false
  bb4: goto bb8
  bb5: branch _1 ? bb7 : bb8 tag c3 true/false
  bb6: goto bb1
  bb7: goto bb6
  bb8: return _1
}";

/// The regions that executions enter and leave, and the rounds that they begin.
fn regions(program: &Program, edges: &[(u32, usize)]) -> String {
    let index = CodeIndex::new(program);
    let k = program.function("k").expect("a function");
    let edge = |&(block, side): &(u32, usize)| {
        TraceEvent::Edge(index.edge(k, Block::from_raw(block), side))
    };
    let events = [TraceEvent::Call(k)]
        .into_iter()
        .chain(edges.iter().map(edge));
    let trace: OrderedTrace = events.chain([TraceEvent::Return]).collect();
    let reader = TraceReader::new(program, &index);
    let read = reader.read(&trace);
    let told = read.filter_map(|event| match event {
        Edge(_) => Some("edge".to_owned()),
        SourceEvent::Enter(_, region) => Some(format!("enter {region}")),
        SourceEvent::Round(_, region) => Some(format!("round {region}")),
        SourceEvent::Leave(_, region) => Some(format!("leave {region}")),
        _ => None,
    });
    told.collect::<Vec<_>>().join(", ")
}

#[test]
fn regions_are_entered_and_left() {
    // No jump leads into the loop from the `if` behind it here.
    let text = LOOP.replace("bb7: goto bb6", "bb7: goto bb8");
    let program: Program = ir::text::parse(&text).expect("a program");
    assert_eq!(ir::verify(&program), Ok(()));
    assert_eq!(
        regions(&program, &[(1, 0), (2, 0), (3, 1), (1, 1), (5, 0)]),
        "enter r0, round r0, edge, enter r1, edge, edge, leave r1, round r0, edge, leave r0, \
         enter r2, edge, leave r2",
    );
    assert_eq!(
        regions(&program, &[(1, 0), (2, 0), (3, 0)]),
        "enter r0, round r0, edge, enter r1, edge, edge, leave r1, leave r0",
    );
    assert_eq!(
        regions(&program, &[(1, 0), (2, 1), (1, 1), (5, 1)]),
        "enter r0, round r0, edge, enter r1, edge, leave r1, round r0, edge, leave r0, \
         enter r2, edge, leave r2",
    );
}

#[test]
fn a_region_that_a_jump_leads_into_is_none() {
    let program: Program = ir::text::parse(LOOP).expect("a program");
    assert_eq!(
        regions(&program, &[(1, 1), (5, 0), (1, 0), (2, 0), (3, 0)]),
        "edge, enter r2, edge, leave r2, edge, enter r1, edge, edge, leave r1",
    );
}
