//! Functions and objects of static storage duration: their allocations and initial contents.

use ir::{ConstantValue, Global, GlobalKind, Origin, Program, Type};

use crate::code::StaticLayout;
use crate::config::Config;
use crate::constants;
use crate::facts::locale;
use crate::ids::AllocationId;
use crate::leaves::has_padding;
use crate::memory::{
    INITIALISED, Kind, Memory, NARROWED, OF_PADDING, OPEN_BITS, UNSEEN, write_bits,
};
use crate::value::{Scalar, Shadow, Value};

/// Memory before an execution, and where everything is in it.
pub(crate) fn image(program: &Program, config: &Config) -> (Memory, StaticLayout) {
    let mut memory = Memory::new(program.target.pointer_width, u64::MAX);
    let mut layout = StaticLayout::default();
    for (id, _) in program.functions.iter_enumerated() {
        // Zero bytes always fit.
        if let Ok(allocation) = memory.allocate(Kind::Function(id), 0, 1, 0) {
            layout.functions.push(allocation);
        }
    }
    let mut streams = Vec::new();
    for (id, global) in program.globals.iter_enumerated() {
        let initial = global
            .initializer
            .as_ref()
            .map_or(0, |i| i.bytes.len() as u64);
        let size = program.types.size(global.ty).max(initial);
        let size = size.max(room(program, config, global));
        let stream = is_stream(program, global);
        let input = is_input(program, config, id, global);
        let kept = config.kept_globals.contains(&id) || is_library_state(program, global);
        let unseen = input || kept;
        let flags = if unseen { UNSEEN } else { INITIALISED };
        let align = program.types.align(global.ty);
        let allocated = memory.allocate(Kind::Global(id), size, align, flags);
        // An object larger than the address space has no bytes; every access is out of its bounds.
        let Ok(allocation) = allocated.or_else(|_| memory.allocate(Kind::Global(id), 0, 1, 0))
        else {
            break;
        };
        let made = memory.get_mut(allocation);
        made.declaration.ty = Some(global.ty);
        made.declaration.padded = has_padding(&program.types, global.ty);
        made.constant = global.constant || global.kind == GlobalKind::StringLiteral;
        made.declaration.guarded = made.constant
            || constants::has_members(&program.types, global.ty)
            || ir::library::is_place_of_linker(global);
        layout.globals.push(allocation);
        if stream {
            streams.push(allocation);
        }
    }
    for allocation in streams {
        if let Ok(target) = memory.allocate(Kind::Opaque, 0, 1, 0) {
            let pointer = memory.pointer_to(target);
            put_pointer(&mut memory, allocation, 0, pointer, program);
        }
    }
    for (id, global) in program.globals.iter_enumerated() {
        if !is_input(program, config, id, global) {
            fill(program, &mut memory, &layout, id, global);
        }
    }
    for (id, global) in program.globals.iter_enumerated() {
        if locale::is_table(program, global) {
            narrow_table(program, &mut memory, layout.globals[id], global);
        }
    }
    memory.fix();
    memory.set_limit(config.memory_limit);
    (memory, layout)
}

/// The bytes of a table of characters that depend on the locale are a bound where code reads them.
fn narrow_table(program: &Program, memory: &mut Memory, id: AllocationId, global: &Global) {
    let element = program.types.size(global.ty) / (locale::BEFORE_ZERO + 256);
    memory.reach(id, program.types.size(global.ty));
    let flags = &mut memory.get_mut(id).flags;
    for (low, high) in locale::ranges(element) {
        if let Some(flags) = flags.get_mut(low as usize..high as usize) {
            flags
                .iter_mut()
                .for_each(|flags| *flags |= UNSEEN | NARROWED);
        }
    }
}

/// The room for an array that is declared without a length, and nowhere defined: what it has is an
/// input.
fn room(program: &Program, config: &Config, global: &Global) -> u64 {
    match open_element(program, global) {
        Some(element) => config.room_of(program.types.size(element)),
        None => 0,
    }
}

/// The type of an element, for an array that is declared without a length and nowhere defined.
pub(crate) fn open_element(program: &Program, global: &Global) -> Option<ir::TypeId> {
    match program.types.kind(global.ty) {
        &Type::Array {
            element,
            length: None,
        } if global.initializer.is_none() => Some(element),
        _ => None,
    }
}

/// The globals whose initial contents are inputs.
pub(crate) fn input_globals(program: &Program, config: &Config) -> Vec<ir::GlobalId> {
    program
        .globals
        .iter_enumerated()
        .filter(|(id, global)| is_input(program, config, *id, global))
        .map(|(id, _)| id)
        .collect()
}

fn is_input(program: &Program, config: &Config, id: ir::GlobalId, global: &Global) -> bool {
    let chosen = config.input_globals.contains(&id) || global.initializer.is_none();
    chosen && !is_stream(program, global)
}

