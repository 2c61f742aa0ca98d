//! The tables of a unit: files, globals and functions; and the walk over its function bodies.

use index_vec::IndexVec;
use ir::c_library::is_in_c_library;
use ir::{
    ConstantValue, EnumId, FileId, Function, FunctionAttributes, FunctionId, FunctionType, Global,
    GlobalId, GlobalKind, Initializer, IntName, IntType, Linkage, Nonnull, Origin, Parameter,
    Position, Program, SourceFile, Span, Target, Type, TypeId, Unit, UnitId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builtin;
use super::function::FunctionLowering;
use super::types::lower_types;
use super::{LowerError, Lowered, OperandOrder, Startup, When};
use crate::ast::{
    self, FunctionDecl, Point, TranslationUnit, TypeKind, VariableDecl, VariableKind,
};
use crate::diagnostic::{Diagnostic, Severity, SourcePlace};
use crate::table;

/// A unit while it is lowered.
pub(super) struct UnitLowering<'a> {
    pub(super) ast: &'a TranslationUnit,
    pub(super) program: Program,
    /// For each of clang's types, that of the program.
    types: Vec<TypeId>,
    /// For each of clang's functions, that of the program.
    functions: Vec<FunctionId>,
    /// Why the initial value of a global is not known, where it is not.
    pub(super) unknown_values: FxHashMap<GlobalId, String>,
    /// The constants that were made, by type and bytes.
    constants: FxHashMap<(TypeId, Vec<u8>), GlobalId>,
    diagnostics: Vec<Diagnostic>,
    said: FxHashSet<Diagnostic>,
    /// `int`, which comparisons give.
    pub(super) int: TypeId,
    /// The order in which operands are evaluated.
    pub(super) order: OperandOrder,
}

impl<'a> UnitLowering<'a> {
    pub(super) fn new(
        ast: &'a TranslationUnit,
        path: &str,
        origin: Origin,
    ) -> Result<Self, LowerError> {
        if ast.target.big_endian {
            return Err(LowerError::BigEndian {
                triple: ast.target.triple.clone(),
            });
        }
        let width = ast.target.pointer_width;
        if ![32, 64].contains(&width) {
            let triple = ast.target.triple.clone();
            return Err(LowerError::PointerWidth { triple, width });
        }
        let malformed = |what| LowerError::Malformed {
            unit: path.to_owned(),
            what,
        };
        let (types, map) = lower_types(ast).map_err(malformed)?;
        let mut program = Program {
            target: Target {
                triple: ast.target.triple.clone(),
                pointer_width: ast.target.pointer_width,
                signed_overflow_wraps: ast.target.signed_overflow_wraps,
                moves_by_x87: ast.target.moves_by_x87 && origin == Origin::User,
                relaxed_aliasing: !ast.strict_aliasing && origin == Origin::User,
                relaxed_alignment: !ast.strict_alignment && origin == Origin::User,
                freestanding: ast.target.freestanding && origin == Origin::User,
            },
            units: IndexVec::new(),
            files: ast
                .files
                .iter()
                .map(|path| SourceFile { path: path.clone() })
                .collect(),
            types,
            globals: IndexVec::new(),
            functions: IndexVec::new(),
        };
        program.units.push(Unit {
            path: path.to_owned(),
            origin,
            unknown_records: Vec::new(),
            absent_records: Vec::new(),
            unknown_enums: local_enums(ast),
            macros: ast.macros.clone(),
            qualified: qualified(ast),
            clang_values: false,
        });
        let int = program.types.intern(int_type(IntName::Int, 32, true), 4, 4);
        let mut lowering = UnitLowering {
            ast,
            program,
            types: map,
            functions: Vec::new(),
            unknown_values: FxHashMap::default(),
            constants: FxHashMap::default(),
            diagnostics: Vec::new(),
            said: FxHashSet::default(),
            int,
            order: OperandOrder::Clang,
        };
        lowering.declare_functions();
        lowering.define_globals().map_err(malformed)?;
        lowering.expose();
        Ok(lowering)
    }

