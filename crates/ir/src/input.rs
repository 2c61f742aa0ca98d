//! Inputs as data: the logical input map (CUTE, section 3.1).
//!
//! Every input of an execution has a logical address that does not depend on where the machine or
//! the compiled program puts it. Objects hang off roots (a parameter, a global, the result of a
//! call without a body, …) and off pointer cells of other objects; each scalar inside an object
//! is a cell. An [`InputSpace`] numbers the objects and cells that any execution has met, so that
//! one logical input keeps its number across executions; an [`InputVector`] gives values to some
//! of them. Cells are met lazily: an execution asks for a cell only when the code looks at it.

use std::collections::{BTreeMap, BTreeSet};

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::lengths::LengthOf;
use crate::{CellId, FunctionId, GlobalId, ObjectId, TypeId};

/// Where an input object comes from: its logical address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// The value of a parameter of the entry function, by its index.
    Parameter(u32),
    /// A global of the program; an `extern` object without a definition is one too.
    Global(GlobalId),
    /// The object behind the pointer in a cell, when that cell is [`InputValue::Fresh`] or
    /// [`InputValue::Member`]. The cell may be an integer that is used as a pointer.
    Pointee(CellId),
    /// The result of the `nth` call (from 0) of a function without a body.
    Result {
        /// The function.
        function: FunctionId,
        /// Which of its calls in one execution.
        nth: u32,
    },
    /// The value of the `nth` input with this name (from 0), where the code declares inputs:
    /// `ATTEST_INPUT`, `klee_make_symbolic`, …
    Declared {
        /// The name that the code gives it.
        name: String,
        /// Which of those with that name in one execution.
        nth: u32,
    },
    /// The contents of an object after the `nth` call (from 0) of a function without a body, which
    /// may have changed it. Its cells are counted as the object's.
    After {
        /// The function.
        function: FunctionId,
        /// Which of its calls in one execution.
        nth: u32,
        /// How the call reaches the object.
        path: Box<AccessPath>,
    },
    /// Whether the `nth` allocation (from 0) of an execution fails: a cell of one bit.
    AllocationFails {
        /// Which allocation of one execution.
        nth: u32,
    },
    /// The contents of an object that the program made, where it was never written: an unspecified
    /// value (C17, 3.19.2).
    Unwritten {
        /// What made the object.
        made: Made,
        /// Which object of one execution (from 0): the allocation, or the local that is read
        /// unwritten.
        nth: u32,
    },
    /// A call that lazy expansion may replace by inputs (LATEST, section 3.2); its type is that of
    /// the function. It has no cells: it is there for its number.
    Call {
        /// The call that was expanded and that it is made in; `None` in the unit itself.
        within: Option<ObjectId>,
        /// Which of those in there.
        nth: u32,
    },
    /// The result of such a call, which was not expanded.
    Returned(ObjectId),
    /// The contents of an object after such a call, which may have changed it.
    Changed {
        /// The call.
        call: ObjectId,
        /// Which of the objects that it may have changed.
        nth: u32,
    },
    /// A number that is added to the pointer in a cell: to an address as low bits, as tags are; to
    /// [`InputValue::Within`] as a signed number of elements. It has one cell, at offset 0.
    Added(CellId),
    /// The distance of the object behind the pointer in a cell from a multiple of 16, in alignments
    /// of its type, where the code accesses it as a type with a larger alignment. It has one cell,
    /// at offset 0.
    Placed(CellId),
    /// A page of memory at an address that the program has as a constant, in bytes.
    Mapped(u64),
    /// The object with the cells of summaries, wherever they are taken. No execution has it.
    Summary,
}

/// The first number of the inputs that are counted and that a precondition takes. No test calls it,
/// so that those of the tested function count from 0.
pub const OF_PRECONDITION: u32 = 1 << 30;

impl Root {
    /// Whether only a precondition takes the input.
    pub fn is_of_precondition(&self) -> bool {
        match self {
            Root::Result { nth, .. }
            | Root::Declared { nth, .. }
            | Root::After { nth, .. }
            | Root::AllocationFails { nth }
            | Root::Unwritten { nth, .. } => *nth >= OF_PRECONDITION,
            _ => false,
        }
    }
}

