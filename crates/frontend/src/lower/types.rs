//! Types, records and enums of a unit.

use ir::{
    EnumDef, EnumId, Field, FloatName, FunctionAttributes, FunctionType, IntName, IntType, Record,
    RecordId, RecordKind, Type, TypeId, Types,
};

use crate::ast::{EnumDecl, RecordDecl, TranslationUnit, TypeKind};

/// The value's bits, cut to a width of 1 to 128 bits.
pub(super) fn truncate(bits: u128, width: u32) -> u128 {
    match width {
        0..=127 => bits & ((1 << width) - 1),
        _ => bits,
    }
}

/// The value that the bits of an integer type stand for; an unsigned value from 2^127 up comes out
/// negative, with the same bits.
pub(super) fn extend(bits: u128, int: IntType) -> i128 {
    let unused = 128 - int.width.clamp(1, 128);
    if int.signed {
        ((bits << unused) as i128) >> unused
    } else {
        truncate(bits, int.width) as i128
    }
}

/// The bits of a decimal number with an optional sign.
pub(super) fn parse_decimal(text: &str) -> Option<u128> {
    match text.parse::<i128>() {
        Ok(value) => Some(value as u128),
        Err(_) => text.parse::<u128>().ok(),
    }
}

/// The type tables of a unit, and for each of clang's types the interned one.
pub(super) fn lower_types(ast: &TranslationUnit) -> Result<(Types, Vec<TypeId>), String> {
    let mut lowering = TypeLowering {
        ast,
        types: Types::default(),
        map: vec![None; ast.types.len()],
    };
    lowering.declare_tags()?;
    let map = (0..ast.types.len())
        .map(|index| lowering.ty(index))
        .collect::<Result<Vec<_>, _>>()?;
    lowering.define_records(&map)?;
    Ok((lowering.types, map))
}

struct TypeLowering<'a> {
    ast: &'a TranslationUnit,
    types: Types,
    map: Vec<Option<TypeId>>,
}

