//! Preparation: from the program as data to flat code, once per machine.

mod nonnull;
mod place;
mod renewed;
mod runs;
mod statement;
mod terminator;

use index_vec::IndexVec;
use ir::library::{Primitive, is_assumption};
use ir::{
    Block, Body, CodeBlock, CodeIndex, Constant, ConstantValue, ControlFlow, FunctionId, Local,
    LocalDecl, LocalKind, Operand, Program, Type, TypeId, Types,
};

use crate::code::*;
use crate::config::{CallPolicy, Config};
use crate::facts::Facts;
use crate::ids::Pc;
use crate::native_call::callable;
use crate::prepare::nonnull::demands_nonnull;
use crate::site::Site;
use crate::value::{Scalar, Value};
use crate::{constants, leaves, statics};

/// Something that cannot be prepared, by its name.
pub(super) struct Unprepared(&'static str);

pub(super) type Result<T> = std::result::Result<T, Unprepared>;

/// Prepares a program.
pub(crate) fn prepare<'p>(program: &'p Program, index: &CodeIndex, config: Config) -> Prepared<'p> {
    let (image, layout) = statics::image(program, &config);
    let input_globals = statics::input_globals(program, &config);
    let library_state = statics::library_state(program);
    let names_error_number = program.function("__errno_location").is_some();
    let error_number = library_state.first().filter(|_| names_error_number);
    let error_number = error_number.map(|&global| layout.globals[global]);
    let option_index = statics::option_index(program, &layout);
    let facts = Facts::new(program, |global| layout.globals[global]);
    let mut prepared = Prepared {
        program,
        index: index.clone(),
        config,
        ops: Vec::new(),
        sites: Vec::new(),
        runs_on_from: IndexVec::from_vec(vec![None; index.blocks()]),
        functions: IndexVec::new(),
        tables: Tables::default(),
        statics: Statics {
            image,
            layout,
            input_globals,
            library_state,
            streams: statics::streams(program),
            error_number,
            option_index,
        },
        facts,
        features: features(program),
        pointer_width: program.target.pointer_width,
    };
    for (id, function) in program.functions.iter_enumerated() {
        let code = match &function.body {
            Some(body) => FunctionCode::Body(Preparer::new(&mut prepared, id, body).function()),
            None => bodiless(&prepared, id),
        };
        prepared.functions.push(code);
    }
    prepared
}

fn features(program: &Program) -> Features {
    let mut functions = program.functions.iter();
    Features {
        moves_by_x87: program.target.moves_by_x87,
        uses_at_exit: program.uses_at_exit(),
        sets_library_hooks: program.sets_library_hooks(),
        has_assumptions: functions.any(|function| is_assumption(&function.name)),
        has_memory_streams: program.has_memory_streams(),
        maps_memory: program.maps_memory(),
    }
}

/// A function without a body.
fn bodiless(prepared: &Prepared<'_>, function: FunctionId) -> FunctionCode {
    let program = prepared.program;
    let data = &program.functions[function];
    if let Some(primitive) = Primitive::of(data) {
        return FunctionCode::Primitive(primitive);
    }
    let native = match prepared.config.policies.get(&function) {
        Some(&CallPolicy::Native(depends)) => {
            callable(program, function).map(|result| (result, depends))
        }
        _ => None,
    };
    native.map_or(FunctionCode::Unknown, |(result, depends)| {
        FunctionCode::Native(result, depends)
    })
}

/// Prepares one function.
pub(super) struct Preparer<'a, 'p> {
    out: &'a mut Prepared<'p>,
    function: FunctionId,
    body: &'p Body,
    flow: ControlFlow,
    types: &'p Types,
    site: Site,
    /// Scratch slots that the current statement uses.
    scratches: u32,
    /// The most that any statement uses.
    most_scratches: u32,
}

impl<'a, 'p> Preparer<'a, 'p> {
    pub(super) fn new(out: &'a mut Prepared<'p>, function: FunctionId, body: &'p Body) -> Self {
        let types = &out.program.types;
        Preparer {
            out,
            function,
            body,
            flow: ControlFlow::new(body),
            types,
            site: Site::first(function),
            scratches: 0,
            most_scratches: 0,
        }
    }

