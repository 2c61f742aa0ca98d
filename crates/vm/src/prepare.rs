//! Preparation: from the program as data to flat code, once per machine.

use index_vec::IndexVec;
use ir::{
    BinaryOp, Body, Callee, CodeIndex, Constant, ConstantValue, FunctionId, Local, Operand, Place,
    PlaceBase, Program, Projection, Rvalue, StatementKind, Terminator, Type, TypeId, Types,
};

use crate::code::*;
use crate::primitives;
use crate::statics;
use crate::value::{Scalar, Shadow, Value};
use crate::{Config, Site};

/// Something that cannot be prepared, by its name.
struct Unprepared(&'static str);

type Result<T> = std::result::Result<T, Unprepared>;

/// Prepares a program.
pub(crate) fn prepare<'p>(program: &'p Program, index: &CodeIndex, config: Config) -> Prepared<'p> {
    let (image, layout) = statics::image(program, &config);
    let input_globals = statics::input_globals(program, &config);
    let mut prepared = Prepared {
        program,
        index: index.clone(),
        config,
        ops: Vec::new(),
        sites: Vec::new(),
        constants: Vec::new(),
        places: Vec::new(),
        switches: Vec::new(),
        calls: Vec::new(),
        exits: Vec::new(),
        sizes: Vec::new(),
        texts: Vec::new(),
        functions: IndexVec::new(),
        image,
        layout,
        input_globals,
        pointer_width: program.target.pointer_width,
    };
    for (id, function) in program.functions.iter_enumerated() {
        let code = match &function.body {
            Some(body) => FunctionCode::Body(Preparer::new(&mut prepared, id, body).function()),
            None => primitives::by_name(&function.name)
                .map_or(FunctionCode::Unknown, FunctionCode::Primitive),
        };
        prepared.functions.push(code);
    }
    prepared
}

/// Prepares one function.
struct Preparer<'a, 'p> {
    out: &'a mut Prepared<'p>,
    function: FunctionId,
    body: &'p Body,
    types: &'p Types,
    site: Site,
    /// Scratch slots that the current statement uses.
    scratches: u32,
    /// The most that any statement uses.
    most_scratches: u32,
}

impl<'a, 'p> Preparer<'a, 'p> {
    fn new(out: &'a mut Prepared<'p>, function: FunctionId, body: &'p Body) -> Self {
        let types = &out.program.types;
        Preparer {
            out,
            function,
            body,
            types,
            site: first_site(function),
            scratches: 0,
            most_scratches: 0,
        }
    }

    fn function(mut self) -> BodyCode {
        let entry = self.out.ops.len() as Pc;
        let mut starts = Vec::with_capacity(self.body.blocks.len());
        let (first_switch, first_call) = (self.out.switches.len(), self.out.calls.len());
        for (id, block) in self.body.blocks.iter_enumerated() {
            starts.push(self.out.ops.len() as Pc);
            self.site.block = id;
            for (number, statement) in block.statements.iter().enumerate() {
                self.site.statement = number as u32;
                self.scratches = 0;
                let before = self.out.ops.len();
                if let Err(Unprepared(what)) = self.statement(&statement.kind) {
                    self.out.ops.truncate(before);
                    self.out.sites.truncate(before);
                    self.unsupported(what);
                }
            }
            self.site.statement = block.statements.len() as u32;
            self.scratches = 0;
            if let Err(Unprepared(what)) = self.terminator(&block.terminator) {
                self.unsupported(what);
            }
        }
        self.link(entry, first_switch, first_call, &starts);
        let function = &self.out.program.functions[self.function];
        let parameters = function
            .parameters()
            .filter(|&local| local.index() < self.body.locals.len())
            .map(|local| match self.register(local) {
                Some(scalar) => ParameterCode::Register(local.raw(), scalar),
                None => ParameterCode::Memory(self.local(local)),
            })
            .collect();
        let memory = self
            .body
            .locals
            .indices()
            .filter(|&local| self.register(local).is_none())
            .map(Local::raw)
            .collect();
        BodyCode {
            entry,
            slots: self.body.locals.len() as u32 + self.most_scratches,
            parameters,
            memory,
        }
    }