    /// Lowers all bodies.
    pub(super) fn lower_bodies(&mut self) {
        for (index, decl) in self.ast.functions.iter().enumerate() {
            if decl.body.is_some() {
                let id = self.functions[index];
                let body = FunctionLowering::new(self, decl).run();
                self.program.functions[id].body = Some(body);
            }
        }
    }

    /// The lowered unit.
    pub(super) fn finish(self) -> Lowered {
        Lowered {
            startups: startups(self.ast),
            aliases: self.ast.aliases.clone(),
            symbols: self.ast.symbols.clone(),
            program: self.program,
            diagnostics: self.diagnostics,
        }
    }

    fn declare_functions(&mut self) {
        let ast = self.ast;
        let mut by_name: FxHashMap<&str, FunctionId> = FxHashMap::default();
        // Functions under their own names come first, so that `__builtin_memcpy` finds `memcpy`.
        let mut order: Vec<usize> = (0..ast.functions.len()).collect();
        order.sort_by_key(|&index| builtin::library_name(&ast.functions[index].name).is_some());
        self.functions = vec![FunctionId::from_usize(0); order.len()];
        for index in order {
            let decl = &ast.functions[index];
            let library_name = builtin::library_name(&decl.name);
            let name = library_name.as_deref().unwrap_or(&decl.name);
            let known = by_name.get(name).filter(|_| library_name.is_some());
            let id = match known {
                Some(id) => *id,
                None => self.declare_function(decl, name),
            };
            by_name.insert(decl.name.as_str(), id);
            self.functions[index] = id;
        }
    }

    fn declare_function(&mut self, decl: &FunctionDecl, name: &str) -> FunctionId {
        let ty = self.function_type(decl);
        let span = decl.span.map(|span| self.span(span));
        let attributes = &decl.attributes;
        self.program.functions.push(Function {
            name: name.to_owned(),
            ty,
            parameters: decl.parameters.iter().map(parameter).collect(),
            result_nonnull: nonnull(&attributes.result_nonnull),
            weak: attributes.weak,
            unit: UnitId::from_usize(0),
            linkage: match (decl.inline, decl.internal) {
                (true, _) => Linkage::Inline,
                (_, true) => Linkage::Internal,
                _ => Linkage::External,
            },
            noreturn: attributes.noreturn,
            renamed: self.is_renamed(name),
            assumed: false,
            old_style: !decl.parameters.is_empty() && ty != self.ty(decl.ty),
            pure: attributes.pure,
            span,
            body: None,
        })
    }

    /// Whether a function or an object has a symbol of its own that no function of the C library
    /// has. Headers of the system give functions other symbols of the library.
    fn is_renamed(&self, name: &str) -> bool {
        let mut symbols = self.ast.symbols.iter();
        let symbol = symbols
            .find(|it| it.name == name)
            .map(|it| it.target.as_str());
        symbol.is_some_and(|it| !is_in_c_library(it) && !it.starts_with('_'))
    }

    /// The type of a function. A definition in the old style has the types that its parameters
    /// have inside; what a call passes is converted to them.
    fn function_type(&mut self, decl: &FunctionDecl) -> TypeId {
        let ty = self.ty(decl.ty);
        let Type::Function(function) = self.program.types.kind(ty) else {
            return ty;
        };
        if decl.body.is_none() {
            return ty;
        }
        let locals = decl.locals.iter().take(decl.parameters.len());
        let parameters: Vec<TypeId> = locals.map(|local| self.ty(local.ty)).collect();
        if function.parameters == parameters && !(function.variadic && parameters.is_empty()) {
            return ty;
        }
        let old_style = function.parameters.is_empty();
        let function = FunctionType {
            result: function.result,
            variadic: function.variadic && !old_style,
            parameters,
            attributes: function.attributes.clone(),
        };
        self.program.types.intern(Type::Function(function), 0, 1)
    }

