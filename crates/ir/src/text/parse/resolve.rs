//! Gives ids to the names of a text's items, and builds the program from them.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use super::super::lexer::Token;
use super::super::{defaults, names};
use super::items::{FieldItem, FunctionItem, GlobalItem, Items, KindItem, RecordItem, TypeItem};
use super::types::{TypeTree, WrittenInt, WrittenName};
use super::{Cursor, ParseError, body};
use crate::{
    ConstantValue, EnumDef, EnumId, Field, Function, FunctionId, FunctionType, Global, GlobalId,
    GlobalKind, Initializer, IntName, IntType, Program, Record, RecordId, RecordKind, Relocation,
    Type, TypeId, Types,
};

/// The thing that a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Function(FunctionId),
    Global(GlobalId),
    /// Several things.
    Several,
}

/// A program while it is built.
pub(super) struct Resolver {
    pub cursor: Cursor,
    pub program: Program,
    pub names: FxHashMap<String, Named>,
}

/// Builds the program of a text.
pub(super) fn program(cursor: Cursor, items: Items) -> Result<Program, ParseError> {
    let files = items.files.unwrap_or_else(|| vec![defaults::file()]);
    let units = items.units.unwrap_or_else(|| vec![defaults::unit()]);
    let mut resolver = Resolver {
        cursor,
        program: Program {
            target: items.target.unwrap_or_else(defaults::target),
            units: units.into_iter().collect(),
            files: files.into_iter().collect(),
            types: Types::default(),
            globals: IndexVec::new(),
            functions: IndexVec::new(),
        },
        names: FxHashMap::default(),
    };
    for item in &items.enums {
        resolver.enum_item(item.name.clone(), item.underlying, &item.enumerators)?;
    }
    for item in &items.records {
        let (size, align) = item.layout.unwrap_or((0, 1));
        resolver.program.types.records.push(Record {
            name: item.name.clone(),
            kind: item.kind,
            complete: item.complete,
            fields: Vec::new(),
            size,
            align,
        });
    }
    for item in &items.types {
        resolver.type_item(item)?;
    }
    for (index, item) in items.records.iter().enumerate() {
        resolver.record(RecordId::from_usize(index), item)?;
    }
    resolver.declare(&items.globals, &items.functions)?;
    for (index, item) in items.globals.iter().enumerate() {
        resolver.define_global(GlobalId::from_usize(index), item)?;
    }
    for (index, item) in items.functions.iter().enumerate() {
        if let Some(position) = item.body {
            resolver.cursor.rewind(position);
            body::body(&mut resolver, FunctionId::from_usize(index))?;
        }
    }
    Ok(resolver.program)
}

impl Resolver {
    fn enum_item(
        &mut self,
        name: Option<String>,
        underlying: WrittenInt,
        enumerators: &[(String, usize)],
    ) -> Result<(), ParseError> {
        let underlying = self.int(underlying);
        let mut values = Vec::new();
        for (name, position) in enumerators {
            self.cursor.rewind(*position);
            values.push((name.clone(), self.bits(underlying.width)?));
        }
        self.program.types.enums.push(EnumDef {
            name,
            underlying,
            enumerators: values,
        });
        Ok(())
    }

    /// A number with an optional minus sign, as bits of a width.
    pub fn bits(&mut self, width: u32) -> Result<u128, ParseError> {
        let negative = self.cursor.accept("-");
        let number = self.cursor.number()?;
        Ok(as_bits(negative, number, width))
    }

    fn int(&self, written: WrittenInt) -> IntType {
        let target = &self.program.target;
        let name = match written.name {
            WrittenName::Name(name) => name,
            WrittenName::Wide { signed } => match (target.pointer_width == 64, signed) {
                (true, true) => IntName::Long,
                (true, false) => IntName::UnsignedLong,
                (false, true) => IntName::LongLong,
                (false, false) => IntName::UnsignedLongLong,
            },
        };
        let usual = defaults::int(name, target);
        written.shape.map_or(usual, |(signed, width)| IntType {
            name,
            width,
            signed,
        })
    }

