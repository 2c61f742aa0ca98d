//! The compiler's builtins, and the few library functions that C cannot model.
//!
//! A call of one is handled in three ways: it becomes a call of a library function of another name
//! ([`library_name`]), it is lowered in place, or it is not supported.

use ir::library::ASSUME_ALIGNED;
use ir::{Callee, Constant, ConstantValue, FunctionId, Operand, Rvalue, SpanId, Terminator};

use super::builder::Typed;
use super::function::FunctionLowering;
use crate::ast::{Expr, ExprKind};

/// Builtins on bits, modelled in C under names of their own, since C cannot define a builtin.
const BIT_BUILTINS: &[&str] = &[
    "bitreverse16",
    "bitreverse32",
    "bitreverse64",
    "bitreverse8",
    "bswap16",
    "bswap32",
    "bswap64",
    "clrsb",
    "clrsbl",
    "clrsbll",
    "clz",
    "clzl",
    "clzll",
    "ctz",
    "ctzl",
    "ctzll",
    "ffs",
    "ffsl",
    "ffsll",
    "parity",
    "parityl",
    "parityll",
    "popcount",
    "popcountl",
    "popcountll",
];

/// Library functions that are builtins too, with the prefix `__builtin_`.
const LIBRARY_BUILTINS: &[&str] = &[
    "__memcpy_chk",
    "__memmove_chk",
    "__mempcpy_chk",
    "__memset_chk",
    "__snprintf_chk",
    "__sprintf_chk",
    "__stpcpy_chk",
    "__stpncpy_chk",
    "__strcat_chk",
    "__strcpy_chk",
    "__strncat_chk",
    "__strncpy_chk",
    "abort",
    "abs",
    "bcmp",
    "bzero",
    "calloc",
    "exit",
    "fprintf",
    "free",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "labs",
    "llabs",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "printf",
    "putchar",
    "puts",
    "realloc",
    "snprintf",
    "sprintf",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strcspn",
    "strdup",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "tolower",
    "toupper",
];

/// Functions that return twice, jump out of their caller, or allocate in its frame.
const UNSUPPORTED_FUNCTIONS: &[&str] = &[
    "_longjmp",
    "_setjmp",
    "__sigsetjmp",
    "alloca",
    "getcontext",
    "longjmp",
    "setcontext",
    "setjmp",
    "siglongjmp",
    "sigsetjmp",
    "swapcontext",
    "vfork",
];

/// Prefixes of names that only the compiler knows.
const COMPILER_PREFIXES: &[&str] = &["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"];

/// The name of the function that a builtin is called as, where it has another name.
pub(super) fn library_name(name: &str) -> Option<String> {
    let bare = name.strip_prefix("__builtin_")?;
    if BIT_BUILTINS.contains(&bare) {
        Some(format!("__attest_model_{bare}"))
    } else if LIBRARY_BUILTINS.contains(&bare) {
        Some(bare.to_owned())
    } else {
        None
    }
}

