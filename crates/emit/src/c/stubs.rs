//! Definitions for what the tested unit uses and does not define: functions without a body,
//! objects ([`super::objects`]), the functions that declare inputs and assumptions, and
//! allocation that fails on demand.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ir::input::{InputValue, Made, Root};
use ir::library::may_end_program;
use ir::{Function, FunctionId, FunctionType, Linkage, Origin, Type, UNSUPPORTED_CONSTRUCT};

use super::arguments;
use super::changes;
use super::exports::functions_pointed_to;
use super::names::Names;
use super::objects;
use super::renaming::{is_beside_static, is_renamed, is_renamed_symbol, pasted, renaming};
use super::spelling;
use super::unwritten;
use crate::{Subject, Tested};

/// The behaviour of a function without a body in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Returns the test's values.
    Input,
    /// Ends the test as rejected when its argument is false.
    Assume,
    /// Aborts when its argument is false.
    Assert,
    /// Copies an input into an object.
    Give,
    /// Aborts.
    Error,
}

fn special(name: &str) -> Option<Role> {
    Some(match name {
        "__attest_assume" | "klee_assume" | "__VERIFIER_assume" | "__CPROVER_assume" => {
            Role::Assume
        }
        "__attest_assert" => Role::Assert,
        "__attest_input" | "klee_make_symbolic" => Role::Give,
        "reach_error" | "__VERIFIER_error" => Role::Error,
        _ => return None,
    })
}

/// Allocation functions that may be made to fail, with their parameters and the arguments that
/// they are called with.
const ALLOCATORS: [(&str, &str, &str, &str); 9] = [
    ("malloc", "void *", "attest@size size", "size"),
    (
        "calloc",
        "void *",
        "attest@size count, attest@size size",
        "count, size",
    ),
    (
        "realloc",
        "void *",
        "void *old, attest@size size",
        "old, size",
    ),
    (
        "reallocarray",
        "void *",
        "void *old, attest@size count, attest@size size",
        "old, count, size",
    ),
    (
        "aligned_alloc",
        "void *",
        "attest@size align, attest@size size",
        "align, size",
    ),
    ("strdup", "char *", "const char *text", "text"),
    (
        "strndup",
        "char *",
        "const char *text, attest@size size",
        "text, size",
    ),
    (
        "memalign",
        "void *",
        "attest@size align, attest@size size",
        "align, size",
    ),
    ("valloc", "void *", "attest@size size", "size"),
];

/// The text before the units' texts and after the tested one's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stubs {
    /// Macros that rename what the units use.
    pub before: String,
    /// Definitions.
    pub after: String,
}

