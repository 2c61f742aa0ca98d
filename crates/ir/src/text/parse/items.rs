//! The items of a text, read without knowing any of the others.

use super::super::defaults;
use super::super::lexer::Token;
use super::types::{self, FunctionTree, TypeTree, WrittenInt};
use super::{Cursor, ParseError};
use crate::{
    EnumId, Expansion, FileId, FunctionAttributes, GlobalKind, Linkage, Nonnull, Origin, Parameter,
    Position, RecordId, RecordKind, SourceFile, Span, Target, Unit, UnitId,
};

/// Everything that a text declares, in its order.
#[derive(Default)]
pub(super) struct Items {
    pub target: Option<Target>,
    pub files: Option<Vec<SourceFile>>,
    pub units: Option<Vec<Unit>>,
    pub enums: Vec<EnumItem>,
    pub records: Vec<RecordItem>,
    pub types: Vec<TypeItem>,
    pub globals: Vec<GlobalItem>,
    pub functions: Vec<FunctionItem>,
}

pub(super) struct EnumItem {
    pub name: Option<String>,
    pub underlying: WrittenInt,
    /// The names, and where their values stand.
    pub enumerators: Vec<(String, usize)>,
}

pub(super) struct RecordItem {
    pub position: usize,
    pub name: Option<String>,
    pub kind: RecordKind,
    pub complete: bool,
    pub layout: Option<(u64, u64)>,
    pub fields: Vec<FieldItem>,
}

pub(super) struct FieldItem {
    pub name: Option<String>,
    pub constant: bool,
    pub volatile: bool,
    pub ty: TypeTree,
    pub offset_bits: Option<u64>,
    pub bit_width: Option<u32>,
}

pub(super) struct TypeItem {
    pub ty: TypeTree,
    pub layout: Option<(u64, u64)>,
}

pub(super) struct GlobalItem {
    pub name: String,
    pub ty: TypeTree,
    pub unit: UnitId,
    pub kind: KindItem,
    pub constant: bool,
    pub volatile: bool,
    pub weak: bool,
    pub renamed: bool,
    pub thread_local: bool,
    pub span: Option<Span>,
    /// Where the initial value starts.
    pub initializer: Option<usize>,
}

/// The kind of a global; the function of a static local by where it is written.
pub(super) enum KindItem {
    Known(GlobalKind),
    StaticLocal(usize),
}

pub(super) struct FunctionItem {
    pub name: String,
    pub ty: TypeTree,
    pub parameters: Vec<Parameter>,
    pub unit: UnitId,
    pub linkage: Linkage,
    pub noreturn: bool,
    pub renamed: bool,
    pub assumed: bool,
    pub old_style: bool,
    pub pure: bool,
    pub weak: bool,
    pub result_nonnull: Nonnull,
    pub span: Option<Span>,
    /// Where the body's `{` is.
    pub body: Option<usize>,
}

/// Reads all items.
pub(super) fn items(cursor: &mut Cursor) -> Result<Items, ParseError> {
    let mut items = Items::default();
    while !matches!(cursor.peek(), Token::End) {
        item(cursor, &mut items)?;
    }
    Ok(items)
}

fn item(cursor: &mut Cursor, items: &mut Items) -> Result<(), ParseError> {
    if cursor.accept_word("target") {
        items.target = Some(Target {
            triple: cursor.string()?,
            pointer_width: cursor.small()?,
            signed_overflow_wraps: cursor.accept_word("wrapv"),
            moves_by_x87: cursor.accept_word("x87"),
            relaxed_aliasing: cursor.accept_word("aliased"),
            relaxed_alignment: cursor.accept_word("unaligned"),
            freestanding: cursor.accept_word("freestanding"),
        });
    } else if cursor.accept_word("files") {
        cursor.expect_word("none")?;
        items.files = Some(Vec::new());
    } else if cursor.accept_word("units") {
        cursor.expect_word("none")?;
        items.units = Some(Vec::new());
    } else if cursor.peek_id("file").is_some() {
        let files = items.files.get_or_insert_default();
        cursor.next_id("file", files.len())?;
        files.push(SourceFile {
            path: cursor.string()?,
        });
    } else if cursor.peek_id("unit").is_some() {
        let units = items.units.get_or_insert_default();
        cursor.next_id("unit", units.len())?;
        units.push(unit(cursor)?);
    } else if cursor.peek_id("enum").is_some() {
        cursor.next_id("enum", items.enums.len())?;
        items.enums.push(enum_item(cursor)?);
    } else if cursor.peek_id("rec").is_some() {
        cursor.next_id("rec", items.records.len())?;
        items.records.push(record(cursor)?);
    } else if cursor.accept_word("types") {
        loop {
            let ty = types::ty(cursor)?;
            let layout = optional_layout(cursor)?;
            items.types.push(TypeItem { ty, layout });
            if !cursor.accept(",") {
                break;
            }
        }
    } else {
        global_or_function(cursor, items)?;
    }
    Ok(())
}

