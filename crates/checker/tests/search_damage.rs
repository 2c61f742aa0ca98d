//! Damaged paths of searches: they are refused exactly where some input takes a path that they lack,
//! which is found by trying all inputs.
//!
//! ```text
//! random programs ─► search ─► inputs ─► damage ─► checker, z3: refused?
//!                                           └────► all inputs: is there another path?
//! ```

#[path = "support/searched.rs"]
mod searched;
mod support;

use std::collections::BTreeSet;

use expr::Terms;
use fastrand::Rng;
use ir::certificate::paths::TakenPaths;
use ir::input::{InputSpace, InputValue, InputVector, Root};
use ir::{CellId, CodeIndex};
use searched::{Searched, searched};
use vm::{ConstraintKind, Defaults, InputProvider, Machine};

/// How many programs there are, and how many times the paths of each are damaged.
const PROGRAMS: u64 = 16;
const DAMAGES: u64 = 12;

/// How many random choices a program makes.
const CHOICES: u32 = 4;

/// A program that adds even numbers to a sum, by choices on two bytes, of the second of which three bits
/// count. At the end, the sum is not odd.
fn program(random: &mut Rng) -> String {
    let mut text =
        "fn f(a: uchar, b: uchar) -> int {\n  d0 if = c0\n  _2 m: uchar\n  _3 s: uchar\n  \
                    _4: int\n  _5: uchar\n  bb0: _2 = and _1, 7; _3 = 0; goto bb1\n"
            .to_owned();
    for choice in 0..CHOICES {
        let (here, then, next) = (2 * choice + 1, 2 * choice + 2, 2 * choice + 3);
        let (operand, limit) = match random.u8(..3) {
            0 => ("_0", random.u8(..)),
            1 => ("_2", random.u8(..8)),
            _ => ("_3", random.u8(..64)),
        };
        let operator = ["lt", "gt", "eq", "ne"][random.usize(..4)];
        let added = match random.u8(..3) {
            0 => "_3 = add _3, _0; _3 = add _3, _0".to_owned(),
            1 => "_5 = div _0, _2; _3 = add _3, _5; _3 = add _3, _5".to_owned(),
            _ => format!("_3 = add _3, {}", 2 * random.u8(..60)),
        };
        text += &format!(
            "  bb{here}: _4 = {operator} {operand}, {limit}; branch _4 ? bb{then} : bb{next}\n  \
             bb{then}: {added}; goto bb{next}\n"
        );
    }
    let end = 2 * CHOICES + 1;
    text += &format!(
        "  bb{end}: _3 = and _3, 1; _4 = ne _3, 0; branch _4 ? bb{} : bb{} tag c0 true/false\n  \
         bb{}: return 1\n  bb{}: return 0\n}}",
        end + 1,
        end + 2,
        end + 1,
        end + 2
    );
    text
}

/// The values of the two parameters.
struct Bytes([u8; 2]);

impl Defaults for Bytes {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        match space.object_data(space.cell_data(cell).object).root {
            Root::Parameter(number) => {
                let value = self.0.get(number as usize)?;
                Some(InputValue::Bits(u128::from(*value)))
            }
            _ => None,
        }
    }
}

/// What an execution did at its choices: where, what, and whether it is a defect.
type Path = Vec<(String, u32, bool)>;

/// Executes the program on inputs.
struct Bench<'a> {
    searched: &'a Searched,
    machine: Machine<'a>,
    space: InputSpace,
    terms: Terms,
}

impl<'a> Bench<'a> {
    fn new(searched: &'a Searched, index: &CodeIndex) -> Self {
        let config = vm::Config::default();
        Bench {
            searched,
            machine: Machine::new(&searched.program, index, config),
            space: InputSpace::default(),
            terms: Terms::default(),
        }
    }

    /// The path of an input.
    fn path(&mut self, bytes: [u8; 2]) -> Path {
        let values = Bytes(bytes);
        let vector = InputVector::default();
        let input = InputProvider {
            defaults: &values,
            ..InputProvider::from(&vector)
        };
        let entry = self.searched.options.entry;
        let (space, terms) = (&mut self.space, &mut self.terms);
        let execution = self.machine.execute_if(None, entry, input, space, terms);
        let path = execution.path.iter();
        let choices = path.map(|it| {
            let is_defect = matches!(it.kind, ConstraintKind::Check(_)) && it.taken == 0;
            (format!("{:?}", it.site), it.taken, is_defect)
        });
        choices.collect()
    }

    /// Whether some input takes a path that none of these take, but for one into a defect.
    fn lacks_a_path(&mut self, paths: &TakenPaths) -> bool {
        let mut given = BTreeSet::new();
        for input in &paths.inputs {
            let path = self.path(bytes(paths, input));
            given.extend((1..=path.len()).map(|length| path[..length].to_vec()));
        }
        let mut all = (0..=255).flat_map(|a| (0..8).map(move |b| [a, b]));
        all.any(|input| {
            let path = self.path(input);
            let mut prefixes = (1..=path.len()).map(|length| &path[..length]);
            let leaves = prefixes.find(|prefix| !given.contains(*prefix));
            leaves.is_some_and(|prefix| !prefix.iter().any(|choice| choice.2))
        })
    }
}

/// The bytes that an input gives.
fn bytes(paths: &TakenPaths, input: &[(u32, String)]) -> [u8; 2] {
    let value = |parameter: usize| {
        let address = format!("argument {parameter}+0:8");
        let mut values = input.iter();
        let found = values.find(|(cell, _)| paths.cells[*cell as usize] == address);
        found.map_or(0, |(_, value)| value.parse().expect("a byte"))
    };
    [value(0), value(1)]
}

/// Some damage: paths are missing, or an input is another.
fn damage(paths: &mut TakenPaths, random: &mut Rng) {
    match random.u8(..3) {
        0 => {
            for _ in 0..=random.u8(..2) {
                let at = random.usize(..paths.inputs.len().max(1));
                if paths.inputs.len() > 1 {
                    paths.inputs.remove(at);
                }
            }
        }
        1 => {
            let at = random.usize(..paths.inputs.len());
            let other = random.usize(..paths.inputs.len());
            paths.inputs[at] = paths.inputs[other].clone();
        }
        _ => {
            let at = random.usize(..paths.inputs.len());
            for (_, value) in &mut paths.inputs[at] {
                *value = random.u8(..).to_string();
            }
        }
    }
}

#[test]
fn damaged_paths_are_refused_where_a_path_is_missing() {
    let mut random = Rng::with_seed(11);
    let mut counts = [0, 0];
    for _ in 0..PROGRAMS {
        let text = program(&mut random);
        let searched = searched(&text, |_| ());
        let index = CodeIndex::new(&searched.program);
        let goal = searched.edge(2 * CHOICES + 1, 0);
        let mut bench = Bench::new(&searched, &index);
        assert!(!bench.lacks_a_path(&searched.paths), "{text}");
        searched.is_accepted(goal);
        for _ in 0..DAMAGES {
            let damaged = searched.changed(|paths| damage(paths, &mut random));
            let is_missing = bench.lacks_a_path(&damaged);
            let found = searched.checked(&damaged, goal);
            assert_eq!(found.is_err(), is_missing, "{text}\n{damaged:?}\n{found:?}");
            counts[usize::from(is_missing)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}