impl TypeLowering<'_> {
    /// Gives records and enums their ids, which are clang's indices; members come later, since they
    /// may point back.
    fn declare_tags(&mut self) -> Result<(), String> {
        for record in &self.ast.records {
            self.types.records.push(empty_record(record));
        }
        for decl in &self.ast.enums {
            let underlying = self.underlying(decl)?;
            let enumerators = decl.enumerators.iter().map(|(name, value)| {
                let bits = parse_decimal(value).ok_or_else(|| format!("enumerator {value}"))?;
                Ok((name.clone(), truncate(bits, underlying.width)))
            });
            let enumerators = enumerators.collect::<Result<_, String>>()?;
            self.types.enums.push(EnumDef {
                name: decl.name.clone(),
                underlying,
                enumerators,
            });
        }
        Ok(())
    }

    fn underlying(&self, decl: &EnumDecl) -> Result<IntType, String> {
        match self.ast.types.get(decl.underlying).map(|ty| &ty.kind) {
            Some(TypeKind::Int {
                name,
                width,
                signed,
            }) => Ok(IntType {
                name: int_name(name)?,
                width: *width,
                signed: *signed,
            }),
            _ => Err("an enum whose underlying type is no integer type".to_owned()),
        }
    }

    fn ty(&mut self, index: usize) -> Result<TypeId, String> {
        let known = self.map.get(index).ok_or_else(|| format!("type {index}"))?;
        if let Some(id) = known {
            return Ok(*id);
        }
        let entry = &self.ast.types[index];
        let kind = self.kind(&entry.kind)?;
        let id = self.types.intern(kind, entry.size, entry.align.max(1));
        self.map[index] = Some(id);
        Ok(id)
    }

    fn kind(&mut self, kind: &TypeKind) -> Result<Type, String> {
        Ok(match kind {
            TypeKind::Void => Type::Void,
            TypeKind::Int {
                name,
                width,
                signed,
            } => Type::Int(IntType {
                name: int_name(name)?,
                width: *width,
                signed: *signed,
            }),
            TypeKind::Enum(index) if *index < self.types.enums.len() => {
                Type::Enum(EnumId::from_usize(*index))
            }
            TypeKind::Record(index) if *index < self.types.records.len() => {
                Type::Record(RecordId::from_usize(*index))
            }
            TypeKind::Enum(index) | TypeKind::Record(index) => return Err(format!("tag {index}")),
            TypeKind::Float(name) => Type::Float(float_name(name)?),
            TypeKind::Pointer {
                pointee,
                constant,
                volatile,
            } => Type::Pointer {
                pointee: self.pointee(*pointee)?,
                constant: *constant,
                volatile: *volatile,
            },
            TypeKind::Array { element, length } => Type::Array {
                element: self.ty(*element)?,
                length: *length,
            },
            // How many elements there are is known where the type is used.
            TypeKind::VariableArray { element, .. } => Type::Array {
                element: self.ty(*element)?,
                length: None,
            },
            TypeKind::Function {
                result,
                parameters,
                variadic,
                prototyped,
                noreturn,
                convention,
            } => Type::Function(FunctionType {
                result: self.ty(*result)?,
                parameters: parameters
                    .iter()
                    .map(|&parameter| self.ty(parameter))
                    .collect::<Result<_, _>>()?,
                // `int f();` says nothing about the arguments.
                variadic: *variadic || !prototyped,
                attributes: FunctionAttributes {
                    noreturn: *noreturn,
                    convention: convention.clone(),
                },
            }),
            TypeKind::Unsupported(spelling) => Type::Unsupported(spelling.clone()),
        })
    }

    /// What a pointer leads to: of a variable-length array, its first element.
    fn pointee(&mut self, index: usize) -> Result<TypeId, String> {
        match self.ast.types.get(index).map(|entry| &entry.kind) {
            Some(TypeKind::VariableArray { element, .. }) => self.ty(*element),
            _ => self.ty(index),
        }
    }

    fn define_records(&mut self, map: &[TypeId]) -> Result<(), String> {
        for (index, decl) in self.ast.records.iter().enumerate() {
            let mut record = empty_record(decl);
            for field in &decl.fields {
                let ty = map
                    .get(field.ty)
                    .ok_or_else(|| format!("type {}", field.ty))?;
                record.fields.push(Field {
                    name: field.name.clone(),
                    ty: *ty,
                    constant: field.constant,
                    volatile: field.volatile,
                    offset_bits: field.offset_bits,
                    bit_width: field.bit_width,
                });
            }
            self.types
                .complete_record(RecordId::from_usize(index), record);
        }
        Ok(())
    }
}

fn empty_record(decl: &RecordDecl) -> Record {
    Record {
        name: decl.name.clone(),
        kind: if decl.union {
            RecordKind::Union
        } else {
            RecordKind::Struct
        },
        complete: decl.complete,
        fields: Vec::new(),
        size: decl.size,
        align: decl.align.max(1),
    }
}

fn int_name(name: &str) -> Result<IntName, String> {
    Ok(match name {
        "bool" => IntName::Bool,
        "char" => IntName::Char,
        "schar" => IntName::SignedChar,
        "uchar" => IntName::UnsignedChar,
        "short" => IntName::Short,
        "ushort" => IntName::UnsignedShort,
        "int" => IntName::Int,
        "uint" => IntName::UnsignedInt,
        "long" => IntName::Long,
        "ulong" => IntName::UnsignedLong,
        "longlong" => IntName::LongLong,
        "ulonglong" => IntName::UnsignedLongLong,
        "int128" => IntName::Int128,
        "uint128" => IntName::UnsignedInt128,
        _ => return Err(format!("integer type {name}")),
    })
}

fn float_name(name: &str) -> Result<FloatName, String> {
    Ok(match name {
        "half" => FloatName::Half,
        "float" => FloatName::Float,
        "double" => FloatName::Double,
        "longdouble" => FloatName::LongDouble,
        "float128" => FloatName::Float128,
        _ => return Err(format!("floating type {name}")),
    })
}