    /// Replaces block numbers by positions.
    fn link(&mut self, entry: Pc, first_switch: usize, first_call: usize, starts: &[Pc]) {
        let link =
            |target: &mut Pc| *target = starts.get(*target as usize).copied().unwrap_or(entry);
        for op in &mut self.out.ops[entry as usize..] {
            match op {
                Op::Goto { target, .. } => link(target),
                Op::Branch {
                    then, otherwise, ..
                } => {
                    link(then);
                    link(otherwise);
                }
                _ => {}
            }
        }
        for switch in &mut self.out.switches[first_switch..] {
            switch
                .arms
                .iter_mut()
                .for_each(|(_, _, target)| link(target));
            link(&mut switch.default);
        }
        for call in &mut self.out.calls[first_call..] {
            call.next.iter_mut().for_each(link);
        }
    }

    fn emit(&mut self, op: Op) {
        self.out.ops.push(op);
        self.out.sites.push(self.site);
    }

    fn unsupported(&mut self, what: &str) {
        let text = push(&mut self.out.texts, what.to_owned());
        self.emit(Op::Unsupported { text });
    }

    /// The scalar that a local's slot holds, if it can live there.
    fn register(&self, local: Local) -> Option<Scalar> {
        let decl = &self.body.locals[local];
        if decl.address_taken {
            return None;
        }
        Scalar::of(self.types, decl.ty)
    }

    fn local(&self, local: Local) -> LocalCode {
        let ty = self.body.locals[local].ty;
        LocalCode {
            slot: local.raw(),
            size: self.types.size(ty),
            align: self.types.align(ty),
            ty,
        }
    }

    /// A slot that no other value of this statement is in.
    fn scratch(&mut self) -> Slot {
        self.scratches += 1;
        self.most_scratches = self.most_scratches.max(self.scratches);
        self.body.locals.len() as Slot + self.scratches - 1
    }

    fn constant(&mut self, constant: &Constant) -> Source {
        let value = match &constant.value {
            ConstantValue::Int(bits) | ConstantValue::Float(bits) => Value::concrete(*bits),
            target => statics::address(&self.out.image, &self.out.layout, target),
        };
        Source::constant(push(&mut self.out.constants, value) as usize)
    }

