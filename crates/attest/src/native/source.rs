//! The helper's text: what answers requests, and the table of functions.

use std::fmt::Write as _;

use ir::{FunctionId, Program, Type, TypeId, Types};

/// The C file that calls these functions, by their positions.
pub fn source(program: &Program, functions: &[FunctionId]) -> String {
    let mut declared = String::new();
    let mut table = String::from("static const struct function functions[] = {\n");
    for (index, &function) in functions.iter().enumerate() {
        let data = &program.functions[function];
        let Type::Function(ty) = program.types.kind(data.ty) else {
            continue;
        };
        let types = &program.types;
        let parameters: Vec<String> = ty.parameters.iter().map(|&ty| spelled(types, ty)).collect();
        let arguments = parameters
            .iter()
            .enumerate()
            .map(|(nth, ty)| match *ty == POINTER {
                true => format!("({ty})(uintptr_t)arguments[{nth}]"),
                false => format!("({ty})arguments[{nth}]"),
            });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let parameters = match parameters.is_empty() {
            true => "void".to_owned(),
            false => parameters.join(", "),
        };
        let result = spelled(types, ty.result);
        let call = format!("native_{index}({arguments})");
        let body = match result.as_str() {
            "void" => format!("{call};\n    return 0;"),
            POINTER => format!("return (uintptr_t){call};"),
            _ => format!("return (uint64_t){call};"),
        };
        // By its symbol, so that no declaration of the C library is in the way.
        let _ = writeln!(
            declared,
            "extern {result} native_{index}({parameters}) __asm__(\"{}\") __attribute__((weak));\n\
             static uint64_t call_{index}(const uint64_t *arguments)\n{{\n    \
             (void)arguments;\n    {body}\n}}\n",
            symbol(&data.name, &result)
        );
        let _ = writeln!(
            table,
            "    {{call_{index}, (void (*)(void))native_{index}}},"
        );
    }
    table.push_str("};\n");
    let template = include_str!("helper.c");
    template.replace("/* @FUNCTIONS@ */", &(declared + &table))
}

const POINTER: &str = "void *";

/// The symbol of a function, given the type of its result: the headers of glibc give the name
/// `strerror_r` to the function of POSIX, which returns a number, or to GNU's.
fn symbol<'a>(name: &'a str, result: &str) -> &'a str {
    match name {
        "strerror_r" if result != POINTER => "__xpg_strerror_r",
        _ => name,
    }
}

/// A type that is passed as this one is.
fn spelled(types: &Types, ty: TypeId) -> String {
    match types.kind(ty) {
        Type::Pointer { .. } => POINTER.to_owned(),
        Type::Void => "void".to_owned(),
        _ => match types.int(ty) {
            Some(int) if int.name == ir::IntName::Bool => "_Bool".to_owned(),
            Some(int) if int.signed => format!("int{}_t", int.width),
            Some(int) => format!("uint{}_t", int.width),
            None => "int".to_owned(),
        },
    }
}
