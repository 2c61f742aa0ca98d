//! Locations as C names them.

use std::collections::BTreeMap;

use expr::{CName, Var};
use ir::path::part_of_type;
use ir::{Local, Operand, TypeId};

use crate::formulas::arena::Arena;
use crate::formulas::model::Model;
use crate::formulas::nodes::variable;
use crate::graph::unfolding::ContextId;
use crate::objects::location::{AtIndex, Location};
use crate::objects::places::{Object, Offset, Target};

/// The names of the variables that stand for locations. Temporaries have none.
pub fn of_locations(model: &Model<'_>, arena: &Arena) -> BTreeMap<Var, CName> {
    let named = model.locations.iter().filter_map(|(number, location)| {
        let var = variable(&arena.terms, model.at_start[number])?;
        let types = &model.program().types;
        let int = types
            .int(location.ty)
            .filter(|_| location.object != Object::Index);
        let is_distance = matches!(location.object, Object::Position(..));
        let signed = is_distance || int.is_some_and(|int| int.signed);
        let text = lvalue(model, location)?;
        Some((var, CName { text, signed }))
    });
    named.collect()
}

/// The distance of a pointer from the array that it leads into.
fn position(model: &Model<'_>, context: ContextId, pointer: Local) -> Option<String> {
    let body = model.unfolding.body(context);
    let pointers = model.locations.pointers();
    let target = pointers.target(&model.unfolding, context, &Operand::Copy(pointer))?;
    let Offset::InElement { array, .. } = target.offset else {
        return None;
    };
    let types = &model.program().types;
    if let Object::Heap(_) = target.object {
        let (object, _) = heap_pointer(model, target.object, array.stride)?;
        let pointer = body.locals[pointer].name.clone()?;
        return Some(format!("({pointer} - {object})"));
    }
    let (object, ty) = named(model, target.object)?;
    let is_whole = array.end_of_all() == types.size(ty) && array.first == 0;
    let path = match is_whole {
        true => String::new(),
        false => {
            let element = types.pointee(body.locals[pointer].ty)?;
            let first = part_of_type(types, ty, array.first * 8, element)?.path;
            first.strip_suffix("[0]")?.to_owned()
        }
    };
    let pointer = body.locals[pointer].name.clone()?;
    Some(format!("({pointer} - {object}{path})"))
}

/// The name of an object of the program that has one, and its type.
fn named(model: &Model<'_>, object: Object) -> Option<(String, TypeId)> {
    match object {
        Object::Nodes(_)
        | Object::Allocated(_)
        | Object::Heap(_)
        | Object::Index
        | Object::Position(..) => None,
        Object::Local(context, local) => {
            let decl = &model.unfolding.body(context).locals[local];
            Some((decl.name.clone()?, decl.ty))
        }
        Object::Global(global) => {
            let data = &model.program().globals[global];
            Some((data.name.clone(), data.ty))
        }
    }
}

/// The name of a pointer to the start of an object of the heap, and the type of what it points to, if
/// that has a size.
fn heap_pointer(model: &Model<'_>, object: Object, size: u64) -> Option<(String, TypeId)> {
    let types = &model.program().types;
    let pointers = model.locations.pointers();
    let start = Target {
        object,
        offset: Offset::Exact(0),
    };
    model.unfolding.contexts().find_map(|(context, data)| {
        data.body
            .locals
            .iter_enumerated()
            .find_map(|(local, decl)| {
                let target = pointers.target(&model.unfolding, context, &Operand::Copy(local))?;
                let ty = types.pointee(decl.ty).filter(|_| target == start)?;
                (types.size(ty) == size).then_some((decl.name.clone()?, ty))
            })
    })
}

/// A scalar in an object of the heap.
fn in_heap(model: &Model<'_>, location: &Location) -> Option<String> {
    let types = &model.program().types;
    let size = match location.of {
        Some(elements) => elements.stride,
        None => types.size(location.ty),
    };
    let (pointer, ty) = heap_pointer(model, location.object, size)?;
    let access = part_of_type(types, ty, location.offset * 8, location.ty)?;
    let index = location.of.map_or("0", |_| index_name(model, location.at));
    Some(format!("{pointer}[{index}]{}", access.path))
}

/// The name of an index at which elements are known: an address, where only nodes are.
fn index_name(model: &Model<'_>, at: AtIndex) -> &'static str {
    let mut elements = model.locations.elements().iter();
    let are_nodes = elements.all(|&element| model.locations.is_of_nodes(element));
    match (are_nodes, at) {
        (true, AtIndex::First) => "node",
        (true, AtIndex::Second) => "other",
        (false, AtIndex::First) => "k",
        (false, AtIndex::Second) => "l",
    }
}

fn lvalue(model: &Model<'_>, location: &Location) -> Option<String> {
    let program = model.program();
    let (name, ty) = match location.object {
        Object::Index => return Some(index_name(model, location.at).to_owned()),
        Object::Allocated(_) => {
            return Some(format!("allocated({})", index_name(model, location.at)));
        }
        Object::Nodes(_) => {
            let ty = model.locations.node_type(location.object)?;
            let access = part_of_type(&program.types, ty, location.offset * 8, location.ty)?;
            let name = index_name(model, location.at);
            return Some(match access.path.strip_prefix('.') {
                Some(member) => format!("{name}->{member}"),
                None => format!("(*{name}){}", access.path),
            });
        }
        Object::Heap(_) => return in_heap(model, location),
        Object::Position(context, local) => return position(model, context, local),
        object => named(model, object)?,
    };
    let access = part_of_type(&program.types, ty, location.offset * 8, location.ty)?;
    let path = match location.of {
        // The first element stands for the one at the index.
        Some(_) => {
            let index = format!("[{}]", index_name(model, location.at));
            access.path.replacen("[0]", &index, 1)
        }
        None => access.path,
    };
    Some(format!("{name}{path}"))
}
