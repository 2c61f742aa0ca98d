//! Orders, components, walks, dominators and loops, against their definitions.

use std::collections::BTreeSet;

use ir::{Block, BlockData, Body, ControlFlow, FunctionId, Terminator, text};
use proptest::prelude::*;

/// A loop with a way out of its middle, and a block that nothing leads to.
const LOOP: &str = "
fn f(a: int) {
  bb0: goto bb1
  bb1: branch _0 ? bb2 : bb4
  bb2: branch _0 ? bb3 : bb4
  bb3: goto bb1
  bb4: return
  bb5: goto bb5
}
";

fn flow(source: &str) -> ControlFlow {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let body = program.functions[FunctionId::from_raw(0)].body.as_ref();
    ControlFlow::new(body.expect("a body"))
}

fn block(number: u32) -> Block {
    Block::from_raw(number)
}

#[test]
fn a_loop_is_found_with_its_head_as_dominator() {
    let flow = flow(LOOP);
    assert_eq!(flow.on_cycles().ones().collect::<Vec<_>>(), [1, 2, 3, 5]);
    let dominators = flow.dominators().expect("an entry");
    assert_eq!(dominators.immediate(block(0)), None);
    assert_eq!(dominators.immediate(block(3)), Some(block(2)));
    assert_eq!(dominators.immediate(block(4)), Some(block(1)));
    assert_eq!(dominators.immediate(block(5)), None);
    assert!(dominators.dominates(block(1), block(3)));
    assert!(dominators.dominates(block(3), block(3)));
    assert!(!dominators.dominates(block(2), block(4)));
}

#[test]
fn a_function_without_blocks_has_no_dominators() {
    let flow = ControlFlow::new(&Body::default());
    assert!(flow.dominators().is_none());
    assert!(flow.postorder().is_empty());
}

#[test]
fn a_constant_condition_could_have_either_value() {
    let program = text::parse(
        "fn f(a: int) {
           d0 if = true || c0
           fold of d0 in bb0 true not bb1
           bb0: goto bb2
           bb1: goto bb2
           bb2: return
         }",
    );
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let body = program.functions[FunctionId::from_raw(0)].body.as_ref();
    let body = body.expect("a body");
    let reached = |flow: ControlFlow| flow.reachable([block(0)]).ones().collect::<Vec<_>>();
    assert_eq!(reached(ControlFlow::new(body)), [0, 2]);
    assert_eq!(reached(ControlFlow::unfolded(body)), [0, 1, 2]);
}

/// A body of blocks that jump to these.
fn body(successors: &[Vec<usize>]) -> Body {
    let program = text::parse("fn f(a: int) { bb0: return }").expect("a program");
    let mut body = program.functions[FunctionId::from_raw(0)]
        .body
        .clone()
        .expect("a body");
    let span = body.blocks[block(0)].span;
    body.blocks.clear();
    for next in successors {
        let next = next
            .iter()
            .map(|&to| Block::from_usize(to % successors.len()));
        body.blocks.push(BlockData {
            statements: Vec::new(),
            terminator: Terminator::Unsupported {
                construct: String::new(),
                next: next.collect(),
            },
            span,
        });
    }
    body
}

/// What can be reached from a block over at least one jump, without passing through another block.
fn reached(flow: &ControlFlow, from: Block, without: Option<Block>) -> BTreeSet<Block> {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(block) = open.pop() {
        for &next in flow.successors(block) {
            if Some(next) != without && seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

proptest! {
    #[test]
    fn graphs_are_as_defined(
        successors in prop::collection::vec(prop::collection::vec(0usize..12, 0..4), 1..12)
    ) {
        let flow = ControlFlow::new(&body(&successors));
        let blocks: Vec<Block> = (0..successors.len()).map(Block::from_usize).collect();
        let entry = block(0);

        let in_loops = flow.on_cycles();
        for &block in &blocks {
            let comes_back = reached(&flow, block, None).contains(&block);
            prop_assert_eq!(in_loops.contains(block.index()), comes_back);
        }

        let order = flow.postorder();
        let sorted: BTreeSet<Block> = order.iter().copied().collect();
        prop_assert_eq!(order.len(), blocks.len());
        prop_assert_eq!(sorted.len(), blocks.len());
        let rank = |block: Block| order.iter().position(|&each| each == block);
        for &from in blocks.iter().filter(|from| !in_loops.contains(from.index())) {
            for &to in flow.successors(from) {
                prop_assert!(rank(to) < rank(from), "{:?} before {:?}", to, from);
            }
        }

        let mut reversed = flow.reverse_postorder();
        reversed.reverse();
        prop_assert_eq!(&reversed, &order);

        let components = flow.components();
        let all: Vec<Block> = components.iter().flatten().copied().collect();
        prop_assert_eq!(all.len(), blocks.len());
        for component in &components {
            for (&one, &other) in component.iter().flat_map(|one| blocks.iter().map(move |it| (one, it))) {
                let is_mutual = reached(&flow, one, None).contains(&other)
                    && reached(&flow, other, None).contains(&one);
                prop_assert_eq!(component.contains(&other), one == other || is_mutual);
                let is_before = |block| all.iter().position(|&each| each == block);
                if flow.successors(one).contains(&other) && !component.contains(&other) {
                    prop_assert!(is_before(other) < is_before(one));
                }
            }
        }

        let without_second = flow.walk([entry], |block| block.index() != 1);
        let mut expected = reached(&flow, entry, Some(block(1)));
        expected.insert(entry);
        let leads_there = |from: &Block| flow.successors(*from).contains(&block(1));
        if expected.iter().any(leads_there) {
            expected.insert(block(1));
        }
        prop_assert_eq!(without_second.collect::<BTreeSet<Block>>(), expected);

        let dominators = flow.dominators().expect("an entry");
        let from_entry = reached(&flow, entry, None);
        for &of in blocks.iter().filter(|&&of| of == entry || from_entry.contains(&of)) {
            for &dominator in &blocks {
                let is_avoided = dominator != entry
                    && (of == entry || reached(&flow, entry, Some(dominator)).contains(&of));
                let expected = dominator == of || !is_avoided;
                prop_assert_eq!(dominators.dominates(dominator, of), expected);
            }
        }

        for &from in &blocks {
            for &to in flow.successors(from) {
                prop_assert!(flow.predecessors(to).contains(&from));
            }
        }
    }
}