    fn type_item(&mut self, item: &TypeItem) -> Result<(), ParseError> {
        let kind = self.kind(&item.ty)?;
        self.intern(kind, item.layout);
        Ok(())
    }

    fn intern(&mut self, kind: Type, layout: Option<(u64, u64)>) -> TypeId {
        let types = &mut self.program.types;
        let usual = defaults::layout(&kind, types, &self.program.target);
        let (size, align) = layout.unwrap_or(usual);
        types.intern(kind, size, align)
    }

    /// The type `int`.
    pub fn int_type(&mut self) -> TypeId {
        let int = defaults::int(IntName::Int, &self.program.target);
        self.intern(Type::Int(int), None)
    }

    /// The id of a written type.
    pub fn ty(&mut self, tree: &TypeTree) -> Result<TypeId, ParseError> {
        let kind = self.kind(tree)?;
        Ok(self.intern(kind, None))
    }

    fn kind(&mut self, tree: &TypeTree) -> Result<Type, ParseError> {
        let types = &self.program.types;
        Ok(match tree {
            TypeTree::Void => Type::Void,
            TypeTree::Int(written) => Type::Int(self.int(*written)),
            TypeTree::Enum(id, position) => {
                if *id as usize >= types.enums.len() {
                    return self.cursor.error_at(*position, "an enum that is declared");
                }
                Type::Enum(EnumId::from_raw(*id))
            }
            TypeTree::Float(name) => Type::Float(*name),
            TypeTree::Pointer {
                pointee,
                constant,
                volatile,
            } => Type::Pointer {
                pointee: self.ty(pointee)?,
                constant: *constant,
                volatile: *volatile,
            },
            TypeTree::Array(element, length) => Type::Array {
                element: self.ty(element)?,
                length: *length,
            },
            TypeTree::Record(id, position) => {
                if *id as usize >= types.records.len() {
                    return self.cursor.error_at(*position, "a record that is declared");
                }
                Type::Record(RecordId::from_raw(*id))
            }
            TypeTree::Function(function) => {
                let mut parameters = Vec::new();
                for parameter in &function.parameters {
                    parameters.push(self.ty(parameter)?);
                }
                Type::Function(FunctionType {
                    result: self.ty(&function.result)?,
                    parameters,
                    variadic: function.variadic,
                    attributes: function.attributes.clone(),
                })
            }
            TypeTree::Unsupported(spelling) => Type::Unsupported(spelling.clone()),
        })
    }

    fn record(&mut self, id: RecordId, item: &RecordItem) -> Result<(), ParseError> {
        let mut record = self.program.types.records[id].clone();
        let mut end_bits = 0;
        for field in &item.fields {
            let ty = self.ty(&field.ty)?;
            let field = self.field(field, ty, &mut end_bits, item)?;
            if item.layout.is_none() {
                record.align = record.align.max(self.program.types.align(ty));
            }
            record.fields.push(field);
        }
        if item.layout.is_some() {
            // Its type has this layout already, unless the list of types gives it another.
            self.program.types.records[id] = record;
            return Ok(());
        }
        if item.complete {
            record.size = u64::div_ceil(end_bits, 8).next_multiple_of(record.align);
        }
        self.program.types.complete_record(id, record);
        Ok(())
    }

    /// Places a member where C would, unless the text gives its place.
    fn field(
        &mut self,
        field: &FieldItem,
        ty: TypeId,
        end_bits: &mut u64,
        record: &RecordItem,
    ) -> Result<Field, ParseError> {
        let info = self.program.types.info(ty);
        let free = match record.kind {
            RecordKind::Struct => *end_bits,
            RecordKind::Union => 0,
        };
        let usual = free.checked_next_multiple_of(info.align.saturating_mul(8));
        let size = info.size.checked_mul(8);
        let offset_bits = field.offset_bits.or(usual);
        let end = offset_bits
            .zip(size)
            .and_then(|(at, size)| at.checked_add(size));
        let (Some(offset_bits), Some(end)) = (offset_bits, end) else {
            if let (Some(_), Some(offset_bits)) = (record.layout, offset_bits) {
                return Ok(written_field(field, ty, offset_bits));
            }
            return self.cursor.error_at(record.position, "a smaller record");
        };
        if record.layout.is_none() && field.bit_width.is_some() {
            let expected = "a record with `size` and `align`, as it has bit-fields";
            return self.cursor.error_at(record.position, expected);
        }
        *end_bits = end.max(*end_bits);
        Ok(written_field(field, ty, offset_bits))
    }