    fn define_globals(&mut self) -> Result<(), String> {
        for (index, decl) in self.ast.variables.iter().enumerate() {
            let kind = match &decl.kind {
                VariableKind::External => GlobalKind::File(Linkage::External),
                VariableKind::Internal => GlobalKind::File(Linkage::Internal),
                VariableKind::StaticLocal(function) => GlobalKind::StaticLocal(
                    *self
                        .functions
                        .get(*function)
                        .ok_or_else(|| format!("function {function}"))?,
                ),
                VariableKind::StringLiteral => GlobalKind::StringLiteral,
                VariableKind::CompoundLiteral => GlobalKind::CompoundLiteral,
            };
            let initializer = self.initializer(GlobalId::from_usize(index), decl)?;
            let global = Global {
                name: literal_name(decl, index),
                ty: self.ty(decl.ty),
                unit: UnitId::from_usize(0),
                kind,
                constant: decl.constant,
                volatile: decl.volatile,
                weak: decl.weak,
                renamed: self.is_renamed(&decl.name),
                thread_local: decl.thread_local,
                initializer,
                span: decl.span.map(|span| self.span(span)),
            };
            self.program.globals.push(global);
        }
        self.diagnose_qualifiers();
        self.spread_unknown_values();
        Ok(())
    }

    /// Says once that attest ignores `_Thread_local`.
    fn diagnose_qualifiers(&mut self) {
        let mut variables = self.ast.variables.iter();
        let Some(decl) = variables.find(|decl| decl.thread_local) else {
            return;
        };
        let span = decl.span.map(|span| self.span(span));
        let message = format!(
            "`{}` is thread-local; attest treats such objects as ordinary ones",
            decl.name
        );
        self.diagnose(message, None, span.as_ref());
    }

    /// Marks objects that point to an object of unknown value as unknown too: code can follow the
    /// pointer.
    fn spread_unknown_values(&mut self) {
        loop {
            let mut found = Vec::new();
            for (id, global) in self.program.globals.iter_enumerated() {
                if self.unknown_values.contains_key(&id) {
                    continue;
                }
                let relocations = global.initializer.iter().flat_map(|init| &init.relocations);
                let reason = relocations.filter_map(|relocation| match &relocation.target {
                    ConstantValue::Global { global, .. } => self.unknown_values.get(global),
                    _ => None,
                });
                if let Some(reason) = reason.into_iter().next() {
                    found.push((id, reason.clone()));
                }
            }
            if found.is_empty() {
                return;
            }
            self.unknown_values.extend(found);
        }
    }

    /// Why the initial value of a global is not known, if it is not.
    pub(super) fn unknown_value(&self, global: GlobalId) -> Option<&str> {
        self.unknown_values.get(&global).map(String::as_str)
    }

    /// The program's type for one of clang's.
    pub(super) fn ty(&self, index: usize) -> TypeId {
        self.types.get(index).copied().unwrap_or(self.int)
    }

    /// The type of a local with a type of clang's.
    pub(super) fn local_type(&mut self, index: usize) -> TypeId {
        let ty = self.ty(index);
        let is_variable = matches!(
            self.ast.types.get(index).map(|entry| &entry.kind),
            Some(TypeKind::VariableArray { .. })
        );
        match *self.program.types.kind(ty) {
            Type::Array { element, .. } if is_variable => self.program.types.open_array(element),
            _ => ty,
        }
    }

    /// The program's function for one of clang's.
    pub(super) fn function(&self, index: usize) -> Option<FunctionId> {
        self.functions.get(index).copied()
    }

    /// The program's global for one of clang's variables.
    pub(super) fn global(&self, index: usize) -> Option<GlobalId> {
        (index < self.ast.variables.len()).then(|| GlobalId::from_usize(index))
    }

