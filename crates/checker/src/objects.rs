//! Objects, and the scalars in them.

use ir::certificate;
use ir::{GlobalId, Local, OPEN_ARRAY_BYTES, Program, RecordKind, Type, TypeId};

use crate::unfolding::{FrameId, Node, Unfolding};

/// Calls that allocate nodes of the heap which one pointer may lead to, by the number of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(pub u32);

/// An object, or a number that the checker keeps beside the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A local of a frame.
    Local(FrameId, Local),
    /// A global.
    Global(GlobalId),
    /// None of the program: the index of the element that a pointer, a local of a frame, leads to.
    Position(FrameId, Local),
    /// The nodes of a class.
    Nodes(Class),
    /// What all of these hold in a member, by their addresses: its first byte and its size in bytes.
    Member(Class, u64, u64),
    /// None of the program: a bit for each address, whether a node of a class is allocated there.
    Live(Class),
    /// What the call at the end of a node allocates, which is executed once at most. Its size is open.
    Heap(Node),
}

/// The width of indices.
pub const INDEX_WIDTH: u32 = 64;

impl Unfolding<'_> {
    /// The type of an object of the program.
    pub fn type_of(&self, object: Object) -> Option<TypeId> {
        match object {
            Object::Local(frame, local) => Some(self.frames[frame].body.locals[local].ty),
            Object::Global(global) => Some(self.program.globals[global].ty),
            Object::Position(..)
            | Object::Nodes(_)
            | Object::Member(..)
            | Object::Live(_)
            | Object::Heap(_) => None,
        }
    }

    /// The size of an object in bits; nodes of a class may be of any size.
    pub fn bits_of(&self, object: Object) -> u64 {
        match object {
            Object::Nodes(_) => return u64::MAX,
            Object::Heap(_) => return OPEN_ARRAY_BYTES * 8,
            _ => {}
        }
        let ty = self.type_of(object);
        ty.map_or(u64::from(INDEX_WIDTH), |ty| {
            self.program.types.size(ty).saturating_mul(8)
        })
    }

    /// The arrays of two elements or more that a byte of an object lies in, the outer ones first; also
    /// the object itself, if it is an array that ends before that byte.
    pub fn arrays_at(&self, object: Object, byte: u64) -> Vec<Array> {
        let mut found = Vec::new();
        if let Some(ty) = self.type_of(object) {
            arrays_in(self.program, (ty, 0), byte, &mut found);
        }
        found
    }

    /// Whether a local is a scalar that is only read and written as a whole, by name.
    pub fn is_register(&self, frame: FrameId, local: Local) -> bool {
        let decl = &self.frames[frame].body.locals[local];
        !decl.address_taken && !decl.volatile && self.program.types.is_scalar(decl.ty)
    }

    /// The object that a certificate names, where a frame is the last one on the stack.
    pub fn named(&self, named: &certificate::Object, innermost: FrameId) -> Option<Object> {
        match named {
            certificate::Object::Local { frame, local } => {
                let frame = *self.stack(innermost).get(*frame as usize)?;
                let local = Local::from_raw(*local);
                self.frames[frame].body.locals.get(local)?;
                Some(Object::Local(frame, local))
            }
            certificate::Object::Global { number, name } => {
                let global = GlobalId::from_raw(*number);
                let data = self.program.globals.get(global)?;
                (data.name == *name).then_some(Object::Global(global))
            }
            certificate::Object::Heap { allocation } => self.call_of(allocation).map(Object::Heap),
        }
    }
}

/// An array that is an object, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Where its first element starts, in bytes from the start of the object.
    pub first: u64,
    /// The size of an element in bytes.
    pub stride: u64,
    /// How many there are.
    pub count: u64,
}

impl Array {
    /// The elements of a size that an object consists of whose size is open.
    pub fn open(stride: u64) -> Option<Array> {
        Some(Array {
            first: 0,
            stride,
            count: OPEN_ARRAY_BYTES.checked_div(stride)?,
        })
    }

    /// Whether it has elements that can be told apart.
    pub fn is_proper(&self) -> bool {
        self.stride > 0 && self.count >= 2
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.count.saturating_mul(self.stride)
    }

    /// The element that a byte of the object lies in, and how far it is from the start of that; also
    /// for the place behind the last one.
    pub fn element_at(&self, byte: u64) -> Option<(u64, u64)> {
        let from_first = byte.checked_sub(self.first)?;
        let number = from_first.checked_div(self.stride)?;
        (number <= self.count).then_some((number, from_first % self.stride))
    }
}

