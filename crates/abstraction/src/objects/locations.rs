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
//! | through a pointer | unknown | all locations of objects whose address escapes are unknown |

use std::collections::{BTreeMap, BTreeSet};

use analysis::GlobalUses;
use analysis::callbacks::callable_from_outside;
use index_vec::IndexVec;
use ir::library::is_place_of_linker;
use ir::{
    FunctionId, Global, GlobalId, GlobalKind, Linkage, Local, Operand, Origin, Place, Program,
    Rvalue, StatementKind, Terminator, TypeId,
};

use crate::graph::unfolding::{ContextId, Unfolding};
use crate::objects::compared::compared;
use crate::objects::elements::Elements;
use crate::objects::indexed::{Element, element, part_of_element};
use crate::objects::location::{AtIndex, Location};
use crate::objects::places::{ByteRange, Nodes, Object, Offset, Pointers, copied, is_register};
use crate::objects::scalars::width;
use crate::objects::slots::Leads;
use crate::objects::targets::targets;

index_vec::define_index_type! {
    /// A location of a [`Locations`].
    pub struct LocationId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// The width of the index in bits.
pub const INDEX_WIDTH: u32 = 64;

/// How many elements of an array are known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownElements {
    /// That at the index.
    One,
    /// That at the second index, too, where code compares elements of an array with each other, and
    /// where nodes of the heap lead to others.
    Two,
}

/// Where an access is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A location.
    Location(LocationId),
    /// A scalar of a node on the heap, which the pointer that the place is behind leads to.
    Node(LocationId),
    /// Bytes of an object that are no location.
    ByteRange(ByteRange),
    /// Any object whose address is known.
    Indirect,
}

/// All locations of an unfolding.
#[derive(Clone, Debug)]
pub struct Locations {
    /// The pointers that lead to one known place.
    pointers: Pointers,
    locations: IndexVec<LocationId, Location>,
    numbers: BTreeMap<Location, LocationId>,
    of_object: BTreeMap<Object, Vec<LocationId>>,
    /// The index at which elements are known, if any are.
    index: Option<LocationId>,
    /// The elements at the index.
    elements: Vec<LocationId>,
    /// The second index, if elements are known there, and these by those at the index.
    second: Option<LocationId>,
    at_second: BTreeMap<LocationId, LocationId>,
    /// The locations of objects whose address escapes, or that other units know by name.
    addressed: Vec<LocationId>,
    /// All locations of globals.
    of_globals: Vec<LocationId>,
    /// Those of them that functions outside the program may change.
    changed_by_others: Vec<LocationId>,
    /// How the code uses globals.
    uses: GlobalUses,
    /// The objects whose address escapes.
    escaped: BTreeSet<Object>,
    /// The types of nodes as code sees them.
    node_types: BTreeMap<Object, TypeId>,
}

impl Locations {
    /// The locations that the code of an unfolding names.
    pub fn new(unfolding: &Unfolding<'_>, known: KnownElements) -> Locations {
        let program = unfolding.program();
        let entry = unfolding
            .data(unfolding.context(unfolding.start()))
            .function;
        let mut uses = GlobalUses::everywhere(program);
        if program.globals.iter().any(is_place_of_linker) {
            // Other objects lie there.
            uses.escaped.insert_range(..);
        }
        let (pointers, escaped) = targets(unfolding);
        let mut locations = Locations {
            escaped,
            pointers,
            locations: IndexVec::new(),
            numbers: BTreeMap::new(),
            of_object: BTreeMap::new(),
            index: None,
            elements: Vec::new(),
            second: None,
            at_second: BTreeMap::new(),
            addressed: Vec::new(),
            of_globals: Vec::new(),
            changed_by_others: Vec::new(),
            uses,
            node_types: BTreeMap::new(),
        };
        let others = callable_from_outside(program, entry);
        let others = others.ones().map(FunctionId::from_usize);
        let changed_back = GlobalUses::of(program, others).changed();
        for (context, data) in unfolding.contexts() {
            for local in data.body.locals.indices() {
                let is_register = is_register(program, &data.body.locals[local]);
                if is_register {
                    let ty = data.body.locals[local].ty;
                    let location = Location::at(Object::Local(context, local), 0, ty);
                    locations.add(program, unfolding, location);
                }
            }
            each_place(data.body, |place| {
                let part = locations.pointers.locate(unfolding, context, place);
                if let Some(part) = part.filter(|part| part.exact) {
                    let location = Location::of_part(program, part, place.ty);
                    locations.add(program, unfolding, location);
                    locations.add_node_type(unfolding, context, place, part);
                }
                let indexed = element(&locations.pointers, unfolding, context, place);
                if let Some(element) = indexed {
                    for location in locations_of(&element, place.ty) {
                        locations.add(program, unfolding, location);
                    }
                }
            });
        }
        locations.add_allocated(program, unfolding);
        while locations.add_copied(program, unfolding) {}
        locations.add_positions(program, unfolding);
        locations.add_index();
        if known == KnownElements::Two {
            locations.add_second(program, unfolding);
        }
        let of_globals = locations.of_globals.iter().copied();
        let is_changed = |number: &LocationId| match locations.locations[*number].object {
            Object::Global(global) => changed_back.contains(global.index()),
            _ => false,
        };
        locations.changed_by_others = of_globals.filter(is_changed).collect();
        locations
    }