    /// The program's span for one of clang's.
    pub(super) fn span(&self, index: usize) -> Span {
        let Some(span) = self.ast.spans.get(index) else {
            let start = position(&Point(0, 1, 1));
            return Span {
                begin: start,
                end: start,
                expansions: Vec::new(),
            };
        };
        let expansions = span.expansions.iter().map(|(name, at)| ir::Expansion {
            name: name.clone(),
            at: position(at),
        });
        Span {
            begin: position(&span.begin),
            end: position(&span.end),
            expansions: expansions.collect(),
        }
    }

    /// Adds a warning, once.
    pub(super) fn diagnose(
        &mut self,
        message: String,
        function: Option<&str>,
        span: Option<&Span>,
    ) {
        let place = span.map(Span::place).and_then(|at| {
            self.program.files.get(at.file).map(|file| SourcePlace {
                path: file.path.clone(),
                line: at.line,
                column: at.column,
            })
        });
        let diagnostic = Diagnostic {
            severity: Severity::Warning,
            message,
            function: function.map(str::to_owned),
            place,
        };
        if self.said.insert(diagnostic.clone()) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The type of pointers to a type.
    pub(super) fn pointer_to(&mut self, pointee: TypeId, constant: bool) -> TypeId {
        let size = u64::from(self.program.target.pointer_width / 8);
        let pointer = Type::Pointer {
            pointee,
            constant,
            volatile: false,
        };
        self.program.types.intern(pointer, size, size)
    }

    /// The function that is called for unsupported constructs.
    pub(super) fn unsupported_construct(&mut self, place: &Span) -> FunctionId {
        self.helper(ir::UNSUPPORTED_CONSTRUCT, Vec::new(), Some(place.clone()))
    }

    /// The function that notes that what follows holds within a bound.
    pub(super) fn narrow_model(&mut self) -> FunctionId {
        let text = self.text_pointer();
        self.helper(ir::NARROW_MODEL, vec![text], None)
    }

    /// A function without a body or a result that no source declares; without parameters, it takes
    /// any arguments.
    pub(super) fn helper(
        &mut self,
        name: &str,
        parameters: Vec<TypeId>,
        span: Option<Span>,
    ) -> FunctionId {
        if let Some(known) = self.program.function(name) {
            return known;
        }
        let result = self.program.types.intern(Type::Void, 0, 1);
        let arity = parameters.len();
        let ty = FunctionType {
            result,
            variadic: parameters.is_empty(),
            parameters,
            attributes: FunctionAttributes::default(),
        };
        let ty = self.program.types.intern(Type::Function(ty), 0, 1);
        self.program.functions.push(Function {
            name: name.to_owned(),
            ty,
            parameters: vec![Parameter::default(); arity],
            result_nonnull: Nonnull::No,
            unit: UnitId::from_usize(0),
            linkage: Linkage::External,
            noreturn: false,
            renamed: false,
            assumed: false,
            old_style: false,
            pure: false,
            weak: false,
            span,
            body: None,
        })
    }

    fn text_pointer(&mut self) -> TypeId {
        let char = int_type(IntName::Char, 8, true);
        let char = self.program.types.intern(char, 1, 1);
        self.pointer_to(char, true)
    }

    /// Makes a text of attest's own, with the type of pointers to it.
    pub(super) fn add_text(&mut self, bytes: Vec<u8>) -> (GlobalId, TypeId) {
        let pointer = self.text_pointer();
        let char = self.program.types.pointee(pointer).unwrap_or(self.int);
        let size = bytes.len() as u64;
        let array = Type::Array {
            element: char,
            length: Some(size),
        };
        let array = self.program.types.intern(array, size, 1);
        (self.add_constant(array, bytes), pointer)
    }

    /// Makes an object that other code sees and that points to all that such code can reach by
    /// names that C does not know.
    fn expose(&mut self) {
        let exposed = &self.ast.exposed;
        let functions = exposed.functions.iter();
        let functions = functions.filter_map(|&index| self.function(index));
        let variables = exposed.variables.iter();
        let variables = variables.filter_map(|&index| self.global(index));
        let targets = functions
            .map(ConstantValue::Function)
            .chain(variables.map(|global| ConstantValue::Global { global, offset: 0 }));
        let targets: Vec<ConstantValue> = targets.collect();
        if !targets.is_empty() {
            let path = &self.program.units[UnitId::from_usize(0)].path;
            let name = format!("<names of {path}>");
            table::add(&mut self.program, name, targets);
        }
    }

    /// A constant object that a local array or record is initialised from. No code has its address,
    /// so that one does for all of the same type and bytes.
    pub(super) fn add_constant(&mut self, ty: TypeId, bytes: Vec<u8>) -> GlobalId {
        if let Some(&known) = self.constants.get(&(ty, bytes.clone())) {
            return known;
        }
        let name = format!("<initializer {}>", self.program.globals.len());
        let made = self.program.globals.push(Global {
            name,
            ty,
            unit: UnitId::from_usize(0),
            kind: GlobalKind::StringLiteral,
            constant: true,
            volatile: false,
            weak: false,
            renamed: false,
            thread_local: false,
            initializer: Some(Initializer {
                bytes: bytes.clone(),
                ..Initializer::default()
            }),
            span: None,
        });
        self.constants.insert((ty, bytes), made);
        made
    }
}

/// The functions that run before `main` or when the program ends.
fn startups(ast: &TranslationUnit) -> Vec<Startup> {
    let startup = |decl: &FunctionDecl, priority: u32, when: When| Startup {
        name: decl.name.clone(),
        priority,
        when,
    };
    let defined = ast.functions.iter().filter(|decl| decl.body.is_some());
    let found = defined.flat_map(|decl| {
        let attributes = &decl.attributes;
        let before = attributes.constructor;
        let before = before.map(|priority| startup(decl, priority, When::Before));
        let at_end = attributes.destructor;
        let at_end = at_end.map(|priority| startup(decl, priority, When::AtEnd));
        before.into_iter().chain(at_end)
    });
    let started = ast.exposed.started.iter();
    let started = started.filter_map(|&index| ast.functions.get(index));
    found
        .chain(started.map(|decl| startup(decl, 0, When::Unknown)))
        .collect()
}

/// The functions whose types have qualifiers that their types here leave out.
fn qualified(ast: &TranslationUnit) -> Vec<String> {
    let functions = ast.functions.iter().filter(|decl| decl.qualified);
    functions.map(|decl| decl.name.clone()).collect()
}

/// The enums that functions declare.
fn local_enums(ast: &TranslationUnit) -> Vec<EnumId> {
    let enums = ast.enums.iter().enumerate();
    let local = enums.filter(|(_, decl)| decl.local);
    local.map(|(index, _)| EnumId::from_usize(index)).collect()
}

/// An integer type by its parts.
pub(super) fn int_type(name: IntName, width: u32, signed: bool) -> Type {
    Type::Int(IntType {
        name,
        width,
        signed,
    })
}

fn position(point: &Point) -> Position {
    Position {
        file: FileId::from_usize(point.0),
        line: point.1,
        column: point.2,
    }
}

fn literal_name(decl: &VariableDecl, index: usize) -> String {
    match decl.kind {
        VariableKind::StringLiteral => format!("<string {index}>"),
        VariableKind::CompoundLiteral => format!("<literal {index}>"),
        _ => decl.name.clone(),
    }
}

fn nonnull(declared: &ast::Nonnull) -> Nonnull {
    match declared {
        ast::Nonnull::No => Nonnull::No,
        ast::Nonnull::Meant => Nonnull::Meant,
        ast::Nonnull::Demanded => Nonnull::Demanded,
    }
}

fn parameter(declared: &ast::ParameterDecl) -> Parameter {
    Parameter {
        name: declared.name.clone(),
        nonnull: nonnull(&declared.nonnull),
        length: declared.length,
        rows: declared.rows,
    }
}