/// The standard streams are objects of the library, not inputs.
fn is_stream(program: &Program, global: &Global) -> bool {
    global.initializer.is_none()
        && ir::library::is_stream(global)
        && matches!(program.types.kind(global.ty), Type::Pointer { .. })
}

/// Whether the object is what a model of a library function remembers between calls: before the
/// entry function was called, others may have changed it.
fn is_library_state(program: &Program, global: &Global) -> bool {
    let is_variable = matches!(
        global.kind,
        GlobalKind::File(_) | GlobalKind::StaticLocal(_)
    );
    is_variable && !global.constant && program.units[global.unit].origin == Origin::Model
}

/// The variables of the standard streams.
pub(crate) fn streams(program: &Program) -> Vec<ir::GlobalId> {
    let globals = program.globals.iter_enumerated();
    let found = globals.filter(|(_, global)| is_stream(program, global));
    found.map(|(id, _)| id).collect()
}

/// What `errno` stands for.
pub(crate) fn library_state(program: &Program) -> Vec<ir::GlobalId> {
    let globals = program.globals.iter_enumerated();
    let is_errno = |global: &Global| {
        let of_model = program.units[global.unit].origin == Origin::Model;
        of_model && global.name == ir::ERRNO_OF_MODELS
    };
    let found = globals.filter(|(_, global)| is_errno(global));
    found.map(|(id, _)| id).collect()
}

fn fill(
    program: &Program,
    memory: &mut Memory,
    layout: &StaticLayout,
    id: ir::GlobalId,
    global: &Global,
) {
    let (Some(initializer), Some(&allocation)) = (&global.initializer, layout.globals.get(id))
    else {
        return;
    };
    let used = initializer.bytes.iter().rposition(|&byte| byte != 0);
    let used = used.map_or(0, |last| last + 1);
    let ends = initializer.relocations.iter();
    let ends = ends.map(|relocation| relocation.offset + 16);
    memory.reach(allocation, ends.max().unwrap_or(0).max(used as u64));
    let bytes = &mut memory.get_mut(allocation).bytes;
    let length = bytes.len().min(used);
    bytes[..length].copy_from_slice(&initializer.bytes[..length]);
    leave_open(memory, allocation, &initializer.open);
    for relocation in &initializer.relocations {
        let value = address(memory, layout, &relocation.target);
        put_pointer(memory, allocation, relocation.offset, value, program);
    }
}

/// Marks the bits that an initialiser leaves open as padding.
fn leave_open(memory: &mut Memory, allocation: AllocationId, open: &[u8]) {
    if open.is_empty() {
        return;
    }
    memory.reach(allocation, open.len() as u64);
    let object = memory.get_mut(allocation);
    object.declaration.padded = true;
    for (flags, mask) in object.flags.iter_mut().zip(open) {
        match *mask {
            0 => {}
            u8::MAX => *flags |= OF_PADDING,
            _ => *flags |= OPEN_BITS,
        }
    }
}

fn put_pointer(
    memory: &mut Memory,
    allocation: AllocationId,
    offset: u64,
    value: Value,
    program: &Program,
) {
    let size = u64::from(program.target.pointer_width / 8);
    let target = memory.get_mut(allocation);
    if target.holds(offset, size) {
        let at = offset as usize;
        write_bits(&mut target.bytes[at..at + size as usize], value.bits);
        target.put_entry(offset, size, value.shadow);
    }
}

/// The address that a constant stands for.
pub(crate) fn address(memory: &Memory, layout: &StaticLayout, target: &ConstantValue) -> Value {
    let (allocation, offset) = match target {
        ConstantValue::Global { global, offset } => (layout.globals.get(*global), *offset),
        ConstantValue::Function(function) => (layout.functions.get(*function), 0),
        ConstantValue::Int(bits) | ConstantValue::Float(bits) => {
            return Value::concrete(*bits);
        }
    };
    let Some(&allocation) = allocation else {
        return Value::ZERO;
    };
    Value {
        bits: u128::from(memory.get(allocation).base.wrapping_add_signed(offset)),
        shadow: Shadow::Pointer(allocation, None),
    }
}

/// The index of the argument that `getopt` looks at next, if the program names it.
pub(crate) fn option_index(
    program: &Program,
    layout: &StaticLayout,
) -> Option<(AllocationId, Scalar)> {
    let mut globals = program.globals.iter_enumerated();
    let (id, global) = globals.find(|(_, global)| {
        // One that the program defines begins as it says.
        global.name == "optind"
            && global.initializer.is_none()
            && program.is_changed_by_library(global)
    })?;
    Some((layout.globals[id], Scalar::of(&program.types, global.ty)?))
}
