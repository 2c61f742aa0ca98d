//! Definitions of objects that the tested unit uses and no file of the program defines, and how
//! tests get at globals.

use std::fmt::Write as _;

use ir::input::Root;
use ir::path;
use ir::{Global, GlobalId, GlobalKind, Linkage, Type};

use super::exports::Exports;
use super::literal;
use super::renaming::is_beside_static;
use super::storage::Shape;
use crate::{Subject, Tested};

/// How tests get at a global, which they may know by its bytes alone.
pub fn global_access(subject: &Subject<'_>, exports: &Exports, id: GlobalId) -> (String, Shape) {
    let global = &subject.program.globals[id];
    if let (GlobalKind::StringLiteral, Some(initial)) = (global.kind, &global.initializer) {
        // In one unit, both compilers make one object of equal literals.
        let text = initial.bytes.strip_suffix(&[0]).unwrap_or(&initial.bytes);
        return (literal::bytes(text), Shape::Single);
    }
    let shape = if is_unknown(subject, global) {
        Shape::Raw(subject.program.types.size(global.ty))
    } else {
        Shape::Single
    };
    let name = match (exports.object(id), shape) {
        (Some(address), Shape::Single) => format!("(*{address})"),
        (Some(address), _) => address.to_owned(),
        (None, _) if is_aliased(subject, global) => format!("attest@object_{}", global.name),
        (None, Shape::Single) => global.name.clone(),
        (None, _) => format!("((unsigned char *)&{})", global.name),
    };
    (name, shape)
}

/// Whether tests know a global by its bytes alone: its type has a name, but none that the tested
/// unit knows, or they define it and its type has no name.
fn is_unknown(subject: &Subject<'_>, global: &Global) -> bool {
    let has_name = path::nameable(&subject.program.types, global.ty);
    (has_name || subject.needs_definition(global)) && !path::nameable(subject.types, global.ty)
}

/// Whether tests define a global under another name, since they may not write to it by its own, or
/// have no name for its type, or the tested unit has something static of that name.
fn is_aliased(subject: &Subject<'_>, global: &Global) -> bool {
    subject.needs_definition(global)
        && (global.constant
            || is_unknown(subject, global)
            || is_beside_static(subject, Linkage::External, &global.name))
}

/// The definitions of the objects that no file of the program defines.
pub fn definitions(subject: &Subject<'_>, all: &[Tested<'_>]) -> String {
    let types = subject.types;
    let mut text = String::new();
    for (id, global) in subject.program.globals.iter_enumerated() {
        let unknown = is_unknown(subject, global);
        if !subject.needs_definition(global) || !(unknown || path::nameable(types, global.ty)) {
            continue;
        }
        let lengths = all.iter().map(|tested| &tested.subject);
        let lengths = lengths.filter_map(|subject| incomplete_length(subject, id, global));
        let length = lengths.max();
        let qualifiers = ir::qualifier_words(false, global.volatile);
        let declare = |name: &str| match (types.kind(global.ty), length) {
            _ if unknown => {
                let types = &subject.program.types;
                let size = match types.is_incomplete(global.ty) {
                    true => BEHIND,
                    false => types.size(global.ty).max(1),
                };
                format!("unsigned char {name}[{size}] __attribute__((__aligned__(16)))")
            }
            (Type::Array { element, .. }, Some(length)) => {
                types.declare_qualified(*element, qualifiers, &format!("{name}[{length}]"))
            }
            _ => types.declare_qualified(global.ty, qualifiers, name),
        };
        let name = &global.name;
        let storage = match global.thread_local {
            true => "__thread ",
            false => "",
        };
        if types.size(global.ty) == 0 && length.is_none() && !unknown {
            continue;
        }
        let _ = if is_aliased(subject, global) {
            // The object is writable here, for the tests to set, and `const` to the unit.
            let declared = declare(&format!("attest@object_{name}"));
            let first = declared.replace(" __attribute__((__aligned__(16)))", "");
            let symbol = match is_beside_static(subject, Linkage::External, name) {
                true => format!("ATTEST@TEXT(attest@stub_{name})"),
                false => format!("\"{name}\""),
            };
            writeln!(
                text,
                "\nextern {storage}{first} ATTEST@LIBC({symbol});\n{storage}{declared};"
            )
        } else {
            writeln!(text, "\n{storage}{};", declare(name))
        };
    }
    text
}

/// Elements after those that are inputs, and the bytes of an object of an incomplete type: an
/// execution that was cut short at the end of what the search knows goes on natively.
const BEHIND: u64 = 64;

/// The length that an array declared without one needs for its inputs.
fn incomplete_length(subject: &Subject<'_>, id: GlobalId, global: &Global) -> Option<u64> {
    let types = subject.types;
    let Type::Array {
        element,
        length: None,
    } = types.kind(global.ty)
    else {
        return None;
    };
    let end = subject
        .space
        .cells()
        .filter(|(_, cell)| subject.space.object_data(cell.object).root == Root::Global(id))
        .map(|(_, cell)| cell.offset_bits + i64::from(cell.width))
        .max()
        .unwrap_or(0);
    let stride = types.size(*element).max(1) * 8;
    Some(u64::try_from(end).unwrap_or(0).div_ceil(stride).max(1) + BEHIND)
}
