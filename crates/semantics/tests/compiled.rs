//! Numbers are what compiled C makes of the same operands, for all integer types.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use expr::mask;
use ir::{BinaryOp, UnaryOp};
use semantics::{
    Check, Concrete, Integer, Overflow, amount_is_safe, binary, checks, compare, convert,
    negation_check, operands_are_safe, shift_check, unary,
};

const PROGRAM: &str = r#"
#include <stdio.h>
typedef unsigned __int128 wide;
static const unsigned long long halves[][2] = { VALUES };
enum { COUNT = sizeof halves / sizeof *halves };
static void put(wide x) {
    printf("%llx.%llx ", (unsigned long long)(x >> 64), (unsigned long long)x);
}
static wide value(int i) { return (wide)halves[i][0] << 64 | halves[i][1]; }
#define TYPE(T, U, W, SIGNED) \
    static void of_##U##SIGNED(T a, T b) { \
        T r; int o; \
        o = __builtin_add_overflow(a, b, &r); put((U)r); put(o); \
        o = __builtin_sub_overflow(a, b, &r); put((U)r); put(o); \
        o = __builtin_mul_overflow(a, b, &r); put((U)r); put(o); \
        T least = (T)((U)1 << (W - 1)); \
        int undefined = b == 0 || (SIGNED && a == least && b == (T)-1); \
        put(undefined); put(undefined ? 0 : (U)(T)(a / b)); put(undefined ? 0 : (U)(T)(a % b)); \
        put((U)(T)(a & b)); put((U)(T)(a | b)); put((U)(T)(a ^ b)); \
        int by = (int)((U)b % W); \
        U shifted = (U)((U)a << by); \
        put(shifted); put(SIGNED && (a < 0 || (T)shifted < 0 || (T)((T)shifted >> by) != a)); \
        put((U)(T)(a >> by)); \
        put(a == b); put(a != b); put(a < b); put(a <= b); put(a > b); put(a >= b); \
        put((U)(0 - (U)a)); put(SIGNED && a == least); put((U)~(U)a); \
        put((unsigned char)a); put((unsigned short)a); put((unsigned)a); \
        put((unsigned long long)a); put((wide)a); \
        putchar('\n'); \
    } \
    static void all_##U##SIGNED(void) { \
        for (int i = 0; i < COUNT; i++) \
            for (int j = 0; j < COUNT; j++) \
                of_##U##SIGNED((T)value(i), (T)value(j)); \
    }
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32;
typedef unsigned long long u64; typedef wide u128;
TYPE(signed char, u8, 8, 1) TYPE(u8, u8, 8, 0)
TYPE(short, u16, 16, 1) TYPE(u16, u16, 16, 0)
TYPE(int, u32, 32, 1) TYPE(u32, u32, 32, 0)
TYPE(long long, u64, 64, 1) TYPE(u64, u64, 64, 0)
TYPE(__int128, u128, 128, 1) TYPE(u128, u128, 128, 0)
int main(void) {
    all_u81(); all_u80(); all_u161(); all_u160(); all_u321(); all_u320();
    all_u641(); all_u640(); all_u1281(); all_u1280();
    return 0;
}
"#;

/// Operands that reach every special case of some width.
fn values() -> Vec<u128> {
    let mut values = vec![
        0,
        1,
        2,
        3,
        7,
        100,
        0x5555_5555_5555_5555_5555_5555_5555_5555,
    ];
    for width in [8, 16, 32, 64, 128] {
        let least = 1u128 << (width - 1);
        values.extend([least, least - 1, mask(width), least + 1]);
    }
    values.push(0xdead_beef_0123_4567_89ab_cdef_fedc_ba98);
    values
}

/// What C prints of two operands, by the rules of this crate.
fn line(ty: Integer, a: u128, b: u128) -> String {
    let domain = &mut Concrete;
    let width = ty.width;
    let fails = |check| u128::from(!operands_are_safe(&mut Concrete, check, width, a, b));
    let mut out = Vec::new();
    for (op, overflow) in [
        (BinaryOp::Add, Overflow::Add),
        (BinaryOp::Sub, Overflow::Sub),
        (BinaryOp::Mul, Overflow::Mul),
    ] {
        out.push(binary(domain, op, ty, a, b));
        // The builtins tell of unsigned results that do not fit too.
        out.push(match ty.signed {
            true => fails(Check::Fits(overflow)),
            false => u128::from(wraps(op, width, a, b)),
        });
    }
    let undefined = checks(BinaryOp::Div, ty, false).any(|check| fails(check) == 1);
    out.push(u128::from(undefined));
    for op in [BinaryOp::Div, BinaryOp::Rem] {
        out.push(if undefined {
            0
        } else {
            binary(domain, op, ty, a, b)
        });
    }
    for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
        out.push(binary(domain, op, ty, a, b));
    }
    let by = b % u128::from(width);
    assert!(amount_is_safe(domain, (by, width), width));
    out.push(binary(domain, BinaryOp::Shl, ty, a, by));
    let loses = |check| !operands_are_safe(&mut Concrete, check, width, a, by);
    let check = shift_check(BinaryOp::Shl, ty, false);
    out.push(u128::from(check.is_some_and(loses)));
    out.push(binary(domain, BinaryOp::Shr, ty, a, by));
    for op in [
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
    ] {
        out.push(u128::from(compare(domain, op, ty, a, b)));
    }
    out.push(unary(domain, UnaryOp::Negate, width, a));
    out.push(negation_check(ty, false).map_or(0, fails));
    out.push(unary(domain, UnaryOp::Complement, width, a));
    for to in [8, 16, 32, 64, 128] {
        out.push(convert(domain, ty, to, a));
    }
    out.iter().fold(String::new(), |mut line, value| {
        let _ = write!(line, "{:x}.{:x} ", value >> 64, value & mask(64));
        line
    })
}

/// Whether an unsigned result does not fit.
fn wraps(op: BinaryOp, width: u32, a: u128, b: u128) -> bool {
    let exact = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        _ => a.checked_mul(b),
    };
    exact.is_none_or(|exact| exact > mask(width))
}

#[test]
fn numbers_are_what_compiled_c_makes_of_them() {
    let values = values();
    let initialisers = values.iter().fold(String::new(), |mut text, value| {
        let _ = write!(text, "{{{:#x}, {:#x}}}, ", value >> 64, value & mask(64));
        text
    });
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("ops.c"), folder.path().join("ops"));
    fs::write(&source, PROGRAM.replace("VALUES", &initialisers)).expect("a source");
    let compiled = Command::new("cc")
        .args(["-O1", "-w", "-o"])
        .args([&binary, &source])
        .status();
    assert!(compiled.expect("a C compiler").success());
    let printed = Command::new(&binary).output().expect("a run").stdout;
    let printed = String::from_utf8(printed).expect("text");
    let mut lines = printed.lines();
    for width in [8, 16, 32, 64, 128] {
        for signed in [true, false] {
            let ty = Integer { width, signed };
            for &a in &values {
                for &b in &values {
                    let (a, b) = (a & mask(width), b & mask(width));
                    let native = lines.next().expect("a line for each pair");
                    assert_eq!(native, line(ty, a, b), "{ty:?} {a:#x} {b:#x}");
                }
            }
        }
    }
    assert_eq!(lines.next(), None);
}