    fn operand_type(&self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Copy(local) => self.body.locals[*local].ty,
            Operand::Constant(constant) => constant.ty,
        }
    }

    fn scalar(&self, ty: TypeId) -> Result<Scalar> {
        Scalar::of(self.types, ty).ok_or(Unprepared("a value of a type without operations"))
    }

    /// The scalar of a type that has arithmetic here.
    fn number(&self, ty: TypeId) -> Result<Scalar> {
        match self.types.kind(ty) {
            Type::Float(_) => Err(Unprepared("floating-point arithmetic")),
            _ => self.scalar(ty),
        }
    }

    /// A scalar operand; one that lives in memory is loaded to a scratch slot.
    fn source(&mut self, operand: &Operand) -> Result<Source> {
        match operand {
            Operand::Constant(constant) => Ok(self.constant(constant)),
            Operand::Copy(local) if self.register(*local).is_some() => {
                Ok(Source::slot(local.raw()))
            }
            Operand::Copy(local) => {
                self.scalar(self.body.locals[*local].ty)?;
                let (to, place) = (self.scratch(), self.local_place(*local));
                self.emit(Op::Load { to, place });
                Ok(Source::slot(to))
            }
        }
    }

    fn local_place(&mut self, local: Local) -> u32 {
        let code = self.local(local);
        let access =
            Scalar::of(self.types, code.ty).map_or(Access::Object(code.size), Access::Scalar);
        let place = PlaceCode {
            base: Source::slot(code.slot),
            local: Some(code),
            align: 1,
            offset: 0,
            indices: Box::new([]),
            access,
            ty: code.ty,
        };
        push(&mut self.out.places, place)
    }

    fn place(&mut self, place: &Place) -> Result<u32> {
        let mut align = 1;
        let mut local_code = None;
        let (base, mut ty) = match &place.base {
            PlaceBase::Local(local) => {
                if self.register(*local).is_some() {
                    return Err(Unprepared("a part of a register"));
                }
                local_code = Some(self.local(*local));
                (Source::slot(local.raw()), self.body.locals[*local].ty)
            }
            PlaceBase::Global(global) => {
                let target = ConstantValue::Global {
                    global: *global,
                    offset: 0,
                };
                let value = statics::address(&self.out.image, &self.out.layout, &target);
                let index = push(&mut self.out.constants, value);
                (
                    Source::constant(index as usize),
                    self.out.program.globals[*global].ty,
                )
            }
            PlaceBase::Deref(pointer) => {
                let pointer_type = self.operand_type(pointer);
                let pointee = self.types.pointee(pointer_type);
                let source = self.source(pointer)?;
                let start = match pointee {
                    Some(pointee) if !place.projections.is_empty() => pointee,
                    _ => place.ty,
                };
                align = self.types.align(start).max(1);
                (source, start)
            }
        };
        let mut code = PlaceCode {
            base,
            local: local_code,
            align,
            offset: 0,
            indices: Box::new([]),
            access: Access::Object(0),
            ty: place.ty,
        };
        ty = self.project(&mut code, ty, &place.projections)?;
        if !matches!(code.access, Access::BitField { .. }) {
            let _ = ty;
            code.access = match Scalar::of(self.types, place.ty) {
                Some(scalar) => Access::Scalar(scalar),
                None => Access::Object(self.types.size(place.ty)),
            };
        }
        Ok(push(&mut self.out.places, code))
    }

    /// Adds the projections to the place and returns the type that they lead to.
    fn project(
        &mut self,
        code: &mut PlaceCode,
        mut ty: TypeId,
        projections: &[Projection],
    ) -> Result<TypeId> {
        let mut indices = Vec::new();
        let mut last_member = false;
        for projection in projections {
            match projection {
                Projection::Field(number) => {
                    let record = self
                        .types
                        .record(ty)
                        .ok_or(Unprepared("a member of no record"))?;
                    let field = record
                        .fields
                        .get(*number as usize)
                        .ok_or(Unprepared("an unknown member"))?;
                    last_member = *number as usize + 1 == record.fields.len();
                    code.offset += (field.offset_bits / 8) as i64;
                    ty = field.ty;
                    if let Some(width) = field.bit_width {
                        let first = (field.offset_bits % 8) as u32;
                        code.access = Access::BitField {
                            scalar: self.scalar(ty)?,
                            first,
                            width,
                            bytes: u64::from((first + width).div_ceil(8)),
                        };
                    }
                }
                Projection::Index(operand) => {
                    let Type::Array { element, length } = *self.types.kind(ty) else {
                        return Err(Unprepared("an element of no array"));
                    };
                    let scalar = self.number(self.operand_type(operand))?;
                    indices.push(IndexCode {
                        operand: self.source(operand)?,
                        scalar,
                        element: self.types.size(element),
                        length: length.filter(|_| !last_member),
                    });
                    last_member = false;
                    ty = element;
                }
            }
        }
        code.indices = indices.into();
        Ok(ty)
    }

    fn statement(&mut self, kind: &StatementKind) -> Result<()> {
        match kind {
            StatementKind::StorageLive(local) => match self.register(*local) {
                Some(_) => self.emit(Op::Forget { slot: local.raw() }),
                None => self.emit(Op::Dead { slot: local.raw() }),
            },
            StatementKind::StorageDead(local) => {
                if self.register(*local).is_none() {
                    self.emit(Op::Dead { slot: local.raw() });
                }
            }
            StatementKind::Assign(place, value) => return self.assign(place, value),
        }
        Ok(())
    }

    fn assign(&mut self, place: &Place, value: &Rvalue) -> Result<()> {
        if !self.types.is_scalar(place.ty) {
            return self.assign_object(place, value);
        }
        if let Some(slot) = self.register_of(place) {
            return self.compute(slot, value);
        }
        if let Rvalue::Use(operand) = value {
            let from = self.source(operand)?;
            let place = self.place(place)?;
            self.emit(Op::Store { place, from });
            return Ok(());
        }
        let scratch = self.scratch();
        self.compute(scratch, value)?;
        let place = self.place(place)?;
        let from = Source::slot(scratch);
        self.emit(Op::Store { place, from });
        Ok(())
    }

    fn register_of(&self, place: &Place) -> Option<Slot> {
        match place.base {
            PlaceBase::Local(local) if place.projections.is_empty() => {
                self.register(local).map(|_| local.raw())
            }
            _ => None,
        }
    }

    fn assign_object(&mut self, place: &Place, value: &Rvalue) -> Result<()> {
        let to = self.place(place)?;
        match value {
            Rvalue::Zero(_) => self.emit(Op::ZeroObject { place: to }),
            Rvalue::Load(from) => {
                let from = self.place(from)?;
                self.emit(Op::CopyObject { to, from });
            }
            Rvalue::Use(Operand::Copy(local)) => {
                let from = self.local_place(*local);
                self.emit(Op::CopyObject { to, from });
            }
            _ => return Err(Unprepared("an operation on whole objects")),
        }
        Ok(())
    }

    /// Computes a scalar into a slot.
    fn compute(&mut self, to: Slot, value: &Rvalue) -> Result<()> {
        match value {
            Rvalue::Use(Operand::Copy(local)) if self.register(*local).is_none() => {
                let place = self.local_place(*local);
                self.emit(Op::Load { to, place });
            }
            Rvalue::Use(operand) => {
                let scalar = self.scalar(self.operand_type(operand))?;
                let from = self.source(operand)?;
                self.emit(Op::Copy { to, from, scalar });
            }
            Rvalue::Load(place) => match self.register_of(place) {
                Some(slot) => {
                    let scalar = self.scalar(place.ty)?;
                    let from = Source::slot(slot);
                    self.emit(Op::Copy { to, from, scalar });
                }
                None => {
                    let place = self.place(place)?;
                    self.emit(Op::Load { to, place });
                }
            },
            Rvalue::AddressOf(place) => {
                let place = self.place(place)?;
                self.emit(Op::AddressOf { to, place });
            }
            Rvalue::Unary(op, operand) => {
                let scalar = self.number(self.operand_type(operand))?;
                let from = self.source(operand)?;
                self.emit(Op::Unary {
                    op: *op,
                    scalar,
                    to,
                    from,
                });
            }
            Rvalue::Binary(op, left, right) => self.binary(to, *op, left, right)?,
            Rvalue::Cast(kind, operand, ty) => {
                let source = self.number(self.operand_type(operand))?;
                let target = self.number(*ty)?;
                let from = self.source(operand)?;
                self.emit(Op::Cast {
                    kind: *kind,
                    source,
                    target,
                    to,
                    from,
                });
            }
            Rvalue::Zero(_) => {
                let from = Source::constant(push(&mut self.out.constants, Value::ZERO) as usize);
                let scalar = Scalar::unsigned(8);
                self.emit(Op::Copy { to, from, scalar });
            }
            Rvalue::PointerOffset { .. } | Rvalue::PointerDifference { .. } => {
                self.pointer_arithmetic(to, value)?;
            }
        }
        Ok(())
    }

    fn binary(&mut self, to: Slot, op: BinaryOp, left: &Operand, right: &Operand) -> Result<()> {
        let scalar = self.number(self.operand_type(left))?;
        let amount = self.number(self.operand_type(right))?;
        let (left, right) = (self.source(left)?, self.source(right)?);
        self.emit(if op.is_comparison() {
            Op::Compare {
                op,
                scalar,
                to,
                left,
                right,
            }
        } else if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            Op::Shift {
                op,
                scalar,
                amount,
                to,
                left,
                right,
            }
        } else {
            Op::Int {
                op,
                scalar,
                to,
                left,
                right,
            }
        });
        Ok(())
    }

    fn pointer_arithmetic(&mut self, to: Slot, value: &Rvalue) -> Result<()> {
        match value {
            Rvalue::PointerOffset {
                pointer,
                index,
                element,
                negative,
            } => {
                let index_scalar = self.number(self.operand_type(index))?;
                let size = i64::try_from(*element).map_err(|_| Unprepared("a huge element"))?;
                let (pointer, index) = (self.source(pointer)?, self.source(index)?);
                self.emit(Op::Offset {
                    index_scalar,
                    to,
                    pointer,
                    index,
                    element: if *negative { -size } else { size },
                });
            }
            Rvalue::PointerDifference {
                left,
                right,
                element,
                ty,
            } => {
                let scalar = self.number(*ty)?;
                let (left, right) = (self.source(left)?, self.source(right)?);
                let element = push(&mut self.out.sizes, *element);
                self.emit(Op::Difference {
                    scalar,
                    to,
                    left,
                    right,
                    element,
                });
            }
            _ => return Err(Unprepared("pointer arithmetic")),
        }
        Ok(())
    }

    fn exit(&mut self, statements: usize) -> u32 {
        let (function, block) = (self.site.function, self.site.block);
        let exit = Exit {
            block: self.out.index.block(function, block),
            edge: self.out.index.edge(function, block, 0).raw(),
            steps: statements as u32 + 1,
        };
        push(&mut self.out.exits, exit)
    }

    fn terminator(&mut self, terminator: &Terminator) -> Result<()> {
        let exit = self.exit(self.site.statement as usize);
        let op = match terminator {
            Terminator::Goto(target) => Op::Goto {
                exit,
                target: target.raw(),
            },
            Terminator::Branch {
                operand,
                then,
                otherwise,
                ..
            } => Op::Branch {
                exit,
                scalar: self.number(self.operand_type(operand))?,
                operand: self.source(operand)?,
                then: then.raw(),
                otherwise: otherwise.raw(),
            },
            Terminator::Switch {
                operand,
                arms,
                default,
                ..
            } => {
                let scalar = self.number(self.operand_type(operand))?;
                let value = |bits| crate::value::number(bits, scalar.bits(), scalar.signed);
                let code = SwitchCode {
                    scalar,
                    arms: arms
                        .iter()
                        .map(|arm| (value(arm.low), value(arm.high), arm.target.raw()))
                        .collect(),
                    default: default.raw(),
                };
                let operand = self.source(operand)?;
                let switch = push(&mut self.out.switches, code);
                Op::Switch {
                    exit,
                    operand,
                    switch,
                }
            }
            Terminator::Call { .. } => {
                let call = self.call(terminator)?;
                Op::Call { exit, call }
            }
            Terminator::Return(operand) => Op::Return {
                exit,
                value: match operand {
                    None => None,
                    Some(operand) => Some(self.returned(operand)?),
                },
            },
            Terminator::Unreachable => Op::Unreachable { exit },
            Terminator::Unsupported { construct, .. } => {
                let text = push(&mut self.out.texts, construct.clone());
                Op::Unsupported { text }
            }
        };
        self.emit(op);
        Ok(())
    }

    fn returned(&mut self, operand: &Operand) -> Result<Returned> {
        let ty = self.operand_type(operand);
        match operand {
            Operand::Copy(local) if Scalar::of(self.types, ty).is_none() => {
                Ok(Returned::Object(self.local_place(*local)))
            }
            _ => Ok(Returned::Scalar(self.source(operand)?, self.scalar(ty)?)),
        }
    }

    fn call(&mut self, terminator: &Terminator) -> Result<u32> {
        let Terminator::Call {
            callee,
            arguments,
            destination,
            next,
        } = terminator
        else {
            return Err(Unprepared("a call"));
        };
        let (callee, ty) = match callee {
            Callee::Direct(function) => (
                CalleeCode::Direct(*function),
                self.out.program.functions[*function].ty,
            ),
            Callee::Indirect(pointer) => {
                let pointer_type = self.operand_type(pointer);
                let ty = self.types.pointee(pointer_type);
                (
                    CalleeCode::Indirect(self.source(pointer)?),
                    ty.ok_or(Unprepared("a call through no pointer"))?,
                )
            }
        };
        let mut sources = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let ty = self.operand_type(argument);
            sources.push(match argument {
                Operand::Copy(local) if !self.types.is_scalar(ty) => {
                    Argument::Object(self.local_place(*local))
                }
                _ => Argument::Scalar(self.source(argument)?, self.scalar(ty)?, ty),
            });
        }
        let destination = match destination {
            None => Destination::Nowhere,
            Some(place) => match self.register_of(place) {
                Some(slot) => Destination::Slot(slot),
                None => Destination::Place(self.place(place)?),
            },
        };
        let code = CallCode {
            callee,
            arguments: sources,
            ty,
            destination,
            next: next.map(ir::Block::raw),
        };
        Ok(push(&mut self.out.calls, code))
    }
}

/// Appends and gives the position.
fn push<T>(vector: &mut Vec<T>, item: T) -> u32 {
    vector.push(item);
    vector.len() as u32 - 1
}

/// A pointer to the start of an allocation.
pub(crate) fn pointer_to(memory: &crate::memory::Memory, id: crate::memory::AllocationId) -> Value {
    Value {
        bits: u128::from(memory.get(id).base),
        shadow: Shadow::Pointer(id, None),
    }
}
