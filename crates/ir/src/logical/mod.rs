//! Logical addresses: inputs named by how the entry function reaches them, so that the same input
//! can be made again later, or by another process.
//!
//! The numbers of cells and objects mean something in one [`InputSpace`] only. An input leaves its
//! space in two ways: as text ([`Addresses`]), which people and other tools read, and together with
//! the part of the space that it needs ([`LogicalInput`]), which loses nothing.
//!
//! As text, an object is `argument 0`, `global counter`, `result read_sensor 1`, `declared text 0`,
//! `allocation 2`, `*(CELL)`, `added to (CELL)` or `place of *(CELL)`; a cell is
//! `OBJECT+BIT:WIDTH`. A value is a number, `NULL`, `new`, `function NAME`, `&OBJECT+BYTE` or
//! `within OBJECT`.

mod portable;

use std::collections::BTreeMap;

use crate::input::{AccessPath, AccessStart, InputSpace, InputValue, InputVector, Made, Root};
use crate::{CellId, ObjectId, Program};

pub use portable::LogicalInput;

/// Values by logical address, both as text.
pub type Cells = BTreeMap<String, String>;

/// The texts for the cells and objects of an input space, as `suite.json` has them.
#[derive(Clone, Copy, Debug)]
pub struct Addresses<'a> {
    /// The program that the objects belong to.
    pub program: &'a Program,
    /// The space.
    pub space: &'a InputSpace,
}

impl Addresses<'_> {
    /// All values of an input except zeros, the default of numbers.
    pub fn cells(&self, input: &InputVector) -> Cells {
        let values = input.values.iter();
        values
            .filter(|(_, value)| **value != InputValue::Bits(0))
            .map(|(&cell, &value)| (self.cell(cell), self.value(value)))
            .collect()
    }

    /// The address of a cell.
    pub fn cell(&self, cell: CellId) -> String {
        let data = self.space.cell_data(cell);
        let object = self.object(data.object);
        format!("{object}+{}:{}", data.offset_bits, data.width)
    }

    /// The address of an object.
    pub fn object(&self, object: ObjectId) -> String {
        let Program {
            functions, globals, ..
        } = self.program;
        match &self.space.object_data(object).root {
            Root::Parameter(index) => format!("argument {index}"),
            Root::Global(global) => format!("global {}", globals[*global].name),
            Root::Pointee(cell) => format!("*({})", self.cell(*cell)),
            Root::Result { function, nth } => format!("result {} {nth}", functions[*function].name),
            Root::After {
                function,
                nth,
                path,
            } => {
                format!(
                    "after {} {nth} {}",
                    functions[*function].name,
                    self.access_path(path)
                )
            }
            Root::Declared { name, nth } => format!("declared {name} {nth}"),
            Root::AllocationFails { nth } => format!("allocation {nth}"),
            Root::Unwritten { made, nth } => match made {
                Made::Allocation => format!("unwritten allocation {nth}"),
                Made::Local => format!("unwritten local {nth}"),
            },
            Root::Mapped(address) => format!("mapped {address:#x}"),
            Root::Added(cell) => format!("added to ({})", self.cell(*cell)),
            Root::Placed(cell) => format!("place of *({})", self.cell(*cell)),
            Root::Call { within: None, nth } => format!("call {nth}"),
            Root::Call {
                within: Some(call),
                nth,
            } => format!("call {nth} in {}", self.object(*call)),
            Root::Summary => "summary".to_owned(),
            Root::Returned(call) => format!("returned by {}", self.object(*call)),
            Root::Changed { call, nth } => format!("changed {nth} by {}", self.object(*call)),
        }
    }

    fn access_path(&self, path: &AccessPath) -> String {
        let start = match &path.start {
            AccessStart::Argument(index) => format!("argument {index}"),
            AccessStart::Rest(types) => format!("further {}", types.len()),
            AccessStart::Global(global) => format!("global {}", self.program.globals[*global].name),
            AccessStart::Object(object) => format!("object {}", self.object(*object)),
            AccessStart::Kept(object) => format!("({})", self.object(*object)),
        };
        let offsets: Vec<String> = path.offsets.iter().map(i64::to_string).collect();
        format!("{start}->{}", offsets.join("->"))
    }

    /// The text of a value.
    pub fn value(&self, value: InputValue) -> String {
        match value {
            InputValue::Kept => "kept".to_owned(),
            InputValue::Bits(bits) => bits.to_string(),
            InputValue::Null => "NULL".to_owned(),
            InputValue::Fresh => "new".to_owned(),
            InputValue::Member { whole, offset } => {
                format!("new {}+{offset}", self.program.types.declare(whole, ""))
            }
            InputValue::Alias { object, offset } => format!("&{}+{offset}", self.object(object)),
            InputValue::Within(object) => format!("within {}", self.object(object)),
            InputValue::Function(function) => {
                format!("function {}", self.program.functions[function].name)
            }
        }
    }

    /// The value that a text stands for; `None` if the text is no value, or names an object,
    /// function or type that is not there.
    pub fn read(&self, text: &str) -> Option<InputValue> {
        if let Some(place) = text.strip_prefix('&') {
            let (object, offset) = place.rsplit_once('+')?;
            let mut objects = self.space.objects().map(|(id, _)| id);
            return Some(InputValue::Alias {
                object: objects.find(|&id| self.object(id) == object)?,
                offset: offset.parse().ok()?,
            });
        }
        if let Some(name) = text.strip_prefix("within ") {
            let mut objects = self.space.objects().map(|(id, _)| id);
            let object = objects.find(|&id| self.object(id) == name)?;
            return Some(InputValue::Within(object));
        }
        if let Some(member) = text.strip_prefix("new ") {
            let (name, offset) = member.rsplit_once('+')?;
            let types = &self.program.types;
            let mut records = types.iter().map(|(id, _)| id);
            return Some(InputValue::Member {
                whole: records.find(|&id| types.declare(id, "") == name)?,
                offset: offset.parse().ok()?,
            });
        }
        if let Some(name) = text.strip_prefix("function ") {
            return self.program.function(name).map(InputValue::Function);
        }
        match text {
            "NULL" => Some(InputValue::Null),
            "kept" => Some(InputValue::Kept),
            "new" => Some(InputValue::Fresh),
            _ => text.parse().ok().map(InputValue::Bits),
        }
    }
}