/// The stubs that the tests of some functions of a unit need together.
pub fn stubs(all: &[Tested<'_>]) -> Stubs {
    let mut stubs = Stubs::default();
    let Some(Tested { subject, .. }) = all.first() else {
        return stubs;
    };
    fail_on_demand(subject, all, &mut stubs);
    stubs.after.push_str(&objects::definitions(subject, all));
    define_functions(subject, all, &mut stubs);
    stubs
}

/// Whether calls of the function take their results from a queue that tests fill.
pub fn has_queue(subject: &Subject<'_>, function: FunctionId) -> bool {
    let data = &subject.program.functions[function];
    special(&data.name).is_none() && returns_value(subject, function)
}

fn returns_value(subject: &Subject<'_>, function: FunctionId) -> bool {
    subject.function_type(function).is_some_and(|ty| {
        let name = &subject.program.functions[function].name;
        *subject.types.kind(ty.result) != Type::Void
            && !matches!(subject.types.kind(ty.result), Type::Unsupported(_))
            && spelling::declare_result(subject.types, name, ty, "").is_some()
    })
}

fn define_functions(subject: &Subject<'_>, all: &[Tested<'_>], stubs: &mut Stubs) {
    let tests = || all.iter().flat_map(|tested| tested.tests.iter().copied());
    let called: BTreeSet<FunctionId> = tests()
        .flat_map(|test| test.calls.keys().copied())
        .chain(all.iter().flat_map(|tested| results(&tested.subject)))
        .collect();
    let pointed_to = functions_pointed_to(tests());
    let changing = all.iter().flat_map(changes::functions);
    let changing: BTreeSet<FunctionId> = changing.collect();
    let checking = all.iter().flat_map(arguments::functions);
    let checking: BTreeSet<FunctionId> = checking.collect();
    let names = Names::of_types(subject.types);
    let mut definitions = String::new();
    let mut renamed = BTreeSet::new();
    let mut gives = false;
    let mut queues = false;
    for (id, function) in subject.program.functions.iter_enumerated() {
        let library = is_renamed(subject, function);
        let role = special(&function.name);
        let returns = called.contains(&id) && returns_value(subject, id);
        let takes_part = returns || changing.contains(&id);
        let is_used = match subject.program.origin(id) {
            Origin::User => {
                let is_silent = called.contains(&id) && returns_nothing(subject, function);
                !library || role.is_some() || takes_part || is_silent
            }
            Origin::Caller => takes_part || called.contains(&id) || pointed_to.contains(&id),
            Origin::Model => false,
        };
        let is_construct = function.name == UNSUPPORTED_CONSTRUCT;
        if function.body.is_some() || !is_used || is_construct {
            continue;
        }
        if role.is_none() && is_renamed(subject, function) {
            stubs.before.push_str(&renaming(subject, function));
            renamed.insert(function.name.as_str());
        }
        gives |= role == Some(Role::Give);
        queues |= role.is_none();
        definitions.push('\n');
        definitions.push_str(&definition(
            subject,
            id,
            names.inside(),
            role.unwrap_or(Role::Input),
            Part {
                returns,
                changes: changing.contains(&id),
                checks: role.is_none() && checking.contains(&id),
            },
        ));
    }
    stubs.before.push_str(&pasted(subject, &renamed));
    if gives {
        stubs.after.push('\n');
        stubs.after.push_str(include_str!("../templates/inputs.c"));
    }
    if queues {
        stubs.after.push('\n');
        stubs.after.push_str(include_str!("../templates/stubs.c"));
    }
    if !changing.is_empty() {
        stubs.after.push_str(include_str!("../templates/changes.c"));
    }
    if !checking.is_empty() {
        stubs
            .after
            .push_str(include_str!("../templates/arguments.c"));
    }
    stubs.after.push_str(&definitions);
    if !checking.is_empty() {
        // No definition of a function may come after these macros.
        stubs
            .after
            .push_str(include_str!("../templates/expected.c"));
    }
}

/// Whether a function is declared to return, and returns nothing. One of the C library may release
/// what another one made, which is an input; but one that may end the program is to end it.
fn returns_nothing(subject: &Subject<'_>, function: &Function) -> bool {
    let is_declared = function.span.is_some() && !function.noreturn;
    let may_end = is_renamed(subject, function) && may_end_program(&function.name);
    let types = &subject.program.types;
    is_declared
        && !may_end
        && matches!(types.kind(function.ty), Type::Function(ty) if *types.kind(ty.result) == Type::Void)
}

fn results<'a>(subject: &Subject<'a>) -> impl Iterator<Item = FunctionId> + use<'a> {
    subject
        .space
        .objects()
        .filter_map(|(_, object)| match object.root {
            Root::Result { function, .. } => Some(function),
            _ => None,
        })
}

/// The behaviour of a function without a body in some test.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// It returns what the test says.
    returns: bool,
    /// It writes what the test says.
    changes: bool,
    /// It checks its arguments.
    checks: bool,
}

impl Part {
    /// Whether it does nothing that a test asks for.
    fn is_nothing(self) -> bool {
        !self.returns && !self.changes && !self.checks
    }
}

