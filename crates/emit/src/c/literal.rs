//! Constants as a person would write them.

use ir::{EnumDef, IntName, IntType, Type, TypeId, Types};

/// The value of `width` bits as a signed number if `signed`, else unsigned ones saturate at
/// `i128::MAX`, which only 128-bit values beyond it meet.
pub fn to_i128(bits: u128, width: u32, signed: bool) -> i128 {
    if width == 0 || width >= 128 {
        return bits as i128;
    }
    let masked = bits & ((1 << width) - 1);
    if signed && masked >> (width - 1) == 1 {
        (masked as i128) - (1i128 << width)
    } else {
        masked as i128
    }
}

/// A float of which the bits are known.
fn float_of_bits(types: &Types, ty: TypeId, bits: u128) -> String {
    let size = usize::try_from(types.size(ty)).unwrap_or(0);
    let bytes = bits.to_le_bytes().into_iter().take(size);
    let bytes: Vec<String> = bytes.map(|byte| format!("{byte:#x}")).collect();
    let name = types.declare(ty, "");
    format!(
        "((union {{ unsigned char bytes[{size}]; {} value; }}){{{{{}}}}}).value",
        name.trim_end(),
        bytes.join(", ")
    )
}

/// An integer constant with the value that `bits` have in a cell of this type and width.
pub fn integer(types: &Types, ty: TypeId, width: u32, bits: u128) -> String {
    match types.kind(ty) {
        Type::Enum(def) => enumerator(&types.enums[*def], width, bits),
        Type::Int(int) => of_int(*int, width, bits),
        Type::Float(_) if bits != 0 => float_of_bits(types, ty, bits),
        // Zero is the same for all other types.
        _ => of_int(
            IntType {
                name: IntName::UnsignedLongLong,
                width: 64,
                signed: false,
            },
            width,
            bits,
        ),
    }
}

fn enumerator(def: &EnumDef, width: u32, bits: u128) -> String {
    let value = to_i128(bits, width, def.underlying.signed);
    def.enumerator(value)
        .map_or_else(|| of_int(def.underlying, width, bits), str::to_owned)
}

fn of_int(int: IntType, width: u32, bits: u128) -> String {
    let value = to_i128(bits, width, int.signed);
    if int.width == 128 {
        return wide(int, value);
    }
    if int.name.is_character()
        && width == 8
        && (int.name == IntName::Char || (0x20..0x7f).contains(&value))
        && let Some(text) = character(value)
    {
        return text;
    }
    if int.width == width
        && let Some(name) = limit(int, value)
    {
        return name.to_owned();
    }
    if int.signed || value < 1 << 16 {
        decimal(int, value)
    } else {
        format!("{value:#x}{}", suffix(int))
    }
}

/// Decimal, with the suffix that keeps large values in their type.
fn decimal(int: IntType, value: i128) -> String {
    if i32::try_from(value).is_ok() && value != i128::from(i32::MIN) {
        return value.to_string();
    }
    // C has no negative constants: the least value must not be written as minus its opposite.
    if value == i128::from(i64::MIN) {
        return format!("(-{}{} - 1)", i64::MAX, suffix(int));
    }
    format!("{value}{}", suffix(int))
}

fn suffix(int: IntType) -> &'static str {
    match int.name {
        IntName::UnsignedInt => "u",
        IntName::Long => "L",
        IntName::UnsignedLong => "ul",
        IntName::LongLong => "LL",
        IntName::UnsignedLongLong => "ull",
        _ if int.signed => "",
        _ => "u",
    }
}

/// The name that `limits.h` has for an extreme value.
fn limit(int: IntType, value: i128) -> Option<&'static str> {
    let (least, greatest) = match int.name {
        IntName::Short => ("SHRT_MIN", "SHRT_MAX"),
        IntName::UnsignedShort => ("", "USHRT_MAX"),
        IntName::Int => ("INT_MIN", "INT_MAX"),
        IntName::UnsignedInt => ("", "UINT_MAX"),
        IntName::Long => ("LONG_MIN", "LONG_MAX"),
        IntName::UnsignedLong => ("", "ULONG_MAX"),
        IntName::LongLong => ("LLONG_MIN", "LLONG_MAX"),
        IntName::UnsignedLongLong => ("", "ULLONG_MAX"),
        _ => return None,
    };
    let bits = int.width - u32::from(int.signed);
    if value == (1i128 << bits) - 1 {
        Some(greatest)
    } else if int.signed && value == -(1i128 << bits) {
        Some(least)
    } else {
        None
    }
}

