//! The memory that the abstraction knows: scalar parts of objects that code names.
//!
//! An object is a local in a context or a global. Its locations are the scalars that some access names
//! by a fixed offset: `x`, `s.f`, `a[3]`. What is accessed through pointers or at other indices has
//! no location: a read of it may give anything, and a write to it changes all locations that it may mean.
//!
//! | Access | Read | Write |
//! |:--|:--|:--|
//! | of a location | its value | its value; locations that overlap it are unknown |
//! | inside an object | unknown | all locations of the object in its range are unknown |
//! | through a pointer | unknown | all locations of objects whose address is known are unknown |

use std::collections::BTreeMap;

use analysis::GlobalUses;
use analysis::callbacks::callable_from_outside;
use index_vec::IndexVec;
use ir::{
    ConstantValue, FunctionId, Global, GlobalId, GlobalKind, Linkage, Local, LocalDecl, Operand,
    Origin, Place, PlaceBase, Program, Projection, Rvalue, StatementKind, Terminator, Type, TypeId,
};

use crate::unfolding::{ContextId, Unfolding};

index_vec::define_index_type! {
    /// A location of a [`Locations`].
    pub struct LocationId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// An object that code names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A local of a context.
    Local(ContextId, Local),
    /// A global.
    Global(GlobalId),
}

/// A scalar part of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The object.
    pub object: Object,
    /// Where it begins, in bytes from the start of the object.
    pub offset: u64,
    /// Its type: an integer or a pointer.
    pub ty: TypeId,
}

/// The bytes of an object that a place may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The object.
    pub object: Object,
    /// The first byte, and the one behind the last.
    pub range: (u64, u64),
    /// Whether the place is these bytes and no others.
    pub exact: bool,
}

/// Where an access is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A location.
    Location(LocationId),
    /// Bytes of an object that are no location.
    ByteRange(ByteRange),
    /// Any object whose address is known.
    Indirect,
}

/// All locations of an unfolding.
#[derive(Clone, Debug)]
pub struct Locations {
    locations: IndexVec<LocationId, Location>,
    numbers: BTreeMap<Location, LocationId>,
    of_object: BTreeMap<Object, Vec<LocationId>>,
    /// The locations of objects whose address is known to the code, or that other units know by name.
    addressed: Vec<LocationId>,
    /// All locations of globals.
    of_globals: Vec<LocationId>,
    /// Those of them that functions outside the program may change.
    changed_by_others: Vec<LocationId>,
    /// How the code uses globals.
    uses: GlobalUses,
}

impl Locations {
    /// The locations that the code of an unfolding names.
    pub fn new(unfolding: &Unfolding<'_>) -> Locations {
        let program = unfolding.program();
        let entry = unfolding
            .data(unfolding.context(unfolding.start()))
            .function;
        let mut locations = Locations {
            locations: IndexVec::new(),
            numbers: BTreeMap::new(),
            of_object: BTreeMap::new(),
            addressed: Vec::new(),
            of_globals: Vec::new(),
            changed_by_others: Vec::new(),
            uses: GlobalUses::everywhere(program),
        };
        let others = callable_from_outside(program, entry);
        let others = others.ones().map(FunctionId::from_usize);
        let changed_back = GlobalUses::of(program, others).changed();
        for (context, data) in unfolding.contexts() {
            for local in data.body.locals.indices() {
                let is_register = is_register(program, &data.body.locals[local]);
                if is_register {
                    let ty = data.body.locals[local].ty;
                    locations.add(program, unfolding, Object::Local(context, local), 0, ty);
                }
            }
            each_place(data.body, |place| {
                let part = locate(program, unfolding, context, place);
                if let Some(part) = part.filter(|part| part.exact) {
                    locations.add(program, unfolding, part.object, part.range.0, place.ty);
                }
            });
        }
        let of_globals = locations.of_globals.iter().copied();
        let is_changed = |number: &LocationId| match locations.locations[*number].object {
            Object::Global(global) => changed_back.contains(global.index()),
            Object::Local(..) => false,
        };
        locations.changed_by_others = of_globals.filter(is_changed).collect();
        locations
    }

