//! Which of the program's own objects callers could give the calls of a sequence as the object that
//! they share. The driver gives them an object of its own, so that this is a bound.

use fixedbitset::FixedBitSet;
use ir::graph::Graph;
use ir::sequence::SHARED_OBJECT;
use ir::sharing::may_hold;
use ir::test::{Bound, BoundKind};
use ir::{ConstantValue, FunctionId, GlobalId, GlobalKind, Linkage, Program};

use crate::escapes::Escaped;
use crate::globals::GlobalUses;

/// The bound, if there is such an object that the functions that are reached use by its name, or
/// reach by pointers that the program is initialised with.
pub fn bound(program: &Program, reached: &[FunctionId]) -> Option<Bound> {
    let mut globals = program.globals.iter_enumerated();
    let (shared, object) = globals.find(|(_, global)| global.name == SHARED_OBJECT)?;
    let mut uses = GlobalUses::new(program);
    for &function in reached {
        uses.function(program, function);
    }
    let used = led_to(program, |id| uses.touches(id));
    let everywhere = GlobalUses::everywhere(program);
    let known = Escaped::new(program);
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
            && may_hold(program, global.ty, object.ty)
    };
    let mut used = used.ones().map(GlobalId::from_usize);
    let found = used.find(|&id| could_be(id) && is_addressed(id))?;
    Some(Bound {
        kind: BoundKind::Sequence,
        detail: format!(
            "the object that the calls share is taken to be no part of {}",
            program.globals[found].name
        ),
        stack: Vec::new(),
    })
}

/// The globals that are used, and those to which pointers in their initialisers lead.
fn led_to(program: &Program, is_used: impl Fn(GlobalId) -> bool) -> FixedBitSet {
    let pointers = program.globals.iter().map(|global| {
        let initializer = global.initializer.iter();
        let relocations = initializer.flat_map(|data| &data.relocations);
        let targets = relocations.filter_map(|relocation| match relocation.target {
            ConstantValue::Global { global, .. } => Some(global),
            _ => None,
        });
        targets.collect()
    });
    let used = program.globals.indices().filter(|&id| is_used(id));
    Graph::of(pointers.collect()).reachable(used)
}
