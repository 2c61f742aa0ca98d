//! Locations as C names them.

use std::collections::BTreeMap;

use expr::Var;
use ir::path::part_of_type;

use crate::arena::Arena;
use crate::locations::{Location, Object};
use crate::model::Model;
use crate::print::Name;
use crate::samples::variable;

/// The names of the variables that stand for locations. Temporaries have none.
pub fn of_locations(model: &Model<'_>, arena: &Arena) -> BTreeMap<Var, Name> {
    let named = model.locations.iter().filter_map(|(number, location)| {
        let var = variable(&arena.terms, model.at_start[number])?;
        let types = &model.program().types;
        let signed = types.int(location.ty).is_some_and(|int| int.signed);
        let text = lvalue(model, location)?;
        Some((var, Name { text, signed }))
    });
    named.collect()
}

fn lvalue(model: &Model<'_>, location: &Location) -> Option<String> {
    let program = model.program();
    let (name, ty) = match location.object {
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
    Some(format!("{name}{}", access.path))
}