    /// Adds the scalars of records that are copied to where code names the same scalars. Returns
    /// whether there are new ones.
    fn add_copied(&mut self, program: &Program, unfolding: &Unfolding<'_>) -> bool {
        let before = self.locations.len();
        for (context, data) in unfolding.contexts() {
            let blocks = data.body.blocks.iter();
            for statement in blocks.flat_map(|block| &block.statements) {
                let StatementKind::Assign(to, value) = &statement.kind else {
                    continue;
                };
                let from = copied(value, to.ty);
                let from = from.and_then(|it| self.pointers.locate(unfolding, context, &it));
                let is_node = |part: &ByteRange| matches!(part.object, Object::Nodes(_));
                let Some(from) = from.filter(|from| from.exact && !is_node(from)) else {
                    continue;
                };
                for (inside, ty) in self.scalars_in(unfolding, context, to) {
                    let location = Location::at(from.object, from.range.0 + inside, ty);
                    self.add(program, unfolding, location);
                }
            }
        }
        self.locations.len() > before
    }

    /// The scalars that code names in a place that is no scalar itself, or in any element of an array
    /// that it is: how many bytes from its start, and their types.
    fn scalars_in(
        &self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        place: &Place,
    ) -> BTreeSet<(u64, TypeId)> {
        let program = unfolding.program();
        let size = program.types.size(place.ty);
        if program.types.is_scalar(place.ty) {
            return BTreeSet::new();
        }
        let part = self.pointers.locate(unfolding, context, place);
        let element = part_of_element(&self.pointers, unfolding, context, place);
        let (object, elements) = match (part.filter(|part| part.exact), element) {
            (Some(part), _) => (part.object, Elements::one(part.range.0, size)),
            (None, Some(element)) => (element.object, element.elements),
            (None, None) => return BTreeSet::new(),
        };
        let all = self.inside(program, object, (elements.first, elements.end(size)));
        let scalars = all.into_iter().filter_map(|number| {
            let Location { offset, ty, .. } = self.locations[number];
            let inside = offset.checked_sub(elements.first)? % elements.stride;
            (inside + program.types.size(ty) <= size).then_some((inside, ty))
        });
        scalars.collect()
    }

    /// Adds the positions of pointers into arrays.
    fn add_positions(&mut self, program: &Program, unfolding: &Unfolding<'_>) {
        let moving: Vec<_> = self.pointers.moving().collect();
        for (context, local) in moving {
            let ty = unfolding.body(context).locals[local].ty;
            let location = Location::at(Object::Position(context, local), 0, ty);
            self.add(program, unfolding, location);
        }
    }

