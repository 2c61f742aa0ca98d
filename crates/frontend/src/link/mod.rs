//! Linking: several programs of one unit each become one program.
//!
//! Types are merged by structure, records and enums by name and structure, external functions and
//! globals by symbol. A definition wins over declarations, and a user's definition over a model's.
//! Internal names stay apart.

mod aliases;
mod calls;
mod narrow;
mod own;
mod reach;
mod remap;
mod startup;
mod types;

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{
    EnumId, Function, FunctionId, Global, GlobalId, GlobalKind, IntName, IntType, Linkage, Origin,
    Program, RecordId, Span, Target, Type, Unit, UnitId,
};
use rustc_hash::FxHashMap;

use crate::ast::Alias;
use crate::diagnostic::{Diagnostic, SourcePlace};
use crate::lower::{Lowered, Startup};
use own::Owner;
pub(crate) use reach::Selection;
use remap::Remap;
use types::Merged;

/// The reason why programs do not link.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// There is nothing to link.
    #[error("there is nothing to link")]
    Nothing,
    /// The units were compiled for targets with different data models.
    #[error("{path} is compiled for another target than the files before it")]
    Target {
        /// The first unit that differs.
        path: String,
    },
    /// A function or object is defined twice.
    #[error("`{name}` is defined twice: {first} and {second}")]
    Duplicate {
        /// Its name.
        name: String,
        /// One definition.
        first: SourcePlace,
        /// The other.
        second: SourcePlace,
    },
    /// An object is declared with types that cannot be those of one object.
    #[error("`{name}` has different types: {first} and {second}")]
    Conflict {
        /// Its name.
        name: String,
        /// One declaration.
        first: SourcePlace,
        /// The other.
        second: SourcePlace,
    },
}

/// A linked program.
#[derive(Debug)]
pub struct Linked {
    /// The program.
    pub program: Program,
    /// Calls that do not fit the function they call.
    pub diagnostics: Vec<Diagnostic>,
}

/// Links programs to one.
pub fn link(programs: Vec<Program>) -> Result<Linked, LinkError> {
    let first = programs.first().ok_or(LinkError::Nothing)?;
    let mut linker = Linker::new(first.target.clone());
    for program in programs {
        let all = Selection::all(&program);
        linker.add(program, &all)?;
    }
    Ok(linker.finish())
}

/// Adds a character type, if there is none: what a `void *` points to is bytes, though no code
/// names them.
fn add_character(program: &mut Program) {
    let is_character = |kind: &Type| matches!(kind, Type::Int(int) if int.name.is_character());
    if !program
        .types
        .iter()
        .any(|(_, info)| is_character(&info.kind))
    {
        let character = Type::Int(IntType {
            name: IntName::UnsignedChar,
            width: 8,
            signed: false,
        });
        program.types.intern(character, 1, 1);
    }
}

/// A program to which others are added one by one.
pub(crate) struct Linker {
    program: Program,
    /// External functions by symbol.
    functions: FxHashMap<String, FunctionId>,
    /// External objects by symbol.
    globals: FxHashMap<String, GlobalId>,
    startups: Vec<(UnitId, Startup)>,
    aliases: Vec<(UnitId, Alias)>,
    /// Weak definitions that other definitions replaced.
    overridden: Overridden,
    /// The symbols of the unit that is added, where they are not the names.
    symbols: FxHashMap<String, String>,
}

impl Linker {
    pub(crate) fn new(target: Target) -> Self {
        Linker {
            program: Program {
                target,
                units: IndexVec::new(),
                files: IndexVec::new(),
                types: ir::Types::default(),
                globals: IndexVec::new(),
                functions: IndexVec::new(),
            },
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            startups: Vec::new(),
            aliases: Vec::new(),
            overridden: Overridden::default(),
            symbols: FxHashMap::default(),
        }
    }

