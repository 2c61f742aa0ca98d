//! Undefines macros that would change the code emitted after a unit's text. That code takes its
//! names from the AST, so no macro may apply to them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ir::Unit;

/// The limits of `limits.h` that constants are written by, without a header: one after the unit's
/// text may contradict what the unit declares itself.
pub(super) const LIMITS: [(&str, &str); 12] = [
    ("SHRT_MAX", "__SHRT_MAX__"),
    ("SHRT_MIN", "(-__SHRT_MAX__ - 1)"),
    ("USHRT_MAX", "(__SHRT_MAX__ * 2 + 1)"),
    ("INT_MAX", "__INT_MAX__"),
    ("INT_MIN", "(-__INT_MAX__ - 1)"),
    ("UINT_MAX", "(__INT_MAX__ * 2u + 1u)"),
    ("LONG_MAX", "__LONG_MAX__"),
    ("LONG_MIN", "(-__LONG_MAX__ - 1L)"),
    ("ULONG_MAX", "(__LONG_MAX__ * 2ul + 1ul)"),
    ("LLONG_MAX", "__LONG_LONG_MAX__"),
    ("LLONG_MIN", "(-__LONG_LONG_MAX__ - 1LL)"),
    ("ULLONG_MAX", "(__LONG_LONG_MAX__ * 2ull + 1ull)"),
];

/// The text between a unit's text and `behind`: with it, no macro of the unit changes `behind`.
pub(super) fn undefine(unit: &Unit, behind: &str) -> String {
    let words = words(behind);
    let mut text = String::new();
    for name in unit
        .macros
        .iter()
        .filter(|name| words.contains(name.as_str()))
    {
        let _ = writeln!(text, "#undef {name}");
    }
    match text.is_empty() {
        true => text,
        false => format!("\n/* Names that are no macros from here on. */\n{text}"),
    }
}

/// Definitions of the limits that a text mentions.
pub(super) fn limits(text: &str) -> String {
    let words = words(text);
    let mut definitions = String::new();
    for (name, value) in LIMITS.iter().filter(|(name, _)| words.contains(name)) {
        let _ = writeln!(definitions, "#undef {name}\n#define {name} {value}");
    }
    definitions
}

/// The identifiers of C text, those in comments and literals excepted.
fn words(text: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => literal_length(rest, first),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if is_part(first) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        if is_part(first) && !first.is_ascii_digit() {
            words.insert(word);
        }
        rest = behind;
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The length of the string or character constant that a text begins with.
fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_the_preprocessor_would_replace() {
        let text = "int x = 0x1f; /* no */ char c = '\\''; f(\"a \\\" b\", y_1);";
        let expected = ["c", "char", "f", "int", "x", "y_1"];
        assert_eq!(words(text).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn templates_name_no_type_of_a_header() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/templates");
        let mut count = 0;
        for template in std::fs::read_dir(folder).unwrap() {
            let path = template.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let types = words(&text).into_iter().filter(|word| word.ends_with("_t"));
            assert_eq!(types.collect::<Vec<_>>(), [""; 0], "{}", path.display());
            count += 1;
        }
        assert!(count > 0);
    }

    #[test]
    fn only_the_limits_that_are_used_are_defined() {
        let text = limits("CHECK(result, INT_MIN); \"UINT_MAX\"");
        assert_eq!(text, "#undef INT_MIN\n#define INT_MIN (-__INT_MAX__ - 1)\n");
    }
}