/// How people count inputs, from 1: `3`, or `3 of the precondition`.
pub fn ordinal(nth: u32) -> String {
    match nth.checked_sub(OF_PRECONDITION) {
        Some(nth) => format!("{} of the precondition", nth.saturating_add(1)),
        None => (nth + 1).to_string(),
    }
}

/// How a call of a function without a body reaches an object that it may change: a
/// start, and offsets in bytes. The first offset is added to the start; each further one is added
/// to the pointer that was found there, or is 0 if an input moved that: see
/// [`crate::test::TestCase::moved`]. The object's cells are counted from the last place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessPath {
    /// The start.
    pub start: AccessStart,
    /// The offsets, at least one.
    pub offsets: Vec<i64>,
}

/// The start of a [`AccessPath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessStart {
    /// The argument for this parameter, at its place.
    Argument(u32),
    /// An argument after those for parameters: the types of all of these, up to it.
    Rest(Vec<TypeId>),
    /// A global.
    Global(GlobalId),
    /// An input object, where its cells are counted from.
    Object(ObjectId),
    /// An object that an earlier call could change, [`Root::After`].
    Kept(ObjectId),
}

/// The origin of an object that starts with unspecified contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Made {
    /// An allocation: the contents that the allocator leaves there.
    Allocation,
    /// A declaration: the contents that the stack holds there.
    Local,
}

/// An object of the input memory graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputObject {
    /// Its logical address.
    pub root: Root,
    /// Its type; for a pointee, the type of one element.
    pub ty: TypeId,
}

/// A scalar of an input object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputCell {
    /// The object that it lies in.
    pub object: ObjectId,
    /// Offset from the start of the object in bits; for a pointee, from the element where the
    /// pointer points, and so possibly negative.
    pub offset_bits: i64,
    /// Its scalar type.
    pub ty: TypeId,
    /// Its width in bits: that of the type, of the bit-field, or 1 for `_Bool`.
    pub width: u32,
}

/// The objects and cells that executions have met, numbered.
#[derive(Clone, Debug, Default)]
pub struct InputSpace {
    /// Pairs of inputs of which one gives the number of elements behind the other, as far as the code
    /// tells.
    pub lengths: Vec<LengthOf>,
    objects: IndexVec<ObjectId, InputObject>,
    cells: IndexVec<CellId, InputCell>,
    object_ids: FxHashMap<(Root, TypeId), ObjectId>,
    cell_ids: FxHashMap<InputCell, CellId>,
    choices: FxHashMap<InputValue, u32>,
}

impl InputSpace {
    /// The number of an object, given out now if it is new.
    pub fn object(&mut self, root: Root, ty: TypeId) -> ObjectId {
        let objects = &mut self.objects;
        *self
            .object_ids
            .entry((root, ty))
            .or_insert_with_key(|(root, ty)| {
                objects.push(InputObject {
                    root: root.clone(),
                    ty: *ty,
                })
            })
    }

    /// The number of a cell, given out now if it is new.
    pub fn cell(&mut self, cell: InputCell) -> CellId {
        let cells = &mut self.cells;
        *self
            .cell_ids
            .entry(cell)
            .or_insert_with(|| cells.push(cell))
    }

    /// The number of an object, if it has one.
    pub fn find(&self, root: &Root, ty: TypeId) -> Option<ObjectId> {
        self.object_ids.get(&(root.clone(), ty)).copied()
    }

    /// The number of a cell, if it has one.
    pub fn find_cell(&self, cell: &InputCell) -> Option<CellId> {
        self.cell_ids.get(cell).copied()
    }

    /// The number of a value that a pointer can have, given out now if it is new. One number stands
    /// for the same value in all cells.
    pub fn choice(&mut self, value: InputValue) -> u32 {
        let next = self.choices.len() as u32;
        *self.choices.entry(value).or_insert(next)
    }

    /// The object with this number.
    pub fn object_data(&self, id: ObjectId) -> &InputObject {
        &self.objects[id]
    }

    /// The cell with this number.
    pub fn cell_data(&self, id: CellId) -> &InputCell {
        &self.cells[id]
    }