/// The definition of a function. The names are those that it must not hide.
fn definition(
    subject: &Subject<'_>,
    id: FunctionId,
    mut names: Names<'_>,
    role: Role,
    part: Part,
) -> String {
    let types = subject.types;
    let function = &subject.program.functions[id];
    let name = &function.name;
    let Some(ty) = subject.function_type(id) else {
        return String::new();
    };
    // Its own name tells the type of its result.
    names.fresh(name);
    let arguments = 0..ty.parameters.len();
    let arguments = arguments.map(|nth| names.fresh(&function.argument_name(nth)));
    let arguments: Vec<String> = arguments.collect();
    let argument = |nth: usize| arguments.get(nth).map_or("0", String::as_str);
    let declared = ty.parameters.iter().zip(&arguments);
    let declared = declared.map(|(&ty, argument)| spelling::declare(types, ty, argument));
    // Where a type has no name here, the stub declares no parameters, which are not used then.
    let mut parameters: Vec<String> = declared.collect::<Option<_>>().unwrap_or_default();
    let named = &arguments[..parameters.len()];
    if ty.variadic && !parameters.is_empty() {
        parameters.push("...".to_owned());
    } else if ty.parameters.is_empty() && !ty.variadic {
        parameters.push("void".to_owned());
    }
    // A function that cannot be declared as in the unit has another name for the compiler.
    // Compilers do not give another symbol to a definition of what only another unit declares.
    let is_of_other =
        is_renamed_symbol(subject, function) && function.unit != subject.function().unit;
    let unit = &subject.program.units[function.unit];
    let is_exact =
        spelling::is_exact_function(types, ty) && !unit.qualified.contains(name) && !is_of_other;
    let is_beside = is_beside_static(subject, function.linkage, name);
    let has_own_name =
        function.linkage == Linkage::External && function.span.is_some() && !is_exact && !is_beside;
    let defined = match (is_beside, has_own_name) {
        (true, _) => format!("attest@stub_{name}"),
        (_, true) => format!("attest@own_{name}"),
        _ => name.clone(),
    };
    let declarator = format!("{defined}({})", parameters.join(", "));
    let Some(head) = spelling::declare_result(types, name, ty, &declarator) else {
        return String::new();
    };
    let mut text = String::new();
    if has_own_name {
        let symbol = match is_renamed(subject, function) {
            true => format!("ATTEST@TEXT(attest@stub_{name})"),
            false => format!("\"{name}\""),
        };
        let attributes = attributes_of(ty);
        let _ = writeln!(text, "extern {attributes}{head} ATTEST@LIBC({symbol});");
    }
    let looks_at_arguments = part.changes || part.checks;
    let addresses = (looks_at_arguments && !named.is_empty()).then(|| names.fresh("arguments"));
    let check = match role {
        Role::Input => look_at_arguments(name, named, addresses.as_deref(), part),
        _ => String::new(),
    };
    let body = match role {
        Role::Assume => format!(
            "    if (!{})\n        attest@leave(ATTEST@REJECTED);\n",
            argument(0)
        ),
        Role::Assert => format!(
            "    if (!{}) {{\n        attest@printf(\"    assertion failed: %s\\n\", {});\n        \
             attest@fflush(NULL);\n        attest@abort();\n    }}\n",
            argument(0),
            argument(1)
        ),
        Role::Give => format!(
            "    attest@give({}, (unsigned long)({}), {});\n",
            argument(0),
            argument(1),
            argument(2)
        ),
        Role::Error => "    attest@abort();\n".to_owned(),
        Role::Input if function.noreturn => {
            text.push_str(&tables(subject, name, ty, part));
            "    attest@leave(0);\n".to_owned()
        }
        Role::Input if part.returns || part.changes => {
            text.push_str(&tables(subject, name, ty, part));
            let parameters = (named, addresses.as_deref());
            input_body(subject, (name, ty), parameters, part, names)
        }
        Role::Input if *types.kind(ty.result) == Type::Void => {
            text.push_str(&tables(subject, name, ty, part));
            String::new()
        }
        Role::Input => {
            let none = names.fresh("none");
            let declared = spelling::declare_result(types, name, ty, &none).unwrap_or_default();
            format!(
                "    static {declared};\n    attest@unexpected_call(\"{name}\");\n    \
                 return {none};\n"
            )
        }
    };
    let prefix = match function.linkage {
        Linkage::Internal | Linkage::Inline => "static __attribute__((__unused__)) ",
        // A definition that no test calls gives way to one that the user links.
        Linkage::External if role == Role::Input && part.is_nothing() => {
            "__attribute__((__weak__)) "
        }
        Linkage::External => "",
    };
    let attributes = attributes_of(ty);
    let _ = writeln!(text, "{prefix}{attributes}{head}\n{{\n{check}{body}}}");
    text
}