    /// Adds a location, if it is a scalar that is not volatile, and is not added yet.
    fn add(
        &mut self,
        program: &Program,
        unfolding: &Unfolding<'_>,
        object: Object,
        offset: u64,
        ty: TypeId,
    ) {
        let location = Location { object, offset, ty };
        let is_known = self.numbers.contains_key(&location);
        let never_changes = match object {
            Object::Global(global) => is_constant(program, &self.uses, global),
            Object::Local(..) => false,
        };
        if is_known
            || never_changes
            || width(program, ty).is_none()
            || !is_followed(program, unfolding, object)
        {
            return;
        }
        let number = self.locations.push(location.clone());
        self.numbers.insert(location, number);
        self.of_object.entry(object).or_default().push(number);
        match object {
            Object::Local(context, local) => {
                if unfolding.body(context).locals[local].address_taken {
                    self.addressed.push(number);
                }
            }
            Object::Global(global) => {
                let is_addressed = self.uses.escaped.contains(global.index());
                let data = &program.globals[global];
                self.of_globals.push(number);
                if is_addressed || data.kind == GlobalKind::File(Linkage::External) {
                    self.addressed.push(number);
                }
            }
        }
    }

    /// Where an access to a place is.
    pub fn access(&self, unfolding: &Unfolding<'_>, context: ContextId, place: &Place) -> Access {
        let program = unfolding.program();
        let Some(part) = locate(program, unfolding, context, place) else {
            return Access::Indirect;
        };
        let location = Location {
            object: part.object,
            offset: part.range.0,
            ty: place.ty,
        };
        match self.numbers.get(&location) {
            Some(&number) if part.exact => Access::Location(number),
            _ => Access::ByteRange(part),
        }
    }

    /// The number of a location, if code names it.
    pub fn number(&self, location: &Location) -> Option<LocationId> {
        self.numbers.get(location).copied()
    }

    /// A location.
    pub fn get(&self, number: LocationId) -> &Location {
        &self.locations[number]
    }

    /// All locations.
    pub fn iter(&self) -> impl Iterator<Item = (LocationId, &Location)> {
        self.locations.iter_enumerated()
    }

    /// The locations of an object that lie in a range of its bytes, at least in part.
    pub fn inside(
        &self,
        program: &Program,
        object: Object,
        (first, end): (u64, u64),
    ) -> Vec<LocationId> {
        let all = self.of_object.get(&object).into_iter().flatten();
        let overlaps = |number: &&LocationId| {
            let location = &self.locations[**number];
            location.offset < end && first < location.offset + program.types.size(location.ty)
        };
        all.filter(overlaps).copied().collect()
    }

    /// The locations that a write through an unknown pointer may change.
    pub fn addressed(&self) -> &[LocationId] {
        &self.addressed
    }

    /// Whether a global never changes.
    pub fn is_constant(&self, program: &Program, global: GlobalId) -> bool {
        is_constant(program, &self.uses, global)
    }

    /// The locations of globals that functions of the program change which others may call.
    pub fn changed_by_others(&self) -> &[LocationId] {
        &self.changed_by_others
    }

    /// The locations of globals.
    pub fn of_globals(&self) -> &[LocationId] {
        &self.of_globals
    }
}

/// The width of an integer or a pointer in bits.
pub fn width(program: &Program, ty: TypeId) -> Option<u32> {
    let types = &program.types;
    match types.kind(ty) {
        Type::Pointer { .. } => Some(types.size(ty) as u32 * 8),
        _ => types.int(ty).map(|int| int.width),
    }
}

/// Whether a local is only read and written as a whole, by name.
pub fn is_register(program: &Program, local: &LocalDecl) -> bool {
    !local.address_taken && !local.volatile && program.types.is_scalar(local.ty)
}