/// Whether the builtin only says which value its first argument is likely to have.
pub(super) fn is_expectation(name: &str) -> bool {
    matches!(
        name,
        "__builtin_expect" | "__builtin_expect_with_probability"
    )
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Records that a C compiler may give another value here: the verdicts hold within a bound.
    fn note_narrow(&mut self, text: &str, span: SpanId) {
        let callee = self.unit.narrow_model();
        let bytes = text.bytes().chain([0]).collect();
        let string = self.unit.add_text(bytes);
        let argument = Operand::Constant(Constant {
            ty: string.1,
            value: ConstantValue::Global {
                global: string.0,
                offset: 0,
            },
        });
        self.call_and_go_on(callee, vec![argument], span);
    }

    /// Calls a function whose result nothing needs, and goes on behind the call.
    fn call_and_go_on(&mut self, callee: FunctionId, arguments: Vec<Operand>, span: SpanId) {
        let behind = self.new_block();
        let call = Terminator::Call {
            callee: Callee::Direct(callee),
            arguments,
            destination: None,
            next: Some(behind),
        };
        self.end_block(call, span, behind);
    }

    /// Calls a function of attest's own that needs no arguments and gives no result.
    pub(super) fn call_helper(&mut self, name: &str, span: SpanId) {
        let callee = self.unit.helper(name, Vec::new(), None);
        self.call_and_go_on(callee, Vec::new(), span);
    }

    /// Records that others may change memory here.
    pub(super) fn barrier(&mut self, span: SpanId) {
        self.call_helper("__attest_barrier", span);
    }

    /// Records that a pointer is taken to be a multiple of a number.
    fn assume_aligned(&mut self, pointer: Operand, alignment: &'a Expr, span: SpanId) {
        let alignment = self.value(alignment);
        let types = [&pointer, &alignment].map(|operand| self.operand_type(operand));
        let callee = self.unit.helper(ASSUME_ALIGNED, types.to_vec(), None);
        self.call_and_go_on(callee, vec![pointer, alignment], span);
    }

    /// Goes on only where an expression is true; all else is undefined.
    fn assume(&mut self, assumption: &'a Expr, span: SpanId) {
        let operand = self.truth(assumption);
        let holds = self.branch_off(operand, span);
        self.end_block(Terminator::Unreachable, span, holds);
    }

    /// A call of a builtin that is no ordinary call; nothing if the callee is none.
    pub(super) fn builtin_call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Option<Typed> {
        let name = self.builtin_name(callee)?;
        let span = self.span(expr.span);
        let ty = self.unit.ty(expr.ty);
        if let Some(operation) = super::overflow::operation(name) {
            return Some(self.checked_arithmetic(operation, arguments, expr));
        }
        match name {
            "__builtin_assume_aligned" => {
                let (first, hints) = arguments.split_first()?;
                let hints_by_reference: Vec<&Expr> = hints.iter().collect();
                let value = self.value_before(first, &hints_by_reference);
                match hints {
                    [alignment] => self.assume_aligned(value.clone(), alignment, span),
                    _ => hints.iter().for_each(|hint| self.effect(hint)),
                }
                Some(self.conversion(value, ty, span))
            }
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                let (first, hints) = arguments.split_first()?;
                let hints_by_reference: Vec<&Expr> = hints.iter().collect();
                let value = self.value_before(first, &hints_by_reference);
                hints.iter().for_each(|hint| self.effect(hint));
                Some(self.conversion(value, ty, span))
            }
            "__builtin_constant_p" => {
                self.note_narrow(
                    "__builtin_constant_p is 0, as it is without optimisation",
                    span,
                );
                Some((Rvalue::Use(self.constant(ty, 0)), ty))
            }
            // Types 0 and 1 ask for the most bytes there may be, 2 and 3 for the least.
            "__builtin_object_size" | "__builtin_dynamic_object_size" => {
                let text =
                    "__builtin_object_size does not know the object, as without optimisation";
                self.note_narrow(text, span);
                let asks_least = arguments.get(1).is_some_and(asks_for_least);
                let bits = if asks_least { 0 } else { u128::MAX };
                Some((Rvalue::Use(self.constant(ty, bits)), ty))
            }
            "__builtin_unreachable" => {
                self.end_path(Terminator::Unreachable, span);
                Some((Rvalue::Use(self.int_constant(0)), self.unit.int))
            }
            "__builtin_assume" => {
                if let Some(assumption) = arguments.first() {
                    self.assume(assumption, span);
                }
                Some((Rvalue::Use(self.int_constant(0)), self.unit.int))
            }
            "__builtin_prefetch" => {
                arguments.iter().for_each(|argument| self.effect(argument));
                Some((Rvalue::Use(self.int_constant(0)), self.unit.int))
            }
            "__builtin_trap" => None,
            _ if library_name(name).is_some() => None,
            _ if is_unsupported(name) || self.returns_twice(callee) => {
                arguments.iter().for_each(|argument| self.effect(argument));
                let construct = format!("`{name}`");
                Some(self.unsupported_value(&construct, ty, span))
            }
            _ => None,
        }
    }
}

/// Whether the second argument of `__builtin_object_size` asks for the least size.
fn asks_for_least(kind: &Expr) -> bool {
    match &kind.kind {
        ExprKind::Integer(text) => text.parse().is_ok_and(|kind: u32| kind >= 2),
        ExprKind::Cast { operand, .. } => asks_for_least(operand),
        _ => false,
    }
}

fn is_unsupported(name: &str) -> bool {
    UNSUPPORTED_FUNCTIONS.contains(&name)
        || COMPILER_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins_have_the_names_of_what_they_call() {
        assert_eq!(library_name("__builtin_memcpy").as_deref(), Some("memcpy"));
        assert_eq!(
            library_name("__builtin___memcpy_chk").as_deref(),
            Some("__memcpy_chk")
        );
        assert_eq!(
            library_name("__builtin_clzll").as_deref(),
            Some("__attest_model_clzll")
        );
        assert_eq!(library_name("__builtin_trap"), None);
        assert_eq!(library_name("memcpy"), None);
    }
}
