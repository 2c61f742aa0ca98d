//! What people call inputs: the expressions by which C gets to them.

use ir::input::{InputSpace, Made, Root, ordinal};
use ir::{CellId, FunctionId, ObjectId, Program, TypeId, path};

use crate::run::Run;

/// Names inputs as C code of a function does.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function that is executed.
    pub entry: FunctionId,
    /// The space that the inputs are numbered in.
    pub space: &'a InputSpace,
}

/// How C names an input object.
enum Name {
    /// By a variable or the like.
    Variable(String),
    /// Through a pointer to its elements.
    Behind(String),
    /// Through a pointer to something inside it.
    Around(String),
}

impl Run<'_, '_> {
    fn names(&self) -> Names<'_> {
        Names {
            program: self.code.program,
            entry: self.entry,
            space: self.space,
        }
    }

    /// What people call an input: `p->next`.
    pub fn describe(&self, cell: CellId) -> String {
        self.names().cell(cell)
    }

    /// What people call an input object: `*p`.
    pub fn object_name(&self, object: ObjectId) -> String {
        self.names().object(object)
    }
}

impl Names<'_> {
    /// What people call an input: `p->next`.
    pub fn cell(&self, cell: CellId) -> String {
        let types = &self.program.types;
        let data = self.space.cell_data(cell);
        let ty = self.space.object_data(data.object).ty;
        let stride = types.size(ty) as i64 * 8;
        let name = self.name(data.object);
        let (index, offset) = match name {
            Name::Behind(_) | Name::Around(_) if stride > 0 => (
                data.offset_bits.div_euclid(stride),
                data.offset_bits.rem_euclid(stride),
            ),
            _ => (0, data.offset_bits),
        };
        let access = u64::try_from(offset)
            .ok()
            .and_then(|offset| path::scalar(types, ty, offset, data.ty, data.width));
        let Some(path) = access.map(|access| access.path) else {
            return format!("{} at byte {}", name.whole(), data.offset_bits / 8);
        };
        match (name, path.strip_prefix('.')) {
            (Name::Behind(pointer), Some(member)) if index == 0 => {
                format!("{}->{member}", grouped(pointer))
            }
            (Name::Behind(pointer), None) if index == 0 && path.is_empty() => format!("*{pointer}"),
            (Name::Behind(pointer), _) => format!("{}[{index}]{path}", grouped(pointer)),
            (Name::Around(pointer), member) if index == 0 => {
                let member = member.unwrap_or(&path);
                format!("{member} of the object around *{pointer}")
            }
            (Name::Around(pointer), _) => format!("{}[{index}]{path}", grouped(pointer)),
            (Name::Variable(name), _) => name + &path,
        }
    }

    /// What people call an input object: `*p`.
    pub fn object(&self, object: ObjectId) -> String {
        self.name(object).whole()
    }

    fn name(&self, object: ObjectId) -> Name {
        let object = self.space.object_data(object);
        let functions = &self.program.functions;
        Name::Variable(match &object.root {
            Root::Parameter(index) => {
                let name = functions[self.entry].parameter_name(*index as usize);
                name.map_or_else(|| format!("parameter {}", index + 1), str::to_owned)
            }
            Root::Global(global) => self.program.globals[*global].name.clone(),
            Root::Pointee(cell) if self.is_behind(*cell, object.ty) => {
                return Name::Behind(self.cell(*cell));
            }
            Root::Pointee(cell) => return Name::Around(self.cell(*cell)),
            Root::Result { function, .. } => format!("the result of {}", functions[*function].name),
            Root::After { function, .. } => format!("what {} wrote", functions[*function].name),
            Root::Declared { name, .. } => name.clone(),
            Root::AllocationFails { nth } => format!("the failure of allocation {}", ordinal(*nth)),
            Root::Unwritten {
                made: Made::Allocation,
                nth,
            } => format!("the contents of allocation {}", ordinal(*nth)),
            Root::Unwritten {
                made: Made::Local, ..
            } => "an unwritten local".to_owned(),
            Root::Call { nth, .. } => format!("call {nth}"),
            Root::Returned(call) => format!("the result of {}", self.object(*call)),
            Root::Added(cell) => format!("what is added to {}", self.cell(*cell)),
            Root::Placed(cell) => format!("where *{} lies", self.cell(*cell)),
            Root::Mapped(address) => format!("the memory at {address:#x}"),
            Root::Summary => "what a summary is about".to_owned(),
            Root::Changed { call, nth } => {
                format!("object {nth} after {}", self.object(*call))
            }
        })
    }

    /// Whether objects of the type are what the pointer in a cell points to, rather than something
    /// around that.
    fn is_behind(&self, pointer: CellId, ty: TypeId) -> bool {
        let types = &self.program.types;
        let pointee = types.pointee(self.space.cell_data(pointer).ty);
        pointee.is_none_or(|pointee| pointee == ty || types.size(pointee) == 0)
    }
}

impl Name {
    fn whole(&self) -> String {
        match self {
            Name::Variable(name) => name.clone(),
            Name::Behind(pointer) => format!("*{pointer}"),
            Name::Around(pointer) => format!("the object around *{pointer}"),
        }
    }
}

/// A pointer expression that `[]` and `->` may follow.
fn grouped(pointer: String) -> String {
    match pointer.starts_with('*') {
        true => format!("({pointer})"),
        false => pointer,
    }
}