fn unit(cursor: &mut Cursor) -> Result<Unit, ParseError> {
    let origin = if cursor.accept_word("model") {
        Origin::Model
    } else if cursor.accept_word("user") {
        Origin::User
    } else if cursor.accept_word("caller") {
        Origin::Caller
    } else {
        return cursor.error("`user`, `model` or `caller`");
    };
    let path = cursor.string()?;
    let mut unit = Unit {
        path,
        origin,
        unknown_records: Vec::new(),
        absent_records: Vec::new(),
        unknown_enums: Vec::new(),
        macros: Vec::new(),
        qualified: Vec::new(),
        clang_values: false,
    };
    let mut more = cursor.accept_word("without");
    while more {
        match cursor.accept_id("enum") {
            Some(id) => unit.unknown_enums.push(EnumId::from_raw(id)),
            None => unit
                .unknown_records
                .push(RecordId::from_raw(cursor.id("rec")?)),
        }
        more = cursor.accept(",");
    }
    more = cursor.accept_word("absent");
    while more {
        unit.absent_records
            .push(RecordId::from_raw(cursor.id("rec")?));
        more = cursor.accept(",");
    }
    more = cursor.accept_word("macros");
    while more {
        unit.macros.push(cursor.name()?);
        more = cursor.accept(",");
    }
    more = cursor.accept_word("qualified");
    while more {
        unit.qualified.push(cursor.name()?);
        more = cursor.accept(",");
    }
    unit.clang_values = cursor.accept_word("clang_values");
    Ok(unit)
}

fn enum_item(cursor: &mut Cursor) -> Result<EnumItem, ParseError> {
    let name = if cursor.at_symbol(":") {
        None
    } else {
        Some(cursor.name()?)
    };
    cursor.expect(":")?;
    let underlying = types::int(cursor)?;
    cursor.expect("{")?;
    let enumerators = cursor.list("}", |cursor| {
        let name = cursor.name()?;
        cursor.expect("=")?;
        let position = cursor.position();
        cursor.accept("-");
        cursor.number()?;
        Ok((name, position))
    })?;
    Ok(EnumItem {
        name,
        underlying,
        enumerators,
    })
}

fn optional_layout(cursor: &mut Cursor) -> Result<Option<(u64, u64)>, ParseError> {
    if !cursor.accept_word("size") {
        return Ok(None);
    }
    let size = cursor.small()?;
    cursor.expect_word("align")?;
    Ok(Some((size, cursor.small()?)))
}

fn record(cursor: &mut Cursor) -> Result<RecordItem, ParseError> {
    let position = cursor.position();
    let kind = if cursor.accept_word("struct") {
        RecordKind::Struct
    } else if cursor.accept_word("union") {
        RecordKind::Union
    } else {
        return cursor.error("`struct` or `union`");
    };
    let unnamed = cursor.at_word("size") || cursor.at_word("incomplete") || cursor.at_symbol("{");
    let name = if unnamed { None } else { Some(cursor.name()?) };
    let layout = optional_layout(cursor)?;
    let complete = !cursor.accept_word("incomplete");
    if complete && !cursor.at_symbol("{") {
        return cursor.error("`incomplete` or the members in braces");
    }
    let fields = if cursor.accept("{") {
        cursor.list("}", field)?
    } else {
        Vec::new()
    };
    Ok(RecordItem {
        position,
        name,
        kind,
        complete,
        layout,
        fields,
    })
}

fn field(cursor: &mut Cursor) -> Result<FieldItem, ParseError> {
    let name = cursor.optional_name()?;
    cursor.expect(":")?;
    let constant = cursor.accept_word("const");
    let volatile = cursor.accept_word("volatile");
    let ty = types::ty(cursor)?;
    let offset_bits = if cursor.accept("@") {
        Some(cursor.small()?)
    } else {
        None
    };
    let bit_width = if cursor.accept_word("bits") {
        Some(cursor.small()?)
    } else {
        None
    };
    Ok(FieldItem {
        name,
        constant,
        volatile,
        ty,
        offset_bits,
        bit_width,
    })
}

