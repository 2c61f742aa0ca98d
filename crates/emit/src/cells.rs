//! The inputs of a test by logical address, so that the same input can be made again later.
//!
//! An object is `argument 0`, `global counter`, `result read_sensor 1`, `declared text 0`,
//! `allocation 2`, `*(CELL)`, `added to (CELL)` or `place of *(CELL)`; a cell is `OBJECT+BIT:WIDTH`. A
//! value is a number, `NULL`, `new`, `function NAME`, `&OBJECT+BYTE` or `within OBJECT`.

use std::collections::BTreeMap;

use ir::input::{InputSpace, InputValue, InputVector, Made, Root, Way, WayStart};
use ir::{CellId, ObjectId, Program};

/// Values by logical address, as in `suite.json`.
pub type Cells = BTreeMap<String, String>;

/// An input space whose cells and objects are called as in `suite.json`.
#[derive(Clone, Copy, Debug)]
pub struct Addresses<'a> {
    /// The program that the objects belong to.
    pub program: &'a Program,
    /// The space.
    pub space: &'a InputSpace,
}

impl Addresses<'_> {
    /// All values of an input but zeros, which are what numbers are anyway.
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
            Root::After { function, nth, way } => {
                format!(
                    "after {} {nth} {}",
                    functions[*function].name,
                    self.way(way)
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

    fn way(&self, way: &Way) -> String {
        let start = match &way.start {
            WayStart::Argument(index) => format!("argument {index}"),
            WayStart::Rest(types) => format!("further {}", types.len()),
            WayStart::Global(global) => format!("global {}", self.program.globals[*global].name),
            WayStart::Object(object) => self.object(*object),
            WayStart::Kept(object) => format!("({})", self.object(*object)),
        };
        let offsets: Vec<String> = way.offsets.iter().map(i64::to_string).collect();
        format!("{start}->{}", offsets.join("->"))
    }

    fn value(&self, value: InputValue) -> String {
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

    /// The value that a text stands for; `None` if it is none, or speaks of what is not there.
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

#[cfg(test)]
mod tests {
    use ir::input::{InputCell, InputSpace, InputValue, InputVector, Root};
    use ir::{FunctionId, Program, TypeId};

    use super::Addresses;

    #[test]
    fn what_is_written_is_read_again() {
        let text = "fn f(p: *int) {\n bb0: return\n }";
        let program: Program = ir::text::parse(text).expect("a program");
        let mut space = InputSpace::default();
        let ty = TypeId::from_raw(0);
        let parameter = space.object(Root::Parameter(0), ty);
        let cell = |object, offset_bits, width| InputCell {
            object,
            offset_bits,
            ty,
            width,
        };
        let pointer = space.cell(cell(parameter, 0, 64));
        let behind = space.object(Root::Pointee(pointer), ty);
        let element = space.cell(cell(behind, -32, 32));
        let other = space.cell(cell(behind, 64, 64));
        let zero = space.cell(cell(behind, 0, 32));
        let values = [
            (pointer, InputValue::Fresh),
            (element, InputValue::Bits(7)),
            (zero, InputValue::Bits(0)),
            (
                other,
                InputValue::Alias {
                    object: behind,
                    offset: -4,
                },
            ),
        ];
        let input = InputVector {
            values: values.into_iter().collect(),
            ..InputVector::default()
        };
        let addresses = Addresses {
            program: &program,
            space: &space,
        };
        let cells = addresses.cells(&input);
        let written: Vec<(&str, &str)> = cells
            .iter()
            .map(|(cell, value)| (cell.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            written,
            [
                ("*(argument 0+0:64)+-32:32", "7"),
                ("*(argument 0+0:64)+64:64", "&*(argument 0+0:64)+-4"),
                ("argument 0+0:64", "new"),
            ]
        );
        for (cell, value) in values {
            let written = cells.get(&addresses.cell(cell));
            let read = written.and_then(|text| addresses.read(text));
            assert_eq!(read.unwrap_or(InputValue::Bits(0)), value);
        }
        let function = InputValue::Function(FunctionId::from_raw(0));
        assert_eq!(addresses.read("function f"), Some(function));
        assert_eq!(addresses.read("NULL"), Some(InputValue::Null));
        for nonsense in ["", "seven", "&nothing", "&global x+0", "function g", "-1"] {
            assert_eq!(addresses.read(nonsense), None, "{nonsense}");
        }
    }
}
