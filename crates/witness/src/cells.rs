//! Scalars that formulas speak of, and how C names them.

use std::collections::BTreeMap;

use expr::{CName, Term};
use ir::{FunctionId, GlobalId, GlobalKind, Local, Program, Type, TypeId, Types, path};

use checker::Formulas;

/// The object that a scalar lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    /// A local of the innermost call of a function.
    Local(FunctionId, Local),
    /// A global.
    Global(GlobalId),
}

/// A scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The object.
    pub base: Base,
    /// Where it begins, in bits.
    pub offset: u64,
    /// How many bits it has.
    pub width: u32,
}

/// The variables that stand for cells.
#[derive(Default)]
pub struct Cells {
    known: BTreeMap<Cell, Term>,
}

impl Cells {
    /// The variable that stands for a cell.
    pub fn term(&mut self, formulas: &mut Formulas, cell: Cell) -> Term {
        let fresh = || formulas.fresh(cell.width);
        *self.known.entry(cell).or_insert_with(fresh)
    }
}

/// The name of an object in the source, and its type; `None` if it has no name of its own.
pub fn object(program: &Program, base: Base) -> Option<(&str, TypeId)> {
    match base {
        Base::Local(function, local) => {
            let body = program.functions[function].body.as_ref()?;
            let decl = body.locals.get(local)?;
            Some((decl.name.as_deref()?, decl.ty))
        }
        Base::Global(global) => {
            let data = program.globals.get(global)?;
            let is_file = |kind: &GlobalKind| matches!(kind, GlobalKind::File(_));
            let mut others = program.globals.iter_enumerated();
            let is_only = others.all(|(id, it)| id == global || it.name != data.name);
            (is_file(&data.kind) && is_only).then_some((data.name.as_str(), data.ty))
        }
    }
}

/// A cell as C names it; `None` if it has no name.
pub fn name(program: &Program, cell: Cell) -> Option<CName> {
    let types = &program.types;
    let (name, ty) = object(program, cell.base)?;
    let is_leaf = |part: path::Part| {
        part.bit_width.is_none() && sign_of_scalar(types, part.ty, cell.width).is_some()
    };
    let access = path::find(types, ty, cell.offset, &is_leaf)?;
    let leaf = leaf_type(types, ty, cell)?;
    let signed = sign_of_scalar(types, leaf, cell.width)?;
    let text = format!("{name}{}", access.path);
    (!access.volatile).then_some(CName { text, signed })
}

/// The type of the scalar that [`name`] finds.
fn leaf_type(types: &Types, ty: TypeId, cell: Cell) -> Option<TypeId> {
    let found = std::cell::Cell::new(None);
    path::find(types, ty, cell.offset, &|part| {
        let is_leaf =
            part.bit_width.is_none() && sign_of_scalar(types, part.ty, cell.width).is_some();
        if is_leaf {
            found.set(Some(part.ty));
        }
        is_leaf
    })?;
    found.get()
}

/// Whether a scalar of so many bits is signed; `None` if the type is no such integer or pointer.
fn sign_of_scalar(types: &Types, ty: TypeId, width: u32) -> Option<bool> {
    match (types.int(ty), types.kind(ty)) {
        (Some(int), _) => (int.width == width).then_some(int.signed),
        (None, Type::Pointer { .. }) => (types.size(ty) * 8 == u64::from(width)).then_some(false),
        _ => None,
    }
}
