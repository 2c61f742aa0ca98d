//! The inputs of a test for people and programs to read: access paths with values.

use std::collections::BTreeMap;
use std::fmt;

use ir::input::{AccessPath, AccessStart, InputValue, Made, Root, ordinal};
use ir::sequence::{CHOICE, Sequence};
use ir::test::TestCase;
use ir::{CellId, FunctionId, IntName, ObjectId, Origin, Type, TypeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Subject;
use crate::c::literal;
use crate::c::runs::LONGEST_ALIKE;
use crate::c::sequence::called;
use crate::graph::{CellValue, Graph, Object};
use ir::path;

/// A value in `suite.json`: a number where it fits one, else text as C writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// An integer.
    Number(i64),
    /// A pointer, a character, an enumerator, a string or an integer beyond 64 bits.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

/// The inputs of a test by C access path: `p`, `p[0].next`, `*q`, `counter`, `read_sensor#2`
/// (the result of the second call).
pub fn inputs(subject: &Subject<'_>, test: &TestCase) -> BTreeMap<String, Value> {
    let graph = Graph::new(subject.space, test);
    let paths = Paths {
        subject,
        graph: &graph,
    };
    let mut inputs = BTreeMap::new();
    if let Some(sequence) = subject.sequence {
        inputs.insert("calls".to_owned(), Value::Text(paths.calls(sequence)));
    }
    for (&id, object) in &graph.objects {
        if matches!(&object.root, Root::Declared { name, .. } if name == CHOICE)
            || matches!(object.root, Root::Added(_) | Root::Placed(_))
        {
            continue;
        }
        if let Root::AllocationFails { nth } = object.root {
            let mut values = object.cells.values().map(|cell| cell.value);
            if values.any(|value| value == InputValue::Bits(1)) {
                let text = Value::Text("fails".to_owned());
                inputs.insert(format!("allocation {}", ordinal(nth)), text);
            }
            continue;
        }
        if subject.program.types.is_library_object(object.ty) {
            let mut values = object.cells.values().map(|cell| cell.value);
            if values.any(|value| value == InputValue::Bits(1))
                && let Some(name) = paths.object(id, 0)
            {
                inputs.insert(name.whole(), Value::Text("takes no output".to_owned()));
            }
            continue;
        }
        if let Some(text) = paths.string(object) {
            if let Some(name) = paths.object(id, 0) {
                inputs.insert(name.whole(), Value::Text(text));
            }
            continue;
        }
        for cell in object.cells.values() {
            if let (Some(path), Some(value)) = (paths.cell(cell.cell, 0), paths.value(cell)) {
                inputs.insert(path, value);
            }
        }
    }
    join_results(&mut inputs, &graph, &paths);
    inputs
}

/// How people write a pointer into an object of a test.
pub(crate) fn pointer(
    subject: &Subject<'_>,
    graph: &Graph,
    (object, offset): (ObjectId, i64),
    ty: TypeId,
) -> Option<String> {
    Paths { subject, graph }.inside(object, offset, ty)
}

/// Tells long runs of calls that return the same number as one: `read#3..read#99`.
fn join_results(inputs: &mut BTreeMap<String, Value>, graph: &Graph, paths: &Paths<'_>) {
    let results = graph.objects.iter().filter_map(|(&id, object)| {
        let cell = object.cells.get(&0).filter(|_| object.cells.len() == 1)?;
        match (&object.root, cell.value) {
            (Root::Result { function, nth }, InputValue::Bits(bits)) => {
                let name = paths.object(id, 0)?.whole();
                Some(((*function, *nth), bits, name))
            }
            _ => None,
        }
    });
    let mut results: Vec<_> = results.collect();
    results.sort_unstable();
    let follows = |left: &((FunctionId, u32), u128, String), right: &((_, u32), u128, _)| {
        left.0.0 == right.0.0 && left.0.1 + 1 == right.0.1 && left.1 == right.1
    };
    for run in results.chunk_by(follows) {
        if let [first, .., last] = run
            && run.len() >= LONGEST_ALIKE
            && let Some(value) = inputs.get(&first.2).cloned()
        {
            for (_, _, name) in run {
                inputs.remove(name);
            }
            inputs.insert(format!("{}..{}", first.2, last.2), value);
        }
    }
}

/// How C names an object.
enum Name {
    /// By a variable or the like.
    Variable(String),
    /// Through a pointer to the only element.
    Single(String),
    /// Through a pointer to one of several elements of so many bits.
    Array(String, i64),
}

impl Name {
    /// The object itself, or the pointer to its elements.
    fn whole(&self) -> String {
        match self {
            Name::Variable(name) => name.clone(),
            Name::Single(pointer) => format!("*{pointer}"),
            Name::Array(pointer, _) => format!("{pointer}[]"),
        }
    }
}

/// Deeper than any chain of pointers that an input has.
const DEEPEST: u32 = 200;

struct Paths<'a> {
    subject: &'a Subject<'a>,
    graph: &'a Graph,
}

