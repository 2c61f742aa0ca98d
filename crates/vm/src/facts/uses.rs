//! The uses of pointers, and of numbers that stand for them.
//!
//! An integer that is cast to a pointer may be the address of any object of that type, a `void *`
//! is what it is cast to, the low bits of a pointer that is masked may be a tag, and pointers that
//! are compared by order or subtracted point into one array. Which of these hold for a place is
//! found by the form of the code alone: values flow from place to place, without regard to order or
//! calls. A place is a local, a global, a member, the result of a function, or what pointers to a
//! type point to.

use ir::{
    BinaryOp, Callee, CastKind, ConstantValue, Field, FunctionId, Local, Operand, Origin, Place,
    PlaceBase, Program, Projection, RecordKind, Rvalue, StatementKind, Terminator, Type, TypeId,
    Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::node::Node;
use super::ordered::Relations;

/// The most types that one place is taken to point to.
const MOST: usize = 4;

/// The use of the values that a place holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    /// The types of pointers that it is cast to, in order.
    pub pointers: Vec<TypeId>,
    /// Whether there are more.
    pub cut: bool,
    /// Whether its low bits are looked at or set on their own.
    pub tagged: bool,
    /// The places whose pointers are compared with it by order, by a number that they share.
    pub ordered: Option<u32>,
}

impl Use {
    fn add(&mut self, pointer: TypeId) -> bool {
        if self.pointers.contains(&pointer) {
            return false;
        }
        if self.pointers.len() >= MOST {
            return !std::mem::replace(&mut self.cut, true);
        }
        self.pointers.push(pointer);
        true
    }

    /// Adds all that another place is used for. Returns whether there was more.
    fn merge(&mut self, other: &Use) -> bool {
        let mut grew = other.tagged && !std::mem::replace(&mut self.tagged, true);
        grew |= other.cut && !std::mem::replace(&mut self.cut, true);
        for &pointer in &other.pointers {
            grew |= self.add(pointer);
        }
        grew
    }
}

/// The uses of all places of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    uses: FxHashMap<Node, Use>,
    /// The use of numbers whose place is not known.
    any_number: Use,
    /// Whether numbers are made of pointers anywhere, or pointers of numbers, by a cast, a union,
    /// or byte by byte.
    pub makes_pointers: bool,
}

impl Uses {
    /// The use of a place.
    pub fn of(&self, node: Node) -> Option<&Use> {
        self.uses.get(&node)
    }

    /// The use of numbers whose place is not known; `None` if no number is used as a pointer.
    pub fn of_any_number(&self) -> Option<&Use> {
        self.has_numbers().then_some(&self.any_number)
    }

    /// Whether a number is used as a pointer anywhere.
    pub fn has_numbers(&self) -> bool {
        !self.any_number.pointers.is_empty()
    }
}

/// Finds the uses of all places.
pub(crate) fn uses(program: &Program) -> Uses {
    let mut found = Finder {
        program,
        function: FunctionId::from_raw(0),
        flows: FxHashMap::default(),
        uses: FxHashMap::default(),
        relations: Relations::default(),
    };
    let mut makes_pointers = shares_pointers(&program.types);
    for (id, function) in program.functions.iter_enumerated() {
        found.function = id;
        for block in function.body.iter().flat_map(|body| &body.blocks) {
            for statement in &block.statements {
                if let StatementKind::Assign(place, value) = &statement.kind {
                    found.assign(place, value);
                    makes_pointers |= found.converts_pointer(value);
                }
            }
            found.terminator(&block.terminator);
        }
    }
    Uses {
        makes_pointers,
        ..found.finish()
    }
}

/// Whether a union has pointers beside numbers.
fn shares_pointers(types: &Types) -> bool {
    types.records.iter().any(|record| {
        let has_pointers = |field: &Field| types.has_pointers(field.ty);
        let are_alike = record.fields.iter().all(has_pointers);
        record.kind == RecordKind::Union && !are_alike && record.fields.iter().any(has_pointers)
    })
}

struct Finder<'p> {
    program: &'p Program,
    /// The function that is looked at.
    function: FunctionId,
    /// For each place those that its values come from.
    flows: FxHashMap<Node, FxHashSet<Node>>,
    uses: FxHashMap<Node, Use>,
    relations: Relations,
}

