//! How many IR statements a second the machine runs on concrete code, without and with the order of
//! what it does recorded: prints a table.

use std::time::Instant;

use ir::{CodeIndex, Program};
use vm::{Config, Machine};

const SUM: &str = "
fn main() -> int {
  _0 i: uint
  _1 sum: uint
  _2: int
  bb0:
    _0 = 0
    _1 = 0
    goto bb1
  bb1:
    _2 = lt _0, 3000000
    branch _2 ? bb2 : bb3
  bb2:
    _1 = mul _1, 31
    _1 = add _1, _0
    _1 = xor _1, 7
    _0 = add _0, 1
    goto bb1
  bb3: return 0
}";

const ARRAY: &str = "
fn main() -> int {
  _0 i: int
  _1 j: int
  _2 a: [256 x int]
  _3: int
  _4: int
  bb0:
    _0 = 0
    goto bb1
  bb1:
    _3 = lt _0, 256
    branch _3 ? bb2 : bb3
  bb2:
    _2[_0] = _0
    _0 = add _0, 1
    goto bb1
  bb3:
    _1 = 0
    goto bb4
  bb4:
    _3 = lt _1, 3000000
    branch _3 ? bb5 : bb6
  bb5:
    _3 = and _1, 255
    _4 = load _2[_3]
    _4 = xor _4, _1
    _2[_3] = _4
    _1 = add _1, 1
    goto bb4
  bb6: return 0
}";

const CALLS: &str = "
fn next(_0 x: uint) -> uint {
  _1: uint
  bb0:
    _1 = mul _0, 1664525
    _1 = add _1, 1013904223
    return _1
}
fn main() -> int {
  _0 i: int
  _1 x: uint
  _2: int
  bb0:
    _0 = 0
    _1 = 1
    goto bb1
  bb1:
    _2 = lt _0, 2000000
    branch _2 ? bb2 : bb4
  bb2: _1 = call @next(_1) -> bb3
  bb3:
    _0 = add _0, 1
    goto bb1
  bb4: return 0
}";

const POINTER: &str = "
global text: [1024 x char] = zero
fn main() -> int {
  _0 i: int
  _1 p: *char
  _2 n: ulong
  _3: char
  _4: int
  _5: int
  bb0:
    _0 = 0
    goto bb1
  bb1:
    _4 = lt _0, 3000
    branch _4 ? bb2 : bb5
  bb2:
    _1 = addr @text[0]
    _2 = 0
    goto bb3
  bb3:
    *_1 = 65
    _3 = load *_1
    _4 = int_to_int _3 as int
    _1 = ptr_add _1, 1 x 1
    _2 = add _2, 1
    _5 = lt _2, 1000:ulong
    branch _5 ? bb3 : bb4
  bb4:
    _0 = add _0, 1
    goto bb1
  bb5: return 0
}";

/// The best of so many runs counts.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<12}{:>12}{:>12}{:>18}",
        "program", "order", "steps", "steps a second"
    );
    for (name, text) in [
        ("sum", SUM),
        ("array", ARRAY),
        ("calls", CALLS),
        ("pointer", POINTER),
    ] {
        let program = ir::text::parse(text)?;
        for (order, recorded_events) in [("none", 0), ("recorded", usize::MAX)] {
            let (steps, rate) = best_rate(&program, recorded_events)?;
            println!("{name:<12}{order:>12}{steps:>12}{rate:>18.0}");
        }
    }
    Ok(())
}

/// How many steps a program takes, and how many of them a second.
fn best_rate(program: &Program, recorded_events: usize) -> Result<(u64, f64), &'static str> {
    let main = program.function("main").ok_or("no main")?;
    let index = CodeIndex::new(program);
    let config = Config {
        step_limit: u64::MAX,
        recorded_events,
        ..Config::default()
    };
    let mut machine = Machine::new(program, &index, config);
    let (mut steps, mut best) = (0, 0.0_f64);
    for _ in 0..RUNS {
        let start = Instant::now();
        steps = machine.run(main, &["main".to_owned()]).steps;
        best = best.max(steps as f64 / start.elapsed().as_secs_f64());
    }
    Ok((steps, best))
}