/// Collects the arrays around a byte in a part of an object: the type of the part and its start.
fn arrays_in(program: &Program, (ty, start): (TypeId, u64), byte: u64, found: &mut Vec<Array>) {
    let types = &program.types;
    match types.kind(ty) {
        Type::Array {
            element,
            length: Some(count),
        } => {
            let array = Array {
                first: start,
                stride: types.size(*element),
                count: *count,
            };
            if array.is_proper() {
                found.push(array);
            }
            if let Some((number, inside)) = array.element_at(byte)
                && number < array.count
            {
                arrays_in(program, (*element, byte - inside), byte, found);
            }
        }
        Type::Record(record) if types.records[*record].kind == RecordKind::Struct => {
            let fields = types.records[*record].fields.iter();
            let mut plain = fields.filter(|field| field.bit_width.is_none());
            let around = plain.find_map(|field| {
                let first = start + field.offset_bits / 8;
                let bytes = first..first + types.size(field.ty);
                bytes.contains(&byte).then_some((field.ty, first))
            });
            if let Some(part) = around {
                arrays_in(program, part, byte, found);
            }
        }
        _ => {}
    }
}

/// What lies at some bit of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A scalar, or a byte of a union: from a bit on, so many.
    Scalar(u64, u64),
    /// No value, up to some bit: it may be anything after each store (C17 6.2.6.1p6).
    Padding(u64),
}

/// How many elements arrays have at least of which the elements are not all told apart.
const LARGE: u64 = 9;

/// The scalar at a bit of an object of a type.
pub fn leaf(program: &Program, ty: TypeId, bit: u64) -> Leaf {
    let types = &program.types;
    let size = types.size(ty).saturating_mul(8);
    match types.kind(ty) {
        Type::Array { element, .. } => {
            let stride = types.size(*element).saturating_mul(8);
            if stride == 0 {
                return byte(bit);
            }
            moved(leaf(program, *element, bit % stride), bit - bit % stride)
        }
        Type::Record(record) if types.records[*record].kind == RecordKind::Struct => {
            let mut next = size.max(bit + 1);
            for field in &types.records[*record].fields {
                let start = field.offset_bits;
                let whole = types.size(field.ty).saturating_mul(8);
                let width = field.bit_width.map_or(whole, u64::from);
                if (start..start + width).contains(&bit) {
                    return match field.bit_width {
                        Some(_) => Leaf::Scalar(start, width),
                        None => moved(leaf(program, field.ty, bit - start), start),
                    };
                }
                if start > bit {
                    next = next.min(start);
                }
            }
            Leaf::Padding(next)
        }
        Type::Int(_) | Type::Enum(_) | Type::Pointer { .. } if size <= 128 && bit < size => {
            Leaf::Scalar(0, size)
        }
        _ => byte(bit),
    }
}

fn byte(bit: u64) -> Leaf {
    Leaf::Scalar(bit / 8 * 8, 8)
}

fn moved(leaf: Leaf, by: u64) -> Leaf {
    match leaf {
        Leaf::Scalar(start, width) => Leaf::Scalar(start + by, width),
        Leaf::Padding(end) => Leaf::Padding(end + by),
    }
}

/// Whether an object of a type is or holds a union.
pub fn holds_union(program: &Program, ty: TypeId) -> bool {
    let types = &program.types;
    types.record(types.element_of(ty)).is_some_and(|record| {
        let mut fields = record.fields.iter();
        record.kind == RecordKind::Union || fields.any(|field| holds_union(program, field.ty))
    })
}

/// The innermost large array around a bit of an object of a type: where its first element starts,
/// as bits, the size of an element in bytes, and how many there are.
pub fn large_array(program: &Program, ty: TypeId, bit: u64) -> Option<(u64, u64, u64)> {
    let types = &program.types;
    match types.kind(ty) {
        Type::Array { element, length } => {
            let stride = types.size(*element);
            let index = (bit / 8).checked_div(stride)?;
            let inside = bit - index * stride * 8;
            let within = large_array(program, *element, inside);
            let within = within.map(|(first, size, count)| (first + bit - inside, size, count));
            let own = length.filter(|&count| (LARGE..).contains(&count) && index < count);
            within.or(own.map(|count| (0, stride, count)))
        }
        Type::Record(record) => {
            let fields = types.records[*record].fields.iter();
            let mut around = fields.filter(|field| {
                let size = types.size(field.ty) * 8;
                field.bit_width.is_none()
                    && (field.offset_bits..field.offset_bits + size).contains(&bit)
            });
            let field = around.next()?;
            let (first, stride, count) = large_array(program, field.ty, bit - field.offset_bits)?;
            Some((first + field.offset_bits, stride, count))
        }
        _ => None,
    }
}

/// Whether the elements of an array are not all told apart.
pub fn is_large(count: u64) -> bool {
    count >= LARGE
}
