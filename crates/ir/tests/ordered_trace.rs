//! What ordered traces mean in the source.

use ir::SourceEvent::{Call, Condition, Decision, Edge, Replaced, Return, Switch};
use ir::{Block, CodeEdge, CodeIndex, FunctionId, OrderedTrace, Program, SourceEvent, TraceEvent};

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
        ir::source_events(&self.program, &self.index, &trace).collect()
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
