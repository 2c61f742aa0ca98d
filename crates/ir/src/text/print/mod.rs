//! Writes a program as text.

mod body;
mod labels;
mod types;

pub(in crate::text) use body::implied_conditions;

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::lexer::quote_bytes;
use super::names::is_identifier;
use super::{defaults, names};
use crate::{
    ConstantValue, EnumDef, Function, FunctionAttributes, FunctionId, Global, GlobalId, GlobalKind,
    Initializer, IntType, Linkage, Nonnull, Origin, Parameter, Position, Program, Record,
    RecordKind, Span, Type, TypeId, Unit, UnitId,
};

/// Appends formatted text to the printer's output; writing to a `String` cannot fail.
macro_rules! put {
    ($printer:expr, $($format:tt)*) => {
        let _ = write!($printer.out, $($format)*);
    };
}
use put;

/// The text of a program.
pub(super) fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    printer.header();
    printer.enums();
    printer.records();
    printer.types();
    for (id, global) in program.globals.iter_enumerated() {
        printer.global(id, global);
    }
    for (id, function) in program.functions.iter_enumerated() {
        printer.function(id, function);
    }
    printer.out
}

struct Printer<'p> {
    program: &'p Program,
    /// How many functions and globals have a name.
    uses: FxHashMap<&'p str, u32>,
    out: String,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        let mut uses = FxHashMap::default();
        let functions = program.functions.iter().map(|f| f.name.as_str());
        for name in functions.chain(program.globals.iter().map(|g| g.name.as_str())) {
            *uses.entry(name).or_insert(0) += 1;
        }
        Printer {
            program,
            uses,
            out: String::new(),
        }
    }

    fn header(&mut self) {
        let program = self.program;
        let target = &program.target;
        if *target != defaults::target() {
            let triple = quote(&target.triple);
            put!(self, "target {triple} {}", target.pointer_width);
            if target.signed_overflow_wraps {
                put!(self, " wrapv");
            }
            if target.moves_by_x87 {
                put!(self, " x87");
            }
            if target.relaxed_aliasing {
                put!(self, " aliased");
            }
            if target.relaxed_alignment {
                put!(self, " unaligned");
            }
            if target.freestanding {
                put!(self, " freestanding");
            }
            put!(self, "\n");
        }
        if program.files.is_empty() {
            put!(self, "files none\n");
        } else if program.files.as_raw_slice() != [defaults::file()] {
            for (id, file) in program.files.iter_enumerated() {
                put!(self, "{id} {}\n", quote(&file.path));
            }
        }
        if program.units.is_empty() {
            put!(self, "units none\n");
        } else if program.units.as_raw_slice() != [defaults::unit()] {
            for (id, unit) in program.units.iter_enumerated() {
                let origin = match unit.origin {
                    Origin::User => "user",
                    Origin::Model => "model",
                    Origin::Caller => "caller",
                };
                put!(self, "{id} {origin} {}", quote(&unit.path));
                self.unknown_types(unit);
                self.names("macros", &unit.macros);
                self.names("qualified", &unit.qualified);
                if unit.clang_values {
                    put!(self, " clang_values");
                }
                put!(self, "\n");
            }
        }
    }

    fn unknown_types(&mut self, unit: &Unit) {
        let records = unit.unknown_records.iter().map(ToString::to_string);
        let enums = unit.unknown_enums.iter().map(ToString::to_string);
        let all: Vec<String> = records.chain(enums).collect();
        if !all.is_empty() {
            put!(self, " without {}", all.join(", "));
        }
        let absent = unit.absent_records.iter().map(ToString::to_string);
        let absent: Vec<String> = absent.collect();
        if !absent.is_empty() {
            put!(self, " absent {}", absent.join(", "));
        }
    }

    fn names(&mut self, word: &str, names: &[String]) {
        let names: Vec<String> = names.iter().map(|name| name_text(name)).collect();
        if !names.is_empty() {
            put!(self, " {word} {}", names.join(", "));
        }
    }

    fn enums(&mut self) {
        for (id, def) in self.program.types.enums.iter_enumerated() {
            put!(self, "{id}");
            self.optional_name(def.name.as_deref());
            put!(self, ": {} {{", self.int_type(def.underlying));
            self.enumerators(def);
            put!(self, "}}\n");
        }
    }

    fn enumerators(&mut self, def: &EnumDef) {
        for (position, (name, bits)) in def.enumerators.iter().enumerate() {
            let comma = if position == 0 { " " } else { ", " };
            let value = int_text(*bits, Some(def.underlying));
            put!(self, "{comma}{} = {value}", name_text(name));
        }
        if !def.enumerators.is_empty() {
            put!(self, " ");
        }
    }

    fn records(&mut self) {
        for (id, record) in self.program.types.records.iter_enumerated() {
            let kind = match record.kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            put!(self, "{id} {kind}");
            self.optional_name(record.name.as_deref());
            put!(self, " size {} align {}", record.size, record.align);
            if !record.complete {
                put!(self, " incomplete");
            }
            if record.complete || !record.fields.is_empty() {
                self.fields(record);
            }
            put!(self, "\n");
        }
    }

    fn fields(&mut self, record: &Record) {
        put!(self, " {{");
        for (position, field) in record.fields.iter().enumerate() {
            let comma = if position == 0 { " " } else { ", " };
            let name = field.name.as_deref().map_or("?".to_owned(), name_text);
            let constant = if field.constant { "const " } else { "" };
            let volatile = if field.volatile { "volatile " } else { "" };
            let ty = self.ty(field.ty);
            put!(self, "{comma}{name}: {constant}{volatile}{ty}");
            put!(self, " @{}", field.offset_bits);
            if let Some(width) = field.bit_width {
                put!(self, " bits {width}");
            }
        }
        put!(self, " }}");
    }

    fn optional_name(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            put!(self, " {}", name_text(name));
        }
    }

    fn global(&mut self, _: GlobalId, global: &Global) {
        match global.kind {
            GlobalKind::File(Linkage::External) => {}
            GlobalKind::File(Linkage::Internal | Linkage::Inline) => {
                put!(self, "static ");
            }
            GlobalKind::StaticLocal(function) => {
                let function = self.function_name(function);
                put!(self, "local({function}) ");
            }
            GlobalKind::StringLiteral => {
                put!(self, "literal ");
            }
            GlobalKind::CompoundLiteral => {
                put!(self, "compound ");
            }
        }
        if global.constant {
            put!(self, "const ");
        }
        if global.weak {
            put!(self, "weak ");
        }
        if global.renamed {
            put!(self, "renamed ");
        }
        if global.thread_local {
            put!(self, "thread ");
        }
        if global.volatile {
            put!(self, "volatile ");
        }
        let name = name_text(&global.name);
        put!(self, "global {name}: {}", self.ty(global.ty));
        self.origin(global.unit, global.span.as_ref());
        if let Some(initializer) = &global.initializer {
            put!(self, " = ");
            self.initializer(initializer, global.ty);
        }
        put!(self, "\n");
    }

    fn initializer(&mut self, initializer: &Initializer, ty: TypeId) {
        let bytes = &initializer.bytes;
        match self.scalar_initializer(initializer, ty) {
            Some(number) => {
                put!(self, "{number}");
            }
            None if bytes.is_empty() => {
                put!(self, "zero");
            }
            None if bytes.iter().all(|byte| is_text(*byte)) && bytes[0] != 0 => {
                put!(self, "{}", quote_bytes(bytes));
            }
            None => {
                put!(self, "{}", hex(bytes));
            }
        }
        if !initializer.open.is_empty() {
            put!(self, " open {}", hex(&initializer.open));
        }
        for (position, relocation) in initializer.relocations.iter().enumerate() {
            let lead = if position == 0 { " with" } else { "," };
            let target = self.constant_value(&relocation.target, None);
            put!(self, "{lead} {}: {target}", relocation.offset);
        }
    }

    /// The initial value of an integer global as a number.
    fn scalar_initializer(&self, initializer: &Initializer, ty: TypeId) -> Option<String> {
        let types = &self.program.types;
        let info = types.get(ty)?;
        let whole = initializer.bytes.len() as u64 == info.size && info.size <= 16;
        let int = types.int(ty).filter(|_| whole && info.size > 0)?;
        let bits =
            (initializer.bytes.iter().rev()).fold(0, |bits, &byte| bits << 8 | u128::from(byte));
        Some(int_text(bits, Some(int)))
    }

    fn function(&mut self, id: FunctionId, function: &Function) {
        put!(self, "\n");
        let linkage = match function.linkage {
            Linkage::External => "",
            Linkage::Internal => "static ",
            Linkage::Inline => "inline ",
        };
        put!(self, "{linkage}");
        if function.weak {
            put!(self, "weak ");
        }
        if let Some(word) = nonnull_text(function.result_nonnull) {
            put!(self, "{word} ");
        }
        if function.noreturn {
            put!(self, "noreturn ");
        }
        if function.renamed {
            put!(self, "renamed ");
        }
        if function.assumed {
            put!(self, "assumed ");
        }
        if function.old_style {
            put!(self, "old_style ");
        }
        if function.pure {
            put!(self, "pure ");
        }
        put!(self, "fn {}", name_text(&function.name));
        self.signature(function);
        self.origin(function.unit, function.span.as_ref());
        if let Some(body) = &function.body {
            put!(self, " {{\n");
            self.body(id, body);
            put!(self, "}}");
        }
        put!(self, "\n");
    }

    fn signature(&mut self, function: &Function) {
        let kind = self.program.types.get(function.ty).map(|info| &info.kind);
        let declared = &function.parameters;
        match kind {
            Some(Type::Function(ty))
                if ty.parameters.len() == declared.len()
                    && ty.attributes == FunctionAttributes::default() =>
            {
                let mut parameters: Vec<String> = Vec::new();
                for (position, (parameter, &ty)) in declared.iter().zip(&ty.parameters).enumerate()
                {
                    let name = parameter
                        .name
                        .as_deref()
                        .map(|name| format!(" {}", name_text(name)));
                    let name = name.unwrap_or_default();
                    let promises = promises_text(parameter);
                    parameters.push(format!("_{position}{name}: {}{promises}", self.ty(ty)));
                }
                if ty.variadic {
                    parameters.push("...".to_owned());
                }
                put!(self, "({})", parameters.join(", "));
                if !self.is_void(ty.result) {
                    put!(self, " -> {}", self.ty(ty.result));
                }
            }
            _ => {
                let text = |parameter: &Parameter| {
                    let name = parameter.name.as_deref();
                    name.map_or("?".to_owned(), name_text) + &promises_text(parameter)
                };
                let names: Vec<String> = declared.iter().map(text).collect();
                let ty = self.ty(function.ty);
                put!(self, " as {ty} ({})", names.join(", "));
            }
        }
    }

    fn origin(&mut self, unit: UnitId, span: Option<&Span>) {
        if unit.raw() != 0 {
            put!(self, " in {unit}");
        }
        if let Some(span) = span {
            put!(self, " span {}", span_text(span));
        }
    }

    fn function_name(&self, id: FunctionId) -> String {
        let name = self.program.functions.get(id).map(|f| f.name.as_str());
        self.reference(name).unwrap_or_else(|| id.to_string())
    }

    fn global_name(&self, id: GlobalId) -> String {
        let name = self.program.globals.get(id).map(|g| g.name.as_str());
        self.reference(name).unwrap_or_else(|| id.to_string())
    }

    fn reference(&self, name: Option<&str>) -> Option<String> {
        name.filter(|name| is_identifier(name) && self.uses.get(name) == Some(&1))
            .map(|name| format!("@{name}"))
    }

    /// A constant without its type.
    fn constant_value(&self, value: &ConstantValue, ty: Option<TypeId>) -> String {
        match value {
            ConstantValue::Int(bits) => self.int_constant(*bits, ty),
            ConstantValue::Float(bits) => format!("float({bits:#x})"),
            ConstantValue::Global { global, offset } => {
                let name = self.global_name(*global);
                match offset {
                    0 => format!("&{name}"),
                    _ => format!("&{name}{offset:+}"),
                }
            }
            ConstantValue::Function(function) => format!("&{}", self.function_name(*function)),
        }
    }

    fn int_constant(&self, bits: u128, ty: Option<TypeId>) -> String {
        let types = &self.program.types;
        let Some(ty) = ty.filter(|&ty| types.get(ty).is_some()) else {
            return bits.to_string();
        };
        match types.kind(ty) {
            Type::Pointer { .. } if bits == 0 => "null".to_owned(),
            Type::Pointer { .. } => format!("{bits:#x}"),
            _ => int_text(bits, types.int(ty)),
        }
    }
}

