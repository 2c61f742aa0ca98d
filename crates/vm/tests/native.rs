//! Native calls, executed by someone who only plays the host.

mod common;

use std::sync::Mutex;

use common::{Bench, defect, returned};
use expr::Terms;
use ir::input::{InputSpace, InputVector};
use ir::test::{Observed, Outcome};
use ir::{CodeIndex, DefectKind};
use vm::{
    CallPolicy, Config, Dependence, Execution, Machine, NativeCall, NativeEnd, NativeReturn,
    NativeValue, Natives,
};

/// A host whose only function does what a closure says.
struct Host<F> {
    function: F,
    calls: Mutex<Vec<NativeCall>>,
}

impl<F: Fn(&NativeCall) -> NativeEnd + Send + Sync> Natives for Host<F> {
    fn call(&self, call: &NativeCall) -> NativeEnd {
        self.calls.lock().expect("no panic").push(call.clone());
        (self.function)(call)
    }
}

/// Executes `f`, which calls `native`, with inputs that are 0; what the host was asked.
fn run(
    text: &str,
    function: impl Fn(&NativeCall) -> NativeEnd + Send + Sync,
) -> (Execution, Vec<NativeCall>) {
    let bench = Bench::new(text);
    let native = bench.program.function("native").expect("a function native");
    let config = Config {
        policies: [(native, CallPolicy::Native(Dependence::Arguments))].into(),
        ..Config::default()
    };
    let host = Host {
        function,
        calls: Mutex::default(),
    };
    let index = CodeIndex::new(&bench.program);
    let mut machine = Machine::new(&bench.program, &index, config).with_natives(&host);
    let entry = bench.program.function("f").expect("a function f");
    let (mut space, mut terms) = (InputSpace::default(), Terms::default());
    let inputs = InputVector::default();
    let execution = machine.execute(entry, &inputs, &mut space, &mut terms);
    drop(machine);
    (execution, host.calls.into_inner().expect("no panic"))
}

fn number(bits: u64, objects: Vec<Vec<u8>>) -> NativeEnd {
    NativeEnd::Returned {
        result: NativeReturn::Value(NativeValue::Bits(bits)),
        objects,
        error_number: None,
    }
}

#[test]
fn arguments_are_fixed_and_other_values_remain_alternatives() {
    let (execution, calls) = run(
        "fn native(?: int) -> int
         fn f(_0 x: int) -> int {
           _1: int
           bb0: _1 = call @native(_0) -> bb1
           bb1: return _1
         }",
        |_| number(7, Vec::new()),
    );
    assert_eq!(execution.outcome, Outcome::Return);
    assert_eq!(calls[0].arguments, [NativeValue::Bits(0)]);
    assert_eq!(execution.path.len(), 1);
    assert_eq!(execution.path[0].alternatives.len(), 1);
    assert!(execution.imprecision.losses.is_empty() && execution.imprecision.fixed.len() == 1);
}

/// `native(p)` on a local of 8 bytes that was never written, and the byte at offset 3 behind it.
const ON_LOCAL: &str = "fn native(?: *char) -> *char
     fn f() -> char {
       _0: char
       _1 space: [8 x char] taken
       _2: *char
       _3: *char
       bb0:
         _2 = addr _1[0]
         _3 = call @native(_2) -> bb1
       bb1:
         _0 = load *_3
         return _0
     }";

#[test]
fn windows_grow_up_to_the_end_of_an_object() {
    let (execution, calls) = run(ON_LOCAL, |_| NativeEnd::Behind(0));
    let mut sizes: Vec<usize> = calls.iter().map(|c| c.objects[0].bytes.len()).collect();
    sizes.dedup();
    assert_eq!(sizes, [1, 2, 4, 8]);
    assert_eq!(defect(&execution), Some(DefectKind::OutOfBounds));
}

/// Writes a 5 to offset 3, and returns a pointer to some offset.
fn five(call: &NativeCall, offset: u64) -> NativeEnd {
    let mut bytes = call.objects[0].bytes.clone();
    if bytes.len() < 4 {
        return NativeEnd::Behind(0);
    }
    bytes[3] = 5;
    NativeEnd::Returned {
        result: NativeReturn::Value(NativeValue::Pointer { object: 0, offset }),
        objects: vec![bytes],
        error_number: None,
    }
}

#[test]
fn what_a_call_wrote_is_told_from_what_was_never_written() {
    let (written, _) = run(ON_LOCAL, |call| five(call, 3));
    assert_eq!(returned(&written), Some(Observed::Bits(5)));
    let (unwritten, _) = run(ON_LOCAL, |call| five(call, 2));
    assert_eq!(returned(&unwritten), None);
}

#[test]
fn results_that_depend_on_what_was_never_written_are_a_loss() {
    let (execution, _) = run(ON_LOCAL, |call| {
        let bytes = call.objects[0].bytes.clone();
        number(u64::from(bytes[0]), vec![bytes])
    });
    assert_eq!(execution.outcome, Outcome::Unsupported);
    assert!(
        execution.imprecision.losses[0]
            .detail
            .contains("never written")
    );
}

/// `native(1)` twice, then `native(2)`; the byte that the first result points to.
fn twice_and_another(texts: [&[u8]; 2]) -> Execution {
    let texts = texts.map(<[u8]>::to_vec);
    let (execution, _) = run(
        "fn native(?: int) -> *const char
         fn f() -> char {
           _0: char
           _1: *const char
           _2: *const char
           bb0: _1 = call @native(1:int) -> bb1
           bb1: _2 = call @native(1:int) -> bb2
           bb2: _2 = call @native(2:int) -> bb3
           bb3:
             _0 = load *_1
             return _0
         }",
        |call| NativeEnd::Returned {
            result: NativeReturn::Library {
                place: 4096,
                bytes: match call.arguments[0] {
                    NativeValue::Bits(1) => texts[0].clone(),
                    _ => texts[1].clone(),
                },
            },
            objects: Vec::new(),
            error_number: None,
        },
    );
    execution
}

#[test]
fn memory_of_the_library_that_may_change_is_a_loss() {
    let same = twice_and_another([b"a\0", b"a\0"]);
    assert_eq!(returned(&same), Some(Observed::Bits(u128::from(b'a'))));
    let other = twice_and_another([b"a\0", b"b\0"]);
    assert_eq!(other.outcome, Outcome::Unsupported);
    assert!(other.imprecision.losses[0].detail.contains("may change"));
}

#[test]
fn null_that_a_call_does_not_take_is_a_defect() {
    let (execution, _) = run(
        "fn native(?: *char) -> int
         fn f(_0 p: *char) -> int {
           _1: int
           bb0: _1 = call @native(_0) -> bb1
           bb1: return _1
         }",
        |_| NativeEnd::Null,
    );
    assert_eq!(defect(&execution), Some(DefectKind::NullDereference));
}
