//! Functions that a caller could pass pointers to, though no unit defines them.
//!
//! An input pointer to a function may point to any function of its type in the program, or to an
//! unknown one, whose result is an input. One unknown function of each type stands for all.

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    Function, FunctionId, GlobalKind, Linkage, Nonnull, Origin, Parameter, Program, Span, Type,
    TypeId, Unit, UnitId, path,
};

/// Adds a function without a body to the program for each type of function that pointers point to.
pub fn add_functions(program: &mut Program) {
    let named = pointed_to(program);
    let span = first_span(program);
    if named.is_empty() {
        return;
    }
    let unit = program.units.push(Unit {
        path: String::new(),
        origin: Origin::Caller,
        unknown_records: Vec::new(),
        absent_records: Vec::new(),
        unknown_enums: Vec::new(),
        macros: Vec::new(),
        qualified: Vec::new(),
        clang_values: false,
    });
    let mut taken: BTreeSet<String> = program
        .functions
        .iter()
        .flat_map(|f| [stub_name(&f.name), f.name.clone()])
        .chain(program.globals.iter().map(|global| global.name.clone()))
        .collect();
    for (ty, name) in named {
        let name = free_name(&stub_name(&name), &mut taken);
        let function = stub(program, ty, name, unit, span.clone());
        program.functions.push(function);
    }
}

/// A name that hardly any C program has.
fn stub_name(name: &str) -> String {
    format!("attest_stub_{name}")
}

/// The types of functions that pointers of the user's code point to, each with the name of a
/// pointer to it.
fn pointed_to(program: &Program) -> BTreeMap<TypeId, String> {
    let mut found = BTreeMap::new();
    let mut add = |ty: TypeId, name: Option<&str>| {
        if let Some(pointee) = function_behind(program, ty)
            && let Some(name) = name
        {
            found.entry(pointee).or_insert_with(|| name.to_owned());
        }
    };
    let is_user = |id: &FunctionId| program.origin(*id) == Origin::User;
    for id in program.functions.indices().filter(is_user) {
        let function = &program.functions[id];
        let Type::Function(ty) = program.types.kind(function.ty) else {
            continue;
        };
        for (&ty, parameter) in ty.parameters.iter().zip(&function.parameters) {
            add(ty, parameter.name.as_deref());
        }
    }
    for record in &program.types.records {
        for field in &record.fields {
            add(field.ty, field.name.as_deref());
        }
    }
    let files = |kind| matches!(kind, GlobalKind::File(_));
    for global in program.globals.iter().filter(|global| files(global.kind)) {
        add(global.ty, Some(&global.name));
    }
    for (ty, _) in program.types.iter() {
        add(ty, Some("callback"));
    }
    // A function without a name in C can be defined nowhere else.
    found.retain(|&ty, _| path::nameable(&program.types, ty));
    found
}

/// The type of function that a pointer leads to, or the elements of an array, or a pointer to one.
fn function_behind(program: &Program, ty: TypeId) -> Option<TypeId> {
    match program.types.kind(ty) {
        Type::Function(_) => Some(ty),
        Type::Pointer { pointee, .. } => function_behind(program, *pointee),
        Type::Array { element, .. } => function_behind(program, *element),
        _ => None,
    }
}

/// A place in the user's code: the functions that tests define are no part of the C library.
fn first_span(program: &Program) -> Option<Span> {
    let of_user = |id: &FunctionId| program.origin(*id) == Origin::User;
    let mut users = program.functions.indices().filter(of_user);
    users.find_map(|id| {
        let function = &program.functions[id];
        function.body.as_ref().and(function.span.clone())
    })
}

fn free_name(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or_default()
}

fn stub(program: &Program, ty: TypeId, name: String, unit: UnitId, span: Option<Span>) -> Function {
    let (parameters, noreturn) = match program.types.kind(ty) {
        Type::Function(ty) => (ty.parameters.len(), ty.attributes.noreturn),
        _ => (0, false),
    };
    Function {
        name,
        ty,
        parameters: vec![Parameter::default(); parameters],
        result_nonnull: Nonnull::No,
        weak: false,
        unit,
        linkage: Linkage::Internal,
        noreturn,
        renamed: false,
        assumed: false,
        old_style: false,
        pure: false,
        span,
        body: None,
    }
}
