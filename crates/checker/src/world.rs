//! What is known of the code before any of it is executed.

use std::collections::{BTreeMap, BTreeSet};

use ir::certificate::{self, Allocation};
use ir::library::Primitive;
use ir::{Callee, Function, FunctionId, Linkage, Local, Operand, Origin, Place, PlaceBase};
use ir::{Program, Projection, RecordKind, SpanId, Type, TypeId};

use crate::callers::Callers;
use crate::check::Claim;
use crate::extents::{Reached, extent};
use crate::globals::{Uses, is_constant, is_plain};
use crate::members::{Member, members};
use crate::objects::{Array, Class, Object};
use crate::pointers::pointers;
use crate::refusal::Refusal;
use crate::sites::{Sites, heap_call};
use crate::targets::{Leads, Offset, Targets, constant};
use crate::unfolding::{FrameId, Unfolding};

/// The code, and what is known of it.
pub struct World<'p> {
    /// The program.
    pub program: &'p Program,
    /// The entry function.
    pub entry: FunctionId,
    /// Its code, with calls entered.
    pub unfolding: Unfolding<'p>,
    /// Where pointers lead.
    pub targets: Targets,
    /// The objects that unknown pointers may lead to.
    pub escaped: BTreeSet<Object>,
    /// The members of nodes that are known.
    pub members: BTreeMap<Class, BTreeSet<Member>>,
    /// What code does to globals.
    pub uses: Uses,
    /// The globals that functions of the program change which others may call.
    pub changed_by_others: BTreeSet<Object>,
    /// The functions that are executed elsewhere, too.
    pub hidden: BTreeSet<FunctionId>,
    /// The requirements of C that are taken to be met.
    pub checks: BTreeSet<(&'static str, FunctionId, u32, u32)>,
    /// Whether allocations never fail.
    pub never_fails: bool,
}

/// What a call that is not entered may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    Nothing,
    /// Objects that unknown pointers may lead to.
    Escaped,
    /// Those, and what functions of the program change that others may call.
    ByOthers,
    /// Those, and all globals.
    Globals,
}

/// Where a place is.
#[derive(Clone, Debug)]
pub enum Where<'a> {
    /// At a known part of an object.
    Part(Part<'a>),
    /// In a node of the heap.
    Node(NodePart<'a>),
    /// Somewhere in an object.
    Inside(Object),
    /// Anywhere.
    Anywhere,
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The object.
    pub object: Object,
    /// The offset in bits; that of the first element, if there is an index.
    pub offset: u64,
    /// Which element of an array it is in.
    pub index: Option<Indexed<'a>>,
    /// The width in bits, of a bit-field.
    pub bits: Option<u32>,
    /// Whether reads give anything.
    pub is_volatile: bool,
}

/// A part of a node of the heap.
#[derive(Clone, Copy, Debug)]
pub struct NodePart<'a> {
    /// The class of the node.
    pub class: Class,
    /// The pointer that leads to it.
    pub pointer: &'a Operand,
    /// How many bytes from the start of the node the pointer leads, if that is known.
    pub base: Option<u64>,
    /// The first byte of the node that the place may be.
    pub first: u64,
    /// The one behind the last.
    pub end: u64,
    /// Whether it is all of these bytes.
    pub is_exact: bool,
}

impl NodePart<'_> {
    /// The member that it is.
    pub fn member(&self) -> Member {
        (self.first, self.end.saturating_sub(self.first))
    }
}

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub struct Indexed<'a> {
    /// What says which one.
    pub by: By<'a>,
    /// The array.
    pub array: Array,
}

/// What says which element a place means.
#[derive(Clone, Copy, Debug)]
pub enum By<'a> {
    /// An index.
    Operand(&'a Operand),
    /// A pointer, a local of a frame, that leads to it.
    Pointer(FrameId, Local),
}

