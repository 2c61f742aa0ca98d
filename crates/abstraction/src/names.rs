//! Locations as C names them.

use std::collections::BTreeMap;

use expr::Var;
use ir::path::part_of_type;
use ir::{Local, Operand};

use crate::arena::Arena;
use crate::locations::Location;
use crate::model::Model;
use crate::nodes::variable;
use crate::places::Object;
use crate::print::Name;
use crate::unfolding::ContextId;

/// The names of the variables that stand for locations. Temporaries have none.
pub fn of_locations(model: &Model<'_>, arena: &Arena) -> BTreeMap<Var, Name> {
    let named = model.locations.iter().filter_map(|(number, location)| {
        let var = variable(&arena.terms, model.at_start[number])?;
        let types = &model.program().types;
        let int = types
            .int(location.ty)
            .filter(|_| location.object != Object::Index);
        let is_distance = matches!(location.object, Object::Position(..));
        let signed = is_distance || int.is_some_and(|int| int.signed);
        let text = lvalue(model, location)?;
        Some((var, Name { text, signed }))
    });
    named.collect()
}

/// The distance of a pointer from the array that it leads into.
fn position(model: &Model<'_>, context: ContextId, pointer: Local) -> Option<String> {
    let body = model.unfolding.body(context);
    let pointers = model.locations.pointers();
    let object = pointers.object(&model.unfolding, context, &Operand::Copy(pointer))?;
    let array = match object {
        Object::Local(context, local) => {
            let local = &model.unfolding.body(context).locals[local];
            local.name.clone()?
        }
        Object::Global(global) => model.program().globals[global].name.clone(),
        Object::Index | Object::Position(..) => return None,
    };
    let pointer = body.locals[pointer].name.clone()?;
    Some(format!("({pointer} - {array})"))
}

fn lvalue(model: &Model<'_>, location: &Location) -> Option<String> {
    let program = model.program();
    let (name, ty) = match location.object {
        Object::Index => return Some("k".to_owned()),
        Object::Position(context, local) => return position(model, context, local),
        Object::Local(context, local) => {
            let decl = &model.unfolding.body(context).locals[local];
            (decl.name.clone()?, decl.ty)
        }
        Object::Global(global) => {
            let data = &program.globals[global];
            (data.name.clone(), data.ty)
        }
    };
    let access = part_of_type(&program.types, ty, location.offset * 8, location.ty)?;
    let path = match location.of {
        // The first element stands for the one at the index.
        Some(_) => access.path.replacen("[0]", "[k]", 1),
        None => access.path,
    };
    Some(format!("{name}{path}"))
}