    /// Whether a cell is the result of a replaced call, or a value that such a call changed.
    pub fn is_of_call(&self, cell: CellId) -> bool {
        match self.objects[self.cells[cell].object].root {
            Root::Returned(_) | Root::Changed { .. } => true,
            Root::Pointee(pointer) | Root::Added(pointer) | Root::Placed(pointer) => {
                self.is_of_call(pointer)
            }
            _ => false,
        }
    }

    /// The function without a body that returned or wrote a cell, or a pointer that leads to it;
    /// its own name goes with it.
    pub fn function_behind(&self, cell: CellId) -> Option<FunctionId> {
        match self.objects[self.cells[cell].object].root {
            Root::Result { function, .. } | Root::After { function, .. } => Some(function),
            Root::Pointee(pointer) => self.function_behind(pointer),
            _ => None,
        }
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &InputObject)> {
        self.objects.iter_enumerated()
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, &InputCell)> {
        self.cells.iter_enumerated()
    }
}

/// The value of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputValue {
    /// An integer, as the bits of the cell's width; higher bits are zero.
    Bits(u128),
    /// The null pointer.
    Null,
    /// A pointer to an object of its own, [`Root::Pointee`] of the cell.
    Fresh,
    /// A pointer to a member of an object of its own, which is [`Root::Pointee`] of the cell with
    /// the type `whole`.
    Member {
        /// The type of the object.
        whole: TypeId,
        /// Offset of the member in bytes.
        offset: u64,
    },
    /// A pointer into an input object that exists already.
    Alias {
        /// The object.
        object: ObjectId,
        /// Offset in bytes from the object's start (for a pointee, from where its pointer points).
        offset: i64,
    },
    /// A pointer into the array behind another pointer, [`Root::Added`] elements from where that
    /// one points.
    Within(ObjectId),
    /// A function of the program.
    Function(FunctionId),
    /// The value of the pointer before the call of [`Root::After`], which leaves it alone.
    Kept,
}

/// The mode of a call of a function that lazy expansion may replace by inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallMode {
    /// It is replaced: its result, and what it may change, are inputs.
    Abstract,
    /// It is executed.
    Entered,
    /// It is replaced, and does not return: it ends the program.
    Ends,
}

impl CallMode {
    /// All of them; the position is that of the variant.
    pub const ALL: [CallMode; 3] = [CallMode::Abstract, CallMode::Entered, CallMode::Ends];
}

/// How far an object behind a pointer extends from where the pointer points, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Bytes before the pointer.
    pub before: u64,
    /// Bytes from the pointer on.
    pub after: u64,
}

/// One input: values for cells of an [`InputSpace`]. Cells without a value take the default, 0 or
/// NULL. Objects behind pointers without an extent grow as far as the code reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputVector {
    /// The values.
    pub values: BTreeMap<CellId, InputValue>,
    /// The extents of objects behind pointers, once an execution has found how far they go.
    pub extents: BTreeMap<ObjectId, Extent>,
    /// The objects behind pointers that are just as long as the input that gives their length says.
    pub exact: BTreeSet<ObjectId>,
    /// The modes of the calls that can be replaced by inputs, [`Root::Call`]. A call without a mode
    /// is replaced if an input decides in it.
    pub calls: BTreeMap<ObjectId, CallMode>,
    /// The calls without a mode that are executed where an input decides in them.
    pub expands: Expands,
}

impl InputVector {
    /// Removes the values of cells outside the objects that they are numbered in: an execution may
    /// look at more of an array than its final extent.
    pub fn keep_within_extents(&mut self, space: &InputSpace) {
        let extents = &self.extents;
        self.values.retain(|&cell, _| {
            let data = space.cell_data(cell);
            let first = data.offset_bits.div_euclid(8);
            let end = (data.offset_bits + i64::from(data.width) + 7).div_euclid(8);
            extents
                .get(&data.object)
                .is_none_or(|extent| first >= -(extent.before as i64) && end <= extent.after as i64)
        });
    }
}

/// The calls that are executed where an input decides in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expands {
    /// None.
    #[default]
    Nothing,
    /// These.
    Calls(BTreeSet<ObjectId>),
    /// All.
    All,
}

impl Expands {
    /// Whether a call is one of them.
    pub fn has(&self, call: ObjectId) -> bool {
        match self {
            Expands::Nothing => false,
            Expands::Calls(calls) => calls.contains(&call),
            Expands::All => true,
        }
    }
}
