//! The call graph, against what blocks lead to.

use std::collections::BTreeSet;

use analysis::{CallGraph, Reach};
use index_vec::IndexVec;
use ir::{Block, Callee, CodeIndex, ConstantValue, FunctionId, Operand, Program, Terminator, text};
use proptest::prelude::*;

/// A program of functions whose blocks end like this: a kind of end, and two numbers for it.
fn program(functions: &[Vec<(u8, usize, usize)>]) -> Program {
    let mut source = String::from("fn atexit(f: *fn()) -> int\nfn exit(status: int)\n");
    for (number, blocks) in functions.iter().enumerate() {
        source.push_str(&format!("fn f{number}() {{\n  _0: int\n"));
        for (block, &(kind, first, second)) in blocks.iter().enumerate() {
            let function = first % functions.len();
            let (first, second) = (first % blocks.len(), second % blocks.len());
            let end = match kind {
                0 => format!("goto bb{first}"),
                1 => format!("branch 1 ? bb{first} : bb{second}"),
                2..=4 => format!("call @f{function}() -> bb{second}"),
                5 => format!("call @atexit(&@f{function}) -> bb{second}"),
                6 => format!("call @exit(0) -> bb{second}"),
                _ => "return".to_owned(),
            };
            source.push_str(&format!("  bb{block}: {end}\n"));
        }
        source.push_str("}\n");
    }
    text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// The blocks that may call a function, by its name or through `atexit`, which calls any.
fn calls_of(program: &Program, wanted: FunctionId) -> Vec<(FunctionId, Block)> {
    let mut found = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        let body = function.body.iter();
        for (block, data) in body.flat_map(|body| body.blocks.iter_enumerated()) {
            if let Terminator::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } = &data.terminator
            {
                let is_function = |operand: &Operand| {
                    matches!(operand, Operand::Constant(constant)
                        if matches!(constant.value, ConstantValue::Function(_)))
                };
                if *callee == wanted || arguments.iter().any(is_function) {
                    found.push((id, block));
                }
            }
        }
    }
    found
}

/// The functions that can be reached over at least one call.
fn called(callees: &[Vec<usize>], from: usize) -> BTreeSet<usize> {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(function) = open.pop() {
        let next = callees[function].iter().copied();
        open.extend(next.filter(|&callee| seen.insert(callee)));
    }
    seen
}

fn function(number: usize) -> FunctionId {
    FunctionId::from_usize(number)
}

proptest! {
    #[test]
    fn components_and_summaries_are_as_defined(
        callees in prop::collection::vec(prop::collection::vec(0usize..10, 0..4), 1..10)
    ) {
        let count = callees.len();
        let callees: Vec<Vec<usize>> = callees
            .iter()
            .map(|called| called.iter().map(|callee| callee % count).collect())
            .collect();
        let ids = |called: &Vec<usize>| called.iter().map(|&callee| function(callee)).collect();
        let graph = CallGraph::of(callees.iter().map(ids).collect::<IndexVec<_, _>>());
        let below: Vec<BTreeSet<usize>> = (0..count).map(|from| called(&callees, from)).collect();

        let mut done = BTreeSet::new();
        for component in graph.components() {
            for &one in component {
                let (one, here) = (one.index(), function(one.index()));
                for other in 0..count {
                    let is_mutual = below[one].contains(&other) && below[other].contains(&one);
                    let is_same = component.contains(&function(other));
                    prop_assert_eq!(is_same, is_mutual || one == other);
                    if below[one].contains(&other) && !is_same {
                        prop_assert!(done.contains(&other), "{} before {}", other, one);
                    }
                }
                prop_assert_eq!(graph.is_recursive(here), below[one].contains(&one));
            }
            done.extend(component.iter().map(|one| one.index()));
        }
        prop_assert_eq!(done.len(), count);

        let all = graph.summaries(
            |function| BTreeSet::from([function.index()]),
            |all, others| all.extend(others.iter().copied()),
        );
        for (from, below) in below.iter().enumerate() {
            let mut expected = below.clone();
            expected.insert(from);
            prop_assert_eq!(all.of(function(from)), &expected);
            let reached: BTreeSet<usize> = graph.reachable([function(from)]).ones().collect();
            prop_assert_eq!(&reached, &expected);
        }
    }

    #[test]
    fn functions_are_reached_as_their_blocks_are(
        functions in prop::collection::vec(
            prop::collection::vec((0u8..9, 0usize..8, 0usize..8), 1..5), 1..6)
    ) {
        let program = program(&functions);
        let index = CodeIndex::new(&program);
        let reach = Reach::new(&program, &index);
        let bodies: Vec<FunctionId> = program
            .functions
            .iter_enumerated()
            .filter(|(_, function)| function.body.is_some())
            .map(|(id, _)| id)
            .collect();
        let all = reach.summaries(
            |function| BTreeSet::from([function]),
            |all, others| all.extend(others.iter().copied()),
        );
        for &from in &bodies {
            let blocks = reach.from_entry(from);
            let is_entered = |id: &FunctionId| blocks.block(index.block(*id, Block::from_raw(0)));
            let expected: Vec<FunctionId> = bodies.iter().copied().filter(is_entered).collect();
            prop_assert_eq!(&reach.functions_from(from), &expected);
            prop_assert_eq!(all.of(from).iter().copied().collect::<Vec<_>>(), expected);
            let mut calls = calls_of(&program, from).into_iter();
            let comes_back = calls.any(|(caller, block)| blocks.block(index.block(caller, block)));
            prop_assert_eq!(reach.calls_itself(from), comes_back, "{:?}", from);
        }
    }
}