    /// Adds a unit of the user's.
    pub(crate) fn add_unit(&mut self, unit: Lowered) -> Result<(), LinkError> {
        let symbols = unit.symbols.into_iter();
        self.symbols = symbols.map(|name| (name.name, name.target)).collect();
        let all = Selection::all(&unit.program);
        self.add(unit.program, &all)?;
        self.symbols.clear();
        let last = self.program.units.last_idx();
        let startups = unit.startups.into_iter();
        self.startups
            .extend(startups.map(|startup| (last, startup)));
        let aliases = unit.aliases.into_iter();
        self.aliases.extend(aliases.map(|alias| (last, alias)));
        Ok(())
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn finish(mut self) -> Linked {
        startup::run(&mut self.program, &self.startups);
        let diagnostics = calls::fit(&mut self.program);
        add_character(&mut self.program);
        Linked {
            program: self.program,
            diagnostics,
        }
    }

    /// Adds the selected functions and globals of a program.
    pub(crate) fn add(&mut self, mut other: Program, keep: &Selection) -> Result<(), LinkError> {
        self.check_target(&other)?;
        let known = &self.program.types;
        let known = (known.records.len(), known.enums.len());
        let merged = types::merge(&mut self.program.types, &other.types);
        self.note_unknown_types(&mut other, &merged, known);
        let files = other
            .files
            .into_iter()
            .map(|file| {
                let known = self.program.files.position(|known| *known == file);
                known.unwrap_or_else(|| self.program.files.push(file))
            })
            .collect();
        let units: IndexVec<UnitId, UnitId> = other
            .units
            .into_iter()
            .map(|unit| self.program.units.push(unit))
            .collect();
        let mut remap = Remap {
            types: merged.types,
            files,
            units,
            functions: IndexVec::new(),
            addresses: FxHashMap::default(),
            globals: IndexVec::new(),
        };
        let (functions, globals) = (other.functions, other.globals);
        self.name_functions(&mut remap, &functions, keep);
        self.name_globals(&mut remap, &globals, keep);
        for (id, mut function) in functions.into_iter_enumerated() {
            if let Some(to) = remap.functions[id] {
                remap.function(&mut function);
                self.place_function(to, function)?;
            }
        }
        for (id, mut global) in globals.into_iter_enumerated() {
            if let Some(to) = remap.globals[id] {
                remap.global(&mut global);
                self.place_global(to, global)?;
            }
        }
        Ok(())
    }

    /// Notes which types the user's units know: those of the old units not what is new, those of
    /// the new program only what it defines itself.
    /// `known` is how many records and enums there were before.
    fn note_unknown_types(&mut self, new: &mut Program, merged: &Merged, known: (usize, usize)) {
        let types = &self.program.types;
        let mut records = FixedBitSet::with_capacity(types.records.len());
        let mut mentioned = records.clone();
        let mut enums = FixedBitSet::with_capacity(types.enums.len());
        for (id, record) in new.types.records.iter_enumerated() {
            mentioned.insert(merged.records[id].index());
            if record.complete {
                records.insert(merged.records[id].index());
            }
        }
        enums.extend(merged.enums.iter().map(|id| id.index()));
        for unit in of_user(&mut self.program.units) {
            let added = known.0..types.records.len();
            let added = added.map(RecordId::from_usize);
            unit.unknown_records.extend(added.clone());
            unit.absent_records.extend(added);
            let added = known.1..types.enums.len();
            unit.unknown_enums.extend(added.map(EnumId::from_usize));
        }
        for unit in of_user(&mut new.units) {
            unit.unknown_records = records.zeroes().map(RecordId::from_usize).collect();
            unit.absent_records = mentioned.zeroes().map(RecordId::from_usize).collect();
            let local = unit
                .unknown_enums
                .iter()
                .map(|id| merged.enums[*id].index());
            let mut known = enums.clone();
            local.for_each(|id| known.remove(id));
            unit.unknown_enums = known.zeroes().map(EnumId::from_usize).collect();
        }
    }

    fn check_target(&mut self, other: &Program) -> Result<(), LinkError> {
        let mine = &mut self.program.target;
        // One unit that makes pointers of other types is enough.
        mine.moves_by_x87 |= other.target.moves_by_x87;
        mine.relaxed_aliasing |= other.target.relaxed_aliasing;
        mine.relaxed_alignment |= other.target.relaxed_alignment;
        mine.freestanding |= other.target.freestanding;
        let expected = Target {
            moves_by_x87: mine.moves_by_x87,
            relaxed_aliasing: mine.relaxed_aliasing,
            relaxed_alignment: mine.relaxed_alignment,
            freestanding: mine.freestanding,
            ..other.target.clone()
        };
        if *mine == expected {
            return Ok(());
        }
        let path = other.units.first().map(|unit| unit.path.clone());
        Err(LinkError::Target {
            path: path.unwrap_or_default(),
        })
    }

    /// Gives each selected function its number in the whole; new ones come in as declarations.
    fn name_functions(
        &mut self,
        remap: &mut Remap,
        functions: &IndexVec<FunctionId, Function>,
        keep: &Selection,
    ) {
        for (id, function) in functions.iter_enumerated() {
            if !keep.functions[id] {
                remap.functions.push(None);
                continue;
            }
            let external = function.linkage == Linkage::External;
            let mut declared = declaration_of(function);
            remap.function(&mut declared);
            let symbol = self.symbol(&function.name);
            let known = self.functions.get(&symbol).copied();
            let known = known.filter(|_| external);
            let is_users = known.is_some_and(|known| self.is_users(known, &declared));
            let to = known.filter(|_| !is_users).unwrap_or_else(|| {
                if is_users {
                    declared.linkage = Linkage::Internal;
                }
                self.program.functions.push(declared)
            });
            if external && !is_users {
                self.functions.insert(symbol, to);
            }
            remap.functions.push(Some(to));
        }
    }

    /// The symbol of an external name of the unit that is being added.
    fn symbol(&self, name: &str) -> String {
        let symbol = self.symbols.get(name);
        symbol.map_or(name, String::as_str).to_owned()
    }

    /// Whether a model has the name of a function that is the user's own: then the model is another
    /// function, which only other models call.
    fn is_users(&self, known: FunctionId, new: &Function) -> bool {
        self.program.units[new.unit].origin == Origin::Model
            && own::owner(&self.program, known, new.ty) == Owner::User
    }

    /// Gives each selected global its number in the whole; new ones come in as declarations.
    fn name_globals(
        &mut self,
        remap: &mut Remap,
        globals: &IndexVec<GlobalId, Global>,
        keep: &Selection,
    ) {
        for (id, global) in globals.iter_enumerated() {
            if !keep.globals[id] {
                remap.globals.push(None);
                continue;
            }
            let external = global.kind == GlobalKind::File(Linkage::External);
            let symbol = self.symbol(&global.name);
            let known = self.globals.get(&symbol).copied();
            let to = known.filter(|_| external).unwrap_or_else(|| {
                let mut declared = declaration_of_object(global);
                remap.global(&mut declared);
                self.program.globals.push(declared)
            });
            if external {
                self.globals.insert(symbol, to);
            }
            remap.globals.push(Some(to));
        }
    }

    /// Puts a function where its number says, if it is the better one.
    fn place_function(&mut self, to: FunctionId, mut new: Function) -> Result<(), LinkError> {
        let old = &self.program.functions[to];
        new.noreturn |= old.noreturn;
        new.linkage = old.linkage;
        new.assumed = self.program.units[new.unit].origin == Origin::Model
            && (old.assumed || own::owner(&self.program, to, new.ty) == Owner::Assumed);
        let better = match (&old.body, &new.body) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(_), Some(_)) => {
                let was = (old.unit, old.weak, &old.span);
                self.prefers(&old.name, was, (new.unit, new.weak, &new.span))?
            }
        };
        if better {
            new = std::mem::replace(&mut self.program.functions[to], new);
        } else {
            self.program.functions[to].noreturn = new.noreturn;
        }
        let is_defined = new.body.is_some();
        self.overridden.functions.extend(is_defined.then_some(new));
        Ok(())
    }

    /// Puts a global where its number says, if it is the better one.
    fn place_global(&mut self, to: GlobalId, mut new: Global) -> Result<(), LinkError> {
        let old = &self.program.globals[to];
        let Some(ty) = self.common_type(old, &new) else {
            return Err(LinkError::Conflict {
                name: new.name.clone(),
                first: self.source_place(old.unit, &old.span),
                second: self.source_place(new.unit, &new.span),
            });
        };
        new.ty = ty;
        let better = match (&old.initializer, &new.initializer) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(_), Some(_)) => {
                let was = (old.unit, old.weak, &old.span);
                self.prefers(&old.name, was, (new.unit, new.weak, &new.span))?
            }
        };
        if better {
            new = std::mem::replace(&mut self.program.globals[to], new);
        } else {
            self.program.globals[to].ty = ty;
        }
        let is_defined = new.initializer.is_some();
        self.overridden.globals.extend(is_defined.then_some(new));
        Ok(())
    }

    /// The more complete of two types of one object; `None` if they do not agree.
    fn common_type(&self, old: &Global, new: &Global) -> Option<ir::TypeId> {
        let types = &self.program.types;
        if are_compatible(types, old.ty, new.ty) {
            return Some(old.ty);
        }
        match (types.kind(old.ty), types.kind(new.ty)) {
            (
                Type::Array {
                    element: old_element,
                    length: old_length,
                },
                Type::Array {
                    element: new_element,
                    length: new_length,
                },
            ) if are_compatible(types, *old_element, *new_element) => {
                match (old_length, new_length) {
                    (_, None) => Some(old.ty),
                    (None, Some(_)) => Some(new.ty),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the new one of two definitions replaces the old one.
    fn prefers(
        &self,
        name: &str,
        old: (UnitId, bool, &Option<Span>),
        new: (UnitId, bool, &Option<Span>),
    ) -> Result<bool, LinkError> {
        let origin = |unit: UnitId| self.program.units[unit].origin;
        match (origin(old.0), origin(new.0)) {
            (Origin::User, Origin::Model) => Ok(false),
            (Origin::Model, Origin::User) => Ok(true),
            _ if old.1 || new.1 => Ok(old.1 && !new.1),
            _ => Err(LinkError::Duplicate {
                name: name.to_owned(),
                first: self.source_place(old.0, old.2),
                second: self.source_place(new.0, new.2),
            }),
        }
    }

    fn source_place(&self, unit: UnitId, span: &Option<Span>) -> SourcePlace {
        match span {
            Some(span) => {
                let at = span.place();
                SourcePlace {
                    path: self.program.files[at.file].path.clone(),
                    line: at.line,
                    column: at.column,
                }
            }
            None => SourcePlace {
                path: self.program.units[unit].path.clone(),
                line: 1,
                column: 1,
            },
        }
    }
}

/// Definitions that others replaced.
#[derive(Default)]
struct Overridden {
    functions: Vec<Function>,
    globals: Vec<Global>,
}

/// The function without its body.
fn declaration_of(function: &Function) -> Function {
    Function {
        name: function.name.clone(),
        ty: function.ty,
        parameters: function.parameters.clone(),
        result_nonnull: function.result_nonnull,
        weak: function.weak,
        unit: function.unit,
        linkage: function.linkage,
        noreturn: function.noreturn,
        renamed: function.renamed,
        assumed: function.assumed,
        old_style: function.old_style,
        pure: function.pure,
        span: function.span.clone(),
        body: None,
    }
}

/// The units that are no models.
fn of_user(units: &mut IndexVec<UnitId, Unit>) -> impl Iterator<Item = &mut Unit> {
    units.iter_mut().filter(|unit| unit.origin == Origin::User)
}

/// The object without its initial value.
fn declaration_of_object(global: &Global) -> Global {
    Global {
        name: global.name.clone(),
        ty: global.ty,
        unit: global.unit,
        kind: global.kind,
        constant: global.constant,
        volatile: global.volatile,
        weak: global.weak,
        renamed: global.renamed,
        thread_local: global.thread_local,
        initializer: None,
        span: global.span.clone(),
    }
}

/// Whether two types are one for all that other units know: an enumeration is compatible with the
/// integer type that the compiler gives it (C17 6.7.2.2p4).
fn are_compatible(types: &ir::Types, one: ir::TypeId, other: ir::TypeId) -> bool {
    match (types.kind(one), types.kind(other)) {
        (Type::Enum(_), Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
            types.int(one) == types.int(other)
        }
        (
            Type::Array {
                element: one,
                length,
            },
            Type::Array {
                element: other,
                length: others,
            },
        ) => length == others && are_compatible(types, *one, *other),
        _ => one == other,
    }
}