impl<'p> World<'p> {
    /// The world of a claim, in which some calls allocate an object each.
    pub fn new(
        program: &'p Program,
        claim: &Claim,
        heap: &[Allocation],
    ) -> Result<World<'p>, Refusal> {
        let Claim {
            entry,
            is_quiet,
            never_fails,
            ..
        } = *claim;
        if program.globals.iter().any(ir::library::is_place_of_linker) {
            return Err(Refusal::needs("to know where linkers place objects"));
        }
        let unfolding = Unfolding::new(program, entry)?;
        let uses = Uses::everywhere(program);
        let callers = Callers::new(program, &uses, entry, is_quiet);
        let (targets, escaped) = pointers(&unfolding, Sites::new(&unfolding, heap)?);
        let by_others = match is_quiet {
            true => Uses::default(),
            false => Uses::of(program, callers.callable_from_outside()),
        };
        let by_others = by_others.written.into_iter().chain(by_others.taken);
        Ok(World {
            program,
            entry,
            escaped,
            members: members(&unfolding, &targets),
            hidden: callers.hidden(&unfolding),
            changed_by_others: by_others.map(Object::Global).collect(),
            targets,
            uses,
            unfolding,
            checks: BTreeSet::new(),
            never_fails,
        })
    }

    /// Takes over the requirements that a certificate names.
    pub fn assume(&mut self, checks: &[certificate::Check]) -> Result<(), Refusal> {
        for check in checks {
            let kind = ir::DefectKind::by_name(&check.defect);
            let kind = kind.ok_or_else(|| Refusal::bad("a check is of no known kind"))?;
            let function = FunctionId::from_raw(check.function);
            self.checks
                .insert((kind.name(), function, check.line, check.column));
        }
        Ok(())
    }

    /// Whether a requirement at a place of the code is taken to be met.
    pub fn is_assumed(&self, kind: ir::DefectKind, frame: FrameId, span: SpanId) -> bool {
        let data = &self.unfolding.frames[frame];
        let place = data.body.spans.get(span).map(|span| span.place());
        place.is_some_and(|place| {
            let check = (kind.name(), data.function, place.line, place.column);
            self.checks.contains(&check)
        })
    }

    /// Whether a global always holds its initial value.
    pub fn is_constant(&self, object: Object) -> bool {
        match object {
            Object::Global(global) => is_constant(self.program, &self.uses, global),
            _ => false,
        }
    }

    /// Whether what an object holds can be known.
    pub fn is_known(&self, object: Object) -> bool {
        match object {
            Object::Global(global) => is_plain(self.program, &self.program.globals[global]),
            Object::Local(frame, local) => {
                !self.unfolding.frames[frame].body.locals[local].volatile
            }
            Object::Position(..)
            | Object::Nodes(_)
            | Object::Member(..)
            | Object::Live(_)
            | Object::Heap(_) => true,
        }
    }

    /// Whether all globals hold their initial values where executions start.
    pub fn starts_afresh(&self) -> bool {
        let is_main = self.program.functions[self.entry].name == "main";
        let is_pointed_to = self.uses.functions.contains(&self.entry);
        let mut nodes = self.program.functions.iter().flat_map(|function| {
            let blocks = function.body.iter().flat_map(|body| &body.blocks);
            blocks.map(|block| &block.terminator)
        });
        let is_called = nodes.any(|terminator| match terminator {
            ir::Terminator::Call { callee, .. } => callee.direct() == Some(self.entry),
            _ => false,
        });
        is_main && !is_pointed_to && !is_called && self.program.run_by_themselves().is_empty()
    }

    /// What a call of a function that is not entered may change.
    pub fn changes(&self, callee: &Callee, arguments: usize) -> Changes {
        // The heap's own functions change no object of the program, but for what they free.
        let is_heap_call = heap_call(self.program, callee, arguments).is_some();
        let Some(callee) = callee.direct() else {
            return Changes::Globals;
        };
        let program = self.program;
        let function: &Function = &program.functions[callee];
        let is_library = match &function.body {
            Some(_) => program.origin(callee) == Origin::Model && !program.takes_callbacks(callee),
            None => match Primitive::of(function) {
                Some(primitive) => primitive != Primitive::Barrier,
                None => program.keeps_to_itself(callee) && !program.may_call_back(callee),
            },
        };
        match &function.body {
            None if ir::library::only_gives_input(&program.types, function) => Changes::Nothing,
            _ if is_heap_call && !program.sets_library_hooks() => Changes::Nothing,
            _ if is_library && self.is_library_quiet() => Changes::Escaped,
            None => Changes::ByOthers,
            Some(_) => Changes::Globals,
        }
    }

    /// Whether the code gives no function of the C library a function to call.
    fn is_library_quiet(&self) -> bool {
        let program = self.program;
        let mut functions = program.functions.iter_enumerated();
        !program.sets_library_hooks()
            && !functions.any(|(id, it)| it.body.is_none() && program.takes_callbacks(id))
    }

    /// Whether unknown pointers may lead to an object, or other units may change it by name.
    pub fn is_exposed(&self, object: Object) -> bool {
        let is_external = match object {
            Object::Global(global) => {
                let kind = self.program.globals[global].kind;
                kind == ir::GlobalKind::File(Linkage::External)
            }
            _ => false,
        };
        is_external || self.escaped.contains(&object)
    }

    /// Where a place is.
    pub fn locate<'a>(&self, frame: FrameId, place: &'a Place) -> Where<'a> {
        let Some(ty) = self.unfolding.typing(frame).base(&place.base) else {
            return Where::Anywhere;
        };
        let whole = |object: Object| Part {
            object,
            offset: 0,
            index: None,
            bits: None,
            is_volatile: !self.is_known(object),
        };
        let part = match &place.base {
            PlaceBase::Local(local) => whole(Object::Local(frame, *local)),
            PlaceBase::Global(global) => whole(Object::Global(*global)),
            PlaceBase::Deref(pointer) => match self.targets.of(&self.unfolding, frame, pointer) {
                Leads::Into(Object::Nodes(class), offset) => {
                    return Where::Node(self.in_node(frame, (place, pointer), class, offset));
                }
                Leads::Into(object, offset) => {
                    let mut part = whole(object);
                    if !self.point(frame, pointer, offset, &mut part) {
                        return Where::Inside(object);
                    }
                    part
                }
                Leads::Nowhere | Leads::Anywhere => return Where::Anywhere,
            },
        };
        let object = part.object;
        if matches!(object, Object::Heap(_)) && self.is_in_union(ty, &place.projections) {
            return Where::Inside(object);
        }
        let part = self.project(part, ty, &place.projections);
        let part = part.filter(|part| self.fits(part, place.ty));
        part.map_or(Where::Inside(object), Where::Part)
    }

    /// Which part of a node a place is that a pointer leads to.
    fn in_node<'a>(
        &self,
        frame: FrameId,
        (place, pointer): (&Place, &'a Operand),
        class: Class,
        offset: Offset,
    ) -> NodePart<'a> {
        let (first, end, is_exact) = match extent(&self.unfolding, &self.targets, frame, place) {
            Reached::In(at) => (at.first, at.end, at.is_exact),
            Reached::Nowhere | Reached::Anywhere => (0, u64::MAX, false),
        };
        let base = match offset {
            Offset::Exact(at) => Some(at),
            Offset::InElement(..) | Offset::Any => None,
        };
        NodePart {
            class,
            pointer,
            base,
            first,
            end,
            is_exact,
        }
    }

    /// A member of the nodes of a class, if it is known.
    pub fn member(&self, class: Class, member: Member) -> Option<Object> {
        let known = self.members.get(&class)?.contains(&member);
        known.then_some(Object::Member(class, member.0, member.1))
    }

    /// All members of the nodes of a class that are known.
    pub fn members_of(&self, class: Class) -> Vec<Object> {
        let known = self.members.get(&class).into_iter().flatten();
        let objects = known.map(|&(first, size)| Object::Member(class, first, size));
        objects.collect()
    }

    /// Those that a part of a node may be, at least in part.
    pub fn members_in(&self, part: &NodePart<'_>) -> Vec<Object> {
        let mut all = self.members_of(part.class);
        all.retain(|object| match object {
            Object::Member(_, first, size) => *first < part.end && part.first < first + size,
            _ => false,
        });
        all
    }

    /// Moves to where a pointer leads in an object; false if that may be anywhere.
    fn point<'a>(
        &self,
        frame: FrameId,
        pointer: &'a Operand,
        offset: Offset,
        part: &mut Part<'a>,
    ) -> bool {
        let ty = self.unfolding.typing(frame).operand(pointer);
        let kind = ty.map(|ty| self.program.types.kind(ty));
        part.is_volatile |= matches!(kind, Some(Type::Pointer { volatile: true, .. }));
        match (offset, pointer) {
            (Offset::Exact(at), _) => part.offset = at.saturating_mul(8),
            (Offset::InElement(array, at), Operand::Copy(local)) => {
                part.offset = array.first.saturating_add(at).saturating_mul(8);
                part.index = Some(Indexed {
                    by: By::Pointer(frame, *local),
                    array,
                });
            }
            _ => return false,
        }
        true
    }

    /// Follows the steps to a part.
    fn project<'a>(
        &self,
        mut part: Part<'a>,
        mut ty: TypeId,
        steps: &'a [Projection],
    ) -> Option<Part<'a>> {
        let types = &self.program.types;
        for step in steps {
            let (by, inner) = match (types.kind(ty), step) {
                (Type::Record(record), Projection::Field(index)) => {
                    let field = types.records[*record].fields.get(*index as usize)?;
                    part.is_volatile |= field.volatile;
                    part.bits = field.bit_width;
                    (field.offset_bits, field.ty)
                }
                (Type::Array { element, length }, Projection::Index(index)) => {
                    let stride = types.size(*element);
                    match constant(index) {
                        Some(index) => (index.checked_mul(stride)?.checked_mul(8)?, *element),
                        None if part.index.is_some() => return None,
                        None => {
                            let array = Array {
                                first: part.offset / 8,
                                stride,
                                count: (*length)?,
                            };
                            part.index = array.is_proper().then_some(Indexed {
                                by: By::Operand(index),
                                array,
                            });
                            part.index?;
                            (0, *element)
                        }
                    }
                }
                _ => return None,
            };
            part.offset = part.offset.checked_add(by)?;
            ty = inner;
        }
        Some(part)
    }

    /// Whether the steps from something of a type lead into a union.
    fn is_in_union(&self, mut ty: TypeId, steps: &[Projection]) -> bool {
        let types = &self.program.types;
        for step in steps {
            match (types.kind(ty), step) {
                (Type::Record(record), Projection::Field(index)) => {
                    let record = &types.records[*record];
                    let field = record.fields.get(*index as usize);
                    let Some(field) = field.filter(|_| record.kind == RecordKind::Struct) else {
                        return true;
                    };
                    ty = field.ty;
                }
                (Type::Array { element, .. }, Projection::Index(_)) => ty = *element,
                _ => return true,
            }
        }
        false
    }

    /// Whether a part lies in its object.
    fn fits(&self, part: &Part<'_>, ty: TypeId) -> bool {
        let whole = self.program.types.size(ty).saturating_mul(8);
        let width = part.bits.map_or(whole, u64::from);
        let last = part.index.map_or(Some(0), |index| {
            let Array { stride, count, .. } = index.array;
            (count - 1).checked_mul(stride)?.checked_mul(8)
        });
        let end = last.and_then(|last| part.offset.checked_add(last)?.checked_add(width));
        end.is_some_and(|end| end <= self.unfolding.bits_of(part.object))
    }
}
