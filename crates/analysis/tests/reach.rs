//! Where control can still go.

use analysis::Reach;
use ir::test::Frame;
use ir::{Block, CodeIndex, Program, Span, text};

/// `entry` calls `helper` in a branch and a function pointer at the end; `lonely` is never called.
const CALLS: &str = "
fn helper(a: int) -> int {
  bb0: return _0
}
fn lonely() {
  bb0: return
}
fn callback(a: int, b: int) -> int {
  bb0: return _1
}
fn other(a: int, b: int, c: int) {
  bb0: return
}
fn entry(a: int, f: *fn(int, int) -> int) -> int {
  _2: int
  d0 if = c0
  bb0: branch _0 ? bb1 : bb2 tag c0 true/false
  bb1: _2 = call @helper(_0) -> bb3
  bb2: goto bb3
  bb3: _2 = call *_1(1, 2) -> bb4
  bb4: return _2
  bb5: goto bb4
}
";

fn program(text: &str) -> Program {
    text::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn frame(program: &Program, function: &str, block: u32) -> Frame {
    let function = program.function(function).expect("the function exists");
    let at = ir::Position {
        file: 0u32.into(),
        line: 1,
        column: 1,
    };
    Frame {
        function,
        block: Block::from_raw(block),
        span: Span {
            begin: at,
            end: at,
            expansions: Vec::new(),
        },
    }
}

fn names(program: &Program, functions: &[ir::FunctionId]) -> Vec<String> {
    functions
        .iter()
        .map(|&id| program.functions[id].name.clone())
        .collect()
}

#[test]
fn calls_by_name_and_by_pointer_are_followed() {
    let program = program(CALLS);
    let reach = Reach::new(&program, &CodeIndex::new(&program));
    let entry = program.function("entry").expect("it exists");
    let reached = reach.functions_from(entry);
    assert_eq!(names(&program, &reached), ["helper", "callback", "entry"]);
}

#[test]
fn blocks_without_a_path_from_the_entry_are_not_reached() {
    let program = program(CALLS);
    let index = CodeIndex::new(&program);
    let entry = program.function("entry").expect("it exists");
    let reached = Reach::new(&program, &index).from_entry(entry);
    let blocks: Vec<bool> = (0..6)
        .map(|block| reached.block(index.block(entry, Block::from_raw(block))))
        .collect();
    assert_eq!(blocks, [true, true, true, true, true, false]);
    assert_eq!(reached.blocks().count(), 7);
}

#[test]
fn a_stack_goes_on_where_its_calls_come_back() {
    let program = program(CALLS);
    let index = CodeIndex::new(&program);
    let reach = Reach::new(&program, &index);
    let entry = program.function("entry").expect("it exists");
    let block = |number| index.block(entry, Block::from_raw(number));

    let inside = reach.from_stack(&[frame(&program, "helper", 0), frame(&program, "entry", 1)]);
    assert!(inside.block(block(3)) && inside.block(block(4)));
    assert!(!inside.block(block(0)) && !inside.block(block(1)) && !inside.block(block(2)));

    // Without its callers a stack may go on in any of them.
    let alone = reach.from_stack(&[frame(&program, "helper", 0)]);
    assert!(alone.block(block(3)) && alone.block(block(4)));
    assert!(!alone.block(block(0)) && !alone.block(block(1)) && !alone.block(block(2)));

    let late = reach.from_stack(&[frame(&program, "entry", 4)]);
    assert_eq!(late.blocks().collect::<Vec<_>>(), [block(4)]);
}

#[test]
fn without_a_place_everything_can_be_reached() {
    let program = program(CALLS);
    let index = CodeIndex::new(&program);
    let reached = Reach::new(&program, &index).from_stack(&[]);
    assert_eq!(reached.blocks().count(), index.blocks());
}

#[test]
fn how_many_branches_are_before_a_block() {
    let program = program(CALLS);
    let index = CodeIndex::new(&program);
    let reach = Reach::new(&program, &index);
    let block = |(function, number): (&str, u32)| {
        let function = program.function(function).expect("it exists");
        index.block(function, Block::from_raw(number))
    };
    let distances = |targets: &[((&str, u32), u32)]| -> Vec<_> {
        let marked = targets.iter().enumerate();
        let targets = marked.map(|(mark, &(target, cost))| (block(target), cost, mark));
        let nearest = reach.nearest(targets, |_| 1).into_iter_enumerated();
        nearest
            .filter_map(|(block, nearest)| Some((block, nearest?.0)))
            .collect()
    };
    let expected = |blocks: &[((&str, u32), u32)]| -> Vec<_> {
        let known = blocks.iter();
        known
            .map(|&(place, distance)| (block(place), distance))
            .collect()
    };
    assert_eq!(
        distances(&[(("lonely", 0), 0)]),
        expected(&[(("lonely", 0), 0)])
    );
    assert_eq!(
        distances(&[(("helper", 0), 3)]),
        expected(&[(("helper", 0), 3), (("entry", 0), 4), (("entry", 1), 3)])
    );
    let before_return = [
        (("entry", 0), 1),
        (("entry", 1), 0),
        (("entry", 2), 0),
        (("entry", 3), 0),
        (("entry", 4), 0),
        (("entry", 5), 0),
    ];
    assert_eq!(distances(&[(("entry", 4), 0)]), expected(&before_return));
    assert_eq!(
        distances(&[(("entry", 4), 9), (("entry", 1), 0)])
            .into_iter()
            .find(|&(at, _)| at == block(("entry", 0))),
        Some((block(("entry", 0)), 1))
    );
}

#[test]
fn how_control_returns() {
    let program = program(CALLS);
    let index = CodeIndex::new(&program);
    let reach = Reach::new(&program, &index);
    let entry = program.function("entry").expect("it exists");
    let block = |number| index.block(entry, Block::from_raw(number));
    let to_return = reach.to_return(|_| 1);
    assert_eq!(to_return[block(0)], Some(1));
    assert_eq!(to_return[block(4)], Some(0));
    let costly = index.edge(entry, Block::from_raw(0), 0);
    let to_return = reach.to_return(|edge| if edge == costly { 5 } else { 2 });
    assert_eq!(to_return[block(0)], Some(2));
    assert_eq!(reach.after_call(block(1)), Some(block(3)));
    assert_eq!(reach.after_call(block(2)), None);
}

#[test]
fn loops_and_recursion_end() {
    let program = program(
        "fn f(a: int) {
           bb0: branch _0 ? bb1 : bb2
           bb1: call @f(_0) -> bb0
           bb2: unsupported \"inline assembly\" -> bb0, bb3
           bb3: call @f(_0) -> never
         }",
    );
    let index = CodeIndex::new(&program);
    let reached = Reach::new(&program, &index).from_entry(0u32.into());
    assert_eq!(reached.blocks().count(), 4);
}
