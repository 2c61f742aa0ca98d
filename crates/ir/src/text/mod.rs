//! The readable form of a program, for reading and for writing tests.
//!
//! [`print()`] and [`parse()`] are inverse: `parse(&print(p)) == Ok(p)`, ids included. Parts with
//! defaults may be left out when writing by hand, and are left out when printing:
//!
//! ```text
//! target "x86_64-pc-linux-gnu" 64          the default; `wrapv` may follow
//! file0 "a.c"                              default: one file, `text.c`
//! unit0 user "a.c"                         `user` or `model`; default: one unit, `text.c`
//! enum0 "enum color": uint { RED = 0, GREEN = 1 }
//! rec0 struct "struct s" size 16 align 8 { value: int @0, low: int @32 bits 3, next: *rec0 @64 }
//! rec1 struct { a: char, b: int }          without sizes and offsets: laid out as C does
//! rec2 union "union u" incomplete
//! types int, *int, longdouble size 12 align 4     fixes ids and unusual layouts; optional
//! global counter: int = 0
//! static const global table: [4 x uchar] in unit0 span file0:3:1-3:9 = x"01 02 03 04"
//! static global either: rec0 = x"05 00" open x"00 ff"     these bits are left open
//! literal global ".str": [3 x char] = "ab\0"
//! local(@f) global calls: *int = x"0000000000000000" with 0: &@counter+4
//! global elsewhere: int                    declared, nowhere defined
//! fn puts(text: *const char nonnull) -> int        no body
//! assumed fn ffs(x: int) -> int { … }      taken to be the C library's
//! pure fn gcd(x: int, y: int) -> int       declared to do nothing but return a value
//! static noreturn fn f(a: int, ?: *rec0, ...) in unit0 span file0:9:1-9:5 {
//!   _0 a: int param taken                  only where it differs from the parameter list
//!   _2 x: int                              named: a variable; else a temporary
//!   _3: int var taken                      `var`, `temp` or `param` otherwise; address taken
//!   at0 file0:9:4-9:7 in MAX@file0:2:3     spans; `spans none` if there are none at all
//!   d0 if file0:9:1-9:5 = c0 && !(c1 || true)
//!   d1 switch                              sides as in its `switch`, or in braces with
//!                                          spans and, as `2 "RED" "RED"`, enumerators
//!   c0 of d0 file0:9:1-9:5                 without a span it may be left out
//!   s0 in bb1 file0:9:1-9:5
//!   bb0:
//!     live _2
//!     _2 = add _0, 1          at0          the span of a statement; at0 is assumed
//!     _1->value = _2
//!     branch _2 ? bb1 : bb2 tag c0 -/false
//!   bb1: return
//!   bb2: _3 = call @puts(_2) -> never
//! }
//! ```
//!
//! Types: `void bool char schar uchar short ushort int uint long ulong llong ullong int128
//! uint128`, also `i8 u8 … i128 u128` (`i64` is `long` where that has 64 bits), with `:u8` after
//! one whose width or sign is unusual; `half float double longdouble float128`; `*T`, `*const T`,
//! `[4 x T]`, `[_ x T]`, `rec0`, `enum0`, `fn(T, ...) -> T`, `unsupported "spelling"`.
//!
//! Operands: `_1`, `-5`, `5:uint`, `null`, `&@global+8:*int`, `&@function`,
//! `float(0x3f800000):float`. A constant without a type takes it from its surroundings: of the
//! other operand, of what is assigned, of the parameter, of the result; else `int`. Functions and
//! globals whose name is not unique are written `fn3` and `g3` in place of `@name`.
//!
//! Places: `_1`, `@global`, `*_1`, `*(null:*int)`, followed by `.field`, `.2`, `[_3]`; `_1->field`
//! for `(*_1).field`; `: T` after one whose type is not what its parts give.
//!
//! Right sides: an operand; `load PLACE`, `addr PLACE`; `neg`, `not`; `add sub mul div rem and or
//! xor shl shr eq ne lt le gt ge`; `int_to_int int_to_bool pointer_to_bool pointer_to_int
//! int_to_pointer pointer_to_pointer`; `ptr_add _0, _1 x 4` and `ptr_sub` (elements of 4 bytes),
//! `ptr_diff _0, _1 x 4`; `zero`. `as T` follows casts, `ptr_diff` and `zero` whose type is not
//! that of the place.
//!
//! Terminators: `goto bb1`, `branch`, `switch _0 d0 { 1 => bb1, 2..5 => bb2, else => bb3 }`, `_1 =
//! call @f(_0) -> bb1`, `call *_2() -> bb1`, `return`, `return _0`, `unreachable`, `unsupported
//! "inline assembly" -> bb1` (or `-> never`, or more blocks). Comments run from `//` to the end of
//! the line; `;` may stand between statements.

mod defaults;
mod lexer;
mod names;
mod parse;
mod print;

use std::fmt;

use crate::Program;

/// The text of a program.
pub fn print(program: &Program) -> String {
    print::print(program)
}

/// The program of a text. It is well-formed as text only: [`crate::verify()`] checks whether it
/// makes sense.
///
/// # Errors
/// The first place where the text does not fit the grammar, or names a record, enum, function or
/// global that it does not declare.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    parse::parse(text)
}

/// The reason why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The tokens that could stand there.
    pub expected: String,
    /// The token that stands there.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: expected {}, found {}",
            self.line, self.column, self.expected, self.found
        )
    }
}

impl std::error::Error for ParseError {}