fn wide(int: IntType, value: i128) -> String {
    if let Ok(small) = i64::try_from(value)
        && small != i64::MIN
    {
        let suffix = if i32::try_from(small).is_ok() {
            ""
        } else {
            "LL"
        };
        return format!("{small}{suffix}");
    }
    let bits = value as u128;
    format!(
        "({})((unsigned __int128){:#x}ull << 64 | {:#x}ull)",
        int.name.c_name(),
        bits >> 64,
        bits as u64
    )
}

/// A character constant, for values that have a readable one.
fn character(value: i128) -> Option<String> {
    let byte = u8::try_from(value).ok()?;
    match byte {
        b'\'' => Some("'\\''".to_owned()),
        b'"' => Some("'\"'".to_owned()),
        _ => escape(byte).map(|text| format!("'{text}'")),
    }
}

fn escape(byte: u8) -> Option<String> {
    Some(match byte {
        0 => "\\0".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b'"' => "\\\"".to_owned(),
        b'?' => "?".to_owned(),
        0x20..=0x7e => char::from(byte).to_string(),
        _ => return None,
    })
}

/// A string literal for bytes that end where the literal's own NUL stands; `None` if a byte has no
/// readable form.
pub fn string(bytes: &[u8]) -> Option<String> {
    let mut text = String::from("\"");
    for &byte in bytes {
        if byte == 0 {
            return None;
        }
        // "??" would begin a trigraph in strict modes.
        if byte == b'?' && text.ends_with('?') {
            text.push_str("\\?");
        } else {
            text.push_str(&escape(byte)?);
        }
    }
    text.push('"');
    Some(text)
}

/// A string literal for any bytes, with octal escapes where there is no readable form.
pub fn bytes(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match escape(byte) {
            Some(readable) if byte != 0 => text.push_str(&readable),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

/// The bytes of a C string that fills an array of `length` elements: up to a NUL, with only zeros
/// after it.
pub fn terminated(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    bytes[end..]
        .iter()
        .all(|&byte| byte == 0)
        .then(|| &bytes[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(name: IntName, width: u32, signed: bool) -> IntType {
        IntType {
            name,
            width,
            signed,
        }
    }

    #[test]
    fn integers_read_well() {
        let signed = int(IntName::Int, 32, true);
        let unsigned = int(IntName::UnsignedInt, 32, false);
        let long = int(IntName::Long, 64, true);
        let char_ = int(IntName::Char, 8, true);
        let cases = [
            (signed, 32, 0xffff_ffff, "-1"),
            (signed, 32, 0x8000_0000, "INT_MIN"),
            (signed, 3, 7, "-1"),
            (unsigned, 32, 0xffff_ffff, "UINT_MAX"),
            (unsigned, 32, 0xdead_beef, "0xdeadbeefu"),
            (unsigned, 32, 1234, "1234"),
            (long, 64, 5_000_000_000, "5000000000L"),
            (long, 64, 1 << 63, "LONG_MIN"),
            (char_, 8, u128::from(b'a'), "'a'"),
            (char_, 8, u128::from(b'\''), "'\\''"),
            (char_, 8, 0xff, "-1"),
            (char_, 8, 0, "'\\0'"),
            (int(IntName::UnsignedChar, 8, false), 8, 0, "0"),
            (int(IntName::UnsignedChar, 8, false), 8, 65, "'A'"),
            (
                int(IntName::Int128, 128, true),
                128,
                1 << 100,
                "(__int128)((unsigned __int128)0x1000000000ull << 64 | 0x0ull)",
            ),
            (int(IntName::Int128, 128, true), 128, u128::MAX, "-1"),
        ];
        for (ty, width, bits, expected) in cases {
            assert_eq!(of_int(ty, width, bits), expected);
        }
    }

    #[test]
    fn strings_escape_what_c_would_misread() {
        assert_eq!(string(b"a\"b\\??=").as_deref(), Some("\"a\\\"b\\\\?\\?=\""));
        assert_eq!(string(b"\x01"), None);
        assert_eq!(bytes(b"a\0\x01"), "\"a\\000\\001\"");
        assert_eq!(terminated(b"ab\0\0"), Some(&b"ab"[..]));
        assert_eq!(terminated(b"ab\0c"), None);
        assert_eq!(terminated(b"ab"), None);
    }
}
