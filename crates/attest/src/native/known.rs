//! Functions of the C library that are called for real without being told: what they return and
//! write depends on their arguments alone (the machine notes where it depends on the locale or the
//! environment) and is no pointer to memory of the library, and attest has no model of them.

/// Their names, sorted.
pub const KNOWN: [&str; 63] = [
    "__xpg_strerror_r",
    "a64l",
    "asctime",
    "asctime_r",
    "basename",
    "btowc",
    "fnmatch",
    "inet_addr",
    "inet_aton",
    "inet_network",
    "inet_ntop",
    "inet_pton",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "l64a",
    "mblen",
    "mbstowcs",
    "mbtowc",
    "strerror",
    "strerror_r",
    "strftime",
    "strsignal",
    "strverscmp",
    "strxfrm",
    "swab",
    "towlower",
    "towupper",
    "wcpcpy",
    "wcpncpy",
    "wcscasecmp",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscoll",
    "wcscpy",
    "wcscspn",
    "wcslen",
    "wcsncasecmp",
    "wcsncat",
    "wcsncmp",
    "wcsncpy",
    "wcsnlen",
    "wcspbrk",
    "wcsrchr",
    "wcsspn",
    "wcsstr",
    "wcstombs",
    "wctob",
    "wctomb",
    "wmemchr",
    "wmemcmp",
    "wmemcpy",
    "wmemset",
];

#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn names_are_sorted() {
        assert!(KNOWN.is_sorted());
    }
}