/// The attributes that the definition of a function of this type repeats.
fn attributes_of(ty: &FunctionType) -> String {
    let noreturn = ty.attributes.noreturn.then_some("__noreturn__");
    let all = noreturn
        .into_iter()
        .chain(ty.attributes.convention.as_deref());
    all.map(|attribute| format!("__attribute__(({attribute})) "))
        .collect()
}

/// The beginning of a function that looks at its arguments.
fn look_at_arguments(
    name: &str,
    parameters: &[String],
    addresses: Option<&str>,
    part: Part,
) -> String {
    let mut text = String::new();
    if let Some(addresses) = addresses {
        let all = parameters.iter().map(|name| format!("(void *)&{name}"));
        let all = all.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "    void *const {addresses}[] = {{{all}}};");
    }
    if part.checks {
        let addresses = addresses.unwrap_or("NULL");
        let _ = writeln!(
            text,
            "    attest@check_call(\"{name}\", &attest@arguments_{name}, {addresses});"
        );
    }
    text
}

/// Where tests put what a function is given, returns and writes.
fn tables(subject: &Subject<'_>, name: &str, ty: &FunctionType, part: Part) -> String {
    let mut text = String::new();
    if part.checks {
        let _ = writeln!(
            text,
            "static struct attest@arguments attest@arguments_{name} __attribute__((__unused__));\n"
        );
    }
    if part.returns {
        let declare = |name_of_value: &str| {
            spelling::declare_result(subject.types, name, ty, name_of_value).unwrap_or_default()
        };
        let (values, none) = (declare("*values"), declare("none"));
        let _ = writeln!(
            text,
            "static struct {{\n    {values};\n    {none};\n    unsigned long count, next;\n}} \
             attest@results_{name} __attribute__((__unused__));\n"
        );
    }
    if part.changes {
        let _ = writeln!(
            text,
            "static struct attest@calls attest@calls_{name} __attribute__((__unused__));\n"
        );
    }
    text
}

/// The body of a function that returns and writes what the test says.
fn input_body(
    subject: &Subject<'_>,
    (name, ty): (&str, &FunctionType),
    (parameters, arguments): (&[String], Option<&str>),
    part: Part,
    mut names: Names<'_>,
) -> String {
    let mut text = String::new();
    let result = names.fresh("result");
    let rest = names.fresh("rest");
    if part.returns && part.changes {
        // An object with const members is never assigned to.
        let declared = spelling::declare_result(subject.types, name, ty, &format!("*{result}"));
        let _ = writeln!(text, "    {};", declared.unwrap_or_default());
    }
    let last = parameters.last().filter(|_| ty.variadic);
    if part.changes && last.is_some() {
        let _ = writeln!(text, "    struct attest@rest {rest};");
    }
    if part.returns {
        let _ = writeln!(
            text,
            "    if (attest@results_{name}.next >= attest@results_{name}.count) {{\n        \
             attest@unexpected_call(\"{name}\");\n        \
             return attest@results_{name}.none;\n    }}"
        );
    }
    let next = format!("attest@results_{name}.values[attest@results_{name}.next++]");
    if !part.changes {
        let _ = writeln!(text, "    return {next};");
        return text;
    }
    if part.returns {
        let _ = writeln!(text, "    {result} = &{next};");
    }
    if let Some(last) = last {
        let _ = writeln!(text, "    __builtin_va_start({rest}.list, {last});");
    }
    let or_null = |is_given: bool, text: String| match is_given {
        true => text,
        false => "NULL".to_owned(),
    };
    let _ = writeln!(
        text,
        "    attest@call(&attest@calls_{name}, {}, {}, {});",
        arguments.unwrap_or("NULL"),
        or_null(last.is_some(), format!("&{rest}")),
        or_null(part.returns, result.clone())
    );
    if last.is_some() {
        let _ = writeln!(text, "    __builtin_va_end({rest}.list);");
    }
    if part.returns {
        let _ = writeln!(text, "    return *{result};");
    }
    text
}