/// Whether a global never changes: it is `const`, or a static one that no code writes and whose
/// address no code takes.
fn is_constant(program: &Program, uses: &GlobalUses, global: GlobalId) -> bool {
    let data = &program.globals[global];
    let is_fixed = data.constant || data.kind == GlobalKind::StringLiteral;
    let is_static = matches!(
        data.kind,
        GlobalKind::File(Linkage::Internal) | GlobalKind::StaticLocal(_)
    );
    let is_written = uses.written.contains(global.index()) || uses.escaped.contains(global.index());
    let is_never_written = is_static && !is_written;
    data.initializer.is_some()
        && !data.volatile
        && !data.weak
        && (is_fixed || is_never_written)
        && program.units[data.unit].origin == Origin::User
}

/// Whether what an object holds can be followed at all.
fn is_followed(program: &Program, unfolding: &Unfolding<'_>, object: Object) -> bool {
    match object {
        Object::Local(context, local) => !unfolding.body(context).locals[local].volatile,
        Object::Global(global) => {
            let data: &Global = &program.globals[global];
            let is_user = program.units[data.unit].origin == Origin::User;
            let is_library = program.is_object_of_library(data);
            is_user && !data.volatile && !data.weak && !data.thread_local && !is_library
        }
    }
}

/// Calls a function with each place that a body reads or writes.
fn each_place(body: &ir::Body, mut note: impl FnMut(&Place)) {
    for block in &body.blocks {
        for statement in &block.statements {
            if let StatementKind::Assign(place, value) = &statement.kind {
                note(place);
                if let Rvalue::Load(loaded) = value {
                    note(loaded);
                }
            }
        }
        if let Terminator::Call {
            destination: Some(place),
            ..
        } = &block.terminator
        {
            note(place);
        }
    }
}

/// The object that a place is in, and the bytes of it that the place may mean; `None` if it is
/// behind a pointer.
fn locate(
    program: &Program,
    unfolding: &Unfolding<'_>,
    context: ContextId,
    place: &Place,
) -> Option<ByteRange> {
    let types = &program.types;
    let (object, mut ty) = match place.base {
        PlaceBase::Local(local) => {
            let ty = unfolding.body(context).locals[local].ty;
            (Object::Local(context, local), ty)
        }
        PlaceBase::Global(global) => (Object::Global(global), program.globals[global].ty),
        PlaceBase::Deref(_) => return None,
    };
    let size = types.size(ty);
    let from = |offset| ByteRange {
        object,
        range: (offset, size),
        exact: false,
    };
    let mut offset = 0u64;
    for step in &place.projections {
        let (inner, next) = match (types.kind(ty), step) {
            (Type::Record(record), Projection::Field(index)) => {
                match types.records[*record].fields.get(*index as usize) {
                    Some(field) if !field.volatile && field.bit_width.is_none() => {
                        (field.offset_bits / 8, field.ty)
                    }
                    _ => return Some(from(0)),
                }
            }
            (Type::Array { element, .. }, Projection::Index(Operand::Constant(index))) => {
                let index = match index.value {
                    ConstantValue::Int(index) => u64::try_from(index).ok(),
                    _ => None,
                };
                let at = index.and_then(|index| index.checked_mul(types.size(*element)));
                match at {
                    Some(at) => (at, *element),
                    None => return Some(from(0)),
                }
            }
            (Type::Array { .. }, Projection::Index(_)) => return Some(from(offset)),
            _ => return Some(from(0)),
        };
        offset = match offset.checked_add(inner) {
            Some(offset) if offset <= size => offset,
            _ => return Some(from(0)),
        };
        ty = next;
    }
    let end = offset + types.size(place.ty);
    match end <= size {
        true => Some(ByteRange {
            object,
            range: (offset, end),
            exact: true,
        }),
        false => Some(from(0)),
    }
}