impl Finder<'_> {
    fn operand(&self, operand: &Operand) -> Option<Node> {
        match operand {
            Operand::Copy(local) => Some(Node::Local(self.function, *local)),
            Operand::Constant(_) => None,
        }
    }

    /// Whether a value is a number that is made of a pointer, a pointer that is made of a number,
    /// or a pointer to the bytes of one.
    fn converts_pointer(&self, value: &Rvalue) -> bool {
        let types = &self.program.types;
        let is_to_pointer = |ty: TypeId| {
            let pointee = types.pointee(ty).map(|pointee| types.kind(pointee));
            matches!(pointee, Some(Type::Pointer { .. }))
        };
        let Rvalue::Cast(kind, operand, ty) = value else {
            return false;
        };
        match kind {
            CastKind::IntToPointer | CastKind::PointerToInt => matches!(operand, Operand::Copy(_)),
            CastKind::PointerToPointer => {
                self.operand_type(operand).is_some_and(is_to_pointer) && !is_to_pointer(*ty)
            }
            CastKind::IntToInt | CastKind::IntToBool | CastKind::PointerToBool => false,
        }
    }

    fn operand_type(&self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Copy(local) => {
                let body = self.program.functions[self.function].body.as_ref()?;
                Some(body.locals[*local].ty)
            }
            Operand::Constant(constant) => Some(constant.ty),
        }
    }

    fn place(&self, place: &Place) -> Option<Node> {
        let types = &self.program.types;
        let (base, mut ty) = match &place.base {
            PlaceBase::Local(local) => {
                let body = self.program.functions[self.function].body.as_ref()?;
                (Node::Local(self.function, *local), body.locals[*local].ty)
            }
            PlaceBase::Global(global) => (Node::Global(*global), self.program.globals[*global].ty),
            PlaceBase::Deref(pointer) => {
                let pointee = types.pointee(self.operand_type(pointer)?);
                let start = pointee.filter(|_| !place.projections.is_empty());
                (Node::Behind(place.ty), start.unwrap_or(place.ty))
            }
        };
        let mut node = base;
        for projection in &place.projections {
            match projection {
                Projection::Field(number) => {
                    let Type::Record(record) = *types.kind(ty) else {
                        return None;
                    };
                    node = Node::Field(record, *number);
                    ty = types.records[record].fields.get(*number as usize)?.ty;
                }
                Projection::Index(_) => {
                    let Type::Array { element, .. } = *types.kind(ty) else {
                        return None;
                    };
                    ty = element;
                }
            }
        }
        Some(node)
    }

    /// A value flows from one place to another.
    fn flow(&mut self, from: Option<Node>, to: Option<Node>) {
        if let (Some(from), Some(to)) = (from, to) {
            self.flows.entry(to).or_default().insert(from);
        }
    }

    /// A pointer flows from one place to another, give or take an offset.
    fn pointer(&mut self, from: Option<Node>, to: Option<Node>) {
        self.flow(from, to);
        if let (Some(from), Some(to)) = (from, to) {
            self.relations.related.push((from, to));
        }
    }

    fn assign(&mut self, place: &Place, value: &Rvalue) {
        let to = self.place(place);
        let types = &self.program.types;
        match value {
            Rvalue::Use(operand) => self.pointer(self.operand(operand), to),
            Rvalue::Load(from) => self.pointer(self.place(from), to),
            Rvalue::Cast(kind, operand, ty) => self.cast(*kind, operand, *ty, to),
            Rvalue::PointerOffset { pointer, .. } => self.pointer(self.operand(pointer), to),
            Rvalue::AddressOf(target) => {
                // What is stored through the pointer is what the place holds.
                let inside = self.place(target);
                let behind = types.pointee(place.ty).map(Node::Behind);
                self.pointer(inside, behind);
                self.pointer(behind, inside);
            }
            Rvalue::Binary(op, left, right) => self.binary(*op, left, right, to),
            Rvalue::PointerDifference { left, right, .. } => self.pair(left, right),
            Rvalue::Unary(..) | Rvalue::Zero(_) => {}
        }
    }

    fn pair(&mut self, left: &Operand, right: &Operand) {
        let is_user = self.program.origin(self.function) == Origin::User;
        if let (Some(left), Some(right)) = (self.operand(left), self.operand(right))
            && is_user
        {
            self.relations.pairs.push((left, right));
        }
    }

    fn cast(&mut self, kind: CastKind, operand: &Operand, ty: TypeId, to: Option<Node>) {
        let types = &self.program.types;
        let from = self.operand(operand);
        let is_narrow =
            |ty: TypeId| types.size(ty) * 8 < u64::from(self.program.target.pointer_width);
        let source = self.operand_type(operand);
        let says_more = match kind {
            CastKind::IntToPointer => true,
            CastKind::PointerToPointer => source.is_some_and(|source| self.is_plain(source, ty)),
            CastKind::IntToInt if is_narrow(ty) || source.is_some_and(is_narrow) => return,
            CastKind::IntToInt | CastKind::PointerToInt => false,
            CastKind::IntToBool | CastKind::PointerToBool => return,
        };
        if let Some(from) = from.filter(|_| says_more && self.is_target(ty)) {
            self.uses.entry(from).or_default().add(ty);
        }
        self.pointer(from, to);
    }

    /// Whether a pointer type says little of what it points to, of which the other one says more.
    fn is_plain(&self, pointer: TypeId, other: TypeId) -> bool {
        let types = &self.program.types;
        let pointee = types.pointee(pointer).map(|ty| types.kind(ty));
        let is_record = types
            .pointee(other)
            .is_some_and(|ty| types.record(ty).is_some());
        match pointee {
            Some(Type::Void) => true,
            Some(Type::Int(int)) => int.name.is_character() && is_record,
            _ => false,
        }
    }

    /// Whether there can be objects, or functions, for a pointer of this type to point to.
    fn is_target(&self, pointer: TypeId) -> bool {
        let types = &self.program.types;
        types
            .pointee(pointer)
            .is_some_and(|pointee| match types.kind(pointee) {
                Type::Function(_) => true,
                _ => types.size(pointee) > 0,
            })
    }

    fn binary(&mut self, op: BinaryOp, left: &Operand, right: &Operand, to: Option<Node>) {
        let types = &self.program.types;
        let is_pointer = |operand: &Operand| {
            let ty = self.operand_type(operand);
            ty.is_some_and(|ty| types.pointee(ty).is_some())
        };
        match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if is_pointer(left) => {
                self.pair(left, right);
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Rem => {
                for (one, other) in [(left, right), (right, left)] {
                    let node = self.operand(one);
                    if let Some(node) = node.filter(|_| self.is_low_mask(other)) {
                        self.uses.entry(node).or_default().tagged = true;
                    }
                    self.flow(node, to.filter(|_| op != BinaryOp::Rem));
                }
            }
            BinaryOp::Add | BinaryOp::Sub => {
                self.flow(self.operand(left), to);
                self.flow(self.operand(right), to);
            }
            _ => {}
        }
    }

    /// Whether a constant of a pointer's width, or its complement, has low bits only.
    fn is_low_mask(&self, operand: &Operand) -> bool {
        let Operand::Constant(constant) = operand else {
            return false;
        };
        let ConstantValue::Int(bits) = constant.value else {
            return false;
        };
        let width = self.program.target.pointer_width;
        let all = crate::value::mask(width);
        let is_low = |bits: u128| (1..=16).contains(&bits);
        is_low(bits) || is_low(!bits & all)
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Return(Some(operand)) => {
                let result = Some(Node::Result(self.function));
                self.pointer(self.operand(operand), result);
            }
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => {
                let to = destination.as_ref().and_then(|place| self.place(place));
                for function in self.callees(callee) {
                    let data = &self.program.functions[function];
                    let parameters: Vec<Local> = match &data.body {
                        Some(_) => data.parameter_locals().collect(),
                        None => Vec::new(),
                    };
                    let mut passed = Vec::new();
                    for (argument, parameter) in arguments.iter().zip(parameters) {
                        let parameter = Node::Local(function, parameter);
                        let argument = self.operand(argument);
                        self.flow(argument, Some(parameter));
                        passed.extend(argument.map(|argument| (argument, parameter)));
                    }
                    self.flow(Some(Node::Result(function)), to);
                    passed.extend(to.map(|to| (to, Node::Result(function))));
                    self.relations.calls.push(passed);
                }
            }
            _ => {}
        }
    }

    fn callees(&self, callee: &Callee) -> Vec<FunctionId> {
        let types = &self.program.types;
        match callee {
            Callee::Direct(function) => vec![*function],
            Callee::Indirect(pointer) => {
                let ty = self.operand_type(pointer).and_then(|ty| types.pointee(ty));
                let functions = self.program.functions.iter_enumerated();
                let fits = functions.filter(|(_, function)| Some(function.ty) == ty);
                fits.map(|(id, _)| id).collect()
            }
        }
    }

    fn finish(mut self) -> Uses {
        let mut waiting: Vec<Node> = self.uses.keys().copied().collect();
        waiting.sort_unstable();
        while let Some(node) = waiting.pop() {
            let used = self.uses[&node].clone();
            let mut sources: Vec<Node> = self
                .flows
                .get(&node)
                .into_iter()
                .flatten()
                .copied()
                .collect();
            sources.sort_unstable();
            for source in sources {
                if self.uses.entry(source).or_default().merge(&used) {
                    waiting.push(source);
                }
            }
        }
        for (node, set) in self.relations.ordered() {
            self.uses.entry(node).or_default().ordered = Some(set);
        }
        let mut any_number = Use::default();
        let mut nodes: Vec<Node> = self.uses.keys().copied().collect();
        nodes.sort_unstable();
        for node in nodes {
            if self.is_number(node) {
                any_number.merge(&self.uses[&node]);
            }
        }
        Uses {
            makes_pointers: false,
            uses: self.uses,
            any_number,
        }
    }

    /// Whether a place holds integers.
    fn is_number(&self, node: Node) -> bool {
        let types = &self.program.types;
        let function_result = |ty: TypeId| match types.kind(ty) {
            Type::Function(function) => Some(function.result),
            _ => None,
        };
        let ty = match node {
            Node::Local(function, local) => {
                let body = self.program.functions[function].body.as_ref();
                body.map(|body| body.locals[local].ty)
            }
            Node::Global(global) => Some(self.program.globals[global].ty),
            Node::Field(record, number) => {
                let fields = &types.records[record].fields;
                fields.get(number as usize).map(|field| field.ty)
            }
            Node::Result(function) => function_result(self.program.functions[function].ty),
            Node::Behind(ty) => Some(ty),
        };
        ty.is_some_and(|ty| types.int(types.element_of(ty)).is_some())
    }
}