fn fail_on_demand(subject: &Subject<'_>, all: &[Tested<'_>], stubs: &mut Stubs) {
    if all.iter().any(unwritten::any_paints) {
        stubs.after.push('\n');
        stubs.after.push_str(unwritten::PAINT);
    }
    let fills = all
        .iter()
        .any(|tested| unwritten::any_sets(tested, Made::Allocation));
    let last = all.iter().filter_map(last_failing_allocation).max();
    if last.is_none() && !fills {
        return;
    }
    if fills {
        stubs.after.push('\n');
        stubs.after.push_str(unwritten::FILLS);
    }
    let _ = writeln!(
        stubs.after,
        "\n/* Which allocations of the test fail. */\n\
         static unsigned char attest@allocation_fails[{}];\n\
         static unsigned long attest@allocations;\n\n\
         extern int *attest@error_number(void) ATTEST@LIBC(\"__errno_location\");\n\n\
         static int attest@next_fails(void)\n{{\n    \
         unsigned long nth = attest@allocations++;\n    \
         int fails = nth < sizeof attest@allocation_fails && attest@allocation_fails[nth];\n    \
         if (fails)\n        *attest@error_number() = 12; /* ENOMEM */\n    \
         return fails;\n}}",
        last.map_or(1, |last| last + 1)
    );
    for (name, result, parameters, arguments) in ALLOCATORS {
        if !uses_library_function(subject, name) {
            continue;
        }
        let _ = writeln!(stubs.before, "#define {name} attest@failing_{name}");
        let made = format!("attest@real_{name}({arguments})");
        let made = match fills {
            true => format!("attest@filled(attest@allocations - 1, {made})"),
            false => made,
        };
        let _ = writeln!(
            stubs.after,
            "\nextern {result}attest@real_{name}({parameters}) ATTEST@LIBC(\"{name}\");\n\n\
             /* The unit may declare it otherwise. */\n\
             extern {result}attest@perhaps_{name}({parameters}) ATTEST@LIBC(ATTEST@TEXT(attest@failing_{name}));\n\n\
             {result}attest@perhaps_{name}({parameters})\n{{\n    \
             return attest@next_fails() ? NULL : {made};\n}}"
        );
    }
}

fn uses_library_function(subject: &Subject<'_>, name: &str) -> bool {
    let program = subject.program;
    program.functions.iter().any(|function| {
        let users = program.units[function.unit].origin == Origin::User;
        function.name == name && !(users && function.body.is_some())
    })
}

fn last_failing_allocation(tested: &Tested<'_>) -> Option<u32> {
    let Tested { subject, tests } = tested;
    tests
        .iter()
        .flat_map(|test| &test.inputs.values)
        .filter(|(_, value)| **value == InputValue::Bits(1))
        .filter_map(|(&cell, _)| {
            let object = subject.space.cell_data(cell).object;
            match subject.space.object_data(object).root {
                Root::AllocationFails { nth } => Some(nth),
                _ => None,
            }
        })
        .max()
}