    /// Gives ids to globals and functions, so that any of them can name any other.
    fn declare(
        &mut self,
        globals: &[GlobalItem],
        functions: &[FunctionItem],
    ) -> Result<(), ParseError> {
        for item in globals {
            let kind = match item.kind {
                KindItem::Known(kind) => kind,
                KindItem::StaticLocal(_) => GlobalKind::StaticLocal(FunctionId::from_raw(0)),
            };
            let ty = self.ty(&item.ty)?;
            let id = self.program.globals.push(Global {
                name: item.name.clone(),
                ty,
                unit: item.unit,
                kind,
                constant: item.constant,
                volatile: item.volatile,
                weak: item.weak,
                renamed: item.renamed,
                thread_local: item.thread_local,
                initializer: None,
                span: item.span.clone(),
            });
            self.name(&item.name, Named::Global(id));
        }
        for item in functions {
            let ty = self.ty(&item.ty)?;
            let id = self.program.functions.push(Function {
                name: item.name.clone(),
                ty,
                parameters: item.parameters.clone(),
                result_nonnull: item.result_nonnull,
                unit: item.unit,
                linkage: item.linkage,
                noreturn: item.noreturn,
                renamed: item.renamed,
                assumed: item.assumed,
                old_style: item.old_style,
                pure: item.pure,
                weak: item.weak,
                span: item.span.clone(),
                body: None,
            });
            self.name(&item.name, Named::Function(id));
        }
        Ok(())
    }

    fn name(&mut self, name: &str, named: Named) {
        self.names
            .entry(name.to_owned())
            .and_modify(|other| *other = Named::Several)
            .or_insert(named);
    }

    fn define_global(&mut self, id: GlobalId, item: &GlobalItem) -> Result<(), ParseError> {
        if let KindItem::StaticLocal(position) = item.kind {
            self.cursor.rewind(position);
            let function = self.function_reference()?;
            self.program.globals[id].kind = GlobalKind::StaticLocal(function);
        }
        if let Some(position) = item.initializer {
            self.cursor.rewind(position);
            let initializer = self.initializer(self.program.globals[id].ty)?;
            self.program.globals[id].initializer = Some(initializer);
        }
        Ok(())
    }

    fn initializer(&mut self, ty: TypeId) -> Result<Initializer, ParseError> {
        let bytes = if self.cursor.accept_word("zero") {
            Vec::new()
        } else if self.cursor.at_word("x") {
            self.hexadecimal()?
        } else if let Token::Quoted(_) = self.cursor.peek() {
            self.cursor.quoted()?
        } else {
            let types = &self.program.types;
            let Some(int) = types.int(ty) else {
                return self
                    .cursor
                    .error("`zero`, \"text\" or x\"00\" for this type");
            };
            let size = types.size(ty).min(16) as usize;
            let bits = self.bits(int.width)?;
            bits.to_le_bytes()[..size].to_vec()
        };
        let open = match self.cursor.accept_word("open") {
            true => self.hexadecimal()?,
            false => Vec::new(),
        };
        let relocations = self.relocations()?;
        Ok(Initializer {
            bytes,
            open,
            relocations,
        })
    }