/// The words before `global` or `fn`.
#[derive(Default)]
struct Modifiers {
    linkage: Option<Linkage>,
    constant: bool,
    volatile: bool,
    noreturn: bool,
    renamed: bool,
    assumed: bool,
    old_style: bool,
    pure: bool,
    weak: bool,
    thread_local: bool,
    nonnull: Nonnull,
    kind: Option<KindItem>,
}

fn modifiers(cursor: &mut Cursor) -> Result<Modifiers, ParseError> {
    let mut found = Modifiers::default();
    loop {
        if cursor.accept_word("static") {
            found.linkage = Some(Linkage::Internal);
        } else if cursor.accept_word("inline") {
            found.linkage = Some(Linkage::Inline);
        } else if cursor.accept_word("const") {
            found.constant = true;
        } else if cursor.accept_word("volatile") {
            found.volatile = true;
        } else if cursor.accept_word("weak") {
            found.weak = true;
        } else if cursor.accept_word("thread") {
            found.thread_local = true;
        } else if cursor.accept_word("nonnull") {
            found.nonnull = Nonnull::Demanded;
        } else if cursor.accept_word("meant_nonnull") {
            found.nonnull = Nonnull::Meant;
        } else if cursor.accept_word("noreturn") {
            found.noreturn = true;
        } else if cursor.accept_word("renamed") {
            found.renamed = true;
        } else if cursor.accept_word("assumed") {
            found.assumed = true;
        } else if cursor.accept_word("old_style") {
            found.old_style = true;
        } else if cursor.accept_word("pure") {
            found.pure = true;
        } else if cursor.accept_word("literal") {
            found.kind = Some(KindItem::Known(GlobalKind::StringLiteral));
        } else if cursor.accept_word("compound") {
            found.kind = Some(KindItem::Known(GlobalKind::CompoundLiteral));
        } else if cursor.accept_word("local") {
            cursor.expect("(")?;
            found.kind = Some(KindItem::StaticLocal(cursor.position()));
            if cursor.accept("@") {
                cursor.name()?;
            } else {
                cursor.id("fn")?;
            }
            cursor.expect(")")?;
        } else {
            return Ok(found);
        }
    }
}

fn global_or_function(cursor: &mut Cursor, items: &mut Items) -> Result<(), ParseError> {
    let modifiers = modifiers(cursor)?;
    if cursor.accept_word("global") {
        items.globals.push(global(cursor, modifiers)?);
    } else if cursor.accept_word("fn") {
        items.functions.push(function(cursor, &modifiers)?);
    } else {
        return cursor.error("an item: `fn`, `global`, `types`, `rec0`, `enum0`, …");
    }
    Ok(())
}

fn linkage(modifiers: &Modifiers) -> Linkage {
    modifiers.linkage.unwrap_or(Linkage::External)
}

fn origin(cursor: &mut Cursor) -> Result<(UnitId, Option<Span>), ParseError> {
    let unit = if cursor.accept_word("in") {
        cursor.id("unit")?
    } else {
        0
    };
    let span = if cursor.accept_word("span") {
        Some(span(cursor)?)
    } else {
        None
    };
    Ok((UnitId::from_raw(unit), span))
}

fn global(cursor: &mut Cursor, modifiers: Modifiers) -> Result<GlobalItem, ParseError> {
    let file = KindItem::Known(GlobalKind::File(linkage(&modifiers)));
    let name = cursor.name()?;
    cursor.expect(":")?;
    let ty = types::ty(cursor)?;
    let (unit, span) = origin(cursor)?;
    let mut initializer = None;
    if cursor.accept("=") {
        initializer = Some(cursor.position());
        skip_initializer(cursor)?;
    }
    Ok(GlobalItem {
        name,
        ty,
        unit,
        kind: modifiers.kind.unwrap_or(file),
        constant: modifiers.constant,
        volatile: modifiers.volatile,
        weak: modifiers.weak,
        renamed: modifiers.renamed,
        thread_local: modifiers.thread_local,
        span,
        initializer,
    })
}

/// Steps over an initial value; it is read when names are known.
fn skip_initializer(cursor: &mut Cursor) -> Result<(), ParseError> {
    let hexadecimal = cursor.accept_word("x");
    if hexadecimal || matches!(cursor.peek(), Token::Quoted(_)) {
        cursor.quoted()?;
    } else if !cursor.accept_word("zero") {
        cursor.accept("-");
        cursor.number()?;
    }
    if cursor.accept_word("open") {
        cursor.accept_word("x");
        cursor.quoted()?;
    }
    if !cursor.accept_word("with") {
        return Ok(());
    }
    loop {
        cursor.number()?;
        cursor.expect(":")?;
        cursor.expect("&")?;
        cursor.accept("@");
        cursor.name()?;
        if cursor.accept("+") || cursor.accept("-") {
            cursor.number()?;
        }
        if !cursor.accept(",") {
            return Ok(());
        }
    }
}