    /// Adds whether nodes are allocated.
    fn add_allocated(&mut self, program: &Program, unfolding: &Unfolding<'_>) {
        let allocated: BTreeSet<Object> = self.pointers.allocated.values().copied().collect();
        let nodes = allocated.into_iter().filter_map(|object| match object {
            Object::Nodes(nodes) => Some(nodes),
            _ => None,
        });
        for nodes in nodes {
            let members = self.of_object.get(&Object::Nodes(nodes));
            let member = members.and_then(|members| members.first());
            // The type is of no account.
            if let Some(ty) = member.map(|&member| self.locations[member].ty) {
                let flag = Elements::one(0, 1);
                let location = Location::element(Object::Allocated(nodes), flag, ty);
                self.add(program, unfolding, location);
            }
        }
    }

    /// Notes the type of nodes that a place is in.
    fn add_node_type(
        &mut self,
        unfolding: &Unfolding<'_>,
        context: ContextId,
        place: &Place,
        part: ByteRange,
    ) {
        let base = self.pointers.base(unfolding, context, place);
        if let (Object::Nodes(_), Some((target, ty))) = (part.object, base)
            && target.offset == Offset::Exact(0)
        {
            self.node_types.entry(part.object).or_insert(ty);
        }
    }

    /// The type of the nodes of an object, as code sees them.
    pub fn node_type(&self, object: Object) -> Option<TypeId> {
        self.node_types.get(&object).copied()
    }

    /// The location that holds whether the node of a class at the index is allocated, if any scalar of
    /// these is known.
    pub fn allocated(&self, nodes: Nodes) -> Option<LocationId> {
        let flags = self.of_object.get(&Object::Allocated(nodes))?;
        flags.first().copied()
    }