fn nonnull_text(nonnull: Nonnull) -> Option<&'static str> {
    match nonnull {
        Nonnull::No => None,
        Nonnull::Meant => Some("meant_nonnull"),
        Nonnull::Demanded => Some("nonnull"),
    }
}

/// The promises of a parameter's declaration about its pointee.
fn promises_text(parameter: &Parameter) -> String {
    let mut text = String::new();
    if let Some(word) = nonnull_text(parameter.nonnull) {
        let _ = write!(text, " {word}");
    }
    if let Some(length) = parameter.length {
        let _ = write!(text, " least {length}");
    }
    if parameter.rows {
        text.push_str(" rows");
    }
    text
}

/// The number that bits stand for in an integer type.
fn int_text(bits: u128, int: Option<IntType>) -> String {
    match int {
        Some(int) if defaults::is_negative(bits, int) => {
            defaults::signed(bits, Some(int)).to_string()
        }
        _ => bits.to_string(),
    }
}

/// Whether a byte of an initialiser is pleasant to read as a character.
/// Bytes as in `x"00 ff"`.
fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x\"{}\"", digits.join(" "))
}

fn is_text(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | 0 | b' '..=b'~')
}

fn name_text(name: &str) -> String {
    if is_identifier(name) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// A name in quotes; unlike bytes, it stays readable UTF-8.
fn quote(name: &str) -> String {
    let mut text = String::from("\"");
    for character in name.chars() {
        match character {
            ' '..='~' | '\0'..='\x1f' | '\x7f' => {
                let quoted = quote_bytes(&[character as u8]);
                text.push_str(&quoted[1..quoted.len() - 1]);
            }
            _ => text.push(character),
        }
    }
    text.push('"');
    text
}

/// A span: `file0:3:7-3:12 in MACRO@file0:1:9`.
fn span_text(span: &Span) -> String {
    let Position { file, line, column } = span.end;
    let mut text = if file == span.begin.file {
        format!("{}-{line}:{column}", position_text(span.begin))
    } else {
        format!("{}-{}", position_text(span.begin), position_text(span.end))
    };
    for expansion in &span.expansions {
        let name = name_text(&expansion.name);
        let _ = write!(text, " in {name}@{}", position_text(expansion.at));
    }
    text
}

fn position_text(position: Position) -> String {
    let Position { file, line, column } = position;
    format!("{file}:{line}:{column}")
}