fn function(cursor: &mut Cursor, modifiers: &Modifiers) -> Result<FunctionItem, ParseError> {
    let name = cursor.name()?;
    let (ty, parameters) = if cursor.accept_word("as") {
        let ty = types::ty(cursor)?;
        cursor.expect("(")?;
        let parameters = cursor.list(")", |cursor| {
            let name = cursor.optional_name()?;
            promises(cursor, name)
        })?;
        (ty, parameters)
    } else {
        signature(cursor)?
    };
    let (unit, span) = origin(cursor)?;
    let mut body = None;
    if cursor.at_symbol("{") {
        body = Some(cursor.position());
        cursor.skip_braces()?;
    }
    Ok(FunctionItem {
        name,
        ty,
        parameters,
        unit,
        linkage: linkage(modifiers),
        noreturn: modifiers.noreturn,
        renamed: modifiers.renamed,
        assumed: modifiers.assumed,
        old_style: modifiers.old_style,
        pure: modifiers.pure,
        weak: modifiers.weak,
        result_nonnull: modifiers.nonnull,
        span,
        body,
    })
}

/// The rest of a parameter after its type: `nonnull least 4 rows`.
fn promises(cursor: &mut Cursor, name: Option<String>) -> Result<Parameter, ParseError> {
    let nonnull = match () {
        () if cursor.accept_word("nonnull") => Nonnull::Demanded,
        () if cursor.accept_word("meant_nonnull") => Nonnull::Meant,
        () => Nonnull::No,
    };
    let length = match cursor.accept_word("least") {
        true => Some(cursor.small()?),
        false => None,
    };
    Ok(Parameter {
        name,
        nonnull,
        length,
        rows: cursor.accept_word("rows"),
    })
}

fn signature(cursor: &mut Cursor) -> Result<(TypeTree, Vec<Parameter>), ParseError> {
    let mut variadic = false;
    let mut count = 0;
    cursor.expect("(")?;
    let parameters = cursor.list(")", |cursor| {
        variadic = cursor.accept("...");
        if variadic {
            return Ok(None);
        }
        let numbered = cursor.peek_id("_").is_some();
        if numbered {
            cursor.next_id("_", count)?;
        }
        count += 1;
        let name = if numbered && cursor.at_symbol(":") {
            None
        } else {
            cursor.optional_name()?
        };
        cursor.expect(":")?;
        let ty = types::ty(cursor)?;
        Ok(Some((ty, promises(cursor, name)?)))
    })?;
    let result = Box::new(types::result(cursor)?);
    let (types, parameters) = parameters.into_iter().flatten().unzip();
    let tree = FunctionTree {
        result,
        parameters: types,
        variadic,
        attributes: FunctionAttributes::default(),
    };
    Ok((TypeTree::Function(tree), parameters))
}

/// Whether a span is next.
pub(super) fn at_span(cursor: &Cursor) -> bool {
    cursor.peek_id("file").is_some()
}

/// A span, or the one that is assumed.
pub(super) fn optional_span(cursor: &mut Cursor) -> Result<Span, ParseError> {
    if at_span(cursor) {
        span(cursor)
    } else {
        Ok(defaults::span())
    }
}

/// Reads a span: `file0:3:7-3:12 in MACRO@file0:1:9`.
pub(super) fn span(cursor: &mut Cursor) -> Result<Span, ParseError> {
    let begin = position(cursor)?;
    cursor.expect("-")?;
    let end = if at_span(cursor) {
        position(cursor)?
    } else {
        let line = cursor.small()?;
        cursor.expect(":")?;
        Position {
            file: begin.file,
            line,
            column: cursor.small()?,
        }
    };
    let mut expansions = Vec::new();
    while cursor.accept_word("in") {
        let name = cursor.name()?;
        cursor.expect("@")?;
        let at = position(cursor)?;
        expansions.push(Expansion { name, at });
    }
    Ok(Span {
        begin,
        end,
        expansions,
    })
}

fn position(cursor: &mut Cursor) -> Result<Position, ParseError> {
    let file = FileId::from_raw(cursor.id("file")?);
    cursor.expect(":")?;
    let line = cursor.small()?;
    cursor.expect(":")?;
    let column = cursor.small()?;
    Ok(Position { file, line, column })
}