impl Paths<'_> {
    /// The functions that a sequence calls.
    fn calls(&self, sequence: &Sequence) -> String {
        let choice = |nth| {
            let name = CHOICE.to_owned();
            let (_, object) = self.graph.find(&Root::Declared { name, nth })?;
            match object.cells.get(&0)?.value {
                InputValue::Bits(bits) => Some(bits),
                _ => None,
            }
        };
        let functions = &self.subject.program.functions;
        let called = called(sequence, choice).map(|call| functions[call.function].name.as_str());
        called.collect::<Vec<_>>().join("; ")
    }

    fn object(&self, id: ObjectId, depth: u32) -> Option<Name> {
        let program = self.subject.program;
        let data = self.subject.space.object_data(id);
        let numbered =
            |name: &str, nth: u32| Some(Name::Variable(format!("{name}#{}", ordinal(nth))));
        match &data.root {
            Root::Parameter(index) => {
                let name = self.subject.function().argument_name(*index as usize);
                Some(Name::Variable(name))
            }
            Root::Global(global) => Some(Name::Variable(program.globals[*global].name.clone())),
            Root::Result { function, nth } => numbered(&program.functions[*function].name, *nth),
            Root::After {
                function,
                nth,
                path,
            } => {
                let name = self.changed(*function, path, depth)?;
                let call = &program.functions[*function].name;
                Some(Name::Variable(format!("{call}#{}: {name}", ordinal(*nth))))
            }
            Root::Mapped(address) => {
                Some(Name::Array(format!("((unsigned char *){address:#x})"), 8))
            }
            Root::Declared { name, nth: 0 } => Some(Name::Variable(name.clone())),
            Root::Declared { name, nth } => numbered(name, *nth),
            Root::AllocationFails { nth } => numbered("allocation_fails", *nth),
            Root::Unwritten { made, nth } => match made {
                Made::Allocation => numbered("allocation", *nth),
                Made::Local => numbered("unwritten", *nth),
            },
            // No test has replaced a call.
            Root::Call { .. } | Root::Returned(_) | Root::Changed { .. } | Root::Summary => None,
            // The pointer's line shows it.
            Root::Added(_) | Root::Placed(_) => None,
            Root::Pointee(cell) => {
                let pointer = self.cell(*cell, depth)?;
                if let Some(member) = self.member(*cell) {
                    let whole = program.types.declare(data.ty, "");
                    return Some(Name::Single(format!(
                        "container_of({pointer}, {whole}, {member})"
                    )));
                }
                let size = program.types.size(data.ty);
                let extent = self.graph.objects.get(&id).map(|object| object.extent)?;
                let single = extent.before == 0 && extent.after <= size;
                Some(if single && !self.is_character(data.ty) {
                    Name::Single(pointer)
                } else {
                    Name::Array(pointer, (size * 8) as i64)
                })
            }
        }
    }

    /// How people call what a function without a body writes to.
    fn changed(&self, function: FunctionId, path: &AccessPath, depth: u32) -> Option<String> {
        let program = self.subject.program;
        let start = match &path.start {
            AccessStart::Argument(index) => {
                program.functions[function].argument_name(*index as usize)
            }
            AccessStart::Rest(types) => format!("further_{}", types.len()),
            AccessStart::Global(global)
                if program.units[program.globals[*global].unit].origin == Origin::Model =>
            {
                "errno".to_owned()
            }
            AccessStart::Global(global) => program.globals[*global].name.clone(),
            AccessStart::Object(object) if depth <= DEEPEST => {
                self.object(*object, depth + 1)?.whole()
            }
            AccessStart::Kept(object) if depth <= DEEPEST => {
                self.object(*object, depth + 1)?.whole()
            }
            AccessStart::Object(_) | AccessStart::Kept(_) => return None,
        };
        let stars = "*".repeat(path.offsets.len() - 1);
        Some(format!("{stars}{start}"))
    }

    /// The member that the pointer in a cell points to, of an object of its own.
    fn member(&self, cell: CellId) -> Option<String> {
        let types = &self.subject.program.types;
        let object = self.graph.objects.get(self.graph.pointees.get(&cell)?)?;
        let data = self.subject.space.cell_data(cell);
        let holder = self.graph.objects.get(&data.object)?;
        let InputValue::Member { whole, offset } = holder.cells.get(&data.offset_bits)?.value
        else {
            return None;
        };
        let pointee = types.pointee(data.ty)?;
        let member = path::part_of_type(types, whole, offset * 8, pointee)?;
        let name = member.path.strip_prefix('.')?;
        (object.ty == whole).then(|| name.to_owned())
    }

    fn cell(&self, id: CellId, depth: u32) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let types = &self.subject.program.types;
        let cell = self.subject.space.cell_data(id);
        let ty = self.subject.space.object_data(cell.object).ty;
        let name = self.object(cell.object, depth + 1)?;
        let (index, offset) = match &name {
            Name::Array(_, stride) if *stride > 0 => (
                cell.offset_bits.div_euclid(*stride),
                cell.offset_bits.rem_euclid(*stride),
            ),
            _ => (0, cell.offset_bits),
        };
        let offset = u64::try_from(offset).ok()?;
        // An object without a name in C is named by its place.
        let path = path::scalar(types, ty, offset, cell.ty, cell.width);
        let path = match &self.subject.space.object_data(cell.object).root {
            Root::Unwritten {
                made: Made::Allocation,
                ..
            } => format!("[{}]", offset / 8),
            _ => path.map_or_else(|| format!("@bit{offset}"), |access| access.path),
        };
        Some(match name {
            Name::Variable(name) => format!("{name}{path}"),
            Name::Single(pointer) => match path.strip_prefix('.') {
                _ if path.is_empty() => format!("*{pointer}"),
                Some(member) => format!("{}->{member}", grouped(&pointer)),
                None => format!("(*{pointer}){path}"),
            },
            Name::Array(pointer, _) => format!("{}[{index}]{path}", grouped(&pointer)),
        })
    }

    fn value(&self, cell: &CellValue) -> Option<Value> {
        let value = self.untagged(cell)?;
        let tag = match cell.value {
            InputValue::Within(_) => 0,
            _ => self.graph.tag(cell.cell),
        };
        Some(match value {
            Value::Text(text) if tag > 0 => Value::Text(format!("{text} + {tag}")),
            _ => value,
        })
    }

    /// An object of its own behind a pointer, as C would declare it.
    fn made(&self, cell: &CellValue) -> Option<Value> {
        let types = &self.subject.program.types;
        let target = self.graph.pointees.get(&cell.cell)?;
        let object = self.graph.objects.get(target)?;
        let size = types.size(object.ty).max(1);
        let count = (object.extent.before + object.extent.after)
            .div_ceil(size)
            .max(1);
        let (count, behind) = match (object.extent.before / size, object.extent.after) {
            (0, _) => (count, String::new()),
            // A test has no empty arrays: it points past an element.
            (1, 0) => (0, String::new()),
            (before, _) => (count, format!(", {before} in front")),
        };
        Some(Value::Text(format!(
            "new {}{behind}",
            types.declare(object.ty, &format!("[{count}]"))
        )))
    }

    fn untagged(&self, cell: &CellValue) -> Option<Value> {
        let program = self.subject.program;
        let types = &program.types;
        Some(match cell.value {
            InputValue::Bits(bits) => self.number(cell, bits),
            InputValue::Null => Value::Text("NULL".to_owned()),
            InputValue::Kept => Value::Text("as before".to_owned()),
            InputValue::Function(function) => Value::Text(program.functions[function].name.clone()),
            InputValue::Fresh => self.made(cell)?,
            InputValue::Within(object) => {
                let pointer = match self.object(object, 0)? {
                    Name::Single(pointer) | Name::Array(pointer, _) => pointer,
                    Name::Variable(name) => format!("&{name}"),
                };
                Value::Text(match self.graph.distance(cell.cell) {
                    0 => pointer,
                    distance @ 1.. => format!("{pointer} + {distance}"),
                    distance => format!("{pointer} - {}", distance.unsigned_abs()),
                })
            }
            InputValue::Member { whole, offset } => {
                let Some(member) = self.member(cell.cell) else {
                    return self.made(cell).filter(|_| offset == 0);
                };
                Value::Text(format!("&(new {})->{member}", types.declare(whole, "")))
            }
            InputValue::Alias { object, offset } => {
                Value::Text(self.inside(object, offset, cell.ty)?)
            }
        })
    }

    /// A pointer of a type into an object.
    fn inside(&self, object: ObjectId, offset: i64, ty: TypeId) -> Option<String> {
        let name = self.object(object, 0)?;
        let member = self.part(object, offset, ty);
        let member = member.as_deref().and_then(|path| path.strip_prefix('.'));
        Some(match (name, offset, member) {
            (Name::Variable(name), _, Some(member)) => format!("&{name}.{member}"),
            (Name::Single(pointer), _, Some(member)) => {
                format!("&{}->{member}", grouped(&pointer))
            }
            (Name::Variable(name), 0, _) => format!("&{name}"),
            (Name::Variable(name), ..) => format!("(char *)&{name} + {offset}"),
            (Name::Single(pointer) | Name::Array(pointer, _), 0, _) => pointer,
            (Name::Single(pointer) | Name::Array(pointer, _), ..) => {
                format!("(char *){pointer} + {offset}")
            }
        })
    }

    /// The path to the part of an object that a pointer of this type points to.
    fn part(&self, object: ObjectId, offset: i64, pointer: TypeId) -> Option<String> {
        let types = &self.subject.program.types;
        let ty = self.subject.space.object_data(object).ty;
        let offset = u64::try_from(offset).ok()?;
        let part = path::part_of_type(types, ty, offset * 8, types.pointee(pointer)?)?;
        Some(part.path)
    }

    fn number(&self, cell: &CellValue, bits: u128) -> Value {
        let types = &self.subject.program.types;
        let signed = types.int(cell.ty).is_some_and(|int| int.signed);
        let plain = match types.kind(cell.ty) {
            Type::Int(int) => int.name != IntName::Char,
            _ => false,
        };
        match i64::try_from(literal::to_i128(bits, cell.width, signed)) {
            Ok(number) if plain && cell.width < 128 => Value::Number(number),
            _ => Value::Text(literal::integer(types, cell.ty, cell.width, bits)),
        }
    }

    /// The text of an array of characters that holds a string.
    fn string(&self, object: &Object) -> Option<String> {
        let is_pointee = matches!(object.root, Root::Pointee(_));
        if !is_pointee || !self.is_character(object.ty) || object.extent.before > 0 {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(object.extent.after).ok()?];
        for (&offset, cell) in &object.cells {
            let InputValue::Bits(bits) = cell.value else {
                return None;
            };
            *bytes.get_mut(usize::try_from(offset / 8).ok()?)? = bits as u8;
        }
        literal::string(literal::terminated(&bytes)?)
    }

    fn is_character(&self, ty: TypeId) -> bool {
        matches!(self.subject.program.types.kind(ty), Type::Int(int) if int.name.is_character())
    }
}

/// A pointer expression that `[]` and `->` may follow.
fn grouped(pointer: &str) -> String {
    if pointer.starts_with('*') {
        format!("({pointer})")
    } else {
        pointer.to_owned()
    }
}