    /// Bytes as in `x"00 ff"`.
    fn hexadecimal(&mut self) -> Result<Vec<u8>, ParseError> {
        let position = self.cursor.position();
        if !self.cursor.accept_word("x") {
            return self.cursor.error("bytes, such as x\"00\"");
        }
        let text = self.cursor.quoted()?;
        match hex(&text) {
            Some(bytes) => Ok(bytes),
            None => self.cursor.error_at(position + 1, "bytes in hexadecimal"),
        }
    }

    fn relocations(&mut self) -> Result<Vec<Relocation>, ParseError> {
        let mut relocations = Vec::new();
        if !self.cursor.accept_word("with") {
            return Ok(relocations);
        }
        loop {
            let offset = self.cursor.small()?;
            self.cursor.expect(":")?;
            let target = self.address()?;
            relocations.push(Relocation { offset, target });
            if !self.cursor.accept(",") {
                return Ok(relocations);
            }
        }
    }

    /// `&@name`, `&g0+8`, `&fn1`.
    pub fn address(&mut self) -> Result<ConstantValue, ParseError> {
        self.cursor.expect("&")?;
        match self.reference()? {
            Named::Function(function) => Ok(ConstantValue::Function(function)),
            Named::Global(global) => {
                let position = self.cursor.position();
                let sign = self.cursor.at_symbol("-");
                let offset = if sign || self.cursor.accept("+") {
                    self.cursor.signed()?
                } else {
                    0
                };
                let offset = i64::try_from(offset)
                    .or_else(|_| self.cursor.error_at(position, "a smaller offset"))?;
                Ok(ConstantValue::Global { global, offset })
            }
            Named::Several => self.cursor.error("a unique name"),
        }
    }

    /// `@name`, `fn0` or `g0`; never [`Named::Several`].
    pub fn reference(&mut self) -> Result<Named, ParseError> {
        let position = self.cursor.position();
        if let Some(id) = self.cursor.accept_id("fn") {
            return Ok(Named::Function(FunctionId::from_raw(id)));
        }
        if let Some(id) = self.cursor.accept_id("g") {
            return Ok(Named::Global(GlobalId::from_raw(id)));
        }
        self.cursor.expect("@")?;
        let name = self.cursor.name()?;
        match self.names.get(&name) {
            None => {
                let expected = "the name of a function or global";
                self.cursor.error_at(position + 1, expected)
            }
            Some(Named::Several) => {
                let expected = "`fn0` or `g0`, as the name is not unique";
                self.cursor.error_at(position + 1, expected)
            }
            Some(named) => Ok(*named),
        }
    }

    pub fn function_reference(&mut self) -> Result<FunctionId, ParseError> {
        let position = self.cursor.position();
        match self.reference()? {
            Named::Function(function) => Ok(function),
            _ => self.cursor.error_at(position, "a function"),
        }
    }

    pub fn global_reference(&mut self) -> Result<GlobalId, ParseError> {
        let position = self.cursor.position();
        match self.reference()? {
            Named::Global(global) => Ok(global),
            _ => self.cursor.error_at(position, "a global"),
        }
    }

    /// The operator that a word stands for, if it is the next word, which is then consumed.
    pub fn accept_word_of<T: Copy>(&mut self, table: &[(T, &'static str)]) -> Option<T> {
        let value = names::value(table, self.cursor.word()?)?;
        self.cursor.next();
        Some(value)
    }
}

fn written_field(field: &FieldItem, ty: TypeId, offset_bits: u64) -> Field {
    Field {
        name: field.name.clone(),
        constant: field.constant,
        volatile: field.volatile,
        ty,
        offset_bits,
        bit_width: field.bit_width,
    }
}

/// A number as bits of a width; one that is too large stays as it is, for the verifier to see.
pub(super) fn as_bits(negative: bool, number: u128, width: u32) -> u128 {
    if !negative {
        return number;
    }
    let mask = if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    };
    number.wrapping_neg() & mask
}

/// Bytes of `00 01 ff`; spaces are optional.
fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .iter()
        .filter(|byte| **byte != b' ')
        .map(|byte| char::from(*byte).to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits?;
    let whole = digits.len() % 2 == 0;
    whole.then(|| {
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect()
    })
}
