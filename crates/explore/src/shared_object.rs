//! Which of the program's own objects callers could give the calls of a sequence as the object that they
//! share. The driver gives them an object of its own, so that this is a bound.

use ir::sequence::SHARED_OBJECT;
use ir::test::{Bound, BoundKind};
use ir::{FunctionId, GlobalId, GlobalKind, Linkage, Program};

use crate::escapes;
use crate::globals::{Uses, uses_everywhere};

/// The bound, if there is such an object that the functions that are reached use by its name.
pub(crate) fn bound(program: &Program, reached: &[FunctionId]) -> Option<Bound> {
    let mut globals = program.globals.iter_enumerated();
    let (shared, object) = globals.find(|(_, global)| global.name == SHARED_OBJECT)?;
    let mut uses = Uses::new(program);
    for &function in reached {
        uses.function(program, function);
    }
    let everywhere = uses_everywhere(program);
    let known = escapes::escaped(program);
    let is_used = |id: GlobalId| uses.touches(id);
    let is_addressed = |id: GlobalId| {
        let bit = id.index();
        program.globals[id].kind == GlobalKind::File(Linkage::External)
            || everywhere.escaped.contains(bit)
            || known.surely.contains(bit)
            || known.perhaps.contains(bit)
    };
    let could_be = |id: GlobalId| {
        let global = &program.globals[id];
        id != shared
            && global.kind != GlobalKind::StringLiteral
            && vm::may_hold(program, global.ty, object.ty)
    };
    let mut all = program.globals.indices();
    let found = all.find(|&id| is_used(id) && could_be(id) && is_addressed(id))?;
    Some(Bound {
        kind: BoundKind::Sequence,
        detail: format!(
            "the object that the calls share is taken to be no part of {}",
            program.globals[found].name
        ),
        stack: Vec::new(),
    })
}