    /// The class of nodes that the pointer in a location leads to, if it leads to nodes.
    pub fn leads_to(&self, unfolding: &Unfolding<'_>, number: LocationId) -> Option<Nodes> {
        let Location {
            object, offset, ty, ..
        } = self.locations[number];
        let size = unfolding.program().types.size(ty);
        let named = match object {
            Object::Local(context, local) if offset == 0 => {
                self.pointers
                    .object(unfolding, context, &Operand::Copy(local))
            }
            _ => None,
        };
        let held = || match self.pointers.slots.read(object, (offset, offset + size)) {
            Leads::To(target) => Some(target.object),
            Leads::Nowhere | Leads::Anywhere => None,
        };
        match named.or_else(held)? {
            Object::Nodes(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// Whether a location is a pointer that always leads to the start of an object of the heap.
    pub fn is_start(&self, unfolding: &Unfolding<'_>, number: LocationId) -> bool {
        let Object::Local(context, local) = self.locations[number].object else {
            return false;
        };
        let target = self
            .pointers
            .target(unfolding, context, &Operand::Copy(local));
        target.is_some_and(|target| {
            matches!(target.object, Object::Heap(_)) && target.offset == Offset::Exact(0)
        })
    }

    /// Whether a location is of nodes on the heap.
    pub fn is_of_nodes(&self, number: LocationId) -> bool {
        matches!(
            self.locations[number].object,
            Object::Nodes(_) | Object::Allocated(_)
        )
    }

    /// Adds the index, if elements are known. Its type is of no account.
    fn add_index(&mut self) {
        let first = self.elements.first().map(|&first| &self.locations[first]);
        if let Some(ty) = first.map(|first| first.ty) {
            self.index = Some(self.locations.push(Location::at(Object::Index, 0, ty)));
        }
    }

    /// What is known of the nodes that lead to others of their class, as those of lists and trees do.
    fn linked(&self, unfolding: &Unfolding<'_>) -> Vec<Location> {
        let mut found = Vec::new();
        for (&object, members) in &self.of_object {
            let Object::Nodes(nodes) = object else {
                continue;
            };
            let mut led_to = members.iter().map(|&it| self.leads_to(unfolding, it));
            if led_to.any(|it| it == Some(nodes)) {
                let known = members.iter().copied().chain(self.allocated(nodes));
                found.extend(known.map(|it| self.locations[it].clone()));
            }
        }
        found
    }

    /// Adds the elements at the second index, and that index, if elements are compared with each
    /// other, or are of nodes that lead to others.
    fn add_second(&mut self, program: &Program, unfolding: &Unfolding<'_>) {
        let mut known_twice = compared(unfolding, &self.pointers);
        known_twice.extend(self.linked(unfolding));
        for location in known_twice {
            let Some(&first) = self.numbers.get(&location) else {
                continue;
            };
            let second = location.at_second();
            self.add(program, unfolding, second.clone());
            if let Some(&second) = self.numbers.get(&second) {
                self.at_second.insert(first, second);
            }
        }
        let index = self.index.filter(|_| !self.at_second.is_empty());
        if let Some(index) = index {
            let second = self.locations[index].clone().at_second();
            self.second = Some(self.locations.push(second));
        }
    }

    /// Adds a location, if it is a scalar that is not volatile, and is not added yet.
    fn add(&mut self, program: &Program, unfolding: &Unfolding<'_>, location: Location) {
        let Location {
            object, ty, of, at, ..
        } = location;
        let is_known = self.numbers.contains_key(&location);
        let never_changes = match object {
            Object::Global(global) => is_constant(program, &self.uses, global),
            _ => false,
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
        if of.is_some() && at == AtIndex::First {
            self.elements.push(number);
        }
        let is_known_by_name = match object {
            Object::Global(global) => {
                self.of_globals.push(number);
                program.globals[global].kind == GlobalKind::File(Linkage::External)
            }
            _ => false,
        };
        if is_known_by_name || self.escaped.contains(&object) {
            self.addressed.push(number);
        }
    }

    /// Where an access to a place is.
    pub fn access(&self, unfolding: &Unfolding<'_>, context: ContextId, place: &Place) -> Access {
        let Some(part) = self.pointers.locate(unfolding, context, place) else {
            return Access::Indirect;
        };
        let location = Location::of_part(unfolding.program(), part, place.ty);
        match (self.numbers.get(&location), part.object) {
            (Some(&number), Object::Nodes(_)) if part.exact => Access::Node(number),
            // Which node it is in, is not told.
            (_, Object::Nodes(_)) => Access::ByteRange(ByteRange {
                exact: false,
                ..part
            }),
            (Some(&number), _) if part.exact => Access::Location(number),
            _ => Access::ByteRange(part),
        }
    }

    /// The number of a location, if code names it.
    pub fn number(&self, location: &Location) -> Option<LocationId> {
        self.numbers.get(location).copied()
    }

    /// The position of a pointer, a local of a context, in the array that it leads into.
    pub fn position(&self, context: ContextId, pointer: Local) -> Option<LocationId> {
        let mut numbers = self
            .of_object
            .get(&Object::Position(context, pointer))?
            .iter();
        numbers.next().copied()
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
            let size = program.types.size(location.ty);
            let behind = location
                .of
                .map_or(location.offset + size, |elements| elements.end(size));
            location.offset < end && first < behind
        };
        all.filter(overlaps).copied().collect()
    }

    /// The pointers that lead to one known place.
    pub fn pointers(&self) -> &Pointers {
        &self.pointers
    }

    /// The index at which elements are known, if any are.
    pub fn index(&self) -> Option<LocationId> {
        self.index
    }

    /// One of the indices, if elements are known there.
    pub fn index_at(&self, at: AtIndex) -> Option<LocationId> {
        match at {
            AtIndex::First => self.index,
            AtIndex::Second => self.second,
        }
    }

    /// The element at the second index of the array whose element at the index is a location, if it
    /// is known.
    pub fn at_second(&self, element: LocationId) -> Option<LocationId> {
        self.at_second.get(&element).copied()
    }

    /// The elements of arrays that are known at both indices.
    pub fn pairs(&self) -> impl Iterator<Item = (LocationId, LocationId)> + '_ {
        self.at_second
            .iter()
            .map(|(&first, &second)| (first, second))
    }

    /// The elements at the index.
    pub fn elements(&self) -> &[LocationId] {
        &self.elements
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

/// The locations that the elements of an array are, which have a type.
fn locations_of(element: &Element<'_>, ty: TypeId) -> Vec<Location> {
    let Element {
        object, elements, ..
    } = *element;
    match elements.is_small() {
        true => elements
            .offsets()
            .map(|offset| Location::at(object, offset, ty))
            .collect(),
        false => vec![Location::element(object, elements, ty)],
    }
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
        Object::Nodes(_)
        | Object::Allocated(_)
        | Object::Heap(_)
        | Object::Index
        | Object::Position(..) => true,
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
