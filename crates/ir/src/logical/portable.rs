//! An input with the part of its space that it needs.

use std::collections::BTreeMap;

use crate::input::{
    AccessPath, AccessStart, Expands, InputCell, InputSpace, InputValue, InputVector, Root,
};
use crate::{CellId, ObjectId};

/// An input that has left its space: it brings the objects and cells that it is about, by their
/// logical addresses, and no others. Numbers of types, functions and globals are the program's.
#[derive(Clone, Debug, Default)]
pub struct LogicalInput {
    space: InputSpace,
    input: InputVector,
}

impl LogicalInput {
    /// Takes an input out of its space.
    pub fn leave(space: &InputSpace, input: &InputVector) -> Self {
        let mut own = InputSpace::default();
        let input = Translation::new(space, input).apply(input, &mut own);
        LogicalInput { space: own, input }
    }

    /// The input in another space, which numbers the objects and cells that are new to it.
    pub fn enter(&self, space: &mut InputSpace) -> InputVector {
        Translation::new(&self.space, &self.input).apply(&self.input, space)
    }

    /// The objects and cells that the input is about.
    pub fn space(&self) -> &InputSpace {
        &self.space
    }

    /// The input, as numbered by [`LogicalInput::space`].
    pub fn input(&self) -> &InputVector {
        &self.input
    }
}

/// From the numbers of one space to those of another.
struct Translation<'a> {
    from: &'a InputSpace,
    /// The objects that the input is about, by their old numbers, with their new ones.
    objects: BTreeMap<ObjectId, ObjectId>,
}

impl<'a> Translation<'a> {
    /// Finds the objects that an input is about. They have no new numbers yet.
    fn new(from: &'a InputSpace, input: &InputVector) -> Self {
        let mut open: Vec<ObjectId> = Vec::new();
        for (&cell, &value) in &input.values {
            open.push(from.cell_data(cell).object);
            open.extend(object_of(value));
        }
        open.extend(input.extents.keys());
        open.extend(&input.exact);
        open.extend(input.calls.keys());
        if let Expands::Calls(calls) = &input.expands {
            open.extend(calls);
        }
        let mut objects = BTreeMap::new();
        while let Some(id) = open.pop() {
            if objects.insert(id, id).is_none() {
                open.extend(parent(from, &from.object_data(id).root));
            }
        }
        Translation { from, objects }
    }

    fn apply(mut self, input: &InputVector, to: &mut InputSpace) -> InputVector {
        let old: Vec<ObjectId> = self.objects.keys().copied().collect();
        // An object has a larger number than the one that it hangs off.
        for id in old {
            let data = self.from.object_data(id);
            let root = self.root(&data.root, to);
            self.objects.insert(id, to.object(root, data.ty));
        }
        let values = input.values.iter();
        InputVector {
            values: values
                .map(|(&cell, &value)| (self.cell(cell, to), self.value(value)))
                .collect(),
            extents: self.keyed(&input.extents),
            exact: input.exact.iter().map(|&id| self.object(id)).collect(),
            calls: self.keyed(&input.calls),
            expands: match &input.expands {
                Expands::Nothing => Expands::Nothing,
                Expands::Calls(calls) => {
                    Expands::Calls(calls.iter().map(|&id| self.object(id)).collect())
                }
                Expands::All => Expands::All,
            },
        }
    }

    fn object(&self, id: ObjectId) -> ObjectId {
        self.objects[&id]
    }

    fn keyed<T: Copy>(&self, map: &BTreeMap<ObjectId, T>) -> BTreeMap<ObjectId, T> {
        let entries = map.iter();
        entries.map(|(&id, &of)| (self.object(id), of)).collect()
    }

    fn cell(&self, id: CellId, to: &mut InputSpace) -> CellId {
        let data = *self.from.cell_data(id);
        to.cell(InputCell {
            object: self.object(data.object),
            ..data
        })
    }

    fn root(&self, root: &Root, to: &mut InputSpace) -> Root {
        match root {
            Root::Pointee(cell) => Root::Pointee(self.cell(*cell, to)),
            Root::Added(cell) => Root::Added(self.cell(*cell, to)),
            Root::Placed(cell) => Root::Placed(self.cell(*cell, to)),
            Root::After {
                function,
                nth,
                path,
            } => Root::After {
                function: *function,
                nth: *nth,
                path: Box::new(AccessPath {
                    start: match &path.start {
                        AccessStart::Object(object) => AccessStart::Object(self.object(*object)),
                        AccessStart::Kept(object) => AccessStart::Kept(self.object(*object)),
                        start => start.clone(),
                    },
                    offsets: path.offsets.clone(),
                }),
            },
            Root::Call { within, nth } => Root::Call {
                within: within.map(|call| self.object(call)),
                nth: *nth,
            },
            Root::Returned(call) => Root::Returned(self.object(*call)),
            Root::Changed { call, nth } => Root::Changed {
                call: self.object(*call),
                nth: *nth,
            },
            Root::Parameter(_)
            | Root::Global(_)
            | Root::Result { .. }
            | Root::Declared { .. }
            | Root::AllocationFails { .. }
            | Root::Unwritten { .. }
            | Root::Mapped(_)
            | Root::Summary => root.clone(),
        }
    }

    fn value(&self, value: InputValue) -> InputValue {
        match value {
            InputValue::Alias { object, offset } => InputValue::Alias {
                object: self.object(object),
                offset,
            },
            InputValue::Within(object) => InputValue::Within(self.object(object)),
            InputValue::Bits(_)
            | InputValue::Null
            | InputValue::Fresh
            | InputValue::Member { .. }
            | InputValue::Function(_)
            | InputValue::Kept => value,
        }
    }
}

/// The object that a value is about.
fn object_of(value: InputValue) -> Option<ObjectId> {
    match value {
        InputValue::Alias { object, .. } | InputValue::Within(object) => Some(object),
        _ => None,
    }
}

/// The object that a root hangs off.
fn parent(space: &InputSpace, root: &Root) -> Option<ObjectId> {
    match root {
        Root::Pointee(cell) | Root::Added(cell) | Root::Placed(cell) => {
            Some(space.cell_data(*cell).object)
        }
        Root::After { path, .. } => match path.start {
            AccessStart::Object(object) | AccessStart::Kept(object) => Some(object),
            AccessStart::Argument(_) | AccessStart::Rest(_) | AccessStart::Global(_) => None,
        },
        Root::Call { within, .. } => *within,
        Root::Returned(call) | Root::Changed { call, .. } => Some(*call),
        _ => None,
    }
}
