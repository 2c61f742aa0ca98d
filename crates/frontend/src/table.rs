//! Objects that stand for what code outside the program can reach without a name.

use ir::{
    ConstantValue, Global, GlobalKind, Initializer, Linkage, Program, Relocation, Type, UnitId,
};

/// Makes an object that holds pointers and that other code sees.
pub(crate) fn add(program: &mut Program, name: String, targets: Vec<ConstantValue>) {
    let size = u64::from(program.target.pointer_width / 8);
    let pointee = program.types.intern(Type::Void, 0, 1);
    let pointer = Type::Pointer {
        pointee,
        constant: false,
        volatile: false,
    };
    let element = program.types.intern(pointer, size, size);
    let count = targets.len() as u64;
    let table = Type::Array {
        element,
        length: Some(count),
    };
    let ty = program.types.intern(table, count * size, size);
    let relocations = targets.into_iter().zip(0..);
    let relocations = relocations.map(|(target, position)| Relocation {
        offset: position * size,
        target,
    });
    program.globals.push(Global {
        name,
        ty,
        unit: UnitId::from_usize(0),
        kind: GlobalKind::File(Linkage::External),
        constant: true,
        volatile: false,
        weak: false,
        renamed: false,
        thread_local: false,
        initializer: Some(Initializer {
            relocations: relocations.collect(),
            ..Initializer::default()
        }),
        span: None,
    });
}
