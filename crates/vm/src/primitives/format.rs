//! The formats of the printf family, as data.

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormatPart {
    /// Bytes as they are.
    Text(Vec<u8>),
    /// A conversion.
    Conversion(Conversion),
}

/// A number in a conversion that may be an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Not given.
    None,
    /// Given in the format.
    Given(usize),
    /// The next argument.
    Argument,
}

/// `%-08.3lx` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternative: bool,
    pub zero: bool,
    pub width: Count,
    pub precision: Count,
    /// Width in bits that the length modifier says.
    pub length: Length,
    /// The conversion's letter.
    pub letter: u8,
}

/// A length modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Length {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    /// `z`, `t`.
    Pointer,
    /// `j`.
    Max,
    /// `L`.
    LongDouble,
}

/// Splits a format string. An incomplete conversion at the end has the letter 0.
pub(crate) fn split(format: &[u8]) -> Vec<FormatPart> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        if let Some((b'%', after)) = rest.split_first() {
            text.push(b'%');
            rest = after;
            continue;
        }
        if !text.is_empty() {
            parts.push(FormatPart::Text(std::mem::take(&mut text)));
        }
        parts.push(FormatPart::Conversion(conversion(&mut rest)));
    }
    if !text.is_empty() {
        parts.push(FormatPart::Text(text));
    }
    parts
}

fn conversion(rest: &mut &[u8]) -> Conversion {
    let mut found = Conversion {
        left: false,
        plus: false,
        space: false,
        alternative: false,
        zero: false,
        width: Count::None,
        precision: Count::None,
        length: Length::Int,
        letter: 0,
    };
    while let Some(&flag) = rest.first() {
        match flag {
            b'-' => found.left = true,
            b'+' => found.plus = true,
            b' ' => found.space = true,
            b'#' => found.alternative = true,
            b'0' => found.zero = true,
            _ => break,
        }
        *rest = &rest[1..];
    }
    found.width = count(rest);
    if rest.first() == Some(&b'.') {
        *rest = &rest[1..];
        found.precision = match count(rest) {
            Count::None => Count::Given(0),
            count => count,
        };
    }
    found.length = length(rest);
    if let Some((&letter, after)) = rest.split_first() {
        found.letter = letter;
        *rest = after;
    }
    found
}

fn count(rest: &mut &[u8]) -> Count {
    if rest.first() == Some(&b'*') {
        *rest = &rest[1..];
        return Count::Argument;
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Count::None;
    }
    let value = rest[..digits].iter().fold(0usize, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    });
    *rest = &rest[digits..];
    Count::Given(value)
}

fn length(rest: &mut &[u8]) -> Length {
    let (length, used) = match *rest {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', b'l', ..] => (Length::LongLong, 2),
        [b'l', ..] => (Length::Long, 1),
        [b'z' | b't', ..] => (Length::Pointer, 1),
        [b'j', ..] => (Length::Max, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        _ => (Length::Int, 0),
    };
    *rest = &rest[used..];
    length
}

impl Conversion {
    /// Formats an integer: its magnitude, and whether it is negative.
    pub fn integer(
        &self,
        magnitude: u128,
        negative: bool,
        width: usize,
        precision: Option<usize>,
    ) -> Vec<u8> {
        let mut digits = match self.letter {
            b'o' => format!("{magnitude:o}"),
            b'x' | b'p' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            _ => magnitude.to_string(),
        };
        if magnitude == 0 && precision == Some(0) {
            digits.clear();
        }
        if let Some(least) = precision
            && digits.len() < least
        {
            digits = "0".repeat(least - digits.len()) + &digits;
        }
        if self.letter == b'o' && self.alternative && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let signed = matches!(self.letter, b'd' | b'i');
        let prefix = match self.letter {
            _ if negative => "-",
            _ if signed && self.plus => "+",
            _ if signed && self.space => " ",
            b'x' if self.alternative && magnitude != 0 => "0x",
            b'X' if self.alternative && magnitude != 0 => "0X",
            b'p' => "0x",
            _ => "",
        };
        let length = prefix.len() + digits.len();
        if self.zero && !self.left && precision.is_none() && length < width {
            digits = "0".repeat(width - length) + &digits;
        }
        self.padded(format!("{prefix}{digits}").into_bytes(), width)
    }

    /// Pads with spaces to the width.
    pub fn padded(&self, mut text: Vec<u8>, width: usize) -> Vec<u8> {
        let missing = width.saturating_sub(text.len());
        if self.left {
            text.resize(text.len() + missing, b' ');
            return text;
        }
        let mut padded = vec![b' '; missing];
        padded.append(&mut text);
        padded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(spec: &str, magnitude: u128, negative: bool) -> String {
        let parts = split(spec.as_bytes());
        let [FormatPart::Conversion(conversion)] = parts.as_slice() else {
            panic!("one conversion expected in {spec}");
        };
        let given = |count| match count {
            Count::Given(count) => Some(count),
            _ => None,
        };
        let width = given(conversion.width).unwrap_or(0);
        let precision = given(conversion.precision);
        let text = conversion.integer(magnitude, negative, width, precision);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn formats_as_c_does() {
        let table = [
            ("%d", 42, false, "42"),
            ("%d", 42, true, "-42"),
            ("%5d|", 42, true, "  -42"),
            ("%-5d", 42, true, "-42  "),
            ("%05d", 42, true, "-0042"),
            ("%+d", 42, false, "+42"),
            ("% d", 42, false, " 42"),
            ("%.4d", 42, true, "-0042"),
            ("%08.4d", 42, true, "   -0042"),
            ("%.0d", 0, false, ""),
            ("%x", 255, false, "ff"),
            ("%#X", 255, false, "0XFF"),
            ("%#o", 8, false, "010"),
            ("%#x", 0, false, "0"),
            ("%lu", 7, false, "7"),
        ];
        for (spec, magnitude, negative, expected) in table {
            let spec = spec.trim_end_matches('|');
            assert_eq!(format(spec, magnitude, negative), expected, "{spec}");
        }
    }

    #[test]
    fn splits_text_and_conversions() {
        let parts = split(b"a%%b%-*.3hhd%");
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0], FormatPart::Text(b"a%b".to_vec()));
        let FormatPart::Conversion(conversion) = &parts[1] else {
            panic!("a conversion expected");
        };
        assert_eq!(conversion.width, Count::Argument);
        assert_eq!(conversion.precision, Count::Given(3));
        assert_eq!(conversion.length, Length::Char);
        assert_eq!(conversion.letter, b'd');
    }
}