    pub(super) fn function(mut self) -> BodyCode {
        let entry = self.out.ops.len() as Pc;
        // Code that nothing leads to stays out.
        let mut starts = vec![entry; self.body.blocks.len()];
        let (first_switch, first_call) =
            (self.out.tables.switches.len(), self.out.tables.calls.len());
        for run in runs::runs(self.body) {
            self.run(&run, &mut starts);
        }
        self.link(entry, first_switch, first_call, &starts);
        let function = &self.out.program.functions[self.function];
        let parameters = function
            .parameter_locals()
            .filter(|&local| local.index() < self.body.locals.len())
            .map(|local| match self.register(local) {
                Some(scalar) => ParameterCode::Register(local.raw(), scalar),
                None => ParameterCode::Memory(self.local(local)),
            })
            .collect();
        let policy = self.out.config.policies.get(&self.function);
        // A call that is replaced would give `atexit` nothing.
        let replaceable =
            matches!(policy, Some(CallPolicy::Abstract(_))) && !self.out.features.uses_at_exit;
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
            replaceable,
            has_another_definition: self.out.program.has_another_definition(self.function),
            demands_nonnull: demands_nonnull(self.out.program, self.function),
        }
    }

    /// Prepares blocks that run into each other, and notes where each starts.
    fn run(&mut self, run: &[Block], starts: &mut [Pc]) {
        let mut statements = 0;
        for &block in run {
            starts[block.index()] = self.out.ops.len() as Pc;
            self.site.block = block;
            let data = &self.body.blocks[block];
            for (number, statement) in data.statements.iter().enumerate() {
                self.site.statement = number as u32;
                self.scratches = 0;
                let before = self.out.ops.len();
                if let Err(Unprepared(what)) = self.statement(&statement.kind) {
                    self.out.ops.truncate(before);
                    self.out.sites.truncate(before);
                    self.unsupported(what);
                }
            }
            self.site.statement = data.statements.len() as u32;
            statements += data.statements.len();
        }
        for pair in run.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|block| self.code_block(block));
            self.out.runs_on_from[to] = Some(from);
        }
        let Some(&last) = run.last() else { return };
        self.scratches = 0;
        let exit = self.exit(statements);
        if let Err(Unprepared(what)) =
            self.terminator(exit, last, &self.body.blocks[last].terminator)
        {
            self.unsupported(what);
        }
    }

    fn code_block(&self, block: Block) -> CodeBlock {
        self.out.index.block(self.function, block)
    }

    /// Replaces block numbers by positions.
    pub(super) fn link(
        &mut self,
        entry: Pc,
        first_switch: usize,
        first_call: usize,
        starts: &[Pc],
    ) {
        let link =
            |target: &mut Pc| *target = starts.get(*target as usize).copied().unwrap_or(entry);
        for op in &mut self.out.ops[entry as usize..] {
            match op {
                Op::Goto { target, .. } | Op::Probe { next: target, .. } => link(target),
                Op::Branch {
                    then, otherwise, ..
                } => {
                    link(then);
                    link(otherwise);
                }
                _ => {}
            }
        }
        for switch in &mut self.out.tables.switches[first_switch..] {
            switch
                .arms
                .iter_mut()
                .for_each(|(_, _, target)| link(target));
            link(&mut switch.default);
        }
        for call in &mut self.out.tables.calls[first_call..] {
            call.next.iter_mut().for_each(link);
        }
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.out.ops.push(op);
        self.out.sites.push(self.site);
    }

    pub(super) fn unsupported(&mut self, what: &str) {
        let text = push(&mut self.out.tables.texts, what.to_owned());
        self.emit(Op::Unsupported { text });
    }

    /// The scalar that a local's slot holds, if it can live there.
    pub(super) fn register(&self, local: Local) -> Option<Scalar> {
        let decl = &self.body.locals[local];
        // What is read unwritten is looked at more closely in memory.
        let is_looked_at = self.out.config.beyond_defects && decl.kind == LocalKind::Variable;
        if decl.address_taken || is_looked_at {
            return None;
        }
        Scalar::of(self.types, decl.ty)
    }

    pub(super) fn local(&self, local: Local) -> LocalCode {
        let &LocalDecl {
            ty, constant, kind, ..
        } = &self.body.locals[local];
        LocalCode {
            slot: local.raw(),
            size: self.types.size(ty),
            align: self.types.align(ty),
            ty,
            constant,
            guarded: constant || constants::has_members(self.types, ty),
            padded: leaves::has_padding(self.types, ty),
            is_register: !self.body.locals[local].address_taken
                && Scalar::of(self.types, ty).is_some(),
            temporary: kind == LocalKind::Temporary,
        }
    }

    /// A local array whose length has a type.
    pub(super) fn array(&self, local: Local, length: TypeId) -> Result<ArrayCode> {
        let code = self.local(local);
        let Type::Array { element, .. } = *self.types.kind(code.ty) else {
            return Err(Unprepared("the length of no array"));
        };
        // As of input arrays, the type of an element says what the array holds.
        let local = LocalCode {
            ty: element,
            guarded: code.constant || constants::has_members(self.types, element),
            padded: leaves::has_padding(self.types, element),
            ..code
        };
        Ok(ArrayCode {
            local,
            element: self.types.size(element),
            length: self.number(length)?,
        })
    }

    /// A slot that no other value of this statement is in.
    pub(super) fn scratch(&mut self) -> Slot {
        self.scratches += 1;
        self.most_scratches = self.most_scratches.max(self.scratches);
        self.body.locals.len() as Slot + self.scratches - 1
    }

    pub(super) fn constant(&mut self, constant: &Constant) -> Source {
        let value = match &constant.value {
            ConstantValue::Int(bits) | ConstantValue::Float(bits) => Value::concrete(*bits),
            target => statics::address(&self.out.statics.image, &self.out.statics.layout, target),
        };
        Source::constant(push(&mut self.out.tables.constants, value) as usize)
    }

    pub(super) fn operand_type(&self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Copy(local) => self.body.locals[*local].ty,
            Operand::Constant(constant) => constant.ty,
        }
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Result<Scalar> {
        Scalar::of(self.types, ty).ok_or(Unprepared("a value of a type without operations"))
    }

    /// The scalar of a type that has arithmetic here.
    pub(super) fn number(&self, ty: TypeId) -> Result<Scalar> {
        match self.types.kind(ty) {
            Type::Float(_) => Err(Unprepared("floating-point arithmetic")),
            _ => self.scalar(ty),
        }
    }

    /// A scalar operand; one that lives in memory is loaded to a scratch slot.
    pub(super) fn source(&mut self, operand: &Operand) -> Result<Source> {
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
}

/// Appends and gives the position.
pub(super) fn push<T>(vector: &mut Vec<T>, item: T) -> u32 {
    vector.push(item);
    vector.len() as u32 - 1
}
