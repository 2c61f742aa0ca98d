//! Inputs that leave their space by logical addresses and come back.

use ir::input::{
    AccessPath, AccessStart, CallMode, Expands, Extent, InputCell, InputSpace, InputValue,
    InputVector, Made, Root,
};
use ir::logical::{Addresses, Cells, LogicalInput};
use ir::{CellId, FunctionId, GlobalId, ObjectId, Program, TypeId};
use proptest::prelude::*;

const PROGRAM: &str = "
global x: int = zero
fn g(p: *int) -> int
fn f(p: *int) {
 bb0: return
 }";

fn program() -> Program {
    ir::text::parse(PROGRAM).expect("a program")
}

/// All objects have one type, so that no two of them have the same text.
fn ty() -> TypeId {
    TypeId::from_raw(0)
}

/// A space and an input in it, built from random choices.
#[derive(Debug, Default)]
struct Built {
    space: InputSpace,
    input: InputVector,
}

impl Built {
    fn new(choices: &[(u8, u8, u8, u8)]) -> Self {
        let mut built = Built::default();
        built.object(Root::Parameter(0));
        for &choice in choices {
            built.add(choice);
        }
        built
    }

    fn object(&mut self, root: Root) -> ObjectId {
        self.space.object(root, ty())
    }

    fn some_object(&self, at: u8) -> ObjectId {
        ObjectId::from_usize(at as usize % self.space.objects().count())
    }

    fn some_cell(&self, at: u8) -> Option<CellId> {
        let count = self.space.cells().count();
        (count > 0).then(|| CellId::from_usize(at as usize % count))
    }

    /// Adds an object, a cell, a value, or what else an input says.
    fn add(&mut self, (what, which, at, number): (u8, u8, u8, u8)) {
        match what % 4 {
            0 => {
                if let Some(root) = self.root(which, at, number) {
                    self.object(root);
                }
            }
            1 => {
                let object = self.some_object(at);
                self.space.cell(InputCell {
                    object,
                    offset_bits: i64::from(number as i8) * 8,
                    ty: ty(),
                    width: [8, 32, 64][which as usize % 3],
                });
            }
            2 => {
                let value = self.value(which, at, number);
                if let Some(cell) = self.some_cell(at.wrapping_add(number)) {
                    self.input.values.insert(cell, value);
                }
            }
            _ => self.say(which, at, number),
        }
    }

    fn root(&self, which: u8, at: u8, number: u8) -> Option<Root> {
        let nth = u32::from(number % 3);
        let function = FunctionId::from_raw(0);
        let object = self.some_object(at);
        let after = |start| Root::After {
            function,
            nth,
            path: Box::new(AccessPath {
                start,
                offsets: vec![0, i64::from(number)],
            }),
        };
        Some(match which % 17 {
            0 => Root::Parameter(nth),
            1 => Root::Global(GlobalId::from_raw(0)),
            2 | 3 => Root::Pointee(self.some_cell(at)?),
            4 => Root::Result { function, nth },
            5 => after(AccessStart::Argument(nth)),
            6 => after(AccessStart::Global(GlobalId::from_raw(0))),
            7 => after(AccessStart::Object(object)),
            8 => after(AccessStart::Kept(object)),
            9 => Root::AllocationFails { nth },
            10 => Root::Unwritten {
                made: Made::Local,
                nth,
            },
            11 => Root::Mapped(u64::from(number) << 12),
            12 => Root::Added(self.some_cell(at)?),
            13 => Root::Placed(self.some_cell(at)?),
            14 => Root::Call {
                within: number.is_multiple_of(2).then_some(object),
                nth,
            },
            15 => Root::Returned(object),
            _ => Root::Changed { call: object, nth },
        })
    }

    fn value(&self, which: u8, at: u8, number: u8) -> InputValue {
        let object = self.some_object(at);
        match which % 8 {
            0 => InputValue::Bits(u128::from(number)),
            1 => InputValue::Null,
            2 => InputValue::Fresh,
            3 => InputValue::Member {
                whole: ty(),
                offset: u64::from(number),
            },
            4 => InputValue::Alias {
                object,
                offset: i64::from(number as i8),
            },
            5 => InputValue::Within(object),
            6 => InputValue::Function(FunctionId::from_raw(u32::from(number % 2))),
            _ => InputValue::Kept,
        }
    }

    fn say(&mut self, which: u8, at: u8, number: u8) {
        let object = self.some_object(at);
        let input = &mut self.input;
        match which % 4 {
            0 => {
                let extent = Extent {
                    before: u64::from(number % 4),
                    after: u64::from(number),
                };
                input.extents.insert(object, extent);
            }
            1 => {
                input.exact.insert(object);
            }
            2 => {
                let mode = CallMode::ALL[number as usize % CallMode::ALL.len()];
                input.calls.insert(object, mode);
            }
            _ => {
                input.expands = match number % 3 {
                    0 => Expands::Nothing,
                    1 => Expands::Calls([object].into()),
                    _ => Expands::All,
                }
            }
        }
    }

    fn cells(&self, program: &Program) -> Cells {
        let space = &self.space;
        Addresses { program, space }.cells(&self.input)
    }
}

fn choices() -> impl Strategy<Value = Vec<(u8, u8, u8, u8)>> {
    proptest::collection::vec(any::<(u8, u8, u8, u8)>(), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// An input that leaves its space, enters another one and goes back from there is what it was.
    #[test]
    fn an_input_comes_back_as_it_was(choices in choices(), others in choices()) {
        let program = program();
        let Built { mut space, input } = Built::new(&choices);
        let mut other = Built::new(&others);
        let left = LogicalInput::leave(&space, &input);
        other.input = left.enter(&mut other.space);
        let cells = Built { space: space.clone(), input: input.clone() }.cells(&program);
        prop_assert_eq!(other.cells(&program), cells);
        let back = LogicalInput::leave(&other.space, &other.input).enter(&mut space);
        prop_assert_eq!(back, input);
    }

    /// Nothing but what the input is about leaves with it, and coming back makes nothing new.
    #[test]
    fn an_input_takes_only_what_it_needs(choices in choices()) {
        let Built { mut space, input } = Built::new(&choices);
        let left = LogicalInput::leave(&space, &input);
        let before = (space.objects().count(), space.cells().count());
        prop_assert!(left.space().objects().count() <= before.0);
        prop_assert!(left.space().cells().count() <= before.1);
        prop_assert_eq!(left.enter(&mut space), input);
        prop_assert_eq!((space.objects().count(), space.cells().count()), before);
    }

    /// The text of a value is read back as the value, and zeros are not written.
    #[test]
    fn a_text_is_read_back_as_the_value(choices in choices()) {
        let program = program();
        let Built { space, input } = Built::new(&choices);
        let addresses = Addresses { program: &program, space: &space };
        let cells = addresses.cells(&input);
        for (&cell, &value) in &input.values {
            let written = cells.get(&addresses.cell(cell));
            let read = written.map_or(Some(InputValue::Bits(0)), |text| addresses.read(text));
            prop_assert_eq!(read, Some(value));
        }
    }
}

/// An object that holds the argument is not the argument.
#[test]
fn paths_from_an_object_and_from_an_argument_have_two_texts() {
    let program = program();
    let mut built = Built::default();
    let parameter = built.object(Root::Parameter(0));
    let mut after = |start| {
        let path = AccessPath {
            start,
            offsets: vec![0, 8],
        };
        built.object(Root::After {
            function: FunctionId::from_raw(0),
            nth: 0,
            path: Box::new(path),
        })
    };
    let objects = [
        after(AccessStart::Argument(0)),
        after(AccessStart::Object(parameter)),
        after(AccessStart::Kept(parameter)),
    ];
    let space = &built.space;
    let addresses = Addresses {
        program: &program,
        space,
    };
    assert_eq!(
        objects.map(|object| addresses.object(object)),
        [
            "after g 0 argument 0->0->8",
            "after g 0 object argument 0->0->8",
            "after g 0 (argument 0)->0->8",
        ]
    );
}

#[test]
fn addresses_are_written_as_documented() {
    let program = program();
    let mut built = Built::default();
    let parameter = built.object(Root::Parameter(0));
    let cell = |object, offset_bits, width| InputCell {
        object,
        offset_bits,
        ty: ty(),
        width,
    };
    let pointer = built.space.cell(cell(parameter, 0, 64));
    let behind = built.object(Root::Pointee(pointer));
    let element = built.space.cell(cell(behind, -32, 32));
    let other = built.space.cell(cell(behind, 64, 64));
    let zero = built.space.cell(cell(behind, 0, 32));
    let alias = InputValue::Alias {
        object: behind,
        offset: -4,
    };
    built.input.values = [
        (pointer, InputValue::Fresh),
        (element, InputValue::Bits(7)),
        (zero, InputValue::Bits(0)),
        (other, alias),
    ]
    .into();
    let cells = built.cells(&program);
    let cells = cells.iter();
    let written: Vec<_> = cells.map(|(cell, value)| (&**cell, &**value)).collect();
    assert_eq!(
        written,
        [
            ("*(argument 0+0:64)+-32:32", "7"),
            ("*(argument 0+0:64)+64:64", "&*(argument 0+0:64)+-4"),
            ("argument 0+0:64", "new"),
        ]
    );
    let addresses = Addresses {
        program: &program,
        space: &built.space,
    };
    for nonsense in ["", "seven", "&nothing", "&global x+0", "function h", "-1"] {
        assert_eq!(addresses.read(nonsense), None, "{nonsense}");
    }
}
